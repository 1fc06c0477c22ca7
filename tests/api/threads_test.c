/* Threads: samplers and distributions one a thread share nothing, const handles may be used at once, a step runs on the caller's threads.
   The results are those of one thread; the thread sanitizer sees the rest. */
#include <pthread.h>

#include "constraint_support.h"

enum { THREADS = 4, STEPS = 60, N = 2000 };

static float row_[N];

static gsample_params params_of(int i) {
  gsample_params params = plain_params();
  params.seed = (uint64_t)i, params.temperature = .8f, params.penalty_repeat = 1.1f, params.dry_multiplier = i % 2 ? .5f : 0;
  if (i % 3) params.top_k = 40;
  return params;
}

typedef struct job {
  int i;
  int32_t tokens[STEPS];
  const gsample_sampler* shared;
  pthread_t thread;
} job;

static void* alone(void* arg) {
  job* j = (job*)arg;
  gsample_params params = {.size = sizeof params};
  gsample_sampler* s = NULL;
  gsample_dist* d = NULL;
  const gsample_row row = {.size = sizeof row, .n_vocab = N, .logits = row_};
  int step;
  gsample_params_init(&params);
  gsample_params_preset(&params, "golem", NULL);
  params = params_of(j->i);
  gsample_new(&params, &s, NULL);
  gsample_dist_new(&d);
  for (step = 0; step < STEPS; step++) {
    j->tokens[step] = gsample_pick(s, row_, N);
    gsample_dist_from_row(d, s, &row);
    gsample_best(&row);
  }
  gsample_dist_free(d);
  gsample_free(s);
  return NULL;
}

static void samplers_share_nothing(void** state) {
  job jobs[THREADS], one;
  int i;
  (void)state;
  for (i = 0; i < N; i++) row_[i] = (float)((uint32_t)i * 2654435761u >> 20) * .003f;
  for (i = 0; i < THREADS; i++) jobs[i].i = i, assert_int_equal(pthread_create(&jobs[i].thread, NULL, alone, &jobs[i]), 0);
  for (i = 0; i < THREADS; i++) pthread_join(jobs[i].thread, NULL);
  for (i = 0; i < THREADS; i++) {
    one.i = i;
    alone(&one);
    assert_memory_equal(one.tokens, jobs[i].tokens, sizeof one.tokens);
  }
}

static void* copying(void* arg) {
  job* j = (job*)arg;
  int step;
  for (step = 0; step < STEPS; step++) {
    gsample_sampler* s = NULL;
    unsigned char bytes[8192];
    gsample_clone(j->shared, &s);
    gsample_save(j->shared, bytes, sizeof bytes);
    gsample_memory(j->shared), gsample_shaped(j->shared), gsample_candidates_needed(j->shared);
    j->tokens[step] = gsample_pick(s, row_, N);
    gsample_free(s);
  }
  return NULL;
}

/* A const handle: many clones at once of one sampler. */
static void a_sampler_is_cloned_by_many(void** state) {
  gsample_params params = params_of(1);
  gsample_sampler* s = make(&params);
  const float bias = 2;
  job jobs[THREADS];
  int i, step;
  int32_t expected;
  (void)state;
  assert_int_equal(gsample_bias(s, (const int32_t[]){100}, &bias, 1), 0);
  for (i = 0; i < 5; i++) gsample_pick(s, row_, N);
  for (i = 0; i < THREADS; i++) jobs[i].shared = s, assert_int_equal(pthread_create(&jobs[i].thread, NULL, copying, &jobs[i]), 0);
  for (i = 0; i < THREADS; i++) pthread_join(jobs[i].thread, NULL);
  expected = gsample_pick(s, row_, N);
  for (i = 0; i < THREADS; i++)
    for (step = 0; step < STEPS; step++) assert_int_equal(jobs[i].tokens[step], expected);
  gsample_free(s);
}

/* An executor of real threads: each takes the next index there is. */
typedef void body_fn(void* arg, uint32_t worker, size_t i);
typedef struct pool {
  pthread_mutex_t lock;
  size_t next, n;
  body_fn* body;
  void* arg;
  uint32_t workers;
} pool;
typedef struct worker {
  pool* p;
  uint32_t id;
  pthread_t thread;
} worker;

static void* work(void* arg) {
  worker* w = (worker*)arg;
  for (;;) {
    size_t i;
    pthread_mutex_lock(&w->p->lock);
    i = w->p->next++;
    pthread_mutex_unlock(&w->p->lock);
    if (i >= w->p->n) return NULL;
    w->p->body(w->p->arg, w->id, i);
  }
}

static int32_t on_threads(void* user, size_t n, body_fn* body, void* arg) {
  pool* p = (pool*)user;
  worker workers[16];
  uint32_t k;
  p->next = 0, p->n = n, p->body = body, p->arg = arg;
  for (k = 0; k < p->workers; k++) {
    workers[k].p = p, workers[k].id = k;
    if (pthread_create(&workers[k].thread, NULL, work, &workers[k])) abort();
  }
  for (k = 0; k < p->workers; k++) pthread_join(workers[k].thread, NULL);
  return 0;
}

static void a_step_on_threads_is_a_step(void** state) {
  enum { SEQUENCES = 24 };
  int32_t expected[SEQUENCES][STEPS];
  uint32_t workers;
  int own;
  (void)state;
  for (workers = 0; workers <= 16; workers = workers ? workers * 4 : 1)
    for (own = 0; own < 2; own++) {
      gsample_sequence s[SEQUENCES];
      gsample_choice choices[SEQUENCES];
      asked logs[SEQUENCES];
      int32_t tokens[SEQUENCES];
      pool p = {.lock = PTHREAD_MUTEX_INITIALIZER, .workers = workers};
      const gsample_executor executor = {.size = sizeof executor, .n_workers = workers, .user = &p, .parallel_for = on_threads};
      gsample_workspace* workspace = NULL;
      int i, step;
      assert_int_equal(gsample_workspace_new(16, &workspace), 0);
      for (i = 0; i < SEQUENCES; i++) {
        const gsample_params params = params_of(i);
        const gsample_choice choice = {.size = sizeof choice, .logprob_mode = (uint32_t)i % 4};
        const gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 1, .sampler = make(&params), .logits = row_,
                                      .tokens = &tokens[i], .choices = &choices[i]};
        asked_nothing(&logs[i]);
        if (i % 4 == 2) {
          const gsample_constraint c = constraint_of(rule_new(&logs[i], 3, 1));
          assert_int_equal(gsample_constrain(one.sampler, &c), 0);
        }
        choices[i] = choice;
        s[i] = one;
      }
      for (step = 0; step < 10; step++) {
        assert_int_equal(gsample_decide(s, SEQUENCES, workers ? &executor : NULL, own ? NULL : workspace), 0);
        for (i = 0; i < SEQUENCES; i++) {
          if (workers == 0 && own == 0) expected[i][step] = tokens[i];
          assert_int_equal(tokens[i], expected[i][step]);
        }
      }
      for (i = 0; i < SEQUENCES; i++) gsample_free(s[i].sampler);
      gsample_workspace_free(workspace);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(samplers_share_nothing),
      cmocka_unit_test(a_sampler_is_cloned_by_many),
      cmocka_unit_test(a_step_on_threads_is_a_step),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

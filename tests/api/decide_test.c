/* The step: certain drafts never change tokens, drafts with a distribution are verified number by number as the rule says, and neither
   the batch nor the executor enters. */
#include "constraint_support.h"

enum { N = 60, MOST = 6 };

static void fill(float* row, int step) {
  int i;
  for (i = 0; i < N; i++) row[i] = (float)((uint32_t)(i * 7919 + step * 104729) * 2654435761u >> 24) * .02f;
}

static gsample_params shaped(uint64_t seed) {
  gsample_params params = plain_params();
  params.seed = seed, params.temperature = .9f, params.top_k = 30, params.top_p = .97f, params.penalty_repeat = 1.2f;
  params.penalty_freq = .1f, params.dry_multiplier = .6f, params.dry_allowed_length = 1;
  if (seed % 3 == 0) params.xtc_probability = .4f, params.xtc_threshold = .02f;
  if (seed % 3 == 1) params.dynatemp_range = .3f;
  if (seed % 5 == 0) set_order(&params, TOKENS(1, 2, 4, 6, 9, 10)), params.mirostat = 2, params.xtc_probability = 0;
  if (seed % 5 == 1) set_order(&params, TOKENS(1, 2, 4, 6, 9, 11)), params.adaptive_target = .2f, params.xtc_probability = 0;
  if (seed % 7 == 0) params.temperature = 0;
  return params;
}

/* One sampler drafts by what a twin will pick, right or wrong in turns; another picks row by row. */
static void certain_drafts_never_change_tokens(void** state) {
  uint64_t seed;
  (void)state;
  for (seed = 0; seed < 60; seed++) {
    const gsample_params params = shaped(seed);
    gsample_sampler *s = make(&params), *plain = make(&params), *oracle = NULL;
    asked log;
    int step, constrained = seed % 4 == 3, i;
    saved bytes;
    asked_nothing(&log);
    for (i = 0; i < 2 && constrained; i++) {
      const gsample_constraint c = constraint_of(rule_new(&log, 2, 1));
      assert_int_equal(gsample_constrain(i ? plain : s, &c), 0);
    }
    for (step = 0; step < 10; step++) {
      float rows[MOST][N];
      int32_t drafts[MOST - 1], tokens[MOST];
      uint32_t k;
      gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = MOST, .sampler = s, .logits = rows, .row_stride = sizeof rows[0],
                              .drafts = drafts, .n_drafts = MOST - 1, .tokens = tokens};
      for (k = 0; k < MOST; k++) fill(rows[k], step * 31 + (int)k);
      assert_int_equal(gsample_clone(s, &oracle), 0);
      for (k = 0; k < MOST - 1; k++) drafts[k] = gsample_pick(oracle, rows[k], N);
      if (step % 3) drafts[step % 5] = (drafts[step % 5] + 1) % N;
      gsample_free(oracle);
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      assert_int_equal(one.status, 0);
      if (step % 3 == 0) assert_int_equal(one.n_tokens, MOST);
      else assert_int_equal(one.n_tokens, step % 5 + 1);
      for (k = 0; k < one.n_tokens; k++) assert_int_equal(gsample_pick(plain, rows[k], N), tokens[k]);
    }
    bytes = save_of(s);
    expect_unmoved(plain, bytes);
    free(bytes.bytes);
    gsample_free(s), gsample_free(plain);
  }
}

/* The rule of C10, number by number: a twin gives p and the generator's numbers, the rest is arithmetic. */
static void verification_is_what_the_rule_says(void** state) {
  uint64_t seed;
  int accepted = 0, replaced = 0;
  (void)state;
  for (seed = 0; seed < 400; seed++) {
    gsample_params params = plain_params();
    gsample_sampler *s, *twin;
    gsample_dist *q = NULL, *p, *rest = NULL;
    float rows[2][N];
    double w[N], u, total = 0;
    int32_t ids[N], draft, tokens[2], expected;
    const gsample_dist* dists[1];
    gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 2, .logits = rows, .row_stride = sizeof rows[0], .drafts = &draft,
                            .n_drafts = 1, .tokens = tokens, .draft_dists = dists};
    int i;
    params.seed = seed, params.top_k = 20, params.penalty_repeat = 1.5f, params.temperature = .5f + (float)(seed % 4) * .5f;
    s = make(&params), twin = make(&params);
    fill(rows[0], (int)seed), fill(rows[1], (int)seed + 1);
    for (i = 0; i < N; i++) ids[i] = N - 1 - i, w[i] = 1 + (i * 7 + (int)seed) % 13, total += w[i];
    draft = (int32_t)(seed * 11 % N);
    assert_int_equal(gsample_dist_new(&q), 0);
    assert_int_equal(gsample_dist_new(&rest), 0);
    assert_int_equal(gsample_dist_set(q, ids, w, N), 0);
    dists[0] = q;
    assert_int_equal(gsample_seed(s, TOKENS(1, 2, 3, 30, 31)) | gsample_seed(twin, TOKENS(1, 2, 3, 30, 31)), 0);
    one.sampler = s;
    assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);

    p = dist_of(twin, rows[0], N);
    u = gsample_uniform(twin);
    if (u * (w[N - 1 - draft] / total) < gsample_dist_chance(p, draft)) {
      expected = draft;
      accepted++;
      assert_int_equal(one.n_tokens, 2);
    } else {
      /* max(0, p - q) in the order of p, by hand */
      double sum = 0, target, running = 0;
      size_t k, size = gsample_dist_size(p), left = 0;
      expected = -1;
      for (k = 0; k < size; k++) {
        const double d = gsample_dist_chance(p, gsample_dist_ids(p)[k]) - gsample_dist_chance(q, gsample_dist_ids(p)[k]);
        if (d > 0) sum += d, left++, expected = gsample_dist_ids(p)[k];
      }
      assert_true(left > 0);
      if (left > 1) {
        target = gsample_uniform(twin) * sum;
        for (k = 0; k < size; k++) {
          const double d = gsample_dist_chance(p, gsample_dist_ids(p)[k]) - gsample_dist_chance(q, gsample_dist_ids(p)[k]);
          if (d > 0) running += d, expected = gsample_dist_ids(p)[k];
          if (d > 0 && target < running) break;
        }
      }
      replaced++;
      assert_int_equal(one.n_tokens, 1);
    }
    assert_int_equal(tokens[0], expected);
    assert_int_equal(gsample_accept(twin, expected), 0);
    if (one.n_tokens == 2) assert_int_equal(gsample_pick(twin, rows[1], N), tokens[1]);
    {
      const saved bytes = save_of(twin);
      expect_unmoved(s, bytes);
      free(bytes.bytes);
    }
    gsample_dist_free(p), gsample_dist_free(q), gsample_dist_free(rest);
    gsample_free(s), gsample_free(twin);
  }
  assert_true(accepted > 40 && replaced > 40);
}

/* p with one survivor takes no number, and q that covers all of p leaves p itself. */
static void the_corners_of_the_rule(void** state) {
  const float row[] = {3, 2, 1};
  gsample_params params = plain_params();
  gsample_sampler *s, *twin;
  gsample_dist* q = NULL;
  const double point[] = {1};
  const gsample_dist* dists[1];
  int32_t draft = 2, tokens[2];
  gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 2, .logits = row, .drafts = &draft, .n_drafts = 1, .tokens = tokens,
                          .draft_dists = dists};
  (void)state;
  params.top_k = 1;
  s = make(&params), twin = make(&params);
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, &draft, point, 1), 0);
  dists[0] = q;
  one.sampler = s;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 1 && tokens[0] == 0);
  draft = 0;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 2 && tokens[0] == 0 && tokens[1] == 0);
  assert_true(gsample_uniform(s) == gsample_uniform(twin));
  /* A NULL among the distributions: that draft is certain. */
  dists[0] = NULL;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_int_equal(one.n_tokens, 2);
  gsample_free(s), gsample_free(twin);
  gsample_dist_free(q);
}

/* A draft that its distribution does not hold was not drawn from it; the rule says what becomes of it all the same: u * 0 < p. */
static void a_draft_outside_its_distribution(void** state) {
  const float row[] = {0, 0, 0, -INFINITY};
  const double w[] = {1, 3};
  gsample_dist* q = NULL;
  const gsample_dist* dists[1];
  uint64_t seed;
  int32_t draft;
  (void)state;
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, (const int32_t[]){0, 1}, w, 2), 0);
  dists[0] = q;
  for (draft = -1; draft < 5; draft++)
    for (seed = 0; seed < 100; seed++) {
      gsample_params params = plain_params();
      int32_t tokens[2];
      gsample_sequence one = {.size = sizeof one, .n_vocab = 4, .n_rows = 2, .logits = row, .drafts = &draft, .n_drafts = 1,
                              .tokens = tokens, .draft_dists = dists};
      params.seed = seed;
      one.sampler = make(&params);
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      assert_in_range(tokens[0], 0, 2);
      if (draft == 2) assert_true(one.n_tokens == 2 && tokens[0] == 2);
      if (draft < 0 || draft > 2) assert_int_equal(one.n_tokens, 1);
      gsample_free(one.sampler);
    }
  gsample_dist_free(q);
}

/* An empty distribution is none: wherever it stands, nothing has begun, and with another the sequence goes on as if it had not been. */
static void an_empty_distribution_is_refused(void** state) {
  const float row[] = {2, 1, 0};
  const double w[] = {1, 1, 1};
  const int32_t drafts[] = {0, 1};
  gsample_dist *empty = NULL, *q = NULL;
  int place, greedy;
  (void)state;
  assert_int_equal(gsample_dist_new(&empty), 0);
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, (const int32_t[]){0, 1, 2}, w, 3), 0);
  for (greedy = 0; greedy < 2; greedy++)
    for (place = 0; place < 2; place++) {
      gsample_params params = plain_params();
      gsample_sampler *s, *twin;
      const gsample_dist* dists[2] = {q, q};
      int32_t tokens[3] = {-7, -7, -7}, expected[3];
      gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 3, .logits = row, .drafts = drafts, .n_drafts = 2,
                              .tokens = tokens, .draft_dists = dists};
      saved before;
      uint32_t n;
      params.temperature = greedy ? 0 : 1;
      s = make(&params), twin = make(&params);
      before = save_of(s);
      one.sampler = s;
      dists[place] = empty;
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
      assert_int_equal(one.status, GSAMPLE_ERROR_INVALID_ARGUMENT);
      assert_int_equal(one.n_tokens, 0);
      assert_int_equal(tokens[0], -7);
      expect_unmoved(s, before);
      free(before.bytes);
      dists[place] = q;
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      n = one.n_tokens;
      one.sampler = twin, one.tokens = expected;
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      assert_int_equal(one.n_tokens, n);
      assert_memory_equal(tokens, expected, n * sizeof *tokens);
      gsample_free(s), gsample_free(twin);
    }
  gsample_dist_free(empty), gsample_dist_free(q);
}

static void stop_tokens_end_a_sequence(void** state) {
  const float row[] = {0, 9, 0};
  gsample_params params = plain_params();
  const int32_t drafts[] = {1, 1, 1};
  int32_t tokens[4] = {-1, -1, -1, -1};
  gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 4, .logits = row, .drafts = drafts, .n_drafts = 3, .tokens = tokens};
  saved before;
  gsample_sampler* twin;
  (void)state;
  params.temperature = 0;
  one.sampler = make(&params), twin = make(&params);
  assert_int_equal(gsample_stop(one.sampler, TOKENS(2, 1)) | gsample_stop(twin, TOKENS(2, 1)), 0);
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_int_equal(one.n_tokens, 1);
  assert_int_equal(tokens[1], -1);
  assert_int_equal(gsample_accept(twin, 1), 0);
  before = save_of(twin);
  expect_unmoved(one.sampler, before); /* accepted once */
  free(before.bytes);
  gsample_free(one.sampler), gsample_free(twin);
}

static void rows_and_masks_are_found_by_their_strides(void** state) {
  float backwards[3][8] = {{0}};
  uint16_t halves[3][10] = {{0}};
  const uint32_t masks[3][2] = {{0xfe, 0}, {0xfd, 0}, {0xfb, 0}}, shared[1] = {0xf0};
  const int32_t drafts[] = {1, 0};
  int32_t tokens[3];
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_sequence one = {.size = sizeof one, .n_vocab = 8, .n_rows = 3, .drafts = drafts, .n_drafts = 2, .tokens = tokens};
  (void)state;
  params.temperature = 0;
  s = make(&params);
  one.sampler = s;
  /* masks that ban the best: 1, then 0, then 0 */
  one.logits = backwards, one.row_stride = sizeof backwards[0], one.masks = masks[0], one.mask_stride = sizeof masks[0];
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 3 && tokens[0] == 1 && tokens[1] == 0 && tokens[2] == 0);
  /* one mask for all */
  one.masks = shared, one.mask_stride = 0;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 1 && tokens[0] == 4);
  /* rows from the last to the first */
  one.masks = NULL, one.logits = backwards[2], one.row_stride = -(int64_t)sizeof backwards[0];
  backwards[2][1] = 1, backwards[1][0] = 1, backwards[0][7] = 1;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 3 && tokens[0] == 1 && tokens[1] == 0 && tokens[2] == 7);
  /* f16, with a stride of its own */
  halves[0][1] = halves[1][0] = halves[2][5] = 0x3c00;
  one.logits = halves, one.row_stride = sizeof halves[0], one.dtype = GSAMPLE_F16;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 3 && tokens[0] == 1 && tokens[1] == 0 && tokens[2] == 5);
  /* a stride that no float can have */
  one.row_stride = 3;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
  assert_int_equal(one.status, GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_free(s);
}

enum { SEQUENCES = 40 };

/* A batch of sequences, some of them broken, in any executor. */
typedef struct batch {
  float rows[SEQUENCES][3][N];
  int32_t drafts[SEQUENCES][2], tokens[SEQUENCES][3];
  gsample_sequence s[SEQUENCES];
} batch;

static batch* batch_new(void) {
  batch* b = (batch*)calloc(1, sizeof *b);
  int i, k;
  for (i = 0; i < SEQUENCES; i++) {
    const gsample_params params = shaped((uint64_t)i);
    const gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 3, .sampler = make(&params), .logits = b->rows[i],
                                  .row_stride = sizeof b->rows[i][0], .drafts = b->drafts[i], .n_drafts = 2, .tokens = b->tokens[i]};
    b->s[i] = one;
    for (k = 0; k < 3; k++) fill(b->rows[i][k], i * 3 + k), b->tokens[i][k] = -8;
    for (k = 0; k < 2; k++) b->drafts[i][k] = gsample_best(&(gsample_row){.size = sizeof(gsample_row), .n_vocab = N, .logits = b->rows[i][k]});
  }
  b->rows[3][0][17] = NAN;
  b->rows[9][1][2] = NAN; /* its first token comes, unless the draft fails already */
  b->s[5].n_rows = 0;
  b->s[7].n_rows = 2; /* not n_drafts + 1 */
  b->s[11].tokens = NULL;
  return b;
}

static void batch_free(batch* b) {
  int i;
  for (i = 0; i < SEQUENCES; i++) gsample_free(b->s[i].sampler);
  free(b);
}

static void expect_equal_batches(batch* a, batch* b, const char* how) {
  int i;
  for (i = 0; i < SEQUENCES; i++) {
    saved x;
    if (a->s[i].n_tokens != b->s[i].n_tokens || a->s[i].status != b->s[i].status || memcmp(a->tokens[i], b->tokens[i], sizeof a->tokens[i]))
      fail_msg("%s: sequence %d differs", how, i);
    x = save_of(a->s[i].sampler);
    expect_unmoved(b->s[i].sampler, x);
    free(x.bytes);
  }
}

typedef struct manner {
  const char* name;
  int forward, repeat, skip, bad_worker, workers, result;
} manner;

typedef void body_fn(void* arg, uint32_t worker, size_t i);

static int32_t run_in_a_manner(void* user, size_t n, body_fn* body, void* arg) {
  const manner* m = (const manner*)user;
  size_t k;
  for (k = 0; k < n; k++) {
    const size_t i = m->forward ? k : (k * 17 + 5) % n; /* n is 40: each index once */
    if (m->skip >= 0 && (int)i == m->skip) continue;
    body(arg, m->bad_worker && i == 4 ? (uint32_t)m->workers : (uint32_t)(k % (size_t)m->workers), i);
    if (m->repeat) body(arg, 0, i), body(arg, 0, n - 1 - i % 2);
    if (m->repeat) body(arg, 0, n + 3);
  }
  return m->result;
}

static void no_executor_enters(void** state) {
  const manner manners[] = {{"in order", 1, 0, -1, 0, 1, 0},   {"out of order", 0, 0, -1, 0, 1, 0}, {"two slots", 0, 0, -1, 0, 2, 0},
                            {"16 slots", 0, 0, -1, 0, 16, 0},  {"repeated", 0, 1, -1, 0, 3, 0}};
  batch* expected = batch_new();
  size_t m;
  int own;
  (void)state;
  assert_in_range(gsample_decide(expected->s, SEQUENCES, NULL, NULL), 3, 4);
  assert_int_equal(expected->s[3].status, GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(expected->s[5].status, 0);
  assert_int_equal(expected->s[5].n_tokens, 0);
  assert_int_equal(expected->s[7].status, GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(expected->s[11].status, GSAMPLE_ERROR_INVALID_ARGUMENT);
  for (m = 0; m < COUNT(manners); m++)
    for (own = 0; own < 2; own++) {
      batch* b = batch_new();
      gsample_workspace* workspace = NULL;
      const gsample_executor executor = {.size = sizeof executor, .n_workers = (uint32_t)manners[m].workers, .user = (void*)&manners[m],
                                         .parallel_for = run_in_a_manner};
      assert_int_equal(gsample_workspace_new(16, &workspace), 0);
      assert_in_range(gsample_decide(b->s, SEQUENCES, &executor, own ? NULL : workspace), 3, 4);
      expect_equal_batches(expected, b, manners[m].name);
      batch_free(b);
      gsample_workspace_free(workspace);
    }
  batch_free(expected);
}

/* What did not run has failed with CALLBACK, untouched; the others are as ever. */
static void an_executor_that_leaves_some_out(void** state) {
  const manner manners[] = {{"skipping", 1, 0, 6, 0, 2, 0}, {"a worker too many", 1, 0, -1, 1, 2, 0}, {"failing", 1, 0, 6, 0, 2, -3}};
  size_t m;
  (void)state;
  for (m = 0; m < COUNT(manners); m++) {
    batch *expected = batch_new(), *b = batch_new();
    const int left_out = manners[m].bad_worker ? 4 : 6;
    const gsample_executor executor = {.size = sizeof executor, .n_workers = 2, .user = (void*)&manners[m], .parallel_for = run_in_a_manner};
    const saved before = save_of(b->s[left_out].sampler);
    int32_t failed;
    gsample_decide(expected->s, SEQUENCES, NULL, NULL);
    failed = gsample_decide(b->s, SEQUENCES, &executor, NULL);
    if (manners[m].result == 0) assert_in_range(failed, 4, 5);
    assert_int_equal(b->s[left_out].status, GSAMPLE_ERROR_CALLBACK);
    assert_int_equal(b->s[left_out].n_tokens, 0);
    assert_int_equal(b->tokens[left_out][0], -8);
    expect_unmoved(b->s[left_out].sampler, before);
    free(before.bytes);
    assert_int_equal(gsample_decide(&b->s[left_out], 1, NULL, NULL), 0); /* and can be done again */
    expect_equal_batches(expected, b, manners[m].name);
    batch_free(b), batch_free(expected);
  }
}

static void a_wrong_call_does_nothing(void** state) {
  batch* b = batch_new();
  gsample_workspace* two = NULL;
  const manner in_order = {"in order", 1, 0, -1, 0, 3, 0};
  gsample_executor executor = {.size = sizeof executor, .n_workers = 3, .user = (void*)&in_order, .parallel_for = run_in_a_manner};
  gsample_sampler* kept = b->s[1].sampler;
  saved before[SEQUENCES];
  int i;
  (void)state;
  for (i = 0; i < SEQUENCES; i++) before[i] = save_of(b->s[i].sampler), b->s[i].status = 123, b->s[i].n_tokens = 77;
  assert_int_equal(gsample_workspace_new(2, &two), 0);
  assert_int_equal(gsample_decide(b->s, SEQUENCES, &executor, two), GSAMPLE_ERROR_INVALID_ARGUMENT);
  b->s[1].sampler = b->s[0].sampler; /* twice */
  assert_int_equal(gsample_decide(b->s, SEQUENCES, NULL, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  b->s[1].sampler = kept;
  b->s[2].size -= 8; /* unequal sizes */
  assert_int_equal(gsample_decide(b->s, SEQUENCES, NULL, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  b->s[2].size += 8;
  executor.parallel_for = NULL;
  assert_int_equal(gsample_decide(b->s, SEQUENCES, &executor, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  executor.parallel_for = run_in_a_manner, executor.n_workers = 0;
  assert_int_equal(gsample_decide(b->s, SEQUENCES, &executor, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  executor.size = 4;
  assert_int_equal(gsample_decide(b->s, SEQUENCES, &executor, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_decide(NULL, 1, NULL, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  for (i = 0; i < SEQUENCES; i++) {
    expect_unmoved(b->s[i].sampler, before[i]);
    assert_int_equal(b->s[i].status, 123);
    assert_int_equal(b->s[i].n_tokens, 77);
    free(before[i].bytes);
  }
  gsample_workspace_free(two);
  batch_free(b);
}

/* What is wrong with one sequence is its own failure. */
static void a_wrong_sequence_is_its_own_failure(void** state) {
  const float row[] = {0, 1, 2, 3};
  const int32_t drafts[] = {3};
  int32_t tokens[2];
  int what;
  (void)state;
  for (what = 0; what < 9; what++) {
    gsample_params params = plain_params();
    gsample_sampler *bad = make(&params), *good = make(&params);
    gsample_sequence s[2] = {{.size = sizeof *s, .n_vocab = 4, .n_rows = 2, .sampler = bad, .logits = row, .drafts = drafts, .n_drafts = 1,
                              .tokens = tokens},
                             {.size = sizeof *s, .n_vocab = 4, .n_rows = 1, .sampler = good, .logits = row, .tokens = &tokens[1]}};
    gsample_choice choices[2] = {{.size = sizeof *choices}, {.size = sizeof *choices}};
    const saved before = save_of(bad);
    switch (what) {
      case 0: s[0].dtype = 3; break;
      case 1: s[0].n_vocab = 0; break;
      case 2: s[0].n_rows = 3; break;
      case 3: s[0].sampler = NULL; break;
      case 4: s[0].logits = NULL; break;
      case 5: s[0].drafts = NULL; break;
      case 6: s[0].tokens = NULL; break;
      case 7: s[0].reserved = 1; break;
      default: s[0].choices = choices, choices[0].logprob_mode = 9;
    }
    assert_int_equal(gsample_decide(s, 2, NULL, NULL), 1);
    assert_int_equal(s[0].status, GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(s[0].n_tokens, 0);
    assert_int_equal(s[1].status, 0);
    assert_int_equal(s[1].n_tokens, 1);
    expect_unmoved(bad, before);
    free(before.bytes);
    gsample_free(bad), gsample_free(good);
  }
}

/* Choices are stepped by the first one's size, and all must be equal. */
static void choices_of_unequal_sizes_are_refused(void** state) {
  const float rows[2][3] = {{0, 9, 0}, {0, 9, 0}};
  const int32_t draft = 1;
  int32_t tokens[2];
  gsample_params params = plain_params();
  gsample_choice choices[2] = {{.size = sizeof *choices, .logprob_mode = 1}, {.size = sizeof *choices - 8, .logprob_mode = 1}};
  gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 2, .logits = rows, .row_stride = sizeof rows[0], .drafts = &draft,
                          .n_drafts = 1, .tokens = tokens, .choices = choices};
  (void)state;
  params.temperature = 0;
  one.sampler = make(&params);
  gsample_decide(&one, 1, NULL, NULL);
  assert_int_equal(one.status, GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(one.n_tokens, 0);
  gsample_free(one.sampler);
}

/* A failure on the way: what came before it was accepted, and no more. */
static void a_failure_in_the_middle_keeps_what_came(void** state) {
  float rows[3][N];
  gsample_params params = plain_params();
  gsample_sampler* twin;
  int32_t drafts[2], tokens[3] = {-1, -1, -1};
  gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 3, .logits = rows, .row_stride = sizeof rows[0], .drafts = drafts,
                          .n_drafts = 2, .tokens = tokens};
  saved bytes;
  int i;
  (void)state;
  for (i = 0; i < 3; i++) fill(rows[i], i);
  params.temperature = 0, params.penalty_freq = .1f;
  one.sampler = make(&params), twin = make(&params);
  drafts[0] = gsample_pick(twin, rows[0], N);
  rows[1][3] = NAN;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
  assert_int_equal(one.status, GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(one.n_tokens, 1);
  assert_int_equal(tokens[0], drafts[0]);
  assert_int_equal(tokens[1], -1);
  bytes = save_of(twin);
  expect_unmoved(one.sampler, bytes);
  free(bytes.bytes);
  gsample_free(one.sampler), gsample_free(twin);
}

/* A draft that the constraint refuses does not stand, with and without q. */
static void refused_drafts_do_not_stand(void** state) {
  const float row[] = {2, 2, 2, 2};
  int mode, with_q;
  (void)state;
  for (mode = 0; mode < 3; mode++)
    for (with_q = 0; with_q < 2; with_q++) {
      gsample_params params = plain_params();
      const double w[] = {1, 1, 1, 1};
      gsample_dist* q = NULL;
      asked log;
      uint64_t seed;
      assert_int_equal(gsample_dist_new(&q), 0);
      assert_int_equal(gsample_dist_set(q, (const int32_t[]){0, 1, 2, 3}, w, 4), 0);
      params.constraint_mode = mode;
      asked_nothing(&log);
      for (seed = 0; seed < 200; seed++) {
        const gsample_dist* dists[1] = {q};
        const int32_t draft = (int32_t)(seed % 4);
        int32_t tokens[2];
        gsample_sequence one = {.size = sizeof one, .n_vocab = 4, .n_rows = 2, .logits = row, .drafts = &draft, .n_drafts = 1,
                                .tokens = tokens, .draft_dists = with_q ? dists : NULL};
        const gsample_constraint c = constraint_of(rule_new(&log, 2, 1));
        params.seed = seed;
        one.sampler = make(&params);
        assert_int_equal(gsample_constrain(one.sampler, &c), 0);
        assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
        assert_int_equal(tokens[0] % 2, 1);
        if (draft % 2 == 0) assert_int_equal(one.n_tokens, 1);
        if (with_q && draft % 2 == 1) assert_int_equal(one.n_tokens, 2); /* p is twice q there */
        gsample_free(one.sampler);
      }
      assert_int_equal(log.destroyed, 200);
      gsample_dist_free(q);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certain_drafts_never_change_tokens),
      cmocka_unit_test(verification_is_what_the_rule_says),
      cmocka_unit_test(the_corners_of_the_rule),
      cmocka_unit_test(a_draft_outside_its_distribution),
      cmocka_unit_test(an_empty_distribution_is_refused),
      cmocka_unit_test(stop_tokens_end_a_sequence),
      cmocka_unit_test(rows_and_masks_are_found_by_their_strides),
      cmocka_unit_test(no_executor_enters),
      cmocka_unit_test(an_executor_that_leaves_some_out),
      cmocka_unit_test(a_wrong_call_does_nothing),
      cmocka_unit_test(a_wrong_sequence_is_its_own_failure),
      cmocka_unit_test(choices_of_unequal_sizes_are_refused),
      cmocka_unit_test(a_failure_in_the_middle_keeps_what_came),
      cmocka_unit_test(refused_drafts_do_not_stand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* The step of many sequences: neither the others of the call nor the executor enter, and what is wrong with the call or with one
   sequence touches nothing else. */
#include "decide_support.h"

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

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_executor_enters),
      cmocka_unit_test(an_executor_that_leaves_some_out),
      cmocka_unit_test(a_wrong_call_does_nothing),
      cmocka_unit_test(a_wrong_sequence_is_its_own_failure),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reports about top-k and its edges. Each test is named by its number in the collection of public reports that these files follow: what
   users of other samplers met, as small rows with the right result. */
#include "sampler_support.h"

static const float row1[] = {2, 1, .5f, 0, -1};

static void report_001_zero_is_off(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  EXPECT_P(s, row1, 5e-4, .563, .207, .126, .076, .028);
  gsample_free(s);
  (void)state;
}

static void report_002_zero_and_below_never_become_min_keep(void** state) {
  const int32_t ks[] = {0, -1, -1000};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(ks); i++) {
    gsample_params params = plain_params();
    int seen[5] = {0}, seed;
    params.top_k = ks[i], params.min_keep = 1, params.min_p = .02f;
    for (seed = 0; seed < 1000; seed++) {
      gsample_sampler* s;
      params.seed = (uint64_t)seed;
      s = make(&params);
      seen[gsample_pick(s, row1, 5)]++;
      gsample_free(s);
    }
    assert_true(seen[0] && seen[1] && seen[2] && seen[3] && seen[4]);
  }
}

static void report_003_zero_is_not_the_empty_set(void** state) {
  const float row[] = {-9, 3, 2};
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  int seen[3] = {0}, i;
  EXPECT_P(s, row, 5e-4, 4e-6, .731, .269);
  for (i = 0; i < 1000; i++) seen[gsample_pick(s, row, 3)]++;
  assert_true(seen[1] > 600 && seen[2] > 150 && seen[0] < 5);
  gsample_free(s);
  (void)state;
}

static void report_004_a_zeroed_struct_is_refused_or_off_but_never_greedy(void** state) {
  gsample_params zeroed = {.size = sizeof zeroed, .temperature = 1};
  assert_int_equal(refusal(&zeroed), GSAMPLE_ERROR_INVALID_ARGUMENT); /* top_p 0 would keep one token */
  report_001_zero_is_off(state);
}

static void report_007_more_than_the_vocabulary_keeps_all(void** state) {
  const float row[] = {0, 2, 1};
  const int32_t ks[] = {4, 50, 1 << 30, INT32_MAX};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(ks); i++) {
    gsample_params params = plain_params();
    gsample_sampler* s;
    params.top_k = ks[i];
    s = make(&params);
    expect_kept(s, row, 3, TOKENS(1, 2, 0));
    gsample_free(s);
  }
}

static void report_008_equal_to_the_vocabulary_has_the_bits_of_off(void** state) {
  const float row[] = {.1f, -2, 3.5f, .1f};
  gsample_params off = plain_params(), all = plain_params();
  gsample_sampler *a, *b;
  gsample_dist *p, *q;
  int i;
  (void)state;
  all.top_k = 4;
  a = make(&off), b = make(&all);
  p = dist_of(a, row, 4), q = dist_of(b, row, 4);
  assert_int_equal(gsample_dist_size(p), 4);
  assert_int_equal(gsample_dist_size(q), 4);
  assert_memory_equal(gsample_dist_ids(p), gsample_dist_ids(q), 4 * sizeof(int32_t));
  assert_memory_equal(gsample_dist_weights(p), gsample_dist_weights(q), 4 * sizeof(double));
  for (i = 0; i < 100; i++) assert_int_equal(gsample_pick(a, row, 4), gsample_pick(b, row, 4));
  gsample_dist_free(p), gsample_dist_free(q);
  gsample_free(a), gsample_free(b);
}

static void report_009_a_huge_k_draws_no_huge_token(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  int i;
  LOGS(row, 0, 1, 0, 0);
  (void)state;
  params.top_k = 1 << 30;
  s = make(&params);
  for (i = 0; i < 100000; i++) assert_int_equal(gsample_pick(s, row, 4), 1);
  gsample_free(s);
}

static void report_010_one_keeps_one(void** state) {
  const float row[] = {-2, -1, 0, .8f, 0, .1f, .3f, .4f, .5f, .6f, .7f, -3};
  gsample_params params = plain_params();
  gsample_sampler* s;
  (void)state;
  params.top_k = 1;
  s = make(&params);
  expect_kept(s, row, COUNT(row), TOKENS(3));
  gsample_free(s);
}

/* Without a seed other systems promise nothing; here there is always one, so ten requests alike are alike. */
static void report_013_ten_alike_in_one_batch_are_alike(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s[10];
  gsample_sequence sequences[10];
  float row[50];
  int32_t tokens[10];
  int i, step;
  (void)state;
  params.temperature = .1f, params.min_p = .8f, params.top_k = 12, params.seed = 5;
  for (i = 0; i < 10; i++) s[i] = make(&params);
  for (step = 0; step < 20; step++) {
    for (i = 0; i < 50; i++) row[i] = (float)((i * 37 + step * 11) % 50) * .001f;
    for (i = 0; i < 10; i++) {
      const gsample_sequence one = {.size = sizeof one, .n_vocab = 50, .n_rows = 1, .sampler = s[i], .logits = row, .tokens = &tokens[i]};
      sequences[i] = one;
    }
    assert_int_equal(gsample_decide(sequences, 10, NULL, NULL), 0);
    for (i = 1; i < 10; i++) assert_int_equal(tokens[i], tokens[0]);
  }
  for (i = 0; i < 10; i++) gsample_free(s[i]);
}

/* The cost is the benchmark's affair; the bits are here. */
static void report_014_top_p_of_one_is_no_op(void** state) {
  static float row[32000];
  gsample_params with = plain_params(), without = plain_params();
  gsample_sampler *a, *b;
  int i;
  (void)state;
  for (i = 0; i < 32000; i++) row[i] = (float)((i * 7919) % 32000) * .0005f;
  set_order(&without, TOKENS(GSAMPLE_STAGE_TEMPERATURE));
  a = make(&with), b = make(&without);
  for (i = 0; i < 50; i++) assert_int_equal(gsample_pick(a, row, 32000), gsample_pick(b, row, 32000));
  gsample_free(a), gsample_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_001_zero_is_off),
      cmocka_unit_test(report_002_zero_and_below_never_become_min_keep),
      cmocka_unit_test(report_003_zero_is_not_the_empty_set),
      cmocka_unit_test(report_004_a_zeroed_struct_is_refused_or_off_but_never_greedy),
      cmocka_unit_test(report_007_more_than_the_vocabulary_keeps_all),
      cmocka_unit_test(report_008_equal_to_the_vocabulary_has_the_bits_of_off),
      cmocka_unit_test(report_009_a_huge_k_draws_no_huge_token),
      cmocka_unit_test(report_010_one_keeps_one),
      cmocka_unit_test(report_013_ten_alike_in_one_batch_are_alike),
      cmocka_unit_test(report_014_top_p_of_one_is_no_op),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

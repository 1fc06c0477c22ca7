/* Reports about bias, masks, validation (145 to 150), threads, memory and the ABI (151 to 163); see reports_top_k.c. Left out: 151's and
   152's races, which are in threads_test.c for the thread sanitizer; 153's over-reads, in tests/simd; 156's ABI and 157's bridges, in
   tests/hygiene and constraint_test.c. */
#include "sampler_support.h"

static void report_145_the_width_of_the_row_is_the_bound(void** state) {
  const float narrow[] = {0, 1, 2}, wide[] = {0, 1, 2, 50, 60};
  const float biases[] = {100, 100, -INFINITY};
  const uint32_t valid = 7; /* the tokenizer has 3 tokens, the row 5 columns */
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_row row = row_of(wide, 5);
  (void)state;
  params.temperature = 0;
  s = make(&params);
  assert_int_equal(gsample_bias(s, (const int32_t[]){0, 4, 1000000}, biases, 3), 0);
  assert_int_equal(gsample_stop(s, TOKENS(7, 2000000000)), 0);
  assert_int_equal(gsample_pick(s, narrow, 3), 0);
  row.mask = &valid;
  assert_int_equal(gsample_pick_row(s, &row, NULL), 0);
  assert_int_equal(gsample_pick(s, wide, 5), 4);
  gsample_free(s);
}

static void report_147_everything_is_checked_when_it_is_set(void** state) {
  const float good = 1, bad[] = {NAN, INFINITY};
  const float two[] = {1, 2};
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  saved before = save_of(s);
  (void)state;
  assert_int_equal(gsample_bias(s, (const int32_t[]){-1}, &good, 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_bias(s, (const int32_t[]){1}, &bad[0], 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_bias(s, (const int32_t[]){1}, &bad[1], 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_bias(s, (const int32_t[]){4, 4}, two, 2), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_stop(s, TOKENS(3, -2)), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_dry_breaker(s, TOKENS(-2)), GSAMPLE_ERROR_INVALID_ARGUMENT);
  expect_unmoved(s, before);
  free(before.bytes);
  gsample_free(s);
}

static void report_149_top_p_is_off_at_one_and_keeps_one_at_zero(void** state) {
  const float row[] = {0, 1, 2};
  gsample_params params = plain_params();
  gsample_sampler *off, *one;
  (void)state;
  params.top_p = 1;
  off = make(&params);
  params.top_p = 0;
  one = make(&params);
  expect_kept(off, row, 3, TOKENS(2, 1, 0));
  expect_kept(one, row, 3, TOKENS(2));
  gsample_free(off), gsample_free(one);
}

static void report_150_nothing_is_dropped_on_the_way(void** state) {
  const char* const settings[][2] = {{"top_k", "7"}, {"typical_p", "0.5"}, {"top_p", "0.25"}};
  gsample_params params = preset_params("llama.cpp");
  char text[4096];
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(settings); i++) assert_int_equal(gsample_params_set(&params, settings[i][0], settings[i][1], NULL), 0);
  assert_int_equal(params.top_k, 7);
  assert_true(params.typical_p == .5f && params.top_p == .25f);
  assert_true(gsample_params_describe(&params, text, sizeof text) > 0);
  assert_non_null(strstr(text, "top_k=7"));
  assert_non_null(strstr(text, "typical_p=0.5"));
  assert_int_equal(gsample_params_set(&params, "do_sample", "false", NULL), 0);
  assert_true(params.temperature <= 0);
}

/* 989 rows of 32000 in one step. */
static void report_151_no_token_beyond_the_vocabulary(void** state) {
  enum { ROWS = 989, N = 32000 };
  float* row = (float*)malloc(N * sizeof *row);
  gsample_sequence* s = (gsample_sequence*)calloc(ROWS, sizeof *s);
  int32_t tokens[ROWS];
  gsample_params params = plain_params();
  int i;
  (void)state;
  for (i = 0; i < N; i++) row[i] = (float)(i * 7919 % N) * .001f;
  params.top_p = .99f;
  for (i = 0; i < ROWS; i++) {
    const gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 1, .logits = row, .tokens = &tokens[i]};
    params.seed = (uint64_t)i;
    params.top_k = i % 3 ? 0 : 50;
    s[i] = one;
    s[i].sampler = make(&params);
  }
  {
    gsample_workspace* workspace = NULL;
    assert_int_equal(gsample_workspace_new(1, &workspace), 0);
    assert_int_equal(gsample_decide(s, ROWS, NULL, workspace), 0);
    gsample_workspace_free(workspace);
  }
  for (i = 0; i < ROWS; i++) {
    assert_in_range(tokens[i], 0, N - 1);
    gsample_free(s[i].sampler);
  }
  free(s), free(row);
}

static void report_153_odd_vocabularies(void** state) {
  static const uint32_t widths[] = {1, 2, 7, 8, 9, 15, 16, 17, 40000, 40001};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(widths); i++) {
    float* row = (float*)malloc(widths[i] * sizeof *row); /* not a column more */
    gsample_params params = plain_params();
    gsample_sampler* s;
    uint32_t j;
    for (j = 0; j < widths[i]; j++) row[j] = (float)(j % 11);
    row[widths[i] - 1] = 100;
    s = make(&params);
    assert_int_equal(gsample_pick(s, row, widths[i]), widths[i] - 1);
    gsample_free(s);
    free(row);
  }
}

static void report_154_penalties_cost_what_the_history_holds(void** state) {
  enum { N = 262144, SAMPLERS = 64 };
  float* row = (float*)calloc(N, sizeof *row);
  gsample_params params = preset_params("golem");
  gsample_workspace* workspace = NULL;
  gsample_sequence s[SAMPLERS];
  int32_t tokens[SAMPLERS];
  int i;
  (void)state;
  params.penalty_repeat = 1.1f;
  assert_int_equal(gsample_workspace_new(1, &workspace), 0);
  for (i = 0; i < SAMPLERS; i++) {
    const gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 1, .logits = row, .tokens = &tokens[i], .sampler = make(&params)};
    s[i] = one;
    assert_int_equal(gsample_seed(one.sampler, TOKENS(5, 100000, 262143)), 0);
  }
  assert_int_equal(gsample_decide(s, SAMPLERS, NULL, workspace), 0);
  for (i = 0; i < SAMPLERS; i++) {
    assert_true(gsample_memory(s[i].sampler) < 64 * 1024);
    gsample_free(s[i].sampler);
  }
  gsample_workspace_free(workspace);
  free(row);
}

/* The draw is not a stage: no chain is without one. */
static void report_155_every_chain_draws(void** state) {
  const float row[] = {0, 5, 2};
  gsample_params params = plain_params();
  gsample_sampler* s;
  int i;
  (void)state;
  set_order(&params, NULL, 0);
  s = make(&params);
  for (i = 0; i < 100; i++) assert_in_range(gsample_pick(s, row, 3), 0, 2);
  expect_kept(s, row, 3, TOKENS(1, 2, 0));
  gsample_free(s);
}

static void report_158_the_order_of_a_distribution_is_promised(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_dist* dist;
  float row[3000];
  size_t i;
  (void)state;
  for (i = 0; i < 3000; i++) row[i] = (float)(i * 613 % 1000) * .01f;
  s = make(&params);
  dist = dist_of(s, row, 3000);
  assert_int_equal(gsample_dist_size(dist), 3000);
  for (i = 1; i < 3000; i++) {
    const int32_t a = gsample_dist_ids(dist)[i - 1], b = gsample_dist_ids(dist)[i];
    assert_true(row[a] > row[b] || (row[a] == row[b] && a < b));
    assert_true(gsample_dist_weights(dist)[i - 1] >= gsample_dist_weights(dist)[i]);
  }
  gsample_dist_free(dist);
  gsample_free(s);
}

/* As many draws as a test may take; the property test of tests/unit has more kinds of rows. */
static void report_163_a_long_run_stays_in_the_support(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  float row[70];
  int i, round;
  (void)state;
  params.top_p = .9f, params.seed = 8;
  s = make(&params);
  for (round = 0; round < 100; round++) {
    gsample_dist* dist;
    for (i = 0; i < 70; i++)
      row[i] = round % 4 == 0 ? (i % 2 ? 0 : -0.0f) : round % 4 == 1 ? (float)(i * round % 70) : round % 4 == 2 ? -(float)i * 5 : (float)(i % 3) * 1e-30f;
    for (i = 0; i < 70; i += 2 + round % 7) row[i] = -INFINITY;
    dist = dist_of(s, row, 70);
    for (i = 0; i < 10000; i++) assert_true(gsample_dist_chance(dist, gsample_pick(s, row, 70)) > 0);
    gsample_dist_free(dist);
  }
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_145_the_width_of_the_row_is_the_bound),
      cmocka_unit_test(report_147_everything_is_checked_when_it_is_set),
      cmocka_unit_test(report_149_top_p_is_off_at_one_and_keeps_one_at_zero),
      cmocka_unit_test(report_150_nothing_is_dropped_on_the_way),
      cmocka_unit_test(report_151_no_token_beyond_the_vocabulary),
      cmocka_unit_test(report_153_odd_vocabularies),
      cmocka_unit_test(report_154_penalties_cost_what_the_history_holds),
      cmocka_unit_test(report_155_every_chain_draws),
      cmocka_unit_test(report_158_the_order_of_a_distribution_is_promised),
      cmocka_unit_test(report_163_a_long_run_stays_in_the_support),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

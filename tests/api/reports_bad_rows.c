/* Reports about NaN, infinities and empty sets; see reports_top_k.c. Left out: nothing; 41 and 46 are in 40, 55 is in 45. */
#include "sampler_support.h"

static gsample_sampler* greedy(int32_t nan_policy) {
  gsample_params params = plain_params();
  params.temperature = 0, params.nan_policy = nan_policy;
  return make(&params);
}

/* What counts as right there is to pass over +inf as well; here +inf tokens are the candidates, which no default id can hide. */
static void report_040_a_nan_is_said_or_passed_over(void** state) {
  const float first[] = {NAN, 1, 2}, last[] = {1, 2, NAN}, infinite[] = {1, INFINITY, 2};
  gsample_sampler *strict = greedy(GSAMPLE_NAN_ERROR), *lax = greedy(GSAMPLE_NAN_BANNED);
  (void)state;
  assert_int_equal(gsample_pick(strict, first, 3), GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(gsample_pick(strict, last, 3), GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(gsample_pick(strict, infinite, 3), 1);
  assert_int_equal(gsample_pick(lax, first, 3), 2);
  assert_int_equal(gsample_pick(lax, last, 3), 1);
  assert_int_equal(gsample_pick(lax, infinite, 3), 1);
  gsample_free(strict), gsample_free(lax);
}

static void report_042_a_bad_row_touches_no_other(void** state) {
  const float rows[2][2] = {{NAN, NAN}, {0, 5}};
  gsample_sampler *a = greedy(GSAMPLE_NAN_ERROR), *b = greedy(GSAMPLE_NAN_ERROR), *lax = greedy(GSAMPLE_NAN_BANNED);
  int32_t tokens[2] = {-7, -7};
  gsample_sequence s[2] = {{.size = sizeof *s, .n_vocab = 2, .n_rows = 1, .sampler = a, .logits = rows[0], .tokens = &tokens[0]},
                           {.size = sizeof *s, .n_vocab = 2, .n_rows = 1, .sampler = b, .logits = rows[1], .tokens = &tokens[1]}};
  (void)state;
  assert_int_equal(gsample_decide(s, 2, NULL, NULL), 1);
  assert_int_equal(s[0].status, GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(s[0].n_tokens, 0);
  assert_int_equal(tokens[0], -7);
  assert_int_equal(s[1].status, 0);
  assert_int_equal(tokens[1], 1);
  assert_int_equal(gsample_pick(lax, rows[0], 2), GSAMPLE_ERROR_NO_CANDIDATE);
  gsample_free(a), gsample_free(b), gsample_free(lax);
}

static void report_044_a_sampler_goes_on_after_a_bad_row(void** state) {
  gsample_params params = plain_params();
  gsample_sampler *s = make(&params), *t = make(&params);
  const float good[] = {0, 1, 2, 1}, bad[] = {0, NAN, 2, 1};
  int i;
  (void)state;
  for (i = 0; i < 300; i++) {
    assert_int_equal(gsample_pick(s, bad, 4), GSAMPLE_ERROR_NOT_A_NUMBER);
    assert_int_equal(gsample_pick(s, good, 4), gsample_pick(t, good, 4));
  }
  gsample_free(s), gsample_free(t);
}

static void report_045_the_row_can_be_diagnosed(void** state) {
  const float logits[] = {1, -INFINITY, NAN, -3, INFINITY, NAN, -INFINITY, -INFINITY};
  const gsample_row row = row_of(logits, 8);
  gsample_row_report report = {.size = sizeof report};
  (void)state;
  assert_int_equal(gsample_row_check(&row, &report), 0);
  assert_int_equal(report.n_nan, 2);
  assert_int_equal(report.n_pos_inf, 1);
  assert_int_equal(report.n_neg_inf, 3);
  assert_int_equal(report.first_bad, 2);
  assert_true(report.min == -3 && report.max == 1);
}

static void report_047_underflow_leaves_the_best(void** state) {
  const float row[] = {0, -90, -90};
  gsample_params params = plain_params();
  gsample_sampler* s;
  (void)state;
  params.temperature = .1f, params.top_k = 64, params.top_p = .95f, params.min_p = .05f;
  s = make(&params);
  assert_int_equal(gsample_pick(s, row, 3), 0);
  gsample_free(s);
}

static void report_048_enormous_penalties_leave_the_best(void** state) {
  const float row[] = {0, -1, -INFINITY, -INFINITY, -INFINITY, -INFINITY};
  const int32_t history[] = {5, 0, 5, 1, 5}; /* 5 has been followed by 0 and by 1 */
  gsample_params params = plain_params();
  gsample_sampler* s;
  (void)state;
  params.dry_multiplier = 1e38f, params.dry_base = 1, params.dry_allowed_length = 1, params.min_p = .005f;
  s = make(&params);
  assert_int_equal(gsample_seed(s, history, COUNT(history)), 0);
  expect_kept(s, row, 6, TOKENS(0, 1)); /* both are -1e38 now */
  assert_in_range(gsample_pick(s, row, 6), 0, 1);
  gsample_free(s);
  params.dry_multiplier = 3.4028235e38f, params.dry_base = 1000;
  s = make(&params);
  assert_int_equal(gsample_seed(s, history, COUNT(history)), 0);
  assert_in_range(gsample_pick(s, row, 6), 0, 1);
  gsample_free(s);
}

static void report_049_allowed_and_banned_is_no_candidate(void** state) {
  const float logits[] = {4, 1, 2, 3};
  const uint32_t mask = 1u << 2;
  const float ban = -INFINITY;
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  gsample_row row = row_of(logits, 4);
  (void)state;
  row.mask = &mask;
  assert_int_equal(gsample_pick_row(s, &row, NULL), 2);
  assert_int_equal(gsample_bias(s, (const int32_t[]){2}, &ban, 1), 0);
  assert_int_equal(gsample_pick_row(s, &row, NULL), GSAMPLE_ERROR_NO_CANDIDATE);
  gsample_free(s);
}

static void report_050_no_rows_and_no_columns(void** state) {
  const float logits[] = {1};
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  gsample_row row = row_of(logits, 0);
  (void)state;
  assert_int_equal(gsample_decide(NULL, 0, NULL, NULL), 0);
  assert_int_equal(gsample_pick(s, logits, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_pick_row(s, &row, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_free(s);
}

static void report_052_typical_drops_bans_before_the_entropy(void** state) {
  const float row[] = {1, .5f, -.5f, -INFINITY};
  const float typical[] = {.3f, .8f, .9f};
  const size_t kept[] = {1, 2, 3};
  size_t i;
  (void)state;
  for (i = 0; i < 3; i++) {
    gsample_params params = plain_params();
    gsample_sampler* s;
    params.typical_p = typical[i];
    s = make(&params);
    if (i == 0) expect_kept(s, row, 4, TOKENS(1)); /* the order of typicality is 1, 0, 2 */
    else expect_kept(s, row, 4, (const int32_t[]){0, 1, 2}, kept[i]);
    gsample_free(s);
  }
}

static void report_053_sigma_is_of_the_finite(void** state) {
  const float row[] = {5, 4, 3, 0, -INFINITY};
  gsample_params params = plain_params();
  gsample_sampler* s;
  (void)state;
  params.top_n_sigma = 1;
  s = make(&params);
  expect_kept(s, row, 5, TOKENS(0, 1)); /* sigma 1.870829, cut 3.129171 */
  gsample_free(s);
}

static void report_054_low_scores_at_a_low_temperature(void** state) {
  const float row[] = {-1e9f, -1e9f - 128, -1e9f};
  const uint16_t halves[] = {0xfbff, 0xfbff, 0xfbfe}; /* the lowest f16 there are */
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_row half = row_of(row, 3);
  (void)state;
  params.temperature = .2f;
  s = make(&params);
  EXPECT_P(s, row, 1e-6, .5, 0, .5);
  half.logits = halves, half.dtype = GSAMPLE_F16;
  assert_int_equal(gsample_pick_row(s, &half, NULL), 2);
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_040_a_nan_is_said_or_passed_over),
      cmocka_unit_test(report_042_a_bad_row_touches_no_other),
      cmocka_unit_test(report_044_a_sampler_goes_on_after_a_bad_row),
      cmocka_unit_test(report_045_the_row_can_be_diagnosed),
      cmocka_unit_test(report_047_underflow_leaves_the_best),
      cmocka_unit_test(report_048_enormous_penalties_leave_the_best),
      cmocka_unit_test(report_049_allowed_and_banned_is_no_candidate),
      cmocka_unit_test(report_050_no_rows_and_no_columns),
      cmocka_unit_test(report_052_typical_drops_bans_before_the_entropy),
      cmocka_unit_test(report_053_sigma_is_of_the_finite),
      cmocka_unit_test(report_054_low_scores_at_a_low_temperature),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

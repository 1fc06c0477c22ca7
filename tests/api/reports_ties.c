/* Reports about equal logits; see reports_top_k.c. */
#include "sampler_support.h"

static void report_030_exactly_k_of_equals(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  LOGS(row, .4, .3, .3, 0);
  (void)state;
  params.top_k = 2;
  s = make(&params);
  expect_kept(s, row, 4, TOKENS(0, 1));
  EXPECT_P(s, row, 1e-6, .571429, .428571, 0, 0);
  gsample_free(s);
}

static void report_031_greedy_ties_are_not_random(void** state) {
  const float row[] = {5, 5, 0};
  gsample_params params = plain_params();
  int seed;
  (void)state;
  params.temperature = 0;
  for (seed = 0; seed < 500; seed++) {
    gsample_sampler* s;
    params.seed = (uint64_t)seed;
    s = make(&params);
    assert_int_equal(gsample_pick(s, row, 3), 0);
    gsample_free(s);
  }
}

/* The lowest of equal maxima by every way of asking. */
static void expect_first(const float* logits, uint32_t n, int32_t first) {
  const gsample_row row = row_of(logits, n);
  gsample_params params = plain_params();
  gsample_sampler* s;
  float* rows = (float*)malloc(2 * n * sizeof *rows);
  const int32_t draft = first;
  int32_t tokens[2];
  gsample_sequence sequence = {.size = sizeof sequence, .n_vocab = n, .n_rows = 2, .logits = rows, .row_stride = 4 * (int64_t)n,
                               .drafts = &draft, .n_drafts = 1, .tokens = tokens};
  memcpy(rows, logits, n * sizeof *rows);
  memcpy(rows + n, logits, n * sizeof *rows);
  assert_int_equal(gsample_best(&row), first);
  params.temperature = 0;
  s = make(&params);
  assert_int_equal(gsample_pick(s, logits, n), first);
  sequence.sampler = s;
  assert_int_equal(gsample_decide(&sequence, 1, NULL, NULL), 0);
  assert_int_equal(sequence.n_tokens, 2);
  assert_int_equal(tokens[0], first);
  assert_int_equal(tokens[1], first);
  gsample_free(s);
  params.temperature = 1, params.top_k = 1;
  s = make(&params);
  assert_int_equal(gsample_pick(s, logits, n), first);
  gsample_free(s);
  free(rows);
}

static void report_034_the_first_maximum_everywhere(void** state) {
  static const float small[] = {0, 1, 1};
  float row[600];
  uint32_t i, j;
  (void)state;
  expect_first(small, 3, 1);
  for (i = 0; i < 600; i += 37)
    for (j = i + 1; j < 600; j += 1 + j / 20) {
      memset(row, 0, sizeof row);
      row[i] = row[j] = 1;
      expect_first(row, 600, (int32_t)i);
    }
}

static void report_035_zeros_of_either_sign_are_equal(void** state) {
  const float a[] = {-0.0f, 0.0f}, b[] = {0.0f, -0.0f};
  float row[300];
  uint32_t i;
  (void)state;
  expect_first(a, 2, 0);
  expect_first(b, 2, 0);
  for (i = 0; i < 300; i++) row[i] = i % 3 ? 0.0f : -0.0f;
  expect_first(row, 300, 0);
  for (i = 0; i < 300; i++) row[i] = -row[i];
  expect_first(row, 300, 0);
}

static void report_038_the_token_drawn_is_in_the_set_of_its_logprob(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  int i;
  LOGS(logits, .5, .25, .25);
  (void)state;
  params.top_p = .75f;
  s = make(&params);
  expect_kept(s, logits, 3, TOKENS(0, 1));
  for (i = 0; i < 1000; i++) {
    const gsample_row row = row_of(logits, 3);
    gsample_choice choice = {.size = sizeof choice, .logprob_mode = GSAMPLE_LOGPROB_PROCESSED};
    const int32_t token = gsample_pick_row(s, &row, &choice);
    assert_in_range(token, 0, 1);
    assert_true(fabs(choice.logprob - log(token ? 1 / 3. : 2 / 3.)) < 1e-6);
  }
  gsample_free(s);
}

static void report_039_equal_logits_are_a_permutation(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_dist* dist;
  float row[1024];
  int32_t i;
  (void)state;
  for (i = 0; i < 1024; i++) row[i] = -3;
  params.top_k = 1024;
  s = make(&params);
  dist = dist_of(s, row, 1024);
  assert_int_equal(gsample_dist_size(dist), 1024);
  for (i = 0; i < 1024; i++) assert_int_equal(gsample_dist_ids(dist)[i], i);
  gsample_dist_free(dist);
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_030_exactly_k_of_equals),
      cmocka_unit_test(report_031_greedy_ties_are_not_random),
      cmocka_unit_test(report_034_the_first_maximum_everywhere),
      cmocka_unit_test(report_035_zeros_of_either_sign_are_equal),
      cmocka_unit_test(report_038_the_token_drawn_is_in_the_set_of_its_logprob),
      cmocka_unit_test(report_039_equal_logits_are_a_permutation),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reports about temperature; see reports_top_k.c. Left out: 64, which is a chi-square test of draws against the softmax (tests/stats). */
#include "sampler_support.h"

static gsample_sampler* at(float temperature) {
  gsample_params params = plain_params();
  params.temperature = temperature;
  return make(&params);
}

/* Nothing is raised to a least temperature, and nothing overflows. */
static void report_056_a_low_temperature_is_taken_at_its_word(void** state) {
  const float row[] = {1, 2, 3}, near[] = {0, -.01f};
  gsample_sampler *tiny = at(1e-12f), *low = at(5e-3f);
  (void)state;
  EXPECT_P(tiny, row, 0, 0, 0, 1);
  EXPECT_P(low, near, 5e-4, .881, .119);
  assert_int_equal(gsample_pick(tiny, row, 3), 2);
  gsample_free(tiny), gsample_free(low);
}

static void report_057_no_empty_text_at_a_low_temperature(void** state) {
  const float row[] = {2.875f, 2.955f, 11.0625f};
  const float temperatures[] = {1e-4f, 1e-5f, 1e-30f};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(temperatures); i++) {
    gsample_sampler* s = at(temperatures[i]);
    assert_int_equal(gsample_pick(s, row, 3), 2);
    gsample_free(s);
  }
}

static void report_058_a_mask_is_a_set_not_a_number(void** state) {
  const uint16_t halves[] = {0x4c00, 0x4900, 0x4900, 0x4880}; /* f16: 16, 10, 10, 9 */
  const uint32_t mask = 0xe;
  gsample_row row = {.size = sizeof row, .dtype = GSAMPLE_F16, .n_vocab = 4, .logits = halves, .mask = &mask};
  gsample_sampler* s = at(3e-5f);
  int seen[4] = {0}, i;
  (void)state;
  for (i = 0; i < 2000; i++) seen[gsample_pick_row(s, &row, NULL)]++;
  assert_int_equal(seen[0], 0);
  assert_int_equal(seen[3], 0);
  assert_in_range(seen[1], 850, 1150);
  gsample_free(s);
}

static void report_059_a_denormal_temperature(void** state) {
  const float row[] = {0, 3}, negative[] = {-3, -4};
  gsample_sampler* s = at(1e-45f);
  (void)state;
  assert_int_equal(gsample_pick(s, row, 2), 1);
  assert_int_equal(gsample_pick(s, negative, 2), 0);
  gsample_free(s);
}

static void report_060_dynamic_temperature_of_one_token(void** state) {
  const float row[] = {3, -INFINITY}, two[] = {1, 0};
  gsample_params params = plain_params();
  gsample_sampler* s;
  const double p = 1 / (1 + exp(-1.)), entropy = -p * log(p) - (1 - p) * log(1 - p), t = .5 + 1.5 * entropy / log(2);
  (void)state;
  params.temperature = 1.25f, params.dynatemp_range = .75f;
  s = make(&params);
  EXPECT_P(s, row, 0, 1, 0);
  assert_int_equal(gsample_pick(s, row, 2), 0);
  EXPECT_P(s, two, 1e-6, 1 / (1 + exp(-1 / t)), 1 / (1 + exp(1 / t)));
  gsample_free(s);
}

/* Each stage sees the mass as the one before it left it; the joint cut is top-p before top-k. */
static void report_063_the_order_says_which_mass_is_meant(void** state) {
  gsample_params sequential = plain_params(), joint;
  gsample_sampler *a, *b;
  LOGS(row, .4, .3, .2, .1);
  (void)state;
  sequential.top_k = 2, sequential.top_p = .5f;
  joint = sequential;
  set_order(&sequential, TOKENS(GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_TEMPERATURE));
  set_order(&joint, TOKENS(GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TEMPERATURE));
  a = make(&sequential), b = make(&joint);
  expect_kept(a, row, 4, TOKENS(0));
  expect_kept(b, row, 4, TOKENS(0, 1));
  gsample_free(a), gsample_free(b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_056_a_low_temperature_is_taken_at_its_word),
      cmocka_unit_test(report_057_no_empty_text_at_a_low_temperature),
      cmocka_unit_test(report_058_a_mask_is_a_set_not_a_number),
      cmocka_unit_test(report_059_a_denormal_temperature),
      cmocka_unit_test(report_060_dynamic_temperature_of_one_token),
      cmocka_unit_test(report_063_the_order_says_which_mass_is_meant),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Reports about top-p and its edges; see reports_top_k.c. Number 20 of the page, which 24 refers to, is top_p = 0. */
#include "sampler_support.h"

static gsample_sampler* nucleus(float top_p) {
  gsample_params params = plain_params();
  params.top_p = top_p;
  return make(&params);
}

/* The sum that is exactly p stops: shown where every probability is exact in binary. */
static void report_015_an_exact_sum_stops(void** state) {
  const float equal[] = {1, 1, 1, 1};
  gsample_sampler *quarter = nucleus(.25f), *half = nucleus(.5f), *most = nucleus(.75f);
  LOGS(row, .5, .25, .125, .125);
  (void)state;
  expect_kept(quarter, equal, 4, TOKENS(0));
  expect_kept(half, equal, 4, TOKENS(0, 1));
  expect_kept(most, equal, 4, TOKENS(0, 1, 2));
  expect_kept(most, row, 4, TOKENS(0, 1));
  gsample_free(quarter), gsample_free(half), gsample_free(most);
}

static void report_016_the_smallest_set_above_not_the_largest_below(void** state) {
  gsample_sampler* s = nucleus(.7f);
  LOGS(row, .6, .4);
  (void)state;
  expect_kept(s, row, 2, TOKENS(0, 1));
  gsample_free(s);
}

static void report_017_crossing_token_kept(void** state) {
  gsample_sampler* s = nucleus(.9f);
  LOGS(row, .5, .41, .09);
  (void)state;
  expect_kept(s, row, 3, TOKENS(0, 1));
  gsample_free(s);
}

static void report_019_a_boundary_that_is_never_reached(void** state) {
  enum { N = 128256 };
  float* row = (float*)malloc(N * sizeof *row);
  gsample_sampler* s = nucleus(.99999994f);
  gsample_dist* dist;
  int32_t i;
  (void)state;
  for (i = 0; i < N; i++) row[i] = 1.5f;
  dist = dist_of(s, row, N);
  assert_int_equal(gsample_dist_size(dist), N);
  for (i = 0; i < N; i++) assert_int_equal(gsample_dist_ids(dist)[i], i);
  assert_true(fabs(gsample_dist_total(dist) - 1) < 1e-6);
  assert_in_range(gsample_pick(s, row, N), 0, N - 1);
  gsample_dist_free(dist);
  gsample_free(s);
  free(row);
}

static void report_021_a_tiny_p_keeps_the_first(void** state) {
  gsample_sampler *tiny = nucleus(1e-8f), *denormal = nucleus(1e-45f);
  const float row[] = {0, 1, .5f};
  (void)state;
  expect_kept(tiny, row, 3, TOKENS(1));
  expect_kept(denormal, row, 3, TOKENS(1));
  gsample_free(tiny), gsample_free(denormal);
}

static void report_024_zero_keeps_the_first(void** state) {
  gsample_sampler* s = nucleus(0);
  const float row[] = {0, 1, .5f, 1};
  int i;
  (void)state;
  for (i = 0; i < 1000; i++) assert_int_equal(gsample_pick(s, row, 4), 1);
  gsample_free(s);
}

static void report_025_after_top_k_the_mass_is_that_of_the_rest(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  LOGS(row, .4, .3, .2, .1);
  (void)state;
  params.top_k = 1, params.top_p = .5f;
  s = make(&params);
  expect_kept(s, row, 4, TOKENS(0));
  gsample_free(s);
}

static void report_026_ids_are_kept(void** state) {
  gsample_sampler* s = nucleus(.6f);
  LOGS(row, .1, .2, .3, .4);
  (void)state;
  expect_kept(s, row, 4, TOKENS(3, 2));
  gsample_free(s);
}

static void report_027_a_best_token_above_p_is_kept(void** state) {
  gsample_sampler* s = nucleus(.9f);
  LOGS(row, .95, .05);
  (void)state;
  expect_kept(s, row, 2, TOKENS(0));
  gsample_free(s);
}

static void report_028_min_keep_holds_for_every_filter_that_has_it(void** state) {
  gsample_params p[4];
  size_t i;
  LOGS(row, .99, .01, 0);
  (void)state;
  for (i = 0; i < COUNT(p); i++) p[i] = plain_params(), p[i].min_keep = 2;
  p[0].top_p = .5f;
  p[1].min_p = .5f;
  p[2].typical_p = .1f;
  p[3].xtc_probability = 1, p[3].xtc_threshold = .005f;
  for (i = 0; i < COUNT(p); i++) {
    gsample_sampler* s = make(&p[i]);
    expect_kept(s, row, 3, TOKENS(0, 1));
    gsample_free(s);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_015_an_exact_sum_stops),
      cmocka_unit_test(report_016_the_smallest_set_above_not_the_largest_below),
      cmocka_unit_test(report_017_crossing_token_kept),
      cmocka_unit_test(report_019_a_boundary_that_is_never_reached),
      cmocka_unit_test(report_021_a_tiny_p_keeps_the_first),
      cmocka_unit_test(report_024_zero_keeps_the_first),
      cmocka_unit_test(report_025_after_top_k_the_mass_is_that_of_the_rest),
      cmocka_unit_test(report_026_ids_are_kept),
      cmocka_unit_test(report_027_a_best_token_above_p_is_kept),
      cmocka_unit_test(report_028_min_keep_holds_for_every_filter_that_has_it),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

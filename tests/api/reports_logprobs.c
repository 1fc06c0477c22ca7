/* Reports about logprobs; see reports_top_k.c. Left out: 113, a matter of cost, which the benchmark measures. */
#include "sampler_support.h"

/* Picks once, greedy if the parameters say so, and gives the choice with n_top entries. */
static gsample_choice pick(const gsample_params* params, const float* logits, uint32_t n, uint32_t mode, gsample_logprob* top, uint32_t n_top) {
  gsample_sampler* s = make(params);
  const gsample_row row = row_of(logits, n);
  gsample_choice choice = {.size = sizeof choice, .logprob_mode = mode, .n_top = n_top, .top = top};
  assert_in_range(gsample_pick_row(s, &row, &choice), 0, n - 1);
  gsample_free(s);
  return choice;
}

static void expect_top(const gsample_logprob* top, uint32_t n, const double* logprobs) {
  uint32_t i;
  for (i = 0; i < n; i++) {
    if (fabs(top[i].logprob - logprobs[i]) > 1e-4) fail_msg("entry %u is %.9g, not %.9g", i, top[i].logprob, logprobs[i]);
    assert_int_equal(top[i].rank, i + 1);
    assert_int_equal(top[i].token, i);
  }
}

static void report_099_the_mode_is_the_callers(void** state) {
  const float row[] = {2, 1, 0};
  gsample_params params = plain_params();
  gsample_logprob top[3];
  gsample_choice choice;
  (void)state;
  params.temperature = .5f;
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_RAW, top, 3);
  assert_int_equal(choice.n_written, 3);
  expect_top(top, 3, (double[]){-.4076, -1.4076, -2.4076});
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_RAW_LOGIT, top, 3);
  expect_top(top, 3, (double[]){2, 1, 0});
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_PROCESSED, top, 3);
  expect_top(top, 3, (double[]){-.1429, -2.1429, -4.1429});
  params.temperature = 1, params.top_k = 2;
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_PROCESSED, top, 3);
  assert_int_equal(choice.n_written, 2); /* what top-k cut is not invented */
  expect_top(top, 2, (double[]){-.3133, -1.3133});
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_RAW, top, 3);
  expect_top(top, 3, (double[]){-.4076, -1.4076, -2.4076});
}

/* One row, both: the processed ones with the pick, the raw ones of any tokens from the row itself. */
static void report_101_raw_and_processed_of_one_pick(void** state) {
  const float logits[] = {0, 3, 2.5f, -1};
  const gsample_row row = row_of(logits, 4);
  gsample_params params = plain_params();
  gsample_choice choice;
  gsample_logprob raw;
  double sum = 0, kept = exp(3.) + exp(2.5);
  int i;
  (void)state;
  for (i = 0; i < 4; i++) sum += exp((double)logits[i]);
  params.top_k = 2, params.seed = 3;
  choice = pick(&params, logits, 4, GSAMPLE_LOGPROB_PROCESSED, NULL, 0);
  raw.token = choice.token;
  assert_int_equal(gsample_logprobs(&row, &raw, 1), 0);
  assert_true(fabs(choice.logprob - (logits[choice.token] - log(kept))) < 1e-6);
  assert_true(fabs(raw.logprob - (logits[choice.token] - log(sum))) < 1e-6);
}

static void report_102_greedy_logprobs_are_logprobs(void** state) {
  const float row[] = {3.75f, 1};
  gsample_params params = plain_params();
  gsample_choice choice;
  (void)state;
  params.temperature = 0;
  choice = pick(&params, row, 2, GSAMPLE_LOGPROB_RAW, NULL, 0);
  assert_true(fabs(choice.logprob + .0620) < 1e-4);
  choice = pick(&params, row, 2, GSAMPLE_LOGPROB_PROCESSED, NULL, 0);
  assert_true(choice.logprob == 0);
}

static void report_103_large_logits_do_not_overflow(void** state) {
  const float row[] = {100, 99, 98}, huge[] = {3e38f, 3e38f, -3e38f};
  gsample_params params = plain_params();
  gsample_logprob top[3];
  (void)state;
  pick(&params, row, 3, GSAMPLE_LOGPROB_RAW, top, 3);
  expect_top(top, 3, (double[]){-.4076, -1.4076, -2.4076});
  pick(&params, row, 3, GSAMPLE_LOGPROB_PROCESSED, top, 3);
  expect_top(top, 3, (double[]){-.4076, -1.4076, -2.4076});
  pick(&params, huge, 3, GSAMPLE_LOGPROB_RAW, top, 2);
  expect_top(top, 2, (double[]){-.6931, -.6931});
}

static void report_104_after_truncation_the_rest_has_none(void** state) {
  gsample_params params = plain_params();
  gsample_logprob top[3];
  gsample_choice choice;
  LOGS(row, .6, .3, .1);
  (void)state;
  params.top_p = .5f;
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_PROCESSED, top, 3);
  assert_int_equal(choice.n_written, 1);
  assert_true(top[0].logprob == 0 && top[0].token == 0 && choice.logprob == 0);
  params.top_p = 1, params.temperature = -1;
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_PROCESSED, top, 3);
  assert_true(choice.n_written == 1 && choice.logprob == 0);
}

/* A logprob is a logarithm in a field of that name; verified drafts have them too. */
static void report_105_verified_drafts_have_logprobs(void** state) {
  const float rows[2][3] = {{2, 1, 0}, {0, 1, 2}};
  const int32_t draft = 0;
  int32_t tokens[2];
  gsample_logprob top[2][3];
  gsample_choice choices[2] = {{.size = sizeof *choices, .logprob_mode = GSAMPLE_LOGPROB_RAW, .n_top = 3, .top = top[0]},
                               {.size = sizeof *choices, .logprob_mode = GSAMPLE_LOGPROB_RAW, .n_top = 3, .top = top[1]}};
  gsample_params params = plain_params();
  gsample_sequence s = {.size = sizeof s, .n_vocab = 3, .n_rows = 2, .logits = rows, .row_stride = sizeof rows[0], .drafts = &draft,
                        .n_drafts = 1, .tokens = tokens, .choices = choices};
  (void)state;
  params.temperature = 0;
  s.sampler = make(&params);
  assert_int_equal(gsample_decide(&s, 1, NULL, NULL), 0);
  assert_int_equal(s.n_tokens, 2);
  assert_true(choices[0].token == 0 && choices[1].token == 2);
  assert_true(fabs(choices[0].logprob + .4076) < 1e-4 && fabs(choices[1].logprob + .4076) < 1e-4);
  expect_top(top[0], 3, (double[]){-.4076, -1.4076, -2.4076});
  assert_true(top[1][0].token == 2 && top[1][2].token == 0 && choices[1].rank == 1);
  gsample_free(s.sampler);
}

static void report_106_ranks_count_from_one_and_nothing_stands_twice(void** state) {
  const float row[] = {9, 8, 7, 6};
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_logprob top[3];
  const float away[] = {-INFINITY, -INFINITY, -INFINITY};
  const gsample_row view = row_of(row, 4);
  gsample_choice choice = pick(&params, row, 4, GSAMPLE_LOGPROB_RAW, top, 3);
  int i;
  (void)state;
  for (i = 0; i < 3; i++) assert_true(top[i].token == i && top[i].rank == i + 1);
  s = make(&params);
  assert_int_equal(gsample_bias(s, (const int32_t[]){0, 1, 2}, away, 3), 0);
  choice.n_top = 3, choice.top = top;
  assert_int_equal(gsample_pick_row(s, &view, &choice), 3);
  assert_int_equal(choice.rank, 4); /* the caller appends it if it wants to */
  for (i = 0; i < 3; i++) assert_true(top[i].token == i && top[i].rank == i + 1);
  gsample_free(s);
}

static void report_108_the_number_of_entries_is_told(void** state) {
  const float row[] = {1, -INFINITY, 0, -INFINITY};
  gsample_params params = plain_params();
  gsample_logprob top[20];
  gsample_choice choice;
  uint32_t i;
  (void)state;
  choice = pick(&params, row, 4, GSAMPLE_LOGPROB_PROCESSED, top, 20);
  assert_int_equal(choice.n_written, 2);
  choice = pick(&params, row, 4, GSAMPLE_LOGPROB_RAW, top, 20);
  assert_in_range(choice.n_written, 2, 4);
  for (i = 0; i < choice.n_written; i++) assert_true(top[i].logprob > -20 || top[i].logprob == -INFINITY);
}

static void report_110_no_top_is_valid(void** state) {
  const float row[] = {2, 1, 0};
  gsample_params params = plain_params();
  gsample_choice choice;
  (void)state;
  params.temperature = 0;
  choice = pick(&params, row, 3, GSAMPLE_LOGPROB_RAW, NULL, 0);
  assert_true(choice.n_written == 0 && choice.token == 0 && choice.rank == 1 && fabs(choice.logprob + .4076) < 1e-4);
}

static void report_111_more_top_than_tokens(void** state) {
  const float row[] = {2, 1, 0};
  gsample_params params = plain_params();
  gsample_logprob top[20];
  uint32_t mode;
  (void)state;
  for (mode = GSAMPLE_LOGPROB_RAW; mode <= GSAMPLE_LOGPROB_PROCESSED; mode++)
    assert_int_equal(pick(&params, row, 3, mode, top, 20).n_written, 3);
}

static void report_112_the_drawn_token_has_a_finite_logprob(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  float logits[300];
  const gsample_row row = row_of(logits, 300);
  int i, round;
  (void)state;
  params.temperature = 1.5f, params.top_p = .97f, params.typical_p = .9f;
  s = make(&params);
  for (round = 0; round < 2000; round++) {
    gsample_choice choice = {.size = sizeof choice, .logprob_mode = 1 + (uint32_t)round % 3};
    for (i = 0; i < 300; i++) logits[i] = (i + round) % 5 ? (float)((i * 37 + round * 11) % 300) * .1f - 15 : -INFINITY;
    assert_in_range(gsample_pick_row(s, &row, &choice), 0, 299);
    assert_true(isfinite(choice.logprob));
    if (choice.logprob_mode != GSAMPLE_LOGPROB_RAW_LOGIT) assert_true(choice.logprob <= 0);
  }
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_099_the_mode_is_the_callers),
      cmocka_unit_test(report_101_raw_and_processed_of_one_pick),
      cmocka_unit_test(report_102_greedy_logprobs_are_logprobs),
      cmocka_unit_test(report_103_large_logits_do_not_overflow),
      cmocka_unit_test(report_104_after_truncation_the_rest_has_none),
      cmocka_unit_test(report_105_verified_drafts_have_logprobs),
      cmocka_unit_test(report_106_ranks_count_from_one_and_nothing_stands_twice),
      cmocka_unit_test(report_108_the_number_of_entries_is_told),
      cmocka_unit_test(report_110_no_top_is_valid),
      cmocka_unit_test(report_111_more_top_than_tokens),
      cmocka_unit_test(report_112_the_drawn_token_has_a_finite_logprob),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

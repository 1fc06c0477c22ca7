/* Reports about penalties and histories; see reports_top_k.c. Left out: 98, a matter of cost, which the benchmark measures. */
#include "sampler_support.h"

static gsample_sampler* penalised(int32_t style, int32_t last_n, float repeat, float freq, float present) {
  gsample_params params = plain_params();
  params.penalty_style = style, params.penalty_last_n = last_n;
  params.penalty_repeat = repeat, params.penalty_freq = freq, params.penalty_present = present;
  return make(&params);
}

/* The logits after the penalties, by their differences to an untouched token of logit 0 at the end of the row. */
static void expect_logits(gsample_sampler* s, const float* logits, uint32_t n, const double* expected) {
  gsample_dist* dist = dist_of(s, logits, n);
  uint32_t i;
  assert_true(logits[n - 1] == 0);
  for (i = 0; i < n; i++) {
    const double got = log(gsample_dist_chance(dist, (int32_t)i) / gsample_dist_chance(dist, (int32_t)n - 1));
    if (fabs(got - expected[i]) > 1e-6) fail_msg("logit %u is %.9g, not %.9g", i, got, expected[i]);
  }
  gsample_dist_free(dist);
}
#define EXPECT_LOGITS(s, logits, ...) expect_logits(s, logits, COUNT(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__})

static void report_084_a_negative_logit_is_multiplied(void** state) {
  const float row[] = {1, -1, 0};
  gsample_sampler* s = penalised(GSAMPLE_PENALTY_WINDOW, 64, 1.5f, 0, 0);
  (void)state;
  assert_int_equal(gsample_seed(s, TOKENS(0, 1)), 0);
  EXPECT_LOGITS(s, row, 2 / 3., -1.5, 0);
  gsample_free(s);
}

static void report_085_only_the_additive_ones_are_invariant(void** state) {
  const float low[] = {0, 1, 2}, high[] = {10, 11, 12};
  gsample_sampler *repeat = penalised(GSAMPLE_PENALTY_WINDOW, 64, 1.2f, 0, 0), *present = penalised(GSAMPLE_PENALTY_WINDOW, 64, 1, .3f, .5f);
  (void)state;
  assert_int_equal(gsample_seed(repeat, TOKENS(1, 2)), 0);
  assert_int_equal(gsample_seed(present, TOKENS(1, 2)), 0);
  EXPECT_P(repeat, low, 5e-4, .116, .268, .616);
  EXPECT_P(repeat, high, 5e-4, .411, .179, .411);
  {
    const double a = exp(0.), b = exp(.2), c = exp(1.2), sum = a + b + c;
    EXPECT_P(present, low, 1e-6, a / sum, b / sum, c / sum);
    EXPECT_P(present, high, 1e-6, a / sum, b / sum, c / sum);
  }
  gsample_free(repeat), gsample_free(present);
}

static void report_087_whether_the_prompt_counts_is_the_style(void** state) {
  const float row[] = {3, 3, 3, 0};
  gsample_sampler *window = penalised(GSAMPLE_PENALTY_WINDOW, 64, 1.5f, .5f, .25f), *answer = penalised(GSAMPLE_PENALTY_ANSWER, 64, 1.5f, .5f, .25f);
  gsample_sampler* both[2];
  int i;
  (void)state;
  both[0] = window, both[1] = answer;
  for (i = 0; i < 2; i++) {
    assert_int_equal(gsample_seed(both[i], TOKENS(0, 0, 1)), 0);
    assert_int_equal(gsample_accept(both[i], 1), 0);
    assert_int_equal(gsample_accept(both[i], 2), 0);
    assert_int_equal(gsample_accept(both[i], 2), 0);
  }
  EXPECT_LOGITS(window, row, 2 - 1. - .25, 2 - 1. - .25, 2 - 1. - .25, 0);
  EXPECT_LOGITS(answer, row, 2, 2 - .5 - .25, 2 - 1. - .25, 0);
  gsample_free(window), gsample_free(answer);
}

static void report_088_a_shorter_history_has_no_padding(void** state) {
  static const float rows[2][9] = {{4, 0, 0, 0, 0, 1}, {4, 0, 0, 0, 0, 1}};
  gsample_params params = plain_params();
  gsample_sampler *a, *b;
  (void)state;
  params.penalty_repeat = 100;
  a = make(&params), b = make(&params);
  assert_int_equal(gsample_seed(a, TOKENS(5)), 0);
  assert_int_equal(gsample_seed(b, TOKENS(5, 6, 7)), 0);
  EXPECT_LOGITS(a, rows[0], 4, 0, 0, 0, 0, .01, 0, 0, 0);
  EXPECT_LOGITS(b, rows[1], 4, 0, 0, 0, 0, .01, 0, 0, 0);
  gsample_free(a), gsample_free(b);
}

static void report_089_a_prompt_counts_the_same_however_it_came(void** state) {
  int32_t prompt[100];
  float row[30];
  gsample_sampler *whole = penalised(0, -1, 1.2f, .1f, .2f), *pieces = penalised(0, -1, 1.2f, .1f, .2f);
  saved a, b;
  int i;
  (void)state;
  for (i = 0; i < 100; i++) prompt[i] = i * i % 29;
  for (i = 0; i < 30; i++) row[i] = (float)(i % 7);
  assert_int_equal(gsample_seed(whole, prompt, 100), 0);
  for (i = 0; i < 100; i += 7) assert_int_equal(gsample_seed(pieces, prompt + i, i + 7 < 100 ? 7 : (size_t)(100 - i)), 0);
  for (i = 0; i < 20; i++) assert_int_equal(gsample_pick(whole, row, 30), gsample_pick(pieces, row, 30));
  a = save_of(whole), b = save_of(pieces);
  assert_true(a.n == b.n && !memcmp(a.bytes, b.bytes, a.n));
  free(a.bytes), free(b.bytes);
  gsample_free(whole), gsample_free(pieces);
}

static void report_090_a_negative_window_is_the_whole_history(void** state) {
  const float row[] = {3, 3, 3, 0};
  int32_t history[101] = {0};
  gsample_sampler *whole = penalised(0, -1, 1.5f, 0, 0), *few = penalised(0, 64, 1.5f, .01f, 0);
  (void)state;
  history[100] = 1;
  assert_int_equal(gsample_seed(whole, history, 101), 0);
  assert_int_equal(gsample_seed(few, history, 101), 0);
  EXPECT_LOGITS(whole, row, 2, 2, 3, 0);
  EXPECT_LOGITS(few, row, 2 - .63, 2 - .01, 3, 0);
  gsample_free(whole), gsample_free(few);
}

static void report_091_a_window_of_none_is_off(void** state) {
  const float row[] = {3, 3, 3, 0};
  gsample_sampler *none = penalised(0, 0, 1.5f, 1, 1), *off = penalised(0, 64, 1, 0, 0);
  int i;
  (void)state;
  for (i = 0; i < 200; i++) assert_int_equal(gsample_pick(none, row, 4), gsample_pick(off, row, 4));
  EXPECT_LOGITS(none, row, 3, 3, 3, 0);
  gsample_free(none), gsample_free(off);
}

static void report_092_the_last_not_the_first(void** state) {
  const float row[] = {3, 3, 3, 0};
  gsample_sampler* s = penalised(0, 1, 1.5f, .5f, 0);
  (void)state;
  assert_int_equal(gsample_seed(s, TOKENS(1, 1, 1, 2)), 0);
  EXPECT_LOGITS(s, row, 3, 3, 2 - .5, 0);
  assert_int_equal(gsample_accept(s, 0), 0);
  EXPECT_LOGITS(s, row, 2 - .5, 3, 3, 0);
  gsample_free(s);
}

static void report_093_parameters_stay_with_their_row(void** state) {
  static const float row[] = {1.5f, 1, 0};
  gsample_sampler* s[4];
  gsample_sequence sequences[4];
  int32_t tokens[4];
  int i;
  (void)state;
  for (i = 0; i < 4; i++) {
    gsample_params params = plain_params();
    gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 1, .logits = row, .tokens = &tokens[i]};
    params.temperature = i < 2 ? 0 : .01f;
    params.penalty_freq = (float)(i % 2);
    one.sampler = s[i] = make(&params);
    assert_int_equal(gsample_seed(s[i], TOKENS(0)), 0);
    sequences[i] = one;
  }
  assert_int_equal(gsample_decide(sequences, 4, NULL, NULL), 0);
  for (i = 0; i < 4; i++) {
    assert_int_equal(tokens[i], i % 2);
    gsample_free(s[i]);
  }
}

static void report_094_any_repeat_is_taken_or_refused(void** state) {
  const float values[] = {0, 1, -1, 1e-45f, 1e38f, -3.4028235e38f, NAN, INFINITY, -INFINITY};
  const float row[] = {1, -1, 0, 3e38f};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(values); i++) {
    gsample_params params = plain_params();
    gsample_sampler* s;
    params.penalty_repeat = values[i];
    if (!isfinite(values[i])) {
      assert_int_equal(refusal(&params), GSAMPLE_ERROR_INVALID_ARGUMENT);
      continue;
    }
    s = make(&params);
    assert_int_equal(gsample_seed(s, TOKENS(0, 1, 3)), 0);
    assert_in_range(gsample_pick(s, row, 4), 0, 3);
    gsample_free(s);
  }
}

static void report_097_a_parameter_that_nothing_reads_is_an_error(void** state) {
  gsample_params p[8];
  size_t i;
  gsample_error error = FRESH_ERROR;
  (void)state;
  for (i = 0; i < COUNT(p); i++) {
    p[i] = plain_params();
    set_order(&p[i], TOKENS(GSAMPLE_STAGE_TOP_K));
  }
  gsample_free(make(&p[0]));
  p[0].penalty_repeat = 1.1f;
  p[1].penalty_freq = 2;
  p[2].penalty_present = .1f;
  p[3].temperature = .7f;
  p[4].top_p = .9f;
  p[5].min_p = .1f;
  p[6].typical_p = .5f;
  p[7].dry_multiplier = .8f;
  for (i = 0; i < COUNT(p); i++) assert_int_equal(refusal(&p[i]), GSAMPLE_ERROR_INVALID_ARGUMENT);
  /* What ignores them here is set by preset: it says so. */
  p[0] = preset_params("ollama");
  p[0].penalty_present = 1;
  assert_int_equal(gsample_new(&p[0], &(gsample_sampler*){NULL}, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_names(error, "penalty_present");
}

/* Drafts do not pass the penalties by (see also reports_drafts.c). */
static void report_097_penalties_hold_while_drafts_are_verified(void** state) {
  static const float rows[3][2] = {{2, 1.5f}, {2, 1.5f}, {2, 1.5f}};
  const int32_t drafts[] = {0, 0};
  int32_t tokens[3] = {-1, -1, -1};
  gsample_params params = plain_params();
  gsample_sequence s = {.size = sizeof s, .n_vocab = 2, .n_rows = 3, .logits = rows, .row_stride = sizeof rows[0], .drafts = drafts,
                        .n_drafts = 2, .tokens = tokens};
  (void)state;
  params.temperature = 0, params.penalty_freq = 1;
  s.sampler = make(&params);
  assert_int_equal(gsample_decide(&s, 1, NULL, NULL), 0);
  assert_int_equal(s.n_tokens, 2);
  assert_int_equal(tokens[0], 0);
  assert_int_equal(tokens[1], 1);
  gsample_free(s.sampler);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_084_a_negative_logit_is_multiplied),
      cmocka_unit_test(report_085_only_the_additive_ones_are_invariant),
      cmocka_unit_test(report_087_whether_the_prompt_counts_is_the_style),
      cmocka_unit_test(report_088_a_shorter_history_has_no_padding),
      cmocka_unit_test(report_089_a_prompt_counts_the_same_however_it_came),
      cmocka_unit_test(report_090_a_negative_window_is_the_whole_history),
      cmocka_unit_test(report_091_a_window_of_none_is_off),
      cmocka_unit_test(report_092_the_last_not_the_first),
      cmocka_unit_test(report_093_parameters_stay_with_their_row),
      cmocka_unit_test(report_094_any_repeat_is_taken_or_refused),
      cmocka_unit_test(report_097_a_parameter_that_nothing_reads_is_an_error),
      cmocka_unit_test(report_097_penalties_hold_while_drafts_are_verified),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

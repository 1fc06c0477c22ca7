/* Reports about verifying drafts; see reports_top_k.c. 134, the joint law of two tokens, is in tests/stats/draft_laws.cc. */
#include "sampler_support.h"

enum { MOST = 8 };

typedef struct step {
  int32_t tokens[MOST];
  uint32_t n;
  int32_t status;
} step;

/* Decides over n_drafts + 1 copies of a row. */
static step decide(gsample_sampler* s, const float* logits, uint32_t n_vocab, const int32_t* drafts, uint32_t n_drafts, const gsample_dist* q) {
  const gsample_dist* dists[MOST];
  step out;
  uint32_t i;
  gsample_sequence one = {.size = sizeof one, .n_vocab = n_vocab, .n_rows = n_drafts + 1, .sampler = s, .logits = logits, .row_stride = 0,
                          .drafts = drafts, .n_drafts = n_drafts, .tokens = out.tokens};
  for (i = 0; i < MOST; i++) dists[i] = q, out.tokens[i] = -99;
  if (q) one.draft_dists = dists;
  gsample_decide(&one, 1, NULL, NULL);
  out.n = one.n_tokens, out.status = one.status;
  for (i = out.n; i < MOST; i++) assert_int_equal(out.tokens[i], -99); /* nothing is written behind what came */
  return out;
}

static gsample_dist* weights(const double* w, size_t n) {
  int32_t ids[16];
  gsample_dist* q = NULL;
  size_t i;
  for (i = 0; i < n; i++) ids[i] = (int32_t)i;
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, ids, w, n), 0);
  return q;
}
#define WEIGHTS(...) weights((double[]){__VA_ARGS__}, COUNT(((double[]){__VA_ARGS__})))

static gsample_sampler* with_seed(uint64_t seed) {
  gsample_params params = plain_params();
  params.seed = seed;
  return make(&params);
}

static void report_128_probability_zero_is_never_accepted(void** state) {
  const float banned[] = {-INFINITY, 0}, faint[] = {-300, 0};
  gsample_dist* q = WEIGHTS(1, 0);
  uint64_t seed;
  (void)state;
  for (seed = 0; seed < 1000; seed++) {
    gsample_sampler* s = with_seed(seed);
    step r = decide(s, banned, 2, (int32_t[]){0}, 1, q);
    assert_true(r.n == 1 && r.tokens[0] == 1);
    r = decide(s, faint, 2, (int32_t[]){0}, 1, q);
    assert_true(r.n == 1 && r.tokens[0] == 1);
    gsample_free(s);
  }
  gsample_dist_free(q);
}

static void report_129_the_target_is_shaped_too(void** state) {
  gsample_params params = plain_params();
  gsample_dist* q = WEIGHTS(.6, .3, .1);
  LOGS(row, .6, .3, .1);
  (void)state;
  params.top_p = .5f;
  for (params.seed = 0; params.seed < 300; params.seed++) {
    gsample_sampler* s = make(&params);
    const step r = decide(s, row, 3, (int32_t[]){1}, 1, q);
    assert_true(r.n == 1 && r.tokens[0] == 0);
    gsample_free(s);
  }
  gsample_dist_free(q);
}

static void report_130_temperature_matters_in_verification(void** state) {
  gsample_dist* q = WEIGHTS(1, 1, 1);
  const float row[] = {0, .01f, .02f};
  int certain[3] = {0}, drawn[3] = {0};
  uint64_t seed;
  (void)state;
  for (seed = 0; seed < 300; seed++) {
    gsample_sampler* s = with_seed(seed);
    certain[decide(s, row, 3, (int32_t[]){0}, 1, NULL).tokens[0]]++;
    drawn[decide(s, row, 3, (int32_t[]){(int32_t)(seed % 3)}, 1, q).tokens[0]]++;
    gsample_free(s);
  }
  assert_true(certain[0] > 60 && certain[1] > 60 && certain[2] > 60);
  assert_true(drawn[0] > 60 && drawn[1] > 60 && drawn[2] > 60);
  gsample_dist_free(q);
}

/* How often a draft drawn from q stands. With q the caller's own the share is sum(min(p, q)), without it sum(p q). */
static double acceptance(const float* row, const double* q, int pass_q, int32_t fixed) {
  gsample_dist* dist = weights(q, 3);
  gsample_sampler *target = with_seed(1), *drafter = with_seed(2);
  int i, accepted = 0;
  for (i = 0; i < 40000; i++) {
    const int32_t draft = fixed >= 0 ? fixed : gsample_dist_draw(dist, drafter);
    const step r = decide(target, row, 3, &draft, 1, pass_q ? dist : NULL);
    assert_true(r.status == 0 && r.n >= 1 && r.n <= 2);
    accepted += r.n == 2;
    if (r.n == 2) assert_int_equal(r.tokens[0], draft);
  }
  gsample_dist_free(dist);
  gsample_free(target), gsample_free(drafter);
  return accepted / 40000.;
}

/* 131 and 132: the distribution that was used is the caller's to give, in f64; left out, the drafts are certain. Six standard
   deviations of 40000 draws are 0.014. */
static void report_132_the_share_that_stands(void** state) {
  const double q[] = {.2, .3, .5};
  LOGS(row, .5, .3, .2);
  (void)state;
  assert_true(fabs(acceptance(row, q, 1, -1) - .70) < .014);
  assert_true(fabs(acceptance(row, q, 0, -1) - .29) < .014);
}

static void report_131_q_is_what_the_draft_was_drawn_from(void** state) {
  const double rounded[] = {.201171875, .30078125, .498046875}; /* bf16 of .2, .3, .5: their sum is not 1, the weights are normalised */
  LOGS(row, .5, .3, .2);
  (void)state;
  assert_true(fabs(acceptance(row, rounded, 1, -1) - (.2 + .201171875 + .3) / 1) < .014);
}

static void report_133_an_argmax_draft_is_a_point(void** state) {
  const double q[] = {.1, .6, .3}, point[] = {0, 1, 0};
  LOGS(row, .4, .3, .3);
  (void)state;
  assert_true(fabs(acceptance(row, q, 0, 1) - .3) < .014);
  assert_true(fabs(acceptance(row, point, 1, 1) - .3) < .014);
}

static void report_135_accepted_and_one_nothing_else(void** state) {
  const float row[] = {0, 9, 0};
  gsample_params params = plain_params();
  gsample_sampler* s;
  step r;
  (void)state;
  params.temperature = 0;
  s = make(&params);
  r = decide(s, row, 3, (int32_t[]){1, 1, 0, 1}, 4, NULL);
  assert_int_equal(r.n, 3);
  assert_memory_equal(r.tokens, ((int32_t[]){1, 1, 1}), 12);
  r = decide(s, row, 3, (int32_t[]){0, 1, 1, 1}, 4, NULL);
  assert_int_equal(r.n, 1);
  r = decide(s, row, 3, (int32_t[]){1, 1, 1, 1}, 4, NULL);
  assert_int_equal(r.n, 5);
  gsample_free(s);
}

/* Padding of -1 is no token: the count of drafts says where they end, and a -1 among them only ends them. One number a row, one more
   for what replaces a draft. */
static void report_136_padding_and_numbers(void** state) {
  gsample_params params = plain_params();
  gsample_sampler *s, *twin;
  gsample_dist* q = WEIGHTS(.5, .5);
  const float row[] = {0, .1f};
  const int32_t drafts[] = {1, 0, 1, -1, -1};
  step r;
  int round;
  (void)state;
  for (round = 0; round < 200; round++) {
    uint32_t i, used;
    params.seed = (uint64_t)round;
    s = make(&params), twin = make(&params);
    r = decide(s, row, 2, drafts, 5, NULL);
    assert_true(r.status == 0 && r.n >= 1 && r.n <= 4);
    for (i = 0; i < r.n; i++) assert_int_equal(gsample_pick(twin, row, 2), r.tokens[i]);
    assert_true(gsample_uniform(s) == gsample_uniform(twin));
    r = decide(s, row, 2, drafts, 3, q);
    assert_true(r.status == 0 && r.n >= 1 && r.n <= 4);
    /* The residual of .475 and .525 against .5 and .5 is one token, which takes no number. */
    used = r.n;
    for (i = 0; i < used; i++) gsample_uniform(twin);
    assert_true(gsample_uniform(s) == gsample_uniform(twin));
    gsample_free(s), gsample_free(twin);
  }
  gsample_dist_free(q);
}

static void report_137_greedy_verification_has_no_chance(void** state) {
  gsample_params params = plain_params();
  gsample_dist* q = WEIGHTS(.9, .05, .05);
  const float row[] = {1, 2, 1.5f};
  (void)state;
  params.temperature = 0;
  for (params.seed = 0; params.seed < 100; params.seed++) {
    gsample_sampler *s = make(&params), *twin = make(&params);
    step r = decide(s, row, 3, (int32_t[]){1, 0}, 2, q);
    assert_true(r.n == 2 && r.tokens[0] == 1 && r.tokens[1] == 1);
    r = decide(s, row, 3, (int32_t[]){1, 0}, 2, NULL);
    assert_true(r.n == 2 && r.tokens[0] == 1 && r.tokens[1] == 1);
    assert_true(gsample_uniform(s) == gsample_uniform(twin)); /* no number was taken */
    gsample_free(s), gsample_free(twin);
  }
  gsample_dist_free(q);
}

/* The draft has a chain of its own: what it leaves out is only proposed less. */
static void report_141_draft_and_target_are_separate(void** state) {
  gsample_params wide = plain_params(), sure = plain_params();
  gsample_sampler *target, *drafter;
  gsample_row view;
  gsample_dist* q = NULL;
  int i, seen[3] = {0};
  LOGS(row, .5, .3, .2);
  (void)state;
  sure.min_p = .7f, sure.seed = 2;
  target = make(&wide), drafter = make(&sure);
  view = row_of(row, 3);
  assert_int_equal(gsample_dist_new(&q), 0);
  for (i = 0; i < 20000; i++) {
    int32_t draft;
    assert_int_equal(gsample_dist_from_row(q, drafter, &view), 0);
    draft = gsample_dist_draw(q, drafter);
    assert_int_equal(draft, 0);
    seen[decide(target, row, 3, &draft, 1, q).tokens[0]]++;
  }
  assert_true(abs(seen[0] - 10000) < 430 && abs(seen[1] - 6000) < 390 && abs(seen[2] - 4000) < 340); /* 6 standard deviations */
  gsample_dist_free(q);
  gsample_free(target), gsample_free(drafter);
}

/* Both rules: the certain drafts' one gives the tokens of plain picks, history and all. */
static void report_142_histories_move_draft_by_draft(void** state) {
  gsample_params params = plain_params();
  const float row[] = {1, 1.2f, .9f, 1.1f};
  int round;
  (void)state;
  params.penalty_repeat = 1.3f, params.penalty_freq = .2f, params.dry_multiplier = .5f;
  for (round = 0; round < 200; round++) {
    gsample_sampler *s, *twin;
    saved state_;
    int k;
    params.seed = (uint64_t)round;
    s = make(&params), twin = make(&params);
    for (k = 0; k < 5; k++) {
      const int32_t drafts[] = {(round + k) % 4, (round * 3 + k) % 4, k % 4};
      const step r = decide(s, row, 4, drafts, 3, NULL);
      uint32_t i;
      for (i = 0; i < r.n; i++) assert_int_equal(gsample_pick(twin, row, 4), r.tokens[i]);
    }
    state_ = save_of(twin);
    expect_unmoved(s, state_);
    free(state_.bytes);
    gsample_free(s), gsample_free(twin);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(report_128_probability_zero_is_never_accepted),
      cmocka_unit_test(report_129_the_target_is_shaped_too),
      cmocka_unit_test(report_130_temperature_matters_in_verification),
      cmocka_unit_test(report_131_q_is_what_the_draft_was_drawn_from),
      cmocka_unit_test(report_132_the_share_that_stands),
      cmocka_unit_test(report_133_an_argmax_draft_is_a_point),
      cmocka_unit_test(report_135_accepted_and_one_nothing_else),
      cmocka_unit_test(report_136_padding_and_numbers),
      cmocka_unit_test(report_137_greedy_verification_has_no_chance),
      cmocka_unit_test(report_141_draft_and_target_are_separate),
      cmocka_unit_test(report_142_histories_move_draft_by_draft),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

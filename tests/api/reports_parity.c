/* Where other systems differ, each preset does as its system does: worked examples for the order of temperature and truncation, of bias
   and penalties, of the penalties among themselves, and for what of the prompt they count (report 96 among them). */
#include "sampler_support.h"

static gsample_sampler* of(const char* preset, void (*set)(gsample_params*)) {
  gsample_params params = preset_params(preset);
  if (set) set(&params);
  return make(&params);
}

/* Everything off but the preset's order and style. */
static void bare(gsample_params* p) { p->temperature = 1, p->top_k = 0, p->top_p = 1, p->min_p = 0, p->top_n_sigma = 0; }

static void hot_nucleus(gsample_params* p) { bare(p), p->temperature = 2, p->top_p = .6f; }

/* P[.6, .3, .1] at T = 2 is P[.473, .334, .193]: top_p .6 keeps one token before the temperature and two after it. */
static void temperature_before_or_after_top_p(void** state) {
  const char* const after[] = {"golem", "llama.cpp"}; /* the temperature comes last */
  const char* const before[] = {"vllm", "hf", "ollama", "openai"};
  size_t i;
  LOGS(row, .6000001, .3, .1);
  (void)state;
  for (i = 0; i < COUNT(after); i++) {
    gsample_sampler* s = of(after[i], hot_nucleus);
    expect_kept(s, row, 3, TOKENS(0));
    gsample_free(s);
  }
  for (i = 0; i < COUNT(before); i++) {
    gsample_sampler* s = of(before[i], hot_nucleus);
    expect_kept(s, row, 3, TOKENS(0, 1));
    EXPECT_P(s, row, 1e-5, .585786, .414214, 0);
    gsample_free(s);
  }
}

static void hot_min_p(gsample_params* p) { bare(p), p->temperature = 2, p->min_p = .55f; }

static void temperature_before_or_after_min_p(void** state) {
  const char* const after[] = {"golem", "llama.cpp"};
  const char* const before[] = {"vllm", "hf", "ollama"};
  size_t i;
  LOGS(row, .6, .3, .1);
  (void)state;
  for (i = 0; i < COUNT(after); i++) {
    gsample_sampler* s = of(after[i], hot_min_p);
    expect_kept(s, row, 3, TOKENS(0));
    gsample_free(s);
  }
  for (i = 0; i < COUNT(before); i++) {
    gsample_sampler* s = of(before[i], hot_min_p);
    expect_kept(s, row, 3, TOKENS(0, 1));
    gsample_free(s);
  }
}

static void k_and_p(gsample_params* p) { bare(p), p->top_k = 2, p->top_p = .5f; }

/* top-p after top-k sees a mass of 1 again, in every preset that has both. */
static void top_p_after_top_k_is_renormalised(void** state) {
  const char* const presets[] = {"golem", "llama.cpp", "vllm", "hf", "ollama"};
  size_t i;
  LOGS(row, .4, .3, .2, .1);
  (void)state;
  for (i = 0; i < COUNT(presets); i++) {
    gsample_sampler* s = of(presets[i], k_and_p);
    expect_kept(s, row, 4, TOKENS(0));
    gsample_free(s);
  }
}

static void min_p_and_p(gsample_params* p) { bare(p), p->min_p = .5f, p->top_p = .56f; }

/* vLLM cuts by min-p first, so that top-p sees what that left: .4 of .7 is .571. The others let top-p see all: .4, .7. */
static void min_p_before_or_after_top_p(void** state) {
  const char* const after[] = {"golem", "llama.cpp", "hf", "ollama"};
  gsample_sampler* s = of("vllm", min_p_and_p);
  size_t i;
  LOGS(row, .40, .30, .16, .14);
  (void)state;
  expect_kept(s, row, 4, TOKENS(0));
  gsample_free(s);
  for (i = 0; i < COUNT(after); i++) {
    s = of(after[i], min_p_and_p);
    expect_kept(s, row, 4, TOKENS(0, 1));
    gsample_free(s);
  }
}

static double logit_of_token(gsample_sampler* s, const float* row, uint32_t n, int32_t token) {
  gsample_dist* dist = dist_of(s, row, n); /* the last token has logit 0 */
  const double logit = log(gsample_dist_chance(dist, token) / gsample_dist_chance(dist, (int32_t)n - 1));
  gsample_dist_free(dist);
  return logit;
}

static void all_penalties(gsample_params* p) {
  bare(p), p->penalty_repeat = 1.5f, p->penalty_freq = .5f, p->penalty_present = .2f;
}

/* Report 96: l = 2, repeat 1.5, freq .5 three times, present .2: scaled first, -.3667. */
static void report_096_multiplied_before_added(void** state) {
  const char* const presets[] = {"golem", "llama.cpp", "vllm", "hf", "openai"};
  const float row[] = {2, 0};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(presets); i++) {
    gsample_sampler* s = of(presets[i], all_penalties);
    int k;
    for (k = 0; k < 3; k++) assert_int_equal(gsample_accept(s, 0), 0);
    assert_true(fabs(logit_of_token(s, row, 2, 0) + .36667) < 1e-5);
    gsample_free(s);
  }
}

static void repeat_only(gsample_params* p) { bare(p), p->penalty_repeat = 1.5f; }

/* Report 96: a bias of 3 on 2 and repeat 1.5: the bias first, 3.3333. */
static void report_096_bias_before_penalties(void** state) {
  const char* const presets[] = {"golem", "llama.cpp", "vllm", "hf", "openai"};
  const float row[] = {2, 0}, bias = 3;
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(presets); i++) {
    gsample_sampler* s = of(presets[i], repeat_only);
    assert_int_equal(gsample_bias(s, (const int32_t[]){0}, &bias, 1), 0);
    assert_int_equal(gsample_accept(s, 0), 0);
    assert_true(fabs(logit_of_token(s, row, 2, 0) - 10 / 3.) < 1e-5);
    gsample_free(s);
  }
}

/* The prompt counts for repeat everywhere; for the other two only where the style is WINDOW. */
static void what_of_the_prompt_counts(void** state) {
  const struct {
    const char* preset;
    double expected;
  } cases[] = {{"golem", 2 / 1.5 - 1.5 - .2}, {"llama.cpp", 2 / 1.5 - 1.5 - .2}, {"vllm", 2 / 1.5}, {"hf", 2 / 1.5}, {"openai", 2 / 1.5}};
  const float row[] = {2, 0};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(cases); i++) {
    gsample_sampler* s = of(cases[i].preset, all_penalties);
    assert_int_equal(gsample_seed(s, TOKENS(0, 0, 0)), 0);
    if (fabs(logit_of_token(s, row, 2, 0) - cases[i].expected) > 1e-5) fail_msg("%s", cases[i].preset);
    gsample_free(s);
  }
}

/* Windows of 64 forget, answers do not. */
static void how_far_penalties_look(void** state) {
  const struct {
    const char* preset;
    double expected;
  } cases[] = {{"golem", 2}, {"llama.cpp", 2}, {"vllm", 2 / 1.5}, {"hf", 2 / 1.5}, {"openai", 2 / 1.5}};
  const float row[] = {2, 0, 0};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(cases); i++) {
    gsample_sampler* s = of(cases[i].preset, repeat_only);
    int k;
    assert_int_equal(gsample_accept(s, 0), 0);
    for (k = 0; k < 64; k++) assert_int_equal(gsample_accept(s, 1), 0);
    if (fabs(logit_of_token(s, row, 3, 0) - cases[i].expected) > 1e-5) fail_msg("%s", cases[i].preset);
    gsample_free(s);
  }
}

/* What each system does when nothing is asked of it. */
static void defaults(void** state) {
  const struct {
    const char* preset;
    float temperature, top_p, min_p;
    int32_t top_k, style;
  } cases[] = {{"golem", 1, .95f, 0, 64, GSAMPLE_PENALTY_WINDOW},     {"llama.cpp", .8f, .95f, .05f, 40, GSAMPLE_PENALTY_WINDOW},
               {"vllm", 1, 1, 0, 0, GSAMPLE_PENALTY_ANSWER},          {"hf", 1, 1, 0, 50, GSAMPLE_PENALTY_ANSWER},
               {"ollama", .8f, .9f, 0, 40, GSAMPLE_PENALTY_WINDOW},   {"openai", 1, 1, 0, 0, GSAMPLE_PENALTY_ANSWER},
               {"greedy", 0, 1, 0, 0, GSAMPLE_PENALTY_WINDOW}};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(cases); i++) {
    const gsample_params p = preset_params(cases[i].preset);
    if (p.temperature != cases[i].temperature || p.top_p != cases[i].top_p || p.min_p != cases[i].min_p || p.top_k != cases[i].top_k ||
        (p.penalty_style != cases[i].style && strcmp(cases[i].preset, "ollama")) || p.penalty_repeat != 1 || p.penalty_freq != 0)
      fail_msg("%s has other defaults", cases[i].preset);
  }
}

static void llama_defaults_keep_what_its_chain_keeps(void** state) {
  gsample_sampler* s = of("llama.cpp", NULL);
  LOGS(row, .5, .3, .1, .08, .02); /* top_p .95: four; min_p .05 of .5: four; T .8 after them */
  (void)state;
  expect_kept(s, row, 5, TOKENS(0, 1, 2, 3));
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(temperature_before_or_after_top_p),
      cmocka_unit_test(temperature_before_or_after_min_p),
      cmocka_unit_test(top_p_after_top_k_is_renormalised),
      cmocka_unit_test(min_p_before_or_after_top_p),
      cmocka_unit_test(report_096_multiplied_before_added),
      cmocka_unit_test(report_096_bias_before_penalties),
      cmocka_unit_test(what_of_the_prompt_counts),
      cmocka_unit_test(how_far_penalties_look),
      cmocka_unit_test(defaults),
      cmocka_unit_test(llama_defaults_keep_what_its_chain_keeps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

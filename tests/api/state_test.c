/* One state: whatever a stage remembers goes on exactly through clone, assign, save and load, and set_params; reset is as after new; and
   samplers that take turns are as if each were alone. */
#include "constraint_support.h"

enum { N = 97 };

typedef struct chain {
  const char* name;
  void (*set)(gsample_params*);
} chain;

static void nothing(gsample_params* p) { (void)p; }
static void truncating(gsample_params* p) { p->top_k = 30, p->top_p = .95f, p->min_p = .01f, p->typical_p = .95f, p->top_n_sigma = 2; }
static void window(gsample_params* p) { p->penalty_repeat = 1.2f, p->penalty_freq = .1f, p->penalty_present = .2f, p->penalty_last_n = 9; }
static void answer(gsample_params* p) { window(p), p->penalty_style = GSAMPLE_PENALTY_ANSWER; }
static void dry(gsample_params* p) { p->dry_multiplier = 1, p->dry_allowed_length = 1, p->dry_last_n = 40; }
static void xtc(gsample_params* p) { p->xtc_probability = .5f, p->xtc_threshold = .01f; }
static void dynamic(gsample_params* p) { p->dynatemp_range = .5f, p->dynatemp_exponent = 2; }
static void mirostat_1(gsample_params* p) { p->mirostat = 1, p->mirostat_tau = 3; set_order(p, TOKENS(1, 9, 10)); }
static void mirostat_2(gsample_params* p) { p->mirostat = 2, p->mirostat_tau = 3, p->mirostat_eta = .3f; set_order(p, TOKENS(1, 9, 10)); }
static void adaptive(gsample_params* p) { p->adaptive_target = .2f, p->adaptive_decay = .8f; set_order(p, TOKENS(1, 9, 11)); }
static void all(gsample_params* p) { truncating(p), answer(p), dry(p), xtc(p), dynamic(p), p->min_keep = 2; }
static void greedy(gsample_params* p) { window(p), p->temperature = 0; }

static const chain chains[] = {{"nothing", nothing},       {"truncating", truncating}, {"window", window},         {"answer", answer},
                               {"dry", dry},               {"xtc", xtc},               {"dynamic", dynamic},       {"mirostat 1", mirostat_1},
                               {"mirostat 2", mirostat_2}, {"adaptive-p", adaptive},   {"all together", all},      {"greedy", greedy}};

static void fill(float* row, int step) {
  int i;
  for (i = 0; i < N; i++) row[i] = (float)((uint32_t)(i * 7919 + step * 104729) * 2654435761u >> 24) * .02f;
}

static gsample_sampler* set_up(const chain* c, uint64_t seed) {
  const float biases[] = {.7f, -INFINITY, -1};
  gsample_params params = plain_params();
  gsample_sampler* s;
  params.seed = seed;
  c->set(&params);
  s = make(&params);
  assert_int_equal(gsample_bias(s, (const int32_t[]){3, 50, 96}, biases, 3), 0);
  assert_int_equal(gsample_stop(s, TOKENS(7, 2)), 0);
  assert_int_equal(gsample_dry_breaker(s, TOKENS(11)), 0);
  assert_int_equal(gsample_dry_breaker(s, TOKENS(4, 5)), 0);
  assert_int_equal(gsample_seed(s, TOKENS(1, 2, 3, 1, 2, 3, 1, 2, 500)), 0);
  return s;
}

static int32_t next(gsample_sampler* s, int step) {
  float row[N];
  fill(row, step);
  if (step % 9 == 8) assert_int_equal(gsample_accept(s, step % N), 0);
  return gsample_pick(s, row, N);
}

static void expect_alike(gsample_sampler* a, gsample_sampler* b, const chain* c, const char* how) {
  int step;
  saved x;
  for (step = 100; step < 140; step++)
    if (next(a, step) != next(b, step)) fail_msg("%s, %s: other tokens from pick %d on", c->name, how, step - 100);
  x = save_of(a);
  expect_unmoved(b, x);
  free(x.bytes);
}

static void a_clone_goes_on(void** state) {
  size_t c;
  int step;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_sampler *s = set_up(&chains[c], 5), *copy = NULL;
    for (step = 0; step < 30; step++) assert_in_range(next(s, step), 0, N - 1);
    assert_int_equal(gsample_clone(s, &copy), 0);
    expect_alike(s, copy, &chains[c], "clone");
    gsample_free(s), gsample_free(copy);
  }
}

static void an_assigned_sampler_goes_on(void** state) {
  size_t c, d;
  int step;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_sampler *s = set_up(&chains[c], 5), *to;
    for (step = 0; step < 30; step++) next(s, step);
    d = (c + 5) % COUNT(chains);
    to = set_up(&chains[d], 6); /* something else before */
    for (step = 0; step < 50; step++) next(to, step);
    assert_int_equal(gsample_assign(to, s), 0);
    expect_alike(s, to, &chains[c], "assign");
    assert_int_equal(gsample_assign(s, s), 0); /* to itself: nothing */
    expect_alike(s, to, &chains[c], "assign to itself");
    gsample_free(s), gsample_free(to);
  }
}

static void a_loaded_sampler_goes_on(void** state) {
  size_t c;
  int step;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_sampler *s = set_up(&chains[c], 5), *loaded = NULL;
    saved bytes;
    for (step = 0; step < 30; step++) next(s, step);
    bytes = save_of(s);
    assert_int_equal(gsample_load(&loaded, bytes.bytes, bytes.n, NULL), 0);
    expect_unmoved(loaded, bytes);
    expect_alike(s, loaded, &chains[c], "load");
    assert_int_equal(gsample_reset(s), 0);
    assert_int_equal(gsample_reset(loaded), 0);
    expect_alike(s, loaded, &chains[c], "load and reset");
    gsample_free(s), gsample_free(loaded);
    free(bytes.bytes);
  }
}

/* Bias, stops and breakers stay, the history goes. */
static void reset_is_as_after_new(void** state) {
  size_t c;
  int step;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_sampler *s = set_up(&chains[c], 5), *fresh = set_up(&chains[c], 5);
    for (step = 0; step < 30; step++) next(s, step);
    assert_int_equal(gsample_reset(s), 0);
    assert_int_equal(gsample_seed(s, TOKENS(1, 2, 3, 1, 2, 3, 1, 2, 500)), 0);
    expect_alike(s, fresh, &chains[c], "reset");
    gsample_free(s), gsample_free(fresh);
  }
}

static void parameters_come_and_go_and_the_state_stays(void** state) {
  size_t c;
  int step;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    gsample_sampler *s = set_up(&chains[c], 5), *twin = set_up(&chains[c], 5);
    gsample_params own = plain_params(), other = plain_params();
    own.seed = 5;
    chains[c].set(&own);
    chains[(c + 3) % COUNT(chains)].set(&other);
    other.seed = 99; /* takes effect with reset only */
    for (step = 0; step < 30; step++) next(s, step), next(twin, step);
    assert_int_equal(gsample_set_params(s, &other, NULL), 0);
    assert_int_equal(gsample_set_params(s, &own, NULL), 0);
    expect_alike(s, twin, &chains[c], "set_params there and back");
    gsample_free(s), gsample_free(twin);
  }
}

static void a_new_seed_waits_for_reset(void** state) {
  gsample_params params = plain_params();
  gsample_sampler *s, *old, *fresh;
  int i;
  (void)state;
  params.seed = 1;
  s = make(&params), old = make(&params);
  params.seed = 2;
  fresh = make(&params);
  assert_int_equal(gsample_set_params(s, &params, NULL), 0);
  for (i = 0; i < 20; i++) assert_true(gsample_uniform(s) == gsample_uniform(old));
  assert_int_equal(gsample_reset(s), 0);
  for (i = 0; i < 20; i++) assert_true(gsample_uniform(s) == gsample_uniform(fresh));
  assert_int_equal(gsample_rng_seed(s, 1), 0);
  assert_int_equal(gsample_reset(old), 0);
  for (i = 0; i < 20; i++) assert_true(gsample_uniform(s) == gsample_uniform(old));
  gsample_free(s), gsample_free(old), gsample_free(fresh);
}

static void refused_parameters_leave_the_old(void** state) {
  gsample_params params = plain_params(), bad;
  gsample_sampler* s;
  gsample_error error = FRESH_ERROR;
  saved before;
  (void)state;
  all(&params);
  s = make(&params);
  before = save_of(s);
  bad = params, bad.min_p = 2;
  assert_int_equal(gsample_set_params(s, &bad, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_names(error, "min_p");
  assert_names(error, "2");
  expect_unmoved(s, before);
  free(before.bytes);
  gsample_free(s);
}

static void samplers_that_take_turns_are_alone(void** state) {
  enum { STEPS = 40 };
  static int32_t expected[COUNT(chains)][STEPS];
  gsample_sampler* s[COUNT(chains)];
  size_t c;
  int step;
  (void)state;
  for (c = 0; c < COUNT(chains); c++) {
    s[c] = set_up(&chains[c], c);
    for (step = 0; step < STEPS; step++) expected[c][step] = next(s[c], step + (int)c);
    gsample_free(s[c]);
  }
  for (c = 0; c < COUNT(chains); c++) s[c] = set_up(&chains[c], c);
  for (step = 0; step < STEPS; step++)
    for (c = 0; c < COUNT(chains); c++) assert_int_equal(next(s[c], step + (int)c), expected[c][step]);
  for (c = 0; c < COUNT(chains); c++) gsample_free(s[c]);
}

/* Setters replace; an empty list empties; order and repetition of stop tokens do not matter. */
static void setters_replace(void** state) {
  gsample_params params = plain_params();
  gsample_sampler *a = make(&params), *b = make(&params);
  const float biases[] = {1, 2, 3};
  saved bytes;
  (void)state;
  assert_int_equal(gsample_bias(a, (const int32_t[]){1, 2, 3}, biases, 3), 0);
  assert_int_equal(gsample_bias(a, (const int32_t[]){9}, biases, 1), 0);
  assert_int_equal(gsample_bias(b, (const int32_t[]){9}, biases, 1), 0);
  assert_int_equal(gsample_stop(a, TOKENS(1, 2, 3)), 0);
  assert_int_equal(gsample_stop(a, TOKENS(6, 5)), 0);
  assert_int_equal(gsample_stop(b, TOKENS(5, 6)), 0);
  assert_int_equal(gsample_dry_breaker(a, TOKENS(1)), 0);
  assert_int_equal(gsample_dry_breaker(a, NULL, 0), 0);
  bytes = save_of(b);
  expect_unmoved(a, bytes);
  free(bytes.bytes);
  assert_int_equal(gsample_bias(a, NULL, NULL, 0), 0);
  assert_int_equal(gsample_stop(a, NULL, 0), 0);
  gsample_free(b);
  b = make(&params);
  bytes = save_of(b);
  expect_unmoved(a, bytes);
  free(bytes.bytes);
  gsample_free(a), gsample_free(b);
}

static void save_asks_and_refuses(void** state) {
  gsample_sampler *s = set_up(&chains[10], 5), *loaded = NULL;
  const saved bytes = save_of(s);
  unsigned char* damaged = (unsigned char*)malloc(bytes.n + 8);
  gsample_error error = FRESH_ERROR;
  size_t i;
  (void)state;
  memset(damaged, 0xee, bytes.n + 8);
  assert_int_equal(gsample_save(s, damaged, bytes.n - 1), GSAMPLE_ERROR_BUFFER);
  assert_int_equal(gsample_save(s, damaged, 1), GSAMPLE_ERROR_BUFFER);
  for (i = 0; i < bytes.n + 8; i++) assert_int_equal(damaged[i], 0xee);
  assert_int_equal(gsample_save(s, damaged, bytes.n + 8), bytes.n);
  assert_int_equal(damaged[bytes.n], 0xee);
  for (i = 0; i < bytes.n; i++) { /* every byte is looked at */
    damaged[i] ^= 1 << i % 8;
    assert_true(gsample_load(&loaded, damaged, bytes.n, &error) < 0);
    assert_null(loaded);
    damaged[i] ^= 1 << i % 8;
    assert_int_equal(gsample_load(&loaded, damaged, i, &error), GSAMPLE_ERROR_FORMAT); /* and cut there */
  }
  assert_int_equal(gsample_load(&loaded, damaged, bytes.n + 1, &error), GSAMPLE_ERROR_FORMAT);
  damaged[4] ^= 2; /* the format's number */
  assert_int_equal(gsample_load(&loaded, damaged, bytes.n, &error), GSAMPLE_ERROR_UNSUPPORTED);
  damaged[4] ^= 2, damaged[8] ^= 2; /* the semantics' */
  assert_int_equal(gsample_load(&loaded, damaged, bytes.n, &error), GSAMPLE_ERROR_UNSUPPORTED);
  assert_null(loaded);
  free(damaged), free(bytes.bytes);
  gsample_free(s);
}

static void shaped_and_candidates_needed(void** state) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  const float minus = -1, plus = 1;
  (void)state;
  params.temperature = 0;
  s = make(&params);
  assert_int_equal(gsample_shaped(s), 0);
  assert_int_equal(gsample_candidates_needed(s), 1);
  assert_int_equal(gsample_bias(s, (const int32_t[]){3}, &minus, 1), 0);
  assert_int_equal(gsample_shaped(s), 1);
  assert_true(gsample_candidates_needed(s) >= 2);
  assert_int_equal(gsample_bias(s, (const int32_t[]){3}, &plus, 1), 0);
  assert_int_equal(gsample_candidates_needed(s), 0); /* a raised token may come from anywhere */
  gsample_free(s);
  params = plain_params();
  s = make(&params);
  assert_int_equal(gsample_shaped(s), 1);
  assert_int_equal(gsample_candidates_needed(s), 0);
  gsample_free(s);
  params.top_k = 40;
  s = make(&params);
  assert_int_equal(gsample_candidates_needed(s), 40);
  gsample_free(s);
  params.penalty_repeat = 1.1f;
  s = make(&params);
  assert_in_range(gsample_candidates_needed(s), 40, 104);
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_clone_goes_on),
      cmocka_unit_test(an_assigned_sampler_goes_on),
      cmocka_unit_test(a_loaded_sampler_goes_on),
      cmocka_unit_test(reset_is_as_after_new),
      cmocka_unit_test(parameters_come_and_go_and_the_state_stays),
      cmocka_unit_test(a_new_seed_waits_for_reset),
      cmocka_unit_test(refused_parameters_leave_the_old),
      cmocka_unit_test(samplers_that_take_turns_are_alone),
      cmocka_unit_test(setters_replace),
      cmocka_unit_test(save_asks_and_refuses),
      cmocka_unit_test(shaped_and_candidates_needed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

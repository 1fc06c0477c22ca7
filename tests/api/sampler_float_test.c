/* A host may round as it likes, flush subnormals and unmask exceptions: the tokens are the same, and its settings are as before. */
#include <fenv.h>

#include "constraint_support.h"

#if defined(__x86_64__)
#include <xmmintrin.h>
static unsigned get_control(void) { return _mm_getcsr() & 0xffc0; }
static void set_control(unsigned control) { _mm_setcsr(control); }
/* Defaults; flush to zero and denormals as zero; rounding down, up, to zero; all of it; with all exceptions unmasked. */
static const unsigned settings[] = {0x1f80, 0x9fc0, 0x3f80, 0x5f80, 0x7f80, 0xffc0, 0x0000, 0xe040};
#elif defined(__aarch64__)
static unsigned get_control(void) {
  uint64_t control;
  __asm__ volatile("mrs %0, fpcr" : "=r"(control));
  return (unsigned)control & 0x07c00000;
}
static void set_control(unsigned control) { __asm__ volatile("msr fpcr, %0" : : "r"((uint64_t)control)); }
static const unsigned settings[] = {0, 0x01000000, 0x00400000, 0x00800000, 0x00c00000, 0x03c00000};
#else
static const int settings[] = {FE_TONEAREST, FE_TONEAREST};
static int get_control(void) { return fegetround(); }
static void set_control(int round) { fesetround(round); }
#endif

enum { N = 1500, TRACE = 4096 };

/* All that a session of calls gives, as bytes; its inputs are made in default settings before. */
typedef struct trace {
  unsigned char bytes[TRACE];
  size_t n;
} trace;

static void note(trace* t, const void* p, size_t n) {
  if (t->n + n > TRACE) abort();
  memcpy(t->bytes + t->n, p, n);
  t->n += n;
}
#define NOTE(t, value) note(t, &(value), sizeof(value))

static float rows[3][N];
static unsigned char state_[20000];

static const gsample_params* chains(size_t i) {
  static gsample_params p[9];
  size_t k;
  for (k = 0; k < COUNT(p); k++) p[k] = plain_params(), p[k].seed = k;
  p[1].top_k = 40, p[1].top_p = .9f, p[1].temperature = .7f, p[1].min_p = .01f;
  p[2].typical_p = .9f, p[2].penalty_repeat = 1.3f, p[2].penalty_freq = .1f;
  p[3].top_n_sigma = 1, p[3].dry_multiplier = .7f, p[3].dry_allowed_length = 0;
  p[4].dynatemp_range = .5f, p[4].xtc_probability = .5f, p[4].xtc_threshold = .001f;
  p[5].mirostat = 1, set_order(&p[5], TOKENS(9, 10));
  p[6].mirostat = 2, set_order(&p[6], TOKENS(9, 10));
  p[7].adaptive_target = .01f, set_order(&p[7], TOKENS(9, 11));
  p[8].temperature = 1e-38f; /* subnormal steps */
  return i < COUNT(p) ? &p[i] : NULL;
}

static void session(trace* t, const gsample_params* params, unsigned control, int check) {
  gsample_sampler *s = NULL, *copy = NULL;
  gsample_dist *p = NULL, *q = NULL;
  const float biases[] = {.3f, -.1f};
  int32_t status, step;
  int64_t size;
  double number;
#define CALL(expression)                                                            \
  do {                                                                              \
    expression;                                                                     \
    if (check && get_control() != control) {                                        \
      set_control(settings[0]);                                                     \
      fail_msg("control %x became %x in %s", control, get_control(), #expression);  \
    }                                                                               \
  } while (0)
  t->n = 0;
  CALL(status = gsample_new(params, &s, NULL));
  NOTE(t, status);
  CALL(status = gsample_bias(s, (const int32_t[]){3, 700}, biases, 2));
  CALL(status = gsample_seed(s, TOKENS(1, 2, 1, 2)));
  for (step = 0; step < 12; step++) {
    gsample_logprob top[3] = {{0, 0, 0}};
    gsample_choice choice = {.size = sizeof choice, .logprob_mode = 1 + (uint32_t)step % 3, .n_top = 3, .top = top};
    const gsample_row row = row_of(rows[step % 3], N);
    gsample_logprob item = {0, 17, 0};
    CALL(status = gsample_pick_row(s, &row, &choice));
    NOTE(t, status), NOTE(t, choice.logprob), NOTE(t, top[0]);
    CALL(status = gsample_best(&row));
    NOTE(t, status);
    CALL(status = gsample_logprobs(&row, &item, 1));
    NOTE(t, item);
  }
  {
    const gsample_row row = row_of(rows[0], N);
    const int32_t draft = 5;
    const double w[] = {.1, .7, 1e-310};
    int32_t tokens[2] = {-1, -1};
    const gsample_dist* dists[1];
    gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 2, .sampler = s, .logits = rows, .row_stride = sizeof rows[0],
                            .drafts = &draft, .n_drafts = 1, .tokens = tokens, .draft_dists = dists};
    CALL(status = gsample_dist_new(&p));
    CALL(status = gsample_dist_new(&q));
    CALL(status = gsample_dist_set(q, (const int32_t[]){5, 6, 7}, w, 3));
    NOTE(t, status);
    CALL(status = gsample_dist_from_row(p, s, &row));
    note(t, gsample_dist_weights(p), 8 * (gsample_dist_size(p) < 5 ? gsample_dist_size(p) : 5));
    CALL(number = gsample_dist_chance(p, 5));
    NOTE(t, number);
    CALL(status = gsample_dist_draw(p, s));
    NOTE(t, status);
    CALL(status = gsample_dist_residual(p, q, q));
    CALL(number = gsample_dist_total(q));
    NOTE(t, number);
    dists[0] = p;
    CALL(status = gsample_decide(&one, 1, NULL, NULL));
    NOTE(t, status), NOTE(t, tokens);
    CALL(status = gsample_dist_from_candidates(p, s, (const int32_t[]){1, 2, 3}, rows[0], 3, N, 0));
    CALL(number = gsample_dist_chance(p, 2));
    NOTE(t, number);
  }
  CALL(number = gsample_uniform(s));
  NOTE(t, number);
  CALL(status = gsample_clone(s, &copy));
  CALL(status = gsample_assign(copy, s));
  CALL(size = gsample_save(s, state_, sizeof state_));
  NOTE(t, size);
  note(t, state_, 256);
  gsample_free(copy);
  copy = NULL;
  CALL(status = gsample_load(&copy, state_, (size_t)size, NULL));
  CALL(status = gsample_pick(copy, rows[1], N));
  NOTE(t, status);
  CALL(status = gsample_set_params(s, params, NULL));
  CALL(status = gsample_reset(s));
  gsample_free(s), gsample_free(copy);
  gsample_dist_free(p), gsample_dist_free(q);
}

static void settings_do_not_enter(void** state) {
  size_t c, i;
  int k;
  (void)state;
  for (i = 0; i < 3; i++)
    for (k = 0; k < N; k++) {
      const uint32_t x = (uint32_t)(k * 7919 + (int)i * 104729) * 2654435761u >> 12;
      rows[i][k] = i == 2 ? (float)(x % 977) * 1e-39f : (float)x * 1.1e-5f;
    }
  for (c = 0; chains(c); c++) {
    const gsample_params* params = chains(c);
    static trace expected, got;
    set_control(settings[0]);
    session(&expected, params, settings[0], 1);
    for (i = 1; i < COUNT(settings); i++) {
      set_control(settings[i]);
      session(&got, params, settings[i], 1);
      set_control(settings[0]);
      if (got.n != expected.n || memcmp(got.bytes, expected.bytes, got.n)) fail_msg("chain %zu under control %x differs", c, settings[i]);
    }
  }
}

/* Parameters given as text are the same numbers. */
static void text_is_read_the_same(void** state) {
  gsample_params expected = plain_params(), got = plain_params();
  char a[4096], b[4096];
  size_t i;
  (void)state;
  assert_int_equal(gsample_params_set(&expected, "temperature", "0.1234567", NULL), 0);
  assert_int_equal(gsample_params_set(&expected, "min_p", "1e-41", NULL), 0);
  assert_int_equal(gsample_params_set(&expected, "top_p", "0.30000001", NULL), 0);
  assert_true(gsample_params_describe(&expected, a, sizeof a) > 0);
  for (i = 1; i < COUNT(settings); i++) {
    int32_t status;
    int64_t size;
    got = plain_params();
    set_control(settings[i]);
    status = gsample_params_set(&got, "temperature", "0.1234567", NULL);
    status |= gsample_params_set(&got, "min_p", "1e-41", NULL);
    status |= gsample_params_set(&got, "top_p", "0.30000001", NULL);
    size = gsample_params_describe(&got, b, sizeof b);
    if (get_control() != settings[i]) status = -1;
    set_control(settings[0]);
    assert_int_equal(status, 0);
    assert_true(size > 0);
    if (memcmp(&got, &expected, sizeof got)) fail_msg("control %x: other numbers", settings[i]);
    assert_string_equal(a, b);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(settings_do_not_enter), cmocka_unit_test(text_is_read_the_same)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Logprobs and ranks in every mode against a plain computation in double, and what rows say of themselves. */
#include "sampler_support.h"

static uint32_t random_bits(uint32_t* state) { return *state = *state * 1664525u + 1013904223u, *state >> 8; }

static void fill(float* row, uint32_t n, int kind, uint32_t seed) {
  uint32_t i;
  for (i = 0; i < n; i++) {
    const uint32_t x = random_bits(&seed);
    switch (kind) {
      case 0: row[i] = (float)(x % 10000) * .002f - 10; break;
      case 1: row[i] = (float)(x % 5); break;
      case 2: row[i] = x % 3 ? -INFINITY : (float)(x % 100) * .1f; break;
      case 3: row[i] = (float)(x % 1000) * 1e-40f; break;
      default: row[i] = (float)(x % 1000) * -.5f; break;
    }
  }
  row[n / 2] = 3;
}

/* ln of the softmax of the tokens whose `in` is not 0. A tempered logit is a float. */
static double logprob(const float* row, uint32_t n, const unsigned char* in, float t, int32_t token) {
  double max = -INFINITY, sum = 0;
  uint32_t i;
  for (i = 0; i < n; i++)
    if (in[i] && row[i] / t > max) max = row[i] / t;
  for (i = 0; i < n; i++)
    if (in[i]) sum += exp((double)(row[i] / t) - max);
  return in[token] ? (double)(row[token] / t) - max - log(sum) : -INFINITY;
}

static int32_t rank_of(const float* row, uint32_t n, const unsigned char* in, int32_t token) {
  int32_t rank = 1;
  uint32_t i;
  for (i = 0; i < n; i++)
    if (in[i]) rank += row[i] > row[token] || (row[i] == row[token] && (int32_t)i < token);
  return rank;
}

static const uint32_t widths[] = {1, 2, 17, 255, 1023, 1024, 1025, 5000, 40001};

static void a_row_tells_its_logprobs(void** state) {
  float* row = (float*)malloc(40001 * sizeof *row);
  unsigned char* all = (unsigned char*)malloc(40001);
  size_t w;
  int kind;
  (void)state;
  memset(all, 1, 40001);
  for (w = 0; w < COUNT(widths); w++)
    for (kind = 0; kind < 5; kind++) {
      const uint32_t n = widths[w];
      gsample_logprob items[12];
      const gsample_row view = row_of(row, n);
      int i;
      fill(row, n, kind, (uint32_t)w + 1);
      for (i = 0; i < 12; i++) items[i].token = (int32_t)((uint32_t)i * 7919 % n), items[i].logprob = 7, items[i].rank = -4;
      assert_int_equal(gsample_logprobs(&view, items, 12), 0);
      for (i = 0; i < 12; i++) {
        const double expected = logprob(row, n, all, 1, items[i].token);
        assert_int_equal(items[i].token, (uint32_t)i * 7919 % n);
        if (isinf(expected) ? items[i].logprob != expected : !(fabs(items[i].logprob - expected) < 1e-6))
          fail_msg("kind %d, n %u, token %d: %.9g, not %.9g", kind, n, items[i].token, items[i].logprob, expected);
        if (!isinf(expected)) assert_int_equal(items[i].rank, rank_of(row, n, all, items[i].token));
      }
    }
  free(row), free(all);
}

/* With a pick: mask and bias shape what is drawn, raw logprobs do not see them, processed ones see all of it. */
static void a_pick_tells_its_logprobs(void** state) {
  float* row = (float*)malloc(40001 * sizeof *row);
  unsigned char *all = (unsigned char*)malloc(40001), *kept = (unsigned char*)malloc(40001);
  uint32_t* mask = (uint32_t*)malloc(40032 / 8);
  size_t w;
  int kind;
  (void)state;
  memset(all, 1, 40001);
  for (w = 0; w < COUNT(widths); w++)
    for (kind = 0; kind < 10; kind++) {
      const uint32_t n = widths[w];
      const float t = kind % 2 ? 1 : .7f;
      gsample_params params = plain_params();
      gsample_sampler* s;
      gsample_row view = row_of(row, n);
      const float ban = -INFINITY;
      int step;
      uint32_t i;
      if (kind < 5) params.top_k = 30;
      params.temperature = t;
      s = make(&params);
      assert_int_equal(gsample_bias(s, (const int32_t[]){0}, &ban, n > 2), 0);
      memset(mask, 0, 40032 / 8);
      for (i = 0; i < n; i++)
        if (i % 5 != 1 || n < 3) mask[i / 32] |= 1u << i % 32;
      view.mask = mask;
      for (step = 0; step < 6; step++) {
        gsample_logprob top[40];
        gsample_choice choice = {.size = sizeof choice, .logprob_mode = 1 + (uint32_t)step % 3, .n_top = 40, .top = top};
        int32_t token;
        fill(row, n, kind % 5, (uint32_t)(w * 100 + (size_t)step));
        token = gsample_pick_row(s, &view, &choice);
        assert_in_range(token, 0, n - 1);
        assert_int_equal(choice.token, token);
        for (i = 0; i < n; i++) kept[i] = row[i] > -INFINITY && (mask[i / 32] >> i % 32 & 1) && !(n > 2 && i == 0);
        if (kind < 5 && n > 5000) continue; /* the plain ranks would take too long */
        if (kind < 5) {
          unsigned char* allowed = (unsigned char*)malloc(n);
          memcpy(allowed, kept, n);
          for (i = 0; i < n; i++) kept[i] = allowed[i] && rank_of(row, n, allowed, (int32_t)i) <= 30;
          free(allowed);
        }
        if (step % 3 == 1) {
          assert_true(choice.logprob == (double)row[token]);
        } else {
          const double expected = step % 3 ? logprob(row, n, kept, params.temperature, token) : logprob(row, n, all, 1, token);
          if (!(fabs(choice.logprob - expected) < 1e-6)) fail_msg("kind %d, n %u, mode %d: %.9g, not %.9g", kind, n, 1 + step % 3, choice.logprob, expected);
        }
        assert_int_equal(choice.rank, rank_of(row, n, step % 3 == 2 ? kept : all, token));
        assert_in_range(choice.n_written, 1, 40);
        for (i = 0; i < choice.n_written; i++) {
          const unsigned char* in = step % 3 == 2 ? kept : all;
          const double expected = step % 3 == 1 ? (double)row[top[i].token] : logprob(row, n, in, step % 3 ? params.temperature : 1, top[i].token);
          assert_int_equal(top[i].rank, i + 1);
          assert_int_equal(rank_of(row, n, in, top[i].token), i + 1);
          assert_true(in[top[i].token]);
          assert_true(top[i].logprob == expected || fabs(top[i].logprob - expected) < 1e-6);
        }
        for (i = 0; i < n && choice.n_written < 40; i++) /* nothing with a probability is left out */
          if (step % 3 == 2 ? kept[i] : row[i] > -INFINITY) assert_true(rank_of(row, n, step % 3 == 2 ? kept : all, (int32_t)i) <= (int32_t)choice.n_written);
      }
      gsample_free(s);
    }
  free(row), free(all), free(kept), free(mask);
}

static void infinities_and_bans(void** state) {
  const float infinite[] = {1, INFINITY, 2, INFINITY, -INFINITY}, one[] = {-INFINITY, 4, -INFINITY};
  const float not_a_number[] = {-INFINITY, NAN, -INFINITY, 7};
  gsample_row view = row_of(infinite, 5);
  gsample_logprob items[5];
  int i;
  (void)state;
  for (i = 0; i < 5; i++) items[i].token = i;
  assert_int_equal(gsample_logprobs(&view, items, 5), 0);
  assert_true(fabs(items[1].logprob + log(2)) < 1e-9 && fabs(items[3].logprob + log(2)) < 1e-9);
  assert_true(items[0].logprob == -INFINITY && items[4].logprob == -INFINITY);
  assert_true(items[1].rank == 1 && items[3].rank == 2 && items[2].rank == 3 && items[0].rank == 4);
  view = row_of(one, 3);
  assert_int_equal(gsample_logprobs(&view, items, 3), 0);
  assert_true(items[1].logprob == 0 && items[0].logprob == -INFINITY && items[1].rank == 1);
  view = row_of(not_a_number, 4);
  assert_int_equal(gsample_logprobs(&view, items, 4), 0);
  assert_true(items[1].rank == 0 && items[1].logprob == -INFINITY);
  assert_true(items[3].rank == 1 && items[0].rank == 2 && items[2].rank == 3);
}

static void the_most_likely_come_first_in_adaptive_p(void** state) {
  const float row[] = {3, 2.9f, .5f, .4f};
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_logprob top[4];
  const gsample_row view = row_of(row, 4);
  gsample_choice choice = {.size = sizeof choice, .logprob_mode = GSAMPLE_LOGPROB_PROCESSED, .n_top = 4, .top = top};
  double sum = 0;
  uint32_t i;
  (void)state;
  params.adaptive_target = .1f;
  set_order(&params, TOKENS(GSAMPLE_STAGE_ADAPTIVE_P));
  s = make(&params);
  assert_in_range(gsample_pick_row(s, &view, &choice), 0, 3);
  assert_int_equal(choice.n_written, 4);
  for (i = 0; i < 4; i++) sum += exp(top[i].logprob);
  assert_true(fabs(sum - 1) < 1e-6);
  for (i = 1; i < 4; i++) assert_true(top[i - 1].logprob >= top[i].logprob);
  gsample_free(s);
}

static void a_choice_of_an_older_caller(void** state) {
  const float row[] = {0, 9, 0};
  const gsample_row view = row_of(row, 3);
  gsample_params params = plain_params();
  gsample_sampler* s;
  uint32_t size;
  (void)state;
  params.temperature = 0;
  s = make(&params);
  for (size = 8; size < sizeof(gsample_choice); size += 8) {
    unsigned char bytes[2 * sizeof(gsample_choice)];
    gsample_choice* choice = (gsample_choice*)(void*)malloc(sizeof bytes);
    size_t i;
    memset(choice, 0xee, sizeof bytes);
    memset(choice, 0, size < 16 ? size : 16);
    choice->size = size;
    if (gsample_pick_row(s, &view, choice) != 1) fail_msg("size %u is refused", size);
    for (i = size; i < sizeof bytes; i++)
      if (((unsigned char*)choice)[i] != 0xee) fail_msg("size %u: byte %zu was written", size, i);
    free(choice);
  }
  gsample_free(s);
}

static void rows_are_described(void** state) {
  const float row[] = {3, -INFINITY, NAN, -2, INFINITY, 7};
  const uint32_t mask = 0x2b; /* without 2 and 4 */
  gsample_row view = row_of(row, 6);
  gsample_row_report report = {.size = sizeof report};
  struct {
    uint32_t size, n_nan;
    uint64_t guard;
  } old = {8, 99, 0xeeeeeeeeeeeeeeeeu};
  (void)state;
  assert_int_equal(gsample_row_check(&view, &report), 0);
  assert_true(report.n_nan == 1 && report.n_pos_inf == 1 && report.n_neg_inf == 1 && report.first_bad == 2 && report.min == -2 && report.max == 7);
  assert_int_equal(gsample_best(&view), GSAMPLE_ERROR_NOT_A_NUMBER);
  view.mask = &mask;
  assert_int_equal(gsample_row_check(&view, &report), 0);
  assert_true(report.n_nan == 0 && report.n_pos_inf == 0 && report.n_neg_inf == 1 && report.first_bad == -1);
  assert_int_equal(gsample_best(&view), 5);
  assert_int_equal(gsample_row_check(&view, (gsample_row_report*)(void*)&old), 0);
  assert_true(old.n_nan == 0 && old.guard == 0xeeeeeeeeeeeeeeeeu);
  view = row_of(row + 1, 1);
  assert_int_equal(gsample_row_check(&view, &report), 0);
  assert_true(report.min == INFINITY && report.max == -INFINITY);
  assert_int_equal(gsample_best(&view), GSAMPLE_ERROR_NO_CANDIDATE);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_row_tells_its_logprobs),
      cmocka_unit_test(a_pick_tells_its_logprobs),
      cmocka_unit_test(infinities_and_bans),
      cmocka_unit_test(the_most_likely_come_first_in_adaptive_p),
      cmocka_unit_test(a_choice_of_an_older_caller),
      cmocka_unit_test(rows_are_described),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

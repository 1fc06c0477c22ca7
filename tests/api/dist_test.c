/* Distributions: what a pick draws from, from a row and from candidates; setting, drawing, and the algebra of residuals. */
#include "constraint_support.h"

enum { N = 3000 };

static void fill(float* row, int step) {
  int i;
  for (i = 0; i < N; i++) row[i] = (float)((uint32_t)(i * 7919 + step * 104729) * 2654435761u >> 20) * .004f;
}

static gsample_dist* dist_new(void) {
  gsample_dist* d = NULL;
  assert_int_equal(gsample_dist_new(&d), 0);
  return d;
}

static void a_new_one_is_empty(void** state) {
  gsample_dist* d = dist_new();
  gsample_params params = plain_params();
  gsample_sampler *s = make(&params), *twin = make(&params);
  (void)state;
  assert_int_equal(gsample_dist_size(d), 0);
  assert_true(gsample_dist_total(d) == 0);
  assert_true(gsample_dist_chance(d, 0) == 0);
  assert_int_equal(gsample_dist_draw(d, s), GSAMPLE_ERROR_NO_CANDIDATE);
  assert_true(gsample_uniform(s) == gsample_uniform(twin));
  gsample_dist_free(d), gsample_dist_free(NULL);
  gsample_free(s), gsample_free(twin);
}

static void what_is_set_is_held(void** state) {
  const double w[] = {1, 0, 3, 1, 2};
  gsample_dist* d = dist_new();
  (void)state;
  assert_int_equal(gsample_dist_set(d, (const int32_t[]){9, 8, 7, 3, 100}, w, 5), 0);
  assert_int_equal(gsample_dist_size(d), 4);
  assert_memory_equal(gsample_dist_ids(d), ((const int32_t[]){7, 100, 3, 9}), 16);
  assert_true(gsample_dist_total(d) == 7);
  assert_true(gsample_dist_weights(d)[0] == 3);
  assert_true(gsample_dist_chance(d, 7) == 3 / 7. && gsample_dist_chance(d, 8) == 0 && gsample_dist_chance(d, -1) == 0);
  gsample_dist_free(d);
}

static void wrong_weights_are_refused_and_change_nothing(void** state) {
  const double good[] = {1, 2};
  const struct {
    int32_t ids[2];
    double w[2];
  } bad[] = {{{1, 2}, {-1, 2}}, {{1, 2}, {NAN, 2}}, {{1, 2}, {INFINITY, 2}}, {{1, 2}, {0, 0}}, {{1, 1}, {1, 1}},
             {{-1, 2}, {1, 1}}, {{1, 2}, {1.7e308, 1.7e308}}, {{5, 5}, {1, 0}}};
  gsample_dist* d = dist_new();
  size_t i;
  (void)state;
  assert_int_equal(gsample_dist_set(d, (const int32_t[]){4, 5}, good, 2), 0);
  for (i = 0; i < COUNT(bad); i++) {
    if (gsample_dist_set(d, bad[i].ids, bad[i].w, 2) != GSAMPLE_ERROR_INVALID_ARGUMENT) fail_msg("case %zu is taken", i);
    assert_int_equal(gsample_dist_size(d), 2);
    assert_true(gsample_dist_chance(d, 5) == 2 / 3.);
  }
  assert_int_equal(gsample_dist_set(d, NULL, NULL, 0), GSAMPLE_ERROR_INVALID_ARGUMENT); /* their sum is 0 */
  gsample_dist_free(d);
}

/* Drawing from it is the pick, to the token and the generator. */
static void a_draw_is_the_pick(void** state) {
  float row[N];
  int kind, mode, step;
  (void)state;
  for (kind = 0; kind < 10; kind++)
    for (mode = 0; mode < 3; mode++) {
      gsample_params params = plain_params();
      gsample_sampler *s, *twin;
      gsample_dist* d = dist_new();
      asked log;
      int i;
      asked_nothing(&log);
      params.seed = (uint64_t)kind;
      switch (kind) {
        case 1: params.top_k = 40, params.top_p = .9f; break;
        case 2: params.temperature = 0; break;
        case 3: params.typical_p = .8f; break;
        case 4: params.xtc_probability = .5f, params.xtc_threshold = .001f; break;
        case 5: params.mirostat = 2, set_order(&params, TOKENS(9, 10)); break;
        case 6: params.adaptive_target = .1f, params.top_k = 30, set_order(&params, TOKENS(4, 11)); break;
        case 7: params.penalty_repeat = .8f, params.penalty_freq = .3f, params.min_p = .05f; break;
        case 8: params.temperature = .001f; break; /* most weights are 0 */
        case 9: params.top_k = 1; break;
      }
      params.constraint_mode = mode;
      s = make(&params), twin = make(&params);
      for (i = 0; i < 2 && mode; i++) { /* LAZY without a constraint */
        const gsample_constraint c = constraint_of(rule_new(&log, 2, 1));
        assert_int_equal(gsample_constrain(i ? s : twin, &c), 0);
      }
      for (step = 0; step < 15; step++) {
        const gsample_row view = row_of(row, N);
        int32_t token;
        saved bytes;
        gsample_sampler* drawn;
        fill(row, step);
        if (gsample_clone(s, &drawn)) fail_msg("clone");
        assert_int_equal(gsample_dist_from_row(d, drawn, &view), 0);
        token = gsample_dist_draw(d, drawn);
        if (token != gsample_pick(s, row, N)) fail_msg("kind %d, mode %d: another token", kind, mode);
        if (gsample_uniform(drawn) != gsample_uniform(s)) fail_msg("kind %d, mode %d: another number", kind, mode);
        gsample_free(drawn);
        gsample_pick(twin, row, N), gsample_uniform(twin);
        bytes = save_of(s);
        expect_unmoved(twin, bytes);
        free(bytes.bytes);
      }
      gsample_free(s), gsample_free(twin);
      gsample_dist_free(d);
    }
}

static void from_row_accepts_nothing(void** state) {
  float row[N];
  gsample_params params = plain_params();
  gsample_sampler* s;
  asked log;
  gsample_dist* d = dist_new();
  gsample_row view = row_of(row, N);
  gsample_constraint c;
  saved before;
  const double w[] = {1};
  (void)state;
  asked_nothing(&log);
  fill(row, 1);
  params.penalty_repeat = 1.1f, params.top_k = 50;
  s = make(&params);
  c = constraint_of(rule_new(&log, 3, 1));
  assert_int_equal(gsample_constrain(s, &c), 0);
  before = save_of(s);
  assert_int_equal(gsample_dist_from_row(d, s, &view), 0);
  assert_int_equal(log.calls[ASK_ACCEPT], 0);
  expect_unmoved(s, before);
  assert_int_equal(gsample_dist_set(d, (const int32_t[]){77}, w, 1), 0);
  row[5] = NAN;
  assert_int_equal(gsample_dist_from_row(d, s, &view), GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(gsample_dist_ids(d)[0], 77); /* what it held */
  expect_unmoved(s, before);
  free(before.bytes);
  gsample_free(s);
  gsample_dist_free(d);
}

typedef struct candidate {
  float logit;
  int32_t id;
} candidate;

static int first_in_order(const void* a, const void* b) {
  const candidate *x = (const candidate*)a, *y = (const candidate*)b;
  if (x->logit != y->logit) return x->logit < y->logit ? 1 : -1;
  return (x->id > y->id) - (x->id < y->id);
}

static int equal_dists(const gsample_dist* a, const gsample_dist* b) {
  const size_t n = gsample_dist_size(a);
  return n == gsample_dist_size(b) && !memcmp(gsample_dist_ids(a), gsample_dist_ids(b), n * 4) &&
         !memcmp(gsample_dist_weights(a), gsample_dist_weights(b), n * 8);
}

/* The n best of a row, shuffled: exact with as many as are needed, INEXACT with fewer, whatever penalties, bias and DRY do. */
static void candidates_are_exact_or_say_that_they_are_not(void** state) {
  static float row[N];
  static candidate sorted[N];
  static int32_t ids[N];
  static float logits[N];
  int kind, step, exact_ones = 0, inexact = 0;
  (void)state;
  for (kind = 0; kind < 9; kind++)
    for (step = 0; step < 6; step++) {
      const float lower[] = {-2, -INFINITY, -.5f}, raise[] = {3, -1, .5f};
      gsample_params params = plain_params();
      gsample_sampler* s;
      gsample_dist *p = dist_new(), *q = dist_new();
      const gsample_row view = row_of(row, N);
      size_t sizes[8], k;
      int64_t needed;
      asked log;
      int i;
      asked_nothing(&log);
      params.top_k = 40, params.top_p = .95f, params.temperature = .8f;
      switch (kind) {
        case 1: params.penalty_repeat = 1.2f; break;
        case 2: params.penalty_repeat = 1.2f, params.penalty_freq = .2f, params.penalty_style = GSAMPLE_PENALTY_ANSWER; break;
        case 3: params.dry_multiplier = 2, params.dry_allowed_length = 1; break;
        case 5: params.penalty_freq = -.5f; break;
        case 6: params.temperature = 0; break;
        case 7: params.top_k = 0; break;
        case 8: params.top_k = 1500; break;
      }
      s = make(&params);
      fill(row, step);
      if (step == 4)
        for (i = 0; i < N; i++) row[i] = (float)(i % 3); /* ties */
      for (i = 0; i < N; i++) sorted[i].logit = row[i], sorted[i].id = i;
      qsort(sorted, N, sizeof *sorted, first_in_order);
      for (i = 0; i < 30; i++) assert_int_equal(gsample_accept(s, sorted[i * 3 % 50].id), 0);
      if (kind == 4) assert_int_equal(gsample_bias(s, (const int32_t[]){sorted[0].id, sorted[3].id, sorted[41].id}, lower, 3), 0);
      if (kind == 5) assert_int_equal(gsample_bias(s, (const int32_t[]){sorted[0].id, sorted[3].id, sorted[500].id}, raise, 3), 0);
      assert_int_equal(gsample_dist_from_row(p, s, &view), 0);
      needed = gsample_candidates_needed(s);
      sizes[0] = N, sizes[1] = needed ? (size_t)needed : N, sizes[2] = 5, sizes[3] = 39, sizes[4] = 40, sizes[5] = 60, sizes[6] = 1499, sizes[7] = 1500;
      for (k = 0; k < COUNT(sizes); k++) {
        const size_t n = sizes[k] < N ? sizes[k] : N;
        size_t j;
        int32_t status;
        for (j = 0; j < n; j++) {
          const size_t at = n > 1 ? j * 1009 % n : 0; /* n is no multiple of 1009 here: a permutation */
          ids[j] = sorted[at].id, logits[j] = sorted[at].logit;
        }
        status = gsample_dist_from_candidates(q, s, ids, logits, n, N, 1);
        if (k < 2 && status) fail_msg("kind %d, step %d: %zu candidates of %lld needed: %s", kind, step, n, (long long)needed, gsample_status_name(status));
        if (status == 0 && !equal_dists(p, q)) fail_msg("kind %d, step %d: %zu candidates give another distribution", kind, step, n);
        if (status) {
          assert_int_equal(status, GSAMPLE_ERROR_INEXACT);
          assert_int_equal(gsample_dist_size(q), 0);
          inexact++;
        } else {
          exact_ones++;
        }
        assert_int_equal(gsample_dist_from_candidates(q, s, ids, logits, n, N, 0), 0);
        assert_true(gsample_dist_size(q) > 0);
      }
      gsample_dist_free(p), gsample_dist_free(q);
      gsample_free(s);
    }
  assert_true(exact_ones > 100 && inexact > 100);
}

static void missing_tokens_that_matter_are_inexact(void** state) {
  const float row[] = {5, 4, 3, 2, 1, 0};
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_dist *p = dist_new(), *q = dist_new();
  const gsample_row view = row_of(row, 6);
  const float plus = 10, minus = -10;
  (void)state;
  params.top_k = 2;
  s = make(&params);
  assert_int_equal(gsample_dist_from_candidates(q, s, (const int32_t[]){0, 1}, row, 2, 6, 1), 0);
  assert_int_equal(gsample_dist_from_row(p, s, &view), 0);
  assert_true(equal_dists(p, q));
  assert_int_equal(gsample_dist_from_candidates(q, s, (const int32_t[]){0}, row, 1, 6, 1), GSAMPLE_ERROR_INEXACT);
  assert_int_equal(gsample_bias(s, (const int32_t[]){5}, &plus, 1), 0); /* one that is not among them is raised */
  assert_int_equal(gsample_dist_from_candidates(q, s, (const int32_t[]){0, 1, 2}, row, 3, 6, 1), GSAMPLE_ERROR_INEXACT);
  assert_int_equal(gsample_bias(s, (const int32_t[]){1}, &minus, 1), 0); /* one that is is lowered below what is missing */
  assert_int_equal(gsample_dist_from_candidates(q, s, (const int32_t[]){0, 1}, row, 2, 6, 1), GSAMPLE_ERROR_INEXACT);
  assert_int_equal(gsample_dist_from_candidates(q, s, (const int32_t[]){0, 1, 2}, row, 3, 6, 1), 0);
  assert_int_equal(gsample_dist_from_row(p, s, &view), 0);
  assert_true(equal_dists(p, q));
  gsample_free(s);
  gsample_dist_free(p), gsample_dist_free(q);
}

/* Under every mode of a constraint. */
/* Where the row has +infinity, those tokens are the candidates: none is missing where the last one given is finite, and of those that are
   equal the first are known. */
static void infinite_candidates_are_exact(void** state) {
  gsample_params params = plain_params();
  gsample_dist* d = dist_new();
  gsample_sampler* s;
  float logits[20];
  int32_t best[20];
  int i, k, n;
  (void)state;
  params.top_k = 4;
  s = make(&params);
  for (k = 1; k < 8; k++) { /* how many are infinite */
    float sorted[20];
    for (i = 0; i < 20; i++) best[i] = i, sorted[i] = i < k ? INFINITY : (float)-i;
    assert_int_equal(gsample_candidates_needed(s), 4);
    for (n = 1; n < 20; n++) {
      const int32_t expected = n > k || n >= 4 ? 0 : GSAMPLE_ERROR_INEXACT;
      memcpy(logits, sorted, sizeof logits);
      if (gsample_dist_from_candidates(d, s, best, logits, (size_t)n, 20, 1) != expected) fail_msg("%d infinite, %d given", k, n);
      if (expected) continue;
      assert_int_equal(gsample_dist_size(d), k < 4 ? k : 4);
      assert_true(gsample_dist_chance(d, 0) == gsample_dist_chance(d, k < 4 ? k - 1 : 3));
    }
  }
  gsample_free(s), gsample_dist_free(d);
}

static void candidates_under_a_constraint(void** state) {
  static float row[N];
  static candidate sorted[N];
  static int32_t ids[N];
  static float logits[N];
  int mode, step;
  (void)state;
  for (mode = 0; mode < 3; mode++)
    for (step = 0; step < 8; step++) {
      gsample_params params = plain_params();
      gsample_sampler* s;
      asked log;
      gsample_constraint c;
      gsample_dist *p = dist_new(), *q = dist_new();
      const gsample_row view = row_of(row, N);
      const size_t sizes[] = {N, 20, 21, 40, 100, 400};
      size_t k;
      int i;
      asked_nothing(&log);
      params.top_k = 20, params.constraint_mode = mode;
      s = make(&params);
      c = constraint_of(rule_new(&log, 1 + (uint32_t)step * 2, 0));
      assert_int_equal(gsample_constrain(s, &c), 0);
      fill(row, step);
      for (i = 0; i < N; i++) sorted[i].logit = row[i], sorted[i].id = i;
      qsort(sorted, N, sizeof *sorted, first_in_order);
      assert_int_equal(gsample_dist_from_row(p, s, &view), 0);
      for (k = 0; k < COUNT(sizes); k++) {
        int32_t status;
        for (i = 0; i < (int)sizes[k]; i++) ids[i] = sorted[i].id, logits[i] = sorted[i].logit;
        status = gsample_dist_from_candidates(q, s, ids, logits, sizes[k], N, 1);
        if (status != 0 && status != GSAMPLE_ERROR_INEXACT) fail_msg("mode %d, step %d, %zu: %s", mode, step, sizes[k], gsample_status_name(status));
        if (status == 0 && !equal_dists(p, q)) fail_msg("mode %d, step %d: %zu candidates give another distribution", mode, step, sizes[k]);
        if (k == 0) assert_int_equal(status, 0);
      }
      gsample_free(s);
      gsample_dist_free(p), gsample_dist_free(q);
    }
}

static void wrong_candidates_are_refused(void** state) {
  const float logits[] = {1, 2};
  gsample_params params = plain_params();
  gsample_sampler* s = make(&params);
  gsample_dist* d = dist_new();
  const double w[] = {1};
  const float bad[] = {1, NAN};
  (void)state;
  assert_int_equal(gsample_dist_set(d, (const int32_t[]){77}, w, 1), 0);
  assert_int_equal(gsample_dist_from_candidates(d, s, (const int32_t[]){1, 1}, logits, 2, 5, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_dist_from_candidates(d, s, (const int32_t[]){1, 5}, logits, 2, 5, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_dist_from_candidates(d, s, (const int32_t[]){1, -1}, logits, 2, 5, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_dist_from_candidates(d, s, (const int32_t[]){1, 2}, logits, 2, 0, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_dist_from_candidates(d, s, (const int32_t[]){1, 2}, NULL, 2, 5, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_dist_from_candidates(d, s, NULL, logits, 2, 5, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_dist_from_candidates(d, s, (const int32_t[]){1, 2}, bad, 2, 5, 0), GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(gsample_dist_from_candidates(d, s, NULL, NULL, 0, 5, 0), GSAMPLE_ERROR_NO_CANDIDATE);
  assert_int_equal(gsample_dist_ids(d)[0], 77);
  gsample_free(s);
  gsample_dist_free(d);
}

/* Residuals: what is above q, of total variation's mass; p itself where q covers it; in place; and the identity that makes
   verification exact, min(p, q) + (1 - sum min(p, q)) * residual = p. */
static void residuals(void** state) {
  int round;
  (void)state;
  for (round = 0; round < 200; round++) {
    enum { K = 12 };
    double a[K], b[K], overlap = 0;
    int32_t ids[K];
    gsample_dist *p = dist_new(), *q = dist_new(), *r = dist_new();
    int i;
    for (i = 0; i < K; i++) {
      ids[i] = i * 3;
      a[i] = ((uint32_t)(i + 1) * 2654435761u * (uint32_t)(round + 3) >> 20) % 7;
      b[i] = ((uint32_t)(i + 5) * 2246822519u * (uint32_t)(round + 1) >> 20) % 5;
    }
    a[round % K] += 1, b[(round + 3) % K] += .25;
    assert_int_equal(gsample_dist_set(p, ids, a, K) | gsample_dist_set(q, ids, b, K), 0);
    assert_int_equal(gsample_dist_residual(p, q, r), 0);
    for (i = 0; i < K; i++) overlap += fmin(gsample_dist_chance(p, ids[i]), gsample_dist_chance(q, ids[i]));
    for (i = 0; i < K; i++) {
      const double x = gsample_dist_chance(p, ids[i]), y = gsample_dist_chance(q, ids[i]);
      assert_true(fabs(fmin(x, y) + (1 - overlap) * gsample_dist_chance(r, ids[i]) - x) < 1e-12);
    }
    assert_int_equal(gsample_dist_residual(p, p, r), 0); /* nothing is left: p */
    assert_int_equal(gsample_dist_size(r), gsample_dist_size(p));
    for (i = 0; i < K; i++) assert_true(gsample_dist_chance(r, ids[i]) == gsample_dist_chance(p, ids[i]));
    assert_int_equal(gsample_dist_residual(p, q, r), 0);
    assert_int_equal(gsample_dist_residual(p, q, q), 0); /* into q */
    assert_true(equal_dists(q, r));
    assert_int_equal(gsample_dist_set(q, ids, b, K), 0);
    assert_int_equal(gsample_dist_residual(p, q, p), 0); /* into p */
    assert_true(equal_dists(p, r));
    gsample_dist_free(p), gsample_dist_free(q), gsample_dist_free(r);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_new_one_is_empty),
      cmocka_unit_test(what_is_set_is_held),
      cmocka_unit_test(wrong_weights_are_refused_and_change_nothing),
      cmocka_unit_test(a_draw_is_the_pick),
      cmocka_unit_test(from_row_accepts_nothing),
      cmocka_unit_test(candidates_are_exact_or_say_that_they_are_not),
      cmocka_unit_test(missing_tokens_that_matter_are_inexact),
      cmocka_unit_test(infinite_candidates_are_exact),
      cmocka_unit_test(candidates_under_a_constraint),
      cmocka_unit_test(wrong_candidates_are_refused),
      cmocka_unit_test(residuals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

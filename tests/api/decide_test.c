/* The step of one sequence: certain drafts never change tokens, drafts with a distribution are verified number by number as the rule
   says. */
#include "decide_support.h"

/* One sampler drafts by what a twin will pick, right or wrong in turns; another picks row by row. */
static void certain_drafts_never_change_tokens(void** state) {
  uint64_t seed;
  (void)state;
  for (seed = 0; seed < 60; seed++) {
    const gsample_params params = shaped(seed);
    gsample_sampler *s = make(&params), *plain = make(&params), *oracle = NULL;
    asked log;
    int step, constrained = seed % 4 == 3, i;
    saved bytes;
    asked_nothing(&log);
    for (i = 0; i < 2 && constrained; i++) {
      const gsample_constraint c = constraint_of(rule_new(&log, 2, 1));
      assert_int_equal(gsample_constrain(i ? plain : s, &c), 0);
    }
    for (step = 0; step < 10; step++) {
      float rows[MOST][N];
      int32_t drafts[MOST - 1], tokens[MOST];
      uint32_t k;
      gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = MOST, .sampler = s, .logits = rows, .row_stride = sizeof rows[0],
                              .drafts = drafts, .n_drafts = MOST - 1, .tokens = tokens};
      for (k = 0; k < MOST; k++) fill(rows[k], step * 31 + (int)k);
      assert_int_equal(gsample_clone(s, &oracle), 0);
      for (k = 0; k < MOST - 1; k++) drafts[k] = gsample_pick(oracle, rows[k], N);
      if (step % 3) drafts[step % 5] = (drafts[step % 5] + 1) % N;
      gsample_free(oracle);
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      assert_int_equal(one.status, 0);
      if (step % 3 == 0) assert_int_equal(one.n_tokens, MOST);
      else assert_int_equal(one.n_tokens, step % 5 + 1);
      for (k = 0; k < one.n_tokens; k++) assert_int_equal(gsample_pick(plain, rows[k], N), tokens[k]);
    }
    bytes = save_of(s);
    expect_unmoved(plain, bytes);
    free(bytes.bytes);
    gsample_free(s), gsample_free(plain);
  }
}

/* The rule of C10, number by number: a twin gives p and the generator's numbers, the rest is arithmetic. */
static void verification_is_what_the_rule_says(void** state) {
  uint64_t seed;
  int accepted = 0, replaced = 0;
  (void)state;
  for (seed = 0; seed < 400; seed++) {
    gsample_params params = plain_params();
    gsample_sampler *s, *twin;
    gsample_dist *q = NULL, *p, *rest = NULL;
    float rows[2][N];
    double w[N], u, total = 0;
    int32_t ids[N], draft, tokens[2], expected;
    const gsample_dist* dists[1];
    gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 2, .logits = rows, .row_stride = sizeof rows[0], .drafts = &draft,
                            .n_drafts = 1, .tokens = tokens, .draft_dists = dists};
    int i;
    params.seed = seed, params.top_k = 20, params.penalty_repeat = 1.5f, params.temperature = .5f + (float)(seed % 4) * .5f;
    s = make(&params), twin = make(&params);
    fill(rows[0], (int)seed), fill(rows[1], (int)seed + 1);
    for (i = 0; i < N; i++) ids[i] = N - 1 - i, w[i] = 1 + (i * 7 + (int)seed) % 13, total += w[i];
    draft = (int32_t)(seed * 11 % N);
    assert_int_equal(gsample_dist_new(&q), 0);
    assert_int_equal(gsample_dist_new(&rest), 0);
    assert_int_equal(gsample_dist_set(q, ids, w, N), 0);
    dists[0] = q;
    assert_int_equal(gsample_seed(s, TOKENS(1, 2, 3, 30, 31)) | gsample_seed(twin, TOKENS(1, 2, 3, 30, 31)), 0);
    one.sampler = s;
    assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);

    p = dist_of(twin, rows[0], N);
    u = gsample_uniform(twin);
    if (u * (w[N - 1 - draft] / total) < gsample_dist_chance(p, draft)) {
      expected = draft;
      accepted++;
      assert_int_equal(one.n_tokens, 2);
    } else {
      /* max(0, p - q) in the order of p, by hand */
      double sum = 0, target, running = 0;
      size_t k, size = gsample_dist_size(p), left = 0;
      expected = -1;
      for (k = 0; k < size; k++) {
        const double d = gsample_dist_chance(p, gsample_dist_ids(p)[k]) - gsample_dist_chance(q, gsample_dist_ids(p)[k]);
        if (d > 0) sum += d, left++, expected = gsample_dist_ids(p)[k];
      }
      assert_true(left > 0);
      if (left > 1) {
        target = gsample_uniform(twin) * sum;
        for (k = 0; k < size; k++) {
          const double d = gsample_dist_chance(p, gsample_dist_ids(p)[k]) - gsample_dist_chance(q, gsample_dist_ids(p)[k]);
          if (d > 0) running += d, expected = gsample_dist_ids(p)[k];
          if (d > 0 && target < running) break;
        }
      }
      replaced++;
      assert_int_equal(one.n_tokens, 1);
    }
    assert_int_equal(tokens[0], expected);
    assert_int_equal(gsample_accept(twin, expected), 0);
    if (one.n_tokens == 2) assert_int_equal(gsample_pick(twin, rows[1], N), tokens[1]);
    {
      const saved bytes = save_of(twin);
      expect_unmoved(s, bytes);
      free(bytes.bytes);
    }
    gsample_dist_free(p), gsample_dist_free(q), gsample_dist_free(rest);
    gsample_free(s), gsample_free(twin);
  }
  assert_true(accepted > 40 && replaced > 40);
}

/* p with one survivor takes no number, and q that covers all of p leaves p itself. */
static void the_corners_of_the_rule(void** state) {
  const float row[] = {3, 2, 1};
  gsample_params params = plain_params();
  gsample_sampler *s, *twin;
  gsample_dist* q = NULL;
  const double point[] = {1};
  const gsample_dist* dists[1];
  int32_t draft = 2, tokens[2];
  gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 2, .logits = row, .drafts = &draft, .n_drafts = 1, .tokens = tokens,
                          .draft_dists = dists};
  (void)state;
  params.top_k = 1;
  s = make(&params), twin = make(&params);
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, &draft, point, 1), 0);
  dists[0] = q;
  one.sampler = s;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 1 && tokens[0] == 0);
  draft = 0;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 2 && tokens[0] == 0 && tokens[1] == 0);
  assert_true(gsample_uniform(s) == gsample_uniform(twin));
  /* A NULL among the distributions: that draft is certain. */
  dists[0] = NULL;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_int_equal(one.n_tokens, 2);
  gsample_free(s), gsample_free(twin);
  gsample_dist_free(q);
}

/* A draft that its distribution does not hold was not drawn from it; the rule says what becomes of it all the same: u * 0 < p. */
static void a_draft_outside_its_distribution(void** state) {
  const float row[] = {0, 0, 0, -INFINITY};
  const double w[] = {1, 3};
  gsample_dist* q = NULL;
  const gsample_dist* dists[1];
  uint64_t seed;
  int32_t draft;
  (void)state;
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, (const int32_t[]){0, 1}, w, 2), 0);
  dists[0] = q;
  for (draft = -1; draft < 5; draft++)
    for (seed = 0; seed < 100; seed++) {
      gsample_params params = plain_params();
      int32_t tokens[2];
      gsample_sequence one = {.size = sizeof one, .n_vocab = 4, .n_rows = 2, .logits = row, .drafts = &draft, .n_drafts = 1,
                              .tokens = tokens, .draft_dists = dists};
      params.seed = seed;
      one.sampler = make(&params);
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      assert_in_range(tokens[0], 0, 2);
      if (draft == 2) assert_true(one.n_tokens == 2 && tokens[0] == 2);
      if (draft < 0 || draft > 2) assert_int_equal(one.n_tokens, 1);
      gsample_free(one.sampler);
    }
  gsample_dist_free(q);
}

/* An empty distribution is none: wherever it stands, nothing has begun, and with another the sequence goes on as if it had not been. */
static void an_empty_distribution_is_refused(void** state) {
  const float row[] = {2, 1, 0};
  const double w[] = {1, 1, 1};
  const int32_t drafts[] = {0, 1};
  gsample_dist *empty = NULL, *q = NULL;
  int place, greedy;
  (void)state;
  assert_int_equal(gsample_dist_new(&empty), 0);
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, (const int32_t[]){0, 1, 2}, w, 3), 0);
  for (greedy = 0; greedy < 2; greedy++)
    for (place = 0; place < 2; place++) {
      gsample_params params = plain_params();
      gsample_sampler *s, *twin;
      const gsample_dist* dists[2] = {q, q};
      int32_t tokens[3] = {-7, -7, -7}, expected[3];
      gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 3, .logits = row, .drafts = drafts, .n_drafts = 2,
                              .tokens = tokens, .draft_dists = dists};
      saved before;
      uint32_t n;
      params.temperature = greedy ? 0 : 1;
      s = make(&params), twin = make(&params);
      before = save_of(s);
      one.sampler = s;
      dists[place] = empty;
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
      assert_int_equal(one.status, GSAMPLE_ERROR_INVALID_ARGUMENT);
      assert_int_equal(one.n_tokens, 0);
      assert_int_equal(tokens[0], -7);
      expect_unmoved(s, before);
      free(before.bytes);
      dists[place] = q;
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      n = one.n_tokens;
      one.sampler = twin, one.tokens = expected;
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      assert_int_equal(one.n_tokens, n);
      assert_memory_equal(tokens, expected, n * sizeof *tokens);
      gsample_free(s), gsample_free(twin);
    }
  gsample_dist_free(empty), gsample_dist_free(q);
}

static void stop_tokens_end_a_sequence(void** state) {
  const float row[] = {0, 9, 0};
  gsample_params params = plain_params();
  const int32_t drafts[] = {1, 1, 1};
  int32_t tokens[4] = {-1, -1, -1, -1};
  gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 4, .logits = row, .drafts = drafts, .n_drafts = 3, .tokens = tokens};
  saved before;
  gsample_sampler* twin;
  (void)state;
  params.temperature = 0;
  one.sampler = make(&params), twin = make(&params);
  assert_int_equal(gsample_stop(one.sampler, TOKENS(2, 1)) | gsample_stop(twin, TOKENS(2, 1)), 0);
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_int_equal(one.n_tokens, 1);
  assert_int_equal(tokens[1], -1);
  assert_int_equal(gsample_accept(twin, 1), 0);
  before = save_of(twin);
  expect_unmoved(one.sampler, before); /* accepted once */
  free(before.bytes);
  gsample_free(one.sampler), gsample_free(twin);
}

static void rows_and_masks_are_found_by_their_strides(void** state) {
  float backwards[3][8] = {{0}};
  uint16_t halves[3][10] = {{0}};
  const uint32_t masks[3][2] = {{0xfe, 0}, {0xfd, 0}, {0xfb, 0}}, shared[1] = {0xf0};
  const int32_t drafts[] = {1, 0};
  int32_t tokens[3];
  gsample_params params = plain_params();
  gsample_sampler* s;
  gsample_sequence one = {.size = sizeof one, .n_vocab = 8, .n_rows = 3, .drafts = drafts, .n_drafts = 2, .tokens = tokens};
  (void)state;
  params.temperature = 0;
  s = make(&params);
  one.sampler = s;
  /* masks that ban the best: 1, then 0, then 0 */
  one.logits = backwards, one.row_stride = sizeof backwards[0], one.masks = masks[0], one.mask_stride = sizeof masks[0];
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 3 && tokens[0] == 1 && tokens[1] == 0 && tokens[2] == 0);
  /* one mask for all */
  one.masks = shared, one.mask_stride = 0;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 1 && tokens[0] == 4);
  /* rows from the last to the first */
  one.masks = NULL, one.logits = backwards[2], one.row_stride = -(int64_t)sizeof backwards[0];
  backwards[2][1] = 1, backwards[1][0] = 1, backwards[0][7] = 1;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 3 && tokens[0] == 1 && tokens[1] == 0 && tokens[2] == 7);
  /* f16, with a stride of its own */
  halves[0][1] = halves[1][0] = halves[2][5] = 0x3c00;
  one.logits = halves, one.row_stride = sizeof halves[0], one.dtype = GSAMPLE_F16;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 3 && tokens[0] == 1 && tokens[1] == 0 && tokens[2] == 5);
  /* a stride that no float can have */
  one.row_stride = 3;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
  assert_int_equal(one.status, GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_free(s);
}

/* Choices are stepped by the first one's size, and all must be equal. */
static void choices_of_unequal_sizes_are_refused(void** state) {
  const float rows[2][3] = {{0, 9, 0}, {0, 9, 0}};
  const int32_t draft = 1;
  int32_t tokens[2];
  gsample_params params = plain_params();
  gsample_choice choices[2] = {{.size = sizeof *choices, .logprob_mode = 1}, {.size = sizeof *choices - 8, .logprob_mode = 1}};
  gsample_sequence one = {.size = sizeof one, .n_vocab = 3, .n_rows = 2, .logits = rows, .row_stride = sizeof rows[0], .drafts = &draft,
                          .n_drafts = 1, .tokens = tokens, .choices = choices};
  (void)state;
  params.temperature = 0;
  one.sampler = make(&params);
  gsample_decide(&one, 1, NULL, NULL);
  assert_int_equal(one.status, GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(one.n_tokens, 0);
  gsample_free(one.sampler);
}

/* A failure on the way: what came before it was accepted, and no more. */
static void a_failure_in_the_middle_keeps_what_came(void** state) {
  float rows[3][N];
  gsample_params params = plain_params();
  gsample_sampler* twin;
  int32_t drafts[2], tokens[3] = {-1, -1, -1};
  gsample_sequence one = {.size = sizeof one, .n_vocab = N, .n_rows = 3, .logits = rows, .row_stride = sizeof rows[0], .drafts = drafts,
                          .n_drafts = 2, .tokens = tokens};
  saved bytes;
  int i;
  (void)state;
  for (i = 0; i < 3; i++) fill(rows[i], i);
  params.temperature = 0, params.penalty_freq = .1f;
  one.sampler = make(&params), twin = make(&params);
  drafts[0] = gsample_pick(twin, rows[0], N);
  rows[1][3] = NAN;
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 1);
  assert_int_equal(one.status, GSAMPLE_ERROR_NOT_A_NUMBER);
  assert_int_equal(one.n_tokens, 1);
  assert_int_equal(tokens[0], drafts[0]);
  assert_int_equal(tokens[1], -1);
  bytes = save_of(twin);
  expect_unmoved(one.sampler, bytes);
  free(bytes.bytes);
  gsample_free(one.sampler), gsample_free(twin);
}

/* A draft that the constraint refuses does not stand, with and without q. */
static void refused_drafts_do_not_stand(void** state) {
  const float row[] = {2, 2, 2, 2};
  int mode, with_q;
  (void)state;
  for (mode = 0; mode < 3; mode++)
    for (with_q = 0; with_q < 2; with_q++) {
      gsample_params params = plain_params();
      const double w[] = {1, 1, 1, 1};
      gsample_dist* q = NULL;
      asked log;
      uint64_t seed;
      assert_int_equal(gsample_dist_new(&q), 0);
      assert_int_equal(gsample_dist_set(q, (const int32_t[]){0, 1, 2, 3}, w, 4), 0);
      params.constraint_mode = mode;
      asked_nothing(&log);
      for (seed = 0; seed < 200; seed++) {
        const gsample_dist* dists[1] = {q};
        const int32_t draft = (int32_t)(seed % 4);
        int32_t tokens[2];
        gsample_sequence one = {.size = sizeof one, .n_vocab = 4, .n_rows = 2, .logits = row, .drafts = &draft, .n_drafts = 1,
                                .tokens = tokens, .draft_dists = with_q ? dists : NULL};
        const gsample_constraint c = constraint_of(rule_new(&log, 2, 1));
        params.seed = seed;
        one.sampler = make(&params);
        assert_int_equal(gsample_constrain(one.sampler, &c), 0);
        assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
        assert_int_equal(tokens[0] % 2, 1);
        if (draft % 2 == 0) assert_int_equal(one.n_tokens, 1);
        if (with_q && draft % 2 == 1) assert_int_equal(one.n_tokens, 2); /* p is twice q there */
        gsample_free(one.sampler);
      }
      assert_int_equal(log.destroyed, 200);
      gsample_dist_free(q);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certain_drafts_never_change_tokens),
      cmocka_unit_test(verification_is_what_the_rule_says),
      cmocka_unit_test(the_corners_of_the_rule),
      cmocka_unit_test(a_draft_outside_its_distribution),
      cmocka_unit_test(an_empty_distribution_is_refused),
      cmocka_unit_test(stop_tokens_end_a_sequence),
      cmocka_unit_test(rows_and_masks_are_found_by_their_strides),
      cmocka_unit_test(choices_of_unequal_sizes_are_refused),
      cmocka_unit_test(a_failure_in_the_middle_keeps_what_came),
      cmocka_unit_test(refused_drafts_do_not_stand),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

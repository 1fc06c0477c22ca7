/* Steps with drafts under a grammar: drafts that stood move the matcher, those that did not leave no trace in it; in every mode, with
   certain drafts and with distributions, up to the stop token and no further. */
#include "matcher_support.h"

enum { DRAFTS = 4, ROWS = DRAFTS + 1 };

typedef struct seen {
  int stood, refused, replaced, stopped, left_over;
} seen;

static gsample_params params_for(uint64_t seed) {
  gsample_params params = plain_params();
  params.seed = seed, params.constraint_mode = (int32_t)(seed % 3), params.temperature = 1.2f;
  if (seed % 5 == 1) params.top_k = 6, params.penalty_repeat = 1.2f;
  if (seed % 5 == 2) params.temperature = 0, params.penalty_freq = .4f;
  if (seed % 5 == 3) params.dry_multiplier = .5f, params.top_p = .9f;
  if (seed % 5 == 4) params.xtc_probability = .5f, params.xtc_threshold = .05f;
  return params;
}

/* Three in four drafts go on as the grammar has it, from where the drafts before it led; the others are anything. */
static void drafts_from(gsample_matcher* hand, uint64_t seed, int32_t* drafts) {
  gsample_matcher* ahead = NULL;
  int i;
  assert_int_equal(gsample_matcher_clone(hand, &ahead), 0);
  for (i = 0; i < DRAFTS; i++) {
    const uint32_t x = (uint32_t)(seed * 977 + (uint64_t)i * 131) * 2654435761u >> 8;
    uint32_t k = x % 61;
    drafts[i] = (int32_t)(x % WIDE);
    if (x / 61 % 4)
      for (;; k++) { /* something is always allowed */
        drafts[i] = (int32_t)(k % WIDE);
        if (gsample_matcher_allows(ahead, drafts[i])) break;
      }
    gsample_matcher_accept(ahead, drafts[i]); /* where it is refused, the next one goes on from before it */
  }
  gsample_matcher_free(ahead);
}

static void one_answer(gsample_grammar* grammar, uint64_t seed, int certain, seen* n) {
  const gsample_params params = params_for(seed);
  gsample_sampler *s = make(&params), *twin = make(&params);
  gsample_matcher* hand = matcher_on(grammar);
  const gsample_constraint mine = constrain(s, matcher_on(grammar), NULL, 0), twins = constrain(twin, matcher_on(grammar), NULL, 0);
  gsample_dist* q = NULL;
  int32_t tokens[ROWS] = {0};
  uint32_t i, step, last = 0;
  const double w[] = {9, 1, 4, 1, 2, 1, 1, 3, 1, 1, 2, 1, 1, 1, 2, 1, 1};
  int32_t ids[COUNT(w)];
  for (i = 0; i < COUNT(w); i++) ids[i] = (int32_t)i;
  assert_int_equal(gsample_dist_new(&q), 0);
  assert_int_equal(gsample_dist_set(q, ids, w, COUNT(w)), 0);
  assert_int_equal(gsample_stop(s, TOKENS(END)) | gsample_stop(twin, TOKENS(END)), 0);
  for (step = 0; step < 12 && tokens[last] != END; step++) {
    float rows[ROWS][WIDE];
    int32_t drafts[DRAFTS];
    const gsample_dist* dists[DRAFTS] = {q, q, q, q};
    gsample_sequence one = {.size = sizeof one, .n_vocab = WIDE, .n_rows = ROWS, .sampler = s, .logits = rows, .row_stride = sizeof rows[0],
                            .drafts = drafts, .n_drafts = DRAFTS, .tokens = tokens, .draft_dists = certain ? NULL : dists};
    drafts_from(hand, seed * 100 + step, drafts);
    for (i = 0; i < ROWS; i++) {
      fill_row(rows[i], WIDE, seed * 31 + step * 7 + i);
      if (i < DRAFTS && step % 2) rows[i][drafts[i]] += 3; /* a model that agrees with its drafts */
      if (step > 6) rows[i][1] += 2, rows[i][END] += 3;    /* and comes to an end */
    }
    memset(tokens, 0x55, sizeof tokens);
    assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
    assert_in_range(one.n_tokens, 1, ROWS);
    last = one.n_tokens - 1;
    for (i = 0; i <= last; i++) {
      const int may = gsample_matcher_allows(hand, i < DRAFTS ? drafts[i] : 0);
      if (gsample_matcher_accept(hand, tokens[i])) fail_msg("seed %d: the grammar does not allow token %d", (int)seed, tokens[i]);
      if (i < last) assert_int_equal(tokens[i], drafts[i]);
      if (i < last) assert_int_not_equal(tokens[i], END);
      if (i < DRAFTS && tokens[i] == drafts[i]) n->stood++, assert_int_equal(may, 1);
      else if (i < DRAFTS) may ? n->replaced++ : n->refused++;
    }
    if (tokens[last] == END) n->stopped++, n->left_over += last < DRAFTS && tokens[last] == drafts[last];
    else if (last < DRAFTS) assert_int_not_equal(tokens[last], drafts[last]);
    for (i = last + 1; i < ROWS; i++) assert_int_equal(tokens[i], 0x55555555); /* nothing behind it is written */
    expect_place(&mine, hand);
    if (certain || params.temperature <= 0) { /* and all of it is what picks without drafts give */
      saved bytes;
      for (i = 0; i <= last; i++) assert_int_equal(gsample_pick(twin, rows[i], WIDE), tokens[i]);
      expect_place(&twins, hand);
      bytes = save_of(twin);
      expect_unmoved(s, bytes);
      free(bytes.bytes);
    }
  }
  gsample_dist_free(q);
  gsample_matcher_free(hand);
  gsample_free(s), gsample_free(twin);
}

static void answers(int certain) {
  gsample_grammar* grammar = lists_grammar();
  seen n = {0};
  uint64_t seed;
  for (seed = 0; seed < 600; seed++) one_answer(grammar, seed, certain, &n);
  gsample_grammar_free(grammar);
  assert_true(n.stood > 500 && n.refused > 200 && n.replaced > 200 && n.stopped > 200 && n.left_over > 20);
}

static void certain_drafts_move_the_matcher_as_far_as_they_stand(void** state) {
  (void)state;
  answers(1);
}

static void drawn_drafts_move_the_matcher_as_far_as_they_stand(void** state) {
  (void)state;
  answers(0);
}

/* Drafts behind the stop token are not looked at, though the grammar refuses all of them; the sampler and its matcher are at the end. */
static void a_stop_token_among_the_drafts(void** state) {
  gsample_grammar* grammar = lists_grammar();
  const int32_t drafts[] = {11, END, 3, END}; /* [] and the end */
  int mode, with_q;
  (void)state;
  for (mode = 0; mode < 3; mode++)
    for (with_q = 0; with_q < 2; with_q++) {
      gsample_params params = plain_params();
      float rows[ROWS][WIDE] = {{0}};
      int32_t tokens[ROWS] = {-5, -5, -5, -5, -5};
      const double one_weight[] = {1};
      gsample_dist* q[DRAFTS];
      gsample_matcher* hand = matcher_on(grammar);
      gsample_constraint mine;
      gsample_sequence one = {.size = sizeof one, .n_vocab = WIDE, .n_rows = ROWS, .logits = rows, .row_stride = sizeof rows[0],
                              .drafts = drafts, .n_drafts = DRAFTS, .tokens = tokens};
      int i;
      params.constraint_mode = mode;
      for (i = 0; i < DRAFTS; i++) {
        rows[i][drafts[i]] = 60;
        assert_int_equal(gsample_dist_new(&q[i]), 0);
        assert_int_equal(gsample_dist_set(q[i], &drafts[i], one_weight, 1), 0);
      }
      one.sampler = make(&params);
      if (with_q) one.draft_dists = (const gsample_dist* const*)q;
      assert_int_equal(gsample_stop(one.sampler, TOKENS(END)), 0);
      mine = constrain(one.sampler, matcher_on(grammar), NULL, 0);
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      assert_int_equal(one.n_tokens, 2);
      assert_true(tokens[0] == 11 && tokens[1] == END && tokens[2] == -5);
      assert_int_equal(gsample_matcher_accept(hand, 11) | gsample_matcher_accept(hand, END), 0);
      expect_place(&mine, hand);
      for (i = 0; i < DRAFTS; i++) gsample_dist_free(q[i]);
      gsample_free(one.sampler);
      gsample_matcher_free(hand);
    }
  gsample_grammar_free(grammar);
}

/* A row need not be as wide as the vocabulary: what lies beyond it is never allowed, whatever the mode and the draw. */
static void rows_of_other_widths(void** state) {
  static const uint32_t widths[] = {END, WIDE - 3, WIDE + 5, WIDE + 100};
  gsample_grammar* grammar = lists_grammar();
  int32_t mode;
  size_t i;
  int step;
  (void)state;
  for (mode = 0; mode < 3; mode++)
    for (i = 0; i < COUNT(widths); i++) {
      gsample_params params = plain_params();
      gsample_matcher* hand = matcher_on(grammar);
      gsample_sampler* s;
      float row[WIDE + 100];
      params.constraint_mode = mode, params.temperature = 5;
      s = make(&params);
      constrain(s, matcher_on(grammar), NULL, 0);
      for (step = 0; step < 40; step++) {
        int32_t token;
        fill_row(row, widths[i], (uint64_t)step);
        if (widths[i] > WIDE) row[WIDE] = 20; /* the best, and none of the vocabulary */
        token = gsample_pick(s, row, widths[i]);
        if (token == GSAMPLE_ERROR_NO_CANDIDATE && gsample_matcher_can_stop(hand)) break; /* the stop token lies beyond this row */
        if (token < 0 || token >= WIDE) fail_msg("mode %d, %u columns: %d", mode, widths[i], token);
        if (token == END) break;
        assert_int_equal(gsample_matcher_accept(hand, token), 0);
      }
      assert_int_equal(gsample_accept(s, WIDE + 1), GSAMPLE_ERROR_REFUSED);
      gsample_free(s);
      gsample_matcher_free(hand);
    }
  gsample_grammar_free(grammar);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(certain_drafts_move_the_matcher_as_far_as_they_stand),
      cmocka_unit_test(drawn_drafts_move_the_matcher_as_far_as_they_stand),
      cmocka_unit_test(a_stop_token_among_the_drafts),
      cmocka_unit_test(rows_of_other_widths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

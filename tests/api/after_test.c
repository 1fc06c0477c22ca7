/* A constraint that sleeps until its `after` was accepted: when it wakes, what it is shown, and that a saved sampler knows how far it had
   come. */
#include "constraint_support.h"
#include "matcher_support.h"

static void after_wakes_on_its_sequence_of_answers(void** state) {
  int32_t after[] = {1, 1, 2};
  const float row[] = {0, 0, 0, 5};
  gsample_params params = plain_params();
  asked log;
  gsample_sampler *s, *copy = NULL;
  gsample_constraint c;
  int i;
  (void)state;
  asked_nothing(&log);
  params.temperature = 0;
  s = make(&params);
  c = constraint_of(rule_new(&log, 4, 0));
  c.after = after, c.n_after = 3;
  assert_int_equal(gsample_constrain(s, &c), 0);
  memset(after, 0, sizeof after); /* the tokens were copied */
  assert_int_equal(gsample_seed(s, TOKENS(1, 1, 2)), 0); /* a prompt does not wake it */
  assert_int_equal(gsample_pick(s, row, 4), 3);
  assert_int_equal(gsample_accept(s, 1), 0);
  assert_int_equal(gsample_accept(s, 1), 0);
  assert_int_equal(gsample_accept(s, 1), 0); /* 1, 1, 1: the last two count */
  assert_int_equal(gsample_clone(s, &copy), 0);
  for (i = 0; i < 2; i++) {
    gsample_sampler* one = i ? copy : s;
    assert_int_equal(gsample_accept(one, 2), 0);
    assert_int_equal(log.calls[ASK_ACCEPT], i); /* nothing of it was shown */
    assert_int_equal(gsample_pick(one, row, 4), 0);
    assert_int_equal(gsample_accept(one, 1), GSAMPLE_ERROR_REFUSED);
  }
  gsample_free(copy);
  assert_int_equal(gsample_reset(s), 0); /* the constraint goes */
  assert_int_equal(gsample_pick(s, row, 4), 3);
  gsample_free(s);
  assert_int_equal(log.destroyed, 2);
}

/* Whether `after` has passed is saved; the constraint is not. */
static void after_is_remembered_by_a_saved_sampler(void** state) {
  const int32_t after[] = {1, 2};
  const float row[] = {0, 0, 0, 5};
  gsample_params params = plain_params();
  int passed;
  (void)state;
  params.temperature = 0;
  for (passed = 0; passed < 2; passed++) {
    asked log;
    gsample_sampler *s = make(&params), *loaded = NULL;
    gsample_constraint c;
    saved bytes;
    asked_nothing(&log);
    c = constraint_of(rule_new(&log, 4, 0));
    c.after = after, c.n_after = 2;
    assert_int_equal(gsample_constrain(s, &c), 0);
    if (passed) assert_int_equal(gsample_accept(s, 1) | gsample_accept(s, 2), 0);
    bytes = save_of(s);
    assert_int_equal(gsample_load(&loaded, bytes.bytes, bytes.n, NULL), 0);
    c = constraint_of(rule_new(&log, 4, 0));
    c.after = after, c.n_after = 2;
    assert_int_equal(gsample_constrain(loaded, &c), 0);
    assert_int_equal(gsample_pick(loaded, row, 4), passed ? 0 : 3);
    assert_int_equal(gsample_pick(s, row, 4), passed ? 0 : 3);
    gsample_free(s), gsample_free(loaded);
    free(bytes.bytes);
  }
}


/* The script: the thought, with a false start of `after` in it, then `after`; from there on the rows prefer what a list cannot begin with. */
static const int32_t after_[] = {GO, ON, GO, GO}, script[] = {12, GO, ON, GO, ON, GO, GO};
enum { SCRIPT = COUNT(script), STEPS = SCRIPT + 8 };

static void script_row(float* row, int step, uint64_t seed) {
  fill_row(row, WIDE, seed * 64 + (uint64_t)step);
  if (step < SCRIPT) row[script[step]] = 50;
  else row[1] += 2, row[12] += 4;
}

static gsample_params script_params(uint64_t seed) {
  gsample_params params = plain_params();
  params.seed = seed, params.constraint_mode = (int32_t)(seed % 3);
  if (seed % 4 == 1) params.top_k = 5, params.penalty_freq = .1f;
  if (seed % 4 == 2) params.temperature = 0;
  return params;
}

/* The matcher is shown nothing of the thought, nor of `after`; what comes behind it is a list. */
static void a_matcher_wakes_between_picks(void** state) {
  gsample_grammar* grammar = lists_grammar();
  uint64_t seed;
  (void)state;
  for (seed = 0; seed < 60; seed++) {
    const gsample_params params = script_params(seed);
    gsample_sampler *s = make(&params), *unconstrained = make(&params);
    gsample_matcher* hand = matcher_on(grammar);
    const gsample_constraint mine = constrain(s, matcher_on(grammar), after_, COUNT(after_));
    int step;
    for (step = 0; step < STEPS; step++) {
      float row[WIDE];
      int32_t token;
      script_row(row, step, seed);
      token = gsample_pick(s, row, WIDE);
      if (step < SCRIPT) assert_int_equal(token, gsample_pick(unconstrained, row, WIDE));
      if (step < SCRIPT) assert_int_equal(token, script[step]);
      else assert_int_equal(gsample_matcher_accept(hand, token), 0);
      expect_place(&mine, hand);
    }
    gsample_matcher_free(hand);
    gsample_free(s), gsample_free(unconstrained);
  }
  gsample_grammar_free(grammar);
}

/* The same in steps of any length, so that `after` ends, and the constraint wakes, among the drafts of one step. */
static void a_matcher_wakes_inside_a_step(void** state) {
  gsample_grammar* grammar = lists_grammar();
  uint64_t seed;
  int refused_at_once = 0;
  (void)state;
  for (seed = 0; seed < 240; seed++) {
    const gsample_params params = script_params(seed);
    const uint32_t length = 1 + (uint32_t)(seed / 3 % 10), with_q = seed % 2;
    gsample_sampler *s = make(&params), *twin = make(&params);
    gsample_matcher* hand = matcher_on(grammar);
    const gsample_constraint mine = constrain(s, matcher_on(grammar), after_, COUNT(after_));
    gsample_dist* q = NULL;
    double w[WIDE];
    int32_t ids[WIDE];
    int step, i;
    constrain(twin, matcher_on(grammar), after_, COUNT(after_));
    for (i = 0; i < WIDE; i++) ids[i] = i, w[i] = 1 + i % 3;
    assert_int_equal(gsample_dist_new(&q), 0);
    assert_int_equal(gsample_dist_set(q, ids, w, WIDE), 0);
    for (step = 0; step < STEPS;) {
      float rows[11][WIDE];
      int32_t drafts[10], tokens[11];
      const gsample_dist* dists[10];
      gsample_sequence one = {.size = sizeof one, .n_vocab = WIDE, .n_rows = length + 1, .sampler = s, .logits = rows,
                              .row_stride = sizeof rows[0], .drafts = drafts, .n_drafts = length, .tokens = tokens};
      uint32_t k;
      for (k = 0; k <= length; k++) script_row(rows[k], step + (int)k, seed);
      for (k = 0; k < length; k++) dists[k] = q, drafts[k] = step + (int)k < SCRIPT ? script[step + (int)k] : k % 2 ? 12 : 6;
      if (with_q) one.draft_dists = dists;
      assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
      for (k = 0; k < one.n_tokens; k++, step++) {
        if (step < SCRIPT) assert_int_equal(tokens[k], script[step]);
        else assert_int_equal(gsample_matcher_accept(hand, tokens[k]), 0);
        if (step >= SCRIPT && k < length && drafts[k] == 12) refused_at_once++, assert_int_equal(k + 1, one.n_tokens);
        if (!with_q) assert_int_equal(gsample_pick(twin, rows[k], WIDE), tokens[k]);
      }
      expect_place(&mine, hand);
    }
    gsample_dist_free(q);
    gsample_matcher_free(hand);
    gsample_free(s), gsample_free(twin);
  }
  assert_true(refused_at_once > 20);
  gsample_grammar_free(grammar);
}

/* A draft of `after` that does not stand has not come; the token in its place begins it anew or does not. */
static void drafts_that_do_not_stand_do_not_count(void** state) {
  gsample_params params = plain_params();
  const int32_t after[] = {1, 2}, drafts[] = {1, 2, 2};
  const float rows[4][4] = {{0, 9, 0, 0}, {0, 9, 0, 0}, {0, 0, 0, 9}, {0, 0, 0, 9}}; /* 1, then 1 in the place of 2 */
  int32_t tokens[4];
  asked log;
  gsample_sampler* s;
  gsample_constraint c;
  gsample_sequence one = {.size = sizeof one, .n_vocab = 4, .n_rows = 4, .logits = rows, .row_stride = sizeof rows[0], .drafts = drafts,
                          .n_drafts = 3, .tokens = tokens};
  (void)state;
  params.temperature = 0;
  one.sampler = s = make(&params);
  asked_nothing(&log);
  c = constraint_of(rule_new(&log, 4, 0));
  c.after = after, c.n_after = 2;
  assert_int_equal(gsample_constrain(s, &c), 0);
  assert_int_equal(gsample_decide(&one, 1, NULL, NULL), 0);
  assert_true(one.n_tokens == 2 && tokens[0] == 1 && tokens[1] == 1);
  assert_int_equal(log.calls[ASK_ALLOWS], 0);
  assert_int_equal(gsample_accept(s, 2), 0); /* behind the second 1: now it has passed */
  assert_int_equal(gsample_accept(s, 2), GSAMPLE_ERROR_REFUSED);
  gsample_free(s);
}

static gsample_sampler* reloaded(gsample_sampler* s) {
  gsample_sampler* loaded = NULL;
  const saved bytes = save_of(s);
  assert_int_equal(gsample_load(&loaded, bytes.bytes, bytes.n, NULL), 0);
  expect_unmoved(loaded, bytes);
  free(bytes.bytes);
  gsample_free(s);
  return loaded;
}

static int contains(const int32_t* text, size_t n, const int32_t* part, size_t k) {
  size_t i;
  for (i = 0; i + k <= n; i++)
    if (!memcmp(text + i, part, k * sizeof *part)) return 1;
  return 0;
}

/* Wherever a sampler is saved, it wakes at the token at which it would have; prompts in between count for nothing. Against a search for
   `after` in all that was answered since the constraint was set. */
static void a_saved_sampler_waits_on(void** state) {
  int32_t answers[40], after[6];
  uint32_t seed;
  int woken = 0;
  (void)state;
  for (seed = 0; seed < 2000; seed++) {
    gsample_params params = plain_params();
    const size_t n_after = 1 + seed % 6;
    gsample_sampler* s = make(&params);
    asked log;
    size_t i, n = 0;
    asked_nothing(&log);
    for (i = 0; i < n_after; i++) after[i] = (int32_t)(seed * 2654435761u >> (7 + i) & 1);
    for (i = 0; i < seed % 3; i++) assert_int_equal(gsample_accept(s, after[i % n_after]), 0); /* before the constraint */
    for (i = 0; i < 40; i++) {
      const uint32_t x = (uint32_t)(seed * 40 + i) * 2246822519u >> 9;
      const int expected = contains(answers, n, after, n_after);
      if (i == 0 || x % 4 == 0) {
        gsample_constraint c = constraint_of(rule_new(&log, 2, 0)); /* allows 0, and shows by refusing 1 that it is awake */
        c.after = after, c.n_after = (uint32_t)n_after;
        if (i) s = reloaded(s);
        assert_int_equal(gsample_constrain(s, &c), 0);
      }
      if (x % 5 == 0) assert_int_equal(gsample_seed(s, TOKENS(1, 0)), 0);
      answers[n] = (int32_t)(x >> 4 & 1);
      if (gsample_accept(s, answers[n]) != (expected && answers[n] ? GSAMPLE_ERROR_REFUSED : 0))
        fail_msg("seed %u, token %d: it is %sawake", seed, (int)i, expected ? "not " : "");
      if (!(expected && answers[n])) n++;
    }
    woken += contains(answers, n, after, n_after);
    gsample_free(s);
  }
  assert_true(woken > 1000 && woken < 2000);
}

/* The same with a matcher: loaded at every place of the script, brought up by the list so far, it gives the same tokens. */
static void a_saved_sampler_goes_on_with_its_matcher(void** state) {
  gsample_grammar* grammar = lists_grammar();
  uint64_t seed;
  (void)state;
  for (seed = 0; seed < 24; seed++) {
    const gsample_params params = script_params(seed);
    int at;
    for (at = 0; at < STEPS; at++) {
      gsample_sampler *s = make(&params), *twin = make(&params);
      int32_t list[STEPS];
      int step, n = 0;
      constrain(s, matcher_on(grammar), after_, COUNT(after_)), constrain(twin, matcher_on(grammar), after_, COUNT(after_));
      for (step = 0; step < STEPS; step++) {
        float row[WIDE];
        int32_t token;
        if (step == at) {
          gsample_matcher* matcher = matcher_on(grammar);
          int i;
          for (i = 0; i < n; i++) assert_int_equal(gsample_matcher_accept(matcher, list[i]), 0);
          s = reloaded(s);
          constrain(s, matcher, after_, COUNT(after_));
        }
        script_row(row, step, seed);
        token = gsample_pick(twin, row, WIDE);
        assert_in_range(token, 0, WIDE - 1);
        assert_int_equal(gsample_pick(s, row, WIDE), token);
        if (step >= SCRIPT) list[n++] = token;
      }
      gsample_free(s), gsample_free(twin);
    }
  }
  gsample_grammar_free(grammar);
}

/* What came of one `after` is looked at again for another: its tokens may begin that one too, or be all of it. */
static void a_saved_sampler_may_wait_for_something_else(void** state) {
  static const struct {
    int32_t after[4];
    uint32_t n_after;
    int32_t next; /* the answer that wakes it */
    int awake;
  } cases[] = {{{1, 2, 3, 4}, 4, 4, 0}, {{3, 5}, 2, 5, 0}, {{2, 3, 1}, 3, 1, 0}, {{2, 3}, 2, 0, 1}, {{6}, 1, 6, 0}, {{0}, 0, 0, 1}};
  size_t i;
  (void)state;
  for (i = 0; i < COUNT(cases); i++) {
    gsample_params params = plain_params();
    gsample_sampler* s = make(&params);
    gsample_constraint c;
    asked log;
    asked_nothing(&log);
    c = constraint_of(rule_new(&log, 8, 7));
    c.after = cases[0].after, c.n_after = 4;
    assert_int_equal(gsample_constrain(s, &c), 0);
    assert_int_equal(gsample_accept(s, 1) | gsample_accept(s, 2) | gsample_accept(s, 3), 0);
    s = reloaded(s);
    c = constraint_of(rule_new(&log, 8, 7));
    c.after = cases[i].n_after ? cases[i].after : NULL, c.n_after = cases[i].n_after;
    assert_int_equal(gsample_constrain(s, &c), 0);
    if (!cases[i].awake) assert_int_equal(gsample_accept(s, cases[i].next), 0);
    assert_int_equal(gsample_accept(s, 0), GSAMPLE_ERROR_REFUSED);
    assert_int_equal(gsample_accept(s, 7), 0);
    gsample_free(s);
  }
}

static void put_checksum(saved bytes) {
  uint64_t sum = 0xcbf29ce484222325u; /* FNV-1a */
  size_t i;
  for (i = 0; i + 8 < bytes.n; i++) sum = (sum ^ bytes.bytes[i]) * 0x100000001b3u;
  for (i = 0; i < 8; i++) bytes.bytes[bytes.n - 8 + i] = (unsigned char)(sum >> 8 * i);
}

/* Only a sampler in the middle of `after` is saved in the format that knows of it; a count that cannot be is refused. */
static void formats_of_what_is_waited_for(void** state) {
  const int32_t after[] = {1, 2, 3};
  gsample_params params = plain_params();
  gsample_sampler *s = make(&params), *loaded = NULL;
  gsample_error error = FRESH_ERROR;
  asked log;
  gsample_constraint c;
  saved bytes;
  int32_t token;
  (void)state;
  asked_nothing(&log);
  assert_int_equal(gsample_seed(s, TOKENS(1, 2, 1)), 0);
  c = constraint_of(rule_new(&log, 4, 0));
  c.after = after, c.n_after = 3;
  assert_int_equal(gsample_constrain(s, &c), 0);
  for (token = 1; token <= 3; token++) {
    bytes = save_of(s);
    assert_int_equal(bytes.bytes[4], token == 1 ? 1 : 2);
    free(bytes.bytes);
    assert_int_equal(gsample_accept(s, token), 0);
  }
  bytes = save_of(s);
  assert_int_equal(bytes.bytes[4], 1); /* passed */
  free(bytes.bytes);
  assert_int_equal(gsample_reset(s), 0);
  c = constraint_of(rule_new(&log, 4, 0));
  c.after = after, c.n_after = 3;
  assert_int_equal(gsample_constrain(s, &c), 0);
  assert_int_equal(gsample_accept(s, 1) | gsample_accept(s, 2), 0);
  bytes = save_of(s);
  for (token = 0; token < 256; token++) { /* two answers there are */
    bytes.bytes[bytes.n - 12] = (unsigned char)token;
    put_checksum(bytes);
    assert_int_equal(gsample_load(&loaded, bytes.bytes, bytes.n, &error), token == 1 || token == 2 ? 0 : GSAMPLE_ERROR_FORMAT);
    if (token != 1 && token != 2) assert_names(error, "after");
    gsample_free(loaded);
    loaded = NULL;
  }
  bytes.bytes[bytes.n - 12] = 2, bytes.bytes[bytes.n - 13] = 1; /* and passed besides */
  put_checksum(bytes);
  assert_int_equal(gsample_load(&loaded, bytes.bytes, bytes.n, &error), GSAMPLE_ERROR_FORMAT);
  assert_names(error, "after");
  free(bytes.bytes);
  gsample_free(s);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(after_wakes_on_its_sequence_of_answers),
      cmocka_unit_test(after_is_remembered_by_a_saved_sampler),
      cmocka_unit_test(a_matcher_wakes_between_picks),
      cmocka_unit_test(a_matcher_wakes_inside_a_step),
      cmocka_unit_test(drafts_that_do_not_stand_do_not_count),
      cmocka_unit_test(a_saved_sampler_waits_on),
      cmocka_unit_test(a_saved_sampler_goes_on_with_its_matcher),
      cmocka_unit_test(a_saved_sampler_may_wait_for_something_else),
      cmocka_unit_test(formats_of_what_is_waited_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* What tests of samplers under a grammar share: a small vocabulary, nested lists of numbers over it, a matcher as a constraint whose place
   can be seen, and a second matcher that is led by hand. */
#ifndef TESTS_MATCHER_SUPPORT_H
#define TESTS_MATCHER_SUPPORT_H

#include "sampler_support.h"

enum { END = 14, GO = 15, ON = 16 }; /* a stop token, and two that stand for no text */
enum { WIDE = 24, WORDS = 1 };       /* the width of a row, and of its mask */

HELPER gsample_vocab* lists_vocab(void) {
  static const char* const texts[END] = {"[", "]", ",", "0", "1", "2", "[[", "],", ",1", "]]", "12", "[]", "x", ""};
  uint8_t bytes[64], kinds[ON + 1] = {0};
  uint64_t offsets[ON + 2] = {0};
  gsample_vocab* vocab = NULL;
  gsample_vocab_desc desc = {.size = sizeof desc, .n_vocab = WIDE, .n_tokens = ON + 1, .bytes = bytes, .offsets = offsets, .kinds = kinds};
  size_t t, n = 0;
  for (t = 0; t < ON + 1; t++) {
    const char* text = t < END ? texts[t] : "1"; /* the bytes of those that are no text count for nothing */
    memcpy(bytes + n, text, strlen(text));
    n += strlen(text);
    offsets[t + 1] = n;
    kinds[t] = t < END ? GSAMPLE_TOKEN_TEXT : t == END ? GSAMPLE_TOKEN_STOP : GSAMPLE_TOKEN_CONTROL;
  }
  assert_int_equal(gsample_vocab_new(&desc, &vocab, NULL), 0);
  return vocab;
}

HELPER gsample_grammar* lists_grammar(void) {
  static const char text[] = "root ::= \"[\" (item (\",\" item)*)? \"]\"\nitem ::= [0-2]+ | root";
  gsample_vocab* vocab = lists_vocab();
  gsample_grammar* grammar = NULL;
  gsample_error error = FRESH_ERROR;
  if (gsample_grammar_from_gbnf(vocab, text, sizeof text - 1, NULL, &grammar, &error)) fail_msg("%s", error.message);
  gsample_vocab_free(vocab);
  return grammar;
}

HELPER gsample_matcher* matcher_on(gsample_grammar* grammar) {
  gsample_matcher* matcher = NULL;
  assert_int_equal(gsample_matcher_new(grammar, &matcher), 0);
  return matcher;
}

/* Gives the sampler a matcher, behind `after` where there is one; the constraint that comes back shows where it is. */
HELPER gsample_constraint constrain(gsample_sampler* s, gsample_matcher* matcher, const int32_t* after, size_t n_after) {
  gsample_constraint constraint = {.size = sizeof constraint};
  assert_int_equal(gsample_matcher_constraint(matcher, &constraint), 0);
  constraint.after = after, constraint.n_after = (uint32_t)n_after;
  assert_int_equal(gsample_constrain(s, &constraint), 0);
  return constraint;
}

/* The sampler's matcher is where the other one is. */
HELPER void expect_place(const gsample_constraint* constraint, gsample_matcher* hand) {
  uint32_t mine[WORDS] = {0}, theirs[WORDS] = {0};
  assert_int_equal(constraint->mask(constraint->user, mine, WORDS), 0);
  assert_int_equal(gsample_matcher_mask(hand, theirs, WORDS), 0);
  if (mine[0] != theirs[0]) fail_msg("the sampler's matcher allows %#x, not %#x", mine[0], theirs[0]);
  assert_int_equal(constraint->can_stop(constraint->user), gsample_matcher_can_stop(hand));
}

HELPER void fill_row(float* row, uint32_t n, uint64_t step) {
  uint32_t i;
  for (i = 0; i < n; i++) row[i] = (float)((i * 7919 + (uint32_t)step * 104729) * 2654435761u >> 24) * .015f;
}

#endif

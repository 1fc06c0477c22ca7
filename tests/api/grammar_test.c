/* Grammars and matchers as a C program meets them: arguments, errors with their place, references, the constraint. */
#include "api.h"

static gsample_error error = FRESH_ERROR;
static gsample_vocab* vocab;
enum { END = 256, N_VOCAB = 260 };

static int set_up(void** state) {
  (void)state;
  static uint8_t bytes[256], kinds[257];
  static uint64_t offsets[258];
  for (int b = 0; b < 256; b++) bytes[b] = (uint8_t)b, offsets[b + 1] = (uint64_t)b + 1;
  offsets[257] = 256;
  kinds[END] = GSAMPLE_TOKEN_STOP;
  gsample_vocab_desc desc = {.size = sizeof desc, .n_vocab = N_VOCAB, .n_tokens = 257, .bytes = bytes, .offsets = offsets, .kinds = kinds};
  return gsample_vocab_new(&desc, &vocab, NULL);
}

static int tear_down(void** state) {
  (void)state;
  gsample_vocab_free(vocab);
  return 0;
}

static gsample_matcher* matcher_of(const char* gbnf) {
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  if (gsample_grammar_from_gbnf(vocab, gbnf, strlen(gbnf), NULL, &grammar, &error) < 0) fail_msg("%s", error.message);
  assert_int_equal(gsample_matcher_new(grammar, &matcher), GSAMPLE_OK);
  gsample_grammar_free(grammar);
  return matcher;
}

static void gbnf_errors(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int32_t status, line, column;
  } cases[] = {
      {"", GSAMPLE_ERROR_SYNTAX, 1, 1},
      {"root ::= \"a", GSAMPLE_ERROR_SYNTAX, 1, 12},
      {"root ::= \"a\"\nx ::= [b-a]", GSAMPLE_ERROR_SYNTAX, 2, 8},
      {"root ::= a\n\na = \"b\"", GSAMPLE_ERROR_SYNTAX, 3, 3},
      {"root ::= x |\n  y\nx ::= \"\"", GSAMPLE_ERROR_SYNTAX, 2, 3},
      {"root ::= \"a\"{3,2}", GSAMPLE_ERROR_SYNTAX, 1, 13},
      {"root ::= (\"a\"{1000000}){2000}", GSAMPLE_ERROR_SYNTAX, 1, 24},
      {"root ::= \"\\uD800\"", GSAMPLE_ERROR_SYNTAX, 1, 11},
      {"root ::= \"\xff\"", GSAMPLE_ERROR_SYNTAX, 1, 11},
      {"root ::= <[260]>", GSAMPLE_ERROR_SYNTAX, 1, 10},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gsample_grammar* grammar = NULL;
    assert_int_equal(gsample_grammar_from_gbnf(vocab, cases[i].text, strlen(cases[i].text), NULL, &grammar, &error), cases[i].status);
    if (error.line != cases[i].line || error.column != cases[i].column) fail_msg("%s: %s", cases[i].text, error.message);
    assert_null(grammar);
  }
}

static void regex_errors(void** state) {
  (void)state;
  static const struct {
    const char* text;
    int32_t status;
    const char* names;
  } cases[] = {
      {"(a", GSAMPLE_ERROR_SYNTAX, ")"},
      {"a)", GSAMPLE_ERROR_SYNTAX, ")"},
      {"*a", GSAMPLE_ERROR_SYNTAX, "nothing in front"},
      {"a**", GSAMPLE_ERROR_SYNTAX, "repetition of a repetition"},
      {"a{3,2}", GSAMPLE_ERROR_SYNTAX, "maximum"},
      {"[a", GSAMPLE_ERROR_SYNTAX, "never closed"},
      {"[z-a]", GSAMPLE_ERROR_SYNTAX, "range"},
      {"\\", GSAMPLE_ERROR_SYNTAX, "escape"},
      {"\\y", GSAMPLE_ERROR_SYNTAX, "escape"},
      {"\\uD800", GSAMPLE_ERROR_SYNTAX, "surrogate"},
      {"a(?=b)", GSAMPLE_ERROR_UNSUPPORTED, "lookahead"},
      {"a(?!b)", GSAMPLE_ERROR_UNSUPPORTED, "lookahead"},
      {"(?<=a)b", GSAMPLE_ERROR_UNSUPPORTED, "lookbehind"},
      {"(a)\\1", GSAMPLE_ERROR_UNSUPPORTED, "backreference"},
      {"\\k<a>", GSAMPLE_ERROR_UNSUPPORTED, "backreference"},
      {"\\bword", GSAMPLE_ERROR_UNSUPPORTED, "word boundary"},
      {"\\p{L}", GSAMPLE_ERROR_UNSUPPORTED, "property"},
      {"(?i:a)", GSAMPLE_ERROR_UNSUPPORTED, "(?"},
      {"a^b", GSAMPLE_ERROR_UNSUPPORTED, "^"},
      {"a$b", GSAMPLE_ERROR_UNSUPPORTED, "$"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    gsample_grammar* grammar = NULL;
    assert_int_equal(gsample_grammar_from_regex(vocab, cases[i].text, strlen(cases[i].text), &grammar, &error), cases[i].status);
    assert_names(error, cases[i].names);
    assert_int_equal(error.line, 1);
    assert_true(error.column >= 1);
  }
}

static void arguments(void** state) {
  (void)state;
  gsample_grammar* grammar = NULL;
  gsample_matcher *matcher = NULL, *copy = NULL;
  uint32_t words[9];
  assert_int_equal(gsample_grammar_from_gbnf(NULL, "x", 1, NULL, &grammar, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_grammar_from_gbnf(vocab, NULL, 1, NULL, &grammar, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_grammar_from_gbnf(vocab, "x", 1, NULL, NULL, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_grammar_from_regex(NULL, "x", 1, &grammar, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_grammar_from_regex(vocab, NULL, 0, &grammar, &error), GSAMPLE_OK); /* the empty text */
  gsample_grammar_free(grammar);
  static const char text[] = "start ::= \"a\" root\nroot ::= \"b\"";
  assert_int_equal(gsample_grammar_from_gbnf(vocab, text, sizeof text - 1, "nowhere", &grammar, &error), GSAMPLE_ERROR_SYNTAX);
  assert_names(error, "nowhere");
  assert_int_equal(gsample_grammar_from_gbnf(vocab, text, sizeof text - 1, "start", &grammar, &error), GSAMPLE_OK);
  assert_int_equal(gsample_grammar_warm(grammar), GSAMPLE_OK);
  assert_int_equal(gsample_grammar_warm(NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_ptr_equal(gsample_grammar_retain(grammar), grammar);
  gsample_grammar_free(grammar);
  assert_int_equal(gsample_matcher_new(grammar, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_new(NULL, &matcher), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_new(grammar, &matcher), GSAMPLE_OK);
  gsample_grammar_free(grammar);
  gsample_grammar_free(NULL);
  assert_int_equal(gsample_matcher_accept(matcher, 'a'), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_clone(matcher, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_clone(NULL, &copy), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_clone(matcher, &copy), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_reset(matcher), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_allows(matcher, 'a'), 1);
  assert_int_equal(gsample_matcher_allows(copy, 'b'), 1);
  assert_int_equal(gsample_matcher_mask(matcher, words, 9), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_mask(matcher, words, 8), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_mask(matcher, NULL, 9), GSAMPLE_ERROR_INVALID_ARGUMENT);
  for (int i = 0; i < N_VOCAB; i++) assert_int_equal(words[i / 32] >> i % 32 & 1, i == 'a');
  assert_int_equal(gsample_matcher_rollback(copy, 2), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_rollback(copy, 1), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_allows(copy, 'a'), 1);
  assert_int_equal(gsample_matcher_reset(NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_rollback(NULL, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_can_stop(NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_matcher_free(matcher);
  gsample_matcher_free(copy);
  gsample_matcher_free(NULL);
}

static void a_constraint(void** state) {
  (void)state;
  gsample_matcher* matcher = matcher_of("root ::= [a-c]+ \"!\"");
  gsample_constraint constraint = {.size = sizeof constraint};
  uint8_t first[256];
  uint32_t words[9] = {0};
  void* copy = NULL;
  assert_int_equal(gsample_matcher_constraint(NULL, &constraint), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_constraint(matcher, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_constraint small = {.size = 16};
  assert_int_equal(gsample_matcher_constraint(matcher, &small), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_constraint(matcher, &constraint), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_constraint(matcher, &small), GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_constraint second = {.size = sizeof second};
  assert_int_equal(gsample_matcher_constraint(matcher, &second), GSAMPLE_ERROR_INVALID_ARGUMENT); /* it has an owner */
  assert_null(second.destroy);
  void* user = constraint.user;
  assert_int_equal(constraint.n_after, 0);
  assert_int_equal(constraint.allows(user, 'a'), 1);
  assert_int_equal(constraint.accept(user, '!'), GSAMPLE_ERROR_REFUSED);
  assert_int_equal(constraint.accept(user, 'a'), GSAMPLE_OK);
  assert_int_equal(constraint.clone(user, &copy), GSAMPLE_OK);
  assert_int_equal(constraint.accept(copy, '!'), GSAMPLE_OK);
  assert_int_equal(constraint.can_stop(copy), 1);
  assert_int_equal(constraint.can_stop(user), 0);
  assert_int_equal(constraint.first_bytes(user, first), GSAMPLE_OK);
  for (int b = 0; b < 256; b++) assert_int_equal(first[b], (b >= 'a' && b <= 'c') || b == '!');
  assert_int_equal(constraint.first_byte(user, 'b'), 'b');
  assert_true(constraint.first_byte(user, END) < 0);
  assert_int_equal(constraint.mask(user, words, 9), GSAMPLE_OK);
  assert_int_equal(words[1], 2); /* "!" is 33 */
  constraint.destroy(copy);
  constraint.destroy(user);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(gbnf_errors), cmocka_unit_test(regex_errors), cmocka_unit_test(arguments),
                                     cmocka_unit_test(a_constraint)};
  return cmocka_run_group_tests_name("grammar", tests, set_up, tear_down);
}

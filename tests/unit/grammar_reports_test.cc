// What users of grammar engines reported (public threads, named at each test), as small inputs with the right answer; and the rules of
// this engine that no report names.
#include <time.h>

#include <algorithm>
#include <cstdlib>

#include "matching.h"

// Last, as cmocka defines fail and skip as macros.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

using matching::Grammar;
using matching::Matcher;
using matching::Vocab;

namespace {

// Token b is the byte b, then some words, then a stop and a control token.
constexpr int32_t stop = 300, control = 301, first_word = 256;
constexpr size_t n_vocab = 320;
const std::vector<std::string> words{"t",        "te", "tes", "test", "}\n",  "</",  "think", "think>",  "<think",
                                     "</think>", "ab", "abc", "\"}",  "\",",  "aaa", "при",   "вет",     "😀",
                                     "🙏",        "🚀",  "{\"", "\": ", " the", "\\n", "\xd0",  "\xbf\xd1"};

Vocab make_bytes_vocab() {
  std::vector<std::string> tokens;
  std::vector<uint8_t> kinds;
  for (int b = 0; b < 256; b++) tokens.push_back(std::string(1, static_cast<char>(b)));
  tokens.insert(tokens.end(), words.begin(), words.end());
  kinds.assign(tokens.size(), GSAMPLE_TOKEN_TEXT);
  while (tokens.size() < n_vocab - 10) tokens.push_back(""), kinds.push_back(GSAMPLE_TOKEN_UNUSED);
  tokens[stop] = "</s>", kinds[stop] = GSAMPLE_TOKEN_STOP;
  tokens[control] = "<think>", kinds[control] = GSAMPLE_TOKEN_CONTROL;
  return matching::make_vocab(tokens, kinds, n_vocab);
}

int32_t word(const std::string& text) {
  for (size_t i = 0; i < words.size(); i++)
    if (words[i] == text) return first_word + static_cast<int32_t>(i);
  matching::die("no such word", text, 0);
}

struct Verdict {
  bool prefix, whole;
};
Verdict feed(const Matcher& matcher, std::string_view text) {
  for (unsigned char byte : text)
    if (gsample_matcher_accept(matcher.get(), byte) != GSAMPLE_OK) return {false, false};
  return {true, gsample_matcher_can_stop(matcher.get()) == 1};
}
Verdict verdict(const Grammar& grammar, std::string_view text) { return feed(matching::start(grammar), text); }
bool takes(const Grammar& grammar, std::string_view text) { return verdict(grammar, text).whole; }

double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

Vocab vocab;

void assert_only_stops(const Matcher& matcher) {
  std::vector<int32_t> allowed = matching::allowed_tokens(matcher, n_vocab);
  assert_int_equal(allowed.size(), 1);
  assert_int_equal(allowed[0], stop);
}

void large_counts(void**) {  // xgrammar 852 and 863
  for (const char* text : {R"("[^"]{0,100000}")", R"("[^"]*")"}) {
    Grammar grammar = matching::regex(vocab, text);
    Matcher matcher = matching::start(grammar);
    assert_true(feed(matcher, "\"" + std::string(5000, 'x')).prefix);
    assert_int_equal(gsample_matcher_allows(matcher.get(), '"'), 1);
    assert_int_equal(gsample_matcher_allows(matcher.get(), word("\",")), 0);
    assert_int_equal(gsample_matcher_allows(matcher.get(), 'x'), 1);
  }
  // The counter is exact, however far away its end was.
  for (int n : {3, 129, 257, 600, 3000}) {
    Grammar grammar = matching::regex(vocab, "[^\\n\\r]{1," + std::to_string(n) + "}");
    assert_false(takes(grammar, ""));
    assert_true(takes(grammar, std::string(static_cast<size_t>(n), 'a')));
    assert_false(verdict(grammar, std::string(static_cast<size_t>(n) + 1, 'a')).prefix);
    Matcher matcher = matching::start(grammar);
    assert_true(feed(matcher, std::string(static_cast<size_t>(n) - 2, 'a')).whole);
    assert_int_equal(gsample_matcher_allows(matcher.get(), word("ab")), 1);
    assert_int_equal(gsample_matcher_allows(matcher.get(), word("abc")), 0);
    Grammar exact = matching::gbnf(vocab, "root ::= ([a-z] \".\"?){" + std::to_string(n) + "} \"!\"");
    std::string text;
    for (int i = 0; i < n; i++) text += i % 3 ? "a" : "b.";
    assert_true(takes(exact, text + "!"));
    assert_false(verdict(exact, text + "c").prefix);
    assert_false(verdict(exact, text.substr(1 + (text[1] == '.')) + "!").prefix);
  }
  Grammar two = matching::regex(vocab, "[a-z]{700,900}[a-m0-9]{500,}x");  // counters that begin while another runs
  assert_true(takes(two, std::string(1200, 'a') + "x"));
  assert_true(takes(two, std::string(1199, 'a') + "7x"));
  assert_false(takes(two, std::string(1199, 'a') + "x"));
  assert_true(takes(two, std::string(900, 'z') + std::string(500, '1') + "x"));
  assert_false(takes(two, std::string(900, 'z') + std::string(499, '1') + "x"));
  assert_false(verdict(two, std::string(901, 'z')).prefix);
}

void nested_counts(void**) {  // xgrammar 339
  Grammar grammar = matching::gbnf(vocab, R"gbnf(root ::= array
array ::= "[" (value ("," value){0,999})? "]"
value ::= array | [0-9]{1,5})gbnf");
  std::string inner = "[1", text = "[";
  for (int i = 0; i < 999; i++) inner += ",2";
  inner += "]";
  assert_true(takes(grammar, inner));
  assert_false(verdict(grammar, inner.substr(0, inner.size() - 1) + ",").prefix);
  for (int i = 0; i < 4; i++) text += (i ? "," : "") + inner;
  assert_true(takes(grammar, text + "]"));
  Grammar exact = matching::gbnf(vocab, "root ::= (\"(\" root? \")\"){2,3}");
  assert_true(takes(exact, "()()"));
  assert_true(takes(exact, "()(()())()"));
  assert_false(takes(exact, "()"));
  assert_false(verdict(exact, "()()()(").prefix);
  assert_false(verdict(exact, "(())").prefix);
}

void other_scripts(void**) {  // xgrammar 848 and 138, llama.cpp 2501
  Grammar cyrillic = matching::gbnf(vocab, "root ::= [а-я]+");
  assert_true(takes(cyrillic, "привет"));
  assert_false(verdict(cyrillic, "Привет").prefix);
  assert_false(verdict(cyrillic, "п1").prefix);
  Matcher matcher = matching::start(cyrillic);
  assert_int_equal(gsample_matcher_accept(matcher.get(), word("\xd0")), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_allows(matcher.get(), word("\xbf\xd1")), 1);
  assert_int_equal(gsample_matcher_can_stop(matcher.get()), 0);
  Grammar faces = matching::gbnf(vocab, "root ::= [😀-🙏]+");
  Matcher face = matching::start(faces);
  assert_int_equal(gsample_matcher_allows(face.get(), word("😀")), 1);
  assert_int_equal(gsample_matcher_allows(face.get(), word("🙏")), 1);
  assert_int_equal(gsample_matcher_allows(face.get(), word("🚀")), 0);
}

void exact_utf8(void**) {
  Grammar any = matching::gbnf(vocab, "root ::= .*");
  for (const char* bad : {"\xc0", "\xc1", "\xf5", "\xff", "\x80", "\xe0\x80", "\xe0\x9f", "\xed\xa0", "\xf0\x80", "\xf0\x8f", "\xf4\x90",
                          "\xc3(", "\xe2\x82("})
    assert_false(verdict(any, bad).prefix);
  for (const char* good : {"\xc3\xa9", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "\x7f"})
    assert_true(takes(any, good));
  assert_true(takes(any, std::string_view("\0", 1)));
  assert_false(takes(any, "\xe4\xb8"));
  Grammar most = matching::gbnf(vocab, "root ::= [^é中]+");  // a cut character is allowed while any completion is
  assert_true(verdict(most, "\xc3").prefix);
  assert_false(verdict(most, "\xc3\xa9").prefix);
  assert_true(takes(most, "\xc3\xa8"));
  Grammar none = matching::gbnf(vocab, "root ::= [^\\u0080-\\u07ff]+");
  assert_false(verdict(none, "\xc3").prefix);
}

void stop_as_terminal(void**) {  // xgrammar 701
  Grammar grammar = matching::gbnf(vocab, "root ::= \"ab\" <[300]>");
  Matcher matcher = matching::start(grammar);
  assert_true(feed(matcher, "ab").prefix);
  assert_int_equal(gsample_matcher_can_stop(matcher.get()), 0);
  assert_only_stops(matcher);
  assert_int_equal(gsample_matcher_accept(matcher.get(), stop), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_can_stop(matcher.get()), 1);
}

void many_literals(void**) {  // xgrammar 618, guidance 1320
  for (int n : {1200, 2001, 100000}) {
    std::string text = "root ::= ";
    for (int i = 0; i < n; i++) text += (i ? " | \"" : "\"") + std::to_string(i * 7919 % 1000003) + "\"";
    double begin = seconds();
    Grammar grammar = matching::gbnf(vocab, text);
    Matcher matcher = matching::start(grammar);
    assert_int_equal(matching::allowed_tokens(matcher, n_vocab).size(), 10);
    assert_true(seconds() - begin < 5);
    for (int i = 0; i < n; i += n / 400) assert_true(takes(grammar, std::to_string(i * 7919 % 1000003)));
    assert_false(takes(grammar, "x"));
    assert_false(takes(grammar, "00"));
    assert_false(takes(grammar, std::to_string(1000003)));
  }
  Grammar nested = matching::regex(vocab, "a|aa|aaa|aaaa|b(c|d)?");
  for (const char* good : {"a", "aa", "aaa", "aaaa", "b", "bc", "bd"}) assert_true(takes(nested, good));
  for (const char* bad : {"", "aaaaa", "be", "c"}) assert_false(takes(nested, bad));
}

void prefixes(void**) {  // guidance 1352
  Grammar grammar = matching::gbnf(vocab, "root ::= \"test\"");
  Matcher matcher = matching::start(grammar);
  std::vector<int32_t> expected{'t', word("t"), word("te"), word("tes"), word("test")};
  std::vector<int32_t> got = matching::allowed_tokens(matcher, n_vocab);
  assert_true(got == expected);
}

void regex_cases(void**) {  // xgrammar 175 and 400, sglang 34679
  Grammar empty = matching::regex(vocab, "(a|b|)");
  assert_true(takes(empty, "") && takes(empty, "a") && takes(empty, "b"));
  assert_false(takes(empty, "ab"));
  Grammar comment = matching::regex(vocab, R"(\/\*(\*+[^*\/]|[^*])*\*+\/)");
  assert_true(takes(comment, "/*  */") && takes(comment, "/* a * b **/") && takes(comment, "/***/"));
  assert_false(verdict(comment, "/* */ ").prefix);
  Grammar nul = matching::regex(vocab, R"(a\0b)");
  assert_true(takes(nul, std::string_view("a\0b", 3)));
  Grammar date = matching::regex(vocab, R"(^(?:19|20)\d{2}-(?<month>0[1-9]|1[0-2])-[0-3]\d$)");
  assert_true(takes(date, "2024-02-29"));
  assert_false(verdict(date, "2024-13").prefix);
  Grammar escapes = matching::regex(vocab, R"([\w.-]+@\x41\u{1F600}\uD83D\ude00\u00e9\cA\/[\]\\]\S\D.)");
  assert_true(takes(escapes, "a_9.-@A😀😀é\x01/]x☃!"));
  Grammar lazy = matching::regex(vocab, "a+?b*?c??");
  assert_true(takes(lazy, "aab") && takes(lazy, "ac"));
  Grammar dot = matching::regex(vocab, ".+");
  assert_false(verdict(dot, "\n").prefix);
  assert_false(verdict(dot, "\xe2\x80\xa8").prefix);
  assert_true(takes(dot, "\xe2\x80\xa7"));
  Grammar brace = matching::regex(vocab, "x{,3}{a}");
  assert_true(takes(brace, "x{,3}{a}"));
  Grammar never = matching::regex(vocab, "a[]|b[^]");
  assert_false(verdict(never, "a").prefix);
  assert_true(takes(never, "b\n"));
}

void left_recursion(void**) {  // xgrammar 126, llama.cpp 6492 and 7572
  Grammar grammar = matching::gbnf(vocab, R"gbnf(root ::= expr
expr ::= expr "+" term | term
term ::= term "*" factor | factor
factor ::= "(" expr ")" | [0-9])gbnf");
  for (const char* good : {"1", "1+2", "1+2*3", "(1+2)*3+((4))", "1*(2+3)*4"}) assert_true(takes(grammar, good));
  for (const char* bad : {"+", "1+", "(1", "1+2)", "()"}) assert_false(takes(grammar, bad));
  Grammar hidden = matching::gbnf(vocab, "root ::= a\na ::= b? a \"x\" | \"y\" root?\nb ::= \"b\"?");  // behind what can be empty
  assert_true(takes(hidden, "yxx") && takes(hidden, "bbyxx") && takes(hidden, "yyx"));
  assert_false(takes(hidden, "x"));
  Grammar indirect = matching::gbnf(vocab, "root ::= a\na ::= b \"x\"\nb ::= a \"y\" | c \"z\"\nc ::= b | \"(\" a \")\"");
  assert_true(takes(indirect, "(()") == false);
  Grammar not_left = matching::gbnf(vocab, "root ::= \"a\" ( \"\" | \"b\" )*");
  assert_true(takes(not_left, "a") && takes(not_left, "abbb"));
  Grammar ambiguous = matching::gbnf(vocab, "root ::= root root | \"a\" | \"(\" root \")\"");
  std::string many(3000, 'a');
  assert_true(takes(ambiguous, many + "(" + many + ")"));
  Grammar two_ways = matching::gbnf(vocab, "root ::= a root \"x\" | b root \"y\" | \"!\"\na ::= \"a\" a?  \nb ::= \"a\" b?");
  assert_true(takes(two_ways, std::string(60, 'a') + "!" + std::string(30, 'x') + std::string(30, 'y')));
  assert_false(verdict(two_ways, "aa!xyx").prefix);
}

void empty_loops(void**) {  // llama.cpp 18988
  for (const char* text : {"root ::= (\"a\"* )*", "root ::= ((\"a\"*)* | \"b\"*)*", "root ::= (x | \"a\")* \nx ::= (\"\" | \"b\")* x?"}) {
    Grammar grammar = matching::gbnf(vocab, text);
    assert_true(takes(grammar, "") && takes(grammar, "aaaa"));
    assert_false(verdict(grammar, "c").prefix);
  }
}

void deep_nesting(void**) {  // llama.cpp 26600
  std::string open(60000, '('), close(60000, ')');
  Grammar grammar;
  gsample_error error;
  assert_int_equal(matching::try_gbnf(vocab.get(), "root ::= " + open + "\"a\"" + close, grammar, error), GSAMPLE_ERROR_LIMIT);
  assert_int_equal(error.line, 1);
  assert_true(error.column > 100);
  assert_int_equal(matching::try_regex(vocab.get(), open + "a" + close, grammar, error), GSAMPLE_ERROR_LIMIT);
  Grammar text = matching::gbnf(vocab, "root ::= \"(\" root \")\" | \"\"");  // nesting in the text is another matter
  Matcher matcher = matching::start(text);
  assert_true(feed(matcher, open).prefix);
  assert_int_equal(gsample_matcher_can_stop(matcher.get()), 0);
  assert_true(feed(matcher, close).whole);
  assert_only_stops(matcher);
}

void completion(void**) {  // llama.cpp 11591, xgrammar 269
  Grammar grammar = matching::gbnf(vocab, "root ::= \"{\" \"}\"");
  Matcher matcher = matching::start(grammar);
  assert_true(feed(matcher, "{}").whole);
  assert_only_stops(matcher);
  assert_int_equal(gsample_matcher_accept(matcher.get(), '}'), GSAMPLE_ERROR_REFUSED);
  assert_int_equal(gsample_matcher_accept(matcher.get(), stop), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_accept(matcher.get(), ' '), GSAMPLE_ERROR_REFUSED);
  assert_int_equal(gsample_matcher_rollback(matcher.get(), 2), GSAMPLE_OK);  // the stop token and the brace
  assert_int_equal(gsample_matcher_can_stop(matcher.get()), 0);
  assert_int_equal(gsample_matcher_allows(matcher.get(), stop), 0);
  assert_int_equal(gsample_matcher_accept(matcher.get(), stop), GSAMPLE_ERROR_REFUSED);
  Grammar line = matching::gbnf(vocab, "root ::= \"{\" \"}\" \"\\n\"?");
  Matcher at_end = matching::start(line);
  assert_true(feed(at_end, "{").prefix);
  assert_int_equal(gsample_matcher_allows(at_end.get(), word("}\n")), 1);
  assert_int_equal(gsample_matcher_accept(at_end.get(), word("}\n")), GSAMPLE_OK);
  assert_only_stops(at_end);
}

void tokens_without_text(void**) {  // sglang 3108, xgrammar 611
  Grammar grammar = matching::gbnf(vocab, "root ::= .* | \"<think>\"* | \"</s>\"*");
  Matcher matcher = matching::start(grammar);
  for (int32_t token : {control, control + 1, static_cast<int32_t>(n_vocab) - 1}) {
    assert_int_equal(gsample_matcher_allows(matcher.get(), token), 0);
    assert_int_equal(gsample_matcher_accept(matcher.get(), token), GSAMPLE_ERROR_REFUSED);
  }
  for (int32_t token : {-1, static_cast<int32_t>(n_vocab), INT32_MAX, INT32_MIN}) {
    assert_int_equal(gsample_matcher_allows(matcher.get(), token), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gsample_matcher_accept(matcher.get(), token), GSAMPLE_ERROR_INVALID_ARGUMENT);
  }
  uint32_t words_of_row[n_vocab / 32 + 2];
  assert_int_equal(gsample_matcher_mask(matcher.get(), words_of_row, n_vocab / 32 + 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_matcher_mask(matcher.get(), words_of_row, n_vocab / 32 - 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  std::vector<int32_t> allowed = matching::allowed_tokens(matcher, n_vocab);
  for (int32_t token : allowed) assert_true(token < stop + 1);
}

void token_terminals(void**) {
  Grammar grammar = matching::gbnf(vocab, "root ::= <[301]> !<[301]>* <[265]> \"ok\"");  // 265 is </think>
  Matcher matcher = matching::start(grammar);
  std::vector<int32_t> allowed = matching::allowed_tokens(matcher, n_vocab);
  assert_int_equal(allowed.size(), 1);
  assert_int_equal(allowed[0], control);
  assert_int_equal(gsample_matcher_accept(matcher.get(), control), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_allows(matcher.get(), control), 0);
  assert_int_equal(gsample_matcher_allows(matcher.get(), stop), 0);
  assert_int_equal(gsample_matcher_allows(matcher.get(), 0xff), 1);  // any text token, whatever its bytes
  assert_true(feed(matcher, "</think>ok").prefix);                   // not yet: these were other tokens
  assert_int_equal(gsample_matcher_can_stop(matcher.get()), 0);
  assert_int_equal(gsample_matcher_accept(matcher.get(), word("</think>")), GSAMPLE_OK);
  assert_true(feed(matcher, "ok").whole);
  Grammar never = matching::gbnf(vocab, "root ::= <[305]> | <[319]> | \"a\"");  // tokens that do not exist
  Matcher alone = matching::start(never);
  assert_int_equal(matching::allowed_tokens(alone, n_vocab).size(), 1);
  gsample_error error;
  Grammar refused;
  for (const char* text :
       {"root ::= <[320]>", "root ::= <[-1]>", "root ::= <[1>", "root ::= <1>", "root ::= ! \"a\"", "root ::= <[99999999999]>"})
    assert_int_equal(matching::try_gbnf(vocab.get(), text, refused, error), GSAMPLE_ERROR_SYNTAX);
}

void same_language(void**) {  // llguidance 217
  Grammar rules = matching::gbnf(vocab, "root ::= open body close\nopen ::= \"<think\" \">\"\nbody ::= .+\nclose ::= \"</think\" \">\"");
  Grammar terminal = matching::regex(vocab, "<think>[^]+</think>");
  for (const char* text : {"<think>", "<think></think>", "<think>a</think>", "<think></think></think>", "<think>a</think>b",
                           "<think>a</thi</think>", "<think"}) {
    Verdict a = verdict(rules, text), b = verdict(terminal, text);
    if (a.prefix != b.prefix || a.whole != b.whole) fail_msg("%s", text);
  }
}

void free_text(void**) {  // llama.cpp 2971 and 7554: stays fast, with a long ending that resembles the text
  Grammar grammar = matching::gbnf(vocab, "root ::= .* \"aaaaaaaaaaaaaaaaaaaaab\"");
  Matcher matcher = matching::start(grammar);
  double begin = seconds();
  assert_true(feed(matcher, std::string(20000, 'a')).prefix);
  assert_true(seconds() - begin < 2);
  assert_int_equal(gsample_matcher_accept(matcher.get(), 'b'), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_can_stop(matcher.get()), 1);
}

// Much that leaves a loop to one byte, and so much of it that a table gives up: the mask is what allows says.
void frequent_suffixes(void**) {
  for (int n : {20, 150, 500}) {
    std::vector<std::string> tokens{";", "a", "ab", "1;", "1-"};
    for (const char* lead = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"; *lead; lead++)
      for (int i = 0; i < n; i++)
        tokens.push_back({*lead, 'a', static_cast<char>('a' + i % 26), static_cast<char>('a' + i / 26)});
    Vocab many = matching::make_vocab(tokens);
    for (const char* loop : {"[0-9]+", "[0-9A-Z]+", "[0-9A-Z]{1,60}"}) {
      for (const char* behind : {"\"a\" [a-z]*", "(\"ab\" | \"-\") [a-m]*", "\";\""}) {
        // The rule calls itself, so the loop is a terminal of its own.
        std::string text = std::string("root ::= ") + loop + " rest\nrest ::= " + behind + " | \"(\" rest \")\"";
        Matcher matcher = matching::start(matching::gbnf(many, text));
        std::vector<uint32_t> mask = matching::mask_words(matcher, tokens.size());
        for (size_t i = 0; i < tokens.size(); i++)
          if (gsample_matcher_allows(matcher.get(), static_cast<int32_t>(i)) != static_cast<int32_t>(mask[i / 32] >> i % 32 & 1))
            fail_msg("%d tokens a byte, %s%s: token %s", n, loop, behind, tokens[i].c_str());
      }
    }
  }
}

int set_up(void**) {
  vocab = make_bytes_vocab();
  return 0;
}
int tear_down(void**) {
  vocab.reset();
  return 0;
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(large_counts),    cmocka_unit_test(nested_counts),
                              cmocka_unit_test(other_scripts),   cmocka_unit_test(exact_utf8),
                              cmocka_unit_test(many_literals),   cmocka_unit_test(stop_as_terminal),
                              cmocka_unit_test(prefixes),        cmocka_unit_test(regex_cases),
                              cmocka_unit_test(left_recursion),  cmocka_unit_test(empty_loops),
                              cmocka_unit_test(deep_nesting),    cmocka_unit_test(completion),
                              cmocka_unit_test(token_terminals), cmocka_unit_test(tokens_without_text),
                              cmocka_unit_test(same_language),   cmocka_unit_test(free_text),
                              cmocka_unit_test(frequent_suffixes)};
  return cmocka_run_group_tests_name("grammar reports", tests, set_up, tear_down);
}

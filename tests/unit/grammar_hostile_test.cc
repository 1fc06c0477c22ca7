// Grammars and texts made to cost much: each ends in LIMIT, or is simply fine, within 256 MiB and a second, and gives all memory back.
// (Over a vocabulary that is made for them too: there it is a second a call.) GSAMPLE_TEST_SLOW allows the time that sanitizers take,
// and prints what each case cost. Linked statically with an operator new that counts.
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <vector>

#include "allocations.h"
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

constexpr size_t most_bytes = size_t{256} << 20;
constexpr size_t n_vocab = 320;

// Token b is the byte b, then some words; `alike`: made of the letters that the cases use, which is harder.
Vocab make_vocab(bool alike) {
  std::vector<std::string> tokens;
  for (int b = 0; b < 256; b++) tokens.push_back(std::string(1, static_cast<char>(b)));
  const std::vector<std::string> words[] = {
      {"ab", "abc", "aaa", "\"}", "\",", "{\"", "\": ", " the", "te", "test", "xy", "12"},
      {"ab", "abc", "aaa", "ba", "aab", "bbb", "((", "()", "))", "a(", "xy", "aaaaaaaa", "abababab", "aabaabaab", "12", "q!"}};
  tokens.insert(tokens.end(), words[alike].begin(), words[alike].end());
  return matching::make_vocab(tokens, {}, n_vocab);
}

double seconds() {
  timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_nsec) * 1e-9;
}

std::string repeat(const std::string& text, int n) {
  std::string out;
  for (int i = 0; i < n; i++) out += text;
  return out;
}

struct Hostile {
  std::string grammar, text;
};

// The longest of a case's calls, and all of them.
struct Stopwatch {
  double longest = 0, all = 0;

  template <class Call>
  int32_t time(Call call) {
    const double begin = seconds();
    const int32_t status = call();
    const double took = seconds() - begin;
    longest = std::max(longest, took);
    all += took;
    return status;
  }
};

bool fine_or_limit(int32_t status) { return status == GSAMPLE_OK || status == GSAMPLE_ERROR_LIMIT; }

// The status that it came to. The vocabulary is its own, as it remembers tables.
template <class Parse>
int32_t play(const Hostile& c, size_t i, const Parse& parse, bool alike, Stopwatch& watch) {
  const Vocab vocab = make_vocab(alike);
  Grammar grammar;
  gsample_error error;
  int32_t status = watch.time([&] { return parse(vocab.get(), c.grammar, grammar, error); });
  if (!fine_or_limit(status)) fail_msg("case %zu: %d %s", i, status, error.message);
  if (status != GSAMPLE_OK) return status;
  gsample_matcher* made = nullptr;
  status = watch.time([&] { return gsample_grammar_warm(grammar.get()); });
  if (!fine_or_limit(status)) fail_msg("case %zu: warm %d", i, status);
  status = watch.time([&] { return gsample_matcher_new(grammar.get(), &made); });
  const Matcher matcher(made);
  if (!fine_or_limit(status)) fail_msg("case %zu: matcher %d", i, status);
  std::vector<uint32_t> mask((n_vocab + 31) / 32);
  for (size_t k = 0; made && k < c.text.size() && status == GSAMPLE_OK; k++) {
    status = watch.time([&] { return gsample_matcher_accept(made, static_cast<unsigned char>(c.text[k])); });
    if (k % 16 == 0 && status == GSAMPLE_OK) status = watch.time([&] { return gsample_matcher_mask(made, mask.data(), mask.size()); });
    if (!fine_or_limit(status)) fail_msg("case %zu, byte %zu: %d", i, k, status);
  }
  return status;
}

template <class Parse>
void all_within_bounds(const std::vector<Hostile>& cases, const char* kind, const Parse& parse) {
  const bool slow = getenv("GSAMPLE_TEST_SLOW");
  for (bool alike : {false, true})
    for (size_t i = 0; i < cases.size(); i++) {
      const size_t held = allocations_held(), before = allocations_bytes();
      allocations_forget_peak();
      Stopwatch watch;
      const int32_t status = play(cases[i], i, parse, alike, watch);
      const size_t peak = allocations_peak() - before;
      if (slow) {
        print_message("%s %zu, words %d: status %d, %.3f s in all, %.3f s the longest call, %.1f MiB\n", kind, i, alike, status, watch.all,
                      watch.longest, static_cast<double>(peak) / (1 << 20));
      }
      const double took = alike ? watch.longest : watch.all;
      if (took > (slow ? 60 : 1)) fail_msg("%s %zu, words %d: it took %f s, a call %f s", kind, i, alike, watch.all, watch.longest);
      if (peak > most_bytes) fail_msg("%s %zu, words %d: it took %zu bytes", kind, i, alike, peak);
      if (allocations_held() != held) fail_msg("%s %zu, words %d: %zu allocations are left", kind, i, alike, allocations_held() - held);
    }
}

void gbnf(void**) {
  std::string chain = "root ::= r0\n", doubling = "root ::= r0\n", lefts = "root ::= r0\n";
  for (int i = 0; i < 20000; i++) chain += "r" + std::to_string(i) + " ::= \"(\" r" + std::to_string(i + 1) + " \")\" | \"x\"\n";
  for (int i = 0; i < 40; i++) doubling += "r" + std::to_string(i) + " ::= r" + std::to_string(i + 1) + " r" + std::to_string(i + 1) + "\n";
  for (int i = 0; i < 3000; i++)
    lefts += "r" + std::to_string(i) + " ::= r" + std::to_string((i + 1) % 3000) + " \"a\" | r" + std::to_string(i * 7 % 3000) +
             " \"b\" | root\n";
  lefts += "root ::= r0 | \"x\"\n";
  const std::vector<Hostile> cases{
      {chain + "r20000 ::= \"y\"", "((("},
      {doubling + "r40 ::= \"a\" | \"b\"", repeat("ab", 2000)},
      {lefts, "xabab"},
      {"root ::= " + repeat("[a-z]? ", 20000) + "\"!\"", repeat("q", 500)},
      {"root ::= (([ab]* \"a\" [ab]{18})* \"x\")*", repeat("aab", 1000)},
      {"root ::= (\"a\" | \"a\" root | root \"a\" root | \"b\" root \"b\" root)*", repeat("ab", 400)},
      {"root ::= ((\"a\"{0,5000} \"b\"?){0,5000} \"c\"?){0,40}", repeat("aab", 400)},
      {"root ::= x{0,1000000} \nx ::= \"a\" x{0,1000000} \"b\" | \"a\"", repeat("a", 400)},
      {"root ::= " + repeat("(", 400) + "root" + repeat("\"a\"?)*", 400), repeat("a", 50)},
      {"root ::= \"" + repeat("a", 1000000) + "\"", repeat("a", 100)},
      {"root ::= \"a\"{1000000000}", repeat("a", 100)},
      {repeat("x ::= \"a\"\n", 50000) + "root ::= x", "a"},
      {"root ::= " + repeat("\"b\"? ", 800), repeat("b", 800)},
      {"root ::= " + repeat("\"a\"? ", 3000) + repeat("\"a\" ", 3000), repeat("a", 1000)},
      {"root ::= \"a\" | \"(\" " + repeat("(\"b\"? root)? ", 500) + "\")\"", "(ababab"},
      {"root ::= s\ns ::= s s s | s s | \"1\" | \"+\" |", repeat("1", 200)},
      {"root ::= x" + repeat(" | [^a] x", 100000) + "\nx ::= [^\"]*", "b"},
      {"root ::= \"" + repeat("ab", 1000000) + "\"", "abab"},
      {"root ::= \"" + repeat("a", 5000000) + "\"", "a"},
      {"root ::= " + repeat("|", 4000000), ""},
  };
  all_within_bounds(cases, "gbnf", [](gsample_vocab* vocab, const std::string& text, Grammar& out, gsample_error& error) {
    return matching::try_gbnf(vocab, text, out, error);
  });
}

void regex(void**) {
  std::string choices = "(";
  for (int i = 0; i < 100000; i++) choices += std::to_string(i * 7919 % 1000003) + "|";
  std::string distinct, classes;  // optional parts and classes of which no two are the same
  auto from = [](char first, int i) { return static_cast<char>(first + i); };
  for (int i = 0; i < 500; i++) distinct += std::string("(a[") + from('b', i % 20) + "-z]?)?(ab{0," + std::to_string(i) + "})?";
  for (int i = 0; i < 200000; i++) classes += {'[', '^', from('b', i % 20), from('A', i / 20 % 25), from('0', i / 500 % 10), ']'};
  const std::vector<Hostile> cases{
      {choices + ")*x", repeat("7919", 100)},
      {repeat("(", 9) + "a" + repeat("{0,9}b?)", 9), repeat("ab", 200)},
      {"((a{0,1000}b?){0,1000}c?){0,1000}", repeat("aab", 400)},
      {"(.*a){20}", repeat("ab", 500)},
      {"(a?){1000}a{1000}", repeat("a", 1500)},
      {"[^]*a[^]{20}b", repeat("ab", 500)},
      {"(([ab]*a[ab]{11}|[ab]*b[ab]{12})c)*", repeat("aabab", 300)},
      {repeat("(a|", 400) + "b" + repeat(")*", 400), repeat("ab", 200)},
      {repeat("[^a]?", 20000), repeat("b", 500)},
      {repeat("a", 1000000), repeat("a", 100)},
      {"((a{1000}){1000}){1000}", "a"},
      {repeat("b?", 800), repeat("b", 800)},
      {repeat("(b|bb)?", 800), repeat("b", 1000)},
      {repeat("a?b?", 500), repeat("ab", 500)},
      {repeat("(a*b)?(b*a)?", 300), repeat("ab", 300)},
      {repeat("(a|b)?", 20000), repeat("b", 500)},
      {repeat("(\\W|\\w)*", 20000), repeat("b", 100)},
      {distinct, "ababab"},
      {repeat("\xc3\xa9", 500000), "\xc3\xa9"},
      {"(" + repeat(".|", 400000) + "x)", "b"},
      {repeat("[^a]", 200000), repeat("b", 100)},
      {classes, "b"},
      {repeat("a", 3000000), "a"},
  };
  all_within_bounds(cases, "regex", [](gsample_vocab* vocab, const std::string& text, Grammar& out, gsample_error& error) {
    return matching::try_regex(vocab, text, out, error);
  });
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(gbnf), cmocka_unit_test(regex)};
  return cmocka_run_group_tests_name("grammar hostile", tests, nullptr, nullptr);
}

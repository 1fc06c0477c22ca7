// One grammar in many threads: every thread walks its own matchers, cold at the same time, and gets what one thread alone gets. Run it
// under a thread sanitizer.
#include <atomic>
#include <thread>

#include "corpus.h"
#include "matching.h"

// Last, as cmocka defines fail and skip as macros.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

namespace {

std::vector<std::string> make_tokens() {
  std::vector<std::string> tokens;
  for (int b = 0; b < 256; b++) tokens.push_back(std::string(1, static_cast<char>(b)));
  for (const corpus::Language& language : corpus::languages())
    for (const std::string& text : language.texts)
      for (size_t at = 0; at + 8 < text.size() && at < 400; at += 3) tokens.push_back(text.substr(at, 2 + at % 6));
  return tokens;
}

using Masks = std::vector<std::vector<uint32_t>>;

Masks walk(const matching::Grammar& grammar, const std::vector<std::vector<int32_t>>& texts, size_t n_vocab) {
  Masks out;
  for (const std::vector<int32_t>& text : texts) {
    matching::Matcher matcher = matching::start(grammar);
    for (int32_t token : text) {
      out.push_back(matching::mask_words(matcher, n_vocab));
      if (gsample_matcher_allows(matcher.get(), token) != 1 || gsample_matcher_accept(matcher.get(), token)) return {};
    }
  }
  return out;
}

void threads(void**) {
  std::vector<std::string> tokens = make_tokens();
  for (const corpus::Language& language : corpus::languages()) {
    std::vector<std::vector<int32_t>> texts;
    for (size_t t = 0; t < 3; t++) texts.push_back(corpus::split(tokens, language.texts[t].substr(0, 300), t, t == 0));
    auto grammar_on = [&](const matching::Vocab& vocab) {
      return language.is_regex ? matching::regex(vocab, language.grammar) : matching::gbnf(vocab, language.grammar);
    };
    matching::Vocab alone = matching::make_vocab(tokens), shared = matching::make_vocab(tokens);
    Masks expected = walk(grammar_on(alone), texts, tokens.size());
    assert_true(expected.size() > 20);
    matching::Grammar one = grammar_on(shared), two = grammar_on(shared);
    std::atomic<int> wrong{0};
    std::vector<std::thread> running;
    for (int i = 0; i < 4; i++)
      running.emplace_back([&, i] {
        if (walk(i % 2 ? one : two, texts, tokens.size()) != expected) wrong++;
        if (i == 3 && gsample_grammar_warm(one.get())) wrong++;
      });
    for (std::thread& thread : running) thread.join();
    assert_int_equal(wrong.load(), 0);
  }
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(threads)};
  return cmocka_run_group_tests_name("grammar threads", tests, nullptr, nullptr);
}

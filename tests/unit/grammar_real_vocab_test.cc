// The engine over a real vocabulary of 128,256 tokens: in the states that texts of several languages lead through, the mask equals allows
// for every token, the text's own next token is in it, and a warmed grammar, a clone and a fresh vocabulary say the same.
//   grammar_real_vocab_test TOKENIZER_JSON
#include <algorithm>
#include <fstream>
#include <iterator>

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

constexpr size_t n_vocab = 128300;  // a row wider than the list
constexpr int32_t stop = 128009;
std::string json;
std::vector<std::string> tokens(n_vocab);

matching::Vocab load() {
  gsample_vocab* vocab = nullptr;
  gsample_error error = matching::fresh_error();
  if (int32_t status = gsample_vocab_from_tokenizer_json(json.data(), json.size(), n_vocab, &vocab, &error))
    matching::die("vocabulary", "", status, &error);
  if (int32_t status = gsample_vocab_set_stop(vocab, &stop, 1)) matching::die("stop", "", status);
  return matching::Vocab(vocab);
}

void mask_is_allows(void**) {
  matching::Vocab vocab = load(), other = load();
  for (size_t i = 0; i < 128000; i++) {
    const uint8_t* bytes;
    size_t n;
    assert_int_equal(gsample_vocab_bytes(vocab.get(), static_cast<int32_t>(i), &bytes, &n), GSAMPLE_OK);
    tokens[i].assign(bytes, bytes + n);
  }
  assert_string_equal(tokens[1296].c_str(), " test");
  bool all = getenv("GSAMPLE_TEST_ALL") != nullptr;
  size_t states = 0, distinct = 0;
  for (const corpus::Language& language : corpus::languages()) {
    matching::Grammar grammar = language.is_regex ? matching::regex(vocab, language.grammar) : matching::gbnf(vocab, language.grammar);
    matching::Grammar warmed = language.is_regex ? matching::regex(other, language.grammar) : matching::gbnf(other, language.grammar);
    assert_int_equal(gsample_grammar_warm(warmed.get()), GSAMPLE_OK);
    std::vector<std::vector<uint32_t>> seen;
    for (size_t t = 0; t < (all ? language.texts.size() : 3); t++) {
      matching::Matcher matcher = matching::start(grammar), second = matching::start(warmed);
      for (int32_t token : corpus::split(tokens, language.texts[t], t, t != 1)) {
        std::vector<uint32_t> mask = matching::mask_words(matcher, n_vocab);
        assert_true(mask == matching::mask_words(second, n_vocab));
        assert_true(mask[static_cast<size_t>(token) / 32] >> token % 32 & 1);
        states++;
        if (all || std::find(seen.begin(), seen.end(), mask) == seen.end()) {  // every token, once for each mask
          seen.push_back(mask);
          distinct++;
          for (int32_t i = 0; i < static_cast<int32_t>(n_vocab); i++)
            if (gsample_matcher_allows(matcher.get(), i) != static_cast<int32_t>(mask[static_cast<size_t>(i) / 32] >> i % 32 & 1))
              fail_msg("%s, text %zu: token %d \"%s\"", language.name.c_str(), t, i, tokens[static_cast<size_t>(i)].c_str());
        }
        for (uint64_t k = 0; k < 50; k++) {  // otherwise some
          int32_t i = static_cast<int32_t>((states * 50 + k) * 2654435761u % n_vocab);
          if (gsample_matcher_allows(matcher.get(), i) != static_cast<int32_t>(mask[static_cast<size_t>(i) / 32] >> i % 32 & 1))
            fail_msg("token %d", i);
        }
        assert_int_equal(gsample_matcher_accept(matcher.get(), token), GSAMPLE_OK);
        assert_int_equal(gsample_matcher_accept(second.get(), token), GSAMPLE_OK);
      }
      assert_int_equal(gsample_matcher_can_stop(matcher.get()), 1);
      assert_int_equal(gsample_matcher_allows(matcher.get(), stop), 1);
    }
  }
  print_message("%zu states, %zu masks compared with allows for all %zu tokens\n", states, distinct, n_vocab);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  std::ifstream file(argv[argc - 1], std::ios::binary);
  json.assign(std::istreambuf_iterator<char>(file), {});
  const CMUnitTest tests[] = {cmocka_unit_test(mask_is_allows)};
  return cmocka_run_group_tests_name("grammar on a real vocabulary", tests, nullptr, nullptr);
}

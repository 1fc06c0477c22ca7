// Any series of accept, rollback, clone, reset and mask on a few grammars, against the same text accepted anew.
#include "grammar_walk.h"

namespace {

const char* const grammars[] = {
    "root ::= value\nvalue ::= \"[\" (value (\",\" value)*)? \"]\" | \"\\\"\" [^\"]* \"\\\"\" | [0-9]+",
    "root ::= root \"+\" root | \"(\" root \")\" | [a-c]+ | \"\"",
    "root ::= ([ab]{2,5} | [^a]{0,300} \"a\"){1,4} <[277]>? !<[97]>*",
    "root ::= \"a\" root \"a\" | \"b\" root \"b\" | . | \"\"",
};

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size < 2) return 0;
  matching::Vocab vocab = walk_vocab();
  matching::Grammar grammar;
  gsample_error error;
  if (matching::try_gbnf(vocab.get(), grammars[data[0] % 4], grammar, error)) return 0;
  gsample_matcher* made = nullptr;
  if (gsample_matcher_new(grammar.get(), &made)) return 0;
  matching::Matcher matcher(made);
  std::vector<int32_t> accepted;
  std::vector<uint32_t> mask, other;
  for (size_t i = 1; i + 1 < size && i < 60; i += 2) {
    switch (data[i] % 8) {
      case 0: {
        size_t n = data[i + 1] % 4;
        int32_t status = gsample_matcher_rollback(matcher.get(), n);
        REQUIRE(status == (n <= accepted.size() ? 0 : GSAMPLE_ERROR_INVALID_ARGUMENT));
        if (status == 0) accepted.resize(accepted.size() - n);
        break;
      }
      case 1: {
        gsample_matcher* copy = nullptr;
        if (gives_up(gsample_matcher_clone(matcher.get(), &copy))) return 0;
        gsample_matcher_accept(matcher.get(), data[i + 1]);  // what happens to one does not happen to the other
        matcher.reset(copy);
        break;
      }
      case 2:
        if (data[i + 1] % 8) break;
        if (gives_up(gsample_matcher_reset(matcher.get()))) return 0;
        accepted.clear();
        break;
      default: {
        int32_t token = data[i + 1] + (data[i] & 8 ? 40 : 0);
        int32_t allows = gsample_matcher_allows(matcher.get(), token);
        if (allows == 1) accepted.push_back(token);
        int32_t status = gsample_matcher_accept(matcher.get(), token);
        if (gives_up(allows) || gives_up(status)) return 0;
        REQUIRE(status == (allows ? 0 : GSAMPLE_ERROR_REFUSED));
      }
    }
  }
  if (gsample_matcher_new(grammar.get(), &made)) return 0;
  matching::Matcher anew(made);
  for (int32_t token : accepted) {
    int32_t status = gsample_matcher_accept(anew.get(), token);
    if (gives_up(status)) return 0;
    REQUIRE(status == 0);
  }
  if (!check_state(matcher.get(), mask) || !check_state(anew.get(), other)) return 0;
  REQUIRE(mask == other);
  REQUIRE(gsample_matcher_can_stop(matcher.get()) == gsample_matcher_can_stop(anew.get()));
  return 0;
}

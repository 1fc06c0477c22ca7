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
  gsample_vocab* vocab = walk_vocab();
  gsample_grammar* grammar = nullptr;
  gsample_matcher *matcher = nullptr, *copy = nullptr, *anew = nullptr;
  const char* text = grammars[data[0] % 4];
  std::vector<int32_t> accepted;
  std::vector<uint32_t> mask, other;
  bool limited = false;
  auto done = [&](int32_t status) { return limited = limited || gives_up(status); };
  if (done(gsample_grammar_from_gbnf(vocab, text, std::strlen(text), nullptr, &grammar, nullptr)) ||
      done(gsample_matcher_new(grammar, &matcher)))
    size = 0;
  for (size_t i = 1; i + 1 < size && i < 60 && !limited; i += 2) {
    switch (data[i] % 8) {
      case 0: {
        size_t n = data[i + 1] % 4;
        int32_t status = gsample_matcher_rollback(matcher, n);
        REQUIRE(status == (n <= accepted.size() ? 0 : GSAMPLE_ERROR_INVALID_ARGUMENT));
        if (status == 0) accepted.resize(accepted.size() - n);
        break;
      }
      case 1:
        if (done(gsample_matcher_clone(matcher, &copy))) break;
        gsample_matcher_accept(matcher, data[i + 1]);  // what happens to one does not happen to the other
        gsample_matcher_free(matcher);
        matcher = copy;
        break;
      case 2:
        if (data[i + 1] % 8 == 0) {
          if (done(gsample_matcher_reset(matcher))) break;
          accepted.clear();
        }
        break;
      default: {
        int32_t token = data[i + 1] + (data[i] & 8 ? 40 : 0);
        int32_t allows = gsample_matcher_allows(matcher, token), status = gsample_matcher_accept(matcher, token);
        if (done(allows) || done(status)) break;
        REQUIRE(status == (allows ? 0 : GSAMPLE_ERROR_REFUSED));
        if (allows) accepted.push_back(token);
      }
    }
  }
  if (size && !limited && !done(gsample_matcher_new(grammar, &anew))) {
    for (int32_t token : accepted) {
      int32_t status = gsample_matcher_accept(anew, token);
      if (done(status)) break;
      REQUIRE(status == 0);
    }
    if (!limited && check_state(matcher, mask) && check_state(anew, other)) {
      REQUIRE(mask == other);
      REQUIRE(gsample_matcher_can_stop(matcher) == gsample_matcher_can_stop(anew));
    }
  }
  gsample_matcher_free(anew);
  gsample_matcher_free(matcher);
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);
  return 0;
}

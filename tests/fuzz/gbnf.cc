// Any text as a GBNF grammar: it is refused with a place, or it can be walked with mask, allows and accept agreeing.
#include "grammar_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!data) return 0;
  gsample_vocab* vocab = walk_vocab();
  size_t steps = size < 16 ? size / 2 : 8;  // the last bytes choose the way
  gsample_grammar* grammar = nullptr;
  gsample_error error = {};
  error.size = sizeof error;
  int32_t status = gsample_grammar_from_gbnf(vocab, reinterpret_cast<const char*>(data), size - steps, nullptr, &grammar, &error);
  if (status == 0) walk(grammar, data + size - steps, steps);
  else check_error(status, error, true);
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);
  return 0;
}

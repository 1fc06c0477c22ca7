// Any text as a GBNF grammar: it is refused with a place, or it can be walked with mask, allows and accept agreeing.
#include "grammar_walk.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!data) return 0;
  matching::Vocab vocab = walk_vocab();
  size_t steps = size < 16 ? size / 2 : 8;  // the last bytes choose the way
  gsample_grammar* made = nullptr;
  gsample_error error = {};
  error.size = sizeof error;
  int32_t status = gsample_grammar_from_gbnf(vocab.get(), reinterpret_cast<const char*>(data), size - steps, nullptr, &made, &error);
  matching::Grammar grammar(made);
  if (status == 0) walk(grammar.get(), data + size - steps, steps);
  else check_error(status, error, true);
  return 0;
}

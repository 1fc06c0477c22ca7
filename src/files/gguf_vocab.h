// The vocabulary in a GGUF file's metadata (tokenizer.ggml.*): tokens, their types, the kind of model, the stop tokens.
#pragma once

#include "files/gguf.h"
#include "vocab/vocab.h"

namespace gsample {

// n_vocab is the width of the rows, 0 = as wide as the list. Throws FORMAT, UNSUPPORTED, INVALID_ARGUMENT.
VocabData vocab_from_gguf(const Gguf& file, uint32_t n_vocab);

}  // namespace gsample

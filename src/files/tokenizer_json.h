// The vocabulary in a Hugging Face tokenizer.json: model.vocab and added_tokens, byte-level or with byte fallback.
#pragma once

#include <string_view>

#include "vocab/vocab.h"

namespace gsample {

// n_vocab is the width of the rows, 0 = as wide as the list. The format names no stop tokens: gsample_vocab_set_stop.
// Throws FORMAT, UNSUPPORTED, LIMIT, INVALID_ARGUMENT.
VocabData vocab_from_tokenizer_json(std::string_view json, uint32_t n_vocab);

}  // namespace gsample

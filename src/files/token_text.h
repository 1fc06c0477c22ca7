// How tokenizers write a token's bytes as text: the two ways that GGUF and tokenizer.json share.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace gsample {

// Byte-level BPE: every byte is a printable character of its own (GPT-2's table: bytes that print stand for themselves, the others for
// U+0100 and up, in order). False where a character is none of these.
bool decode_byte_level(std::string_view text, std::string& out);

// SentencePiece: U+2581 is a space, and a token <0xHH> is one byte.
void decode_sentencepiece(std::string_view text, std::string& out);
bool is_byte_token(std::string_view text, uint8_t& byte);

}  // namespace gsample

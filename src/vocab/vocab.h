// The vocabulary: what each token writes, what kind it is, which tokens stop, and the trie over the tokens that write text.
// Filled once by a reader or by the caller, then immutable and shared between threads; only the stop tokens may change, and only
// before the first grammar is built on it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/failure.h"
#include "vocab/trie.h"

namespace gsample {

// Plain values as a reader yields them: token t writes bytes[offsets[t] .. offsets[t + 1]).
struct VocabData {
  uint32_t n_vocab = 0;  // the width of a row; ids from n_tokens on are padding
  uint32_t n_tokens = 0;
  std::vector<uint8_t> bytes;
  std::vector<uint64_t> offsets;
  std::vector<uint8_t> kinds;  // GSAMPLE_TOKEN_*
};

class Vocab {
 public:
  explicit Vocab(VocabData data);

  uint32_t n_vocab() const { return data_.n_vocab; }
  uint32_t n_tokens() const { return data_.n_tokens; }
  size_t n_words() const { return (size_t{data_.n_vocab} + 31) / 32; }
  std::string_view bytes(uint32_t token) const {
    uint64_t begin = data_.offsets[token];
    return {reinterpret_cast<const char*>(data_.bytes.data()) + begin, static_cast<size_t>(data_.offsets[token + 1] - begin)};
  }

  bool is_token(int32_t token) const { return token >= 0 && static_cast<uint32_t>(token) < data_.n_vocab; }
  bool is_stop(uint32_t token) const { return roles_[token] == GSAMPLE_TOKEN_STOP; }
  bool is_text(uint32_t token) const { return roles_[token] == GSAMPLE_TOKEN_TEXT; }  // and writes at least one byte
  // May a grammar name the token by its id? Tokens that do not exist are never allowed.
  bool is_usable(uint32_t token) const { return roles_[token] != GSAMPLE_TOKEN_UNUSED; }
  std::span<const int32_t> stops() const { return stops_; }  // ascending
  const Trie& trie() const { return trie_; }
  std::span<const uint32_t> text_mask() const { return text_mask_; }

  // Replaces the stop tokens. Tokens that stopped by kind and are not named become control tokens.
  void set_stops(std::span<const int32_t> tokens);

 private:
  void assign_roles(std::vector<int32_t> stops, bool by_kind);

  VocabData data_;
  std::vector<uint8_t> roles_;  // GSAMPLE_TOKEN_*, for every id of the row
  std::vector<int32_t> stops_;
  std::vector<uint32_t> text_mask_;
  Trie trie_;
};

}  // namespace gsample

#include "vocab/vocab.h"

#include <algorithm>

#include "base/limits.h"

namespace gsample {

Vocab::Vocab(VocabData data) : data_(std::move(data)) {
  if (data_.n_vocab == 0 || data_.n_vocab > limits::vocab_tokens)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is %u, not 1..%u", data_.n_vocab, limits::vocab_tokens);
  if (data_.n_tokens > data_.n_vocab)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_tokens is %u, more than n_vocab %u", data_.n_tokens, data_.n_vocab);
  for (uint32_t token = 0; token < data_.n_tokens; token++)
    if (uint64_t size = data_.offsets[token + 1] - data_.offsets[token]; size > limits::token_bytes)
      fail(GSAMPLE_ERROR_LIMIT, "token %u has %llu bytes, more than %u", token, static_cast<unsigned long long>(size), limits::token_bytes);
  assign_roles({}, true);
}

void Vocab::set_stops(std::span<const int32_t> tokens) {
  std::vector<int32_t> stops(tokens.begin(), tokens.end());
  for (int32_t token : stops)
    if (!is_token(token)) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "stop token %d is not in 0..%u", token, data_.n_vocab - 1);
  std::sort(stops.begin(), stops.end());
  stops.erase(std::unique(stops.begin(), stops.end()), stops.end());
  assign_roles(std::move(stops), false);
}

// Everything is built aside and moved in at the end, so that a failure leaves the vocabulary as it was.
void Vocab::assign_roles(std::vector<int32_t> stops, bool by_kind) {
  std::vector<uint8_t> roles(data_.n_vocab, GSAMPLE_TOKEN_UNUSED);
  for (uint32_t token = 0; token < data_.n_tokens; token++) {
    uint8_t kind = data_.kinds[token];
    if (kind == GSAMPLE_TOKEN_STOP && by_kind) stops.push_back(static_cast<int32_t>(token));
    if (kind == GSAMPLE_TOKEN_STOP) kind = GSAMPLE_TOKEN_CONTROL;
    if (kind == GSAMPLE_TOKEN_TEXT && bytes(token).empty()) kind = GSAMPLE_TOKEN_UNUSED;
    roles[token] = kind;
  }
  for (int32_t stop : stops) roles[static_cast<uint32_t>(stop)] = GSAMPLE_TOKEN_STOP;
  std::vector<Trie::Entry> entries;
  entries.reserve(data_.n_tokens);
  std::vector<uint32_t> text_mask(n_words(), 0);
  for (uint32_t token = 0; token < data_.n_tokens; token++) {
    if (roles[token] != GSAMPLE_TOKEN_TEXT) continue;
    entries.push_back({token, bytes(token)});
    text_mask[token / 32] |= 1u << token % 32;
  }
  Trie trie(std::move(entries));
  roles_ = std::move(roles);
  stops_ = std::move(stops);
  trie_ = std::move(trie);
  text_mask_ = std::move(text_mask);
}

}  // namespace gsample

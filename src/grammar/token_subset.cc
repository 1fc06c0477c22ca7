#include "grammar/token_subset.h"

#include <algorithm>
#include <bit>

#include "base/small_vector.h"

namespace gsample {

namespace {

constexpr size_t list_share = 4;  // a list is as quick as a mask up to one token for so many words
constexpr size_t block_words = 16;  // of a mask, passed over at once where nothing is set

void add_list(std::span<const uint32_t> tokens, uint32_t* words) {
  for (uint32_t token : tokens) words[token / 32] |= 1u << token % 32;
}

void add_mask(std::span<const uint32_t> mask, uint32_t* words) {
  for (size_t i = 0; i < mask.size(); i++) words[i] |= mask[i];
}

}  // namespace

TokenSubset::TokenSubset(std::span<const uint32_t> tokens, size_t n_words) {
  if (tokens.size() * list_share <= n_words) {
    list_.assign(tokens.begin(), tokens.end());
    return;
  }
  mask_.assign(n_words, 0);
  add_list(tokens, mask_.data());
}

TokenSubset::TokenSubset(std::span<const uint32_t> mask) {
  SmallVector<uint32_t, 2048> list;
  size_t most = mask.size() / list_share;
  for (size_t block = 0; block < mask.size() && list.size() <= most; block += block_words) {
    size_t end = std::min(mask.size(), block + block_words);
    uint32_t any = 0;
    for (size_t i = block; i < end; i++) any |= mask[i];
    for (size_t i = block; any && i < end; i++)
      for (uint32_t word = mask[i]; word; word &= word - 1)
        list.push_back(static_cast<uint32_t>(i) * 32 + static_cast<uint32_t>(std::countr_zero(word)));
  }
  if (list.size() > most) mask_.assign(mask.begin(), mask.end());
  else list_.assign(list.begin(), list.end());
}

void TokenSubset::add_to(uint32_t* words) const {
  add_mask(mask_, words);
  add_list(list_, words);
}

void TokenSubset::write_to(uint32_t* words, size_t n_words) const {
  if (!mask_.empty()) return void(std::copy(mask_.begin(), mask_.end(), words));
  std::fill_n(words, n_words, 0u);
  add_list(list_, words);
}

CountedSubset::CountedSubset(std::span<const uint32_t> tokens, std::span<const uint16_t> counts, size_t n_words) : n_words_(n_words) {
  if (tokens.empty()) return;
  size_t most = *std::max_element(counts.begin(), counts.end());
  up_to_.assign(most + 1, 0);
  for (uint16_t count : counts) up_to_[count]++;
  for (size_t c = 1; c <= most; c++) up_to_[c] += up_to_[c - 1];
  tokens_.resize(tokens.size());
  std::vector<uint32_t> at(most + 1, 0);
  std::copy(up_to_.begin(), up_to_.end() - 1, at.begin() + 1);
  for (size_t i = 0; i < tokens.size(); i++) tokens_[at[counts[i]]++] = tokens[i];

  mask_of_.reserve(most + 1);
  uint32_t masked = 0;
  for (size_t c = 0; c <= most; c++) {
    if ((up_to_[c] - masked) * list_share > n_words) {
      size_t before = masks_.size();
      masks_.resize(before + n_words, 0);
      uint32_t* mask = masks_.data() + before;
      if (before) std::copy_n(mask - n_words, n_words, mask);
      add_list({tokens_.data() + masked, up_to_[c] - masked}, mask);
      mask_counts_.push_back(static_cast<uint16_t>(c));
      masked = up_to_[c];
    }
    mask_of_.push_back(static_cast<uint16_t>(mask_counts_.size()));
  }
}

void CountedSubset::add_to(uint32_t* words, uint32_t limit) const {
  if (empty()) return;
  size_t count = std::min<size_t>(limit, up_to_.size() - 1);
  uint32_t from = 0;
  if (uint32_t mask = mask_of_[count]) {
    add_mask({masks_.data() + (mask - 1) * n_words_, n_words_}, words);
    from = up_to_[mask_counts_[mask - 1]];
  }
  add_list({tokens_.data() + from, up_to_[count] - from}, words);
}

}  // namespace gsample

// Sets of tokens, in the forms that are quick to add to a mask.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace gsample {

// A list of few, a mask of many.
class TokenSubset {
 public:
  TokenSubset() = default;
  TokenSubset(std::span<const uint32_t> tokens, size_t n_words);
  explicit TokenSubset(std::span<const uint32_t> mask);
  void add_to(uint32_t* words) const;
  void write_to(uint32_t* words, size_t n_words) const;  // over what stands there
  size_t memory() const { return list_.capacity() * sizeof(uint32_t) + mask_.capacity() * sizeof(uint32_t); }

 private:
  std::vector<uint32_t> list_, mask_;
};

// Tokens by how often each goes round a counted loop, so that one set serves every count: what fits into a count is a beginning of the
// list. Masks stand where much has come since the one before.
class CountedSubset {
 public:
  CountedSubset() = default;
  // The count of a token stands at its place in `counts`.
  CountedSubset(std::span<const uint32_t> tokens, std::span<const uint16_t> counts, size_t n_words);
  bool empty() const { return tokens_.empty(); }
  void add_to(uint32_t* words, uint32_t limit) const;
  size_t memory() const {
    return (tokens_.capacity() + up_to_.capacity() + masks_.capacity()) * sizeof(uint32_t) +
           (mask_of_.capacity() + mask_counts_.capacity()) * sizeof(uint16_t);
  }

 private:
  std::vector<uint32_t> tokens_;       // by count
  std::vector<uint32_t> up_to_;        // by count: how many tokens go round at most so often
  std::vector<uint16_t> mask_of_;      // by count: 1 + the number of the last mask up to it; 0 = none
  std::vector<uint16_t> mask_counts_;  // by number of mask: what it counts up to
  std::vector<uint32_t> masks_;
  size_t n_words_ = 0;
};

}  // namespace gsample

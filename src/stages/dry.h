// DRY, don't repeat yourself: penalises the token that would continue a repetition of what the text ends with, the more the longer the
// repetition (p-e-w 2024).
#pragma once

#include <unordered_map>

#include "candidates/head.h"
#include "stages/history.h"

namespace gsample {

// Token sequences across which no repetition is followed.
class Breakers {
 public:
  void add(std::span<const int32_t> sequence);  // may throw, and then nothing has changed
  void clear();
  // The sequences one after another, each with its length before it.
  const std::vector<int32_t>& encoded() const { return encoded_; }

  size_t bytes() const;

  bool is_breaker(uint32_t token) const;
  // How many tokens stand after the latest breaker that lies wholly in h; all of h where there is none.
  size_t tokens_after_last(std::span<const History::Entry> h) const;

 private:
  // The node that a token leads to from a node; 0, the root, where it leads to none.
  uint32_t child(uint32_t node, uint32_t token) const {
    const auto at = children_.find(uint64_t{node} << 32 | token);
    return at == children_.end() ? 0 : at->second;
  }

  std::vector<int32_t> encoded_;
  // A trie of the sequences read backwards, and which nodes a sequence ends at.
  std::unordered_map<uint64_t, uint32_t> children_;
  std::vector<uint8_t> ends_{0};
};

class Dry {
 public:
  void reserve(size_t n_tokens, size_t n_vocab);

  // Finds what the history repeats. The spans belong to this object until the next call.
  void match(std::span<const History::Entry> history, const gsample_params& params, const Breakers& breakers);

  bool empty() const { return matches_.empty(); }
  std::span<const uint64_t> touched(size_t n_vocab);  // the matched tokens, as bits
  size_t count() const { return matches_.size(); }

  float apply(uint32_t id, float logit) const;
  float bound(float magnitude) const;
  size_t bytes() const;

 private:
  struct Match {
    uint32_t token, length;
  };
  float penalty(uint32_t length) const;

  std::vector<Match> matches_;  // by token, each once
  std::vector<uint32_t> common_;
  TokenBits bits_;
  double multiplier_ = 0, base_ = 1;
  uint32_t allowed_ = 0;
};

}  // namespace gsample

// Log probabilities of a row as given, before mask, bias or any stage: log-softmax in double, and ranks in C1 order. NaN columns do not
// count; where there is +infinity, the tokens that have it share all probability.
#pragma once

#include <span>

#include "candidates/head.h"

namespace gsample {

class RowLogprobs {
 public:
  // Reads the row once, or not at all where `known`, a head that was opened on it, has the sums. Uses the scratch until it is gone.
  RowLogprobs(const Row& row, Scratch& scratch, const Head* known = nullptr);

  double logit(uint32_t id) const { return static_cast<double>(row_at(source_.row, id)); }
  double logprob(uint32_t id) const;

  // Fills in the rank of every item's token: how many tokens of the row come before it, and one.
  void rank(std::span<gsample_logprob> items) const;

  // The row's first tokens, as many as there is room for and as have a probability above 0. Returns how many. To be called last.
  size_t top(std::span<gsample_logprob> out);

 private:
  Source source_;
  Scratch& scratch_;
  Head head_;
  float max_ = 0;
  double log_total_ = 0;
  bool infinite_ = false;
};

}  // namespace gsample

// A distribution over tokens: ids and weights in C1 order of the logits they came from, or by weight where there were none.
#pragma once

#include <span>
#include <vector>

#include "gsample/gsample.h"
#include "rng/pcg.h"

namespace gsample {

class Dist {
 public:
  void clear();
  // The tokens that an engine used; checked. Largest weight first, equal ones by id.
  void set(std::span<const int32_t> tokens, std::span<const double> weights);
  // max(0, p - q) of the normalised weights, in the order of p; p where nothing is left. *this may be p or q.
  void set_residual(const Dist& p, const Dist& q);

  // Token by token, in order, then finish(). `scale`: what the generator's number is multiplied by; the weights of a softmax stand as
  // they are, so that a draw is the pick's draw.
  void add(int32_t token, double weight);
  void finish(double scale);
  void finish() { finish(total_); }

  std::span<const int32_t> ids() const { return ids_; }
  std::span<const double> weights() const { return weights_; }
  double total() const { return total_; }
  double chance(int32_t token) const;

  // The place of the token that r in [0, 1) falls on. There is one.
  size_t place(double r) const;
  // A token; NO_CANDIDATE where there is none. Two or more tokens take one number.
  int32_t draw(Pcg& rng) const;

 private:
  std::vector<int32_t> ids_;
  std::vector<double> weights_;
  std::vector<uint32_t> by_id_;  // places in ascending order of id
  double total_ = 0;
  double scale_ = 0;
};

}  // namespace gsample

#include "dist/dist.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/failure.h"

namespace gsample {

void Dist::clear() {
  ids_.clear();
  weights_.clear();
  by_id_.clear();
  total_ = scale_ = 0;
}

void Dist::add(int32_t token, double weight) {
  ids_.push_back(token);
  weights_.push_back(weight);
  total_ += weight;
}

void Dist::finish(double scale) {
  scale_ = scale;
  by_id_.resize(ids_.size());
  std::iota(by_id_.begin(), by_id_.end(), 0u);
  std::sort(by_id_.begin(), by_id_.end(), [&](uint32_t a, uint32_t b) { return ids_[a] < ids_[b]; });
}

void Dist::set(std::span<const int32_t> tokens, std::span<const double> weights) {
  Dist out;
  std::vector<int32_t> sorted(tokens.begin(), tokens.end());
  std::sort(sorted.begin(), sorted.end());
  const auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end()) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "token %d stands twice", *twice);
  std::vector<uint32_t> order;
  order.reserve(tokens.size());
  for (size_t i = 0; i < tokens.size(); i++) {
    if (tokens[i] < 0) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "token %d at place %zu is negative", tokens[i], i);
    if (!(weights[i] >= 0 && std::isfinite(weights[i])))
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "the weight of token %d is %s, not 0 or more and finite", tokens[i], format_number(weights[i]).text);
    if (weights[i] > 0) order.push_back(static_cast<uint32_t>(i));
  }
  std::sort(order.begin(), order.end(), [&](uint32_t a, uint32_t b) {
    return weights[a] != weights[b] ? weights[a] > weights[b] : tokens[a] < tokens[b];
  });
  for (uint32_t i : order) out.add(tokens[i], weights[i]);
  out.finish();
  if (!(out.total_ > 0 && std::isfinite(out.total_)))
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "the weights sum to %s, not above 0 and finite", format_number(out.total_).text);
  *this = std::move(out);
}

void Dist::set_residual(const Dist& p, const Dist& q) {
  Dist out;
  for (size_t i = 0; i < p.ids_.size(); i++) {
    const double rest = p.weights_[i] / p.total_ - q.chance(p.ids_[i]);
    if (rest > 0) out.add(p.ids_[i], rest);
  }
  if (out.ids_.empty()) {
    if (this != &p) *this = p;
    return;
  }
  out.finish();
  *this = std::move(out);
}

double Dist::chance(int32_t token) const {
  const auto at = std::lower_bound(by_id_.begin(), by_id_.end(), token, [&](uint32_t place, int32_t id) { return ids_[place] < id; });
  if (at == by_id_.end() || ids_[*at] != token) return 0;
  return weights_[*at] / total_;
}

size_t Dist::place(double r) const {
  const double target = r * scale_;
  double sum = 0;
  size_t last = 0;
  for (size_t i = 0; i < weights_.size(); i++) {
    if (weights_[i] > 0) last = i;
    sum += weights_[i];
    if (target < sum) return i;
  }
  return last;
}

int32_t Dist::draw(Pcg& rng) const {
  if (ids_.empty()) fail(GSAMPLE_ERROR_NO_CANDIDATE, "the distribution is empty");
  return ids_[ids_.size() > 1 ? place(rng.uniform()) : 0];
}

}  // namespace gsample

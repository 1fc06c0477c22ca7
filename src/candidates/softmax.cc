// What a head says about its whole set: softmax, entropy, standard deviation. Up to 1024 tokens they are computed in C1 order; above,
// from sums by blocks of the row (kernels.h), which an open head reads from the row and a closed one from its tokens laid out as a row.
#include <algorithm>
#include <cmath>

#include "base/real.h"
#include "candidates/head.h"

namespace gsample {

namespace {
constexpr size_t kSmall = 1024;
}

void Head::set_changed() {
  s_.exps.clear();
  max_valid_ = total_valid_ = false;
}

void Head::scan(const Want& want) {
  if (!want.sums && !want.moments) {
    scan_maxima(source_, want.lowest, s_.maxima);
    return;
  }
  scan_sums(source_, want, s_.maxima, s_.sums);
  has_sums_ = want.sums;
  has_moments_ = want.moments;
  summed_ = {want.shift, want.divisor};
  left_out_ = 0;
}

// Makes the sums of an open set those of its present values, closing it where it is small. Returns whether it is still open.
bool Head::settle(bool moments) {
  if (!open_) return false;
  if (source_.row.n <= kSmall || filter_ || (moments && first_ > 0)) {
    close();
    return false;
  }
  if (summed_ != transform_ || !(moments ? has_moments_ : has_sums_))
    scan({.sums = true, .moments = moments, .shift = transform_.shift, .divisor = transform_.divisor});
  if (s_.sums.count - first_ <= kSmall) close();
  return open_;
}

// Takes the dropped tokens out of the sums: only their blocks change.
void Head::leave_dropped_out() {
  if (left_out_ == first_) return;
  std::vector<uint32_t>& ids = s_.chunks;
  ids.resize(std::max(ids.size(), first_));
  for (size_t i = 0; i < first_; i++) ids[i] = id_of(s_.keys[i]);
  std::sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(first_));
  const Want want{.sums = true, .shift = transform_.shift, .divisor = transform_.divisor};
  for (size_t begin = 0, end; begin < first_; begin = end) {
    const size_t block = ids[begin] / kBlock;
    for (end = begin; end < first_ && ids[end] / kBlock == block;) end++;
    rescan_block(source_, want, block, {ids.data() + begin, end - begin}, s_.sums);
  }
  left_out_ = first_;
}

const Sums& Head::list_sums(bool moments) {
  s_.dense.assign(source_.row.n, -kInfinity);
  for (size_t i = 0; i < held(); i++) s_.dense[id(i)] = value(i);
  Source source;
  source.row.logits = s_.dense.data();
  source.row.n = source_.row.n;
  scan_sums(source, {.sums = !moments, .moments = moments}, s_.list_maxima, s_.list_sums);
  return s_.list_sums;
}

size_t Head::size() {
  if (settle(false)) return s_.sums.count - first_;
  return held();
}

float Head::max() {
  if (!max_valid_) {
    max_ = value(0);
    if (!descending_) max_ = *std::max_element(s_.values.begin() + static_cast<std::ptrdiff_t>(first_), s_.values.end());
    max_valid_ = true;
  }
  return max_;
}

void Head::extend_exps(size_t n) {
  const float top = max();
  size_t i = s_.exps.size();
  n = std::min(std::max({n, 2 * i, size_t{64}}), held());
  s_.exps.resize(n);
  const float* values = s_.values.data() + first_;
  double* exps = s_.exps.data();
  for (; i < n; i++) exps[i] = exp_f64(static_cast<double>(values[i] - top));
}

double Head::total() {
  if (total_valid_) return total_;
  const double reference = static_cast<double>(max());
  if (settle(false)) {
    leave_dropped_out();
    total_ = s_.sums.total(reference);
  } else if (held() <= kSmall) {
    extend_exps(held());
    total_ = 0;
    for (double e : s_.exps) total_ += e;
  } else {
    total_ = list_sums(false).total(reference);
  }
  total_valid_ = true;
  return total_;
}

double Head::entropy() {
  const double sum = total();
  if (!open_ && held() <= kSmall) {
    double h = 0;
    for (size_t i = 0; i < held(); i++) {
      const double probability = static_cast<double>(p(i));
      if (probability > 0) h -= probability * log_f64(probability);
    }
    return h;
  }
  const Sums& sums = open_ ? s_.sums : s_.list_sums;
  return log_f64(sum) - sums.weighted_total(static_cast<double>(max())) / sum;
}

double Head::deviation() {
  if (settle(true)) return s_.sums.deviation;
  if (held() > kSmall) return list_sums(true).deviation;
  double n = 0, sum = 0, squares = 0;
  for (size_t i = 0; i < held(); i++)
    if (value(i) > -kInfinity) n++, sum += static_cast<double>(value(i));
  const double mean = sum / n;
  for (size_t i = 0; i < held(); i++) {
    const double d = static_cast<double>(value(i)) - mean;
    if (value(i) > -kInfinity) squares += d * d;
  }
  return std::sqrt(squares / n);
}

void Scratch::reserve(size_t n_vocab, size_t n_tokens) {
  const size_t chunks_of_row = (n_vocab + kChunk - 1) / kChunk, blocks = (n_vocab + kBlock - 1) / kBlock;
  chunks.reserve(std::max(chunks_of_row, n_tokens));
  for (auto* part : {&keys, &raised, &pending, &sort}) part->reserve(n_tokens);
  values.reserve(n_tokens);
  exps.reserve(n_tokens);
  for (auto* part : {&maxima, &list_maxima}) {
    part->lanes.reserve(chunks_of_row * kLanes);
    part->groups.reserve((chunks_of_row + kGroup - 1) / kGroup * kLanes);
  }
  for (auto* part : {&sums, &list_sums})
    for (auto* array : {&part->max, &part->sum, &part->weighted}) array->reserve(blocks);
  if (n_tokens > kSmall) dense.reserve(n_vocab);
}

size_t Scratch::bytes() const {
  const auto of = [](const auto&... vectors) { return (... + (vectors.capacity() * sizeof(vectors[0]))); };
  return of(maxima.lanes, maxima.groups, list_maxima.lanes, list_maxima.groups, sums.max, sums.sum, sums.weighted, list_sums.max,
            list_sums.sum, list_sums.weighted, chunks, keys, raised, pending, sort, values, dense, exps);
}

}  // namespace gsample

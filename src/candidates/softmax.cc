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
  if (want.sums || want.moments) {
    scan_sums(source_, want, s_.maxima, s_.sums);
    summed_ = want;
    left_out_ = 0;
  } else {
    scan_maxima(source_, want.lowest, s_.maxima);
  }
}

// How many tokens an open head has, the dropped ones included.
size_t Head::count() {
  if (count_ == 0) count_ = count_tokens(source_, floor_);
  return count_;
}

// Makes the sums of an open set those of its present values, closing it where it is small. Returns whether it is still open.
bool Head::settle(bool weighted, bool moments) {
  if (!open_) return false;
  if (source_.row.n <= kSmall || filter_ || (moments && first_ > 0)) {
    close();
    return false;
  }
  const bool fits = Transform{summed_.shift, summed_.divisor} == transform_ && summed_.floor == floor_ && (moments || summed_.sums) &&
                    (!weighted || summed_.weighted) && (!moments || summed_.moments);
  if (!fits) scan({.sums = true, .weighted = weighted, .moments = moments, .lowest = false, .shift = transform_.shift, .divisor = transform_.divisor, .floor = floor_});
  // Every lane that has a token has one at least; only where that is not enough they are counted.
  if (kernels().count_at_least(s_.maxima.lanes.data(), s_.maxima.lanes.size(), floor_) <= kSmall + first_ && count() - first_ <= kSmall)
    close();
  return open_;
}

// Takes the dropped tokens out of the sums: only their blocks change.
void Head::leave_dropped_out() {
  if (left_out_ == first_) return;
  std::vector<uint32_t>& ids = s_.chunks;
  ids.resize(std::max(ids.size(), first_));
  for (size_t i = 0; i < first_; i++) ids[i] = id_of(s_.keys[i]);
  std::sort(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(first_));
  for (size_t begin = 0, end; begin < first_; begin = end) {
    const size_t block = ids[begin] / kBlock;
    for (end = begin; end < first_ && ids[end] / kBlock == block;) end++;
    rescan_block(source_, summed_, block, {ids.data() + begin, end - begin}, s_.sums);
  }
  left_out_ = first_;
}

// The sums of a closed set, laid out as a row. What the scratch knew of the row itself is not needed any more.
void Head::sum_list(bool moments) {
  s_.dense.assign(source_.row.n, -kInfinity);
  for (size_t i = 0; i < held(); i++) s_.dense[id(i)] = value(i);
  Source source;
  source.row.logits = s_.dense.data();
  source.row.n = source_.row.n;
  summed_ = {};  // not those of the row
  scan_sums(source, {.sums = !moments, .weighted = !moments, .moments = moments}, s_.maxima, s_.sums);
}

size_t Head::size() {
  return settle(false, false) ? count() - first_ : held();
}

float Head::max() {
  if (!max_valid_) {
    max_ = value(0);
    if (!descending_) max_ = *std::max_element(s_.values.begin() + static_cast<std::ptrdiff_t>(first_), s_.values.end());
    max_valid_ = true;
  }
  return max_;
}

float Head::p_of(float v) {
  const double sum = total();
  return static_cast<float>(static_cast<double>(static_cast<float>(exp_f64(static_cast<double>(v - max())))) / sum);
}

void Head::extend_exps(size_t n) {
  const float top = max();
  size_t i = s_.exps.size();
  n = std::min(std::max({n, 2 * i, size_t{64}}), held());
  s_.exps.resize(n);
  // Where all that is left underflowed, the set is that of its equals.
  kernels().exps(s_.values.data() + first_ + i, n - i, top, s_.exps.data() + i);
}

double Head::total() {
  if (total_valid_) return total_;
  const double reference = static_cast<double>(max());
  if (max() == -kInfinity) {
    total_ = static_cast<double>(held());
  } else if (settle(false, false)) {
    leave_dropped_out();
    total_ = s_.sums.total(reference);
  } else if (held() <= kSmall) {
    extend_exps(held());
    total_ = 0;
    for (double e : s_.exps) total_ += e;
  } else {
    sum_list(false);
    total_ = s_.sums.total(reference);
  }
  total_valid_ = true;
  return total_;
}

double Head::entropy() {
  if (settle(true, false)) total_valid_ = false;
  const double sum = total();
  if (!open_ && held() <= kSmall) {
    double h = 0;
    for (size_t i = 0; i < held(); i++) {
      const double probability = static_cast<double>(p(i));
      if (probability > 0) h -= probability * log_f64(probability);
    }
    return h;
  }
  return log_f64(sum) - s_.sums.weighted_total(static_cast<double>(max())) / sum;
}

double Head::deviation() {
  if (settle(false, true)) return s_.sums.deviation;
  if (held() > kSmall) {
    sum_list(true);
    total_valid_ = false;
    return s_.sums.deviation;
  }
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

void Scratch::reserve(size_t n_vocab, size_t n_tokens, bool whole) {
  for (auto* part : {&keys, &pending, &sort}) part->reserve(n_tokens);
  values.reserve(n_tokens);
  exps.reserve(n_tokens);
  reserve_maxima(n_vocab, maxima);
  chunks.reserve(std::max(maxima.lanes.capacity() / kLanes, whole ? n_tokens : 0));
  if (!whole) return;
  raised.reserve(n_tokens);
  dense.reserve(n_vocab);
  for (auto* array : {&sums.max, &sums.sum, &sums.weighted}) array->reserve((n_vocab + kBlock - 1) / kBlock);
}

size_t Scratch::bytes() const {
  const auto of = [](const auto&... vectors) { return (... + (vectors.capacity() * sizeof(vectors[0]))); };
  return of(maxima.lanes, maxima.groups, sums.max, sums.sum, sums.weighted, chunks, keys, raised, pending, sort, values, dense, exps);
}

}  // namespace gsample

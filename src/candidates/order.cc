#include "candidates/order.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <utility>

namespace gsample {

namespace {

constexpr size_t kMostForBuckets = 400;

// One distribution into as many buckets as there are keys, evenly over their range, then an insertion sort that finds most of its work
// done. False, with the keys as they were, where they crowd into few buckets.
bool sort_by_buckets(Key* keys, size_t n, Key* scratch) {
  const auto [low, high] = std::minmax_element(keys, keys + n);
  const Key first = *high;
  const int bits = static_cast<int>(std::bit_width(n));
  const int shift = std::max(static_cast<int>(std::bit_width(first - *low)) - bits, 0);
  uint32_t place[2 * kMostForBuckets];
  const size_t n_buckets = size_t{1} << bits;
  std::fill_n(place, n_buckets, 0u);
  for (size_t i = 0; i < n; i++) place[(first - keys[i]) >> shift]++;
  size_t work = 0;
  uint32_t position = 0;
  for (size_t bucket = 0; bucket < n_buckets; bucket++) {
    const uint32_t count = std::exchange(place[bucket], position);
    work += size_t{count} * count;
    position += count;
  }
  if (work > 16 * n) return false;
  for (size_t i = 0; i < n; i++) scratch[place[(first - keys[i]) >> shift]++] = keys[i];
  keys[0] = scratch[0];
  for (size_t i = 1; i < n; i++) {
    size_t at = i;
    for (; at > 0 && keys[at - 1] < scratch[i]; at--) keys[at] = keys[at - 1];
    keys[at] = scratch[i];
  }
  return true;
}

// Least digit first. Keys mostly come in the order of ids, which is the order of their lower halves; then only the upper halves are
// sorted. Digits cover no more than the range of the keys.
void sort_by_digits(Key* keys, size_t n, Key* scratch) {
  constexpr int kMostBits = 9;
  Key high = keys[0], low = keys[0];
  bool by_id = true;
  for (size_t i = 1; i < n; i++) {
    high = std::max(high, keys[i]);
    low = std::min(low, keys[i]);
    by_id &= static_cast<uint32_t>(keys[i]) <= static_cast<uint32_t>(keys[i - 1]);
  }
  int shift = by_id ? 32 : 0;
  high |= (Key{1} << shift) - 1;  // so a key's distance from it has the upper halves' distance above the shift
  const int width = static_cast<int>(std::bit_width((high - low) >> shift));
  const int passes = (width + kMostBits - 1) / kMostBits;
  const int bits = passes ? (width + passes - 1) / passes : 0;
  Key* from = keys;
  Key* to = scratch;
  for (int pass = 0; pass < passes; pass++, shift += bits) {
    uint32_t place[size_t{1} << kMostBits];
    const size_t n_values = size_t{1} << bits;
    const auto digit_of = [=](Key key) { return (high - key) >> shift & (n_values - 1); };
    std::fill_n(place, n_values, 0u);
    for (size_t i = 0; i < n; i++) place[digit_of(from[i])]++;
    uint32_t position = 0;
    for (size_t value = 0; value < n_values; value++) position += std::exchange(place[value], position);
    for (size_t i = 0; i < n; i++) to[place[digit_of(from[i])]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

}  // namespace

void select_keys(Key* keys, size_t n, size_t k) {
  if (k < n) std::nth_element(keys, keys + (k - 1), keys + n, std::greater<>());
}

void sort_keys(Key* keys, size_t n, std::vector<Key>& scratch) {
  constexpr size_t kFew = 24;
  if (n < kFew) return std::sort(keys, keys + n, std::greater<>());
  if (scratch.size() < n) scratch.resize(n);
  if (n <= kMostForBuckets && sort_by_buckets(keys, n, scratch.data())) return;
  if (n <= 200) return std::sort(keys, keys + n, std::greater<>());
  sort_by_digits(keys, n, scratch.data());
}

}  // namespace gsample

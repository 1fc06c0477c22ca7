#include "candidates/order.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace gsample {

void select_keys(Key* keys, size_t n, size_t k) {
  if (k < n) std::nth_element(keys, keys + (k - 1), keys + n, std::greater<>());
}

void sort_keys(Key* keys, size_t n, std::vector<Key>& scratch) {
  constexpr size_t kRadixFrom = 200, kDigits = 6, kBits = 11, kValues = size_t{1} << kBits;
  if (n < kRadixFrom) {
    std::sort(keys, keys + n, std::greater<>());
    return;
  }
  // Radix sort, least digit first, Keys mostly come in the order of ids, which is the order of their lower
  // halves; then only the upper halves are sorted. A digit that all keys share costs nothing more.
  if (scratch.size() < n) scratch.resize(n);
  bool by_id = true;
  for (size_t i = 1; i < n; i++) by_id &= static_cast<uint32_t>(keys[i]) <= static_cast<uint32_t>(keys[i - 1]);
  Key* from = keys;
  Key* to = scratch.data();
  const auto digit_of = [](Key key, size_t shift) { return key >> shift & (kValues - 1); };
  for (size_t digit = 0; digit < kDigits; digit++) {
    // The digits of a half: 11, 11 and 10 bits.
    if (by_id && digit < kDigits / 2) continue;
    const size_t shift = digit / 3 * 32 + digit % 3 * kBits;
    const Key mask = digit % 3 == 2 ? kValues / 2 - 1 : kValues - 1;
    uint32_t count[kValues] = {};
    for (size_t i = 0; i < n; i++) count[digit_of(from[i], shift) & mask]++;
    if (count[digit_of(from[0], shift) & mask] == n) continue;
    uint32_t position = 0;
    for (size_t value = kValues; value-- > 0;) position += std::exchange(count[value], position);
    for (size_t i = 0; i < n; i++) to[count[digit_of(from[i], shift) & mask]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

}  // namespace gsample

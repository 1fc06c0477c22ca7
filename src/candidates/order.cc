#include "candidates/order.h"

#include <algorithm>
#include <functional>
#include <utility>

namespace gsample {

void select_keys(Key* keys, size_t n, size_t k) {
  if (k < n) std::nth_element(keys, keys + (k - 1), keys + n, std::greater<>());
}

void sort_keys(Key* keys, size_t n, std::vector<Key>& scratch) {
  constexpr size_t kDigits = 8, kValues = 256, kRadixFrom = 200;
  if (n < kRadixFrom) {
    std::sort(keys, keys + n, std::greater<>());
    return;
  }
  // Radix sort by bytes, least first; one pass counts all digits, and a digit that all keys share costs nothing more.
  if (scratch.size() < n) scratch.resize(n);
  uint32_t counts[kDigits][kValues] = {};
  for (size_t i = 0; i < n; i++)
    for (size_t digit = 0; digit < kDigits; digit++) counts[digit][keys[i] >> (8 * digit) & 255]++;
  Key* from = keys;
  Key* to = scratch.data();
  for (size_t digit = 0; digit < kDigits; digit++) {
    uint32_t* count = counts[digit];
    if (count[from[0] >> (8 * digit) & 255] == n) continue;
    uint32_t position = 0;
    for (size_t value = kValues; value-- > 0;) position += std::exchange(count[value], position);
    for (size_t i = 0; i < n; i++) to[count[from[i] >> (8 * digit) & 255]++] = from[i];
    std::swap(from, to);
  }
  if (from != keys) std::copy(from, from + n, keys);
}

}  // namespace gsample

// The one total order (contract C1): higher logit first, equal logits (so also -0 and +0) lower id first. A token with its logit is one
// 64-bit key, and a larger key comes first.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace gsample {

using Key = uint64_t;

inline Key key_of(float logit, uint32_t id) {
  uint32_t bits = std::bit_cast<uint32_t>(logit + 0.0f);  // -0 becomes +0
  bits ^= static_cast<uint32_t>(static_cast<int32_t>(bits) >> 31) | 0x80000000u;
  return Key{bits} << 32 | static_cast<uint32_t>(~id);
}

inline uint32_t id_of(Key key) { return ~static_cast<uint32_t>(key); }

inline float logit_of_key(Key key) {
  uint32_t bits = static_cast<uint32_t>(key >> 32);
  bits ^= (bits & 0x80000000u) ? 0x80000000u : 0xffffffffu;
  return std::bit_cast<float>(bits);
}

// Sorts n keys, largest first. `scratch` grows to n.
void sort_keys(Key* keys, size_t n, std::vector<Key>& scratch);

// Moves the k largest of n keys to the front, in no order. 0 < k <= n.
void select_keys(Key* keys, size_t n, size_t k);

}  // namespace gsample

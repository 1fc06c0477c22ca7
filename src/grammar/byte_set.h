// A set of byte values.
#pragma once

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace gsample {

struct ByteSet {
  std::array<uint64_t, 4> words{};

  bool has(uint8_t byte) const { return words[byte >> 6] >> (byte & 63) & 1; }
  void add(uint8_t byte) { words[byte >> 6] |= uint64_t{1} << (byte & 63); }
  void remove(uint8_t byte) { words[byte >> 6] &= ~(uint64_t{1} << (byte & 63)); }
  void add_range(int first, int last) {
    for (int byte = first; byte <= last; byte++) add(static_cast<uint8_t>(byte));
  }
  bool empty() const { return (words[0] | words[1] | words[2] | words[3]) == 0; }
  int count() const { return std::popcount(words[0]) + std::popcount(words[1]) + std::popcount(words[2]) + std::popcount(words[3]); }
  bool operator==(const ByteSet&) const = default;
  ByteSet& operator|=(const ByteSet& other) {
    for (size_t i = 0; i < words.size(); i++) words[i] |= other.words[i];
    return *this;
  }
  ByteSet operator&(const ByteSet& other) const {
    ByteSet both;
    for (size_t i = 0; i < words.size(); i++) both.words[i] = words[i] & other.words[i];
    return both;
  }
  bool intersects(const ByteSet& other) const {
    for (size_t i = 0; i < words.size(); i++)
      if (words[i] & other.words[i]) return true;
    return false;
  }
};

inline ByteSet byte_range(int first, int last) {
  ByteSet set;
  set.add_range(first, last);
  return set;
}

}  // namespace gsample

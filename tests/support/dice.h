// What tests with random cases share: one generator of small numbers, and settings from the environment.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <initializer_list>

#include "rows.h"

struct Dice {
  uint64_t state;
  uint64_t next() { return rows_splitmix64(state++); }
  uint32_t below(size_t n) { return static_cast<uint32_t>((next() >> 32) * n >> 32); }
  int32_t between(int32_t low, int32_t high) { return low + static_cast<int32_t>(below(static_cast<size_t>(high - low + 1))); }
  bool chance(double p) { return static_cast<double>(next() >> 11) * 0x1p-53 < p; }
  float unit() { return static_cast<float>(next() >> 40) * 0x1p-24f; }
  template <class T>
  T any(std::initializer_list<T> list) {
    return list.begin()[below(static_cast<uint32_t>(list.size()))];
  }
};

// A number from the environment, for a longer run or another beginning.
inline uint64_t setting(const char* name, uint64_t otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 0) : otherwise;
}

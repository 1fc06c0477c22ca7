// PCG-DXSM with 128 bits of state and 64 of output (O'Neill; the constants and the seeding are those of Go's math/rand/v2, whose
// streams these are). A sampler owns one; nothing else ever draws from it.
#pragma once

#include <cstdint>

namespace gsample {

struct Pcg {
  uint64_t high = 0, low = 0;

  static Pcg seeded(uint64_t seed) { return {seed, seed ^ 0x9e3779b97f4a7c15u}; }

  uint64_t next() {
    using U128 = unsigned __int128;
    U128 state = U128{high} << 64 | low;
    state = state * (U128{0x2360ED051FC65DA4u} << 64 | 0x4385DF649FCCF645u) + (U128{0x5851F42D4C957F2Du} << 64 | 0x14057B7EF767814Fu);
    high = static_cast<uint64_t>(state >> 64);
    low = static_cast<uint64_t>(state);
    uint64_t out = high;
    out ^= out >> 32;
    out *= 0xda942042e4dd58b5u;
    out ^= out >> 48;
    return out * (low | 1);
  }

  // In [0, 1), a multiple of 2^-53: one output.
  double uniform() { return static_cast<double>(next() & ((uint64_t{1} << 53) - 1)) * 0x1p-53; }
};

}  // namespace gsample

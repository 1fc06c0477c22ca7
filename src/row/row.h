// The view of one row of logits: borrowed memory of one of three types, and which columns count. No room above this one
// looks at the caller's bytes; they read blocks of floats through kernels.h.
#pragma once

#include <bit>
#include <cstdint>
#include <cstring>
#include <limits>

#include "gsample/gsample.h"

namespace gsample {

inline constexpr float kInfinity = std::numeric_limits<float>::infinity();
inline constexpr float kFloatMax = std::numeric_limits<float>::max();

// A result that overflowed is the largest float of its sign.
inline float limited(float v) { return v > kFloatMax ? kFloatMax : v < -kFloatMax ? -kFloatMax : v; }

struct Row {
  const void* logits = nullptr;
  const uint32_t* mask = nullptr;  // bit i % 32 of word i / 32 says that column i counts; NULL: all do
  uint32_t n = 0;
  uint32_t dtype = GSAMPLE_F32;

  bool masked_out(uint32_t i) const { return mask && !(mask[i / 32] >> (i % 32) & 1); }
};

inline float f16_to_f32(uint16_t half) {
  uint32_t sign = uint32_t{half & 0x8000u} << 16;
  uint32_t rest = half & 0x7fffu;
  if (rest >= 0x7c00) return std::bit_cast<float>(sign | 0x7f800000u | (rest & 0x3ff) << 13);
  if (rest >= 0x0400) return std::bit_cast<float>(sign | ((rest << 13) + (112u << 23)));
  float magnitude = static_cast<float>(rest) * 5.9604644775390625e-08f;  // subnormal: units of 2^-24
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

inline float bf16_to_f32(uint16_t half) { return std::bit_cast<float>(uint32_t{half} << 16); }

// The logit of column i as it stands in the row, mask or not.
inline float row_at(const Row& row, uint32_t i) {
  if (row.dtype == GSAMPLE_F32) return static_cast<const float*>(row.logits)[i];
  uint16_t half = static_cast<const uint16_t*>(row.logits)[i];
  return row.dtype == GSAMPLE_F16 ? f16_to_f32(half) : bf16_to_f32(half);
}

}  // namespace gsample

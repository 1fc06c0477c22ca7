// The kernels: every loop over the columns of a row, once in plain C++ (scalar.cc, their definition) and once for SIMD (simd.cc).
// All versions of a kernel give the same bits; a maximum or minimum of 0 is +0. What adds floats does so in one fixed order, whatever the width of the machine's
// vectors: a block is 1024 consecutive columns, a quarter of it is added up by itself, and column i belongs to lane i % 16.
#pragma once

#include <cstddef>
#include <cstdint>

#include "row/row.h"

namespace gsample {

inline constexpr size_t kLanes = 16;
inline constexpr size_t kBlock = 1024;
inline constexpr size_t kQuarter = kBlock / 4;
inline constexpr size_t kPiece = 256;  // columns that are looked through at a time
inline constexpr size_t kGroup = 16;  // chunks in a group

// What a block adds to the row's softmax and entropy. With m the block's maximum and d = v - m:
// sum = sum of exp_row(d), weighted = sum of exp_row(d) * d (0 where it was not asked for).
struct BlockSums {
  float sum;
  float weighted;
};

// Sums of d and d * d in double, d = v - m, over the columns above -infinity.
struct BlockMoments {
  double sum;
  double squares;
  uint32_t count;
};

struct Kernels {
  const char* name;

  // Columns [begin, begin + n) as floats, masked ones as -infinity, then -infinity up to a whole piece. begin is a multiple of 32.
  void (*load)(const Row& row, size_t begin, size_t n, float* out);

  // v = (v - shift) / divisor for n values, n a multiple of a piece.
  void (*scale)(float* values, size_t n, float shift, float divisor);

  // The 16 lane maxima of each chunk of `chunk` columns (a multiple of a piece); NaN counts for nothing. Returns true where a NaN may be among the values
  // (there may be none where both infinities, or values near the limits of float, meet: the caller counts).
  bool (*maxima)(const float* values, size_t n_chunks, size_t chunk, float* lane_max);

  // The lane maxima of groups of 16 chunks (the last one may have fewer).
  void (*group_maxima)(const float* lane_max, size_t n_chunks, float* group_max);

  // Of one block with finite maximum m. NaN adds nothing.
  BlockSums (*block_sums)(const float* block, float m, bool weighted);
  BlockMoments (*block_moments)(const float* block, float m);

  // Makes -infinity of the values (n, a multiple of 16) below t.
  void (*drop_below)(float* values, size_t n, float t);

  // The largest of n values (a multiple of 16; no NaN), and the least of those above -infinity (+infinity where there is none).
  float (*largest)(const float* values, size_t n);
  float (*lowest)(const float* values, size_t n);

  // How many of n values (a multiple of 16) are >= t.
  size_t (*count_at_least)(const float* values, size_t n, float t);

  // The values of a piece that are >= t, in order, with their places. Returns how many; writes up to kLanes more of each.
  size_t (*collect)(const float* piece, float t, float* values, uint32_t* places);

  // exps[i] = exp_f64(values[i] - top), the difference in float; 1 where they are equal, infinite as they may be.
  void (*exps)(const float* values, size_t n, float top, double* exps);

  // The chunks of which a lane maximum is >= t, in order. Returns how many.
  size_t (*chunks_at_least)(const float* lane_max, size_t n_chunks, float t, uint32_t* chunks);
};

// The kernels for this machine: chosen at the first call, the same ever after.
const Kernels& kernels();

// All that this build has, slowest first, the scalar ones among them; `runs` says whether this machine can run them.
inline constexpr size_t kMostKernels = 8;
struct Target {
  const Kernels* kernels;
  bool runs;
};
size_t all_targets(Target list[kMostKernels]);

// For tests: from now on kernels() is `chosen`, or again the machine's own where it is NULL.
void force_kernels(const Kernels* chosen);

// e^d in float, for d <= 0: the function that block_sums adds. It is +0 below -87 (and for NaN), so nothing subnormal arises; else
// 2^k * p(f) with d * log2(e) = k + f, |f| <= 1/2, and p a polynomial fitted to 2^f with p(0) = 1 (relative error 9.2e-8). The rounding
// of d * log2(e) adds up to 6e-8 * |d|, which the weight e^d makes harmless in a sum.
inline float exp_row(float d) {
  if (!(d >= -87.0f)) return 0.0f;
  float t = d * 1.44269504f;
  float shifted = t + 12582912.0f;  // 1.5 * 2^23: rounds to an integer
  float f = t - (shifted - 12582912.0f);
  float e = ((((0.0013264659f * f + 0.009671566f) * f + 0.055507343f) * f + 0.24022241f) * f + 0.693147f) * f + 1.0f;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(e) + (std::bit_cast<uint32_t>(shifted) << 23));
}

// The one tree in which 16 lanes become one number.
template <class T>
T lane_tree(const T* lanes) {
  T a[8], b[4];
  for (int i = 0; i < 8; i++) a[i] = lanes[i] + lanes[i + 8];
  for (int i = 0; i < 4; i++) b[i] = a[i] + a[i + 4];
  return (b[0] + b[2]) + (b[1] + b[3]);
}

extern const Kernels kScalarKernels;

}  // namespace gsample

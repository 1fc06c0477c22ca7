// The definition of every kernel, in plain C++. It also serves the machines that simd.cc does not.
#include <algorithm>
#include <cmath>

#include "base/real.h"
#include "row/kernels.h"

namespace gsample {

namespace {

void load(const Row& row, size_t begin, size_t n, float* out) {
  for (size_t i = 0; i < n; i++) {
    uint32_t column = static_cast<uint32_t>(begin + i);
    out[i] = row.masked_out(column) ? -kInfinity : row_at(row, column);
  }
  std::fill(out + n, out + (n + kPiece - 1) / kPiece * kPiece, -kInfinity);
}

void scale(float* values, size_t n, float shift, float divisor) {
  for (size_t i = 0; i < n; i++) values[i] = (values[i] - shift) / divisor;
}

bool maxima(const float* values, size_t n_chunks, size_t chunk_size, float* lane_max) {
  bool nan = false;
  for (size_t chunk = 0; chunk < n_chunks; chunk++, values += chunk_size, lane_max += kLanes) {
    std::fill(lane_max, lane_max + kLanes, -kInfinity);
    for (size_t i = 0; i < chunk_size; i++) {
      nan |= values[i] != values[i];
      if (values[i] > lane_max[i % kLanes]) lane_max[i % kLanes] = values[i] + 0.0f;
    }
  }
  return nan;
}

void group_maxima(const float* lane_max, size_t n_chunks, float* group_max) {
  for (size_t chunk = 0; chunk < n_chunks; chunk++, lane_max += kLanes) {
    float* group = group_max + chunk / kGroup * kLanes;
    for (size_t l = 0; l < kLanes; l++)
      if (chunk % kGroup == 0 || lane_max[l] > group[l]) group[l] = lane_max[l] + 0.0f;
  }
}

BlockSums block_sums(const float* block, float m, bool weigh) {
  float sums[4][kLanes] = {}, weighted[4][kLanes] = {};
  for (size_t i = 0; i < kBlock; i++) {
    float d = block[i] - m;
    float e = exp_row(d);
    sums[i / kQuarter][i % kLanes] += e;
    if (weigh) weighted[i / kQuarter][i % kLanes] += d >= -87.0f ? e * d : 0.0f;
  }
  float s[kLanes], w[kLanes];
  for (size_t l = 0; l < kLanes; l++) {
    s[l] = (sums[0][l] + sums[1][l]) + (sums[2][l] + sums[3][l]);
    w[l] = (weighted[0][l] + weighted[1][l]) + (weighted[2][l] + weighted[3][l]);
  }
  return {lane_tree(s), lane_tree(w)};
}

BlockMoments block_moments(const float* block, float m) {
  double sums[kLanes] = {}, squares[kLanes] = {};
  uint32_t count = 0;
  for (size_t i = 0; i < kBlock; i++) {
    if (!(block[i] > -kInfinity)) continue;
    double d = static_cast<double>(block[i]) - static_cast<double>(m);
    count++;
    sums[i % kLanes] += d;
    squares[i % kLanes] += d * d;
  }
  return {lane_tree(sums), lane_tree(squares), count};
}

void drop_below(float* values, size_t n, float t) {
  for (size_t i = 0; i < n; i++)
    if (!(values[i] >= t)) values[i] = -kInfinity;
}

float largest(const float* values, size_t n) {
  float max = -kInfinity;
  for (size_t i = 0; i < n; i++) max = values[i] > max ? values[i] : max;
  return max + 0.0f;
}

float lowest(const float* values, size_t n) {
  float min = kInfinity;
  for (size_t i = 0; i < n; i++) min = values[i] > -kInfinity && values[i] < min ? values[i] : min;
  return min + 0.0f;
}

size_t count_at_least(const float* values, size_t n, float t) {
  size_t count = 0;
  for (size_t i = 0; i < n; i++) count += values[i] >= t;
  return count;
}

size_t collect(const float* piece, float t, float* values, uint32_t* places) {
  size_t n = 0;
  for (uint32_t i = 0; i < kPiece; i++) {
    values[n] = piece[i];
    places[n] = i;
    n += piece[i] >= t;
  }
  return n;
}

void exps(const float* values, size_t n, float top, double* exps) {
  for (size_t i = 0; i < n; i++) exps[i] = values[i] == top ? 1.0 : exp_f64(static_cast<double>(values[i] - top));
}

size_t chunks_at_least(const float* lane_max, size_t n_chunks, float t, uint32_t* chunks) {
  size_t count = 0;
  for (size_t chunk = 0; chunk < n_chunks; chunk++) {
    bool any = false;
    for (size_t l = 0; l < kLanes; l++) any |= lane_max[chunk * kLanes + l] >= t;
    chunks[count] = static_cast<uint32_t>(chunk);
    count += any;
  }
  return count;
}

}  // namespace

constinit const Kernels kScalarKernels = {"scalar",      load,    scale,  maxima,         group_maxima,   block_sums,
                                          block_moments, drop_below, largest, lowest, count_at_least, collect, exps, chunks_at_least};

}  // namespace gsample

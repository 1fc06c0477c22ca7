#include "row/scan.h"

#include <algorithm>
#include <cmath>

#include "base/real.h"

namespace gsample {

namespace {

// Merges the moments of blocks in order (Chan, Golub and LeVeque, 1979).
struct MergedMoments {
  double n = 0, mean = 0, squares = 0;

  void add(const BlockMoments& block, float reference) {
    if (block.count == 0) return;
    double count = block.count;
    double block_mean = static_cast<double>(reference) + block.sum / count;
    double block_squares = block.squares - block.sum * block.sum / count;
    if (n == 0) {
      *this = {count, block_mean, block_squares};
      return;
    }
    double delta = block_mean - mean;
    double both = n + count;
    mean = mean + delta * count / both;
    squares = squares + block_squares + delta * delta * n * count / both;
    n = both;
  }

  double deviation() const { return n > 0 ? std::sqrt(std::max(squares, 0.0) / n) : 0; }
};

// The block's values, scaled as wanted; `block` itself where that changes nothing.
const float* scaled_block(const float* block, const Want& want, float* buffer) {
  if (!want.scaled()) return block;
  std::copy(block, block + kBlock, buffer);
  kernels().scale(buffer, kBlock, want.shift, want.divisor);
  return buffer;
}

void add_block(const float* values, float max, bool weighted, size_t block, Sums& sums) {
  BlockSums s = {0, 0};
  if (max > -kInfinity) s = kernels().block_sums(values, max, weighted);
  sums.max[block] = max;
  sums.sum[block] = s.sum;
  sums.weighted[block] = s.weighted;
}

float scaled_max(float max, const Want& want) { return max > -kInfinity ? (max - want.shift) / want.divisor : max; }

// Keeps the maxima of a row of any usual width within 32 KiB.
size_t chunk_for(size_t n) { return n <= 131072 ? 256 : n <= 262144 ? 512 : 1024; }

void start(size_t n, bool patched, Maxima& out) {
  out.chunk = chunk_for(n);
  const size_t n_chunks = (n + out.chunk - 1) / out.chunk;
  out.lanes.resize(n_chunks * kLanes);
  out.groups.resize((n_chunks + kGroup - 1) / kGroup * kLanes);
  out.nan = false;
  out.patched = patched;
  out.lowest = kInfinity;
}

void finish(Maxima& out) {
  kernels().group_maxima(out.lanes.data(), out.lanes.size() / kLanes, out.groups.data());
  out.max = kernels().largest(out.groups.data(), out.groups.size());
}

// A whole block, without what is below the floor: the last one of a row padded with -infinity.
const float* read_block(const Source& source, size_t block, bool patched, float floor, float* buffer) {
  const size_t begin = block * kBlock, size = std::min(kBlock, source.row.n - begin), padded = (size + kPiece - 1) / kPiece * kPiece;
  const float* keys = read_columns(source, begin, size, patched, buffer);
  if (padded == kBlock && floor <= -kFloatMax) return keys;
  if (keys != buffer) std::copy(keys, keys + padded, buffer);
  std::fill(buffer + padded, buffer + kBlock, -kInfinity);
  if (floor > -kFloatMax) kernels().drop_below(buffer, kBlock, floor);
  return buffer;
}

// Adds the maxima of a block, and returns where its lanes are.
std::span<const float> add_maxima(const float* keys, size_t block, bool lowest, Maxima& out) {
  const Kernels& k = kernels();
  const size_t first = block * (kBlock / out.chunk) * kLanes;
  const size_t n_lanes = std::min(kBlock / out.chunk * kLanes, out.lanes.size() - first);
  out.nan |= k.maxima(keys, n_lanes / kLanes, out.chunk, &out.lanes[first]);
  if (lowest) out.lowest = std::min(out.lowest, k.lowest(keys, kBlock));
  return {&out.lanes[first], n_lanes};
}

float threshold(const float* values, size_t n, size_t k, float max) {
  const Kernels& kernel = kernels();
  if (!(std::fabs(max) <= kFloatMax)) return -kFloatMax;
  // Steps down from the maximum until k values are covered, then halves. Any `low` on the way is a valid answer.
  float high = max, low = max, step = std::max(1.0f, std::fabs(max) * 0x1p-20f);
  size_t covered = kernel.count_at_least(values, n, low);
  for (; covered < k; step *= 4) {
    high = low;
    low = max - step;
    if (!(low >= -kFloatMax)) return -kFloatMax;
    covered = kernel.count_at_least(values, n, low);
  }
  for (int i = 0; i < 16 && covered > k + k / 4 + 8; i++) {
    const float middle = low / 2 + high / 2;
    if (!(middle > low && middle < high)) break;
    const size_t at_least = kernel.count_at_least(values, n, middle);
    if (at_least >= k) {
      low = middle;
      covered = at_least;
    } else {
      high = middle;
    }
  }
  return low;
}

}  // namespace

double Sums::total(double reference) const {
  double total = 0;
  for (size_t b = 0; b < max.size(); b++)
    if (max[b] > -kInfinity) total += static_cast<double>(sum[b]) * exp_f64(static_cast<double>(max[b]) - reference);
  return total;
}

double Sums::weighted_total(double reference) const {
  double total = 0;
  for (size_t b = 0; b < max.size(); b++) {
    if (!(max[b] > -kInfinity)) continue;
    double offset = static_cast<double>(max[b]) - reference;
    total += exp_f64(offset) * (static_cast<double>(weighted[b]) + offset * static_cast<double>(sum[b]));
  }
  return total;
}

void reserve_maxima(size_t n, Maxima& maxima) {
  const size_t n_chunks = (n + chunk_for(n) - 1) / chunk_for(n);
  maxima.lanes.reserve(n_chunks * kLanes);
  maxima.groups.reserve((n_chunks + kGroup - 1) / kGroup * kLanes);
}

void scan_maxima(const Source& source, bool lowest, Maxima& out) {
  const size_t n = source.row.n;
  start(n, false, out);
  // A row of plain floats is read where it stands, in one go; only its last block may need padding.
  const size_t done = source.plain() && !lowest ? n / kBlock : 0;
  if (done) out.nan = kernels().maxima(static_cast<const float*>(source.row.logits), done * (kBlock / out.chunk), out.chunk, out.lanes.data());
  alignas(64) float buffer[kBlock];
  for (size_t block = done; block * kBlock < n; block++) add_maxima(read_block(source, block, false, -kFloatMax, buffer), block, lowest, out);
  finish(out);
}

void scan_sums(const Source& source, const Want& want, Maxima& maxima, Sums& sums) {
  const size_t n_blocks = (source.row.n + kBlock - 1) / kBlock;
  start(source.row.n, true, maxima);
  for (auto* part : {&sums.max, &sums.sum, &sums.weighted}) part->resize(n_blocks);
  MergedMoments moments;
  alignas(64) float buffer[kBlock], second[kBlock];
  for (size_t block = 0; block < n_blocks; block++) {
    const float* keys = read_block(source, block, true, want.floor, buffer);
    const std::span<const float> lanes = add_maxima(keys, block, want.lowest, maxima);
    const float max = scaled_max(kernels().largest(lanes.data(), lanes.size()), want);
    if (max == kInfinity) continue;  // the caller starts again with the +infinity tokens alone
    const float* values = scaled_block(keys, want, second);
    if (want.sums) add_block(values, max, want.weighted, block, sums);
    if (want.moments && max > -kInfinity) moments.add(kernels().block_moments(values, max), max);
  }
  finish(maxima);
  sums.mean = moments.mean;
  sums.deviation = moments.deviation();
}

size_t count_tokens(const Source& source, float floor) {
  size_t count = 0;
  alignas(64) float buffer[kBlock];
  for (size_t block = 0; block * kBlock < source.row.n; block++)
    count += kernels().count_at_least(read_block(source, block, true, floor, buffer), kBlock, -kFloatMax);
  return count;
}

void rescan_block(const Source& source, const Want& want, size_t block, std::span<const uint32_t> dropped, Sums& sums) {
  alignas(64) float buffer[kBlock];
  const float* keys = read_block(source, block, true, want.floor, buffer);
  if (keys != buffer) std::copy(keys, keys + kBlock, buffer);
  for (uint32_t id : dropped) buffer[id - block * kBlock] = -kInfinity;
  const float max = scaled_max(kernels().largest(buffer, kBlock), want);
  if (want.scaled()) kernels().scale(buffer, kBlock, want.shift, want.divisor);
  add_block(buffer, max, want.weighted, block, sums);
}

float threshold(const Maxima& maxima, size_t k) {
  // The k-th largest of the maxima bounds the k-th largest of the row from below; the coarser maxima are fewer, and nearly as good
  // while they are several times k.
  if (k <= maxima.groups.size() / 2) return threshold(maxima.groups.data(), maxima.groups.size(), k, maxima.max);
  if (k <= maxima.lanes.size() / 2) return threshold(maxima.lanes.data(), maxima.lanes.size(), k, maxima.max);
  return -kFloatMax;
}

}  // namespace gsample

// One reading of a row: the maximum of every lane of every chunk, which later tells where the best tokens are without reading the
// row again, and, where the chain wants them, the sums behind softmax, entropy and standard deviation.
#pragma once

#include <vector>

#include "row/source.h"

namespace gsample {

// What a whole-row reading adds up, of the values (logit - shift) / divisor.
struct Want {
  bool sums = false;     // for softmax
  bool weighted = false; // and for entropy
  bool moments = false;  // for mean and standard deviation
  bool lowest = false;   // the least logit, for a temperature that could overflow it
  float shift = 0, divisor = 1;
  float floor = -kFloatMax;  // logits below it do not count

  bool scaled() const { return shift != 0 || divisor != 1; }
};

// The maxima. A chunk is as long as the row is wide, roughly: finer chunks are read again with less waste, coarser ones are fewer.
struct Maxima {
  size_t chunk = kPiece;      // columns
  std::vector<float> lanes;   // kLanes a chunk
  std::vector<float> groups;  // kLanes a group of chunks
  float max = -kInfinity;
  float lowest = kInfinity;   // least logit above -infinity, where wanted; before shift and divisor
  bool nan = false;           // a NaN may be in the row, and not banned
  bool patched = false;       // the maxima are those of the row as patched
};

// The sums. Each block's are relative to its own maximum, so a change in one block leaves the others as they are.
struct Sums {
  std::vector<float> max, sum, weighted;  // a block each; max is -infinity where a block has no tokens
  double mean = 0, deviation = 0;         // population; of the values above -infinity

  // sum over all tokens of e^(v - reference), and of e^(v - reference) * (v - reference)
  double total(double reference) const;
  double weighted_total(double reference) const;
};

// Room for the maxima of a row of n.
void reserve_maxima(size_t n, Maxima& maxima);

// Reads the row as it stands, patches ignored: an upper bound for all but the raised columns. For a choice by maximum alone.
void scan_maxima(const Source& source, bool lowest, Maxima& maxima);

// Reads the row as patched and adds up what is wanted in the same pass.
void scan_sums(const Source& source, const Want& want, Maxima& maxima, Sums& sums);

// How many tokens have a logit of at least `floor`.
size_t count_tokens(const Source& source, float floor);

// Does the sums of one block again, without the columns `dropped`.
void rescan_block(const Source& source, const Want& want, size_t block, std::span<const uint32_t> dropped, Sums& sums);

// A value t such that at least k columns are >= t in what the maxima were taken from and, where their distribution allows, few more.
// -FLT_MAX where k is too large for a guess.
float threshold(const Maxima& maxima, size_t k);

// Calls take(id, v) for the columns whose value as it stands (scaled, not patched) is at least t, in order of id.
// take returns the t to go on with, never lower.
template <class Take>
void visit(const Source& source, const Maxima& maxima, float t, std::vector<uint32_t>& chunks, Take&& take) {
  const Kernels& k = kernels();
  const size_t n_chunks = maxima.lanes.size() / kLanes, chunk_size = maxima.chunk;
  if (chunks.size() < n_chunks) chunks.resize(n_chunks);
  const size_t n = k.chunks_at_least(maxima.lanes.data(), n_chunks, t, chunks.data());
  const bool plain = source.plain();
  alignas(64) float buffer[kPiece];
  float found_values[kPiece + kLanes];
  uint32_t places[kPiece + kLanes];
  for (size_t c = 0; c < n; c++) {
    constexpr size_t kAhead = 4;
    if (plain && c + kAhead < n) {
      auto next = static_cast<const float*>(source.row.logits) + size_t{chunks[c + kAhead]} * chunk_size;
      for (size_t line = 0; line < chunk_size; line += kLanes) __builtin_prefetch(next + line);
    }
    const size_t first = size_t{chunks[c]} * chunk_size, end = std::min<size_t>(first + chunk_size, source.row.n);
    for (size_t begin = first; begin < end; begin += kPiece) {
      const float* values = read_columns(source, begin, std::min(kPiece, end - begin), false, buffer);
      const size_t found = k.collect(values, t, found_values, places);
      for (size_t i = 0; i < found; i++)
        if (found_values[i] >= t) t = take(static_cast<uint32_t>(begin + places[i]), found_values[i]);
    }
  }
}

}  // namespace gsample

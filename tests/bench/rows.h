// The rows of the benchmarks, and the floor that everything is measured against.
//
// Rows: N(0, 2.5) with 40 random ids raised to top - s ln(1 + i), top in 18..25, s in 1..2 ("model"); the recorded rows of a real model,
// widened ("real"); and rows that are hard for a sampler that looks for the best: all nearly equal ("flat"), each logit above the one
// before ("ascending"), all the same ("equal"). There are 32 of each, in rotation, so that none is hot in a small cache.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

struct Rows {
  size_t n_vocab;
  std::vector<std::vector<float>> rows;
  std::vector<std::vector<uint16_t>> halves;  // the same as f16

  size_t size() const { return rows.size(); }
};

// Made at the first call for each pair, and kept.
const Rows& rows_of(const std::string& kind, size_t n_vocab);

// A plain vectorised maximum: nothing reads a row faster.
float floor_scan(const float* row, size_t n);

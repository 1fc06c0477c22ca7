// What a sampler really reads: a row, some columns of which are replaced (bias, penalties, bans), possibly all divided by a
// temperature first. Nothing is copied: a block that is not plain floats as they stand is put together in 4 KiB of the caller's.
#pragma once

#include <algorithm>
#include <span>

#include "row/kernels.h"

namespace gsample {

// Columns whose logit is replaced. `value` gives the logit in place of the row's; -infinity bans the column.
struct Patches {
  std::span<const uint64_t> touched;  // bit id % 64 of word id / 64; columns past its end are untouched
  std::span<const uint32_t> raised;   // the touched columns that may come out higher than they stand in the row, ascending
  size_t count = 0;                   // of touched columns
  float (*value)(const void* self, uint32_t id, float logit) = nullptr;
  float (*bound)(const void* self, float magnitude) = nullptr;  // how far from 0 a logit within +-magnitude may be moved
  const void* self = nullptr;

  bool touches(uint32_t id) const { return id / 64 < touched.size() && (touched[id / 64] >> (id % 64) & 1); }
  bool raises(uint32_t id) const { return std::binary_search(raised.begin(), raised.end(), id); }
};

struct Source {
  Row row;
  Patches patches;
  float shift = 0, divisor = 1;  // every untouched column is (logit - shift) / divisor; `value` does that by itself

  bool scaled() const { return shift != 0 || divisor != 1; }
  bool plain() const { return row.dtype == GSAMPLE_F32 && !row.mask && !scaled(); }
  float untouched(float logit) const { return scaled() ? (logit - shift) / divisor : logit; }
};

// The logit of one column: -infinity where the mask or a ban removes it, else as patched and scaled.
float logit_of(const Source& source, uint32_t id);

// Columns [begin, begin + n) as floats, padded with -infinity to a whole piece; begin is a multiple of a piece. Either a pointer into
// the row itself or `buffer` (of n rounded up to a piece). `patched` false leaves touched columns as they stand in the row.
const float* read_columns(const Source& source, size_t begin, size_t n, bool patched, float* buffer);

// How many columns hold NaN that neither the mask nor a ban removes; *first is the first of them.
size_t count_nan(const Source& source, uint32_t* first);

}  // namespace gsample

#include "row/source.h"

#include <algorithm>

namespace gsample {

float logit_of(const Source& source, uint32_t id) {
  if (source.row.masked_out(id)) return -kInfinity;
  float logit = row_at(source.row, id);
  return source.patches.touches(id) ? source.patches.value(source.patches.self, id, logit) : source.untouched(logit);
}

const float* read_columns(const Source& source, size_t begin, size_t n, bool patched, float* buffer) {
  const std::span<const uint64_t> touched = source.patches.touched;
  const size_t first_word = begin / 64, last_word = std::min((begin + n + 63) / 64, touched.size());
  bool any = false;
  if (patched)
    for (size_t word = first_word; word < last_word; word++) any |= touched[word] != 0;
  if (source.plain() && !any && n % kPiece == 0) return static_cast<const float*>(source.row.logits) + begin;

  const Kernels& k = kernels();
  k.load(source.row, begin, n, buffer);
  if (source.scaled()) k.scale(buffer, (n + kPiece - 1) / kPiece * kPiece, source.shift, source.divisor);
  if (any)
    for (size_t word = first_word; word < last_word; word++)
      for (uint64_t bits = touched[word]; bits; bits &= bits - 1) {
        size_t id = word * 64 + static_cast<size_t>(std::countr_zero(bits));
        if (id >= begin + n) break;
        buffer[id - begin] = logit_of(source, static_cast<uint32_t>(id));
      }
  return buffer;
}

size_t count_nan(const Source& source, uint32_t* first) {
  size_t count = 0;
  for (uint32_t id = 0; id < source.row.n; id++) {
    float logit = row_at(source.row, id);
    if (logit == logit) continue;
    logit = logit_of(source, id);
    if (logit == logit) continue;
    if (count++ == 0) *first = id;
  }
  return count;
}

}  // namespace gsample

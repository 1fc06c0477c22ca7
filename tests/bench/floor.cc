// Compiled with fast-math, which a maximum needs to be vectorised, for the widest vectors of the machine.
#include <limits>

#include "rows.h"

#if defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define GSAMPLE_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define GSAMPLE_CLONES
#endif

GSAMPLE_CLONES float floor_scan(const float* row, size_t n) {
  float max = -std::numeric_limits<float>::max();
  for (size_t i = 0; i < n; i++) max = row[i] > max ? row[i] : max;
  return max;
}

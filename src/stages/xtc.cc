// XTC, exclude top choices: now and then drops all but the last of the tokens that reach the threshold (p-e-w 2024).
#include <algorithm>

#include "stages/stages.h"

namespace gsample {

void xtc(Head& head, float probability, float threshold, size_t min_keep, Pcg& rng) {
  if (probability <= 0 || threshold > 0.5f || !head.reach(1)) return;
  if (!(rng.uniform() < static_cast<double>(probability))) return;
  size_t likely = 0;
  while (head.reach(likely) && head.p(likely) >= threshold) likely++;
  if (likely < 2 || !head.reach(likely - 1 + std::max<size_t>(1, min_keep) - 1)) return;
  head.drop_first(likely - 1);
}

}  // namespace gsample

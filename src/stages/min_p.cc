// min-p: the tokens at least min_p times as probable as the best, decided on the logits (Nguyen et al. 2024).
#include <algorithm>

#include "base/real.h"
#include "stages/stages.h"

namespace gsample {

void min_p(Head& head, float p, size_t min_keep) {
  if (p <= 0 || !head.reach(0)) return;
  const float threshold = head.value(0) + static_cast<float>(log_f64(static_cast<double>(p)));
  head.keep_while(min_keep, [=](float v) { return v >= threshold; });
}

}  // namespace gsample

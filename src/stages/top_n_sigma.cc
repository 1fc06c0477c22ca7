// top-n-sigma: the logits within n standard deviations of the best (Tang et al. 2024).
#include <algorithm>

#include "stages/stages.h"

namespace gsample {

void top_n_sigma(Head& head, float n_sigma) {
  if (n_sigma <= 0 || !head.reach(0)) return;
  const float threshold = static_cast<float>(static_cast<double>(head.max()) - static_cast<double>(n_sigma) * head.deviation());
  head.keep_while(1, [=](float v) { return v >= threshold; });
}

}  // namespace gsample

// top-n-sigma: the logits within n standard deviations of the best (Tang et al. 2024).
#include <algorithm>

#include "stages/stages.h"

namespace gsample {

void top_n_sigma(Head& head, float n_sigma) {
  if (n_sigma <= 0 || !head.reach(0)) return;
  const double threshold = static_cast<double>(head.max()) - static_cast<double>(n_sigma) * head.deviation();
  head.keep(std::max<size_t>(head.count_at_least(static_cast<float>(threshold)), 1));
}

}  // namespace gsample

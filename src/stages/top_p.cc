// top-p, nucleus sampling: the shortest prefix whose probabilities sum to at least p (Holtzman et al. 2019).
#include <algorithm>

#include "stages/stages.h"

namespace gsample {

void top_p(Head& head, float p, size_t min_keep) {
  if (p >= 1) return;
  const double enough = static_cast<double>(p);
  double sum = 0;
  size_t n = 0;
  while (head.reach(n)) {
    sum += static_cast<double>(head.p(n++));
    if (sum >= enough && n >= min_keep) break;
  }
  head.keep(n);
}

}  // namespace gsample

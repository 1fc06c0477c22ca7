// adaptive-p: prefers tokens whose probability is near a target that leans against the average of what was chosen before
// (MrJackSpade 2025).
#include <algorithm>
#include <cmath>

#include "stages/stages.h"

namespace gsample {

void adaptive_p(Head& head, float target, float average, std::vector<float>& entered) {
  head.close();
  entered.resize(head.held());
  for (size_t i = 0; i < entered.size(); i++) entered[i] = head.p(i);
  const double aim = std::clamp(2 * static_cast<double>(target) - static_cast<double>(average), 0.0, 1.0);
  const std::span<float> values = head.values();
  for (size_t i = 0; i < values.size(); i++) {
    const double d = std::fabs(static_cast<double>(entered[i]) - aim) / 0.3;
    values[i] = static_cast<float>(5 - 10 * (d * d) / (1 + d));
  }
  head.values_changed();
}

float adaptive_update(float average, float decay, float p) {
  const double d = static_cast<double>(decay);
  return static_cast<float>(d * static_cast<double>(average) + (1 - d) * static_cast<double>(p));
}

}  // namespace gsample

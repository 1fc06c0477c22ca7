// Temperature, fixed or dynamic: divides the logits. Dynamic temperature moves within a range by the entropy of the set, relative to
// the largest that a set of its size can have (kalomaze 2023).
#include <algorithm>

#include "base/real.h"
#include "stages/stages.h"

namespace gsample {

void temperature(Head& head, float temperature, float range, float exponent) {
  if (range > 0) {
    if (!head.reach(1)) return;
    const double low = std::max(0.0, static_cast<double>(temperature) - static_cast<double>(range));
    const double high = static_cast<double>(temperature) + static_cast<double>(range);
    const double entropy = head.entropy();
    const double share = std::min(1.0, std::max(0.0, entropy / log_f64(static_cast<double>(head.size()))));
    temperature = static_cast<float>(low + (high - low) * pow_f64(share, static_cast<double>(exponent)));
    if (temperature <= 0) return head.keep(1);
    temperature = std::min(temperature, kFloatMax);
  }
  if (temperature != 1) head.divide(temperature);
}

}  // namespace gsample

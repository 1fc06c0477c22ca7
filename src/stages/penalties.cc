#include "stages/penalties.h"

#include <algorithm>
#include <cmath>

namespace gsample {

float Penalties::bound(float magnitude, size_t history_length) const {
  const float r = std::abs(repeat);
  return std::max(magnitude * r, magnitude / r) + static_cast<float>(history_length) * std::abs(frequency) + std::abs(presence);
}

}  // namespace gsample

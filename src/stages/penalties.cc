#include "stages/penalties.h"

#include <algorithm>
#include <cmath>

namespace gsample {

float Penalties::bound(float magnitude, size_t history_length) const {
  const float r = std::abs(repeat);
  return std::max(magnitude * r, magnitude / r) + static_cast<float>(history_length) * std::abs(frequency) + std::abs(presence);
}

void penalties(Head& head, const Penalties& penalties) {
  if (penalties.counts->size() == 0) return;
  head.close();
  const std::span<float> values = head.values();
  for (size_t i = 0; i < values.size(); i++)
    if (values[i] > -kInfinity) values[i] = penalties.apply(head.id(i), values[i]);
  head.reorder();
}

}  // namespace gsample

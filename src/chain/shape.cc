#include "chain/shape.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace gsample {

void Bias::assign(std::vector<Item> items) {
  std::sort(items.begin(), items.end(), [](const Item& a, const Item& b) { return a.token < b.token; });
  std::vector<uint32_t> raised;
  float largest = 0;
  for (const Item& item : items) {
    if (item.bias > 0) raised.push_back(item.token);
    if (item.bias > -kInfinity) largest = std::max(largest, std::abs(item.bias));
  }
  items_ = std::move(items);
  raised_ = std::move(raised);
  largest_ = largest;
  bits_.clear();
  before_.clear();
}

std::span<const uint64_t> Bias::touched(size_t n_vocab) {
  if (items_.empty()) return {};
  if (bits_.width() < n_vocab) {
    before_.resize((n_vocab + 63) / 64);
    bits_.resize(n_vocab);
    for (const Item& item : items_)
      if (bits_.covers(item.token)) bits_.set(item.token);
    uint32_t count = 0;
    for (size_t word = 0; word < before_.size(); word++) {
      before_[word] = count;
      count += static_cast<uint32_t>(std::popcount(bits_.words()[word]));
    }
  }
  return bits_.words();
}

const float* Bias::find(uint32_t token) const {
  if (!bits_.has(token)) return nullptr;
  const uint64_t below = bits_.words()[token / 64] & ((uint64_t{1} << token % 64) - 1);
  return &items_[before_[token / 64] + static_cast<uint32_t>(std::popcount(below))].bias;
}

size_t Bias::bytes() const {
  return items_.capacity() * sizeof(Item) + raised_.capacity() * 4 + bits_.words().capacity() * 8 + before_.capacity() * 4;
}

void Shape::reserve(size_t n_vocab) { both_.reserve((n_vocab + 63) / 64); }

void Shape::prepare(const Plan& plan, const gsample_params& params, uint32_t n_vocab, Bias& bias, History& history, Dry& dry) {
  n_steps_ = plan.n_leading;
  std::copy_n(plan.leading.begin(), n_steps_, steps_.begin());
  divisor_ = 1;
  gather(params, n_vocab, bias, history, dry);
}

void Shape::add(float temperature, int32_t stage, const gsample_params& params, uint32_t n_vocab, Bias& bias, History& history, Dry& dry) {
  if (temperature != 1) {
    divisor_ = temperature;
    steps_[n_steps_++] = GSAMPLE_STAGE_TEMPERATURE;
  }
  steps_[n_steps_++] = stage;
  gather(params, n_vocab, bias, history, dry);
}

void Shape::gather(const gsample_params& params, uint32_t n_vocab, Bias& bias, History& history, Dry& dry) {
  bias_ = &bias;
  dry_ = &dry;
  penalties_ = Penalties(params, history);
  history_length_ = history.entries().size();

  touched_ = {};
  count_ = 0;
  size_t sources = 0;
  const auto join = [&](std::span<const uint64_t> bits, size_t count) {
    if (count == 0) return;
    count_ += count;
    bits = bits.first(std::min<size_t>(bits.size(), (size_t{n_vocab} + 63) / 64));
    if (sources++ == 0) {
      touched_ = bits;
      return;
    }
    if (sources == 2) both_.assign(touched_.begin(), touched_.end());
    for (size_t i = 0; i < both_.size(); i++) both_[i] |= bits[i];
    touched_ = both_;
  };
  join(bias.touched(n_vocab), bias.items().size());
  bool may_raise = false;  // above the logit in the row, or what the temperature makes of it
  for (size_t i = 0; i < n_steps_; i++) {
    if (steps_[i] == GSAMPLE_STAGE_PENALTIES) {
      join(history.seen(n_vocab).words(), history.counts().size());
      may_raise |= !penalties_.only_lower() && history.counts().size() > 0;
    } else if (steps_[i] == GSAMPLE_STAGE_DRY) {
      join(dry.touched(n_vocab), dry.count());
    }
  }
  raised_view_ = bias.raised();
  if (may_raise) {
    raised_.clear();
    for (size_t word = 0; word < touched_.size(); word++)
      for (uint64_t bits = touched_[word]; bits; bits &= bits - 1)
        raised_.push_back(static_cast<uint32_t>(word * 64 + static_cast<size_t>(std::countr_zero(bits))));
    raised_view_ = raised_;
  }
}

float Shape::apply(uint32_t id, float logit) const {
  if (const float* bias = bias_->find(id)) {
    if (*bias == -kInfinity) return -kInfinity;
    if (std::abs(logit) <= kFloatMax) logit = limited(logit + *bias);
  }
  if (!(std::abs(logit) <= kFloatMax)) return logit;  // a ban, or what the row's check is about
  for (size_t i = 0; i < n_steps_; i++) {
    if (steps_[i] == GSAMPLE_STAGE_PENALTIES) logit = penalties_.apply(id, logit);
    else if (steps_[i] == GSAMPLE_STAGE_DRY) logit = dry_->apply(id, logit);
    else logit /= divisor_;
  }
  return logit;
}

float Shape::bound(float magnitude) const {
  magnitude = bias_->bound(magnitude);
  for (size_t i = 0; i < n_steps_; i++) {
    if (steps_[i] == GSAMPLE_STAGE_PENALTIES) magnitude = penalties_.bound(magnitude, history_length_);
    else if (steps_[i] == GSAMPLE_STAGE_DRY) magnitude = dry_->bound(magnitude);
  }
  return magnitude;
}

Patches Shape::patches() const {
  return {.touched = touched_,
          .raised = raised_view_,
          .count = count_,
          .value = [](const void* self, uint32_t id, float logit) { return static_cast<const Shape*>(self)->apply(id, logit); },
          .bound = [](const void* self, float magnitude) { return static_cast<const Shape*>(self)->bound(magnitude); },
          .self = this};
}

}  // namespace gsample

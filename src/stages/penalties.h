// Penalties for tokens seen before: repetition (Keskar et al. 2019, CTRL), frequency and presence (OpenAI). Which tokens and how often:
// history.h.
#pragma once

#include "base/token_table.h"
#include "candidates/head.h"
#include "stages/history.h"

namespace gsample {

struct Penalties {
  float repeat = 1, frequency = 0, presence = 0;
  const TokenTable* counts = nullptr;

  Penalties() = default;
  Penalties(const gsample_params& params, const History& history)
      : repeat(params.penalty_repeat == 0 ? 1 : params.penalty_repeat),
        frequency(params.penalty_freq),
        presence(params.penalty_present),
        counts(&history.counts()) {}

  bool only_lower() const { return repeat >= 1 && frequency >= 0 && presence >= 0; }

  float apply(uint32_t id, float logit) const {
    const uint32_t* count = counts->find(id);
    if (!count) return logit;
    logit = limited(logit <= 0 ? logit * repeat : logit / repeat);
    logit = limited(logit - limited(static_cast<float>(*count) * frequency));
    return *count > 0 ? limited(logit - presence) : logit;
  }

  // How far from 0 apply() may move a logit within +-magnitude; may be infinite.
  float bound(float magnitude, size_t history_length) const;
};

}  // namespace gsample

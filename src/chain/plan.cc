#include "chain/plan.h"

namespace gsample {

namespace {

bool active(int32_t stage, const gsample_params& p, bool has_custom) {
  switch (stage) {
    case GSAMPLE_STAGE_PENALTIES:
      return ((p.penalty_repeat != 1 && p.penalty_repeat != 0) || p.penalty_freq != 0 || p.penalty_present != 0) &&
             (p.penalty_style == GSAMPLE_PENALTY_ANSWER || p.penalty_last_n != 0);
    case GSAMPLE_STAGE_DRY: return p.dry_multiplier > 0 && p.dry_base >= 1 && p.dry_last_n != 0;
    case GSAMPLE_STAGE_TOP_N_SIGMA: return p.top_n_sigma > 0;
    case GSAMPLE_STAGE_TOP_K: return p.top_k > 0;
    case GSAMPLE_STAGE_TYPICAL_P: return p.typical_p < 1;
    case GSAMPLE_STAGE_TOP_P: return p.top_p < 1;
    case GSAMPLE_STAGE_MIN_P: return p.min_p > 0;
    case GSAMPLE_STAGE_XTC: return p.xtc_probability > 0 && p.xtc_threshold <= 0.5f;
    case GSAMPLE_STAGE_TEMPERATURE: return p.temperature != 1 || p.dynatemp_range > 0;
    case GSAMPLE_STAGE_MIROSTAT: return p.mirostat != 0;
    case GSAMPLE_STAGE_ADAPTIVE_P: return p.adaptive_target >= 0;
    case GSAMPLE_STAGE_CUSTOM: return has_custom;
    default: return false;
  }
}

}  // namespace

Plan::Plan(const gsample_params& params, bool has_custom) : greedy(params.temperature <= 0) {
  bool front = true;
  for (int32_t stage : params.order) {
    if (stage == 0) break;
    if (!active(stage, params, has_custom)) continue;
    const bool adjusts = stage == GSAMPLE_STAGE_PENALTIES || stage == GSAMPLE_STAGE_DRY;
    penalties |= stage == GSAMPLE_STAGE_PENALTIES;
    dry |= stage == GSAMPLE_STAGE_DRY;
    custom |= stage == GSAMPLE_STAGE_CUSTOM;
    if (front && adjusts) leading[n_leading++] = stage;
    else if (!greedy) stages[n_stages++] = stage;
    else if (adjusts) leading[n_leading++] = stage;
    front = front && adjusts;
  }
  if (greedy) {
    cut = 1;
    return;
  }
  // What the first reading finds, as long as no stage has cut the set.
  whole_row = true;
  for (size_t i = 0;; i++) {
    const int32_t stage = i < n_stages ? stages[i] : 0;
    if (stage == GSAMPLE_STAGE_TEMPERATURE && params.dynatemp_range <= 0) {
      want.divisor = params.temperature;
      want.lowest = params.temperature < 1;
      continue;
    }
    if (stage == GSAMPLE_STAGE_TOP_K) {
      cut = static_cast<size_t>(params.top_k);
      whole_row = false;
    } else if (stage == GSAMPLE_STAGE_MIN_P) {
      whole_row = false;
    } else if (stage == GSAMPLE_STAGE_TOP_N_SIGMA) {
      want.moments = true;
    } else if (stage != GSAMPLE_STAGE_PENALTIES && stage != GSAMPLE_STAGE_DRY && stage != GSAMPLE_STAGE_CUSTOM) {
      want.sums = true;
      want.weighted = stage == GSAMPLE_STAGE_TYPICAL_P || stage == GSAMPLE_STAGE_TEMPERATURE;
      want.lowest |= stage == GSAMPLE_STAGE_MIROSTAT;
    }
    break;
  }
}

}  // namespace gsample

// What a caller wants to know of a token that was chosen: its log probability and rank, and those of the tokens before it.
#pragma once

#include "chain/run.h"

namespace gsample {

// The caller's request, checked.
struct ChoiceRequest {
  uint32_t mode = GSAMPLE_LOGPROB_NONE;
  uint32_t n_top = 0;
};
ChoiceRequest import_choice(const gsample_choice* choice);

struct Choice {
  gsample_logprob chosen = {0, 0, 0};
  std::span<const gsample_logprob> top;  // in the slot
};

// `law` is the distribution that a draft was verified against; NULL: the run's own set.
Choice describe_choice(const ChoiceRequest& request, Run& run, const Dist* law, Slot& slot);

// Gives it to the caller, once nothing can fail any more.
void export_choice(const Choice& choice, gsample_choice* to);

}  // namespace gsample

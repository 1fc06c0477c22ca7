// A step of one sequence: a pick per row, drafts verified on the way. Certain drafts stand iff the pick gives them; drafts with a
// distribution are accepted and replaced so that the tokens follow what a pick would draw from (Leviathan et al. 2023, Chen et al. 2023).
#pragma once

#include "chain/choice.h"

namespace gsample {

struct Sequence {
  Sampler* sampler;
  Row first_row;
  uint32_t n_rows;
  int64_t row_stride, mask_stride;     // in bytes
  const int32_t* drafts;
  const gsample_dist* const* draft_dists;
  int32_t* tokens;
  gsample_choice* choices;             // n_rows of them, or NULL
};

// Returns the status; *n_tokens says how many tokens came, and the sampler has accepted just these.
int32_t decide(const Sequence& sequence, const Dist* (*dist_of)(const gsample_dist*), Slot& slot, uint32_t* n_tokens) noexcept;

}  // namespace gsample

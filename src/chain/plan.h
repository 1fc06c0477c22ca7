// The plan: what a pick will do, decided once when the parameters are set. Stages at their off value are dropped; penalties and DRY that
// stand first become part of how the row is read; and the first reading of the row adds up what the stages will ask for.
#pragma once

#include <array>

#include "row/scan.h"

namespace gsample {

struct Plan {
  bool greedy = false;
  std::array<int32_t, 32> leading{}, stages{};  // GSAMPLE_STAGE_*
  size_t n_leading = 0, n_stages = 0;
  Want want;
  bool whole_row = false;   // something asks about all tokens before a cut: sums, the whole set in order
  size_t cut = 0;           // where a top-k comes first: no more than about so many tokens are ever held; 0: may be all
  bool penalties = false, dry = false, custom = false;

  explicit Plan(const gsample_params& params, bool has_custom);
  Plan() = default;
};

}  // namespace gsample

// One decision: the chain runs on a row, under the constraint, with copies of all that a choice moves. The sampler is the same as before
// until the token is committed, so whatever fails on the way has changed nothing.
#pragma once

#include "chain/sampler.h"

namespace gsample {

class Run {
 public:
  // The sampler and the slot are used until the run is over; the row is borrowed as long.
  Run(Sampler& sampler, Slot& slot, const Row& row);

  // The token. Throws NO_CANDIDATE, NOT_A_NUMBER, or what a callback returned.
  uint32_t choose();

  // What the sampler becomes with this choice.
  void commit() { sampler_.commit(token_, rng_, mu_, average_); }

 private:
  void start(const Row& row, const Filter* filter);
  bool only_infinite();
  void run_stages();
  void run_stage(int32_t stage);
  void run_custom();
  size_t draw();
  uint32_t take(size_t i);

  uint32_t best_allowed();
  uint32_t choose_lazily();
  uint32_t choose_masked_first();
  uint32_t choose_masked_last();
  void run_allowed();
  Row constrained_row();

  Sampler& sampler_;
  Slot& slot_;
  const Row row_;
  Head head_;
  Pcg rng_;
  float mu_, average_;
  uint32_t token_ = 0;
  bool infinite_ = false;  // the set is the +infinity tokens of the row
  Constraint::FirstBytes first_bytes_;
  Filter filter_;
};

}  // namespace gsample

// One decision: the chain runs on a row, under the constraint, with copies of all that a choice moves. The sampler is the same as before
// until the token is committed, so whatever fails on the way has changed nothing.
#pragma once

#include "chain/sampler.h"
#include "dist/dist.h"

namespace gsample {

class Run {
 public:
  // The sampler and the slot are used until the run is over; the row is borrowed as long.
  Run(Sampler& sampler, Slot& slot, const Row& row);

  // The token. Throws NO_CANDIDATE, NOT_A_NUMBER, or what a callback returned.
  uint32_t choose();

  // What choose() draws from, as far as it is known beforehand: under LAZY the second run's share included.
  void distribution(Dist& out);
  // After distribution(): the numbers that XTC took.
  void commit_numbers() { sampler_.rng() = rng_; }

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

  void run_first();
  bool keep_allowed();
  void run_allowed();
  bool lazy() const;
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

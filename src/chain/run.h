// One decision: the chain runs on a row, under the constraint, with copies of all that a choice moves. The sampler is the same as before
// until the token is committed, so whatever fails on the way has changed nothing.
#pragma once

#include "chain/sampler.h"
#include "dist/dist.h"

namespace gsample {

class Run {
 public:
  // Some of a row's tokens, in place of the row. `exact`: they are its first ones in C1 order, and the result must be that of the row.
  struct Candidates {
    std::span<const int32_t> tokens;
    std::span<const float> logits;
    uint32_t n_vocab;
    bool exact;
  };

  // The sampler and the slot are used until the run is over; the row is borrowed as long.
  Run(Sampler& sampler, Slot& slot, const Row& row);
  Run(Sampler& sampler, Slot& slot, const Candidates& candidates);

  // Chooses a token. Throws NO_CANDIDATE, NOT_A_NUMBER, or what a callback returned.
  void choose();
  // Chooses this token of distribution(), which the caller drew.
  void choose(uint32_t token, const Dist& law);
  uint32_t token() const { return token_; }

  // What it was chosen from, and its place there; not after distribution().
  Head& head() { return head_; }
  size_t place() const { return place_; }
  const Row& row() const { return row_; }

  // Numbers of the sampler's generator, as this run has it.
  double uniform() { return rng_.uniform(); }
  int32_t draw_from(const Dist& dist) { return dist.draw(rng_); }

  // What choose() draws from, as far as it is known beforehand: under LAZY the second run's share included.
  void distribution(Dist& out);
  // After distribution(): the numbers that XTC took.
  void commit_numbers() { sampler_.rng() = rng_; }

  // What the sampler becomes with this choice.
  void commit() { sampler_.commit(static_cast<int32_t>(token_), rng_, mu_, average_); }

 private:
  void start(const Row& row, const Filter* filter);
  void start_candidates(const Row& row, const Filter* filter);
  void run_stages();
  void run_stage(int32_t stage);
  void adjust(int32_t stage);
  void run_custom();
  size_t draw();
  void take(uint32_t token, float p, float entered);

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
  size_t place_ = 0;
  const Candidates* candidates_ = nullptr;
  std::vector<float> law_entered_;  // along distribution(), for adaptive-p
  bool added_ = false;     // adjust() added a stage to the shape
  bool infinite_ = false;  // the set is the +infinity tokens of the row
  Constraint::FirstBytes first_bytes_;
  Filter filter_;
};

}  // namespace gsample

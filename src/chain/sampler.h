// A sampler: its state, what is derived from the state, and how tokens come into it. What happens to a row is in run.h.
#pragma once

#include "chain/plan.h"
#include "chain/slot.h"
#include "constraint/constraint.h"
#include "rng/pcg.h"

namespace gsample {

// How many of the tokens of a constraint's `after` have been accepted, one behind the other, while there are more to come.
struct Waited {
  uint32_t tokens = 0;
};

// All mutable state that is the sampler's own, and the one list of it. A copy is a copy of these fields; reset, save and load go through
// the list. Not state: what is computed from it, and the caller's constraint and custom stage.
struct State {
  gsample_params params{};
  Pcg rng;
  float mu = 0;
  float average = 0;
  History history;
  Bias bias;
  std::vector<uint32_t> stops;  // ascending
  Breakers breakers;
  bool passed = false;          // the constraint's `after` was accepted
  Waited waited;                // or this much of it

  enum class AtReset { keep, renew };

  template <class Self, class Visit>
  static void each(Self& self, Visit&& visit) {
    visit(self.params, AtReset::keep);
    visit(self.rng, AtReset::renew);
    visit(self.mu, AtReset::renew);
    visit(self.average, AtReset::renew);
    visit(self.history, AtReset::renew);
    visit(self.bias, AtReset::keep);
    visit(self.stops, AtReset::keep);
    visit(self.breakers, AtReset::keep);
    visit(self.passed, AtReset::renew);
    visit(self.waited, AtReset::renew);
  }

  // As after gsample_new with the parameters in force.
  void reset();
};

// The custom stage's callbacks; `user` is destroyed with this.
class Custom {
 public:
  Custom() = default;
  explicit Custom(const gsample_custom& callbacks) : callbacks_(callbacks) {}
  Custom(Custom&& other) noexcept { std::swap(callbacks_, other.callbacks_); }
  Custom& operator=(Custom&& other) noexcept {
    std::swap(callbacks_, other.callbacks_);
    return *this;
  }
  ~Custom() {
    if (callbacks_.destroy) callbacks_.destroy(callbacks_.user);
  }
  explicit operator bool() const { return callbacks_.apply != nullptr; }
  Custom clone() const;
  void apply(const std::vector<int32_t>& tokens, float* logits) const;

 private:
  gsample_custom callbacks_ = {};
};

class Sampler {
 public:
  explicit Sampler(const gsample_params& params);
  explicit Sampler(State state);  // a loaded one
  void assign(const Sampler& from);
  void reset();
  void set_params(const gsample_params& params);
  void reserve(uint32_t n_vocab, size_t n_tokens);
  size_t memory() const;

  void seed(std::span<const int32_t> tokens);
  void accept(int32_t token);  // REFUSED where the constraint does not allow it

  // Takes a token that was just chosen, and what the choice moved. Nothing has changed if this throws.
  void commit(int32_t token, const Pcg& rng, float mu, float average);

  void set_bias(std::span<const int32_t> tokens, std::span<const float> biases);
  void set_stops(std::span<const int32_t> tokens);
  void add_breaker(std::span<const int32_t> sequence);
  void set_constraint(Constraint constraint);
  void set_custom(Custom custom);

  const State& state() const { return state_; }
  const Plan& plan() const { return plan_; }
  Constraint& constraint() { return constraint_; }
  const Custom& custom() const { return custom_; }
  Pcg& rng() { return state_.rng; }
  Slot& slot() { return slot_; }

  // 1 where a pick may differ from the row's best token.
  bool shaped() const;
  // How many of a row's first tokens the chain needs to see; 0: no number does.
  size_t candidates_needed() const;

  // What the chain puts in the place of the row's logits, gathered in `slot`.
  const Shape& shape(uint32_t n_vocab, Slot& slot);
  // Adds penalties or DRY to it, after a temperature; and the tokens that such a stage concerns.
  void add_to_shape(float temperature, int32_t stage, uint32_t n_vocab, Slot& slot);
  std::span<const uint64_t> touched_by(int32_t stage, uint32_t n_vocab, Slot& slot);

 private:
  void resume(Constraint& constraint) const;

  // What was reserved, for what the sampler is now; where that fails, undoes what made it so.
  template <class Undo>
  void reserve_again(Undo&& undo) {
    try {
      reserve(reserved_width_, reserved_tokens_);
    } catch (...) {
      undo();
      throw;
    }
  }

  State state_;
  Plan plan_;
  Constraint constraint_;
  Custom custom_;
  Slot slot_;
  uint32_t reserved_width_ = 0;
  size_t reserved_tokens_ = 0;
};

}  // namespace gsample

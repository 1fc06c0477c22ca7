// A constraint: who says which tokens may come next. The chain asks through this class; behind it stands the caller's struct of
// callbacks, of which a grammar's matcher is one. A callback that fails throws a Failure with its status.
#pragma once

#include <vector>

#include "base/failure.h"

namespace gsample {

class Constraint {
 public:
  Constraint() = default;
  // Takes over the callbacks and their `user`, which is destroyed with this object, or at once if this throws.
  explicit Constraint(const gsample_constraint& callbacks);
  Constraint(Constraint&& other) noexcept { swap(other); }
  Constraint& operator=(Constraint&& other) noexcept {
    Constraint(std::move(other)).swap(*this);
    return *this;
  }
  ~Constraint();

  explicit operator bool() const { return callbacks_.allows != nullptr; }
  Constraint clone() const;  // UNSUPPORTED where the callbacks have no clone

  // Asleep until the sequence `after` was accepted; such tokens are not fed to the constraint.
  bool awake() const { return *this && matched_ == after_.size(); }
  void wake() { matched_ = after_.size(); }
  // While asleep: how many of its tokens, from the first on, are what was accepted last.
  size_t matched() const { return awake() ? 0 : matched_; }

  bool allows(uint32_t token) const;
  void accept(uint32_t token);                       // while awake
  void follow(uint32_t token) noexcept;              // while asleep
  bool can_mask() const { return callbacks_.mask != nullptr; }
  void mask(std::vector<uint32_t>& words, uint32_t n_vocab) const;  // by one call, or n_vocab of them

  // A table of the bytes that an allowed token may begin with, where the constraint has one.
  struct FirstBytes {
    bool known = false;
    uint8_t may_begin[256];
  };
  FirstBytes first_bytes() const;
  bool may_begin(const FirstBytes& table, uint32_t token) const;

 private:
  void swap(Constraint& other) noexcept;

  gsample_constraint callbacks_ = {};
  std::vector<int32_t> after_;
  std::vector<uint32_t> fallback_;  // of after_: the longest proper prefix that ends at each place (Knuth, Morris and Pratt)
  size_t matched_ = 0;
};

}  // namespace gsample

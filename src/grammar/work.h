// How much one call may still do, whatever the grammar makes of it: counted in steps of some ten nanoseconds, so that a bound on steps
// is a bound on time.
#pragma once

#include <cstdint>

#include "base/failure.h"

namespace gsample {

class Work {
 public:
  explicit Work(uint64_t most) : left_(most), most_(most) {}
  void spend(uint64_t steps) {
    if (steps > left_) run_out();
    left_ -= steps;
  }
  uint64_t left() const { return left_; }
  bool spent() const { return left_ == 0; }

 private:
  [[noreturn]] void run_out() {
    left_ = 0;
    fail(GSAMPLE_ERROR_LIMIT, "the grammar takes more than %llu steps in one call", static_cast<unsigned long long>(most_));
  }

  uint64_t left_, most_;
};

}  // namespace gsample

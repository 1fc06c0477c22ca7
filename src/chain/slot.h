// The memory that one decision works in. A sampler that picks alone owns one; gsample_decide gives one to each worker.
#pragma once

#include "chain/shape.h"

namespace gsample {

struct Slot {
  Scratch head;
  Scratch raw;                   // of the row as given, for its log probabilities
  Shape shape;
  Dry dry;
  std::vector<uint8_t> marks;    // of survivors that stay
  std::vector<float> entered;    // probabilities before adaptive-p weighed them
  std::vector<uint32_t> mask;    // the constraint's, and with the row's where both have one
  std::vector<int32_t> tokens;   // for the custom stage
  std::vector<gsample_logprob> top;  // what a choice will show

  size_t bytes() const {
    return head.bytes() + raw.bytes() + shape.bytes() + dry.bytes() + marks.capacity() + (entered.capacity() + mask.capacity() + tokens.capacity()) * 4 +
           top.capacity() * sizeof(gsample_logprob);
  }
};

}  // namespace gsample

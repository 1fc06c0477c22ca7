// The bytes that can come at a place of the grammar, whatever stack lies below: at most too many. Asked before a stack is followed.
#pragma once

#include <cstdint>
#include <vector>

#include "grammar/byte_set.h"

namespace gsample {

class Machine;

class Follow {
 public:
  Follow() = default;
  explicit Follow(const Machine& machine);
  // The bytes that can come at the position.
  ByteSet bytes(uint32_t position) const { return at_.empty() ? byte_range(0, 255) : at_[position]; }
  // Can a text go on with the byte at the position?
  bool may(uint32_t position, uint8_t byte) const { return at_.empty() || at_[position].has(byte); }

 private:
  std::vector<ByteSet> at_;  // by position; empty where that would be too much work
};

}  // namespace gsample

// What a walk can see of the stacks below it, as words that are equal wherever it would see the same. Written level by level, as deep as
// the walk has looked; a set of continuations that is met again is written once, as its number.
#pragma once

#include <cstdint>
#include <span>

#include "base/small_vector.h"
#include "grammar/machine.h"
#include "grammar/stacks.h"

namespace gsample {

class StackKey {
 public:
  static constexpr uint32_t deepest = 31;

  // `longest` is the length of the longest token: an iteration count is seen as far as one token can get.
  StackKey(const Machine& machine, const Stacks& stacks, uint32_t longest) : machine_(machine), stacks_(stacks), reach_(longest + 1) {}

  // First what the key is about: words, and the sets whose stacks follow.
  void word(uint32_t value) { words_.push_back(value); }
  void set(uint32_t conts) { words_.push_back(number_of(conts)); }
  // Then as many levels as are wanted; false where the key would become too long.
  bool deepen_to(uint32_t depth);

  // At most as deep as deepen_to() was asked for.
  std::span<const uint32_t> words(uint32_t depth) const { return {words_.data(), levels_[depth].words}; }
  uint64_t hash(uint32_t depth) const { return levels_[depth].hash; }

 private:
  struct Level {
    uint32_t words;  // of the key, up to here
    uint32_t sets;   // that are written
    uint64_t hash;
  };
  static constexpr size_t longest_key = 512;  // words; a stack that needs more is walked each time
  static constexpr size_t most_sets = 128;
  uint32_t number_of(uint32_t conts);
  void close_level(uint32_t first_word, uint32_t sets, uint64_t hash);
  bool deepen();

  const Machine& machine_;
  const Stacks& stacks_;
  const uint32_t reach_;
  SmallVector<uint32_t, 128> words_;
  SmallVector<uint32_t, 32> sets_;  // in the order of their numbers
  SmallVector<Level, 8> levels_;
};

}  // namespace gsample

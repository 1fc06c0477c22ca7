// What is still to come behind the terminals being read: sets of continuations in frames, hash-consed, so that equal stacks are equal
// numbers however they came about, and ambiguity merges instead of multiplying.
//
// A frame is one call of a rule with the set of all continuations that wait for it; within the frame the rule's left corners are
// looked up in the machine. A store may lie over another that it does not change: what a question builds on top of a sequence's own
// stacks is dropped with the store, and two threads may ask at once.
#pragma once

#include <cstdint>
#include <span>

#include "base/small_vector.h"
#include "grammar/machine.h"

namespace gsample {

struct Cont {
  uint32_t position, count, frame;  // count: iterations done, at a repeat position
  bool operator==(const Cont&) const = default;
  bool operator<(const Cont& o) const {
    return position != o.position ? position < o.position : count != o.count ? count < o.count : frame < o.frame;
  }
};

class Stacks {
 public:
  static constexpr uint32_t no_frame = 0;

  explicit Stacks(const Stacks* base = nullptr)
      : base_(base), base_conts_(base ? base->n_sets() : 0), base_frames_(base ? base->n_frames() : 1), slots_() {
    slots_.resize(32, 0);
  }
  Stacks(const Stacks&) = default;
  Stacks& operator=(const Stacks&) = default;

  std::span<const Cont> conts(uint32_t set) const {
    if (set < base_conts_) return base_->conts(set);
    const Set& s = sets_[set - base_conts_];
    return {conts_.data() + s.first, s.size};
  }
  uint32_t frame_rule(uint32_t frame) const { return frame < base_frames_ ? base_->frame_rule(frame) : frames_[frame - base_frames_].rule; }
  uint32_t frame_conts(uint32_t frame) const {
    return frame < base_frames_ ? base_->frame_conts(frame) : frames_[frame - base_frames_].conts;
  }
  bool in_base(uint32_t set) const { return set < base_conts_; }

  // `conts` must be sorted and without duplicates.
  uint32_t set_of(std::span<const Cont> conts);
  uint32_t frame_of(uint32_t rule, uint32_t conts);

  // What was added since a mark can be taken back, last in first out.
  size_t mark() const { return log_.size(); }
  void release(size_t mark);

  uint32_t n_sets() const { return base_conts_ + static_cast<uint32_t>(sets_.size()); }
  uint32_t n_frames() const { return base_frames_ + static_cast<uint32_t>(frames_.size()); }
  size_t memory() const {
    return conts_.heap_bytes() + sets_.heap_bytes() + frames_.heap_bytes() + slots_.heap_bytes() + log_.heap_bytes();
  }

 private:
  struct Set {
    uint32_t first, size;
    uint64_t hash;
  };
  struct Frame {
    uint32_t rule, conts;
    uint64_t hash;
  };
  static constexpr uint32_t frame_bit = 0x80000000u;  // of a slot; a slot is 1 + index in sets_ or frames_, 0 = free

  static uint64_t hash_of(std::span<const Cont> conts);
  static uint64_t hash_of(uint32_t rule, uint32_t conts);
  bool find_set(uint64_t hash, std::span<const Cont> conts, uint32_t& out) const;
  bool find_frame(uint64_t hash, uint32_t rule, uint32_t conts, uint32_t& out) const;
  void make_room();
  void insert(uint64_t hash, uint32_t entry);
  uint64_t hash_at(uint32_t entry) const { return entry & frame_bit ? frames_[(entry & ~frame_bit) - 1].hash : sets_[entry - 1].hash; }

  const Stacks* base_;
  uint32_t base_conts_, base_frames_;
  SmallVector<Cont, 32> conts_;
  SmallVector<Set, 16> sets_;
  SmallVector<Frame, 16> frames_;
  SmallVector<uint32_t, 32> slots_;
  SmallVector<uint32_t, 32> log_;  // slots in the order of insertion
};

}  // namespace gsample

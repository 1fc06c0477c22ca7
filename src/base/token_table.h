// A map from token ids to counts: open addressing with linear probing, deletion by moving back. Growth is explicit: reserve() may
// throw, everything after it within that room does not.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace gsample {

class TokenTable {
 public:
  size_t size() const { return size_; }
  size_t bytes() const { return slots_.capacity() * sizeof(Slot); }

  // Room for n tokens without a further allocation.
  void reserve(size_t n) {
    size_t slots = 16;
    while (slots < 2 * n) slots *= 2;
    if (slots <= slots_.size()) return;
    std::vector<Slot> old(slots, Slot{kNone, 0});
    old.swap(slots_);
    size_ = 0;
    for (const Slot& slot : old)
      if (slot.id != kNone) at(slot.id) = slot.count;
  }

  void clear() {
    if (size_)
      for (Slot& slot : slots_) slot.id = kNone;
    size_ = 0;
  }

  // The count of id, NULL where it is not in the table.
  const uint32_t* find(uint32_t id) const {
    if (size_ == 0 || id == kNone) return nullptr;
    const Slot& slot = slots_[place(id)];
    return slot.id == id ? &slot.count : nullptr;
  }

  // The count of id, entered as 0 where it was not there. Within reserve() only.
  uint32_t& at(uint32_t id) {
    Slot& slot = slots_[place(id)];
    if (slot.id == kNone) {
      slot = {id, 0};
      size_++;
    }
    return slot.count;
  }

  void erase(uint32_t id) {
    size_t hole = place(id);
    if (slots_[hole].id != id) return;
    size_--;
    const size_t mask = slots_.size() - 1;
    for (size_t i = (hole + 1) & mask; slots_[i].id != kNone; i = (i + 1) & mask) {
      // A later entry may fill the hole unless its home lies between the hole and itself.
      if (((i - home(slots_[i].id)) & mask) >= ((i - hole) & mask)) {
        slots_[hole] = slots_[i];
        hole = i;
      }
    }
    slots_[hole].id = kNone;
  }

  template <class Visit>
  void each(Visit&& visit) const {
    for (const Slot& slot : slots_)
      if (slot.id != kNone) visit(slot.id, slot.count);
  }

 private:
  struct Slot {
    uint32_t id, count;
  };
  static constexpr uint32_t kNone = 0xffffffff;  // no id: ids are at most 2^31 - 1

  size_t home(uint32_t id) const { return (id * 0x9E3779B1u >> 8) & (slots_.size() - 1); }
  size_t place(uint32_t id) const {
    size_t i = home(id);
    while (slots_[i].id != id && slots_[i].id != kNone) i = (i + 1) & (slots_.size() - 1);
    return i;
  }

  std::vector<Slot> slots_;
  size_t size_ = 0;
};

// A set of tokens below some width, one bit each, in 64-bit words.
class TokenBits {
 public:
  void resize(size_t width) { words_.resize((width + 63) / 64); }
  void clear() { words_.clear(); }
  void set(uint32_t id) { words_[id / 64] |= uint64_t{1} << id % 64; }
  void unset(uint32_t id) { words_[id / 64] &= ~(uint64_t{1} << id % 64); }
  bool covers(uint32_t id) const { return id / 64 < words_.size(); }
  bool has(uint32_t id) const { return covers(id) && (words_[id / 64] >> id % 64 & 1); }
  size_t width() const { return words_.size() * 64; }
  std::vector<uint64_t>& words() { return words_; }
  const std::vector<uint64_t>& words() const { return words_; }

 private:
  std::vector<uint64_t> words_;
};

}  // namespace gsample

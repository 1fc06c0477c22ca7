#include "grammar/stacks.h"

#include <algorithm>

#include "base/failure.h"
#include "base/limits.h"

namespace gsample {

uint64_t Stacks::hash_of(std::span<const Cont> conts) {
  uint64_t hash = 1;
  for (const Cont& c : conts) hash = mix_hash(hash, uint64_t{c.position} << 32 | (c.frame ^ c.count << 20));
  return hash;
}

uint64_t Stacks::hash_of(uint32_t rule, uint32_t conts) { return mix_hash(2, uint64_t{rule} << 32 | conts); }

bool Stacks::find_set(uint64_t hash, std::span<const Cont> conts, uint32_t& out) const {
  for (size_t at = hash & (slots_.size() - 1); slots_[at]; at = (at + 1) & (slots_.size() - 1)) {
    uint32_t entry = slots_[at];
    if (entry & frame_bit) continue;
    const Set& have = sets_[entry - 1];
    if (have.hash == hash && have.size == conts.size() && std::equal(conts.begin(), conts.end(), conts_.begin() + have.first))
      return out = base_conts_ + entry - 1, true;
  }
  return base_ && base_->find_set(hash, conts, out);
}

bool Stacks::find_frame(uint64_t hash, uint32_t rule, uint32_t conts, uint32_t& out) const {
  for (size_t at = hash & (slots_.size() - 1); slots_[at]; at = (at + 1) & (slots_.size() - 1)) {
    uint32_t entry = slots_[at];
    if (!(entry & frame_bit)) continue;
    const Frame& have = frames_[(entry & ~frame_bit) - 1];
    if (have.rule == rule && have.conts == conts) return out = base_frames_ + (entry & ~frame_bit) - 1, true;
  }
  return base_ && conts < base_conts_ && base_->find_frame(hash, rule, conts, out);
}

void Stacks::insert(uint64_t hash, uint32_t entry) {
  size_t at = hash & (slots_.size() - 1);
  while (slots_[at]) at = (at + 1) & (slots_.size() - 1);
  slots_[at] = entry;
  log_.push_back(static_cast<uint32_t>(at));
}

uint32_t Stacks::set_of(std::span<const Cont> conts) {
  uint64_t hash = hash_of(conts);
  uint32_t found;
  if (find_set(hash, conts, found)) return found;
  if (conts.size() > limits::configurations) fail(GSAMPLE_ERROR_LIMIT, "more than %zu continuations of one state", limits::configurations);
  make_room();
  sets_.reserve_one();
  conts_.append(conts.data(), conts.size());
  sets_.push_back({static_cast<uint32_t>(conts_.size() - conts.size()), static_cast<uint32_t>(conts.size()), hash});
  insert(hash, static_cast<uint32_t>(sets_.size()));
  return n_sets() - 1;
}

uint32_t Stacks::frame_of(uint32_t rule, uint32_t conts) {
  uint64_t hash = hash_of(rule, conts);
  uint32_t found;
  if (find_frame(hash, rule, conts, found)) return found;
  make_room();
  frames_.push_back({rule, conts, hash});
  insert(hash, static_cast<uint32_t>(frames_.size()) | frame_bit);
  return n_frames() - 1;
}

// Everything that insert() will need, so that it cannot fail halfway.
void Stacks::make_room() {
  if (memory() > limits::matcher_bytes)
    fail(GSAMPLE_ERROR_LIMIT, "the stacks of one matcher need more than %zu bytes", limits::matcher_bytes);
  log_.reserve_one();
  if ((log_.size() + 1) * 2 <= slots_.size()) return;
  SmallVector<uint32_t, 32> old = slots_, order = log_;
  SmallVector<uint32_t, 32> slots;
  slots.resize(slots_.size() * 2, 0);
  slots_.reserve(slots.size());
  for (uint32_t& at : order) {  // in the order of insertion, so that the last in is still the first that can go
    uint32_t entry = old[at];
    size_t to = hash_at(entry) & (slots.size() - 1);
    while (slots[to]) to = (to + 1) & (slots.size() - 1);
    slots[to] = entry;
    at = static_cast<uint32_t>(to);
  }
  slots_ = slots;
  log_.truncate(0);
  log_.append(order.data(), order.size());
}

void Stacks::release(size_t mark) {
  while (log_.size() > mark) {
    uint32_t entry = slots_[log_.back()];
    slots_[log_.back()] = 0;
    log_.pop_back();
    if (entry & frame_bit) {
      frames_.pop_back();
    } else {
      conts_.truncate(sets_.back().first);
      sets_.pop_back();
    }
  }
}

}  // namespace gsample

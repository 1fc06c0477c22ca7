#include "grammar/stack_key.h"

#include <algorithm>

namespace gsample {

uint32_t StackKey::number_of(uint32_t conts) {
  for (uint32_t i = 0; i < sets_.size(); i++)
    if (sets_[i] == conts) return i;
  sets_.push_back(conts);
  return static_cast<uint32_t>(sets_.size()) - 1;
}

void StackKey::close_level(uint32_t first_word, uint32_t sets, uint64_t hash) {
  for (size_t i = first_word; i < words_.size(); i++) hash = mix_hash(hash, words_[i]);
  levels_.push_back({static_cast<uint32_t>(words_.size()), sets, hash});
}

bool StackKey::deepen_to(uint32_t depth) {
  if (depth > deepest) return false;
  if (levels_.empty()) close_level(0, 0, 0);
  while (levels_.size() <= depth)
    if (!deepen()) return false;
  return true;
}

bool StackKey::deepen() {
  const Level last = levels_.back();
  uint32_t end = static_cast<uint32_t>(sets_.size());
  for (uint32_t i = last.sets; i < end; i++) {
    std::span<const Cont> conts = stacks_.conts(sets_[i]);
    words_.push_back(static_cast<uint32_t>(conts.size()));
    for (const Cont& cont : conts) {
      if (words_.size() > longest_key || sets_.size() > most_sets) return false;
      const Position& at = machine_[cont.position];
      words_.push_back(cont.position);
      if (at.kind == PositionKind::repeat) {
        words_.push_back(at.min > cont.count ? std::min(at.min - cont.count, reach_) : 0);
        words_.push_back(at.max == ExprStore::unbounded ? reach_ : std::min(at.max - cont.count, reach_));
      }
      if (cont.frame == Stacks::no_frame) continue;
      words_.push_back(stacks_.frame_rule(cont.frame));
      words_.push_back(number_of(stacks_.frame_conts(cont.frame)));
    }
  }
  close_level(last.words, end, last.hash);
  return true;
}

}  // namespace gsample

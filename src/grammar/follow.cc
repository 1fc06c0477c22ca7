#include "grammar/follow.h"

#include <utility>

#include "grammar/machine.h"

namespace gsample {

namespace {

constexpr size_t most_positions = 1u << 15;
constexpr int most_passes = 32;

}  // namespace

Follow::Follow(const Machine& machine) {
  size_t n = machine.size(), n_rules = machine.n_rules();
  if (n > most_positions) return;
  std::vector<ByteSet> first(n_rules), behind(n_rules), at(n);
  auto begins = [&](uint32_t p) {
    return machine[p].kind == PositionKind::terminal ? machine.exprs().first(machine[p].value) : ByteSet{};
  };
  for (uint32_t rule = 0; rule < n_rules; rule++)
    for (uint32_t leaf : machine.leaves(rule)) first[rule] |= begins(leaf);
  for (uint32_t p = 0; p < n; p++) {
    bool calls = machine[p].kind == PositionKind::rule || machine[p].kind == PositionKind::repeat;
    at[p] = calls ? first[machine[p].value] : begins(p);
  }
  bool changed = true;
  auto join = [&](ByteSet& set, const ByteSet& other) {
    ByteSet before = set;
    set |= other;
    changed |= !(set == before);
  };
  for (int pass = 0; changed; pass++) {
    if (pass == most_passes) return;
    changed = false;
    for (uint32_t p = static_cast<uint32_t>(n); p-- > 0;) {
      const Position& here = machine[p];
      switch (here.kind) {
        case PositionKind::terminal:
        case PositionKind::tokens:
          if (here.nullable) join(at[p], at[p + 1]);
          break;
        case PositionKind::rule:
          if (here.nullable) join(at[p], at[p + 1]);
          join(behind[here.value], at[p + 1]);
          break;
        case PositionKind::repeat:  // it may have been gone through as often as it must
          join(at[p], at[p + 1]);
          join(behind[here.value], at[p]);
          break;
        case PositionKind::end:
          join(at[p], behind[here.rule]);
          break;
        case PositionKind::accept:
          break;
      }
    }
  }
  at_ = std::move(at);
}

}  // namespace gsample

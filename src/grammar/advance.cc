#include "grammar/advance.h"

#include <algorithm>

#include "base/failure.h"
#include "base/limits.h"

namespace gsample {

bool ContList::add(const Cont& cont) {
  if (list_.size() < linear && table_.empty()) {
    for (const Cont& have : list_)
      if (have == cont) return false;
    list_.push_back(cont);
    return true;
  }
  if (table_.size() < (list_.size() + 1) * 2) rehash(std::max<size_t>(128, table_.size() * 2));
  size_t at = mix_hash(uint64_t{cont.position} << 32 | cont.frame, cont.count) & (table_.size() - 1);
  for (; table_[at]; at = (at + 1) & (table_.size() - 1))
    if (list_[table_[at] - 1] == cont) return false;
  if (list_.size() >= 8 * limits::configurations)
    fail(GSAMPLE_ERROR_LIMIT, "more than %zu continuations of one state", 8 * limits::configurations);
  list_.push_back(cont);
  table_[at] = static_cast<uint32_t>(list_.size());
  return true;
}

void ContList::rehash(size_t n) {
  table_.clear();
  table_.resize(n, 0);
  for (uint32_t i = 0; i < list_.size(); i++) {
    size_t at = mix_hash(uint64_t{list_[i].position} << 32 | list_[i].frame, list_[i].count) & (n - 1);
    while (table_[at]) at = (at + 1) & (n - 1);
    table_[at] = i + 1;
  }
}

void ContList::clear() {
  list_.clear();
  table_.clear();
}

std::span<const Cont> ContList::sorted() {
  std::sort(list_.begin(), list_.end());
  return {list_.data(), list_.size()};
}

void DepthProbe::enter(uint32_t conts, uint32_t depth) {
  depth_ = std::max(depth_, depth);
  for (const Cont& cont : stacks_.conts(conts)) {
    bool found = false;
    for (Known& known : known_)
      if (known.frame == cont.frame) found = true, known.depth = std::min(known.depth, depth);
    if (!found) known_.push_back({cont.frame, depth});
  }
}

void DepthProbe::open(uint32_t frame) {
  for (const Known& known : known_)
    if (known.frame == frame) return enter(stacks_.frame_conts(frame), known.depth + 1);
}

void DepthProbe::look(const Stacks& stacks, uint32_t conts, uint32_t depth) {
  if (depth == 0) return;
  if (++looks_ > most_looks) {
    depth_ = UINT32_MAX;
    return;
  }
  read(conts);
  if (depth == 1) return;
  for (size_t i = 0; i < stacks.conts(conts).size(); i++) {
    uint32_t frame = stacks.conts(conts)[i].frame;
    if (frame == Stacks::no_frame) continue;
    open(frame);
    look(stacks, stacks.frame_conts(frame), depth - 1);
  }
}

void Advance::begin(int next) {
  accepting_ = false;
  next_ = next;
  work_ = 0;
  reached_.clear();
  entries_.clear();
  calls_.clear();
}

void Advance::too_much() const {
  fail(GSAMPLE_ERROR_LIMIT, "a byte has more than %llu ways to go on", static_cast<unsigned long long>(limits::step_work));
}

void Advance::start(ConfigList& out) {
  begin();
  reach({machine_.start(), 0, Stacks::no_frame});
  out.clear();
  finish(out);
}

void Advance::enter(uint32_t conts, ConfigList& out, int next) {
  begin(next);
  reach_all(conts);
  out.clear();
  finish(out);
}

void Advance::reach_all(uint32_t conts) {
  if (probe_) probe_->read(conts);
  for (const Cont& cont : stacks_.conts(conts)) reach(cont);
}

void Advance::byte(std::span<const Config> from, uint8_t byte, ConfigList& out, int next_byte) {
  begin(next_byte);
  for (const Config& config : from) {
    if (!config.state || !config.state->live.has(byte)) continue;
    uint32_t counter = config.counter;
    State* next = exact_ ? automaton_.step(config.state, byte, counter, budget_) : automaton_.step(config.state, byte, budget_);
    if (takes_next(next)) entries_.push_back({next, exact_ ? counter : 0, config.conts, false, {}});
    if (next->nullable) reach_all(config.conts);
  }
  out.clear();
  finish(out);
}

bool Advance::text(ConfigList& list, std::string_view bytes) {
  ConfigList other;
  ConfigList *from = &list, *to = &other;
  for (size_t i = 0; i < bytes.size(); i++) {
    int next = i + 1 < bytes.size() ? static_cast<uint8_t>(bytes[i + 1]) : any;
    byte({from->data(), from->size()}, static_cast<uint8_t>(bytes[i]), *to, next);
    std::swap(from, to);
    if (from->empty() && !accepting_) break;
  }
  if (from != &list) list = other;
  return !list.empty();
}

void Advance::token(std::span<const Config> from, int32_t token, bool is_text, ConfigList& out) {
  begin();
  for (const Config& config : from) {
    if (config.state) continue;
    const TokenSet& set = machine_.token_sets()[machine_[config.counter].value];
    if (set.negated ? is_text && token != set.token : token == set.token) reach_all(config.conts);
  }
  for (const Config& config : out) entries_.push_back({config.state, config.counter, config.conts, false, {}});
  out.clear();
  finish(out);
}

void Advance::finish(ConfigList& out) {
  for (size_t i = 0; i < reached_.size(); i++) follow(Cont(reached_[i]));
  call_rules();
  budget_.spend(1 + 4 * (work_ + entries_.size()));
  group(out);
}

void Advance::leaf(uint32_t position, uint32_t frame) {
  Cont next{position + 1, 0, frame};
  if (machine_[position].kind == PositionKind::tokens) {
    if (next_ == any) entries_.push_back({nullptr, position, 0, true, next});
  } else if (Automaton::Entry terminal = automaton_.terminal(position); takes_next(terminal.state)) {
    entries_.push_back({terminal.state, exact_ ? terminal.counter : 0, 0, true, next});
  }
  if (entries_.size() > 8 * limits::configurations)
    fail(GSAMPLE_ERROR_LIMIT, "more than %zu readings of one text", 8 * limits::configurations);
}

void Advance::follow(const Cont& cont) {
  const Position& at = machine_[cont.position];
  Cont next{cont.position + 1, 0, cont.frame};
  switch (at.kind) {
    case PositionKind::terminal:
    case PositionKind::tokens:
      leaf(cont.position, cont.frame);
      if (at.nullable) reach(next);
      break;
    case PositionKind::rule:
      calls_.push_back({at.value, next});
      if (at.nullable) reach(next);
      break;
    case PositionKind::repeat:
      if (cont.count >= at.min) reach(next);
      if (cont.count < at.max) {
        uint32_t done = at.max == ExprStore::unbounded ? std::min(cont.count + 1, at.min) : cont.count + 1;
        calls_.push_back({at.value, {cont.position, done, cont.frame}});
      }
      break;
    case PositionKind::end: {
      uint32_t rule = stacks_.frame_rule(cont.frame);
      for (const Caller& caller : machine_.callers(rule, at.rule)) reach({caller.position, caller.count, cont.frame});
      if (rule == at.rule) reach_all(open(cont.frame));
      break;
    }
    case PositionKind::accept:
      accepting_ = true;
      break;
  }
}

void Advance::call_rules() {
  if (calls_.size() > 1)
    std::sort(calls_.begin(), calls_.end(),
              [](const Call& a, const Call& b) { return a.rule != b.rule ? a.rule < b.rule : a.cont < b.cont; });
  for (size_t i = 0; i < calls_.size();) {
    size_t end = i + 1;
    while (end < calls_.size() && calls_[end].rule == calls_[i].rule) end++;
    enter_rule(calls_[i].rule, {calls_.data() + i, end - i});
    i = end;
  }
}

void Advance::expand(uint32_t conts) {
  for (const Cont& cont : stacks_.conts(conts)) {
    if (++work_ > limits::step_work) too_much();
    expanded_.add(cont);
  }
}

// Can a text of the rule begin with the next byte?
bool Advance::begins(uint32_t rule) const {
  if (next_ == any) return true;
  for (uint32_t position : machine_.leaves(rule))
    if (machine_[position].kind == PositionKind::terminal && takes_next(automaton_.terminal(position).state)) return true;
  return false;
}

// Makes the frame of a call. A continuation that only completes its own rule is replaced by what comes behind (a tail call), so that
// right recursion does not deepen the stack. Only a left-recursive rule is kept, as it may also go on; but inside a frame of that
// same rule it says nothing new: whatever goes on there goes on here.
void Advance::enter_rule(uint32_t rule, std::span<const Call> calls) {
  if (!begins(rule)) return;
  bool ends = false;
  for (const Call& call : calls) ends |= machine_[call.cont.position].kind == PositionKind::end;
  kept_.clear();
  if (!ends) {
    for (const Call& call : calls)
      if (kept_.empty() || !(kept_.back() == call.cont)) kept_.push_back(call.cont);
  } else {
    expanded_.clear();
    for (const Call& call : calls) expanded_.add(call.cont);
    for (size_t i = 0; i < expanded_.size(); i++) {
      Cont cont = expanded_[i];
      const Position& at = machine_[cont.position];
      if (at.kind != PositionKind::end) {
        kept_.push_back(cont);
        continue;
      }
      uint32_t within = stacks_.frame_rule(cont.frame);
      if (machine_.left_recursive(at.rule)) {
        if (at.rule == rule && within == rule) {
          expand(open(cont.frame));
        } else {
          kept_.push_back(cont);
        }
        continue;
      }
      for (const Caller& caller : machine_.callers(within, at.rule)) expanded_.add({caller.position, caller.count, cont.frame});
      if (within == at.rule) {
        expand(open(cont.frame));
      }
    }
    std::sort(kept_.begin(), kept_.end());
  }
  uint32_t frame = stacks_.frame_of(rule, stacks_.set_of({kept_.data(), kept_.size()}));
  for (uint32_t position : machine_.leaves(rule)) leaf(position, frame);
}

void Advance::group(ConfigList& out) {
  auto before = [](const Entry& a, const Entry& b) {
    uint32_t x = a.state ? a.state->id : UINT32_MAX, y = b.state ? b.state->id : UINT32_MAX;
    return x != y ? x < y : a.counter < b.counter;
  };
  if (entries_.size() > 1) std::sort(entries_.begin(), entries_.end(), before);
  for (size_t i = 0; i < entries_.size();) {
    const Entry& first = entries_[i];
    size_t end = i + 1;
    while (end < entries_.size() && entries_[end].state == first.state && entries_[end].counter == first.counter) end++;
    uint32_t conts = first.conts;
    if (end - i > 1 || first.single) {
      kept_.clear();
      for (size_t k = i; k < end; k++) {
        if (entries_[k].single) {
          kept_.push_back(entries_[k].cont);
        } else {
          std::span<const Cont> set = stacks_.conts(entries_[k].conts);
          kept_.append(set.data(), set.size());
        }
      }
      std::sort(kept_.begin(), kept_.end());
      kept_.truncate(static_cast<size_t>(std::unique(kept_.begin(), kept_.end()) - kept_.begin()));
      conts = stacks_.set_of({kept_.data(), kept_.size()});
    }
    if (out.size() >= limits::configurations) fail(GSAMPLE_ERROR_LIMIT, "more than %zu readings of one text", limits::configurations);
    out.push_back({first.state, first.counter, conts});
    i = end;
  }
}

}  // namespace gsample

#include "grammar/automaton.h"

#include <algorithm>
#include <new>
#include <utility>

#include "base/failure.h"
#include "base/limits.h"

namespace gsample {

namespace {

constexpr size_t block_bytes = size_t{16} << 10;
constexpr uint32_t most_alternatives = 8;  // of a state, for one to get a table of its own
constexpr size_t beyond_a_token = 16;  // parts of a sequence that are looked at for a loop, on top of the longest token
constexpr int wide_bytes = 16;  // a loop over at least so many bytes runs through much of a vocabulary

// While it lives, what a store does is paid for by one call. Under the automaton's lock.
class Payment {
 public:
  Payment(ExprStore& exprs, Work& work) : exprs_(exprs), work_(work) { std::swap(exprs_.work(), work_); }
  ~Payment() { std::swap(exprs_.work(), work_); }
  Payment(const Payment&) = delete;
  Payment& operator=(const Payment&) = delete;

 private:
  ExprStore& exprs_;
  Work& work_;
};

}  // namespace

Automaton::Automaton(const Machine& machine, uint32_t longest) : exprs_(machine.exprs()), longest_(longest) {
  // Bytes that every set treats alike are one class.
  std::vector<uint8_t> order(256, 0);
  uint32_t n = 1;
  for (const ByteSet& set : exprs_.byte_sets()) {
    uint32_t inside[256], before = n;
    std::fill(inside, inside + 256, UINT32_MAX);
    uint32_t total[256] = {}, in[256] = {};
    for (int b = 0; b < 256; b++) total[order[b]]++, in[order[b]] += set.has(static_cast<uint8_t>(b));
    for (int b = 0; b < 256; b++) {
      uint8_t c = order[b];
      if (!set.has(static_cast<uint8_t>(b)) || in[c] == total[c]) continue;
      if (inside[c] == UINT32_MAX) inside[c] = n++;
      order[b] = static_cast<uint8_t>(inside[c]);
    }
    if (n == before && n == 256) break;
  }
  n_classes_ = n;
  for (int b = 256; b-- > 0;) class_[b] = order[b], representative_[order[b]] = static_cast<uint8_t>(b);

  dead_ = state_of(ExprStore::none);
  terminals_.resize(machine.size(), {dead_, 0});
  for (uint32_t p = 0; p < machine.size(); p++)
    if (machine[p].kind == PositionKind::terminal) terminals_[p] = normal(machine[p].value);
}

Automaton::~Automaton() = default;

void* Automaton::allocate(size_t bytes) {
  bytes = (bytes + 15) & ~size_t{15};
  if (memory() + bytes + exprs_.memory() > limits::automaton_bytes)
    fail(GSAMPLE_ERROR_LIMIT, "the grammar's automata need more than %zu bytes", limits::automaton_bytes);
  if (bytes > block_left_) {
    size_t size = std::max(bytes, std::min(block_bytes << std::min<size_t>(blocks_.size(), 6), size_t{1} << 20));
    blocks_.push_back(std::make_unique_for_overwrite<unsigned char[]>(size));
    block_at_ = blocks_.back().get();
    block_left_ = size;
  }
  void* out = block_at_;
  block_at_ += bytes;
  block_left_ -= bytes;
  memory_.fetch_add(bytes, std::memory_order_relaxed);
  return out;
}

State* Automaton::state_of(ExprId e) {
  if (e >= of_expr_.size()) of_expr_.resize(std::max<size_t>(exprs_.size(), e + 1), nullptr);
  if (of_expr_[e]) return of_expr_[e];
  if (e != ExprStore::none && exprs_[e].logical && matches_nothing(e)) return of_expr_[e] = dead_;
  ByteSet live = live_bytes(e);
  if (e >= of_expr_.size()) of_expr_.resize(exprs_.size(), nullptr);
  const Expr x = exprs_[e];
  exprs_.work().spend(4 + n_classes_ / 8);
  void* place = allocate(sizeof(State) + n_classes_ * (sizeof(std::atomic<State*>) + sizeof(int32_t)));
  State* state =
      new (place) State{e, static_cast<uint32_t>(states()), x.symbolic_max - x.symbolic_min, x.nullable, x.symbolic_max != 0, live};
  for (uint32_t c = 0; c < n_classes_; c++) new (&state->row()[c]) std::atomic<State*>(nullptr);
  n_states_.fetch_add(1, std::memory_order_relaxed);
  return of_expr_[e] = state;
}

ByteSet Automaton::live_bytes(ExprId e) {
  ByteSet live = exprs_.first(e);
  if (!exprs_[e].logical) return live;
  for (int b = 0; b < 256; b++) {
    uint8_t byte = static_cast<uint8_t>(b);
    if (!live.has(byte)) continue;
    ExprId next = exprs_.derive(e, representative_[class_[b]]);
    if (next == ExprStore::none || (exprs_[next].logical && matches_nothing(next))) live.remove(byte);
  }
  return live;
}

// A logical expression matches nothing if no chain of derivatives ends in a nullable one.
bool Automaton::matches_nothing(ExprId e) {
  auto known = [&](ExprId x) -> uint8_t& {
    if (x >= emptiness_.size()) emptiness_.resize(std::max<size_t>(exprs_.size(), x + 1), 0);
    return emptiness_[x];
  };
  if (known(e)) return known(e) == 2;
  if (exprs_[e].symbolic_max) {  // derivatives would count down for ever
    const ExprId loose = exprs_.loosen_counters(e);
    const bool nothing = loose == ExprStore::none || (exprs_[loose].logical && matches_nothing(loose));
    known(e) = nothing ? 2 : 1;
    return nothing;
  }
  std::vector<ExprId> reached{e};
  std::vector<size_t> parent{0};  // which of them led to it
  std::vector<uint8_t> seen(exprs_.size(), 0);
  auto mark = [&](ExprId x) {
    if (x >= seen.size()) seen.resize(exprs_.size(), 0);
    return std::exchange(seen[x], uint8_t{1}) == 0;
  };
  mark(e);
  for (size_t i = 0; i < reached.size(); i++) {
    ExprId at = reached[i];
    bool lives = exprs_[at].nullable || (!exprs_[at].logical && at != ExprStore::none) || known(at) == 1;
    if (lives) {
      for (size_t k = i;; k = parent[k]) {
        known(reached[k]) = 1;
        if (k == 0) return false;
      }
    }
    if (known(at) == 2) continue;
    if (reached.size() > limits::emptiness_steps)
      fail(GSAMPLE_ERROR_LIMIT, "whether an intersection or a complement matches anything took more than %zu steps",
           limits::emptiness_steps);
    for (uint32_t c = 0; c < n_classes_; c++) {
      ExprId next = exprs_.derive(at, representative_[c]);
      if (next != ExprStore::none && mark(next)) reached.push_back(next), parent.push_back(i);
    }
  }
  for (ExprId x : reached) known(x) = 2;
  return true;
}

// An expression as state and counter. Actual counters that a token cannot exhaust become symbolic.
Automaton::Entry Automaton::normal(ExprId e) {
  uint32_t counter = 0;
  if (uint32_t largest = exprs_[e].symbolic_max) {
    if (largest != ExprStore::symbolic_base) {
      counter = largest - ExprStore::symbolic_base;  // of negative sign where the largest has been counted down
      e = exprs_.shift(e, ExprStore::symbolic_base - largest);
    }
  } else if (uint32_t value = exprs_.active_counter(e, 2 * longest_ + 2)) {
    counter = value;
    e = exprs_.make_symbolic(e, 2 * longest_ + 2, value);
  }
  return {state_of(e), counter};
}

State* Automaton::derive(const State* from, uint8_t byte, Work& work) {
  std::lock_guard<std::mutex> guard(lock_);
  Payment payment(exprs_, work);
  State* state = const_cast<State*>(from);
  uint32_t c = class_[byte];
  if (State* next = state->row()[c].load(std::memory_order_relaxed)) return next;
  Entry next = from == dead_ ? Entry{dead_, 0} : normal(exprs_.derive(state->expr, representative_[c]));
  adds(state)[c] = static_cast<int32_t>(next.counter);
  state->row()[c].store(next.state, std::memory_order_release);
  return next.state;
}

State* Automaton::step(const State* from, uint8_t byte, uint32_t& counter, Work& work) {
  State* next = step(from, byte, work);
  if (!next->counted) {
    counter = 0;
  } else {  // counting down adds 0 or less; a counter that begins is above 0
    int32_t add = adds(from)[class_[byte]];
    counter = add > 0 ? static_cast<uint32_t>(add) : counter + static_cast<uint32_t>(add);
  }
  return next;
}

Automaton::Entry Automaton::settle(State* state, uint32_t counter, Work& work) {
  if (!state->counted || counter > longest_ + 1 + state->spread) return {state, counter};
  std::lock_guard<std::mutex> guard(lock_);
  Payment payment(exprs_, work);
  return normal(exprs_.shift(state->expr, counter - ExprStore::symbolic_base));
}

// A loop over many bytes is what many states of many grammars have in common, whatever comes behind. So the table is made for this part
// alone, and the rest is a continuation like any other. What ends the loop belongs to it where that is one byte (a quote behind a string),
// or where only a whole word can tell the end from more of the same ("</think>" behind anything). False where there is no such loop, or
// none that a token is likely to reach.
bool Automaton::cut(ExprId e, ExprId& head, ExprId& rest) {
  std::vector<ExprId> parts;
  rest = e;
  auto take = [&] {
    parts.push_back(exprs_[rest].a);
    rest = exprs_[rest].b;
  };
  auto in_sequence = [&] { return exprs_[rest].kind == ExprKind::concat && parts.size() < longest_ + beyond_a_token; };
  bool found = false;
  while (in_sequence() && !found) {
    const Expr part = exprs_[exprs_[rest].a];
    take();
    if (part.kind != ExprKind::repeat || (part.c <= longest_ && (part.b > 1 || part.c < 2))) continue;
    ByteSet inside = exprs_.first(part.a);
    if (inside.count() < wide_bytes) continue;
    found = true;
    if (!inside.intersects(exprs_.first(rest))) {
      if (in_sequence() && exprs_[exprs_[rest].a].kind == ExprKind::bytes && exprs_.bytes_of(exprs_[rest].a).count() == 1) take();
      break;
    }
    while (in_sequence() && exprs_[exprs_[rest].a].nullable) take();
    if (in_sequence()) take();
    while (in_sequence() && exprs_[exprs_[rest].a].kind == ExprKind::bytes) take();
    found = in_sequence() && !exprs_[parts.back()].nullable;
  }
  head = ExprStore::empty;
  if (found)
    for (size_t i = parts.size(); i-- > 0;) head = exprs_.concat(parts[i], head);
  return found;
}

// Of a few alternatives the first that holds such a loop stands alone.
Automaton::Split Automaton::split(State* state, bool counting, Work& work) {
  std::lock_guard<std::mutex> guard(lock_);
  Payment payment(exprs_, work);
  Split out{state, nullptr, nullptr, nullptr, unlimited, false};
  ExprId head = ExprStore::none, rest = ExprStore::none;
  bool found = cut(state->expr, head, rest);
  if (exprs_[state->expr].kind == ExprKind::either && exprs_[state->expr].b <= most_alternatives) {
    std::vector<ExprId> others(exprs_.operands(state->expr).begin(), exprs_.operands(state->expr).end());
    for (size_t i = 0; i < others.size() && !found; i++) {
      if (!cut(others[i], head, rest)) continue;
      State* whole = normal(others[i]).state;
      if (whole == dead_) continue;  // what ends it matches nothing, so nothing may begin it
      found = true;
      out.whole = whole;
      others.erase(others.begin() + static_cast<ptrdiff_t>(i));
      out.also = normal(exprs_.either(std::move(others))).state;
    }
  }
  if (!found) head = state->expr;
  else out.tail = normal(rest).state;
  ExprId counted = counting ? count_loop(head, out.limit) : ExprStore::none;
  out.counting = counted != ExprStore::none;
  out.head = state_of(out.counting ? counted : exprs_.forget_counters(head));
  return out;
}

// x{0,n} and what follows, perhaps behind single bytes or one x, with a symbolic counter in the place of n; none where e is nothing such.
ExprId Automaton::count_loop(ExprId e, uint32_t& limit) {
  std::vector<ExprId> before;
  for (; exprs_[e].kind == ExprKind::concat && exprs_[exprs_[e].a].kind == ExprKind::bytes && before.size() < longest_; e = exprs_[e].b)
    before.push_back(exprs_[e].a);
  bool alone = exprs_[e].kind != ExprKind::concat;
  const Expr loop = exprs_[alone ? e : exprs_[e].a];
  ExprId rest = alone ? ExprStore::empty : exprs_[e].b;
  if (loop.kind != ExprKind::repeat || loop.b > 1 || loop.c == ExprStore::unbounded || loop.c < 2) return ExprStore::none;
  if (exprs_[loop.a].symbolic_max || exprs_[rest].symbolic_max) return ExprStore::none;
  if (!ExprStore::is_symbolic(loop.c)) limit = loop.c - loop.b;
  else if (loop.c != ExprStore::symbolic_base || loop.b) return ExprStore::none;
  if (loop.b) before.push_back(loop.a);
  ExprId out = exprs_.concat(exprs_.repeat(loop.a, 0, ExprStore::symbolic_base), rest);
  for (size_t i = before.size(); i-- > 0;) out = exprs_.concat(before[i], out);
  return out;
}

const State* Automaton::spent(const State* state, Work& work) {
  if (state->spread) return nullptr;
  for (int b = 0; b < 256; b++) {
    uint8_t byte = static_cast<uint8_t>(b);
    if (state->live.has(byte) && step(state, byte, work)->counted && adds(state)[class_[byte]] > 0) return nullptr;
  }
  std::lock_guard<std::mutex> guard(lock_);
  Payment payment(exprs_, work);
  return state_of(exprs_.shift(state->expr, 0 - ExprStore::symbolic_base));
}

std::vector<State*> Automaton::reachable(size_t n, Work& work) {
  std::vector<State*> found;
  std::vector<uint8_t> seen;
  auto add = [&](State* state) {
    if (seen.size() <= state->id) seen.resize(state->id + size_t{256}, 0);
    if (seen[state->id] || state->live.empty() || found.size() >= n) return;
    seen[state->id] = 1;
    found.push_back(state);
  };
  for (const Entry& entry : terminals_) add(entry.state);
  for (size_t i = 0; i < found.size(); i++)
    for (uint32_t c = 0; c < n_classes_ && found.size() < n; c++)
      if (found[i]->live.has(representative_[c])) add(step(found[i], representative_[c], work));
  return found;
}

std::string Automaton::key_of(const State* state) {
  std::lock_guard<std::mutex> guard(lock_);
  std::string key;
  exprs_.serialise(state->expr, key);
  return key;
}

}  // namespace gsample

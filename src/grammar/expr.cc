#include "grammar/expr.h"

#include <algorithm>

#include "base/failure.h"
#include "base/limits.h"

namespace gsample {

namespace {

// A counter as the node that holds nothing else.
Expr counter(uint32_t count) { return ExprStore::is_symbolic(count) ? Expr{.symbolic_min = count, .symbolic_max = count} : Expr{}; }

[[noreturn]] void too_many_optional() {
  fail(GSAMPLE_ERROR_LIMIT, "more than %zu parts of a sequence can be left out at one place", limits::optional_parts);
}

uint32_t less_one(uint32_t count) { return count == 0 || count == ExprStore::unbounded ? count : count - 1; }

}  // namespace

ExprStore::ExprStore() : slots_(1024, 0) {
  nodes_.push_back({.kind = ExprKind::none, .hash = 1});
  nodes_.push_back({.kind = ExprKind::empty, .nullable = true, .hash = 2});
}

size_t ExprStore::memory() const {
  return nodes_.capacity() * sizeof(Expr) + operands_.capacity() * sizeof(ExprId) + sets_.capacity() * sizeof(ByteSet) +
         (slots_.capacity() + walked_.capacity()) * sizeof(uint32_t) + derived_.capacity() * sizeof(Derived);
}

bool ExprStore::same(const Expr& node, std::span<const ExprId> operands, ExprId other) const {
  const Expr& have = nodes_[other];
  if (have.hash != node.hash || have.kind != node.kind) return false;
  switch (node.kind) {
    case ExprKind::bytes:
      return have.a == node.a;
    case ExprKind::either:
    case ExprKind::both:
      return have.b == operands.size() && std::equal(operands.begin(), operands.end(), operands_.begin() + have.a);
    default:
      return have.a == node.a && have.b == node.b && have.c == node.c;
  }
}

void ExprStore::grow() {
  std::vector<uint32_t> slots(slots_.size() * 2, 0);
  for (ExprId e = 2; e < nodes_.size(); e++) {
    size_t at = nodes_[e].hash & (slots.size() - 1);
    while (slots[at]) at = (at + 1) & (slots.size() - 1);
    slots[at] = e;
  }
  slots_ = std::move(slots);
}

ExprId ExprStore::intern(Expr node, std::span<const ExprId> operands) {
  work_.spend(3 + operands.size() / 4);
  size_t at = node.hash & (slots_.size() - 1);
  for (; slots_[at]; at = (at + 1) & (slots_.size() - 1))
    if (same(node, operands, slots_[at])) return slots_[at];
  if (node.depth > limits::expression_depth)
    fail(GSAMPLE_ERROR_LIMIT, "the grammar nests expressions deeper than %u", limits::expression_depth);
  if (nodes_.size() >= limits::expressions || operands_.size() + operands.size() >= limits::expressions)
    fail(GSAMPLE_ERROR_LIMIT, "the grammar needs more than %u expressions", limits::expressions);
  if (node.kind == ExprKind::either || node.kind == ExprKind::both) {
    node.a = static_cast<uint32_t>(operands_.size());
    node.b = static_cast<uint32_t>(operands.size());
    operands_.insert(operands_.end(), operands.begin(), operands.end());
  }
  nodes_.push_back(node);
  ExprId id = static_cast<ExprId>(nodes_.size() - 1);
  slots_[at] = id;
  if (nodes_.size() * 2 > slots_.size()) grow();
  return id;
}

ExprId ExprStore::bytes(const ByteSet& set) {
  if (set.empty()) return none;
  uint64_t hash = 3;
  for (uint64_t word : set.words) hash = mix_hash(hash, word);
  for (size_t at = hash & (slots_.size() - 1); slots_[at]; at = (at + 1) & (slots_.size() - 1)) {
    const Expr& have = nodes_[slots_[at]];
    if (have.hash == hash && have.kind == ExprKind::bytes && sets_[have.a] == set) return slots_[at];
  }
  sets_.push_back(set);
  return intern({.kind = ExprKind::bytes, .depth = 1, .a = static_cast<uint32_t>(sets_.size() - 1), .hash = hash});
}

ExprId ExprStore::concat(ExprId head, ExprId tail) {
  if (head == none || tail == none) return none;
  if (head == empty) return tail;
  if (tail == empty) return head;
  if (nodes_[head].kind == ExprKind::concat) {  // to the right: (a b) c is a (b c)
    std::vector<ExprId> heads;
    for (; nodes_[head].kind == ExprKind::concat; head = nodes_[head].b) heads.push_back(nodes_[head].a);
    work_.spend(heads.size());
    tail = concat(head, tail);
    while (!heads.empty()) tail = concat(heads.back(), tail), heads.pop_back();
    return tail;
  }
  if (ExprId joined = join_repeats(head, tail)) return joined;
  const Expr &h = nodes_[head], &t = nodes_[tail];
  Expr node{.kind = ExprKind::concat, .nullable = h.nullable && t.nullable, .logical = h.logical || t.logical};
  node.depth = std::max(h.depth + 1, t.depth);
  node.a = head, node.b = tail;
  node.hash = mix_hash(mix_hash(4, h.hash), t.hash);
  join_symbolic(node, h);
  join_symbolic(node, t);
  return intern(node);
}

// x{a,b} x{c,d} is x{a+c,b+d}, where x alone is x{1,1}; so "x? x? x x*" is one repeat, and has few derivatives. Returns none where
// head and tail are nothing such. Two single x stay as they are: a literal is a chain of bytes.
ExprId ExprStore::join_repeats(ExprId head, ExprId tail) {
  struct Run {
    ExprId body;
    uint32_t min, max;
    bool counted;
  };
  auto run_of = [&](ExprId e) {
    const Expr& x = nodes_[e];
    return x.kind == ExprKind::repeat ? Run{x.a, x.b, x.c, true} : Run{e, 1, 1, false};
  };
  auto sum = [](uint32_t a, uint32_t b) { return a == unbounded || b == unbounded ? unbounded : a + b; };
  auto can_count = [](uint32_t count) { return count < symbolic_first || count == unbounded; };
  Run run = run_of(head);
  bool joined = false;
  while (tail != empty) {
    const bool alone = nodes_[tail].kind != ExprKind::concat;
    const Run next = run_of(alone ? tail : nodes_[tail].a);
    if (next.body != run.body || !(run.counted || next.counted) || is_symbolic(run.min) || is_symbolic(run.max) || is_symbolic(next.min) ||
        is_symbolic(next.max) || !can_count(sum(run.min, next.min)) || !can_count(sum(run.max, next.max)))
      break;
    work_.spend(1);
    run = {run.body, sum(run.min, next.min), sum(run.max, next.max), true};
    tail = alone ? empty : nodes_[tail].b;
    joined = true;
  }
  return joined ? concat(repeat(run.body, run.min, run.max), tail) : none;
}

ExprId ExprStore::literal(std::span<const uint8_t> text, ExprId tail) {
  for (size_t i = text.size(); i-- > 0;) tail = concat(bytes(byte_range(text[i], text[i])), tail);
  return tail;
}

ExprId ExprStore::repeat(ExprId body, uint32_t min, uint32_t max) {
  if (max == 0 || body == empty) return empty;
  if (body == none) return min == 0 ? empty : none;
  if (nodes_[body].nullable) min = 0;
  if (min == 1 && max == 1) return body;
  const Expr inner = nodes_[body];
  if (inner.kind == ExprKind::repeat) {
    if (inner.b == 0 && inner.c == unbounded) return body;
    // (x{a,b}){m,n} is x{am,bn} where the ranges [ak, bk] for k = m..n leave no gap, that is (b - a) m >= a - 1.
    bool actual = !is_symbolic(inner.b) && !is_symbolic(inner.c) && !is_symbolic(min) && !is_symbolic(max);
    uint64_t width = inner.c == unbounded ? unbounded : inner.c - inner.b;
    bool gapless = (min == max && inner.b == inner.c) || inner.b <= 1 || width * min >= inner.b - 1;
    uint64_t low = uint64_t{inner.b} * min;
    uint64_t high = inner.c == unbounded || max == unbounded ? unbounded : uint64_t{inner.c} * max;
    if (actual && gapless && low < symbolic_first && (high < symbolic_first || high == unbounded))
      return repeat(inner.a, static_cast<uint32_t>(low), static_cast<uint32_t>(high));
  }
  Expr node{
      .kind = ExprKind::repeat, .nullable = min == 0, .logical = inner.logical, .depth = inner.depth + 1, .a = body, .b = min, .c = max};
  node.hash = mix_hash(mix_hash(mix_hash(5, inner.hash), min), max);
  join_symbolic(node, inner);
  join_symbolic(node, counter(min));
  join_symbolic(node, counter(max));
  return intern(node);
}

ExprId ExprStore::except(ExprId body) {
  const Expr& inner = nodes_[body];
  if (inner.kind == ExprKind::except) return inner.a;
  Expr node{.kind = ExprKind::except, .nullable = !inner.nullable, .logical = true, .depth = inner.depth + 1, .a = body};
  node.hash = mix_hash(6, inner.hash);
  join_symbolic(node, inner);
  return intern(node);
}

ExprId ExprStore::both(std::vector<ExprId> operands) {
  std::vector<ExprId> flat;
  for (ExprId e : operands) {
    if (e == none) return none;
    if (nodes_[e].kind == ExprKind::both) flat.insert(flat.end(), this->operands(e).begin(), this->operands(e).end());
    else if (!(nodes_[e].kind == ExprKind::except && nodes_[e].a == none)) flat.push_back(e);
  }
  std::sort(flat.begin(), flat.end(), [&](ExprId a, ExprId b) { return before(a, b); });
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return except(none);
  if (flat.size() == 1) return flat[0];
  Expr node{.kind = ExprKind::both, .nullable = true, .logical = true, .hash = 7};
  for (ExprId e : flat) {
    if (e == empty) {  // the empty text, if all take it
      for (ExprId other : flat)
        if (!nodes_[other].nullable) return none;
      return empty;
    }
    node.nullable &= nodes_[e].nullable;
    node.depth = std::max(node.depth, nodes_[e].depth + 1);
    node.hash = mix_hash(node.hash, nodes_[e].hash);
    join_symbolic(node, nodes_[e]);
  }
  return intern(node, flat);
}

ByteSet ExprStore::first(ExprId e) const {
  ByteSet set;
  for (size_t left_out = 0;;) {
    const Expr& x = nodes_[e];
    switch (x.kind) {
      case ExprKind::none:
      case ExprKind::empty:
        return set;
      case ExprKind::bytes:
        set |= sets_[x.a];
        return set;
      case ExprKind::concat:
        set |= first(x.a);
        if (!nodes_[x.a].nullable) return set;
        if (++left_out > limits::optional_parts) too_many_optional();
        e = x.b;
        continue;
      case ExprKind::either:
        for (ExprId part : operands(e)) set |= first(part);
        return set;
      case ExprKind::both: {
        ByteSet common = byte_range(0, 255);
        for (ExprId part : operands(e)) {
          ByteSet of = first(part);
          for (size_t i = 0; i < 4; i++) common.words[i] &= of.words[i];
        }
        set |= common;
        return set;
      }
      case ExprKind::except:
        return byte_range(0, 255);
      case ExprKind::repeat:
        e = x.a;
        continue;
    }
  }
}

ExprId ExprStore::derive(ExprId e, uint8_t byte) {
  if (nodes_[e].kind <= ExprKind::bytes) return find_derivative(e, byte);
  if (const Derived& known = derived_[e % remembered]; known.of == e && known.byte == byte) return known.result;
  const ExprId result = find_derivative(e, byte);
  derived_[e % remembered] = {e, result, byte};
  return result;
}

ExprId ExprStore::find_derivative(ExprId e, uint8_t byte) {
  const Expr x = nodes_[e];
  work_.spend(2);
  switch (x.kind) {
    case ExprKind::none:
    case ExprKind::empty:
      return none;
    case ExprKind::bytes:
      return sets_[x.a].has(byte) ? empty : none;
    case ExprKind::repeat: {
      ExprId d = derive(x.a, byte);
      return d == none ? none : concat(d, repeat(x.a, less_one(x.b), less_one(x.c)));
    }
    case ExprKind::except:
      return except(derive(x.a, byte));
    case ExprKind::concat: {
      if (!nodes_[x.a].nullable) return concat(derive(x.a, byte), x.b);
      std::vector<ExprId> parts;
      derive_sequence(e, byte, begin_round(), parts);
      return either(std::move(parts));
    }
    case ExprKind::either: {
      std::vector<ExprId> parts;
      parts.reserve(x.b);
      const uint32_t round = begin_round();
      for (uint32_t i = 0; i < x.b; i++) derive_sequence(operands_[x.a + i], byte, round, parts);
      return either(std::move(parts));
    }
    case ExprKind::both: {
      std::vector<ExprId> parts(operands(e).begin(), operands(e).end());
      for (ExprId& part : parts) part = derive(part, byte);
      return both(std::move(parts));
    }
  }
  return none;
}

// The derivatives of a sequence, one for each part that what stands before leaves out. Alternatives often end alike: an end that this
// round has met is not derived again.
void ExprStore::derive_sequence(ExprId e, uint8_t byte, uint32_t round, std::vector<ExprId>& out) {
  for (size_t left_out = 0; walked_[e] != round;) {
    walked_[e] = round;
    const Expr x = nodes_[e];
    if (x.kind != ExprKind::concat) return out.push_back(derive(e, byte));
    out.push_back(concat(derive(x.a, byte), x.b));
    if (!nodes_[x.a].nullable) return;
    if (++left_out > limits::optional_parts) too_many_optional();
    e = x.b;
  }
}

uint32_t ExprStore::begin_round() {
  if (walked_.size() < nodes_.size()) walked_.resize(nodes_.capacity(), 0);
  if (++round_ == 0) std::fill(walked_.begin(), walked_.end(), 0), round_ = 1;
  return round_;
}

void ExprStore::serialise(ExprId e, std::string& out) const {
  auto number = [&](uint32_t value) { out.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (;;) {
    if (out.size() > limits::table_key_bytes) return;  // too long to be worth sharing; the caller looks at the length
    const Expr& x = nodes_[e];
    out.push_back(static_cast<char>('a' + static_cast<int>(x.kind)));
    switch (x.kind) {
      case ExprKind::none:
      case ExprKind::empty:
        return;
      case ExprKind::bytes:
        out.append(reinterpret_cast<const char*>(sets_[x.a].words.data()), 32);
        return;
      case ExprKind::concat:
        serialise(x.a, out);
        e = x.b;
        continue;
      case ExprKind::either:
      case ExprKind::both:
        number(x.b);
        for (ExprId part : operands(e)) serialise(part, out);
        return;
      case ExprKind::repeat:
        number(x.b);
        number(x.c);
        e = x.a;
        continue;
      case ExprKind::except:
        e = x.a;
        continue;
    }
  }
}

}  // namespace gsample

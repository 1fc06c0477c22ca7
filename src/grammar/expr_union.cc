// The union of expressions in normal form, and what rewrites counters.
#include <algorithm>

#include "base/failure.h"
#include "base/limits.h"
#include "grammar/expr.h"

namespace gsample {

namespace {

constexpr int max_factor_depth = 64;  // of one call: literals with long common beginnings are factored further as they are derived

struct Alternative {
  ExprId head, tail;
};

}  // namespace

// xs | s is xs where x takes the empty text: of "a? b? c? ..." the alternatives at one place are tails of one another.
void ExprStore::drop_tails(std::vector<ExprId>& alternatives) {
  const uint32_t round = begin_round();
  size_t steps = 0;
  for (ExprId e : alternatives)
    for (; nodes_[e].kind == ExprKind::concat && nodes_[nodes_[e].a].nullable && walked_[nodes_[e].b] != round; steps++) {
      e = nodes_[e].b;
      walked_[e] = round;
    }
  work_.spend(steps);
  if (steps) std::erase_if(alternatives, [&](ExprId e) { return walked_[e] == round; });
}

// Normal form: nested unions opened; xs | s as xs where x is optional; x{a,b}t | x{c,d}t one repeat where the ranges touch; xs | xt as x(s|t); bytes with equal tails
// one set; the empty text dropped where another alternative takes it. A list of literals so becomes a tree that shares both ends.
ExprId ExprStore::either(std::vector<ExprId> given, int depth) {
  work_.spend(given.size());
  std::sort(given.begin(), given.end());
  given.erase(std::unique(given.begin(), given.end()), given.end());
  std::vector<ExprId> flat;
  flat.reserve(given.size());
  bool with_empty = false;
  for (ExprId e : given) {
    if (e == none) continue;
    if (e == empty) with_empty = true;
    else if (nodes_[e].kind != ExprKind::either) flat.push_back(e);
    else
      for (ExprId part : operands(e)) part == empty ? void(with_empty = true) : flat.push_back(part);
  }
  std::sort(flat.begin(), flat.end());
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  work_.spend(1 + 8 * flat.size());
  if (flat.size() > 1) drop_tails(flat);
  if (flat.size() > 1) {
    std::vector<Alternative> parts(flat.size());
    for (size_t i = 0; i < flat.size(); i++) {
      const Expr& x = nodes_[flat[i]];
      parts[i] = x.kind == ExprKind::concat ? Alternative{x.a, x.b} : Alternative{flat[i], empty};
    }

    auto is_repeat = [&](const Alternative& p) { return nodes_[p.head].kind == ExprKind::repeat; };
    auto repeats = std::partition(parts.begin(), parts.end(), [&](const Alternative& p) { return !is_repeat(p); });
    std::sort(repeats, parts.end(), [&](const Alternative& p, const Alternative& q) {
      const Expr &x = nodes_[p.head], &y = nodes_[q.head];
      if (x.a != y.a) return x.a < y.a;
      if (p.tail != q.tail) return p.tail < q.tail;
      return x.b != y.b ? x.b < y.b : x.c < y.c;
    });
    auto kept = repeats;
    for (auto it = repeats; it != parts.end(); ++it) {
      if (kept != repeats) {
        Alternative& last = kept[-1];
        const Expr x = nodes_[last.head], y = nodes_[it->head];
        if (x.kind == ExprKind::repeat && x.a == y.a && last.tail == it->tail && (x.c == unbounded || y.b <= x.c + 1)) {
          last.head = repeat(x.a, x.b, std::max(x.c, y.c));
          continue;
        }
      }
      *kept++ = *it;
    }
    parts.erase(kept, parts.end());

    if (depth < max_factor_depth) {
      std::sort(parts.begin(), parts.end(),
                [](const Alternative& p, const Alternative& q) { return p.head != q.head ? p.head < q.head : p.tail < q.tail; });
      size_t n = 0;
      for (size_t i = 0; i < parts.size();) {
        size_t end = i + 1;
        while (end < parts.size() && parts[end].head == parts[i].head) end++;
        Alternative joined = parts[i];
        if (end - i > 1) {
          std::vector<ExprId> tails;
          for (size_t k = i; k < end; k++) tails.push_back(parts[k].tail);
          joined.tail = either(std::move(tails), depth + 1);
        }
        parts[n++] = joined;
        i = end;
      }
      parts.resize(n);
    }

    auto is_bytes = [&](const Alternative& p) { return nodes_[p.head].kind == ExprKind::bytes; };
    auto sets = std::partition(parts.begin(), parts.end(), [&](const Alternative& p) { return !is_bytes(p); });
    std::sort(sets, parts.end(),
              [](const Alternative& p, const Alternative& q) { return p.tail != q.tail ? p.tail < q.tail : p.head < q.head; });
    flat.clear();
    for (auto it = parts.begin(); it != sets; ++it) flat.push_back(concat(it->head, it->tail));
    for (auto it = sets; it != parts.end();) {
      ByteSet set = bytes_of(it->head);
      ExprId tail = it->tail;
      for (++it; it != parts.end() && it->tail == tail; ++it) set |= bytes_of(it->head);
      flat.push_back(concat(bytes(set), tail));
    }
  }
  if (with_empty) {
    bool taken = false;
    for (ExprId e : flat) taken |= nodes_[e].nullable;
    for (ExprId& e : flat)
      if (const Expr x = nodes_[e]; !taken && x.kind == ExprKind::repeat && x.b == 1) e = repeat(x.a, 0, x.c), taken = true;
    if (!taken) flat.push_back(empty);
  }
  std::sort(flat.begin(), flat.end(), [&](ExprId a, ExprId b) { return before(a, b); });
  flat.erase(std::unique(flat.begin(), flat.end()), flat.end());
  if (flat.empty()) return none;
  if (flat.size() == 1) return flat[0];
  Expr node{.kind = ExprKind::either, .hash = 8};
  for (ExprId e : flat) {
    const Expr& x = nodes_[e];
    node.nullable |= x.nullable;
    node.logical |= x.logical;
    node.depth = std::max(node.depth, x.depth + 1);
    node.hash = mix_hash(node.hash, x.hash);
    join_symbolic(node, x);
  }
  return intern(node, flat);
}

template <class Change>
ExprId ExprStore::map_counters(ExprId e, const Change& change) {
  if (!nodes_[e].symbolic_max) return e;
  const Expr x = nodes_[e];
  switch (x.kind) {
    case ExprKind::concat: {  // along the tails in a loop: they can be long
      std::vector<ExprId> heads;
      ExprId tail = e;
      for (; nodes_[tail].kind == ExprKind::concat && nodes_[tail].symbolic_max; tail = nodes_[tail].b) heads.push_back(nodes_[tail].a);
      tail = map_counters(tail, change);
      for (; !heads.empty(); heads.pop_back()) tail = concat(map_counters(heads.back(), change), tail);
      return tail;
    }
    case ExprKind::repeat: {
      ExprId body = map_counters(x.a, change);
      auto [min, max] = change(x.b, x.c);
      return repeat(body, min, max);
    }
    case ExprKind::except:
      return except(map_counters(x.a, change));
    case ExprKind::either:
    case ExprKind::both: {
      std::vector<ExprId> parts(operands(e).begin(), operands(e).end());
      for (ExprId& part : parts) part = map_counters(part, change);
      return x.kind == ExprKind::either ? either(std::move(parts)) : both(std::move(parts));
    }
    default:
      return e;
  }
}

ExprId ExprStore::shift(ExprId e, uint32_t amount) {
  return map_counters(e, [amount](uint32_t min, uint32_t max) {
    return std::pair(is_symbolic(min) ? min + amount : min, is_symbolic(max) ? max + amount : max);
  });
}

ExprId ExprStore::forget_counters(ExprId e) {
  return map_counters(
      e, [](uint32_t min, uint32_t max) { return std::pair(is_symbolic(min) ? symbolic_base : min, is_symbolic(max) ? unbounded : max); });
}

// Symbolic counters stand in concatenations and unions only, and those match nothing or something whatever the number of rounds.
ExprId ExprStore::loosen_counters(ExprId e) {
  return map_counters(
      e, [](uint32_t min, uint32_t max) { return std::pair(is_symbolic(min) ? 1 : min, is_symbolic(max) ? unbounded : max); });
}

uint32_t ExprStore::active_counter(ExprId e, uint32_t above) const {
  uint32_t largest = 0;
  for (;;) {
    const Expr& x = nodes_[e];
    if (x.kind == ExprKind::repeat) {
      if (x.b > above && x.b < symbolic_first) largest = std::max(largest, x.b);
      if (x.c > above && x.c < symbolic_first) largest = std::max(largest, x.c);
      return largest;
    }
    if (x.kind == ExprKind::either) {
      for (ExprId part : operands(e)) largest = std::max(largest, active_counter(part, above));
      return largest;
    }
    if (x.kind != ExprKind::concat) return largest;
    largest = std::max(largest, active_counter(x.a, above));
    if (!nodes_[x.a].nullable) return largest;
    e = x.b;
  }
}

ExprId ExprStore::make_symbolic(ExprId e, uint32_t above, uint32_t largest) {
  const Expr x = nodes_[e];
  auto turn = [&](uint32_t count) { return count > above && count < symbolic_first ? symbolic_base - (largest - count) : count; };
  switch (x.kind) {
    case ExprKind::repeat:
      return repeat(x.a, turn(x.b), turn(x.c));
    case ExprKind::either: {
      std::vector<ExprId> parts(operands(e).begin(), operands(e).end());
      for (ExprId& part : parts) part = make_symbolic(part, above, largest);
      return either(std::move(parts));
    }
    case ExprKind::concat: {
      std::vector<ExprId> heads;
      ExprId tail = e;
      bool reached = true;
      for (; reached && nodes_[tail].kind == ExprKind::concat; tail = nodes_[tail].b) {
        heads.push_back(nodes_[tail].a);
        reached = nodes_[heads.back()].nullable;
      }
      if (reached) tail = make_symbolic(tail, above, largest);
      for (; !heads.empty(); heads.pop_back()) tail = concat(make_symbolic(heads.back(), above, largest), tail);
      return tail;
    }
    default:
      return e;
  }
}

}  // namespace gsample

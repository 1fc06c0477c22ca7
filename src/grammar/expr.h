// Regular expressions over bytes, hash-consed: equal expressions have equal ids. The constructors normalise (unions are sorted,
// factored and their counted repeats merged), so that the derivatives of an expression are few and finding them again is cheap.
//
// A counter above the longest token cannot run out within one token, so its value does not belong into the identity of an
// expression: it is written relative to a number that the configuration carries ("symbolic": actual = value - symbolic_base +
// number), and a{0,100000} has as many derivatives as a{0,}. Derivatives: Brzozowski, "Derivatives of regular expressions", 1964.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/limits.h"
#include "grammar/byte_set.h"
#include "grammar/work.h"

namespace gsample {

using ExprId = uint32_t;

enum class ExprKind : uint8_t { none, empty, bytes, concat, either, both, except, repeat };

struct Expr {
  ExprKind kind = ExprKind::none;
  bool nullable = false;  // matches the empty text
  bool logical = false;   // holds an intersection or a complement: may match nothing without being `none`
  uint32_t depth = 0;     // of nesting, the tails of concatenations not counted
  // bytes: set | concat: head, tail | either, both: first, count of operands | except: body | repeat: body, min, max
  uint32_t a = 0, b = 0, c = 0;
  uint32_t symbolic_min = 0, symbolic_max = 0;  // the range of symbolic counters inside; 0 = none
  uint64_t hash = 0;                            // of the structure, the same in every store
};

class ExprStore {
 public:
  static constexpr ExprId none = 0, empty = 1;
  static constexpr uint32_t unbounded = UINT32_MAX;
  static constexpr uint32_t symbolic_base = 0x80000000u, symbolic_first = 0x40000000u;
  static bool is_symbolic(uint32_t count) { return count >= symbolic_first && count != unbounded; }

  ExprStore();

  const Expr& operator[](ExprId e) const { return nodes_[e]; }
  const ByteSet& bytes_of(ExprId e) const { return sets_[nodes_[e].a]; }
  std::span<const ExprId> operands(ExprId e) const { return {operands_.data() + nodes_[e].a, nodes_[e].b}; }
  std::span<const ByteSet> byte_sets() const { return sets_; }
  size_t size() const { return nodes_.size(); }
  size_t memory() const;

  // What is made and derived from here on is paid for by this; until then, what it takes to compile a grammar pays.
  Work& work() { return work_; }

  ExprId bytes(const ByteSet& set);
  ExprId concat(ExprId head, ExprId tail);
  ExprId either(std::vector<ExprId> operands) { return either(std::move(operands), 0); }
  ExprId either(ExprId a, ExprId b) { return either(std::vector<ExprId>{a, b}); }
  ExprId both(std::vector<ExprId> operands);
  ExprId except(ExprId body);
  ExprId repeat(ExprId body, uint32_t min, uint32_t max);
  ExprId star(ExprId body) { return repeat(body, 0, unbounded); }
  ExprId literal(std::span<const uint8_t> text, ExprId tail = empty);

  // What may follow `byte`. A chain of derivatives allocates at most what limits.h allows, else LIMIT.
  ExprId derive(ExprId e, uint8_t byte);
  // The bytes that a text of e may begin with (for a logical expression: at most these).
  ByteSet first(ExprId e) const;

  // Adds to every symbolic counter inside, modulo 2^32: brings them to a new base, or back to actual values.
  ExprId shift(ExprId e, uint32_t amount);
  // The largest actual counter above `above` that the next bytes can count down, or 0.
  uint32_t active_counter(ExprId e, uint32_t above) const;
  // Makes these counters symbolic, such that the actual value `largest` becomes symbolic_base.
  ExprId make_symbolic(ExprId e, uint32_t above, uint32_t largest);
  // Forgets the values of symbolic counters: what is left tells the same within one token.
  ExprId forget_counters(ExprId e);
  // The same without symbolic counters: one round or more in the place of so many. Matches nothing where e does, and only there.
  ExprId loosen_counters(ExprId e);
  // Writes the structure; equal texts in two stores are equal expressions.
  void serialise(ExprId e, std::string& out) const;

 private:
  ExprId either(std::vector<ExprId> operands, int depth);
  ExprId find_derivative(ExprId e, uint8_t byte);
  ExprId join_repeats(ExprId head, ExprId tail);
  void derive_sequence(ExprId e, uint8_t byte, uint32_t round, std::vector<ExprId>& out);
  // Marks in walked_ with the returned number are those of the caller.
  uint32_t begin_round();
  void drop_tails(std::vector<ExprId>& alternatives);
  ExprId intern(Expr node, std::span<const ExprId> operands = {});
  bool before(ExprId a, ExprId b) const { return nodes_[a].hash != nodes_[b].hash ? nodes_[a].hash < nodes_[b].hash : a < b; }
  bool same(const Expr& node, std::span<const ExprId> operands, ExprId other) const;
  void grow();
  static void join_symbolic(Expr& node, const Expr& part) {
    if (!part.symbolic_max) return;
    node.symbolic_min = node.symbolic_max ? std::min(node.symbolic_min, part.symbolic_min) : part.symbolic_min;
    node.symbolic_max = std::max(node.symbolic_max, part.symbolic_max);
  }
  template <class Change>
  ExprId map_counters(ExprId e, const Change& change);

  std::vector<Expr> nodes_;
  std::vector<ExprId> operands_;
  std::vector<ByteSet> sets_;
  std::vector<uint32_t> slots_;  // open addressing; 0 = free (node 0 is never looked up)
  std::vector<uint32_t> walked_;  // by expression: the last round that met it
  uint32_t round_ = 0;
  Work work_{limits::compile_work};

  // The latest derivatives, each in the one place of its expression: nested loops ask for those of the inner ones again and again.
  struct Derived {
    ExprId of = none, result = none;
    uint8_t byte = 0;
  };
  static constexpr size_t remembered = 1024;
  std::vector<Derived> derived_ = std::vector<Derived>(remembered);
};

inline uint64_t mix_hash(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  hash *= 0xbf58476d1ce4e5b9;
  return hash ^ hash >> 29;
}

}  // namespace gsample

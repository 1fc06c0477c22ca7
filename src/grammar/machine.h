// A grammar ready to run: a pushdown machine whose terminals are regular expressions. Immutable.
//
// Rules that are regular (not recursive, or recursive only at one end) are folded into terminals; what is left are productions over
// positions. The left corners of a rule are worked out ahead: `Closure` says where a text of the rule can begin and, for each rule
// that can begin it, what continues when that one is complete. Left recursion is then a loop in a static table, not in a stack.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "grammar/follow.h"
#include "grammar/syntax.h"

namespace gsample {

enum class PositionKind : uint8_t { terminal, tokens, rule, repeat, end, accept };

// A symbol in the body of a rule; the next one stands behind it, and `end` behind the last.
struct Position {
  PositionKind kind;
  bool nullable;      // the symbol can be the empty text
  uint32_t rule;      // whose body this is
  uint32_t value;     // terminal: expression | tokens: token set | rule, repeat: rule
  uint32_t min, max;  // repeat
};

// "When `completed` is complete, `count` iterations are done and the text goes on at `position`."
struct Caller {
  uint32_t completed, position, count;
};

class Machine {
 public:
  explicit Machine(Syntax syntax);

  const ExprStore& exprs() const { return exprs_; }
  std::span<const TokenSet> token_sets() const { return token_sets_; }
  const Position& operator[](uint32_t position) const { return positions_[position]; }
  size_t size() const { return positions_.size(); }
  uint32_t start() const { return start_; }  // the position where a text begins; only `accept` stands behind it
  size_t n_rules() const { return closures_.size(); }
  bool rule_nullable(uint32_t rule) const { return nullable_[rule]; }
  const Follow& follow() const { return follow_; }

  // The terminals and token sets that can begin a text of the rule.
  std::span<const uint32_t> leaves(uint32_t rule) const;
  // What can follow a `completed` that began where the rule began.
  std::span<const Caller> callers(uint32_t rule, uint32_t completed) const;
  bool left_recursive(uint32_t rule) const { return !callers(rule, rule).empty(); }

 private:
  friend class MachineBuilder;
  struct Closure {
    uint32_t first_leaf, end_leaf, first_caller, end_caller;
  };

  ExprStore exprs_;
  std::vector<TokenSet> token_sets_;
  std::vector<Position> positions_;
  std::vector<uint8_t> nullable_;
  std::vector<Closure> closures_;
  std::vector<uint32_t> leaves_;
  std::vector<Caller> callers_;
  uint32_t start_ = 0;
  Follow follow_;
};

}  // namespace gsample

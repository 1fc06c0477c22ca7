// A grammar as parsed: rules over nodes. Every front end (GBNF, regular expressions) yields one, and machine.h makes it run.
// Leaves are expressions over bytes already; what a text wrote as a rule, a group or a count still stands as such.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/failure.h"
#include "base/limits.h"
#include "grammar/expr.h"

namespace gsample {

using NodeId = uint32_t;

enum class NodeKind : uint8_t { expr, tokens, rule, sequence, choice, repeat };

struct Node {
  NodeKind kind;
  uint32_t a;             // expr: the expression | tokens: token set | rule: rule | sequence, choice: first child | repeat: body
  uint32_t b = 0, c = 0;  // sequence, choice: count | repeat: min, max (ExprStore::unbounded)
};

// A token terminal: one of these tokens, or any that writes text but these.
struct TokenSet {
  bool negated;
  int32_t token;
};

struct Syntax {
  struct Rule {
    std::string name;
    NodeId node = 0;
    bool defined = false;
    int32_t line = 0, column = 0;  // of the first mention
  };

  ExprStore exprs;
  std::vector<Node> nodes;
  std::vector<NodeId> children;
  std::vector<TokenSet> token_sets;
  std::vector<Rule> rules;
  uint32_t root = 0;

  std::span<const NodeId> children_of(const Node& node) const { return {children.data() + node.a, node.b}; }

  NodeId add(Node node) {
    if (nodes.size() >= limits::grammar_nodes) fail(GSAMPLE_ERROR_LIMIT, "the grammar has more than %u symbols", limits::grammar_nodes);
    nodes.push_back(node);
    return static_cast<NodeId>(nodes.size() - 1);
  }
  NodeId add_expr(ExprId e) { return add({NodeKind::expr, e}); }
  // A list of one is its element.
  NodeId add_list(NodeKind kind, std::span<const NodeId> list) {
    if (list.size() == 1) return list[0];
    if (list.empty()) return add_expr(kind == NodeKind::sequence ? ExprStore::empty : ExprStore::none);
    Node node{kind, static_cast<uint32_t>(children.size()), static_cast<uint32_t>(list.size())};
    children.insert(children.end(), list.begin(), list.end());
    return add(node);
  }
};

// Where a parser stands in its text, and how it says what is wrong there.
class TextCursor {
 public:
  TextCursor(const char* text, size_t n) : text_(text), n_(n) {}

  bool done() const { return at_ >= n_; }
  char peek(size_t ahead = 0) const { return at_ + ahead < n_ ? text_[at_ + ahead] : '\0'; }
  bool looking_at(char c, size_t ahead = 0) const { return at_ + ahead < n_ && text_[at_ + ahead] == c; }
  bool take(char c) { return looking_at(c) ? (at_++, true) : false; }
  void skip(size_t n = 1) { at_ += n; }
  size_t at() const { return at_; }
  void rewind(size_t at) { at_ = at; }
  const char* data() const { return text_; }
  size_t size() const { return n_; }
  uint32_t take_code_point();  // SYNTAX where the bytes are not UTF-8
  uint32_t take_hex(int digits);

  [[noreturn]] void refuse(const char* what) const { refuse_at(at_, GSAMPLE_ERROR_SYNTAX, what); }
  [[noreturn]] void refuse_at(size_t at, int32_t status, const char* what) const;
  void place(size_t at, int32_t& line, int32_t& column) const;

 private:
  const char* text_;
  size_t n_, at_ = 0;
};

Syntax parse_gbnf(const char* text, size_t n, const char* root, uint32_t n_vocab);
Syntax parse_regex(const char* text, size_t n);

}  // namespace gsample

#include "grammar/machine.h"

#include <algorithm>
#include <optional>

namespace gsample {

namespace {

constexpr uint32_t unknown = UINT32_MAX;

}  // namespace

class MachineBuilder {
 public:
  MachineBuilder(Syntax syntax, Machine& out) : syntax_(std::move(syntax)), out_(out) {}

  void build() {
    rule_expr_.assign(syntax_.rules.size(), unknown);
    regular_.assign(syntax_.nodes.size(), 0);
    fold_rules();
    collect_productions();
    drop_unproductive();
    lay_out();
    close_left_corners();
    out_.exprs_ = std::move(syntax_.exprs);
    out_.token_sets_ = std::move(syntax_.token_sets);
  }

 private:
  struct Alternative {
    uint32_t rule, first, end;  // positions [first, end)
  };

  // --- Folding. Rules are visited behind the rules they use (Tarjan's strongly connected components, without recursion).

  void references(NodeId from, std::vector<uint32_t>& out) const {
    std::vector<NodeId> open{from};
    while (!open.empty()) {
      const Node& node = syntax_.nodes[open.back()];
      open.pop_back();
      if (node.kind == NodeKind::rule) out.push_back(node.a);
      else if (node.kind == NodeKind::repeat) open.push_back(node.a);
      else if (node.kind == NodeKind::sequence || node.kind == NodeKind::choice)
        for (NodeId child : syntax_.children_of(node)) open.push_back(child);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
  }

  void fold_rules() {
    struct Visit {
      uint32_t rule;
      std::vector<uint32_t> uses;
      size_t next = 0;
    };
    std::vector<uint32_t> index(syntax_.rules.size(), 0), low(syntax_.rules.size(), 0), component;
    std::vector<uint8_t> on_stack(syntax_.rules.size(), 0);
    std::vector<Visit> visits;
    uint32_t counter = 0;
    auto enter = [&](uint32_t rule) {
      index[rule] = low[rule] = ++counter;
      component.push_back(rule);
      on_stack[rule] = 1;
      visits.push_back({rule, {}});
      references(syntax_.rules[rule].node, visits.back().uses);
    };
    enter(syntax_.root);
    while (!visits.empty()) {
      Visit& visit = visits.back();
      if (visit.next < visit.uses.size()) {
        uint32_t used = visit.uses[visit.next++];
        if (!index[used]) enter(used);
        else if (on_stack[used]) low[visit.rule] = std::min(low[visit.rule], index[used]);
        continue;
      }
      uint32_t rule = visit.rule;
      bool uses_itself = std::binary_search(visit.uses.begin(), visit.uses.end(), rule);
      visits.pop_back();
      if (!visits.empty()) low[visits.back().rule] = std::min(low[visits.back().rule], low[rule]);
      if (low[rule] != index[rule]) continue;
      bool alone = component.back() == rule;
      while (component.back() != rule) on_stack[component.back()] = 0, component.pop_back();
      on_stack[rule] = 0;
      component.pop_back();
      if (alone) fold_rule(rule, uses_itself);
    }
  }

  void fold_rule(uint32_t rule, bool uses_itself) {
    NodeId node = syntax_.rules[rule].node;
    if (!uses_itself) {
      if (regular(node)) rule_expr_[rule] = fold(node);
      return;
    }
    for (bool left : {false, true}) {
      // x = a x | b is a* b, and x = x a | b is b a* (Arden's rule; with a nullable a this is the least solution all the same).
      std::optional<Linear> form = linear(node, rule, left);
      if (!form) continue;
      ExprId loop = syntax_.exprs.star(form->factor);
      rule_expr_[rule] = left ? syntax_.exprs.concat(form->rest, loop) : syntax_.exprs.concat(loop, form->rest);
      return;
    }
  }

  // Remembered for each node: when it is first asked, the rules behind it are decided. (A rule being folded by linear() counts as
  // not regular in its own body, and that body is not looked at again once it is.)
  bool regular(NodeId id) {
    uint8_t& known = regular_[id];
    if (!known) known = find_regular(syntax_.nodes[id]) ? 1 : 2;
    return known == 1;
  }

  bool find_regular(const Node& node) {
    switch (node.kind) {
      case NodeKind::expr:
        return true;
      case NodeKind::tokens:
        return false;
      case NodeKind::rule:
        return rule_expr_[node.a] != unknown;
      case NodeKind::repeat:
        return node.c == 0 || regular(node.a);
      default:
        for (NodeId child : syntax_.children_of(node))
          if (!regular(child)) return false;
        return true;
    }
  }

  ExprId fold(NodeId id) {
    const Node node = syntax_.nodes[id];
    switch (node.kind) {
      case NodeKind::expr:
        return node.a;
      case NodeKind::rule:
        return rule_expr_[node.a];
      case NodeKind::repeat:
        return node.c == 0 ? ExprStore::empty : syntax_.exprs.repeat(fold(node.a), node.b, node.c);
      default: {
        std::vector<ExprId> parts;
        parts.reserve(node.b);
        for (uint32_t i = 0; i < node.b; i++) parts.push_back(fold(syntax_.children[node.a + i]));
        return node.kind == NodeKind::choice ? syntax_.exprs.either(std::move(parts)) : sequence_of(parts);
      }
    }
  }

  ExprId sequence_of(const std::vector<ExprId>& parts) {
    ExprId e = ExprStore::empty;
    for (size_t i = parts.size(); i-- > 0;) e = syntax_.exprs.concat(parts[i], e);
    return e;
  }

  // node = factor · rule | rest, or with left: rule · factor | rest.
  struct Linear {
    ExprId factor, rest;
  };

  std::optional<Linear> linear(NodeId id, uint32_t rule, bool left) {
    ExprStore& exprs = syntax_.exprs;
    if (regular(id)) return Linear{ExprStore::none, fold(id)};
    const Node node = syntax_.nodes[id];
    switch (node.kind) {
      case NodeKind::rule:
        return node.a == rule ? std::optional(Linear{ExprStore::empty, ExprStore::none}) : std::nullopt;
      case NodeKind::repeat: {
        if (node.b != 0 || node.c != 1) return std::nullopt;
        std::optional<Linear> body = linear(node.a, rule, left);
        if (body) body->rest = exprs.either(body->rest, ExprStore::empty);
        return body;
      }
      case NodeKind::choice: {
        std::vector<ExprId> factors, rests;
        for (uint32_t i = 0; i < node.b; i++) {
          std::optional<Linear> part = linear(syntax_.children[node.a + i], rule, left);
          if (!part) return std::nullopt;
          factors.push_back(part->factor);
          rests.push_back(part->rest);
        }
        return Linear{exprs.either(std::move(factors)), exprs.either(std::move(rests))};
      }
      case NodeKind::sequence: {
        uint32_t edge = left ? 0 : node.b - 1;
        std::vector<ExprId> others;
        for (uint32_t i = 0; i < node.b; i++) {
          if (i == edge) continue;
          if (!regular(syntax_.children[node.a + i])) return std::nullopt;
          others.push_back(fold(syntax_.children[node.a + i]));
        }
        std::optional<Linear> inner = linear(syntax_.children[node.a + edge], rule, left);
        if (!inner) return std::nullopt;
        ExprId other = sequence_of(others);
        if (left) return Linear{exprs.concat(inner->factor, other), exprs.concat(inner->rest, other)};
        return Linear{exprs.concat(other, inner->factor), exprs.concat(other, inner->rest)};
      }
      default:
        return std::nullopt;
    }
  }

  // --- Productions of what is not regular. Groups become rules of their own.

  uint32_t rule_of(NodeId node) {
    uint32_t& id = node_rule_[node];
    if (id == unknown) {
      id = static_cast<uint32_t>(rule_nodes_.size());
      rule_nodes_.push_back(node);
    }
    return id;
  }

  NodeId resolve(NodeId id) const {  // the body of a rule stands for the rule
    const Node& node = syntax_.nodes[id];
    return node.kind == NodeKind::rule ? syntax_.rules[node.a].node : id;
  }

  void collect_productions() {
    node_rule_.assign(syntax_.nodes.size(), unknown);
    if (uint32_t root = rule_expr_[syntax_.root]; root != unknown) {
      root_terminal_ = root;
      return;
    }
    rule_of(syntax_.rules[syntax_.root].node);
    for (uint32_t rule = 0; rule < rule_nodes_.size(); rule++) {
      std::vector<ExprId> together;  // the regular alternatives are one terminal
      alternatives(rule, rule_nodes_[rule], together);
      if (together.empty()) continue;
      begin_alternative(rule);
      pending_.push_back(syntax_.exprs.either(std::move(together)));
      end_alternative();
    }
  }

  void alternatives(uint32_t rule, NodeId id, std::vector<ExprId>& together) {
    const Node node = syntax_.nodes[id];
    if (regular(id)) {
      together.push_back(fold(id));
    } else if (node.kind == NodeKind::choice) {
      for (uint32_t i = 0; i < node.b; i++) alternatives(rule, syntax_.children[node.a + i], together);
    } else if (node.kind == NodeKind::repeat && node.b == 0 && node.c == 1) {
      together.push_back(ExprStore::empty);
      alternatives(rule, node.a, together);
    } else {
      begin_alternative(rule);
      emit(id);
      end_alternative();
    }
  }

  void begin_alternative(uint32_t rule) { alternatives_.push_back({rule, static_cast<uint32_t>(body_.size()), 0}); }
  void end_alternative() {
    flush();
    alternatives_.back().end = static_cast<uint32_t>(body_.size());
  }

  void add(PositionKind kind, uint32_t value, uint32_t min = 0, uint32_t max = 0) {
    if (body_.size() >= limits::grammar_positions)
      fail(GSAMPLE_ERROR_LIMIT, "the grammar has more than %u symbols in rules that are not regular", limits::grammar_positions);
    body_.push_back({kind, false, alternatives_.back().rule, value, min, max});
  }

  void flush() {
    ExprId e = sequence_of(pending_);
    pending_.clear();
    if (e != ExprStore::empty) add(PositionKind::terminal, e);
  }

  void emit(NodeId id) {
    const Node node = syntax_.nodes[id];
    if (regular(id)) {
      pending_.push_back(fold(id));
      return;
    }
    if (node.kind == NodeKind::sequence) {
      for (uint32_t i = 0; i < node.b; i++) emit(syntax_.children[node.a + i]);
      return;
    }
    flush();
    if (node.kind == NodeKind::tokens) add(PositionKind::tokens, node.a);
    else if (node.kind == NodeKind::repeat && !(node.b == 0 && node.c == 1))
      add(PositionKind::repeat, rule_of(resolve(node.a)), node.b, node.c);
    else add(PositionKind::rule, rule_of(resolve(id)));
  }

  // --- Which rules can be completed at all, and which without a byte.

  enum class Need : uint8_t { nothing, rule, impossible };

  // The rules that have an alternative whose every symbol is satisfied, given what each symbol needs.
  template <class NeedOf>
  std::vector<uint8_t> least_fixpoint(const NeedOf& need_of) const {
    std::vector<uint8_t> holds(rule_nodes_.size(), 0);
    std::vector<uint32_t> missing(alternatives_.size(), 0), first_use(rule_nodes_.size() + 1, 0), uses;
    auto each_need = [&](const auto& use) {
      for (uint32_t i = 0; i < alternatives_.size(); i++)
        for (uint32_t p = alternatives_[i].first; p < alternatives_[i].end; p++)
          if (Need need = need_of(body_[p]); need != Need::nothing) use(i, body_[p], need);
    };
    each_need([&](uint32_t, const Position& p, Need need) {
      if (need == Need::rule) first_use[p.value + 1]++;
    });
    for (size_t i = 1; i < first_use.size(); i++) first_use[i] += first_use[i - 1];
    uses.resize(first_use.back());
    std::vector<uint32_t> fill(first_use.begin(), first_use.end() - 1);
    each_need([&](uint32_t i, const Position& p, Need need) {
      missing[i]++;
      if (need == Need::rule) uses[fill[p.value]++] = i;
    });
    std::vector<uint32_t> ready;
    auto hold = [&](uint32_t rule) {
      if (!holds[rule]) holds[rule] = 1, ready.push_back(rule);
    };
    for (uint32_t i = 0; i < alternatives_.size(); i++)
      if (!missing[i]) hold(alternatives_[i].rule);
    while (!ready.empty()) {
      uint32_t rule = ready.back();
      ready.pop_back();
      for (uint32_t u = first_use[rule]; u < first_use[rule + 1]; u++)
        if (--missing[uses[u]] == 0) hold(alternatives_[uses[u]].rule);
    }
    return holds;
  }

  void drop_unproductive() {
    std::vector<uint8_t> productive = least_fixpoint([&](const Position& p) {
      switch (p.kind) {
        case PositionKind::terminal:
          return p.value == ExprStore::none ? Need::impossible : Need::nothing;
        case PositionKind::rule:
          return Need::rule;
        case PositionKind::repeat:
          return p.min ? Need::rule : Need::nothing;
        default:
          return Need::nothing;
      }
    });
    auto dead = [&](const Alternative& a) {
      for (uint32_t p = a.first; p < a.end; p++) {
        if (body_[p].kind == PositionKind::terminal && body_[p].value == ExprStore::none) return true;
        if (body_[p].kind == PositionKind::rule && !productive[body_[p].value]) return true;
        if (body_[p].kind == PositionKind::repeat && body_[p].min && !productive[body_[p].value]) return true;
      }
      return false;
    };
    std::erase_if(alternatives_, dead);
    // Optional repetitions of what can never be completed are the empty text.
    for (Position& p : body_)
      if (p.kind == PositionKind::repeat && !productive[p.value]) p = {PositionKind::terminal, true, p.rule, ExprStore::empty, 0, 0};

    out_.nullable_ = least_fixpoint([&](const Position& p) {
      switch (p.kind) {
        case PositionKind::terminal:
          return syntax_.exprs[p.value].nullable ? Need::nothing : Need::impossible;
        case PositionKind::rule:
          return Need::rule;
        case PositionKind::repeat:
          return p.min ? Need::rule : Need::nothing;
        default:
          return Need::impossible;
      }
    });
  }

  void lay_out() {
    std::vector<Position>& out = out_.positions_;
    if (root_terminal_ != unknown) out.push_back({PositionKind::terminal, syntax_.exprs[root_terminal_].nullable, 0, root_terminal_, 0, 0});
    else out.push_back({PositionKind::rule, out_.nullable_[0] != 0, 0, 0, 0, 0});
    out.push_back({PositionKind::accept, false, 0, 0, 0, 0});
    std::sort(alternatives_.begin(), alternatives_.end(),
              [](const Alternative& a, const Alternative& b) { return a.rule != b.rule ? a.rule < b.rule : a.first < b.first; });
    first_alternative_.assign(rule_nodes_.size() + 1, 0);
    for (Alternative& a : alternatives_) {
      uint32_t first = static_cast<uint32_t>(out.size());
      for (uint32_t p = a.first; p < a.end; p++) {
        Position position = body_[p];
        switch (position.kind) {
          case PositionKind::terminal:
            position.nullable = syntax_.exprs[position.value].nullable;
            break;
          case PositionKind::rule:
            position.nullable = out_.nullable_[position.value];
            break;
          case PositionKind::repeat:
            if (out_.nullable_[position.value]) position.min = 0;
            position.nullable = position.min == 0;
            break;
          default:
            break;
        }
        out.push_back(position);
      }
      out.push_back({PositionKind::end, false, a.rule, 0, 0, 0});
      a.first = first;
      first_alternative_[a.rule + 1]++;
    }
    for (size_t i = 1; i < first_alternative_.size(); i++) first_alternative_[i] += first_alternative_[i - 1];
  }

  void close_left_corners() {
    std::vector<uint32_t> seen(rule_nodes_.size(), unknown), open;
    for (uint32_t rule = 0; rule < rule_nodes_.size(); rule++) {
      Machine::Closure closure{static_cast<uint32_t>(out_.leaves_.size()), 0, static_cast<uint32_t>(out_.callers_.size()), 0};
      open.assign(1, rule);
      seen[rule] = rule;
      auto visit = [&](uint32_t used) {
        if (seen[used] != rule) seen[used] = rule, open.push_back(used);
      };
      while (!open.empty()) {
        uint32_t at = open.back();
        open.pop_back();
        for (uint32_t i = first_alternative_[at]; i < first_alternative_[at + 1]; i++) corner(alternatives_[i].first, visit);
        if (out_.leaves_.size() + out_.callers_.size() > limits::grammar_closure)
          fail(GSAMPLE_ERROR_LIMIT, "the grammar's rules begin with more than %u others together", limits::grammar_closure);
      }
      auto callers = out_.callers_.begin() + closure.first_caller;
      std::sort(callers, out_.callers_.end(), [](const Caller& a, const Caller& b) {
        return a.completed != b.completed ? a.completed < b.completed
               : a.position != b.position ? a.position < b.position
                                          : a.count < b.count;
      });
      closure.end_leaf = static_cast<uint32_t>(out_.leaves_.size());
      closure.end_caller = static_cast<uint32_t>(out_.callers_.size());
      out_.closures_.push_back(closure);
    }
  }

  template <class Visit>
  void corner(uint32_t p, const Visit& visit) {
    for (;; p++) {
      const Position& position = out_.positions_[p];
      switch (position.kind) {
        case PositionKind::terminal:
        case PositionKind::tokens:
          out_.leaves_.push_back(p);
          break;
        case PositionKind::rule:
          out_.callers_.push_back({position.value, p + 1, 0});
          visit(position.value);
          break;
        case PositionKind::repeat:
          out_.callers_.push_back({position.value, p, position.max == ExprStore::unbounded ? std::min(1u, position.min) : 1u});
          visit(position.value);
          break;
        default:
          return;
      }
      if (!position.nullable) return;
    }
  }

  Syntax syntax_;
  Machine& out_;
  std::vector<ExprId> rule_expr_;  // of the syntax' rules; unknown = not regular
  std::vector<uint8_t> regular_;   // of the syntax' nodes: 0 not asked, 1 yes, 2 no
  uint32_t root_terminal_ = unknown;
  std::vector<uint32_t> node_rule_;  // the machine's rule of a node
  std::vector<NodeId> rule_nodes_;
  std::vector<Alternative> alternatives_;
  std::vector<Position> body_;
  std::vector<ExprId> pending_;
  std::vector<uint32_t> first_alternative_;
};

Machine::Machine(Syntax syntax) {
  MachineBuilder(std::move(syntax), *this).build();
  follow_ = Follow(*this);
}

std::span<const uint32_t> Machine::leaves(uint32_t rule) const {
  const Closure& c = closures_[rule];
  return {leaves_.data() + c.first_leaf, c.end_leaf - c.first_leaf};
}

std::span<const Caller> Machine::callers(uint32_t rule, uint32_t completed) const {
  const Closure& c = closures_[rule];
  const Caller* first = callers_.data() + c.first_caller;
  const Caller* last = callers_.data() + c.end_caller;
  auto before = [](const Caller& a, uint32_t b) { return a.completed < b; };
  auto after = [](uint32_t a, const Caller& b) { return a < b.completed; };
  const Caller* begin = std::lower_bound(first, last, completed, before);
  return {begin, std::upper_bound(begin, last, completed, after)};
}

}  // namespace gsample

// GBNF, the grammar notation of llama.cpp (its grammars/README.md), with left recursion and unbounded counts allowed.
// A name is defined by its last rule. An empty class [] or [^] matches the empty text there, and so here.
#include <string_view>
#include <unordered_map>

#include "grammar/code_points.h"
#include "grammar/syntax.h"

namespace gsample {

namespace {

class GbnfParser {
 public:
  GbnfParser(const char* text, size_t n, uint32_t n_vocab) : cursor_(text, n), n_vocab_(n_vocab) {}

  Syntax parse(std::string_view root) {
    skip_space(true);
    while (!cursor_.done()) rule();
    for (const Syntax::Rule& rule : out_.rules)
      if (!rule.defined)
        fail_at(GSAMPLE_ERROR_SYNTAX, rule.line, rule.column, "line %d, column %d: rule \"%.80s\" is never defined", rule.line, rule.column,
                rule.name.c_str());
    auto found = names_.find(root);
    if (found == names_.end())
      fail_at(GSAMPLE_ERROR_SYNTAX, 1, 1, "line 1, column 1: no rule is called \"%.80s\"", std::string(root).c_str());
    out_.root = found->second;
    return std::move(out_);
  }

 private:
  // What a suffix *, +, ?, {m,n} repeats, and how often its own counts nest at most.
  struct Item {
    NodeId node = 0;
    bool repeatable = false;
    uint64_t times = 1;
  };

  static bool in_name(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-'; }

  void skip_space(bool newlines) {
    for (;; cursor_.skip()) {
      char c = cursor_.peek();
      if (c == '#') {
        while (!cursor_.done() && cursor_.peek() != '\n' && cursor_.peek() != '\r') cursor_.skip();
        c = cursor_.peek();
      }
      if (cursor_.done() || !(c == ' ' || c == '\t' || (newlines && (c == '\n' || c == '\r')))) return;
    }
  }

  uint32_t name() {
    size_t begin = cursor_.at();
    while (in_name(cursor_.peek())) cursor_.skip();
    if (cursor_.at() == begin) cursor_.refuse("expecting the name of a rule");
    std::string_view text(cursor_.data() + begin, cursor_.at() - begin);
    auto found = names_.find(text);
    if (found != names_.end()) return found->second;
    uint32_t id = static_cast<uint32_t>(out_.rules.size());
    Syntax::Rule rule;
    rule.name = text;
    position(begin, rule.line, rule.column);
    out_.rules.push_back(std::move(rule));
    names_.emplace(text, id);
    return id;
  }

  // Names come in the order of the text, so their places are counted on from the last.
  void position(size_t at, int32_t& line, int32_t& column) {
    for (; counted_ < at; counted_++) cursor_.data()[counted_] == '\n' ? (line_++, column_ = 1) : column_++;
    line = line_, column = column_;
  }

  void rule() {
    uint32_t id = name();
    skip_space(false);
    if (!(cursor_.looking_at(':') && cursor_.looking_at(':', 1) && cursor_.looking_at('=', 2))) cursor_.refuse("expecting ::=");
    cursor_.skip(3);
    skip_space(true);
    uint64_t times = 1;
    NodeId node = alternatives(0, times);
    out_.rules[id].node = node;
    out_.rules[id].defined = true;
    if (!cursor_.done() && cursor_.peek() != '\n' && cursor_.peek() != '\r')
      cursor_.refuse("expecting a newline or the end of the grammar");
    skip_space(true);
  }

  NodeId alternatives(int depth, uint64_t& times) {
    std::vector<NodeId> list;
    do {
      if (!list.empty()) skip_space(true);
      list.push_back(sequence(depth, times));
    } while (cursor_.take('|'));
    return out_.add_list(NodeKind::choice, list);
  }

  NodeId sequence(int depth, uint64_t& times) {
    std::vector<NodeId> list;
    Item last;
    bool any = false;
    for (;; skip_space(depth > 0)) {
      char c = cursor_.peek();
      if (cursor_.done()) break;
      if (c == '*' || c == '+' || c == '?' || c == '{') {
        if (!any || !last.repeatable) cursor_.skip(), cursor_.refuse("a repetition with nothing in front of it");
        repetition(last);
        list.back() = last.node;
      } else {
        Item next;
        if (!item(c, depth, next)) break;
        last = next;
        any = true;
        list.push_back(last.node);
      }
      times = std::max(times, last.times);
    }
    return out_.add_list(NodeKind::sequence, list);
  }

  bool item(char c, int depth, Item& out) {
    switch (c) {
      case '"':
        literal(out);
        return true;
      case '[':
        byte_class(out);
        return true;
      case '(': {
        if (depth >= limits::grammar_nesting) cursor_.refuse_at(cursor_.at(), GSAMPLE_ERROR_LIMIT, "parentheses nest deeper than 500");
        cursor_.skip();
        skip_space(true);
        out.node = alternatives(depth + 1, out.times);
        out.repeatable = true;
        if (!cursor_.take(')')) cursor_.refuse("expecting )");
        return true;
      }
      case '.': {
        cursor_.skip();
        CodePointSet all;
        all.add(0, max_code_point);
        out.node = out_.add_expr(classes_.utf8(out_.exprs, all));
        out.repeatable = true;
        return true;
      }
      case '<':
        out = {token_terminal(false), true, 1};
        return true;
      case '!':
        cursor_.skip();
        if (!cursor_.looking_at('<')) cursor_.refuse("expecting a token terminal <[id]> behind !");
        out = {token_terminal(true), true, 1};
        return true;
      default:
        if (!in_name(c)) return false;
        out = {out_.add({NodeKind::rule, name()}), true, 1};
        return true;
    }
  }

  uint32_t character() {
    if (!cursor_.looking_at('\\')) return cursor_.take_code_point();
    size_t begin = cursor_.at();
    cursor_.skip();
    if (cursor_.done()) cursor_.refuse("an escape with nothing after it");
    char c = cursor_.peek();
    cursor_.skip();
    uint32_t value = 0;
    switch (c) {
      case 'x':
        return cursor_.take_hex(2);
      case 'u':
        value = cursor_.take_hex(4);
        break;
      case 'U':
        value = cursor_.take_hex(8);
        break;
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case 'n':
        return '\n';
      case '\\':
      case '"':
      case '[':
      case ']':
        return static_cast<uint8_t>(c);
      default:
        cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "an escape that GBNF does not know");
    }
    if (value > max_code_point || is_surrogate(value))
      cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "an escape that is no Unicode character");
    return value;
  }

  void literal(Item& out) {
    cursor_.skip();
    std::vector<ExprId> characters;
    while (!cursor_.looking_at('"')) {
      if (cursor_.done()) cursor_.refuse("a string that is never closed");
      characters.push_back(utf8_character(out_.exprs, character()));
    }
    cursor_.skip();
    ExprId e = ExprStore::empty;
    for (size_t i = characters.size(); i-- > 0;) e = out_.exprs.concat(characters[i], e);
    out.node = out_.add_expr(e);
    out.repeatable = !characters.empty();
  }

  void byte_class(Item& out) {
    cursor_.skip();
    bool negated = cursor_.take('^');
    CodePointSet set;
    while (!cursor_.looking_at(']')) {
      if (cursor_.done()) cursor_.refuse("a class that is never closed");
      size_t begin = cursor_.at();
      uint32_t first = character(), last = first;
      if (cursor_.looking_at('-') && !cursor_.looking_at(']', 1)) {
        cursor_.skip();
        if (cursor_.done()) cursor_.refuse("a range with no upper bound");
        last = character();
        if (last < first) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "a range that ends before it begins");
      }
      set.add(first, last);
    }
    cursor_.skip();
    out.repeatable = !set.empty();
    out.node = out_.add_expr(set.empty() ? ExprStore::empty : classes_.utf8(out_.exprs, negated ? set.complement() : set));
  }

  NodeId token_terminal(bool negated) {
    size_t begin = cursor_.at();
    cursor_.skip();
    if (!cursor_.take('[')) cursor_.refuse("a token terminal is written <[id]>");
    uint64_t id = number();
    if (!cursor_.take(']') || !cursor_.take('>')) cursor_.refuse("a token terminal is written <[id]>");
    if (id >= n_vocab_) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "a token terminal whose id is not in the vocabulary");
    out_.token_sets.push_back({negated, static_cast<int32_t>(id)});
    return out_.add({NodeKind::tokens, static_cast<uint32_t>(out_.token_sets.size() - 1)});
  }

  uint64_t number() {
    if (!(cursor_.peek() >= '0' && cursor_.peek() <= '9')) cursor_.refuse("expecting a number");
    uint64_t value = 0;
    for (; cursor_.peek() >= '0' && cursor_.peek() <= '9'; cursor_.skip()) {
      value = value * 10 + static_cast<uint64_t>(cursor_.peek() - '0');
      if (value >= limits::repetitions) cursor_.refuse("a number above 1073741823");
    }
    return value;
  }

  void repetition(Item& last) {
    size_t begin = cursor_.at();
    char c = cursor_.peek();
    cursor_.skip();
    uint64_t min = c == '+' ? 1 : 0, max = c == '?' ? 1 : ExprStore::unbounded;
    if (c == '{') {
      skip_space(false);
      min = max = number();
      skip_space(false);
      if (cursor_.take(',')) {
        skip_space(false);
        if (cursor_.looking_at('}')) max = ExprStore::unbounded;
        else max = number();
        skip_space(false);
      }
      if (!cursor_.take('}')) cursor_.refuse("expecting , or }");
      if (max < min) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "a repetition whose maximum is below its minimum");
      last.times *= std::max<uint64_t>(1, max == ExprStore::unbounded ? min : max);
      if (last.times >= limits::repetitions)
        cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "nested repetitions that multiply to more than 1073741823");
    }
    last.node = out_.add({NodeKind::repeat, last.node, static_cast<uint32_t>(min), static_cast<uint32_t>(max)});
  }

  TextCursor cursor_;
  uint32_t n_vocab_;
  CodePointClasses classes_;
  Syntax out_;
  std::unordered_map<std::string_view, uint32_t> names_;
  size_t counted_ = 0;
  int32_t line_ = 1, column_ = 1;
};

}  // namespace

Syntax parse_gbnf(const char* text, size_t n, const char* root, uint32_t n_vocab) {
  if (n > limits::grammar_bytes) fail(GSAMPLE_ERROR_LIMIT, "the grammar has %zu bytes, more than %zu", n, limits::grammar_bytes);
  return GbnfParser(text, n, n_vocab).parse(root ? root : "root");
}

}  // namespace gsample

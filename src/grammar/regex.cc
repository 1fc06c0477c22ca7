// Regular expressions: the subset of ECMA-262 (with Unicode characters as units) that is regular. The whole text must match, so
// anchors are allowed where they say just that. What is not regular, or would need Unicode tables, is refused by name.
#include "grammar/code_points.h"
#include "grammar/syntax.h"

namespace gsample {

namespace {

class RegexParser {
 public:
  RegexParser(const char* text, size_t n) : cursor_(text, n) {}

  Syntax parse() {
    Item whole = alternatives(0);
    if (!cursor_.done()) cursor_.refuse("a ) that closes nothing");
    out_.rules.push_back({"root", out_.add_expr(whole.e), true, 1, 1});
    return std::move(out_);
  }

 private:
  struct Item {
    ExprId e = ExprStore::empty;
    uint64_t times = 1;                 // how often its counts nest at most
    bool begins = false, ends = false;  // holds ^ or $
  };

  [[noreturn]] void unsupported(size_t at, const char* what) const { cursor_.refuse_at(at, GSAMPLE_ERROR_UNSUPPORTED, what); }

  Item alternatives(int depth) {
    std::vector<ExprId> list;
    Item out;
    do {
      Item one = sequence(depth);
      list.push_back(one.e);
      out.times = std::max(out.times, one.times);
      out.begins |= one.begins;
      out.ends |= one.ends;
    } while (cursor_.take('|'));
    out.e = out_.exprs.either(std::move(list));
    return out;
  }

  Item sequence(int depth) {
    std::vector<ExprId> list;
    Item out;
    while (!cursor_.done() && cursor_.peek() != '|' && cursor_.peek() != ')') {
      size_t begin = cursor_.at();
      if (cursor_.take('^')) {
        if (!list.empty() || out.begins) unsupported(begin, "^ behind other characters");
        out.begins = true;
        refuse_count(begin);
        continue;
      }
      if (cursor_.take('$')) {
        out.ends = true;
        refuse_count(begin);
        continue;
      }
      Item one = atom(depth);
      if (one.begins && (!list.empty() || out.begins)) unsupported(begin, "^ behind other characters");
      if (out.ends) unsupported(begin, "$ in front of other characters");
      out.begins |= one.begins;
      out.ends |= one.ends;
      if (quantifier(one) && (one.begins || one.ends)) unsupported(begin, "a repeated anchor");
      out.times = std::max(out.times, one.times);
      if (list.size() >= limits::grammar_nodes) cursor_.refuse_at(begin, GSAMPLE_ERROR_LIMIT, "too many parts in one sequence");
      list.push_back(one.e);
    }
    for (size_t i = list.size(); i-- > 0;) out.e = out_.exprs.concat(list[i], out.e);
    return out;
  }

  void refuse_count(size_t begin) {
    Item none;
    if (quantifier(none)) unsupported(begin, "a repeated anchor");
  }

  bool quantifier(Item& one) {
    size_t begin = cursor_.at();
    uint64_t min = 0, max = ExprStore::unbounded;
    if (cursor_.take('*')) {
    } else if (cursor_.take('+')) {
      min = 1;
    } else if (cursor_.take('?')) {
      max = 1;
    } else if (!counts(min, max)) {
      return false;
    }
    if (max < min) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "a repetition whose maximum is below its minimum");
    cursor_.take('?');  // a lazy mark changes what a search finds first, not which texts match
    one.times *= std::max<uint64_t>(1, max == ExprStore::unbounded ? min : max);
    if (one.times >= limits::repetitions)
      cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "nested repetitions that multiply to more than 1073741823");
    one.e = out_.exprs.repeat(one.e, static_cast<uint32_t>(min), static_cast<uint32_t>(max));
    char c = cursor_.peek();
    if (c == '*' || c == '+' || c == '?') cursor_.refuse("a repetition of a repetition");
    return true;
  }

  // {m}, {m,} or {m,n}; anything else that begins with { is the character itself (ECMA-262, annex B).
  bool counts(uint64_t& min, uint64_t& max) {
    size_t begin = cursor_.at();
    if (!cursor_.take('{')) return false;
    bool good = digits(min);
    max = min;
    if (good && cursor_.take(',') && !digits(max)) max = ExprStore::unbounded;
    if (good && cursor_.take('}')) return true;
    cursor_.rewind(begin);
    return false;
  }

  bool digits(uint64_t& value) {
    if (!(cursor_.peek() >= '0' && cursor_.peek() <= '9')) return false;
    for (value = 0; cursor_.peek() >= '0' && cursor_.peek() <= '9'; cursor_.skip()) {
      value = value * 10 + static_cast<uint64_t>(cursor_.peek() - '0');
      if (value >= limits::repetitions) cursor_.refuse("a count above 1073741823");
    }
    return true;
  }

  Item atom(int depth) {
    size_t begin = cursor_.at();
    CodePointSet set;
    auto character = [&](uint32_t c) { return Item{utf8_character(out_.exprs, c)}; };
    switch (cursor_.peek()) {
      case '(':
        return group(depth);
      case '[':
        return character_class();
      case '*':
      case '+':
      case '?':
        cursor_.refuse("a repetition with nothing in front of it");
      case '{': {
        uint64_t min, max;
        if (counts(min, max)) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "a repetition with nothing in front of it");
        cursor_.skip();
        return character('{');
      }
      case '.':
        cursor_.skip();
        add_line_ends(set);
        set = set.complement();
        break;
      case '\\': {
        uint32_t c;
        if (!escape(false, set, c)) return character(c);
        break;
      }
      default:
        return character(cursor_.take_code_point());
    }
    return {classes_.utf8(out_.exprs, set)};
  }

  Item group(int depth) {
    size_t begin = cursor_.at();
    if (depth >= limits::grammar_nesting) cursor_.refuse_at(begin, GSAMPLE_ERROR_LIMIT, "groups nest deeper than 500");
    cursor_.skip();
    if (cursor_.take('?')) {
      if (cursor_.looking_at('=') || cursor_.looking_at('!')) unsupported(begin, "lookahead (?= or (?!");
      if (cursor_.looking_at('<') && (cursor_.looking_at('=', 1) || cursor_.looking_at('!', 1)))
        unsupported(begin, "lookbehind (?<= or (?<!");
      if (cursor_.take('<')) {
        size_t name = cursor_.at();
        while (!cursor_.done() && cursor_.peek() != '>' && cursor_.peek() != ')') cursor_.skip();
        if (cursor_.at() == name || !cursor_.take('>')) cursor_.refuse("expecting the name of a group and >");
      } else if (!cursor_.take(':')) {
        unsupported(begin, "a group of the kind (?...) that is neither (?: nor (?<name>");
      }
    }
    Item inner = alternatives(depth + 1);
    if (!cursor_.take(')')) cursor_.refuse("expecting )");
    return inner;
  }

  static void add_line_ends(CodePointSet& set) {
    set.add('\n', '\n');
    set.add('\r', '\r');
    set.add(0x2028, 0x2029);
  }

  static CodePointSet named_class(char lower) {
    CodePointSet set;
    if (lower == 'd' || lower == 'w') set.add('0', '9');
    if (lower == 'w') set.add('a', 'z'), set.add('A', 'Z'), set.add('_', '_');
    if (lower == 's') {  // WhiteSpace and LineTerminator of ECMA-262
      set.add('\t', '\r');
      set.add(' ', ' ');
      set.add(0x2000, 0x200a);
      add_line_ends(set);
      for (uint32_t c : {0xa0u, 0x1680u, 0x202fu, 0x205fu, 0x3000u, 0xfeffu}) set.add(c, c);
    }
    return set;
  }

  // Reads an escape: true if it is a class (added to set), false if it is one character.
  bool escape(bool in_class, CodePointSet& set, uint32_t& c) {
    size_t begin = cursor_.at();
    cursor_.skip();
    if (cursor_.done()) cursor_.refuse("an escape with nothing after it");
    char e = cursor_.peek();
    if (!(static_cast<uint8_t>(e) < 0x80)) return c = cursor_.take_code_point(), false;
    cursor_.skip();
    switch (e) {
      case 'd':
      case 'w':
      case 's':
        set.add(named_class(e));
        return true;
      case 'D':
      case 'W':
      case 'S':
        set.add(named_class(static_cast<char>(e | 0x20)).complement());
        return true;
      case 't':
        c = '\t';
        return false;
      case 'n':
        c = '\n';
        return false;
      case 'v':
        c = '\v';
        return false;
      case 'f':
        c = '\f';
        return false;
      case 'r':
        c = '\r';
        return false;
      case 'x':
        c = cursor_.take_hex(2);
        return false;
      case 'u':
        c = unicode(begin);
        return false;
      case 'c': {
        char letter = static_cast<char>(cursor_.peek() | 0x20);
        if (letter < 'a' || letter > 'z') cursor_.refuse("expecting a letter behind \\c");
        cursor_.skip();
        c = static_cast<uint32_t>(letter) & 31;
        return false;
      }
      case 'b':
        if (in_class) return c = '\b', false;
        unsupported(begin, "the word boundary \\b");
      case 'B':
        unsupported(begin, "the word boundary \\B");
      case 'k':
        unsupported(begin, "a backreference");
      case 'p':
      case 'P':
        unsupported(begin, "a Unicode property \\p");
      case '0':
        if (cursor_.peek() >= '0' && cursor_.peek() <= '9') unsupported(begin, "an octal escape");
        c = 0;
        return false;
      default:
        if (e >= '1' && e <= '9') unsupported(begin, "a backreference");
        if ((e >= 'a' && e <= 'z') || (e >= 'A' && e <= 'Z'))
          cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "an escape that ECMA-262 does not know");
        c = static_cast<uint8_t>(e);
        return false;
    }
  }

  // \uXXXX, a surrogate pair \uXXXX\uXXXX, or \u{X...}; behind the u.
  uint32_t unicode(size_t begin) {
    uint32_t c = 0;
    if (cursor_.take('{')) {
      size_t first = cursor_.at();
      while (!cursor_.looking_at('}') && c <= max_code_point) c = c << 4 | cursor_.take_hex(1);
      if (cursor_.at() == first || !cursor_.take('}'))
        cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "an escape that is no Unicode character");
    } else {
      c = cursor_.take_hex(4);
      if (c >= 0xd800 && c <= 0xdbff && cursor_.looking_at('\\') && cursor_.looking_at('u', 1) && !cursor_.looking_at('{', 2)) {
        cursor_.skip(2);
        uint32_t low = cursor_.take_hex(4);
        if (low < 0xdc00 || low > 0xdfff) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "half of a surrogate pair");
        c = 0x10000 + ((c - 0xd800) << 10 | (low - 0xdc00));
      }
    }
    if (is_surrogate(c)) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "half of a surrogate pair");
    if (c > max_code_point) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "an escape that is no Unicode character");
    return c;
  }

  Item character_class() {
    cursor_.skip();
    bool negated = cursor_.take('^');
    CodePointSet set;
    while (!cursor_.looking_at(']')) {
      if (cursor_.done()) cursor_.refuse("a class that is never closed");
      size_t begin = cursor_.at();
      uint32_t first, last;
      bool is_set = member(set, first);
      if (cursor_.looking_at('-') && !cursor_.looking_at(']', 1) && cursor_.at() + 1 < cursor_.size()) {
        cursor_.skip();
        bool last_is_set = member(set, last);
        if (is_set || last_is_set) {  // as in [\w-.]: the - is itself (annex B)
          if (!is_set) set.add(first, first);
          if (!last_is_set) set.add(last, last);
          set.add('-', '-');
          continue;
        }
        if (last < first) cursor_.refuse_at(begin, GSAMPLE_ERROR_SYNTAX, "a range that ends before it begins");
        set.add(first, last);
      } else if (!is_set) {
        set.add(first, first);
      }
    }
    cursor_.skip();
    return {classes_.utf8(out_.exprs, negated ? set.complement() : set)};
  }

  bool member(CodePointSet& set, uint32_t& c) {
    if (cursor_.looking_at('\\')) return escape(true, set, c);
    c = cursor_.take_code_point();
    return false;
  }

  TextCursor cursor_;
  CodePointClasses classes_;
  Syntax out_;
};

}  // namespace

Syntax parse_regex(const char* text, size_t n) {
  if (n > limits::grammar_bytes) fail(GSAMPLE_ERROR_LIMIT, "the expression has %zu bytes, more than %zu", n, limits::grammar_bytes);
  return RegexParser(text, n).parse();
}

}  // namespace gsample

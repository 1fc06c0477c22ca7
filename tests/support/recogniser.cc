#include "recogniser.h"

#include <gsample/gsample.h>

#include <algorithm>

namespace recogniser {

namespace {

std::string utf8(uint32_t c) {
  std::string out;
  if (c < 0x80) return out += static_cast<char>(c);
  int n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
  for (int i = 0; i < n; i++, c >>= 6) out.insert(out.begin(), static_cast<char>(i < n - 1 ? 0x80 | (c & 63) : (0xf00 >> n & 0xff) | c));
  return out;
}

std::string escaped(uint32_t c) {
  char text[16];
  snprintf(text, sizeof text, c < 0x80 ? "\\x%02X" : c < 0x10000 ? "\\u%04X" : "\\U%08X", c);
  return text;
}

std::string written(const Tree& tree) {
  std::string out;
  switch (tree.kind) {
    case Tree::LITERAL:
      for (uint32_t c : tree.characters) out += c >= 'a' && c <= 'z' ? std::string(1, static_cast<char>(c)) : escaped(c);
      return "\"" + out + "\"";
    case Tree::CLASS:
      for (uint32_t c : tree.characters) out += escaped(c);
      return std::string(tree.negated ? "[^" : "[") + out + "]";
    case Tree::TOKEN:
      return std::string(tree.negated ? "!" : "") + "<[" + std::to_string(tree.id) + "]>";
    case Tree::RULE:
      return tree.id ? "r" + std::to_string(tree.id) : "root";
    case Tree::SEQUENCE:
      for (const Tree& part : tree.parts) out += (out.empty() ? "" : " ") + written(part);
      return "(" + out + ")";
    case Tree::CHOICE:
      for (size_t i = 0; i < tree.parts.size(); i++) out += (i ? " | " : "") + written(tree.parts[i]);
      return "(" + out + ")";
    case Tree::REPEAT:
      out = written(tree.parts[0]);
      if (tree.max < 0 && tree.min < 2) return out + (tree.min ? "+" : "*");
      if (tree.min == 0 && tree.max == 1) return out + "?";
      return out + "{" + std::to_string(tree.min) + "," + (tree.max < 0 ? "" : std::to_string(tree.max)) + "}";
  }
  return out;
}

}  // namespace

std::string to_gbnf(const std::vector<Tree>& rules) {
  std::string out;
  for (size_t i = 0; i < rules.size(); i++) out += (i ? "r" + std::to_string(i) : std::string("root")) + " ::= " + written(rules[i]) + "\n";
  return out;
}

Recogniser::Recogniser(const std::vector<Tree>& rules, const Tokens& tokens) : tokens_(tokens), n_rules_(static_cast<int>(rules.size())) {
  for (size_t i = 0; i < rules.size(); i++) {
    std::vector<Symbol> body = sequence_for(rules[i]);
    productions_.push_back({static_cast<int>(i), body});
  }
  drop_unproductive();
  columns_.emplace_back();
  for (size_t p = 0; p < productions_.size(); p++)
    if (productions_[p].rule == 0) columns_[0].insert({static_cast<int>(p), 0, 0, ""});
  close(columns_);
}

int Recogniser::rule_for(const Tree& tree) {
  int rule = n_rules_++;
  if (tree.kind == Tree::CHOICE) {
    for (const Tree& part : tree.parts) {
      std::vector<Symbol> body = sequence_for(part);
      productions_.push_back({rule, body});
    }
  } else {  // REPEAT: x{m,n} is m times x, then n - m times optional, or a loop
    std::vector<Symbol> one = sequence_for(tree.parts[0]), body;
    for (int i = 0; i < tree.min; i++) body.insert(body.end(), one.begin(), one.end());
    if (tree.max < 0) {
      int loop = n_rules_++;
      Symbol again{Symbol::RULE, {}, false, loop};
      std::vector<Symbol> more = one;
      more.push_back(again);
      productions_.push_back({loop, {}});
      productions_.push_back({loop, more});
      body.push_back(again);
      productions_.push_back({rule, body});
    } else {
      productions_.push_back({rule, body});
      for (int i = tree.min; i < tree.max; i++) {
        body.insert(body.end(), one.begin(), one.end());
        productions_.push_back({rule, body});
      }
    }
  }
  return rule;
}

std::vector<Recogniser::Symbol> Recogniser::sequence_for(const Tree& tree) {
  std::vector<Symbol> out;
  switch (tree.kind) {
    case Tree::LITERAL:
      for (uint32_t c : tree.characters) out.push_back({Symbol::CLASS, {c}});
      break;
    case Tree::CLASS:
      out.push_back({Symbol::CLASS, tree.characters, tree.negated});
      break;
    case Tree::TOKEN:
      out.push_back({Symbol::TOKEN, {}, tree.negated, tree.id});
      break;
    case Tree::RULE:
      out.push_back({Symbol::RULE, {}, false, tree.id});
      break;
    case Tree::SEQUENCE:
      for (const Tree& part : tree.parts) {
        std::vector<Symbol> inner = sequence_for(part);
        out.insert(out.end(), inner.begin(), inner.end());
      }
      break;
    default:
      out.push_back({Symbol::RULE, {}, false, rule_for(tree)});
  }
  return out;
}

void Recogniser::drop_unproductive() {
  auto fixpoint = [&](auto holds_for) {
    std::vector<bool> holds(static_cast<size_t>(n_rules_), false);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Production& p : productions_) {
        if (holds[static_cast<size_t>(p.rule)]) continue;
        bool all = true;
        for (const Symbol& s : p.body) all &= s.kind == Symbol::RULE ? static_cast<bool>(holds[static_cast<size_t>(s.id)]) : holds_for(s);
        if (all) holds[static_cast<size_t>(p.rule)] = changed = true;
      }
    }
    return holds;
  };
  std::vector<bool> productive = fixpoint([](const Symbol&) { return true; });
  std::erase_if(productions_, [&](const Production& p) {
    for (const Symbol& s : p.body)
      if (s.kind == Symbol::RULE && !productive[static_cast<size_t>(s.id)]) return true;
    return false;
  });
  nullable_ = fixpoint([](const Symbol&) { return false; });
}

// Predicts and completes in the last column.
void Recogniser::close(std::vector<Column>& columns) const {
  int here = static_cast<int>(columns.size()) - 1;
  Column& column = columns.back();
  std::vector<Item> open(column.begin(), column.end());
  auto add = [&](Item item) {
    if (column.insert(item).second) open.push_back(item);
  };
  while (!open.empty()) {
    Item item = open.back();
    open.pop_back();
    const Production& p = productions_[static_cast<size_t>(item.production)];
    if (item.dot == static_cast<int>(p.body.size())) {
      if (item.origin == here) continue;  // empty: the predictor has stepped over it
      Column waiting = columns[static_cast<size_t>(item.origin)];
      for (const Item& w : waiting) {
        const Production& q = productions_[static_cast<size_t>(w.production)];
        if (w.dot < static_cast<int>(q.body.size()) && q.body[static_cast<size_t>(w.dot)].kind == Symbol::RULE &&
            q.body[static_cast<size_t>(w.dot)].id == p.rule)
          add({w.production, w.dot + 1, w.origin, ""});
      }
    } else if (const Symbol& s = p.body[static_cast<size_t>(item.dot)]; s.kind == Symbol::RULE) {
      for (size_t q = 0; q < productions_.size(); q++)
        if (productions_[q].rule == s.id) add({static_cast<int>(q), 0, here, ""});
      if (nullable_[static_cast<size_t>(s.id)]) add({item.production, item.dot + 1, item.origin, ""});
    }
  }
}

// Can the bytes begin (complete: be) the UTF-8 of a character that the class takes?
bool Recogniser::takes(const Symbol& symbol, const std::string& bytes, bool& complete) const {
  if (!symbol.negated) {
    for (uint32_t c : symbol.characters) {
      std::string text = utf8(c);
      if (text.compare(0, bytes.size(), bytes) == 0) {
        complete = text.size() == bytes.size();
        return true;
      }
    }
    return false;
  }
  // Fewer characters are excluded than any cut one has completions, so a cut one that begins UTF-8 is always taken.
  uint8_t lead = static_cast<uint8_t>(bytes[0]);
  size_t size = lead < 0x80 ? 1 : lead >= 0xf0 ? 4 : lead >= 0xe0 ? 3 : 2;
  if (lead >= 0x80 && (lead < 0xc2 || lead > 0xf4)) return false;
  if (bytes.size() > 1) {
    uint8_t second = static_cast<uint8_t>(bytes[1]);
    uint8_t low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (second < low || second > high) return false;
    for (size_t i = 2; i < bytes.size(); i++)
      if ((static_cast<uint8_t>(bytes[i]) & 0xc0) != 0x80) return false;
  }
  complete = bytes.size() == size;
  if (complete)
    for (uint32_t c : symbol.characters)
      if (utf8(c) == bytes) return false;
  return true;
}

Recogniser::Column Recogniser::scan(const Column& from, uint8_t byte) const {
  Column out;
  for (const Item& item : from) {
    const Production& p = productions_[static_cast<size_t>(item.production)];
    if (item.dot == static_cast<int>(p.body.size()) || p.body[static_cast<size_t>(item.dot)].kind != Symbol::CLASS) continue;
    std::string bytes = item.partial + static_cast<char>(byte);
    bool complete = false;
    if (takes(p.body[static_cast<size_t>(item.dot)], bytes, complete))
      out.insert({item.production, item.dot + complete, item.origin, complete ? "" : bytes});
  }
  return out;
}

std::vector<Recogniser::Column> Recogniser::after(int32_t token) const {
  size_t id = static_cast<size_t>(token);
  bool exists = id < tokens_.bytes.size() && tokens_.kinds[id] != GSAMPLE_TOKEN_UNUSED;
  if (!exists) return {};
  bool text = tokens_.kinds[id] == GSAMPLE_TOKEN_TEXT && !tokens_.bytes[id].empty();
  if (tokens_.kinds[id] == GSAMPLE_TOKEN_TEXT && !text) return {};
  std::vector<Column> columns = columns_;
  size_t first = columns.size();
  if (text)
    for (char byte : tokens_.bytes[id]) {
      columns.push_back(scan(columns.back(), static_cast<uint8_t>(byte)));
      if (&byte != &tokens_.bytes[id].back()) close(columns);
    }
  else columns.emplace_back();
  for (const Item& item : columns_.back()) {
    const Production& p = productions_[static_cast<size_t>(item.production)];
    if (!item.partial.empty() || item.dot == static_cast<int>(p.body.size())) continue;
    const Symbol& s = p.body[static_cast<size_t>(item.dot)];
    if (s.kind == Symbol::TOKEN && (s.negated ? text && s.id != token : s.id == token))
      columns.back().insert({item.production, item.dot + 1, item.origin, ""});
  }
  if (columns.back().empty()) return {};
  close(columns);
  return {columns.begin() + static_cast<std::ptrdiff_t>(first), columns.end()};
}

bool Recogniser::can_end() const {
  for (const Item& item : columns_.back()) {
    const Production& p = productions_[static_cast<size_t>(item.production)];
    if (p.rule == 0 && item.origin == 0 && item.dot == static_cast<int>(p.body.size())) return true;
  }
  return columns_.size() == 1 && nullable_[0];
}

bool Recogniser::can_follow(int32_t token) const {
  size_t id = static_cast<size_t>(token);
  if (id < tokens_.kinds.size() && tokens_.kinds[id] == GSAMPLE_TOKEN_STOP && can_end()) return true;
  return !after(token).empty();
}

bool Recogniser::accept(int32_t token) {
  std::vector<Column> added = after(token);
  size_t id = static_cast<size_t>(token);
  if (added.empty()) return id < tokens_.kinds.size() && tokens_.kinds[id] == GSAMPLE_TOKEN_STOP && can_end();
  columns_.insert(columns_.end(), added.begin(), added.end());
  return true;
}

}  // namespace recogniser

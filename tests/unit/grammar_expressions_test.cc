// Expressions over bytes, intersections, complements and counted repeats among them, against membership as it is defined. Random
// expressions over three letters, the third being every byte but two. Of each: all texts up to five letters by derivatives, and walks of a
// matcher whose only terminal it is, where the mask allows exactly the tokens behind which some text of the expression lies.
#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "dice.h"
#include "grammar/matcher.h"
#include "unit.h"

using namespace gsample;

namespace {

const std::string letters = "ab\xff";
constexpr uint32_t unbounded = ExprStore::unbounded;

struct Tree {
  enum Kind { NONE, EMPTY, BYTES, CONCAT, EITHER, BOTH, EXCEPT, REPEAT } kind;
  uint32_t set = 0;  // BYTES: a bit a letter
  uint32_t min = 0, max = 0;
  std::vector<Tree> parts{};
};

void random_counts(Dice& dice, uint32_t most_count, Tree& tree) {
  const bool above = tree.max > 0 && tree.max != unbounded && dice.below(2);  // beginning about where other counts end
  tree.min = above ? tree.max + dice.below(4) : dice.below(3) ? dice.below(3) : dice.below(most_count);
  tree.max = dice.below(2) ? unbounded : tree.min + dice.below(most_count);
}

// The same but for one leaf or count: alternatives that are nearly alike are what unions join, and parts of a sequence repeats.
Tree varied(Dice& dice, Tree tree, uint32_t most_count) {
  if (tree.kind == Tree::BYTES) tree.set = 1 + dice.below(7);
  else if (tree.kind == Tree::REPEAT && dice.below(3)) random_counts(dice, most_count, tree);
  else if (!tree.parts.empty()) {
    Tree& part = tree.parts[dice.below(static_cast<uint32_t>(tree.parts.size()))];
    part = varied(dice, part, most_count);
  }
  return tree;
}

Tree random_tree(Dice& dice, int depth, uint32_t most_count) {
  Tree tree{};
  const uint32_t kind = dice.below(depth > 0 ? 16 : 5);
  if (kind < 5) {
    tree.kind = kind == 0 && dice.below(3) == 0 ? dice.below(3) ? Tree::EMPTY : Tree::NONE : Tree::BYTES;
    tree.set = 1 + dice.below(7);
    return tree;
  }
  tree.kind = kind < 8 ? Tree::CONCAT : kind < 10 ? Tree::EITHER : kind < 12 ? Tree::BOTH : kind < 13 ? Tree::EXCEPT : Tree::REPEAT;
  if (tree.kind == Tree::REPEAT) random_counts(dice, most_count, tree);
  for (uint32_t i = 0, n = tree.kind >= Tree::EXCEPT ? 1 : 2 + dice.below(2); i < n; i++) {
    const bool alike = i > 0 && dice.below(2);
    tree.parts.push_back(alike ? varied(dice, tree.parts[0], most_count) : random_tree(dice, depth - 1, most_count));
  }
  return tree;
}

std::string show(const Tree& tree) {
  static const char* const names[] = {"none", "empty", "bytes", "concat", "either", "both", "except", "repeat"};
  std::string out = names[tree.kind];
  if (tree.kind == Tree::BYTES) out.append(std::to_string(tree.set));
  if (tree.kind == Tree::REPEAT) out.append(std::to_string(tree.min)).append("-").append(std::to_string(tree.max));
  for (size_t i = 0; i < tree.parts.size(); i++) out.append(i ? ", " : "(").append(show(tree.parts[i]));
  return tree.parts.empty() ? out : out.append(")");
}

// Is text[begin, end) one of the tree's texts? By the definition, every cut tried; what was asked once is remembered.
class Definition {
 public:
  explicit Definition(const Tree& tree) : tree_(tree) { number(tree); }
  bool holds(const std::string& text) {
    text_ = text;
    known_.assign(numbers_.size() * (text.size() + 1) * (text.size() + 1), 0);
    return in(tree_, 0, text.size());
  }

 private:
  void number(const Tree& t) {
    numbers_.emplace(&t, numbers_.size());
    for (const Tree& part : t.parts) number(part);
  }
  bool in(const Tree& t, size_t begin, size_t end) {
    const size_t at = (numbers_.find(&t)->second * (text_.size() + 1) + begin) * (text_.size() + 1) + end;
    if (!known_[at]) known_[at] = find(t, begin, end) ? 1 : 2;
    return known_[at] == 1;
  }
  bool find(const Tree& t, size_t begin, size_t end) {
    switch (t.kind) {
      case Tree::NONE: return false;
      case Tree::EMPTY: return begin == end;
      case Tree::BYTES: return end == begin + 1 && t.set >> letters.find(text_[begin]) & 1;
      case Tree::CONCAT: return sequence(t, 0, begin, end);
      case Tree::EITHER: return std::any_of(t.parts.begin(), t.parts.end(), [&](const Tree& part) { return in(part, begin, end); });
      case Tree::BOTH: return std::all_of(t.parts.begin(), t.parts.end(), [&](const Tree& part) { return in(part, begin, end); });
      case Tree::EXCEPT: return !in(t.parts[0], begin, end);
      default: return repeated(t, begin, end);
    }
  }
  bool sequence(const Tree& t, size_t part, size_t begin, size_t end) {
    if (part + 1 == t.parts.size()) return in(t.parts[part], begin, end);
    for (size_t cut = begin; cut <= end; cut++)
      if (in(t.parts[part], begin, cut) && sequence(t, part + 1, cut, end)) return true;
    return false;
  }
  // Which places n rounds can reach. Rounds that are empty stand for any number of rounds that are missing.
  bool repeated(const Tree& t, size_t begin, size_t end) {
    const Tree& body = t.parts[0];
    const size_t length = end - begin, rounds = t.max == unbounded ? t.min + length : t.max;
    std::vector<bool> at(length + 1);
    at[0] = true;
    for (size_t n = 0;; n++) {
      if (n >= t.min && at[length]) return true;
      if (n == rounds) return false;
      std::vector<bool> next(length + 1);
      for (size_t i = 0; i <= length; i++)
        for (size_t k = i; at[i] && k <= length; k++)
          if (!next[k] && in(body, begin + i, begin + k)) next[k] = true;
      at = next;
    }
  }

  const Tree& tree_;
  std::string text_;
  std::unordered_map<const Tree*, size_t> numbers_;
  std::vector<uint8_t> known_;  // by number, begin and end: 1 yes, 2 no
};

ByteSet bytes_of(uint32_t set) {
  ByteSet out;
  for (int b = 0; b < 256; b++)
    if (set >> (b == 'a' ? 0 : b == 'b' ? 1 : 2) & 1) out.add(static_cast<uint8_t>(b));
  return out;
}

// `turned`: with the operands of unions and intersections the other way round.
ExprId build(ExprStore& store, const Tree& tree, bool turned = false) {
  std::vector<ExprId> parts;
  for (const Tree& part : tree.parts) parts.push_back(build(store, part, turned));
  if (turned && (tree.kind == Tree::EITHER || tree.kind == Tree::BOTH)) std::reverse(parts.begin(), parts.end());
  switch (tree.kind) {
    case Tree::NONE: return ExprStore::none;
    case Tree::EMPTY: return ExprStore::empty;
    case Tree::BYTES: return store.bytes(bytes_of(tree.set));
    case Tree::EITHER: return store.either(std::move(parts));
    case Tree::BOTH: return store.both(std::move(parts));
    case Tree::EXCEPT: return store.except(parts[0]);
    case Tree::REPEAT: return store.repeat(parts[0], tree.min, tree.max);
    default: {
      ExprId out = ExprStore::empty;
      for (size_t i = parts.size(); i-- > 0;) out = store.concat(parts[i], out);
      return out;
    }
  }
}

// Every text that begins with `text`, up to `left` letters more: e is what the text left of the tree.
void compare_texts(ExprStore& store, ExprId e, Definition& definition, const std::string& text, size_t left, const Tree& tree) {
  const bool member = definition.holds(text);
  if (store[e].nullable != member) fail_msg("%s: \"%s\" is %sof it", show(tree).c_str(), text.c_str(), member ? "" : "not ");
  if (left == 0) return;
  const ByteSet first = store.first(e);
  for (char letter : letters) {
    const ExprId next = store.derive(e, static_cast<uint8_t>(letter));
    if (!first.has(static_cast<uint8_t>(letter)) && next != ExprStore::none && !store[next].logical)
      fail_msg("%s: behind \"%s\" %02x is missing from the first bytes", show(tree).c_str(), text.c_str(), letter & 255);
    compare_texts(store, next, definition, text + letter, left - 1, tree);
  }
}

void derivatives(void**) {
  size_t logical = 0;
  for (uint64_t seed = 0; seed < 3000; seed++) {
    Dice dice{rows_splitmix64(seed)};
    const Tree tree = random_tree(dice, 3, 4);
    ExprStore store;
    const ExprId e = build(store, tree);
    logical += store[e].logical;
    if (build(store, tree) != e || build(store, tree, true) != e) fail_msg("%s: built again it is another", show(tree).c_str());
    if (store.except(store.except(e)) != e) fail_msg("%s: twice its complement is another", show(tree).c_str());
    Definition definition(tree);
    compare_texts(store, e, definition, "", 5, tree);
  }
  assert_true(logical > 1000);
}

// A text of e, or none: the shortest, by breadth-first search through the derivatives. Nothing comes back where there are too many.
struct Search {
  ExprStore store;
  std::map<ExprId, std::optional<std::string>> known;

  bool ask(ExprId e, std::optional<std::string>& out) {
    if (auto found = known.find(e); found != known.end()) return out = found->second, true;
    std::vector<std::pair<ExprId, std::string>> reached{{e, ""}};
    std::vector<ExprId> seen{e};
    for (size_t i = 0; i < reached.size(); i++) {
      const auto [at, text] = reached[i];
      if (store[at].nullable) return out = known[e] = text, true;
      if (reached.size() > 2000) return false;
      for (char letter : letters) {
        const ExprId next = store.derive(at, static_cast<uint8_t>(letter));
        if (next == ExprStore::none || std::find(seen.begin(), seen.end(), next) != seen.end()) continue;
        seen.push_back(next);
        reached.push_back({next, text + letter});
      }
    }
    known[e] = std::nullopt;
    return out = std::nullopt, true;
  }
};

// All tokens of one to three letters, and a stop token.
Vocab make_vocab(std::vector<std::string>& tokens) {
  VocabData data;
  for (size_t begin = 0, n = 1; n <= 3; n++) {
    const size_t end = tokens.size();
    for (char letter : letters) {
      if (n == 1) tokens.push_back({letter});
      for (size_t i = begin; n > 1 && i < end; i++) tokens.push_back(tokens[i] + letter);
    }
    begin = end;
  }
  tokens.push_back("");
  data.offsets = {0};
  for (const std::string& token : tokens) {
    data.bytes.insert(data.bytes.end(), token.begin(), token.end());
    data.offsets.push_back(data.bytes.size());
    data.kinds.push_back(token.empty() ? GSAMPLE_TOKEN_STOP : GSAMPLE_TOKEN_TEXT);
  }
  data.n_vocab = data.n_tokens = static_cast<uint32_t>(tokens.size());
  return Vocab(std::move(data));
}

struct Counts {
  size_t allowed = 0, refused = 0, unknown = 0, stops = 0;
};

// Every token in every state of a few walks. What the mask allows has a text behind it, of which the definition knows.
void walk(const Tree& tree, const Vocab& vocab, const std::vector<std::string>& tokens, Dice& dice, Counts& counts) {
  Syntax syntax;
  Search search;
  const ExprId whole = build(search.store, tree);
  syntax.rules.push_back({.name = "root", .node = syntax.add_expr(build(syntax.exprs, tree)), .defined = true});
  TableCache tables;
  Grammar grammar(vocab, tables, std::move(syntax));
  Definition definition(tree);
  for (int round = 0; round < 2; round++) {
    Matcher matcher(grammar);
    ExprId at = whole;
    std::string text;
    for (int step = 0; step < 8; step++) {
      std::vector<uint32_t> mask(vocab.n_words()), ways;
      matcher.mask(mask.data());
      const bool member = definition.holds(text);
      const uint32_t stop = vocab.n_tokens() - 1;
      if (matcher.can_stop() != member || (mask[stop / 32] >> stop % 32 & 1) != member)
        fail_msg("%s: the text \"%s\" may %send", show(tree).c_str(), text.c_str(), member ? "" : "not ");
      counts.stops += member;
      for (uint32_t token = 0; token < stop; token++) {
        const bool allowed = mask[token / 32] >> token % 32 & 1;
        if (matcher.allows(static_cast<int32_t>(token)) != allowed) fail_msg("%s: mask and allows differ", show(tree).c_str());
        ExprId next = at;
        for (char letter : tokens[token]) next = search.store.derive(next, static_cast<uint8_t>(letter));
        std::optional<std::string> rest;
        if (!search.ask(next, rest)) {
          counts.unknown++;
          continue;
        }
        if (allowed != rest.has_value())
          fail_msg("%s: behind \"%s\" \"%s\" is %sallowed", show(tree).c_str(), text.c_str(), tokens[token].c_str(), allowed ? "" : "not ");
        if (rest && step < 3 && !definition.holds(text + tokens[token] + *rest)) fail_msg("%s: the search is wrong", show(tree).c_str());
        allowed ? counts.allowed++ : counts.refused++;
        if (allowed) ways.push_back(token);
      }
      if (ways.empty()) break;
      const uint32_t token = ways[dice.below(static_cast<uint32_t>(ways.size()))];
      assert_true(matcher.accept(static_cast<int32_t>(token)));
      text += tokens[token];
      for (char letter : tokens[token]) at = search.store.derive(at, static_cast<uint8_t>(letter));
    }
  }
}

void masks(void**) {
  std::vector<std::string> tokens;
  const Vocab vocab = make_vocab(tokens);
  Counts counts;
  for (uint64_t seed = 0; seed < 600; seed++) {
    Dice dice{rows_splitmix64(seed + 1000000)};
    const Tree tree = random_tree(dice, 3, seed % 2 ? 4 : 24);  // counts above the longest token run by themselves
    const Failure failure = failure_of([&] { walk(tree, vocab, tokens, dice, counts); });
    if (failure.status) fail_msg("%s: %s", show(tree).c_str(), failure.message);
  }
  print_message("%zu allowed, %zu refused, %zu not known, %zu ends\n", counts.allowed, counts.refused, counts.unknown, counts.stops);
  assert_true(counts.allowed > 50000 && counts.refused > 20000 && counts.unknown * 10 < counts.allowed && counts.stops > 500);
}

const Tree a{.kind = Tree::BYTES, .set = 1}, b{.kind = Tree::BYTES, .set = 2}, any{.kind = Tree::BYTES, .set = 5};
Tree word(std::vector<Tree> parts) { return {.kind = Tree::CONCAT, .parts = std::move(parts)}; }

// What an object without further properties asks of its keys: any string but these.
void all_strings_but_some(void**) {
  std::vector<std::string> tokens;
  const Vocab vocab = make_vocab(tokens);
  const Tree keys{.kind = Tree::EITHER, .parts = {word({a, a}), word({a, a, a, a}), a}};
  const Tree others{.kind = Tree::EXCEPT, .parts = {keys}}, some{.kind = Tree::REPEAT, .min = 1, .max = unbounded, .parts = {any}};
  const Tree key{.kind = Tree::BOTH, .parts = {some, others}};
  const Tree object = word({key, b, Tree{.kind = Tree::REPEAT, .min = 0, .max = 3, .parts = {word({key, b})}}});
  Counts counts;
  for (uint64_t seed = 0; seed < 20; seed++) {
    Dice dice{rows_splitmix64(seed)};
    walk(object, vocab, tokens, dice, counts);
  }
  assert_true(counts.unknown == 0 && counts.refused > 100);
}

// Counts too large for one token, over what matches nothing and before a complement: what leads there is refused, and only that.
void counts_and_nothing(void**) {
  std::vector<std::string> tokens;
  const Vocab vocab = make_vocab(tokens);
  const Tree nothing{.kind = Tree::BOTH, .parts = {word({a, a}), word({a, b})}}, not_a{.kind = Tree::EXCEPT, .parts = {a}};
  const auto many = [](Tree body) { return Tree{.kind = Tree::REPEAT, .min = 16, .max = 20, .parts = {std::move(body)}}; };
  const Tree tree{.kind = Tree::EITHER, .parts = {word({b, many(nothing), a}), word({a, many(any), not_a}), word({any, many(a), b})}};
  Counts counts;
  for (uint64_t seed = 0; seed < 20; seed++) {
    Dice dice{rows_splitmix64(seed)};
    walk(tree, vocab, tokens, dice, counts);
  }
  assert_true(counts.unknown == 0 && counts.refused > 100);
}

// A sequence of optional parts stays small, however its text is cut: each derivative is one of its ends, or a few.
void optional_parts(void**) {
  const auto byte = [](ExprStore& store, char c) { return store.bytes(byte_range(c, c)); };
  const auto optional = [](ExprStore& store, ExprId e) { return store.repeat(e, 0, 1); };
  {
    ExprStore store;
    const ExprId x = byte(store, 'a'), xy = store.concat(x, byte(store, 'b'));
    ExprId alone = ExprStore::empty, among = byte(store, 'c');
    for (int i = 0; i < 400; i++) alone = store.concat(optional(store, xy), alone), among = store.concat(optional(store, x), among);
    assert_true(alone == store.repeat(xy, 0, 400));
    assert_true(among == store.concat(store.repeat(x, 0, 400), byte(store, 'c')));
    assert_true(store.concat(x, store.star(x)) == store.repeat(x, 1, unbounded));
    assert_true(store.concat(store.star(x), store.concat(x, store.concat(x, xy))) ==
                store.concat(store.repeat(x, 3, unbounded), byte(store, 'b')));
    assert_true(store.concat(store.repeat(x, 2, 3), store.repeat(x, 5, 7)) == store.repeat(x, 7, 10));
  }
  ExprStore store;
  ExprId e = ExprStore::empty;
  const ExprId parts[] = {byte(store, 'a'), byte(store, 'b'), store.concat(byte(store, 'a'), byte(store, 'b'))};
  for (size_t i = 0; i < 900; i++) e = store.concat(optional(store, parts[i % 3]), e);
  const size_t before = store.size();
  for (size_t i = 0; i < 500; i++) e = store.derive(e, "ab"[i % 2]);
  assert_true(e != ExprStore::none);
  if (store.size() - before > 10 * 500) fail_msg("%zu expressions", store.size() - before);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(derivatives), cmocka_unit_test(masks), cmocka_unit_test(all_strings_but_some),
                              cmocka_unit_test(counts_and_nothing), cmocka_unit_test(optional_parts)};
  return cmocka_run_group_tests_name("grammar expressions", tests, nullptr, nullptr);
}

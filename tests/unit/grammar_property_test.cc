// Random grammars, random vocabularies, random walks: in every state, for every token of the row, the mask, allows and accept say what the
// slow recogniser says; refused tokens change nothing; going back, clones, resets and other splits of the same bytes change no verdict.
#include <algorithm>
#include <cstdlib>

#include "matching.h"
#include "recogniser.h"

// Last, as cmocka defines fail and skip as macros.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

using recogniser::Tree;

namespace {

uint64_t random_state = 1;
uint64_t next_random() {
  uint64_t z = (random_state += 0x9e3779b97f4a7c15);
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}
int below(int n) { return static_cast<int>(next_random() % static_cast<uint64_t>(n)); }

const std::vector<uint32_t> alphabet{'a', 'b', 'c', '"', '\n', 0, 0xe9, 0xe8, 0x4e2d, 0x4e2e, 0x1f600};

recogniser::Tokens random_tokens() {
  // Pieces include characters cut in every way.
  const std::vector<std::string> pieces{"a",        "b",        "c",    "\"",       "\n",           std::string(1, '\0'),
                                        "\xc3\xa9", "\xc3",     "\xa9", "\xa8",     "\xe4\xb8\xad", "\xe4",
                                        "\xb8",     "\xad",     "\xae", "\xe4\xb8", "\xb8\xad",     "\xf0\x9f\x98\x80",
                                        "\xf0\x9f", "\x98\x80", "\xf0", "\x80",     "\xc0",         "\xed\xa0\x80"};
  recogniser::Tokens out;
  for (const std::string& piece : pieces) out.bytes.push_back(piece);
  for (int i = 0; i < 30; i++) {
    std::string text;
    for (int k = 0, n = 2 + below(4); k < n; k++)
      text += pieces[static_cast<size_t>(below(below(3) ? 6 : static_cast<int>(pieces.size())))];
    out.bytes.push_back(text);
  }
  out.bytes.push_back("ab");
  out.bytes.push_back("ab");
  out.kinds.assign(out.bytes.size(), GSAMPLE_TOKEN_TEXT);
  for (auto [text, kind] : std::vector<std::pair<std::string, uint8_t>>{{"", GSAMPLE_TOKEN_TEXT},
                                                                        {"a", GSAMPLE_TOKEN_STOP},
                                                                        {"", GSAMPLE_TOKEN_STOP},
                                                                        {"b", GSAMPLE_TOKEN_CONTROL},
                                                                        {"c", GSAMPLE_TOKEN_UNUSED}})
    out.bytes.push_back(text), out.kinds.push_back(kind);
  return out;
}

Tree random_tree(int depth, int n_rules, int n_tokens) {
  Tree tree{};
  int kind = below(depth <= 0 ? 5 : 13);
  switch (kind) {
    case 0:
    case 1:
      tree.kind = Tree::LITERAL;
      for (int i = 0, n = below(4); i < n; i++) tree.characters.push_back(alphabet[static_cast<size_t>(below(i ? 11 : 3))]);
      break;
    case 2:
      tree.kind = Tree::CLASS;
      tree.negated = below(4) == 0;
      for (int i = 0, n = 1 + below(4); i < n; i++) tree.characters.push_back(alphabet[static_cast<size_t>(below(11))]);
      break;
    case 3:
      tree.kind = below(4) ? Tree::RULE : Tree::TOKEN;
      tree.negated = tree.kind == Tree::TOKEN && below(3) == 0;
      tree.id = below(tree.kind == Tree::RULE ? n_rules : n_tokens);
      break;
    case 4:
      tree.kind = Tree::RULE;
      tree.id = below(n_rules);
      break;
    case 5:
    case 6:
    case 7:
      tree.kind = Tree::SEQUENCE;
      for (int i = 0, n = 1 + below(4); i < n; i++) tree.parts.push_back(random_tree(depth - 1, n_rules, n_tokens));
      break;
    case 8:
    case 9:
      tree.kind = Tree::CHOICE;
      for (int i = 0, n = 2 + below(3); i < n; i++) tree.parts.push_back(random_tree(depth - 1, n_rules, n_tokens));
      break;
    case 11:
    case 12: {  // what has a table of its own: a loop over much, bounded or not, and what may end it
      Tree loop{}, many{};
      many.kind = Tree::CLASS;
      many.negated = true;
      for (int i = 0, n = 1 + below(3); i < n; i++) many.characters.push_back(alphabet[static_cast<size_t>(below(11))]);
      loop.kind = Tree::REPEAT;
      static constexpr int bounds[][2] = {{0, -1}, {1, -1}, {0, 45}, {41, 44}, {0, 3}, {40, -1}, {1, 9}, {0, 6}};
      const int* pair = bounds[below(8)];
      loop.min = pair[0], loop.max = pair[1];
      if (below(4) == 0) {
        Tree body{};
        body.kind = Tree::CHOICE;
        body.parts = {many, random_tree(depth - 2, n_rules, n_tokens)};
        loop.parts.push_back(body);
        loop.min = std::min(loop.min, 2), loop.max = std::min(loop.max, 4);
      } else {
        loop.parts.push_back(many);
      }
      tree.kind = Tree::SEQUENCE;
      tree.parts.push_back(loop);
      for (int i = 0, n = below(3); i < n; i++) tree.parts.push_back(random_tree(depth - 1, n_rules, n_tokens));
      break;
    }
    default: {
      tree.kind = Tree::REPEAT;
      static constexpr int bounds[][2] = {{0, -1}, {1, -1}, {0, 1}, {0, 3}, {2, 2}, {1, 4}, {2, -1}, {0, 0}};
      const int* pair = bounds[below(8)];
      tree.min = pair[0], tree.max = pair[1];
      tree.parts.push_back(random_tree(depth - 1, n_rules, n_tokens));
      // GBNF refuses to repeat the empty literal.
      if (tree.parts[0].kind == Tree::LITERAL && tree.parts[0].characters.empty()) tree.parts[0].characters.push_back('a');
    }
  }
  return tree;
}

std::vector<int32_t> all_allowed(const recogniser::Recogniser& slow, int32_t n) {
  std::vector<int32_t> out;
  for (int32_t token = 0; token < n; token++)
    if (slow.can_follow(token)) out.push_back(token);
  return out;
}

void compare(const matching::Matcher& matcher, const recogniser::Recogniser& slow, const recogniser::Tokens& tokens, size_t n_vocab,
             const std::string& about) {
  std::vector<int32_t> expected = all_allowed(slow, static_cast<int32_t>(n_vocab)), got = matching::allowed_tokens(matcher, n_vocab);
  for (int32_t token = 0; token < static_cast<int32_t>(n_vocab); token++) {
    bool want = std::binary_search(expected.begin(), expected.end(), token), have = std::binary_search(got.begin(), got.end(), token);
    if (want != have)
      fail_msg("%s\ntoken %d \"%s\": the recogniser says %d, the mask %d", about.c_str(), token,
               static_cast<size_t>(token) < tokens.bytes.size() ? tokens.bytes[static_cast<size_t>(token)].c_str() : "-", want, have);
    if (int32_t allows = gsample_matcher_allows(matcher.get(), token); allows != want)
      fail_msg("%s\ntoken %d: allows says %d", about.c_str(), token, allows);
  }
  if (gsample_matcher_can_stop(matcher.get()) != slow.can_end()) fail_msg("%s\ncan_stop differs", about.c_str());
}

void one_grammar(uint64_t seed) {
  random_state = seed;
  recogniser::Tokens tokens = random_tokens();
  size_t n_vocab = tokens.bytes.size() + static_cast<size_t>(below(40));
  int n_rules = 1 + below(4);
  std::vector<Tree> rules;
  for (int i = 0; i < n_rules; i++) rules.push_back(random_tree(3, n_rules, static_cast<int>(tokens.bytes.size())));
  std::string text = recogniser::to_gbnf(rules), about = "seed " + std::to_string(seed) + "\n" + text;
  matching::Vocab vocab = matching::make_vocab(tokens.bytes, tokens.kinds, static_cast<uint32_t>(n_vocab));
  matching::Grammar grammar;
  gsample_error error;
  int32_t status = matching::try_gbnf(vocab.get(), text, grammar, error);
  if (status) fail_msg("%s\n%s", about.c_str(), error.message);
  for (int walk = 0; walk < 2; walk++) {
    matching::Matcher matcher = matching::start(grammar);
    recogniser::Recogniser slow(rules, tokens);
    std::vector<recogniser::Recogniser> past{slow};
    std::string so_far = about;
    for (int step = 0; step < 6; step++) {
      compare(matcher, slow, tokens, n_vocab, so_far);
      std::vector<int32_t> allowed = all_allowed(slow, static_cast<int32_t>(n_vocab));
      int32_t refused = below(static_cast<int>(n_vocab));
      if (!std::binary_search(allowed.begin(), allowed.end(), refused) &&
          gsample_matcher_accept(matcher.get(), refused) != GSAMPLE_ERROR_REFUSED)
        fail_msg("%s\ntoken %d was not refused", so_far.c_str(), refused);
      if (allowed.empty()) break;
      int32_t token = allowed[static_cast<size_t>(below(static_cast<int>(allowed.size())))];
      if (gsample_matcher_accept(matcher.get(), token) || !slow.accept(token)) fail_msg("%s\ntoken %d was refused", so_far.c_str(), token);
      so_far += " " + std::to_string(token);
      past.push_back(slow);
      if (below(4) == 0) {  // back, and what was there is there again
        int n = below(static_cast<int>(past.size()));
        matching::Matcher copy = matching::clone(matcher);
        assert_int_equal(gsample_matcher_rollback(matcher.get(), static_cast<size_t>(n)), GSAMPLE_OK);
        compare(matcher, past[past.size() - 1 - static_cast<size_t>(n)], tokens, n_vocab, so_far + " back " + std::to_string(n));
        if (below(2)) {  // go on from there
          past.erase(past.end() - n, past.end());
          slow = past.back();
        } else {
          matcher = std::move(copy);
        }
      }
    }
    if (walk == 0 && below(2)) {
      assert_int_equal(gsample_matcher_rollback(matcher.get(), 1000), GSAMPLE_ERROR_INVALID_ARGUMENT);
      assert_int_equal(gsample_matcher_reset(matcher.get()), GSAMPLE_OK);
      compare(matcher, recogniser::Recogniser(rules, tokens), tokens, n_vocab, about + " reset");
    }
  }
}

void random_grammars(void**) {
  const char* more = getenv("GSAMPLE_TEST_GRAMMARS");
  uint64_t n = more ? strtoull(more, nullptr, 10) : 400;
  for (uint64_t seed = 1; seed <= n; seed++) one_grammar(seed);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(random_grammars)};
  return cmocka_run_group_tests_name("grammar property", tests, nullptr, nullptr);
}

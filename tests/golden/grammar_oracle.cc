// The grammar oracle: what another engine allowed, in every state of many walks, over a vocabulary of 600 tokens that cut characters.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "matching.h"

// Last, as cmocka defines fail and skip as macros.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
extern "C" {
#include <cmocka.h>
}

using nlohmann::json;

namespace {

const std::string folder = "../shared/oracle/grammar/";
constexpr size_t n_vocab = 600;
matching::Vocab vocab;
std::vector<bool> is_cut(n_vocab);
std::vector<std::string> token_text;
std::vector<json> cases;

bool load() {
  std::ifstream tokens_file(folder + "vocab.json"), cases_file(folder + "grammar.jsonl");
  if (!tokens_file || !cases_file) return false;
  std::vector<std::string> tokens;
  std::vector<uint8_t> kinds;
  json listed = json::parse(tokens_file);
  for (const json& token : listed["tokens"]) {
    std::string hex = token["hex"], bytes;
    for (size_t i = 0; i < hex.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    is_cut[tokens.size()] = token["utf8"] == "cut";
    kinds.push_back(token["eog"] ? GSAMPLE_TOKEN_STOP : bytes.empty() ? GSAMPLE_TOKEN_CONTROL : GSAMPLE_TOKEN_TEXT);
    tokens.push_back(bytes);
  }
  vocab = matching::make_vocab(tokens, kinds);
  token_text = tokens;
  for (std::string line; std::getline(cases_file, line);) cases.push_back(json::parse(line));
  return true;
}

// Can the text be continued to UTF-8? The oracle lets overlong forms, surrogates and code points above U+10FFFF pass.
bool begins_utf8(const std::string& text) {
  for (size_t i = 0; i < text.size();) {
    unsigned char lead = static_cast<unsigned char>(text[i++]);
    if (lead < 0x80) continue;
    if (lead < 0xc2 || lead > 0xf4) return false;
    int more = lead >= 0xf0 ? 3 : lead >= 0xe0 ? 2 : 1;
    unsigned low = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80, high = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    for (; more > 0 && i < text.size(); more--, low = 0x80, high = 0xbf) {
      unsigned char next = static_cast<unsigned char>(text[i++]);
      if (next < low || next > high) return false;
    }
  }
  return true;
}

// The oracle refuses a cut character under a negated class if any completion is excluded; exact is: if every one is.
bool negates_beyond_ascii(const std::string& gbnf) { return gbnf.find("[^\xc3\xa9") != std::string::npos; }

void walks(void**) {
  size_t states = 0;
  for (const json& c : cases) {
    if (c["type"] != "gbnf") continue;
    std::string id = c["id"], text = c["gbnf"];
    matching::Grammar grammar = matching::gbnf(vocab, text);
    matching::Matcher matcher = matching::start(grammar);
    std::string so_far;
    for (size_t s = 0; s < c["allowed"].size(); s++, states++) {
      std::vector<int32_t> expected = c["allowed"][s], got = matching::allowed_tokens(matcher, n_vocab);
      for (int32_t token = 0; token < static_cast<int32_t>(n_vocab); token++) {
        bool in_oracle = std::binary_search(expected.begin(), expected.end(), token);
        bool ours = std::binary_search(got.begin(), got.end(), token);
        assert_int_equal(ours, gsample_matcher_allows(matcher.get(), token));
        if (in_oracle == ours || (!ours && !begins_utf8(so_far + token_text[static_cast<size_t>(token)]))) continue;
        if (is_cut[static_cast<size_t>(token)] && negates_beyond_ascii(text)) continue;
        fail_msg("%s, state %zu, token %d: the oracle says %d", id.c_str(), s, token, in_oracle);
      }
      if (gsample_matcher_can_stop(matcher.get()) != (c["done"][s] ? 1 : 0)) fail_msg("%s, state %zu: can_stop", id.c_str(), s);
      if (s == c["accept"].size()) break;
      int32_t status = gsample_matcher_accept(matcher.get(), c["accept"][s]);
      if (status == GSAMPLE_ERROR_REFUSED && !begins_utf8(so_far + token_text[c["accept"][s].get<size_t>()])) break;
      if (status != (c["fed_was_allowed"][s] ? GSAMPLE_OK : GSAMPLE_ERROR_REFUSED))
        fail_msg("%s, state %zu: accept gave %d", id.c_str(), s, status);
      if (status == GSAMPLE_OK) so_far += token_text[c["accept"][s].get<size_t>()];
    }
  }
  print_message("%zu states equal\n", states);
  assert_true(states > 500);
}

void errors(void**) {
  for (const json& c : cases) {
    if (c["type"] != "gbnf_error") continue;
    matching::Grammar grammar;
    gsample_error error;
    int32_t status = matching::try_gbnf(vocab.get(), std::string(c["gbnf"]), grammar, error);
    if (status != GSAMPLE_ERROR_SYNTAX || error.line < 1 || error.column < 1)
      fail_msg("%s: status %d, line %d, column %d, %s", std::string(c["gbnf"]).c_str(), status, error.line, error.column, error.message);
  }
}

// Left recursion, on which the other engine never returns, works; a maximum below the minimum is an error.
void diverging(void**) {
  for (const json& c : cases) {
    if (c["type"] != "gbnf_diverges") continue;
    std::string text = c["gbnf"], why = c["why"];
    matching::Grammar grammar;
    gsample_error error;
    int32_t status = matching::try_gbnf(vocab.get(), text, grammar, error);
    if (why.find("left recursion") == std::string::npos) {
      assert_int_equal(status, GSAMPLE_ERROR_SYNTAX);
    } else {
      assert_int_equal(status, GSAMPLE_OK);
      matching::Matcher matcher = matching::start(grammar);
      assert_true(matching::allowed_tokens(matcher, n_vocab).size() > 0);
    }
  }
}

// Grammars that another system made of JSON Schemas: the documents' verdicts.
void schema_grammars(void**) {
  for (const json& c : cases) {
    if (c["type"] != "schema" || !c.value("gbnf_parses", false)) continue;
    matching::Grammar grammar = matching::gbnf(vocab, std::string(c["gbnf"]));
    for (const json& doc : c["docs"]) {
      matching::Matcher matcher = matching::start(grammar);
      bool good = true;
      for (unsigned char byte : std::string(doc["doc"]))  // token 3 + b is the byte b
        if (good && gsample_matcher_accept(matcher.get(), 3 + byte) != GSAMPLE_OK) good = false;
      good = good && gsample_matcher_can_stop(matcher.get()) == 1;
      if (good != doc["grammar_accepts"].get<bool>()) fail_msg("%s: %s", std::string(c["id"]).c_str(), std::string(doc["doc"]).c_str());
    }
  }
}

}  // namespace

int main() {
  if (!load()) {
    printf("skipped: the oracle is not there\n");
    return 77;
  }
  const CMUnitTest tests[] = {cmocka_unit_test(walks), cmocka_unit_test(errors), cmocka_unit_test(diverging),
                              cmocka_unit_test(schema_grammars)};
  int failed = cmocka_run_group_tests_name("grammar oracle", tests, nullptr, nullptr);
  vocab.reset();
  return failed;
}

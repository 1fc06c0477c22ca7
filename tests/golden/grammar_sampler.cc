// The oracle of sampler and grammar together: golem's tokens, picked LAZY inside a grammar. And that the ways to constrain agree with
// each other: the matcher as constraint, the same through `allows` and `accept` alone, and its mask in the row.
#include <algorithm>
#include <fstream>
#include <nlohmann/json.hpp>

#include "matching.h"
#include "rows.h"

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

constexpr size_t n_vocab = 600;
matching::Vocab vocab;
std::vector<uint8_t> kinds;
std::vector<json> cases;

bool load() {
  std::ifstream tokens_file("../shared/oracle/grammar/vocab.json"), cases_file("../shared/oracle/golem/grammar_sampler.jsonl");
  if (!tokens_file || !cases_file) return false;
  std::vector<std::string> tokens;
  json listed = json::parse(tokens_file);
  for (const json& token : listed["tokens"]) {
    std::string hex = token["hex"], bytes;
    for (size_t i = 0; i < hex.size(); i += 2) bytes.push_back(static_cast<char>(std::stoi(hex.substr(i, 2), nullptr, 16)));
    kinds.push_back(token["eog"] ? GSAMPLE_TOKEN_STOP : bytes.empty() ? GSAMPLE_TOKEN_CONTROL : GSAMPLE_TOKEN_TEXT);
    tokens.push_back(bytes);
  }
  vocab = matching::make_vocab(tokens, kinds);
  for (std::string line; std::getline(cases_file, line);) cases.push_back(json::parse(line));
  return true;
}

gsample_params params_of(const json& p, int32_t mode) {
  gsample_params params = {};
  params.size = sizeof params;
  gsample_error error = matching::fresh_error();
  if (int32_t status = gsample_params_preset(&params, "golem", &error)) matching::die("preset", "", status, &error);
  params.seed = std::stoull(std::string(p["seed"]), nullptr, 16);
  params.top_k = p["top_k"];
  params.temperature = p["temperature"];
  params.top_p = p["top_p"];
  params.min_p = p["min_p"];
  params.penalty_last_n = p["penalty_last_n"];
  params.penalty_repeat = p["penalty_repeat"];
  params.penalty_freq = p["penalty_freq"];
  params.penalty_present = p["penalty_present"];
  params.constraint_mode = mode;
  return params;
}

enum class Way { constraint, callbacks, mask };

std::vector<int32_t> picks(const json& c, Way way, int32_t mode) {
  gsample_params params = params_of(c["params"], mode);
  gsample_error error = matching::fresh_error();
  gsample_sampler* sampler = nullptr;
  if (int32_t status = gsample_new(&params, &sampler, &error)) matching::die("gsample_new", "", status, &error);
  std::vector<int32_t> prompt = c["prompt"], out;
  assert_int_equal(gsample_seed(sampler, prompt.data(), prompt.size()), GSAMPLE_OK);
  matching::Grammar grammar = matching::gbnf(vocab, std::string(c["gbnf"]));
  matching::Matcher own = matching::start(grammar);
  if (way != Way::mask) {
    gsample_constraint constraint = {};
    constraint.size = sizeof constraint;
    assert_int_equal(gsample_matcher_constraint(matching::start(grammar).release(), &constraint), GSAMPLE_OK);
    if (way == Way::callbacks) constraint.mask = nullptr, constraint.first_bytes = nullptr, constraint.first_byte = nullptr;
    assert_int_equal(gsample_constrain(sampler, &constraint), GSAMPLE_OK);
  }
  std::vector<float> logits(n_vocab);
  for (int p = 0; p < static_cast<int>(c["max_picks"]); p++) {
    rows_fill(logits.data(), n_vocab, std::string(c["rows"]["kind"]).c_str(), c["rows"]["row_seed"],
              c["rows"]["fresh"] ? static_cast<uint64_t>(p) : 0);
    int32_t token;
    if (way == Way::mask) {
      std::vector<uint32_t> words = matching::mask_words(own, n_vocab);
      gsample_row row = {};
      row.size = sizeof row, row.dtype = GSAMPLE_F32, row.n_vocab = n_vocab, row.logits = logits.data(), row.mask = words.data();
      token = gsample_pick_row(sampler, &row, nullptr);
      if (token >= 0) assert_int_equal(gsample_matcher_accept(own.get(), token), GSAMPLE_OK);
    } else {
      token = gsample_pick(sampler, logits.data(), n_vocab);
    }
    out.push_back(token);
    if (token < 0 || kinds[static_cast<size_t>(token)] == GSAMPLE_TOKEN_STOP) break;
  }
  gsample_free(sampler);
  return out;
}

// golem lets bytes that are not UTF-8 pass for characters (README of the oracle); where a grammar takes nearly any character, its
// candidates are others and so are its tokens, rightly.
bool takes_any_character(const std::string& gbnf) { return gbnf.find("[^") != std::string::npos || gbnf.find(".*") != std::string::npos; }

void oracle(void**) {
  size_t n = 0, compared = 0;
  for (const json& c : cases) {
    if (takes_any_character(c["gbnf"])) continue;
    std::vector<int32_t> expected = c["tokens"];
    for (Way way : {Way::constraint, Way::callbacks}) {
      std::vector<int32_t> got = picks(c, way, GSAMPLE_CONSTRAINT_LAZY);
      size_t at = static_cast<size_t>(std::mismatch(got.begin(), got.end(), expected.begin(), expected.end()).first - got.begin());
      if (got != expected) fail_msg("%s: pick %zu differs", std::string(c["id"]).c_str(), at);
    }
    n += expected.size();
    compared++;
  }
  print_message("%zu of %zu cases compared, %zu tokens equal\n", compared, cases.size(), n);
  assert_true(compared >= 12);
}

void the_ways_agree(void**) {
  for (const json& c : cases) {
    std::vector<int32_t> masked = picks(c, Way::mask, GSAMPLE_CONSTRAINT_LAZY);
    assert_true(masked == picks(c, Way::constraint, GSAMPLE_CONSTRAINT_MASK_FIRST));
    assert_true(masked == picks(c, Way::callbacks, GSAMPLE_CONSTRAINT_MASK_FIRST));
    assert_true(picks(c, Way::constraint, GSAMPLE_CONSTRAINT_MASK_LAST) == picks(c, Way::callbacks, GSAMPLE_CONSTRAINT_MASK_LAST));
  }
}

}  // namespace

int main() {
  if (!load()) {
    printf("skipped: the oracle is not there\n");
    return 77;
  }
  const CMUnitTest tests[] = {cmocka_unit_test(oracle), cmocka_unit_test(the_ways_agree)};
  int failed = cmocka_run_group_tests_name("grammar and sampler", tests, nullptr, nullptr);
  vocab.reset();
  return failed;
}

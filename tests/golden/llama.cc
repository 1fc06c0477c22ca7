// llama.cpp's single stages and chains (oracle/llama) on one engine: `llama library` or `llama reference`. Its README says what to
// hold and what not: sets and probabilities to 1e-5, ties and borders that its sort or its f32 sums decide left out.
#include <algorithm>
#include <cmath>

#include "checks.h"
#include "oracle.h"

namespace {

using Shares = std::vector<std::pair<int32_t, double>>;

Shares without_zeros(Shares in) {
  std::erase_if(in, [](auto& s) { return s.second == 0; });
  std::sort(in.begin(), in.end());
  return in;
}

// Dynamic temperature divides rounded logits; the T' it used shows in the ratio of two probabilities.
double tolerance(const LlamaCase& l, const LlamaStep& step, const Shares& out) {
  if (!l.dynamic_temperature) return 1e-5;
  auto [low, high] = std::minmax_element(out.begin(), out.end(), [](auto& a, auto& b) { return a.second < b.second; });
  double spread = step.logits[high->first] - step.logits[low->first], t = spread / std::log(high->second / low->second), largest = 0;
  for (auto& [id, p] : out) largest = std::max(largest, std::fabs(static_cast<double>(step.logits[id])));
  return std::isfinite(t) && t > 0 ? 1e-5 + 2e-6 * largest / t : 1e-5;
}

// Empty where the distribution is the one expected.
std::string law_difference(const LlamaCase& l, const LlamaStep& step, const Distribution& law) {
  Shares want = without_zeros(step.out), got;
  for (size_t i = 0; i < law.ids.size(); i++) got.push_back({law.ids[i], law.weights[i]});
  got = without_zeros(got);
  if (want.size() != got.size()) {
    if (l.at_margin && want.size() + 1 >= got.size() && got.size() + 1 >= want.size()) return "";
    return std::to_string(want.size()) + " tokens expected, got " + std::to_string(got.size());
  }
  if (l.tie_cut)  // which of the equal ones survive is not held, their probabilities are
    for (Shares* s : {&want, &got}) std::sort(s->begin(), s->end(), [](auto& a, auto& b) { return a.second < b.second; });
  double allowed = tolerance(l, step, want);
  for (size_t i = 0; i < want.size(); i++) {
    if (!l.tie_cut && want[i].first != got[i].first)
      return "token " + std::to_string(want[i].first) + " expected, got " + std::to_string(got[i].first);
    if (std::fabs(want[i].second - got[i].second) > allowed * want[i].second + 1e-30)
      return "probability of " + std::to_string(want[i].first) + ": " + std::to_string(want[i].second) + " expected, got " +
             std::to_string(got[i].second);
  }
  return "";
}

RowData row_of(const LlamaStep& step) {
  RowData row;
  row.values = step.logits;
  return row;
}

// Sets the seed from which the engine's pick is `token` and takes it: state that moves with a choice follows the other system's.
bool force(Engine& engine, const RowData& row, int32_t token) {
  for (uint64_t seed = 0; seed < 1000000; seed++) {
    auto copy = engine.clone();
    copy->rng_seed(seed);
    if (copy->pick(row) != token) continue;
    engine.rng_seed(seed);
    return engine.pick(row) == token;
  }
  return false;
}

// Returns whether the case could be held.
bool check(const LlamaCase& l) {
  const gsample_params& p = l.c.params;
  if (l.refused && !on_library) return false;
  if (!l.inexpressible.empty()) return false;
  auto engine = make_engine(p);
  if (l.refused) {
    require(!engine || engine->bias(l.c.bias) == GSAMPLE_ERROR_INVALID_ARGUMENT, l.c.name, "a bad parameter or bias was taken");
    return true;
  }
  require(engine != nullptr, l.c.name, "the parameters were refused");
  require(engine->bias(l.c.bias) == 0 && engine->seed(l.c.prompt) == 0, l.c.name, "set-up failed");
  for (auto& b : l.c.breakers) require(engine->breaker(b) == 0, l.c.name, "a breaker was refused");
  for (const LlamaStep& step : l.steps) {
    RowData row = row_of(step);
    Distribution law;
    int32_t status = engine->clone()->distribution(row, &law);
    if (std::all_of(step.logits.begin(), step.logits.end(), [](float v) { return v == -INFINITY; })) {
      require(status == GSAMPLE_ERROR_NO_CANDIDATE && engine->pick(row) == status, l.c.name, "NO_CANDIDATE expected");
      return true;
    }
    if (l.quirk) return false;
    require(status == 0, l.c.name, "no distribution");
    if (l.group == "greedy") {
      require(engine->pick(row) == step.selected, l.c.name, "another token than the best");
      continue;
    }
    std::string difference = law_difference(l, step, law);
    for (uint64_t seed = 0; seed < 100 && !difference.empty() && p.xtc_probability > 0 && p.xtc_probability < 1; seed++) {
      auto copy = engine->clone();
      copy->rng_seed(seed);
      if (copy->distribution(row, &law) == 0) difference = law_difference(l, step, law);  // XTC fires, or it does not
    }
    if (!difference.empty()) fail_msg("%s (%s), %s", l.c.name.c_str(), l.group.c_str(), difference.c_str());
    if (l.steps.size() > 1) require(force(*engine, row, step.selected), l.c.name, "the token that was selected there cannot be drawn");
  }
  return true;
}

void check_file(const char* name) {
  size_t held = 0, left = 0;
  for (const LlamaCase& l : llama_cases(name)) (check(l) ? held : left)++;
  print_message("%s: %zu cases held, %zu left out (quirks, chains that cannot be said)\n", name, held, left);
  assert_true(held > left);
}

void single_picks(void**) { check_file("golden.jsonl"); }
void steps(void**) { check_file("golden_steps.jsonl"); }

}  // namespace

int main(int argc, char** argv) {
  if (!choose_engine(argc, argv)) return 2;
  if (oracle_file("llama/golden.jsonl").empty()) return skip_all("../shared/oracle/llama is absent");
  const CMUnitTest tests[] = {cmocka_unit_test(single_picks), cmocka_unit_test(steps)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}

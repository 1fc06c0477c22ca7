// The tokens that gsample_pick draws follow the probabilities of the chain: chi-square of 10^6 draws a case (10^5 on wide rows) against the
// reference's distribution, which is computed without any draw. A case fails beyond 4 standard deviations to either side, so a right
// sampler would fail one with probability 6e-5, the whole file with less than 0.2%; the seeds are fixed, so what passes once passes always.
#include <algorithm>
#include <cmath>
#include <string>

#include "checks.h"
#include "fields.h"
#include "play.h"
#include "rows.h"

namespace {

constexpr size_t kDraws = 1000000;
size_t draws_of(const RowData& row) { return row.values.size() > 100 ? kDraws / 10 : kDraws; }

struct Law {
  std::vector<double> p;  // of every token of the row
};

RowData recipe(const char* kind, uint32_t n) {
  RowData row;
  row.values.resize(n);
  rows_fill(row.values.data(), n, kind, 42, 0);
  return row;
}

gsample_params settings(std::initializer_list<std::pair<const char*, const char*>> pairs, std::initializer_list<int32_t> order) {
  gsample_params p = default_params();
  p.top_k = 0, p.top_p = 1, p.seed = 20;
  for (auto& [key, value] : pairs) require(field_set(key, value, &p), key, "no such parameter");
  std::fill(std::begin(p.order), std::end(p.order), 0);
  std::copy(order.begin(), order.end(), p.order);
  return p;
}

std::unique_ptr<Engine> set_up(std::unique_ptr<Engine> engine, const Rule& rule, const std::vector<int32_t>& prompt) {
  if (!prompt.empty()) engine->seed(prompt);
  if (rule.on) engine->constrain(rule);
  return engine;
}

// Adds `share` of the reference's distribution for these parameters.
void add_law(Law* law, double share, const gsample_params& params, const RowData& row, const Rule& rule,
             const std::vector<int32_t>& prompt) {
  Distribution d;
  auto engine = set_up(reference_engine(params), rule, prompt);
  assert_int_equal(engine->distribution(row, &d), 0);
  double total = 0;
  for (double w : d.weights) total += w;
  law->p.resize(row.values.size());
  for (size_t i = 0; i < d.ids.size(); i++) law->p[static_cast<size_t>(d.ids[i])] += share * d.weights[i] / total;
}

// XTC fires or not: its law is the mixture of both.
Law exact_law(const gsample_params& params, const RowData& row, const Rule& rule, const std::vector<int32_t>& prompt) {
  Law law;
  gsample_params off = params, on = params;
  off.xtc_probability = 0, on.xtc_probability = 1;
  double fires = params.xtc_probability;
  if (fires > 0) add_law(&law, fires, on, row, rule, prompt);
  if (fires < 1) add_law(&law, 1 - fires, off, row, rule, prompt);
  return law;
}

// How many standard deviations chi-square lies above what it is on average (Wilson and Hilferty 1931). Rare tokens share a cell.
double excess(const std::vector<size_t>& seen, const std::vector<double>& p, double draws) {
  double chi = 0, rest = 0, rest_seen = 0;
  int cells = 0;
  auto cell = [&](double expected, double got) { chi += (got - expected) * (got - expected) / expected, cells++; };
  for (size_t i = 0; i < p.size(); i++) {
    if (p[i] == 0) assert_int_equal(seen[i], 0);
    if (p[i] * draws >= 10) cell(p[i] * draws, static_cast<double>(seen[i]));
    else rest += p[i] * draws, rest_seen += static_cast<double>(seen[i]);
  }
  if (rest >= 10) cell(rest, rest_seen);
  else assert_true(rest_seen <= rest + 8 * std::sqrt(rest) + 8);
  if (cells < 2) return 0;
  double df = cells - 1, k = 2 / (9 * df);
  return (std::cbrt(chi / df) - (1 - k)) / std::sqrt(k);
}

void check(const std::string& name, const std::vector<size_t>& seen, const std::vector<double>& p, size_t draws) {
  double z = excess(seen, p, static_cast<double>(draws));
  print_message("%-44s %+.2f\n", name.c_str(), z);
  if (std::fabs(z) > 4) fail_msg("%s: chi-square is %.2f standard deviations off", name.c_str(), z);
}

// One sampler picks again and again from one row; or, with `anew`, each pick is the first of a sampler with its own seed.
void pick_case(const std::string& name, const gsample_params& params, const RowData& row, const Rule& rule = {},
               const std::vector<int32_t>& prompt = {}, bool anew = false) {
  size_t draws = draws_of(row);
  Law law = exact_law(params, row, rule, prompt);
  auto engine = set_up(library_engine(params, nullptr), rule, prompt);
  std::vector<size_t> seen(row.values.size());
  for (size_t i = 0; i < draws; i++) {
    int32_t token;
    if (anew) {
      auto copy = engine->clone();
      copy->rng_seed(i);
      token = copy->pick(row);
    } else {
      token = engine->pick(row);
    }
    assert_in_range(token, 0, row.values.size() - 1);
    seen[static_cast<size_t>(token)]++;
  }
  check(name, seen, law.p, draws);
}

constexpr int32_t kPenalties = GSAMPLE_STAGE_PENALTIES, kDry = GSAMPLE_STAGE_DRY, kSigma = GSAMPLE_STAGE_TOP_N_SIGMA,
                  kTopK = GSAMPLE_STAGE_TOP_K, kTypical = GSAMPLE_STAGE_TYPICAL_P, kTopP = GSAMPLE_STAGE_TOP_P, kMinP = GSAMPLE_STAGE_MIN_P,
                  kXtc = GSAMPLE_STAGE_XTC, kTemperature = GSAMPLE_STAGE_TEMPERATURE;

// Here the expected probabilities are a softmax in long double, so that the reference is not asked about itself.
void whole_row(void**) {
  for (uint32_t n : {2u, 3u, 17u, 256u, 1025u, 4099u})
    for (const char* kind : {"flat", "cubic"}) {
      RowData row = recipe(kind, n);
      std::vector<double> p(n);
      long double total = 0;
      for (float v : row.values) total += std::exp(static_cast<long double>(v));
      for (uint32_t i = 0; i < n; i++) p[i] = static_cast<double>(std::exp(static_cast<long double>(row.values[i])) / total);
      auto engine = library_engine(settings({}, {kTemperature}), nullptr);
      std::vector<size_t> seen(n);
      for (size_t i = 0; i < draws_of(row); i++) seen[static_cast<size_t>(engine->pick(row))]++;
      check(std::string("whole row, ") + kind + ", " + std::to_string(n), seen, p, draws_of(row));
    }
}

void chains(void**) {
  RowData small = recipe("cubic", 40), middle = recipe("cubic", 300), large = recipe("ties16", 4099);
  gsample_params golem = settings({{"top_k", "20"}, {"top_p", "0.95"}, {"min_p", "0.02"}, {"temperature", "1.5"}},
                                  {kPenalties, kTopK, kTopP, kMinP, kTemperature});
  pick_case("golem, 40", golem, small);
  pick_case("golem, 300", golem, middle);
  pick_case("golem, 4099 with ties", golem, large);
  gsample_params vllm = settings({{"temperature", "1.3"}, {"min_p", "0.01"}, {"top_k", "30"}, {"top_p", "0.9"}},
                                 {kPenalties, kTemperature, kMinP, kTopK, kTopP});
  pick_case("vllm, 300", vllm, middle);
  pick_case("typical-p", settings({{"typical_p", "0.8"}}, {kTypical, kTemperature}), middle);
  pick_case("top-n-sigma", settings({{"top_n_sigma", "2"}}, {kSigma, kTemperature}), middle);
  pick_case("dynamic temperature", settings({{"dynatemp_range", "0.7"}}, {kTopK, kTemperature}), small);
  pick_case("xtc", settings({{"xtc_probability", "0.3"}, {"xtc_threshold", "0.05"}, {"top_p", "0.98"}}, {kXtc, kTopP, kTemperature}),
            small);
  pick_case("mirostat 2, eta 0",
            settings({{"mirostat", "2"}, {"mirostat_tau", "2"}, {"mirostat_eta", "0"}}, {kTemperature, GSAMPLE_STAGE_MIROSTAT}), middle);
}

void first_picks(void**) {
  RowData row = recipe("cubic", 40);
  pick_case("a million seeds", settings({{"top_k", "20"}}, {kTopK, kTemperature}), row, {}, {}, true);
  gsample_params shaped = settings({{"penalty_repeat", "1.3"}, {"penalty_freq", "0.2"}, {"dry_multiplier", "0.8"}, {"temperature", "2"}},
                                   {kPenalties, kDry, kTemperature});
  pick_case("penalties and DRY", shaped, row, {}, {3, 4, 5, 3, 4, 8, 3, 4}, true);
  pick_case("adaptive-p", settings({{"adaptive_target", "0.2"}, {"top_k", "10"}}, {kTopK, GSAMPLE_STAGE_ADAPTIVE_P}), row, {}, {}, true);
}

void constrained(void**) {
  RowData row = recipe("cubic", 40);
  Rule rule;
  rule.on = true, rule.modulus = 3, rule.list = {1};
  for (const char* mode : {"0", "1", "2"})
    pick_case(std::string("constraint, mode ") + mode,
              settings({{"top_k", "12"}, {"temperature", "2"}, {"constraint_mode", mode}}, {kTopK, kTemperature}), row, rule);
}

// Successive draws are independent: the pairs follow the product.
void pairs(void**) {
  RowData row = recipe("flat", 7);
  gsample_params params = settings({{"temperature", "0.3"}}, {kTemperature});
  Law law = exact_law(params, row, {}, {});
  auto engine = library_engine(params, nullptr);
  std::vector<double> p;
  for (double a : law.p)
    for (double b : law.p) p.push_back(a * b);
  std::vector<size_t> seen(49);
  for (size_t i = 0; i < kDraws; i++) {
    int32_t first = engine->pick(row);
    seen[static_cast<size_t>(first * 7 + engine->pick(row))]++;
  }
  check("pairs of successive tokens", seen, p, kDraws);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(whole_row), cmocka_unit_test(chains), cmocka_unit_test(first_picks),
                              cmocka_unit_test(constrained), cmocka_unit_test(pairs)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}

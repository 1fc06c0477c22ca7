// The stages, each straight from its paragraph of semantics. A set comes in C1 order and leaves in C1 order.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/real.h"
#include "reference_parts.h"

namespace reference {

using gsample::log2_f64, gsample::log_f64, gsample::pow_f64;

// Nothing penalised, nothing sorted: then even values that a temperature has made equal keep their order.
static void sort_if_changed(Set& set, const Set& before) {
  for (size_t i = 0; i < set.size(); i++)
    if (set[i].value != before[i].value) return sort_c1(set);
}

void penalties(const State& state, Set& set) {
  const gsample_params& p = state.params;
  bool window = p.penalty_style == GSAMPLE_PENALTY_WINDOW;
  float repeat = p.penalty_repeat == 0 ? 1 : p.penalty_repeat;
  if ((repeat == 1 && p.penalty_freq == 0 && p.penalty_present == 0) || (window && p.penalty_last_n == 0)) return;
  size_t n = state.history.size(), first = 0;
  if (window && p.penalty_last_n >= 0) first = n - std::min(n, static_cast<size_t>(p.penalty_last_n));
  std::map<int32_t, int> seen, count;
  for (size_t i = first; i < n; i++) {
    seen[state.history[i].token]++;
    if (window || state.history[i].answer) count[state.history[i].token]++;
  }
  const Set before = set;
  for (auto& t : set) {
    if (!seen.count(t.id) || t.value == -kInfinity) continue;  // weight 0 stays weight 0
    t.value = clamp(t.value <= 0 ? t.value * repeat : t.value / repeat);
    if (!count.count(t.id)) continue;
    t.value = clamp(t.value - clamp(static_cast<float>(count[t.id]) * p.penalty_freq));
    t.value = clamp(t.value - p.penalty_present);
  }
  sort_if_changed(set, before);
}

void dry(const State& state, Set& set) {
  const gsample_params& p = state.params;
  if (p.dry_multiplier == 0 || p.dry_base < 1 || p.dry_last_n == 0) return;
  std::vector<int32_t> h;
  for (auto& s : state.history) h.push_back(s.token);
  if (p.dry_last_n > 0 && h.size() > static_cast<size_t>(p.dry_last_n)) h.erase(h.begin(), h.end() - p.dry_last_n);
  size_t n = h.size(), limit = n;
  for (auto& b : state.breakers)
    for (size_t end = b.size(); end <= n; end++)
      if (std::equal(b.begin(), b.end(), h.begin() + (end - b.size()))) limit = std::min(limit, n - end);
  std::map<int32_t, size_t> longest;
  for (size_t e = 1; e < n; e++) {
    size_t m = 0;
    while (m < e && m < limit && h[e - 1 - m] == h[n - 1 - m]) m++;
    size_t& best = longest[h[e]];
    best = std::max(best, m);
  }
  const Set before = set;
  for (auto& t : set) {
    if (!longest.count(t.id) || t.value == -kInfinity || longest[t.id] < static_cast<size_t>(p.dry_allowed_length)) continue;
    if (std::count(state.breakers.begin(), state.breakers.end(), std::vector<int32_t>{t.id})) continue;
    double penalty = p.dry_multiplier * pow_f64(p.dry_base, static_cast<double>(longest[t.id] - p.dry_allowed_length));
    t.value = clamp(t.value - static_cast<float>(std::min(penalty, static_cast<double>(kFloatMax))));
  }
  sort_if_changed(set, before);
}

void top_n_sigma(const gsample_params& p, Set& set) {
  if (p.top_n_sigma <= 0) return;
  double mean, deviation;
  mean_and_deviation(set, &mean, &deviation);
  float threshold = static_cast<float>(static_cast<double>(set[0].value) - p.top_n_sigma * deviation);
  std::erase_if(set, [&](auto& t) { return t.value < threshold; });
}

void typical_p(const gsample_params& p, Set& set) {
  if (p.typical_p >= 1) return;
  softmax(set);
  double h = entropy(set), sum = 0;
  std::erase_if(set, [](auto& t) { return t.p == 0; });
  auto odd = [&](const Candidate& t) { return std::fabs(-log_f64(t.p) - h); };
  Set by_deviation = set;
  std::stable_sort(by_deviation.begin(), by_deviation.end(), [&](auto& a, auto& b) { return odd(a) < odd(b); });
  size_t n = 0;
  while (n < set.size() && (sum < p.typical_p || n == 0)) sum += by_deviation[n++].p;
  keep_first(by_deviation, n, p.min_keep);
  std::set<int32_t> kept;
  for (auto& t : by_deviation) kept.insert(t.id);
  std::erase_if(set, [&](auto& t) { return !kept.count(t.id); });
}

void top_p(const gsample_params& p, Set& set) {
  if (p.top_p >= 1) return;
  softmax(set);
  double sum = 0;
  size_t n = 0;
  while (n < set.size()) {
    sum += set[n++].p;
    if (sum >= p.top_p) break;
  }
  keep_first(set, n, p.min_keep);
}

void min_p(const gsample_params& p, Set& set) {
  if (p.min_p == 0) return;
  float threshold = set[0].value + static_cast<float>(log_f64(p.min_p));
  size_t n = std::count_if(set.begin(), set.end(), [&](auto& t) { return t.value >= threshold; });
  keep_first(set, n, p.min_keep);
}

void xtc(const gsample_params& p, Set& set, Generator& generator) {
  if (p.xtc_probability <= 0 || p.xtc_threshold > 0.5f || set.size() < 2) return;
  if (!(generator.uniform() < p.xtc_probability)) return;
  softmax(set);
  size_t c = std::count_if(set.begin(), set.end(), [&](auto& t) { return t.p >= p.xtc_threshold; });
  if (c < 2 || set.size() - (c - 1) < static_cast<size_t>(std::max(1, p.min_keep))) return;
  set.erase(set.begin(), set.begin() + (c - 1));
}

void temperature(const gsample_params& p, Set& set) {
  float t = p.temperature;
  if (p.dynatemp_range > 0) {
    if (set.size() == 1) return;
    softmax(set);
    double low = std::max(0.0, static_cast<double>(t) - p.dynatemp_range), high = static_cast<double>(t) + p.dynatemp_range;
    double share = std::min(std::max(entropy(set) / log_f64(static_cast<double>(set.size())), 0.0), 1.0);
    t = clamp(static_cast<float>(low + (high - low) * pow_f64(share, p.dynatemp_exponent)));
    if (t == 0) return keep_first(set, 1);
  }
  float best = set.front().value;
  bool shift = !std::isfinite(best / t) || !std::isfinite(set.back().value / t);
  for (auto& c : set) c.value = shift ? (c.value - best) / t : c.value / t;
}

void mirostat(const State& state, Set& set, size_t n_vocab) {
  softmax(set);
  double mu = state.mu;
  size_t n = 0;
  if (state.params.mirostat == 2) {
    while (n < set.size() && -log2_f64(set[n].p) <= mu) n++;
    return keep_first(set, n);
  }
  double tb = 0, tt = 0;
  for (size_t i = 0; i + 1 < std::min<size_t>(100, set.size()); i++) {
    double t = log_f64(static_cast<double>(i + 2) / static_cast<double>(i + 1));
    double b = log_f64(static_cast<double>(set[i].p) / static_cast<double>(set[i + 1].p));
    tb = tb + t * b, tt = tt + t * t;
  }
  double s = tb / tt, eps = s - 1;
  double k = std::trunc(pow_f64((eps * pow_f64(2, mu)) / (1 - pow_f64(static_cast<double>(n_vocab), -eps)), 1 / s));
  if (std::isfinite(k) && k < static_cast<double>(set.size())) keep_first(set, k < 1 ? 1 : static_cast<size_t>(k));
}

void adaptive_p(const State& state, Set& set) {
  softmax(set);
  double a = std::min(std::max(2 * static_cast<double>(state.params.adaptive_target) - state.average, 0.0), 1.0);
  for (auto& t : set) {
    double d = std::fabs(t.p - a) / 0.3;
    t.entry = t.p;
    t.value = static_cast<float>(5 - 10 * d * d / (1 + d));
  }
}

int32_t run_custom(const Custom& custom, Set& set) {
  std::vector<int32_t> ids;
  std::vector<float> values;
  for (auto& t : set) ids.push_back(t.id), values.push_back(t.value);
  custom(ids.data(), values.data(), ids.size());
  for (size_t i = 0; i < set.size(); i++) set[i].value = values[i] == kInfinity ? kFloatMax : values[i];
  if (std::any_of(set.begin(), set.end(), [](auto& t) { return std::isnan(t.value); })) return GSAMPLE_ERROR_NOT_A_NUMBER;
  std::erase_if(set, [](auto& t) { return t.value == -kInfinity; });
  sort_c1(set);
  return set.empty() ? GSAMPLE_ERROR_NO_CANDIDATE : GSAMPLE_OK;
}

}  // namespace reference

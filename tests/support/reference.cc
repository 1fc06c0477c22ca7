// See reference.h. Here: the row, the chain and the constraint's modes.
//
// Where semantics leaves a choice, this is the reading taken here:
// - Under MASK_FIRST a column that the constraint refuses counts for nothing, as if the row's mask removed it, NaN included; in the other
//   modes NaN is judged on all that mask and bans leave. +inf is judged on the tokens that a run of the chain sees, so a refused +inf
//   does not hide the allowed tokens in greedy and in the second run.
// - A token at -inf (weight 0 after temperature) stays there through penalties and DRY.
// - DRY with an allowed length of 0 penalises every token that follows another one in the window.
// - A block whose values are all -inf (weight 0) adds nothing to total, entropy, mean and deviation.
// - adaptive-p computes a logit in f64 and rounds it once, and gives one to tokens of weight 0 too.
// - Under MASK_LAST, allowed survivors that all have the value -inf count as none left.
// - custom may empty the set: NO_CANDIDATE. A +inf of its making, as any overflow, is the largest float.
// - Penalties and DRY that stand after temperature sort the set again only where they changed a value.
#include "reference.h"

#include <algorithm>
#include <cmath>

#include "base/real.h"
#include "reference_parts.h"

namespace reference {

using gsample::log2_f64;

float clamp(float x) { return std::min(std::max(x, -kFloatMax), kFloatMax); }

void sort_c1(Set& set) {
  std::sort(set.begin(), set.end(), [](auto& a, auto& b) { return a.value != b.value ? a.value > b.value : a.id < b.id; });
}

void keep_first(Set& set, size_t n, size_t least) { set.resize(std::min(set.size(), std::max({n, least, size_t{1}}))); }

namespace {

bool mirostat_on(const gsample_params& p) { return p.temperature > 0 && p.mirostat != 0; }
bool adaptive_on(const gsample_params& p) { return p.temperature > 0 && p.adaptive_target >= 0; }

// C4, without +inf's rule: the tokens that mask and bans leave, with their biased logits.
int32_t read_row(const State& state, const Row& row, const Allows& counts, Set* set) {
  for (int32_t id = 0; id < static_cast<int32_t>(row.values.size()); id++) {
    auto bias = state.bias.find(id);
    float b = bias == state.bias.end() ? 0 : bias->second, v = row.values[id];
    if ((!row.mask.empty() && !(row.mask[id / 32] >> id % 32 & 1)) || b == -kInfinity || v == -kInfinity) continue;
    if (std::isnan(v) && counts && !counts(id)) continue;
    if (std::isnan(v) && state.params.nan_policy == GSAMPLE_NAN_BANNED) continue;
    if (std::isnan(v)) return GSAMPLE_ERROR_NOT_A_NUMBER;
    set->push_back({id, v == kInfinity ? v : clamp(v + b)});
  }
  return GSAMPLE_OK;
}

// Turns the tokens that this run of the chain sees into what its draw sees.
int32_t run_chain(const State& state, const Custom& custom, size_t n_vocab, Generator& generator, Set& set) {
  if (set.empty()) return GSAMPLE_ERROR_NO_CANDIDATE;
  const gsample_params& p = state.params;
  bool infinite = max_of(set) == kInfinity, greedy = p.temperature <= 0;
  if (infinite) std::erase_if(set, [](auto& t) { return t.value != kInfinity; });
  if (infinite)
    for (auto& t : set) t.value = 0;
  sort_c1(set);
  for (int32_t stage : p.order) {
    if (stage == 0) break;
    if (stage == GSAMPLE_STAGE_PENALTIES && !infinite) penalties(state, set);
    if (stage == GSAMPLE_STAGE_DRY && !infinite) dry(state, set);
    if (greedy) continue;
    if (stage == GSAMPLE_STAGE_TOP_N_SIGMA) top_n_sigma(p, set);
    if (stage == GSAMPLE_STAGE_TOP_K && p.top_k > 0) keep_first(set, p.top_k);
    if (stage == GSAMPLE_STAGE_TYPICAL_P) typical_p(p, set);
    if (stage == GSAMPLE_STAGE_TOP_P) top_p(p, set);
    if (stage == GSAMPLE_STAGE_MIN_P) min_p(p, set);
    if (stage == GSAMPLE_STAGE_XTC) xtc(p, set, generator);
    if (stage == GSAMPLE_STAGE_TEMPERATURE) temperature(p, set);
    if (stage == GSAMPLE_STAGE_MIROSTAT && p.mirostat != 0) mirostat(state, set, n_vocab);
    if (stage == GSAMPLE_STAGE_ADAPTIVE_P && p.adaptive_target >= 0) adaptive_p(state, set);
    if (stage == GSAMPLE_STAGE_CUSTOM && custom)
      if (int32_t status = run_custom(custom, set); status < 0) return status;
  }
  if (greedy) keep_first(set, 1);
  softmax(set);
  return GSAMPLE_OK;
}

int32_t draw(const Set& set, Generator& generator) {
  if (set.size() == 1) return set[0].id;
  double r = generator.uniform(), sum = 0;
  int32_t last = -1;
  for (auto& t : set) {
    sum += t.p;
    if (t.p != 0) last = t.id;
    if (r < sum) break;
  }
  return last;
}

Set allowed_of(const Set& set, const Allows& allows) {
  Set out;
  for (auto& t : set)
    if (!allows || allows(t.id)) out.push_back(t);
  return out;
}

// The first run of the chain and whether its survivors (MASK_LAST: the allowed ones of them) may be drawn from.
struct First {
  int32_t status;
  bool usable;
  Set all, set;
};

First first_run(const State& state, const Row& row, const Allows& allows, const Custom& custom, Generator& generator) {
  First first = {};
  bool mask_first = state.params.temperature > 0 && state.params.constraint_mode == GSAMPLE_CONSTRAINT_MASK_FIRST;
  first.status = read_row(state, row, mask_first ? allows : Allows{}, &first.all);
  if (first.status < 0) return first;
  int32_t mode = state.params.temperature <= 0 ? GSAMPLE_CONSTRAINT_MASK_FIRST : state.params.constraint_mode;
  first.set = mode == GSAMPLE_CONSTRAINT_MASK_FIRST ? allowed_of(first.all, allows) : first.all;
  first.status = run_chain(state, custom, row.values.size(), generator, first.set);
  first.usable = true;
  if (first.status < 0 || !allows || mode != GSAMPLE_CONSTRAINT_MASK_LAST) return first;
  first.set = allowed_of(first.set, allows);
  first.usable = max_of(first.set) != -kInfinity;
  if (first.usable) softmax(first.set);
  else first.set.clear();
  return first;
}

}  // namespace

uint64_t Generator::next() {
  using Wide = unsigned __int128;
  Wide multiplier = Wide{0x2360ED051FC65DA4} << 64 | 0x4385DF649FCCF645, increment = Wide{0x5851F42D4C957F2D} << 64 | 0x14057B7EF767814F;
  Wide state = (Wide{high} << 64 | low) * multiplier + increment;
  high = static_cast<uint64_t>(state >> 64), low = static_cast<uint64_t>(state);
  uint64_t out = high;
  out ^= out >> 32;
  out *= 0xda942042e4dd58b5;
  out ^= out >> 48;
  return out * (low | 1);
}

double Generator::uniform() { return static_cast<double>(next() & ((uint64_t{1} << 53) - 1)) / 9007199254740992.0; }

State::State(const gsample_params& p) : params(p), generator(p.seed), mu(2 * p.mirostat_tau), average(p.adaptive_target) {}

Outcome pick(const State& state, const Row& row, const Allows& allows, const Custom& custom) {
  Outcome out = {0, -1, {}, state.generator, state.mu, state.average};
  First first = first_run(state, row, allows, custom, out.generator);
  out.status = first.status;
  if (out.status < 0) return out;
  out.set = first.set;
  if (first.usable) out.token = draw(out.set, out.generator);
  if (!first.usable || (allows && !allows(out.token))) {
    out.set = allowed_of(first.all, allows);
    out.status = run_chain(state, custom, row.values.size(), out.generator, out.set);
    if (out.status < 0) return out;
    out.token = draw(out.set, out.generator);
  }
  const gsample_params& p = state.params;
  const Candidate& chosen = *std::find_if(out.set.begin(), out.set.end(), [&](auto& t) { return t.id == out.token; });
  if (mirostat_on(p)) out.mu = static_cast<float>(state.mu - p.mirostat_eta * (-log2_f64(chosen.p) - p.mirostat_tau));
  if (adaptive_on(p))
    out.average = static_cast<float>(static_cast<double>(p.adaptive_decay) * state.average +
                                     (1 - static_cast<double>(p.adaptive_decay)) * chosen.entry);
  return out;
}

Law law(const State& state, const Row& row, const Allows& allows, const Custom& custom) {
  Law out = {0, {}, {}, state.generator};
  First first = first_run(state, row, allows, custom, out.generator);
  out.status = first.status;
  if (out.status < 0) return out;
  // LAZY: what is allowed at once, and the refused mass shared out as the second run would.
  double refused = first.usable ? 0 : 1;
  std::map<int32_t, double> weights;
  for (auto& t : first.set) (!allows || allows(t.id) ? weights[t.id] : refused) += t.p;
  Set merged = allowed_of(first.set, allows);
  if (refused > 0) {
    Set second = allowed_of(first.all, allows);
    out.status = run_chain(state, custom, row.values.size(), out.generator, second);
    if (out.status < 0) return out;
    for (auto& t : second) {
      if (!weights.count(t.id)) merged.push_back(t);
      weights[t.id] += refused * t.p;
    }
  }
  for (auto& t : merged) out.ids.push_back(t.id), out.weights.push_back(weights[t.id]);
  return out;
}

}  // namespace reference

#include "chain/run.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>

#include "stages/stages.h"

namespace gsample {

Run::Run(Sampler& sampler, Slot& slot, const Row& row)
    : sampler_(sampler),
      slot_(slot),
      row_(row),
      head_(slot.head),
      rng_(sampler.state().rng),
      mu_(sampler.state().mu),
      average_(sampler.state().average) {
  sampler.shape(row.n, slot);
}

Run::Run(Sampler& sampler, Slot& slot, const Candidates& candidates) : Run(sampler, slot, Row{.n = candidates.n_vocab}) {
  candidates_ = &candidates;
}

void Run::choose() {
  run_first();
  place_ = draw();
  if (lazy() && !sampler_.constraint().allows(head_.id(place_))) {
    run_allowed();
    place_ = draw();
  }
  take(head_.id(place_), head_.p(place_), slot_.entered.empty() ? 0 : slot_.entered[place_]);
}

void Run::choose(uint32_t token, const Dist& law) {
  const auto at = std::find(law.ids().begin(), law.ids().end(), static_cast<int32_t>(token));
  const size_t i = static_cast<size_t>(at - law.ids().begin());
  take(token, static_cast<float>(law.weights()[i] / law.total()), law_entered_.empty() ? 0 : law_entered_[i]);
}

// What follows what was chosen follows it.
void Run::take(uint32_t token, float p, float entered) {
  const gsample_params& params = sampler_.state().params;
  const Plan& plan = sampler_.plan();
  const int32_t last = plan.n_stages ? plan.stages[plan.n_stages - 1] : 0;
  token_ = token;
  if (last == GSAMPLE_STAGE_MIROSTAT) mu_ = mirostat_update(mu_, params.mirostat_tau, params.mirostat_eta, p);
  if (last == GSAMPLE_STAGE_ADAPTIVE_P) average_ = adaptive_update(average_, params.adaptive_decay, entered);
}

void Run::distribution(Dist& out) {
  run_first();
  head_.close();
  out.clear();
  law_entered_ = slot_.entered;
  if (!lazy()) {
    for (size_t i = 0; i < head_.held(); i++) out.add(static_cast<int32_t>(head_.id(i)), static_cast<double>(head_.p(i)));
    out.finish(1);
    return;
  }
  // The law of a pick: what is allowed at once, and the refused share spread as the second run would.
  struct Part {
    Key key;
    double weight;
    float entered;
    bool again;  // of the second run
    bool operator>(const Part& other) const { return key != other.key ? key > other.key : again < other.again; }
  };
  std::vector<Part> parts;
  double refused = 0;
  const auto part = [&](size_t i, double share, bool again) {
    parts.push_back({head_.key(i), share * static_cast<double>(head_.p(i)), slot_.entered.empty() ? 0 : slot_.entered[i], again});
  };
  for (size_t i = 0; i < head_.held(); i++) {
    if (sampler_.constraint().allows(head_.id(i))) part(i, 1, false);
    else refused += static_cast<double>(head_.p(i));
  }
  if (refused > 0) {
    run_allowed();  // XTC takes its number here too: one that decides nothing else
    head_.close();
    for (size_t i = 0; i < head_.held(); i++) part(i, refused, true);
    std::sort(parts.begin(), parts.end(), std::greater<>());
  }
  law_entered_.clear();
  for (size_t i = 0; i < parts.size(); i++) {
    double weight = parts[i].weight;
    const bool adaptive = !slot_.entered.empty();
    if (adaptive) law_entered_.push_back(parts[i].entered);
    // A token of both runs has the same key in both, and the first run's part comes first.
    if (i + 1 < parts.size() && parts[i + 1].key == parts[i].key) weight += parts[++i].weight;
    out.add(static_cast<int32_t>(id_of(parts[i].key)), weight);
  }
  out.finish();
}

bool Run::lazy() const {
  return sampler_.constraint().awake() && (sampler_.plan().greedy || sampler_.state().params.constraint_mode == GSAMPLE_CONSTRAINT_LAZY);
}

// Opens the head on the row: what is banned leaves, then contract C4.
void Run::start(const Row& row, const Filter* filter) {
  if (added_) sampler_.shape(row_.n, slot_);  // what a first run added to the shape is not of the row
  added_ = infinite_ = false;
  slot_.entered.clear();
  if (candidates_) return start_candidates(row, filter);
  Source source;
  source.row = row;
  source.patches = slot_.shape.patches();
  head_.open(source, sampler_.plan().want, filter);
  if (head_.maxima().nan && sampler_.state().params.nan_policy == GSAMPLE_NAN_ERROR) {
    uint32_t first;
    if (size_t n = count_nan(source, &first)) fail(GSAMPLE_ERROR_NOT_A_NUMBER, "%zu logits are NaN, the first at %u", n, first);
  }
  if (head_.maxima().max == kInfinity) infinite_ = head_.open_infinite();
}

// The same from some of the row's tokens. They are exact where what the chain asks for first, its top k, must be among them: no token of
// the row that is missing comes before the last of them, and a shape that only lowers keeps it so.
void Run::start_candidates(const Row& row, const Filter* filter) {
  const Candidates& c = *candidates_;
  const Patches patches = slot_.shape.patches();
  std::vector<Key>& keys = slot_.head.keys;
  keys.clear();
  Key last = ~Key{0};
  size_t raised = 0, infinite = 0;
  for (size_t i = 0; i < c.tokens.size(); i++) {
    const uint32_t id = static_cast<uint32_t>(c.tokens[i]);
    float logit = c.logits[i];
    last = std::min(last, key_of(logit == logit ? logit : -kInfinity, id));
    raised += patches.touches(id) && patches.raises(id);
    if (patches.touches(id)) logit = slot_.shape.apply(id, logit);
    if (logit != logit) {
      if (sampler_.state().params.nan_policy == GSAMPLE_NAN_ERROR) fail(GSAMPLE_ERROR_NOT_A_NUMBER, "the logit of token %u is NaN", id);
      continue;
    }
    if (logit == -kInfinity || row.masked_out(id) || (filter && !(*filter)(id))) continue;
    infinite += logit == kInfinity;
    keys.push_back(key_of(logit, id));
  }
  if (infinite) {
    infinite_ = true;
    std::erase_if(keys, [](Key key) { return logit_of_key(key) != kInfinity; });
    for (Key& key : keys) key = key_of(0, id_of(key));
  }
  if (c.exact && c.tokens.size() < c.n_vocab) {
    const size_t k = sampler_.plan().cut;
    const auto raised_end = std::lower_bound(patches.raised.begin(), patches.raised.end(), c.n_vocab);
    size_t sure = 0;
    for (Key key : keys) sure += infinite_ || key >= last;
    // Of +infinity tokens, next to which nothing counts, none is missing if the last candidate is not one.
    const bool all_infinite = infinite_ && logit_of_key(last) < kInfinity;
    if (!all_infinite && (k == 0 || sure < k || (!infinite_ && raised < static_cast<size_t>(raised_end - patches.raised.begin()))))
      fail(GSAMPLE_ERROR_INEXACT, "the candidates may miss one of the row's best %zu", k);
  }
  head_.open_list(c.n_vocab);
}

void Run::run_stages() {
  const Plan& plan = sampler_.plan();
  if (plan.greedy) head_.keep(1);
  for (size_t i = 0; i < plan.n_stages; i++) run_stage(plan.stages[i]);
  if (!head_.reach(0)) fail(GSAMPLE_ERROR_NO_CANDIDATE, "no token may be drawn");
}

void Run::run_stage(int32_t stage) {
  const gsample_params& p = sampler_.state().params;
  const size_t min_keep = std::max<size_t>(1, static_cast<size_t>(p.min_keep));
  switch (stage) {
    case GSAMPLE_STAGE_PENALTIES:
    case GSAMPLE_STAGE_DRY: adjust(stage); break;
    case GSAMPLE_STAGE_TOP_N_SIGMA: top_n_sigma(head_, p.top_n_sigma); break;
    case GSAMPLE_STAGE_TOP_K: top_k(head_, p.top_k); break;
    case GSAMPLE_STAGE_TYPICAL_P: typical_p(head_, p.typical_p, min_keep, slot_.marks); break;
    case GSAMPLE_STAGE_TOP_P: top_p(head_, p.top_p, min_keep); break;
    case GSAMPLE_STAGE_MIN_P: min_p(head_, p.min_p, min_keep); break;
    case GSAMPLE_STAGE_XTC: xtc(head_, p.xtc_probability, p.xtc_threshold, min_keep, rng_); break;
    case GSAMPLE_STAGE_TEMPERATURE: temperature(head_, p.temperature, p.dynatemp_range, p.dynatemp_exponent); break;
    case GSAMPLE_STAGE_MIROSTAT: p.mirostat == 1 ? mirostat_1(head_, mu_) : mirostat_2(head_, mu_); break;
    case GSAMPLE_STAGE_ADAPTIVE_P: adaptive_p(head_, p.adaptive_target, average_, slot_.entered); break;
    case GSAMPLE_STAGE_CUSTOM: run_custom(); break;
  }
}

// Penalties or DRY, where they do not lead the chain.
void Run::adjust(int32_t stage) {
  if (infinite_) return;
  const Penalties penalty(sampler_.state().params, sampler_.state().history);
  const Dry& repetition = slot_.dry;
  const auto adjusted = [&](uint32_t id, float v) {
    return stage == GSAMPLE_STAGE_DRY ? repetition.apply(id, v) : penalty.apply(id, v);
  };
  const float divisor = head_.whole_over();
  if (divisor == 0) return head_.adjust(adjusted);

  // Only a temperature came before: the row, read as divided by it, is shaped by one stage more, and the head opened on it again.
  Source source = head_.source();
  bool changed = false;
  const std::span<const uint64_t> touched = sampler_.touched_by(stage, row_.n, slot_);
  for (size_t word = 0; word < touched.size() && !changed; word++)
    for (uint64_t bits = touched[word]; bits; bits &= bits - 1) {
      const uint32_t id = static_cast<uint32_t>(word * 64) + static_cast<uint32_t>(std::countr_zero(bits));
      const float v = id < row_.n ? logit_of(source, id) : -kInfinity;
      if (v > -kInfinity) changed |= adjusted(id, v / divisor) != v / divisor;
    }
  if (!changed) return;
  added_ = true;
  sampler_.add_to_shape(divisor, stage, row_.n, slot_);
  source.patches = slot_.shape.patches();
  source.divisor = slot_.shape.divisor();
  head_.open(source, {}, nullptr);
}

void Run::run_custom() {
  head_.close();
  const std::span<float> logits = head_.values();
  slot_.tokens.resize(logits.size());
  for (size_t i = 0; i < logits.size(); i++) slot_.tokens[i] = static_cast<int32_t>(head_.id(i));
  sampler_.custom().apply(slot_.tokens, logits.data());
  size_t left = 0;
  for (float& logit : logits) {
    if (logit != logit) fail(GSAMPLE_ERROR_NOT_A_NUMBER, "the custom stage made a logit NaN");
    if (logit > -kInfinity) left++;
    if (logit == kInfinity) logit = kFloatMax;
  }
  if (left == 0) fail(GSAMPLE_ERROR_NO_CANDIDATE, "the custom stage dropped every token");
  head_.reorder();
  head_.keep(left);
}

// The place of the token that the distribution gives for the generator's next number; a set of one takes none.
size_t Run::draw() {
  if (!head_.reach(1)) return 0;
  const double r = rng_.uniform();
  double sum = 0;
  size_t last = 0;
  for (size_t i = 0; head_.reach(i); i++) {
    const float p = head_.p(i);
    if (p > 0) last = i;
    else if (slot_.entered.empty()) break;  // the rest is no likelier
    sum += static_cast<double>(p);
    if (r < sum) return i;
  }
  return last;
}

// The chain as the constraint's mode has it, up to the first draw.
void Run::run_first() {
  const int32_t mode = sampler_.state().params.constraint_mode;
  const bool masked = sampler_.constraint().awake() && !lazy();
  start(masked && mode == GSAMPLE_CONSTRAINT_MASK_FIRST ? constrained_row() : row_, nullptr);
  run_stages();
  if (masked && mode == GSAMPLE_CONSTRAINT_MASK_LAST && !keep_allowed()) run_allowed();
}

// MASK_LAST: of what the chain left, what is allowed. False where that is nothing, or nothing that can be drawn.
bool Run::keep_allowed() {
  head_.close();
  const Constraint& constraint = sampler_.constraint();
  if (constraint.can_mask()) constraint.mask(slot_.mask, row_.n);
  slot_.marks.assign(head_.held(), 0);
  size_t left = 0;
  for (size_t i = 0; i < head_.held(); i++) {
    const uint32_t id = head_.id(i);
    slot_.marks[i] = constraint.can_mask() ? slot_.mask[id / 32] >> id % 32 & 1 : constraint.allows(id);
    if (!slot_.marks[i]) continue;
    if (!slot_.entered.empty()) slot_.entered[left] = slot_.entered[i];
    left++;
  }
  if (left) head_.keep_marked(slot_.marks);
  return left > 0 && head_.max() > -kInfinity;
}

// The chain again, over the allowed tokens, with the generator where it stands. Where the constraint has no mask and the stages ask for a
// prefix only, tokens are asked about as the head comes to them, in C1 order; a stage that asks about the whole set needs all of them.
void Run::run_allowed() {
  if (sampler_.plan().whole_row || sampler_.constraint().can_mask()) {
    start(constrained_row(), nullptr);
  } else {
    first_bytes_ = sampler_.constraint().first_bytes();
    filter_ = [this](uint32_t id) { return sampler_.constraint().may_begin(first_bytes_, id) && sampler_.constraint().allows(id); };
    start(row_, &filter_);
  }
  run_stages();
}

Row Run::constrained_row() {
  sampler_.constraint().mask(slot_.mask, row_.n);
  if (row_.mask)
    for (size_t i = 0; i < slot_.mask.size(); i++) slot_.mask[i] &= row_.mask[i];
  Row row = row_;
  row.mask = slot_.mask.data();
  return row;
}

}  // namespace gsample

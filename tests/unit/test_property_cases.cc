// See test_property_cases.h.
#include "test_property_cases.h"

#include <algorithm>
#include <bit>
#include <cfloat>
#include <cmath>
#include <initializer_list>
#include <memory>
#include <numeric>

#include "dice.h"
#include "fields.h"
#include "oracle.h"

namespace {

uint32_t random_width(Dice& dice) {
  double u = dice.unit();
  if (u < 0.50) return 1 + dice.below(16);
  if (u < 0.85) return 17 + dice.below(200);
  if (u < 0.93) return 217 + dice.below(800);
  if (u < 0.98) return dice.any<uint32_t>({1023, 1024, 1025, 1026, 1280, 2047, 2048, 2049});
  if (u < 0.999) return 4090 + dice.below(1000);
  return 40001;
}

float random_logit(Dice& dice, int kind, uint32_t i, uint32_t n, float scale) {
  switch (kind) {
    case 0:
      return (dice.unit() + dice.unit() + dice.unit() + dice.unit() - 2) * scale;
    case 1:
      return static_cast<float>(i) * 0.01f;
    case 2:
      return static_cast<float>(n - i) * scale;
    case 3:
      return std::bit_cast<float>(static_cast<uint32_t>(dice.next() & 0x807fffff));  // denormals
    case 4:
      return (dice.unit() * 2 - 1) * FLT_MAX;
    case 5: {
      float any = std::bit_cast<float>(static_cast<uint32_t>(dice.next()));
      return std::isfinite(any) ? any : 0.0f;
    }
    case 6:
      return dice.chance(0.5) ? scale : -1;
    case 7:
      return std::bit_cast<float>(0x3f800000u + dice.below(4));  // neighbours of 1
    case 8:
      return dice.chance(0.5) ? 0.0f : -0.0f;
    case 9:
      return dice.chance(0.02) ? dice.unit() * 20 : -20 - dice.unit() * 60;
    case 10:  // 1, 2, 4 and 8 tokens of the same mass: surprises that lie equally far from the entropy
      return i < 15 ? -0.6931472f * std::floor(std::log2(static_cast<float>(i + 1))) : -INFINITY;
    default:
      return static_cast<float>(dice.below(4)) - 2;
  }
}

std::vector<float> random_logits(Dice& dice, uint32_t n) {
  if (dice.chance(0.3)) {
    const char* kind =
        dice.any<const char*>({"cubic", "cubic", "flat", "ties16", "ties4", "peaked", "masked", "neg", "const", "allneginf"});
    return recipe_row(kind, n, dice.next(), 0).values;
  }
  std::vector<float> logits(n);
  int kind = dice.between(0, 11);
  float scale = dice.any<float>({1, 4, 10, 100, 0.001f});
  for (uint32_t i = 0; i < n; i++) logits[i] = random_logit(dice, kind, i, n, scale);
  return logits;
}

RowData random_row(Dice& dice, uint32_t n) {
  RowData row;
  row.values = random_logits(dice, n);
  if (dice.chance(0.15)) {
    double share = dice.any<double>({0.1, 0.5, 0.95});
    for (float& v : row.values)
      if (dice.chance(share)) v = -INFINITY;
  }
  if (dice.chance(0.04)) row.values[dice.below(n)] = NAN;
  if (dice.chance(0.05))
    for (int i = dice.between(1, 3); i > 0; i--) row.values[dice.below(n)] = INFINITY;
  row.dtype = dice.any<uint32_t>({GSAMPLE_F32, GSAMPLE_F32, GSAMPLE_F16, GSAMPLE_BF16});
  for (uint32_t i = 0; i < n && row.dtype != GSAMPLE_F32; i++) {
    bool f16 = row.dtype == GSAMPLE_F16;
    row.half.push_back(f16 ? f16_bits(row.values[i]) : bf16_bits(row.values[i]));
    row.values[i] = f16 ? f16_value(row.half[i]) : bf16_value(row.half[i]);
  }
  if (dice.chance(0.2)) {
    double share = dice.any<double>({0.02, 0.5, 0.9, 0.999});
    row.mask.assign((n + 31) / 32, 0);
    for (uint32_t i = 0; i < row.mask.size() * 32; i++)
      if (dice.chance(share)) row.mask[i / 32] |= uint32_t{1} << i % 32;
  }
  return row;
}

std::vector<int32_t> random_order(Dice& dice) {
  using List = std::vector<int32_t>;
  if (dice.chance(0.4))
    return dice.any<List>(
        {{1, 2, 3, 4, 5, 6, 7, 8, 9}, {1, 4, 6, 7, 9}, {1, 9, 7, 4, 6}, {1, 9, 4, 6, 7, 5}, {4, 9, 6, 7}, {1, 9, 6}, {1, 2, 9, 10}});
  List order(9);
  std::iota(order.begin(), order.end(), 1);
  if (dice.chance(0.15)) order.push_back(GSAMPLE_STAGE_CUSTOM);
  for (size_t i = order.size(); i > 1; i--) std::swap(order[i - 1], order[dice.below(static_cast<uint32_t>(i))]);
  order.resize(static_cast<size_t>(dice.between(0, static_cast<int32_t>(order.size()))));
  if (dice.chance(0.3)) order.push_back(dice.any<int32_t>({GSAMPLE_STAGE_MIROSTAT, GSAMPLE_STAGE_ADAPTIVE_P}));
  return order;
}

// Turns a stage of the order on, more often than not.
void random_stage(Dice& dice, int32_t stage, uint32_t n, gsample_params& p) {
  if (dice.chance(0.25)) return;
  switch (stage) {
    case GSAMPLE_STAGE_PENALTIES:
      p.penalty_style = dice.between(0, 1);
      p.penalty_last_n = dice.any<int32_t>({64, -1, 0, 1, 5, 20});
      p.penalty_repeat = dice.any<float>({1, 1.1f, 1.3f, 0.8f, 0, -0.5f, 2, FLT_MAX, 1e-30f});
      p.penalty_freq = dice.any<float>({0, 0.1f, -0.2f, 1, 0, 1e38f});
      p.penalty_present = dice.any<float>({0, 0.5f, -0.3f, 0, 2e38f});
      break;
    case GSAMPLE_STAGE_DRY:
      p.dry_multiplier = dice.any<float>({0.8f, 1, 5, 1e30f});
      p.dry_base = dice.any<float>({1.75f, 1, 2, 1.1f, 0.5f, 1e20f});
      p.dry_allowed_length = dice.between(0, 4);
      p.dry_last_n = dice.any<int32_t>({-1, -1, 0, 5, 20, 1000});
      break;
    case GSAMPLE_STAGE_TOP_N_SIGMA:
      p.top_n_sigma = dice.any<float>({1, 0.5f, 2, 0.01f, 1e30f, 3});
      break;
    case GSAMPLE_STAGE_TOP_K:
      p.top_k = dice.any<int32_t>(
          {1, 2, 3, 5, 40, 64, static_cast<int32_t>(n / 2), static_cast<int32_t>(n), static_cast<int32_t>(n) + 5, 1000, 1025});
      break;
    case GSAMPLE_STAGE_TYPICAL_P:
      p.typical_p = dice.any<float>({0.9f, 0, 0.1f, 0.5f, 0.999f, 1.5f});
      break;
    case GSAMPLE_STAGE_TOP_P:
      p.top_p = dice.any<float>({0.95f, 0, 0.1f, 0.5f, 0.9f, 0.99999994f, 2});
      break;
    case GSAMPLE_STAGE_MIN_P:
      p.min_p = dice.any<float>({0.05f, 0.5f, 1, 1e-40f, 0.001f});
      break;
    case GSAMPLE_STAGE_XTC:
      p.xtc_probability = dice.any<float>({0.5f, 1, 0.1f});
      p.xtc_threshold = dice.any<float>({0.1f, 0.01f, 0.3f, 0.5f, 0.6f, 1e-6f});
      break;
    case GSAMPLE_STAGE_TEMPERATURE:
      p.temperature = dice.any<float>({0.8f, 0.1f, 1e-3f, 1e-38f, 1e-45f, 2, 100, 3e38f, 1, 1.5f, 0, -1});
      if (dice.chance(0.3))
        p.dynatemp_range = dice.any<float>({0.5f, 1, 5, 3e38f}), p.dynatemp_exponent = dice.any<float>({1, 0.5f, 2, 0.1f});
      break;
    case GSAMPLE_STAGE_MIROSTAT:
      p.mirostat = dice.between(1, 2);
      p.mirostat_tau = dice.any<float>({5, 3, 0.1f, 0, 20}), p.mirostat_eta = dice.any<float>({0.1f, 1, 0, 0.5f});
      break;
    case GSAMPLE_STAGE_ADAPTIVE_P:
      p.adaptive_target = dice.any<float>({0, 0.1f, 0.3f, 0.55f, 1}), p.adaptive_decay = dice.any<float>({0, 0.5f, 0.9f, 0.99f});
      break;
    default:
      break;
  }
}

gsample_params random_params(Dice& dice, uint32_t n) {
  gsample_params p = default_params();
  p.top_k = 0, p.top_p = 1;
  std::fill(std::begin(p.order), std::end(p.order), 0);
  std::vector<int32_t> order = random_order(dice);
  std::copy(order.begin(), order.end(), p.order);
  for (int32_t stage : order) random_stage(dice, stage, n, p);
  p.seed = dice.next();
  if (dice.chance(0.3)) p.min_keep = dice.any<int32_t>({1, 2, 5, 100});
  p.nan_policy = dice.between(0, 1);
  p.constraint_mode = dice.between(0, 2);
  return p;
}

std::vector<int32_t> random_tokens(Dice& dice, uint32_t n, int32_t most) {
  std::vector<int32_t> out(static_cast<size_t>(dice.between(0, most)));
  uint32_t alphabet = std::min(n, 1 + dice.below(dice.chance(0.5) ? 4 : 100));
  uint32_t first = dice.below(n - alphabet + 1);
  for (int32_t& t : out) t = static_cast<int32_t>(dice.chance(0.01) ? n + dice.below(1000) : first + dice.below(alphabet));
  return out;
}

Rule random_rule(Dice& dice, uint32_t n, std::vector<int32_t>* forced) {
  Rule rule;
  rule.on = true;
  rule.with_mask = dice.chance(0.5), rule.with_lead_bytes = dice.chance(0.3);
  if (dice.chance(0.7)) {
    rule.modulus = dice.between(1, 9), rule.shift = dice.between(0, 2);
    for (int i = dice.chance(0.05) ? 0 : dice.between(1, 3); i > 0; i--)
      rule.list.push_back(dice.between(0, static_cast<int32_t>(rule.modulus) - 1));
  } else {
    for (int i = dice.between(0, 6); i > 0; i--) rule.list.push_back(static_cast<int32_t>(dice.below(n + 1)));
  }
  if (dice.chance(0.2)) {
    rule.after = random_tokens(dice, n, 3);
    if (dice.chance(0.7)) *forced = rule.after;  // so that it wakes up
  }
  return rule;
}

}  // namespace

Case random_case(uint64_t seed, uint64_t index) {
  Dice dice = {rows_splitmix64(rows_splitmix64(seed) + index) & ~uint64_t{0xffffff}};
  Case c;
  c.name = "property case " + std::to_string(index) + " of seed " + std::to_string(seed);
  uint32_t n = random_width(dice);
  c.params = random_params(dice, n);
  c.n_picks = static_cast<size_t>(dice.between(1, n > 5000 ? 1 : 4));
  if (dice.chance(0.7)) c.prompt = random_tokens(dice, n, dice.chance(0.05) ? 600 : 50);
  if (!c.prompt.empty() && dice.chance(0.1)) c.prompt[dice.below(static_cast<uint32_t>(c.prompt.size()))] = -dice.between(1, 3);
  if (dice.chance(0.2)) {
    std::vector<int32_t> ids = random_tokens(dice, n, 6);
    std::sort(ids.begin(), ids.end());
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
    for (int32_t id : ids) c.bias.push_back({id, dice.any<float>({-INFINITY, 5, -5, 0.1f, 3, 1e38f, -FLT_MAX, FLT_MAX})});
  }
  for (int i = dice.chance(0.3) ? dice.between(1, 3) : 0; i > 0; i--)
    if (std::vector<int32_t> b = random_tokens(dice, n, 2); !b.empty()) c.breakers.push_back(b);
  if (dice.chance(0.25)) c.rule = random_rule(dice, n, &c.forced);
  if (c.forced.empty() && dice.chance(0.15)) c.forced = random_tokens(dice, n, 3);
  bool custom = std::count(std::begin(c.params.order), std::end(c.params.order), GSAMPLE_STAGE_CUSTOM);
  if (custom && dice.chance(0.8)) c.custom = dice.chance(0.05) ? 3 : dice.any<int>({1, 2, 4, 5});
  c.reload = !c.rule.on && !c.custom && dice.chance(0.1);
  if (dice.chance(0.1)) c.changes.assign(1, random_params(dice, n));
  if (dice.chance(0.1)) c.reset_after = 0;
  bool one_width = dice.chance(0.8);
  auto rows = std::make_shared<std::vector<RowData>>();
  for (size_t p = 0; p < c.n_picks; p++) rows->push_back(random_row(dice, one_width ? n : std::min(random_width(dice), 5000u)));
  c.row = [rows](size_t p) { return (*rows)[p]; };
  return c;
}

Case shrink(Case c, const std::function<bool(const Case&)>& still_fails) {
  auto attempt = [&](auto change) {
    Case simpler = c;
    change(simpler);
    if (!still_fails(simpler)) return false;
    c = simpler;
    return true;
  };
  while (c.n_picks > 1 && attempt([](Case& s) { s.n_picks--; })) continue;
  while (c.n_picks > 1 && attempt([](Case& s) { s.n_picks--, s.row = [row = s.row](size_t p) { return row(p + 1); }; })) continue;
  attempt([](Case& s) { s.changes.clear(); });
  attempt([](Case& s) { s.reset_after = SIZE_MAX; });
  attempt([](Case& s) { s.reload = false; });
  attempt([](Case& s) { s.custom = 0; });
  attempt([](Case& s) { s.rule = {}; });
  attempt([](Case& s) { s.rule.after.clear(); });
  attempt([](Case& s) { s.rule.with_mask = s.rule.with_lead_bytes = false; });
  attempt([](Case& s) { s.rule.shift = 0; });
  attempt([](Case& s) { s.bias.clear(); });
  attempt([](Case& s) { s.breakers.clear(); });
  attempt([](Case& s) { s.forced.clear(); });
  attempt([](Case& s) { s.prompt.clear(); });
  while (!c.prompt.empty() && (attempt([](Case& s) { s.prompt.erase(s.prompt.begin(), s.prompt.begin() + (s.prompt.size() + 1) / 2); }) ||
                               attempt([](Case& s) { s.prompt.resize(s.prompt.size() / 2); })))
    continue;
  gsample_params off = default_params();
  off.top_k = 0, off.top_p = 1, off.nan_policy = c.params.nan_policy;
  for (const Field& f : kFields) attempt([&](Case& s) { field_copy(f, off, &s.params); });
  for (size_t i = 0; i < 32 && c.params.order[i];)
    if (!attempt([i](Case& s) { std::copy(s.params.order + i + 1, s.params.order + 32, s.params.order + i), s.params.order[31] = 0; })) i++;
  auto rewrite = [&](auto change) { return attempt([&](Case& s) { s.row = [row = s.row, change](size_t p) { return change(row(p)); }; }); };
  rewrite([](RowData r) { return r.mask.clear(), r; });
  rewrite([](RowData r) { return r.dtype = GSAMPLE_F32, r.half.clear(), r; });
  auto cut = [&](size_t first, size_t n) {
    return rewrite([=](RowData r) {
      if (first + n > r.values.size()) return r;
      r.values = {r.values.begin() + static_cast<ptrdiff_t>(first), r.values.begin() + static_cast<ptrdiff_t>(first + n)};
      if (!r.half.empty()) r.half = {r.half.begin() + static_cast<ptrdiff_t>(first), r.half.begin() + static_cast<ptrdiff_t>(first + n)};
      if (!r.mask.empty()) r.mask.resize((n + 31) / 32);
      return r;
    });
  };
  for (size_t step = c.row(0).values.size() / 2; step > 0; step /= 2)
    while (c.row(0).values.size() > step &&
           (cut(0, c.row(0).values.size() - step) || (c.row(0).mask.empty() && cut(step, c.row(0).values.size() - step))))
      continue;
  return c;
}

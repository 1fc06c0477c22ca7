// Any bytes as parameters, rows, masks, biases, constraint, drafts: a sampler is refused, or every call on it gives a token that may come
// or a status, a failure moves nothing, and a clone, a distribution and a decided sequence agree with the pick.
#include <bit>
#include <cmath>
#include <cstring>

#include "sampler_handles.h"

namespace {

// Reads numbers off the input; zeros behind its end.
class Input {
 public:
  Input(const uint8_t* data, size_t size) : data_(data), left_(size) {}
  uint8_t byte() { return left_ ? (left_--, *data_++) : 0; }
  uint32_t below(uint32_t n) { return n ? (byte() | uint32_t{byte()} << 8) % n : 0; }
  bool chance(uint32_t in) { return byte() % in == 0; }
  float any_float() {
    uint32_t bits = 0;
    for (int i = 0; i < 4; i++) bits = bits << 8 | byte();
    return std::bit_cast<float>(bits);
  }
  // Mostly a number that such a parameter has, sometimes anything.
  float number(std::initializer_list<float> usual) {
    const uint8_t which = byte();
    return which % 8 == 7 ? any_float() : usual.begin()[which % usual.size()];
  }
  float logit() {
    const uint8_t which = byte();
    switch (which % 16) {
      case 0: return -INFINITY;
      case 1: return which == 0x81 ? INFINITY : 0.0f;
      case 2: return which == 0x82 ? NAN : -0.0f;
      case 3: return any_float();
      case 4: return static_cast<float>(which) * 1e-44f;
      default: return static_cast<float>(which >> 4) * .7f - static_cast<float>(which % 5);
    }
  }

 private:
  const uint8_t* data_;
  size_t left_;
};

gsample_params read_params(Input& in) {
  gsample_params p = {};
  p.size = sizeof p;
  gsample_params_init(&p);
  p.seed = in.byte();
  p.top_k = in.chance(2) ? 0 : static_cast<int32_t>(in.below(40)) - 2;
  p.top_p = in.number({1, .9f, .5f, 0});
  p.min_p = in.number({0, .1f, 1, 1e-40f});
  p.temperature = in.number({1, .7f, 0, 1.5f, 1e-40f, -1});
  const uint8_t on = in.byte();
  if (on & 1) p.typical_p = in.number({.9f, .3f, 0});
  if (on & 2) p.top_n_sigma = in.number({1, .5f, -1});
  if (on & 4) p.xtc_probability = in.number({.5f, 1}), p.xtc_threshold = in.number({.1f, .01f, .5f});
  if (on & 8) p.penalty_repeat = in.number({1.1f, .9f, 0, -1, 3e38f}), p.penalty_freq = in.number({0, .5f, -.5f, 1e38f});
  if (on & 8) p.penalty_present = in.number({0, .5f, -2}), p.penalty_last_n = static_cast<int32_t>(in.below(20)) - 1, p.penalty_style = in.byte() % 2;
  if (on & 16) p.dry_multiplier = in.number({.8f, 2, 3e38f}), p.dry_base = in.number({1.75f, 1, 0, 1e30f});
  if (on & 16) p.dry_allowed_length = static_cast<int32_t>(in.below(5)), p.dry_last_n = static_cast<int32_t>(in.below(30)) - 1;
  if (on & 32) p.dynatemp_range = in.number({.5f, 2}), p.dynatemp_exponent = in.number({1, .1f, 3});
  p.min_keep = static_cast<int32_t>(in.below(4));
  p.nan_policy = in.byte() % 2;
  p.constraint_mode = in.byte() % 3;
  if (on & 64) {
    for (int i = 9; i > 1; i--) std::swap(p.order[i - 1], p.order[in.below(static_cast<uint32_t>(i))]);
    const uint8_t last = in.byte();
    if (last % 4 == 0) p.order[9] = GSAMPLE_STAGE_MIROSTAT, p.mirostat = 1 + last / 4 % 2, p.mirostat_tau = in.number({5, 0, 2});
    if (last % 4 == 1) p.order[9] = GSAMPLE_STAGE_ADAPTIVE_P, p.adaptive_target = in.number({.2f, 0, 1});
    if (last % 4 == 2) p.order[9] = GSAMPLE_STAGE_CUSTOM;
    if (last % 8 == 3) p.order[last % 9] = static_cast<int32_t>(in.byte()) - 2;
  }
  return p;
}

struct Rule {
  uint32_t modulus = 1, rest = 0;
  bool fails = false;  // the next accept
  bool allows(int32_t id) const { return static_cast<uint32_t>(id) % modulus == rest; }
};

int32_t rule_allows(void* user, int32_t id) { return static_cast<Rule*>(user)->allows(id); }
int32_t rule_accept(void* user, int32_t) { return static_cast<Rule*>(user)->fails ? -50 : 0; }
int32_t rule_clone(void* user, void** out) { return *out = user, 0; }
int32_t rule_mask(void* user, uint32_t* words, size_t n) {
  for (size_t id = 0; id < n * 32; id++) words[id / 32] |= uint32_t{static_cast<Rule*>(user)->allows(static_cast<int32_t>(id))} << id % 32;
  return 0;
}
int32_t stage_apply(void* user, const int32_t* tokens, float* logits, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (static_cast<uint32_t>(tokens[i]) % 3 == *static_cast<uint8_t*>(user) % 3) logits[i] = tokens[i] % 2 ? -INFINITY : 1;
  return 0;
}
int32_t stage_clone(void* user, void** out) { return *out = user, 0; }

struct RowData {
  std::vector<float> logits;
  std::vector<uint16_t> halves;
  std::vector<uint32_t> mask;
  gsample_row view() const {
    gsample_row row = {};
    row.size = sizeof row, row.n_vocab = static_cast<uint32_t>(logits.size() + halves.size()), row.mask = mask.empty() ? nullptr : mask.data();
    row.logits = halves.empty() ? static_cast<const void*>(logits.data()) : halves.data();
    row.dtype = halves.empty() ? GSAMPLE_F32 : dtype;
    return row;
  }
  uint32_t dtype = GSAMPLE_F32;
};

RowData read_row(Input& in, uint32_t n) {
  RowData row;
  row.dtype = in.byte() % 3;
  for (uint32_t i = 0; i < n; i++) {
    const float v = i < 200 ? in.logit() : static_cast<float>(i % 17) * .3f;
    if (row.dtype == GSAMPLE_F32) row.logits.push_back(v);
    else row.halves.push_back(static_cast<uint16_t>(std::bit_cast<uint32_t>(v) >> 16));
  }
  if (in.chance(4))
    for (uint32_t i = 0; i < (n + 31) / 32; i++) row.mask.push_back(in.byte() * 0x01030507u);
  return row;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Input in(data, size);
  const gsample_params params = read_params(in);
  gsample_error error = {};
  error.size = sizeof error;
  gsample_sampler* made = nullptr;
  const int32_t status = or_no_memory(gsample_new(&params, &made, &error));
  SamplerHandle s(made);
  if (status != 0) {
    REQUIRE(status == GSAMPLE_ERROR_INVALID_ARGUMENT && !made && error.message[0]);
    return 0;
  }
  const uint32_t n = in.chance(8) ? 1000 + in.below(1100) : 1 + in.below(70);
  Rule rule;
  uint8_t stage = in.byte();
  std::vector<int32_t> tokens, banned;
  std::vector<float> biases;
  for (uint8_t k = in.byte() % 8; k > 0; k--) {
    tokens.push_back(static_cast<int32_t>(in.below(n + 3)));
    biases.push_back(in.number({1, -1, -INFINITY, 3e38f}));
  }
  if (or_no_memory(gsample_bias(s.get(), tokens.data(), biases.data(), tokens.size())) == 0)
    for (size_t i = 0; i < tokens.size(); i++)
      if (biases[i] == -INFINITY) banned.push_back(tokens[i]);
  tokens.clear();
  for (uint8_t k = in.byte() % 40; k > 0; k--) tokens.push_back(static_cast<int32_t>(in.below(n < 6 ? n : 6)));
  REQUIRE(or_no_memory(gsample_seed(s.get(), tokens.data(), tokens.size())) == 0);
  if (in.chance(3)) or_no_memory(gsample_dry_breaker(s.get(), tokens.data(), tokens.size() < 2 ? tokens.size() : 2));
  const bool constrained = in.chance(3), lazy = params.constraint_mode == GSAMPLE_CONSTRAINT_LAZY;
  if (constrained) {
    rule.modulus = 1 + in.byte() % 5, rule.rest = in.byte() % 5;
    gsample_constraint c = {};
    c.size = sizeof c, c.user = &rule, c.allows = rule_allows, c.accept = rule_accept, c.clone = rule_clone;
    if (in.chance(2)) c.mask = rule_mask;
    REQUIRE(or_no_memory(gsample_constrain(s.get(), &c)) == 0);
  }
  if (in.chance(2)) {
    gsample_custom c = {};
    c.size = sizeof c, c.user = &stage, c.apply = stage_apply, c.clone = stage_clone;
    REQUIRE(or_no_memory(gsample_set_custom(s.get(), &c)) == 0);
  }
  if (in.chance(2)) or_no_memory(gsample_reserve(s.get(), n, 30));
  for (int step = 0; step < 3; step++) {
    const RowData row = read_row(in, n);
    const gsample_row view = row.view();
    SamplerHandle twin = clone_of(s.get()), drafting = clone_of(s.get()), drawing = clone_of(s.get());
    const std::vector<uint8_t> before = saved_bytes(s.get());
    gsample_logprob top[5];
    gsample_choice choice = {};
    choice.size = sizeof choice, choice.logprob_mode = in.byte() % 4, choice.n_top = 5, choice.top = top;
    const int32_t token = or_no_memory(gsample_pick_row(s.get(), &view, &choice));
    if (token < 0) {
      REQUIRE(token == GSAMPLE_ERROR_NO_CANDIDATE || token == GSAMPLE_ERROR_NOT_A_NUMBER);
      REQUIRE(saved_bytes(s.get()) == before);
    } else {
      REQUIRE(static_cast<uint32_t>(token) < n && choice.token == token);
      REQUIRE(!view.mask || (view.mask[token / 32] >> token % 32 & 1));
      REQUIRE(!constrained || rule.allows(token));
      for (int32_t id : banned) REQUIRE(id != token);
      if (choice.logprob_mode == GSAMPLE_LOGPROB_PROCESSED) REQUIRE(std::isfinite(choice.logprob) && choice.logprob <= 0 && choice.rank > 0);
    }
    DistHandle dist = new_dist();
    const int32_t law = or_no_memory(gsample_dist_from_row(dist.get(), drawing.get(), &view));
    REQUIRE((law < 0) == (token < 0) && (law == 0 || law == token));
    if (token >= 0) {
      if (!constrained || !lazy || params.xtc_probability == 0) REQUIRE(gsample_dist_chance(dist.get(), token) > 0);
      if (!constrained || !lazy) REQUIRE(gsample_dist_draw(dist.get(), drawing.get()) == token);
    }
    // The same row three times, the first draft what was picked, the second anything; then with the distribution as what was drafted from.
    int32_t drafts[2] = {token, static_cast<int32_t>(in.below(n + 2)) - 1}, out[3];
    const gsample_dist* dists[2] = {dist.get(), dist.get()};
    gsample_sequence sequence = {};
    sequence.size = sizeof sequence, sequence.dtype = view.dtype, sequence.n_vocab = n, sequence.n_rows = 3, sequence.sampler = drafting.get();
    sequence.logits = view.logits, sequence.masks = view.mask, sequence.drafts = drafts, sequence.n_drafts = 2, sequence.tokens = out;
    REQUIRE(or_no_memory(gsample_decide(&sequence, 1, nullptr, nullptr)) <= 1);
    or_no_memory(sequence.status);
    REQUIRE((sequence.n_tokens == 0) == (token < 0));
    if (token >= 0) REQUIRE(out[0] == token && sequence.n_tokens <= 3 && (sequence.n_tokens > 1 || sequence.status < 0));
    for (uint32_t i = 0; i < sequence.n_tokens; i++) REQUIRE(or_no_memory(gsample_pick_row(twin.get(), &view, nullptr)) == out[i]);
    REQUIRE(saved_bytes(twin.get()) == saved_bytes(drafting.get()));
    if (law == 0) {
      sequence.draft_dists = dists;
      or_no_memory(gsample_decide(&sequence, 1, nullptr, nullptr));
      or_no_memory(sequence.status);
      for (uint32_t i = 0; i < sequence.n_tokens; i++) REQUIRE(static_cast<uint32_t>(out[i]) < n && (!constrained || rule.allows(out[i])));
    }
    if (constrained && token >= 0) {
      const std::vector<uint8_t> now = saved_bytes(s.get());
      rule.fails = true;
      REQUIRE(or_no_memory(gsample_pick_row(s.get(), &view, nullptr)) < 0);
      REQUIRE(saved_bytes(s.get()) == now);
      rule.fails = false;
    }
  }
  return 0;
}

#include "chain/sampler.h"

#include <algorithm>

namespace gsample {

namespace {

// As after gsample_new.
template <class Field>
void renew(Field& field) {
  field = Field();
}
void renew(History& history) { history.clear(); }

std::vector<uint32_t> token_set(std::span<const int32_t> tokens, const char* what) {
  std::vector<uint32_t> out;
  out.reserve(tokens.size());
  for (size_t i = 0; i < tokens.size(); i++) {
    if (tokens[i] < 0) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s: token %d at place %zu is negative", what, tokens[i], i);
    out.push_back(static_cast<uint32_t>(tokens[i]));
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

void State::reset() {
  each(*this, [](auto& field, AtReset at_reset) {
    if (at_reset == AtReset::renew) renew(field);
  });
  rng = Pcg::seeded(params.seed);
  mu = 2 * params.mirostat_tau;
  average = params.adaptive_target;
}

Custom Custom::clone() const {
  if (!*this) return Custom();
  if (!callbacks_.clone) fail(GSAMPLE_ERROR_UNSUPPORTED, "the sampler's custom stage has no clone");
  gsample_custom copy = callbacks_;
  const int32_t status = callbacks_.clone(callbacks_.user, &copy.user);
  if (status < 0) fail(status, "the custom stage's clone returned status %d", status);
  return Custom(copy);
}

void Custom::apply(const std::vector<int32_t>& tokens, float* logits) const {
  const int32_t status = callbacks_.apply(callbacks_.user, tokens.data(), logits, tokens.size());
  if (status < 0) fail(status, "the custom stage returned status %d", status);
}

Sampler::Sampler(const gsample_params& params) : plan_(params, false) {
  state_.params = params;
  state_.history.configure(params.penalty_style, params.penalty_last_n);
  state_.reset();
}

Sampler::Sampler(State state) : state_(std::move(state)), plan_(state_.params, false) {}

void Sampler::assign(const Sampler& from) {
  if (this == &from) return;
  State state = from.state_;
  Constraint constraint = from.constraint_.clone();
  Custom custom = from.custom_.clone();
  Plan plan = from.plan_;
  const auto exchange = [&] {
    std::swap(state_, state);
    std::swap(plan_, plan);
    std::swap(constraint_, constraint);
    std::swap(custom_, custom);
  };
  exchange();
  reserve_again(exchange);
}

void Sampler::reset() {
  state_.reset();
  constraint_ = Constraint();
}

void Sampler::set_params(const gsample_params& params) {
  Plan plan(params, static_cast<bool>(custom_));
  gsample_params other = params;
  state_.history.configure(params.penalty_style, params.penalty_last_n);
  const auto exchange = [&] {
    std::swap(state_.params, other);
    std::swap(plan_, plan);
  };
  exchange();
  reserve_again([&] {
    exchange();
    state_.history.configure(state_.params.penalty_style, state_.params.penalty_last_n);
  });
}

void Sampler::seed(std::span<const int32_t> tokens) {
  state_.history.reserve(tokens.size());
  for (int32_t token : tokens) state_.history.append(token, false);
}

void Sampler::accept(int32_t token) {
  if (constraint_.awake() && !constraint_.allows(static_cast<uint32_t>(token)))
    fail(GSAMPLE_ERROR_REFUSED, "the constraint does not allow token %d", token);
  commit(token, state_.rng, state_.mu, state_.average);
}

void Sampler::commit(int32_t token, const Pcg& rng, float mu, float average) {
  state_.history.reserve(1);
  if (constraint_.awake()) constraint_.accept(static_cast<uint32_t>(token));
  else if (constraint_) constraint_.follow(static_cast<uint32_t>(token));
  // Nothing fails from here on.
  state_.history.append(token, true);
  state_.rng = rng;
  state_.mu = mu;
  state_.average = average;
  state_.passed = constraint_.awake();
  state_.waited.tokens = static_cast<uint32_t>(constraint_.matched());
}

void Sampler::set_bias(std::span<const int32_t> tokens, std::span<const float> biases) {
  std::vector<Bias::Item> items;
  items.reserve(tokens.size());
  for (size_t i = 0; i < tokens.size(); i++) {
    if (tokens[i] < 0) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "token %d at place %zu is negative", tokens[i], i);
    if (!(biases[i] < kInfinity))
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "the bias of token %d is %s, not a finite number or -inf", tokens[i], format_number(biases[i]).text);
    items.push_back({static_cast<uint32_t>(tokens[i]), biases[i]});
  }
  std::sort(items.begin(), items.end(), [](const Bias::Item& a, const Bias::Item& b) { return a.token < b.token; });
  for (size_t i = 1; i < items.size(); i++)
    if (items[i].token == items[i - 1].token) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "token %u has two biases", items[i].token);
  Bias bias;
  bias.assign(std::move(items));
  std::swap(state_.bias, bias);
  reserve_again([&] { std::swap(state_.bias, bias); });
}

void Sampler::set_stops(std::span<const int32_t> tokens) { state_.stops = token_set(tokens, "stop tokens"); }

void Sampler::add_breaker(std::span<const int32_t> sequence) {
  token_set(sequence, "breaker");
  state_.breakers.add(sequence);
}

// The constraint of a loaded sampler goes on where that was saved: awake, or behind the last answers, which began its `after`. They are
// looked at again, as it may be another `after`.
void Sampler::resume(Constraint& constraint) const {
  if (state_.passed) return constraint.wake();
  const std::span<const History::Entry> entries = state_.history.entries();
  size_t at = entries.size();
  for (uint32_t left = state_.waited.tokens; left > 0; at--) left -= entries[at - 1].answer;
  for (; at < entries.size() && !constraint.awake(); at++)
    if (entries[at].answer) constraint.follow(static_cast<uint32_t>(entries[at].token));
}

void Sampler::set_constraint(Constraint constraint) {
  if (constraint && !constraint_) resume(constraint);
  std::swap(constraint_, constraint);
  reserve_again([&] { std::swap(constraint_, constraint); });
  state_.passed = constraint_.awake();
  state_.waited.tokens = static_cast<uint32_t>(constraint_.matched());
}

void Sampler::set_custom(Custom custom) {
  Plan plan(state_.params, static_cast<bool>(custom));
  const auto exchange = [&] {
    std::swap(custom_, custom);
    std::swap(plan_, plan);
  };
  exchange();
  reserve_again(exchange);
}

void Sampler::reserve(uint32_t n_vocab, size_t n_tokens) {
  reserved_width_ = std::max(reserved_width_, n_vocab);
  reserved_tokens_ = std::max(reserved_tokens_, n_tokens);
  const size_t length = state_.history.entries().size();
  if (n_tokens > length) state_.history.reserve(n_tokens - length);
  if (n_vocab == 0) return;
  // With a top-k no more than a small multiple of k is ever held, unless a constraint may refuse them all. What is raised is held apart.
  const gsample_params& p = state_.params;
  const bool whole = plan_.cut == 0 || static_cast<bool>(constraint_);
  const size_t touched = std::min<size_t>(n_vocab, state_.bias.items().size() + (plan_.penalties || plan_.dry ? n_tokens : 0));
  const size_t ask = plan_.cut + std::min(touched, plan_.cut + 64);
  const size_t held = whole ? n_vocab : std::min<size_t>(n_vocab, 2 * ask + 512 + std::min(touched, plan_.cut));
  slot_.head.reserve(n_vocab, held, whole || plan_.cut > 1024);
  if (plan_.n_leading + (state_.bias.items().empty() ? 0 : 1) > 1) slot_.shape.reserve(n_vocab);
  state_.bias.touched(n_vocab);
  if (plan_.penalties) {
    state_.history.reserve_width(n_vocab);
    if (!Penalties(p, state_.history).only_lower()) slot_.head.raised.reserve(touched), slot_.shape.reserve_raised(touched);
  }
  if (!state_.bias.raised().empty()) slot_.head.raised.reserve(state_.bias.raised().size());
  if (plan_.dry) slot_.dry.reserve(std::max(n_tokens, length), n_vocab);
  if (p.typical_p < 1 || (constraint_ && p.constraint_mode == GSAMPLE_CONSTRAINT_MASK_LAST)) slot_.marks.reserve(held);
  if (p.adaptive_target >= 0) slot_.entered.reserve(held);
  if (custom_) slot_.tokens.reserve(held);
  if (constraint_) slot_.mask.reserve((size_t{n_vocab} + 31) / 32);
}

size_t Sampler::memory() const {
  return sizeof *this + state_.history.bytes() + state_.bias.bytes() + state_.stops.capacity() * 4 + state_.breakers.bytes() + slot_.bytes();
}

bool Sampler::shaped() const {
  return !plan_.greedy || plan_.n_leading > 0 || !state_.bias.items().empty() || static_cast<bool>(constraint_);
}

size_t Sampler::candidates_needed() const {
  if (plan_.cut == 0 || plan_.custom) return 0;
  const gsample_params& p = state_.params;
  if (!state_.bias.raised().empty()) return 0;
  size_t touched = state_.bias.items().size();
  for (size_t i = 0; i < plan_.n_leading; i++) {
    const size_t history = state_.history.entries().size();
    if (plan_.leading[i] == GSAMPLE_STAGE_DRY) {
      touched += p.dry_last_n < 0 ? history : std::min(history, static_cast<size_t>(p.dry_last_n));
    } else {
      if (!Penalties(p, state_.history).only_lower()) return 0;
      const bool window = p.penalty_style == GSAMPLE_PENALTY_WINDOW && p.penalty_last_n >= 0;
      touched += window ? static_cast<size_t>(p.penalty_last_n) : state_.history.counts().size();
    }
  }
  return plan_.cut + touched;
}

const Shape& Sampler::shape(uint32_t n_vocab, Slot& slot) {
  if (plan_.dry) slot.dry.match(state_.history.entries(), state_.params, state_.breakers);
  slot.shape.prepare(plan_, state_.params, n_vocab, state_.bias, state_.history, slot.dry);
  return slot.shape;
}

void Sampler::add_to_shape(float temperature, int32_t stage, uint32_t n_vocab, Slot& slot) {
  slot.shape.add(temperature, stage, state_.params, n_vocab, state_.bias, state_.history, slot.dry);
}

std::span<const uint64_t> Sampler::touched_by(int32_t stage, uint32_t n_vocab, Slot& slot) {
  if (stage == GSAMPLE_STAGE_DRY) return slot.dry.touched(n_vocab);
  return state_.history.seen(n_vocab).words();
}

}  // namespace gsample

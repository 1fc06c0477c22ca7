// The sampler of gsample.hpp, with its constraint and its custom stage.
// SPDX-License-Identifier: MIT
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "grammar.hpp"
#include "values.hpp"

namespace gsample {

// What Sampler::constrain takes: any type with these two members. It may also have, with the meaning that gsample_constraint gives them,
//    first_bytes(std::span<uint8_t, 256>) and first_byte(int32_t) -> int32_t
//    mask(std::span<uint32_t>)
//    can_stop() -> bool
// and can be cloned where it is copyable. A member may throw: an Exception gives its status, anything else CALLBACK.
template <class C>
concept ConstraintLike = requires(C c, int32_t token) {
  { c.allows(token) } -> std::convertible_to<int32_t>;
  c.accept(token);
};

// What Sampler::set_custom takes.
template <class F>
concept CustomStage = std::invocable<F&, std::span<const int32_t>, std::span<float>>;

class Sampler {
 public:
  static Result<Sampler> make(const gsample_params& params) {
    detail::Words words;
    gsample_sampler* handle = nullptr;
    if (int32_t status = gsample_new(&params, &handle, &words); status < 0) return words.failure(status);
    return Sampler(handle);
  }
  static Result<Sampler> load(std::span<const std::byte> bytes) {
    detail::Words words;
    gsample_sampler* handle = nullptr;
    if (int32_t status = gsample_load(&handle, bytes.data(), bytes.size(), &words); status < 0) return words.failure(status);
    return Sampler(handle);
  }
  Result<std::vector<std::byte>> save() const {
    return detail::fetch<std::vector<std::byte>>([&](std::byte* out, size_t n) { return gsample_save(get(), out, n); });
  }
  Result<Sampler> clone() const {
    gsample_sampler* copy = nullptr;
    if (int32_t status = gsample_clone(get(), &copy); status < 0) return detail::failure(status);
    return Sampler(copy);
  }
  Result<void> assign(const Sampler& from) { return detail::done(gsample_assign(get(), from.get())); }
  Result<void> reset() { return detail::done(gsample_reset(get())); }
  Result<void> reserve(uint32_t n_vocab, size_t n_tokens) { return detail::done(gsample_reserve(get(), n_vocab, n_tokens)); }
  Result<int64_t> memory() const { return detail::number(gsample_memory(get())); }

  Result<void> set_params(const gsample_params& params) {
    detail::Words words;
    return detail::done(gsample_set_params(get(), &params, &words), words);
  }
  Result<void> rng_seed(uint64_t seed) { return detail::done(gsample_rng_seed(get(), seed)); }
  Result<double> uniform() { return detail::number(gsample_uniform(get())); }
  Result<void> seed(std::span<const int32_t> tokens) { return detail::done(gsample_seed(get(), tokens.data(), tokens.size())); }
  Result<void> accept(int32_t token) { return detail::done(gsample_accept(get(), token)); }
  Result<void> bias(std::span<const int32_t> tokens, std::span<const float> biases) {
    if (tokens.size() != biases.size()) return Error{GSAMPLE_ERROR_INVALID_ARGUMENT, 0, 0, "as many biases as tokens are needed"};
    return detail::done(gsample_bias(get(), tokens.data(), biases.data(), tokens.size()));
  }
  Result<void> stop(std::span<const int32_t> tokens) { return detail::done(gsample_stop(get(), tokens.data(), tokens.size())); }
  Result<void> dry_breaker(std::span<const int32_t> tokens) {
    return detail::done(gsample_dry_breaker(get(), tokens.data(), tokens.size()));
  }

  // Takes the constraint in. It sleeps until `after` has been accepted.
  template <ConstraintLike C>
  Result<void> constrain(C constraint, std::span<const int32_t> after = {});
  // The matcher is the sampler's from here on, also where the call fails.
  Result<void> constrain(Matcher matcher, std::span<const int32_t> after = {}) {
    gsample_constraint c = {};
    c.size = sizeof c;
    if (int32_t status = gsample_matcher_constraint(matcher.get(), &c); status < 0) return detail::failure(status);
    matcher.release();
    c.after = after.data();
    c.n_after = static_cast<uint32_t>(after.size());
    return detail::done(gsample_constrain(get(), &c));
  }
  Result<void> unconstrain() { return detail::done(gsample_constrain(get(), nullptr)); }

  template <CustomStage F>
  Result<void> set_custom(F stage);
  Result<void> unset_custom() { return detail::done(gsample_set_custom(get(), nullptr)); }

  Result<bool> shaped() const { return detail::predicate(gsample_shaped(get())); }
  Result<int64_t> candidates_needed() const { return detail::number(gsample_candidates_needed(get())); }

  Result<int32_t> pick(std::span<const float> logits) { return detail::number(gsample_pick(get(), logits.data(), logits.size())); }
  Result<int32_t> pick(const Row& row) { return detail::number(gsample_pick_row(get(), &row, nullptr)); }
  Result<Choice> pick(const Row& row, uint32_t logprob_mode, uint32_t n_top = 0) {
    Choice out;
    out.top.resize(n_top);
    gsample_choice choice = {};
    choice.size = sizeof choice;
    choice.logprob_mode = logprob_mode, choice.n_top = n_top, choice.top = out.top.data();
    if (int32_t status = gsample_pick_row(get(), &row, &choice); status < 0) return detail::failure(status);
    out.token = choice.token, out.rank = choice.rank, out.logprob = choice.logprob;
    out.top.resize(choice.n_written);
    return out;
  }

  gsample_sampler* get() const noexcept { return handle_.get(); }

 private:
  explicit Sampler(gsample_sampler* handle) : handle_(handle) {}
  detail::Handle<gsample_sampler, gsample_free> handle_;
};

template <ConstraintLike C>
Result<void> Sampler::constrain(C constraint, std::span<const int32_t> after) {
  gsample_constraint c = {};
  c.size = sizeof c;
  c.after = after.data();
  c.n_after = static_cast<uint32_t>(after.size());
  c.allows = [](void* user, int32_t token) { return detail::guarded([&] { return static_cast<C*>(user)->allows(token); }); };
  c.accept = [](void* user, int32_t token) { return detail::guarded([&] { return static_cast<C*>(user)->accept(token); }); };
  if constexpr (requires(C x, std::span<uint8_t, 256> table) { x.first_bytes(table), x.first_byte(int32_t{}); }) {
    c.first_bytes = [](void* user, uint8_t* table) {
      return detail::guarded([&] { return static_cast<C*>(user)->first_bytes(std::span<uint8_t, 256>(table, 256)); });
    };
    c.first_byte = [](void* user, int32_t token) { return detail::guarded([&] { return static_cast<C*>(user)->first_byte(token); }); };
  }
  if constexpr (requires(C x, std::span<uint32_t> words) { x.mask(words); })
    c.mask = [](void* user, uint32_t* words, size_t n) {
      return detail::guarded([&] { return static_cast<C*>(user)->mask(std::span<uint32_t>(words, n)); });
    };
  if constexpr (requires(C x) { x.can_stop(); })
    c.can_stop = [](void* user) { return detail::guarded([&] { return static_cast<C*>(user)->can_stop(); }); };
  if constexpr (std::copy_constructible<C>) c.clone = detail::clone<C>;
  c.destroy = detail::destroy<C>;
  c.user = new C(std::move(constraint));
  return detail::done(gsample_constrain(get(), &c));
}

template <CustomStage F>
Result<void> Sampler::set_custom(F stage) {
  gsample_custom c = {};
  c.size = sizeof c;
  c.apply = [](void* user, const int32_t* tokens, float* logits, size_t n) {
    return detail::guarded([&] { return (*static_cast<F*>(user))(std::span<const int32_t>(tokens, n), std::span<float>(logits, n)); });
  };
  if constexpr (std::copy_constructible<F>) c.clone = detail::clone<F>;
  c.destroy = detail::destroy<F>;
  c.user = new F(std::move(stage));
  return detail::done(gsample_set_custom(get(), &c));
}

}  // namespace gsample

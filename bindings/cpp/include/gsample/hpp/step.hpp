// Distributions and the step of gsample.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "sampler.hpp"

namespace gsample {

class Dist {
 public:
  static Result<Dist> make() {
    gsample_dist* handle = nullptr;
    if (int32_t status = gsample_dist_new(&handle); status < 0) return detail::failure(status);
    return Dist(handle);
  }
  Result<void> set(std::span<const int32_t> tokens, std::span<const double> weights) {
    if (tokens.size() != weights.size()) return Error{GSAMPLE_ERROR_INVALID_ARGUMENT, 0, 0, "as many weights as tokens are needed"};
    return detail::done(gsample_dist_set(get(), tokens.data(), weights.data(), tokens.size()));
  }
  Result<void> from_row(Sampler& sampler, const Row& row) { return detail::done(gsample_dist_from_row(get(), sampler.get(), &row)); }
  Result<void> from_candidates(Sampler& sampler, std::span<const int32_t> tokens, std::span<const float> logits, uint32_t n_vocab,
                               bool exact = true) {
    if (tokens.size() != logits.size()) return Error{GSAMPLE_ERROR_INVALID_ARGUMENT, 0, 0, "as many logits as tokens are needed"};
    return detail::done(
        gsample_dist_from_candidates(get(), sampler.get(), tokens.data(), logits.data(), tokens.size(), n_vocab, exact ? 1 : 0));
  }
  // Valid until the next change.
  std::span<const int32_t> ids() const { return {gsample_dist_ids(get()), gsample_dist_size(get())}; }
  std::span<const double> weights() const { return {gsample_dist_weights(get()), gsample_dist_size(get())}; }
  double total() const { return gsample_dist_total(get()); }
  double chance(int32_t token) const { return gsample_dist_chance(get(), token); }
  Result<int32_t> draw(Sampler& sampler) const { return detail::number(gsample_dist_draw(get(), sampler.get())); }
  // max(0, this - q) into out, which may be either.
  Result<void> residual(const Dist& q, Dist& out) const { return detail::done(gsample_dist_residual(get(), q.get(), out.get())); }
  gsample_dist* get() const noexcept { return handle_.get(); }

 private:
  explicit Dist(gsample_dist* handle) : handle_(handle) {}
  detail::Handle<gsample_dist, gsample_dist_free> handle_;
};

// gsample_sequence with its size set, the rest 0.
struct Sequence : gsample_sequence {
  Sequence() : gsample_sequence{} { size = sizeof(gsample_sequence); }
};
static_assert(sizeof(Sequence) == sizeof(gsample_sequence));

class Workspace {
 public:
  static Result<Workspace> make(uint32_t n_workers) {
    gsample_workspace* handle = nullptr;
    if (int32_t status = gsample_workspace_new(n_workers, &handle); status < 0) return detail::failure(status);
    return Workspace(handle);
  }
  gsample_workspace* get() const noexcept { return handle_.get(); }

 private:
  explicit Workspace(gsample_workspace* handle) : handle_(handle) {}
  detail::Handle<gsample_workspace, gsample_workspace_free> handle_;
};

// Your threads: parallel_for(n, body) calls body(worker, i) for every i below n, see gsample_executor. It is borrowed, not copied.
class Executor : public gsample_executor {
 public:
  template <class F>
  Executor(uint32_t n_workers, F& parallel_for) : gsample_executor{} {
    this->size = sizeof(gsample_executor);
    this->n_workers = n_workers;
    this->user = &parallel_for;
    this->parallel_for = [](void* user, size_t n, void (*body)(void*, uint32_t, size_t), void* arg) {
      return detail::guarded([&] { (*static_cast<F*>(user))(n, [=](uint32_t worker, size_t i) { body(arg, worker, i); }); });
    };
  }
};

// Returns how many sequences failed.
inline Result<int32_t> decide(std::span<Sequence> sequences, const Executor* executor = nullptr, Workspace* workspace = nullptr) {
  return detail::number(gsample_decide(sequences.data(), sequences.size(), executor, workspace ? workspace->get() : nullptr));
}

}  // namespace gsample

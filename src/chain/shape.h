// What stands between the row as given and the logits that the order is made of: bias and bans, and the penalties and DRY that lead the
// chain. They concern few tokens, so they are looked up for the tokens that matter instead of being written into a copy of the row.
#pragma once

#include "chain/plan.h"
#include "stages/dry.h"
#include "stages/penalties.h"

namespace gsample {

// A table of logit biases.
class Bias {
 public:
  struct Item {
    uint32_t token;
    float bias;
  };

  void assign(std::vector<Item> items);  // by token, each once
  const std::vector<Item>& items() const { return items_; }
  const std::vector<uint32_t>& raised() const { return raised_; }

  std::span<const uint64_t> touched(size_t n_vocab);
  const float* find(uint32_t token) const;  // among those touched so far; NULL where there is none
  float bound(float magnitude) const { return magnitude + largest_; }
  size_t bytes() const;

 private:
  std::vector<Item> items_;      // ascending
  std::vector<uint32_t> raised_; // those with a bias above 0
  TokenBits bits_;
  std::vector<uint32_t> before_;  // of each word of bits_: how many items come before it
  float largest_ = 0;
};

class Shape {
 public:
  // Gathers what is to be done to a row of n_vocab. Valid until the next call or a change of what it was made of.
  void prepare(const Plan& plan, const gsample_params& params, uint32_t n_vocab, Bias& bias, History& history, Dry& dry);

  // Adds a stage, penalties or DRY, that comes after the others and after a temperature (1: none).
  void add(float temperature, int32_t stage, const gsample_params& params, uint32_t n_vocab, Bias& bias, History& history, Dry& dry);

  Patches patches() const;
  float divisor() const { return divisor_; }
  float apply(uint32_t id, float logit) const;  // -infinity: banned
  void reserve(size_t n_vocab);
  void reserve_raised(size_t n) { raised_.reserve(n); }
  size_t bytes() const { return both_.capacity() * 8 + raised_.capacity() * 4; }

 private:
  float bound(float magnitude) const;
  void gather(const gsample_params& params, uint32_t n_vocab, Bias& bias, History& history, Dry& dry);

  const Bias* bias_ = nullptr;
  Penalties penalties_;
  const Dry* dry_ = nullptr;
  size_t history_length_ = 0;
  std::array<int32_t, 4> steps_{};  // penalties, DRY, a temperature between them; 0 ends it
  size_t n_steps_ = 0;
  float divisor_ = 1;
  std::span<const uint64_t> touched_;
  std::span<const uint32_t> raised_view_;
  size_t count_ = 0;
  std::vector<uint64_t> both_;  // the union, where more than one of them touches anything
  std::vector<uint32_t> raised_;
};

}  // namespace gsample

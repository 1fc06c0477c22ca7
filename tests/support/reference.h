// The plain reference: what gsample computes, said in the slowest and most obvious way (every candidate in one array, sorted), from
// semantics alone. Everything fast is held to it, bit for bit. It trusts its parameters: checking them is the library's work.
// It shares with the library only base/real.h, whose exp and log are part of the definition of the bits.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <vector>

#include "gsample/gsample.h"

namespace reference {

// PCG-DXSM 128/64, as Go's math/rand/v2 has it.
struct Generator {
  uint64_t high = 0, low = 0;
  explicit Generator(uint64_t seed) : high(seed), low(seed ^ 0x9e3779b97f4a7c15u) {}
  uint64_t next();
  double uniform();  // in [0, 1): the low 53 bits of one output
  bool operator==(const Generator&) const = default;
};

struct Spoken {
  int32_t token;
  bool answer;  // false: prompt
};

// What a sampler keeps between picks. Nothing here learns of a picked token by itself: see Outcome.
struct State {
  explicit State(const gsample_params& p);
  gsample_params params;
  Generator generator;
  std::vector<Spoken> history;
  std::map<int32_t, float> bias;
  std::vector<std::vector<int32_t>> breakers;
  float mu, average;
};

struct Row {
  std::vector<float> values;
  std::vector<uint32_t> mask;  // empty: every column counts
};

using Allows = std::function<bool(int32_t)>;                         // empty: no constraint
using Custom = std::function<void(const int32_t*, float*, size_t)>;  // empty: the stage does nothing

struct Candidate {
  int32_t id;
  float value;      // the logit as the stages so far have left it
  float p = 0;      // by the latest softmax
  float entry = 0;  // p as it entered adaptive-p
};
using Set = std::vector<Candidate>;

struct Outcome {
  int32_t status = 0;  // below 0: nothing was picked, and the caller keeps its state as it was
  int32_t token = -1;
  Set set;              // what the token was drawn from, in C1 order
  Generator generator;  // after the pick
  float mu, average;    // after the pick
};

Outcome pick(const State& state, const Row& row, const Allows& allows = {}, const Custom& custom = {});

// The distribution that pick draws from, in C1 order. `generator` has moved by XTC's number only.
struct Law {
  int32_t status = 0;
  std::vector<int32_t> ids;
  std::vector<double> weights;
  Generator generator;
};
Law law(const State& state, const Row& row, const Allows& allows = {}, const Custom& custom = {});

}  // namespace reference

// The parts that the reference is put together from: statistics of a set (reference_statistics.cc) and one function per stage
// (reference_stages.cc). Only the reference's own files include this.
#pragma once

#include <limits>

#include "reference.h"

namespace reference {

constexpr float kInfinity = std::numeric_limits<float>::infinity();
constexpr float kFloatMax = std::numeric_limits<float>::max();

float clamp(float x);  // to the finite floats
void sort_c1(Set& set);
void keep_first(Set& set, size_t n, size_t least = 1);  // n tokens, but at least `least` and at least one

float max_of(const Set& set);
void softmax(Set& set);          // fills every p
double entropy(const Set& set);  // in nats, after softmax
void mean_and_deviation(const Set& set, double* mean, double* deviation);

void penalties(const State& state, Set& set);
void dry(const State& state, Set& set);
void top_n_sigma(const gsample_params& p, Set& set);
void typical_p(const gsample_params& p, Set& set);
void top_p(const gsample_params& p, Set& set);
void min_p(const gsample_params& p, Set& set);
void xtc(const gsample_params& p, Set& set, Generator& generator);
void temperature(const gsample_params& p, Set& set);
void mirostat(const State& state, Set& set, size_t n_vocab);
void adaptive_p(const State& state, Set& set);
int32_t run_custom(const Custom& custom, Set& set);

}  // namespace reference

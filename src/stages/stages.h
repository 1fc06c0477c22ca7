// The stages of a chain. Each reads and changes the head as the stages before it left it, and is a true no-op at its off value (the plan
// leaves those out). Formulas and sources: the header's manual; one file each.
#pragma once

#include "candidates/head.h"
#include "rng/pcg.h"

namespace gsample {

void top_k(Head& head, int32_t k);
void top_p(Head& head, float p, size_t min_keep);
void min_p(Head& head, float p, size_t min_keep);
void typical_p(Head& head, float p, size_t min_keep, std::vector<uint8_t>& marks);
void top_n_sigma(Head& head, float n_sigma);
void xtc(Head& head, float probability, float threshold, size_t min_keep, Pcg& rng);

// range > 0: dynamic, between temperature - range and temperature + range by the entropy of the set.
void temperature(Head& head, float temperature, float range, float exponent);

// Cuts by the surprise allowed, mu. After the choice: mu = mirostat_update(...) with the chosen token's final probability.
void mirostat_1(Head& head, float mu);
void mirostat_2(Head& head, float mu);
float mirostat_update(float mu, float tau, float eta, float p);

// Weighs the set by distance from the target. `entered` receives the probabilities as they were before, in C1 order.
void adaptive_p(Head& head, float target, float average, std::vector<float>& entered);
float adaptive_update(float average, float decay, float p);

}  // namespace gsample

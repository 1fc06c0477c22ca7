/* Rows and chains for tests of steps. */
#ifndef TESTS_DECIDE_SUPPORT_H
#define TESTS_DECIDE_SUPPORT_H

#include "constraint_support.h"

enum { N = 60, MOST = 6 };

HELPER void fill(float* row, int step) {
  int i;
  for (i = 0; i < N; i++) row[i] = (float)((uint32_t)(i * 7919 + step * 104729) * 2654435761u >> 24) * .02f;
}

HELPER gsample_params shaped(uint64_t seed) {
  gsample_params params = plain_params();
  params.seed = seed, params.temperature = .9f, params.top_k = 30, params.top_p = .97f, params.penalty_repeat = 1.2f;
  params.penalty_freq = .1f, params.dry_multiplier = .6f, params.dry_allowed_length = 1;
  if (seed % 3 == 0) params.xtc_probability = .4f, params.xtc_threshold = .02f;
  if (seed % 3 == 1) params.dynatemp_range = .3f;
  if (seed % 5 == 0) set_order(&params, TOKENS(1, 2, 4, 6, 9, 10)), params.mirostat = 2, params.xtc_probability = 0;
  if (seed % 5 == 1) set_order(&params, TOKENS(1, 2, 4, 6, 9, 11)), params.adaptive_target = .2f, params.xtc_probability = 0;
  if (seed % 7 == 0) params.temperature = 0;
  return params;
}

#endif

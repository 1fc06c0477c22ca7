// Random cases for the property test: any parameters, order, row, dtype, mask, bias, history and constraint that gsample takes, with a
// bias towards borders. Case i of a seed is the same everywhere.
#pragma once

#include <cstdint>

#include "play.h"

Case random_case(uint64_t seed, uint64_t index);

// The same case with simpler parts, for the report of a failure: every candidate that `still_fails` agrees to replaces the case.
Case shrink(Case c, const std::function<bool(const Case&)>& still_fails);

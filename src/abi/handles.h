// What the opaque handles of the header are, and the checks of arguments that every section needs.
#pragma once

#include <span>

#include "chain/sampler.h"
#include "dist/dist.h"

struct gsample_sampler : gsample::Sampler {
  using Sampler::Sampler;
};
struct gsample_dist : gsample::Dist {};

namespace gsample {

template <class T>
void need(const T* pointer, const char* name) {
  if (!pointer) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
}

inline std::span<const int32_t> tokens_of(const int32_t* tokens, size_t n) {
  if (n) need(tokens, "tokens");
  if (n > INT32_MAX) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n is %zu, more than 2147483647", n);
  return {tokens, n};
}

}  // namespace gsample

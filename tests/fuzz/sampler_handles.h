// The sampler's handles as owners, for fuzzers that may run out of memory anywhere.
#pragma once

#include <gsample/gsample.h>

#include <memory>
#include <new>
#include <vector>

#include "fuzz.h"

struct FreeHandle {
  void operator()(gsample_sampler* s) const { gsample_free(s); }
  void operator()(gsample_dist* d) const { gsample_dist_free(d); }
};
using SamplerHandle = std::unique_ptr<gsample_sampler, FreeHandle>;
using DistHandle = std::unique_ptr<gsample_dist, FreeHandle>;

// A status that only a lack of memory can explain.
inline int32_t or_no_memory(int32_t status) {
  if (status == GSAMPLE_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  return status;
}

inline SamplerHandle clone_of(const gsample_sampler* s) {
  gsample_sampler* copy = nullptr;
  REQUIRE(or_no_memory(gsample_clone(s, &copy)) == 0);
  return SamplerHandle(copy);
}

inline DistHandle new_dist() {
  gsample_dist* d = nullptr;
  REQUIRE(or_no_memory(gsample_dist_new(&d)) == 0);
  return DistHandle(d);
}

inline std::vector<uint8_t> saved_bytes(const gsample_sampler* s) {
  const int64_t size = gsample_save(s, nullptr, 0);
  if (size == GSAMPLE_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  REQUIRE(size > 0);
  std::vector<uint8_t> bytes(static_cast<size_t>(size));
  const int64_t again = gsample_save(s, bytes.data(), bytes.size());
  if (again == GSAMPLE_ERROR_OUT_OF_MEMORY) throw std::bad_alloc();
  REQUIRE(again == size);
  return bytes;
}

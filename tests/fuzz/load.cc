// Any bytes as a saved sampler: refused with a status and words, or a sampler that works and saves itself as what it was loaded from.
// The same bytes are tried once more with the header and the checksum put right, or nothing behind the checksum would ever be reached.
#include <cstring>
#include <string>

#include "sampler_handles.h"

namespace {

void put(std::vector<uint8_t>& bytes, size_t at, uint64_t value, size_t width) {
  for (size_t i = 0; i < width; i++) bytes[at + i] = static_cast<uint8_t>(value >> 8 * i);
}

void repair(std::vector<uint8_t>& bytes) {
  const char magic[] = {'g', 's', 'm', 'p'};
  std::memcpy(bytes.data(), magic, 4);
  put(bytes, 4, bytes[4] == 2 ? 2 : 1, 4);  // both formats
  put(bytes, 8, GSAMPLE_SEMANTICS, 4);
  uint64_t sum = 0xcbf29ce484222325u;  // FNV-1a
  for (size_t i = 0; i + 8 < bytes.size(); i++) sum = (sum ^ bytes[i]) * 0x100000001b3u;
  put(bytes, bytes.size() - 8, sum, 8);
}

void load(const uint8_t* data, size_t size) {
  gsample_error error = {};
  error.size = sizeof error;
  gsample_sampler* loaded = nullptr;
  const int32_t status = or_no_memory(gsample_load(&loaded, data, size, &error));
  SamplerHandle sampler(loaded);
  if (status != 0) {
    REQUIRE(status == GSAMPLE_ERROR_FORMAT || status == GSAMPLE_ERROR_UNSUPPORTED || status == GSAMPLE_ERROR_INVALID_ARGUMENT);
    REQUIRE(!loaded && error.status == status && error.message[0]);
    return;
  }
  const std::vector<uint8_t> saved = saved_bytes(sampler.get());
  gsample_sampler* again = nullptr;
  REQUIRE(or_no_memory(gsample_load(&again, saved.data(), saved.size(), nullptr)) == 0);
  SamplerHandle twin(again);
  REQUIRE(saved_bytes(twin.get()) == saved);
  // Where it waits for an `after`, it goes on from there, or from what another `after` has of it.
  const int32_t after[] = {2, 1, 2};
  gsample_constraint constraint = {};
  constraint.size = sizeof constraint, constraint.after = after, constraint.n_after = size % 4;
  constraint.allows = [](void*, int32_t token) -> int32_t { return token % 2; };
  if (size % 4) {
    REQUIRE(or_no_memory(gsample_constrain(sampler.get(), &constraint)) == 0);
    REQUIRE(or_no_memory(gsample_constrain(twin.get(), &constraint)) == 0);
    REQUIRE(saved_bytes(twin.get()) == saved_bytes(sampler.get()));
  }
  const float row[] = {1, 3, 2, -1, 0.5f};
  for (int i = 0; i < 3; i++) {
    const int32_t a = or_no_memory(gsample_pick(sampler.get(), row, 5)), b = or_no_memory(gsample_pick(twin.get(), row, 5));
    REQUIRE(a == b);
    REQUIRE(a < 5 && (a >= 0 || a == GSAMPLE_ERROR_NO_CANDIDATE));
  }
  REQUIRE(or_no_memory(gsample_reset(sampler.get())) == 0);
  REQUIRE(or_no_memory(gsample_pick(sampler.get(), row, 5)) < 5);
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  load(data, size);
  if (size < 20) return 0;
  std::vector<uint8_t> repaired(data, data + size);
  repair(repaired);
  load(repaired.data(), repaired.size());
  return 0;
}

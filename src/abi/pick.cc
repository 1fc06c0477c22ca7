// The pick.
#include "abi/float_environment.h"
#include "abi/guard.h"
#include "abi/handles.h"
#include "abi/rows.h"
#include "base/sized.h"
#include "chain/run.h"

using namespace gsample;

namespace {

int32_t pick(gsample_sampler& sampler, const Row& row) {
  Run run(sampler, sampler.slot(), row);
  const uint32_t token = run.choose();
  run.commit();
  return static_cast<int32_t>(token);
}

}  // namespace

int32_t gsample_pick(gsample_sampler* sampler, const float* logits, size_t n_vocab) {
  return guarded(nullptr, [&]() -> int32_t {
    const FloatEnvironment environment;
    need(sampler, "sampler");
    if (n_vocab > INT32_MAX) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is %zu, more than 2147483647", n_vocab);
    const Row row{.logits = logits, .n = static_cast<uint32_t>(n_vocab)};
    check_row(row);
    return pick(*sampler, row);
  });
}

int32_t gsample_pick_row(gsample_sampler* sampler, const gsample_row* from, gsample_choice* choice) {
  return guarded(nullptr, [&]() -> int32_t {
    const FloatEnvironment environment;
    need(sampler, "sampler");
    const Row row = import_row(from);
    if (choice) fail(GSAMPLE_ERROR_UNSUPPORTED, "logprobs are not there yet");
    return pick(*sampler, row);
  });
}

// The pick.
#include "abi/guard.h"
#include "abi/handles.h"
#include "abi/rows.h"
#include "chain/choice.h"

using namespace gsample;

namespace {

int32_t pick(gsample_sampler& sampler, const Row& row, gsample_choice* choice) {
  const ChoiceRequest request = import_choice(choice);
  Run run(sampler, sampler.slot(), row);
  run.choose();
  const Choice described = describe_choice(request, run, nullptr, sampler.slot());
  run.commit();
  export_choice(described, choice);
  return static_cast<int32_t>(run.token());
}

}  // namespace

int32_t gsample_pick(gsample_sampler* sampler, const float* logits, size_t n_vocab) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    if (n_vocab > INT32_MAX) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is %zu, more than 2147483647", n_vocab);
    const Row row{.logits = logits, .n = static_cast<uint32_t>(n_vocab)};
    check_row(row);
    return pick(*sampler, row, nullptr);
  });
}

int32_t gsample_pick_row(gsample_sampler* sampler, const gsample_row* row, gsample_choice* choice) {
  return guarded(nullptr, [&]() -> int32_t {
    need(sampler, "sampler");
    return pick(*sampler, import_row(row), choice);
  });
}

// hello.c in C++: the sampler is owned by a smart pointer, errors are exceptions of the program's own.
#include <gsample/gsample.h>

#include <cstdio>
#include <memory>
#include <stdexcept>
#include <vector>

#include "rows.h"

namespace {

struct Free {
  void operator()(gsample_sampler* sampler) const { gsample_free(sampler); }
};
using Sampler = std::unique_ptr<gsample_sampler, Free>;

Sampler make_sampler(const gsample_params& params) {
  gsample_error error{};
  error.size = sizeof error;
  gsample_sampler* sampler = nullptr;
  if (gsample_new(&params, &sampler, &error) < 0) throw std::runtime_error(error.message);
  return Sampler(sampler);
}

int32_t pick(gsample_sampler& sampler, const std::vector<float>& logits) {
  int32_t token = gsample_pick(&sampler, logits.data(), logits.size());
  if (token < 0) throw std::runtime_error(gsample_status_name(token));
  return token;
}

}  // namespace

int main() try {
  gsample_params params{};
  params.size = sizeof params;
  gsample_params_init(&params);
  params.seed = 42;
  params.temperature = 0.8f;
  params.top_k = 40;
  params.penalty_repeat = 1.1f;
  Sampler sampler = make_sampler(params);
  std::vector<float> logits(32000);
  for (uint64_t i = 0; i < 32; i++) {
    rows_fill(logits.data(), logits.size(), "cubic", 7, i);
    std::printf("%d\n", pick(*sampler, logits));
  }
} catch (const std::exception& error) {
  std::fprintf(stderr, "%s\n", error.what());
  return 1;
}

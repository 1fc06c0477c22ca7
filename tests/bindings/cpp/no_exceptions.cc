// The C++ binding where exceptions and RTTI are switched off: compiled, not run.
#include <gsample/gsample.hpp>

struct Even {
  bool allows(int32_t token) { return token % 2 == 0; }
  void accept(int32_t) {}
};

int main() {
  auto sampler = gsample::Sampler::make(gsample::Params());
  if (!sampler || !sampler->constrain(Even())) return 1;
  auto token = sampler->pick(std::span<const float>());
  return token ? *token : token.error().status;
}

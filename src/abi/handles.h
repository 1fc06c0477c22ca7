// What the opaque handles of the header are.
#pragma once

#include "chain/sampler.h"

struct gsample_sampler : gsample::Sampler {
  using Sampler::Sampler;
};

// The sampling that a model's author recommends, from the general.sampling.* keys of a GGUF file.
#pragma once

#include "files/gguf.h"
#include "files/report.h"

namespace gsample {

// Sets what the file says and leaves the rest of the params alone, in this turn:
//   general.sampling.sequence replaces the order, and what belongs to stages that leave it is switched off;
//   general.sampling.mirostat 1 or 2 replaces it in turn, as by set_param();
//   any other key is set where its stage is in the order, and reported where it is not.
// A key with that prefix that is none of the twelve is reported. A wrong type or value throws INVALID_ARGUMENT with the key's name.
Report params_from_gguf(gsample_params& params, const Gguf& file);

}  // namespace gsample

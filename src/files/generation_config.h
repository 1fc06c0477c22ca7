// The sampling that a model's author recommends, from Hugging Face's generation_config.json.
#pragma once

#include <string_view>

#include "files/report.h"

namespace gsample {

// Makes the params what generate() of transformers does with this file: the preset hf, and on top of it what the file says; null
// switches a parameter off. Sampling takes
// do_sample true; without it the temperature becomes 0, and if the file does not say false itself, the sampling parameters it gives
// are reported. Keys that other parts of an engine read are passed over (lengths, token ids, caches: the list is in the .cc file);
// what gsample cannot do, and keys that nobody knows, are reported. Throws FORMAT where the text is no JSON object, and
// INVALID_ARGUMENT with the key's name for a wrong type or value.
Report params_from_generation_config(gsample_params& params, std::string_view json);

}  // namespace gsample

// The conventions of other systems, as text that set_param() reads. Each is what that system's documentation or code does when nothing
// is set (common/common.h and tools/server/README.md of llama.cpp; vllm/sampling_params.py and its v1 sampler; GenerationConfig and
// the order of logits processors in transformers, with do_sample; docs/modelfile.mdx and sample/samplers.go of Ollama; the OpenAI chat
// API). The order says also whether the temperature comes before or after the truncations.
#include <cstring>
#include <string>

#include "params/params.h"

namespace gsample {

namespace {

struct Preset {
  const char* name;
  const char* settings;  // on top of the defaults
};

constexpr Preset presets[] = {
    {"golem", "order=penalties,top_k,top_p,min_p,temperature"},
    {"llama.cpp", "temperature=0.8 top_k=40 min_p=0.05 top_n_sigma=-1 dry_last_n=64"},
    {"vllm", "top_k=0 top_p=1 penalty_style=answer order=penalties,temperature,min_p,top_k,top_p"},
    {"hf", "top_k=50 top_p=1 penalty_style=answer order=penalties,temperature,top_k,top_p,min_p,typical_p"},
    {"ollama", "temperature=0.8 top_k=40 top_p=0.9 order=top_k,temperature,top_p,min_p"},
    {"openai", "top_k=0 top_p=1 penalty_style=answer order=penalties,temperature,top_p"},
    {"greedy", "temperature=0 top_k=0 top_p=1 order=penalties,dry,temperature"},
};

void apply(gsample_params& params, const std::string& settings) {
  for (size_t at = 0; at < settings.size();) {
    size_t equals = settings.find('=', at);
    size_t end = std::min(settings.find(' ', equals), settings.size());
    set_param(params, settings.substr(at, equals - at).c_str(), settings.substr(equals + 1, end - equals - 1).c_str());
    at = end + 1;
  }
}

}  // namespace

void preset_params(gsample_params& params, const char* name) {
  if (!name) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "the preset's name is NULL");
  for (const Preset& preset : presets) {
    if (std::strcmp(name, preset.name) != 0) continue;
    gsample_params out;
    default_params(out);
    apply(out, preset.settings);
    out.seed = params.seed;
    out.nan_policy = params.nan_policy;
    out.constraint_mode = params.constraint_mode;
    params = out;
    return;
  }
  std::string known;
  for (const Preset& preset : presets) known.append(known.empty() ? "" : ", ").append(preset.name);
  fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "there is no preset called %.64s, only %s", name, known.c_str());
}

}  // namespace gsample

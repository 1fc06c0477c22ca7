#include "files/gguf_params.h"

#include <string>

namespace gsample {

namespace {

constexpr std::string_view prefix = "general.sampling.";

const Param* find_gguf_param(std::string_view key) {
  for (const Param& param : all_params())
    if (*param.gguf && key == param.gguf) return &param;
  return nullptr;
}

// The value as set_param() reads it.
std::string text_of(const Param& param, const GgufValue& value) {
  bool words = param.kind == ParamKind::order;
  if (value.is_array || (words ? !value.is_string() : !value.is_number()))
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "general.sampling.%s is no %s", param.gguf, words ? "string" : "number");
  return words ? std::string(value.string()) : value.number_text().text;
}

}  // namespace

Report params_from_gguf(gsample_params& params, const Gguf& file) {
  Report report;
  const Param& order = *find_gguf_param("sequence");
  const Param& mirostat = *find_gguf_param("mirostat");
  const GgufValue* sequence = file.find("general.sampling.sequence");
  if (sequence) {
    gsample_params named = params;
    set_param(named, order, sequence->key, text_of(order, *sequence));
    replace_order(params, named.order);
  }
  if (const GgufValue* value = file.find("general.sampling.mirostat")) {
    set_param(params, mirostat, value->key, text_of(mirostat, *value));
    if (sequence && !mirostat.is_off(get_value(params, mirostat))) report.add(sequence->key);
  }
  for (const GgufValue& value : file.values()) {
    if (!value.key.starts_with(prefix)) continue;
    const Param* param = find_gguf_param(value.key.substr(prefix.size()));
    if (!param) report.add(value.key);
    else if (param != &order && param != &mirostat) set_or_report(params, *param, value.key, text_of(*param, value), report);
  }
  return report;
}

}  // namespace gsample

// Parameters as text: one field set by its name, and the whole struct described.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <string>

#include "params/params.h"

namespace gsample {

namespace {

int shown(std::string_view text) { return static_cast<int>(std::min<size_t>(text.size(), 64)); }

[[noreturn]] void refuse(const Param& param, std::string_view label, std::string_view value) {
  if (label == param.name)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s is %.*s, allowed is %s", param.name, shown(value), value.data(), param.range);
  fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%.*s (%s) is %.*s, allowed is %s", shown(label), label.data(), param.name, shown(value),
       value.data(), param.range);
}

// Takes what stands before the first of the separators off the text.
std::string_view take_word(std::string_view& text, const char* separators) {
  std::string_view word = text.substr(0, text.find_first_of(separators));
  text.remove_prefix(std::min(word.size() + 1, text.size()));
  return word;
}

// Word i of "first, second"; empty behind the last.
std::string_view word_at(std::string_view words, int32_t i) {
  for (; i > 0 && !words.empty(); i--) {
    take_word(words, ",");
    take_word(words, " ");
  }
  return take_word(words, ",");
}

template <class T>
bool parse(std::string_view text, T& value) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

// An integer may be written as 64.0 or 1e3: that is how writers of JSON and GGUF without integers do it.
bool parse_integer(std::string_view text, double& value) {
  if (int64_t integer; parse(text, integer)) value = static_cast<double>(integer);
  else if (!parse(text, value) || value != std::trunc(value)) return false;
  return value >= std::numeric_limits<int32_t>::min() && value <= std::numeric_limits<int32_t>::max();
}

bool parse_choice(std::string_view words, std::string_view text, double& value) {
  std::string_view word;
  for (int32_t i = 0; !(word = word_at(words, i)).empty(); i++)
    if (word == text) return value = i, true;
  return parse_integer(text, value);
}

// A float is read as one: by way of a double it would be rounded twice.
bool parse_real(std::string_view text, double& value) {
  float real;
  if (!parse(text, real)) return false;
  value = real;
  return std::isfinite(real);
}

bool parse_value(const Param& param, std::string_view text, double& value) {
  switch (param.kind) {
    case ParamKind::integer:
      return parse_integer(text, value);
    case ParamKind::choice:
      return parse_choice(param.range, text, value);
    default:
      return parse_real(text, value);
  }
}

void set_order(gsample_params& params, std::string_view label, std::string_view text) {
  gsample_params changed = params;
  std::fill(std::begin(changed.order), std::end(changed.order), 0);
  for (int32_t* at = changed.order; !text.empty(); at++) {
    std::string_view word = take_word(text, ",;");
    const Stage* stage = find_stage(word);
    if (!stage || at == std::end(changed.order))
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%.*s names \"%.*s\", which is no stage", shown(label), label.data(), shown(word), word.data());
    *at = stage->stage;
  }
  check_order(changed);
  params = changed;
}

void set_seed(gsample_params& params, const Param& param, std::string_view label, std::string_view text) {
  uint64_t seed;
  if (!parse(text, seed)) refuse(param, label, text);
  params.seed = seed;
}

void append_order(std::string& text, const gsample_params& params) {
  const char* separator = "";
  for (int32_t number : order_of(params)) {
    const Stage* stage = find_stage(number);
    text.append(separator).append(stage ? stage->name : std::to_string(number));
    separator = ",";
  }
}

void append_integer(std::string& text, const Param& param, int32_t value) {
  std::string_view word = param.kind == ParamKind::choice && value >= 0 ? word_at(param.range, value) : "";
  text.append(word.empty() ? std::to_string(value) : word);
}

// Hugging Face's switch between greedy and sampled.
void set_do_sample(gsample_params& params, std::string_view text) {
  if (text != "true" && text != "false")
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "do_sample is %.*s, allowed is true, false", shown(text), text.data());
  if (text == "false") params.temperature = 0;
  else if (params.temperature <= 0)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "do_sample is true, but the temperature is %s, which is greedy",
         format_number(params.temperature).text);
}

}  // namespace

void set_param(gsample_params& params, const Param& param, std::string_view label, std::string_view text) {
  if (param.kind == ParamKind::order) return set_order(params, label, text);
  if (param.kind == ParamKind::seed) return set_seed(params, param, label, text);
  double value;
  if (!parse_value(param, text, value) || !param.in_range(value)) refuse(param, label, text);
  put_value(params, param, value);
  if (param.stage == GSAMPLE_STAGE_MIROSTAT && !param.is_off(value)) {
    constexpr int32_t order[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_DRY, GSAMPLE_STAGE_TEMPERATURE, GSAMPLE_STAGE_MIROSTAT};
    replace_order(params, order);
  }
}

void set_param(gsample_params& params, const char* key, const char* text) {
  if (!key) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "key is NULL");
  if (!text) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "the value of %.64s is NULL", key);
  if (const Param* param = find_param(key)) return set_param(params, *param, key, text);
  if (std::string_view(key) == "do_sample") return set_do_sample(params, text);
  const Foreign* foreign = find_foreign(key);
  if (!foreign) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "there is no parameter called %.64s", key);
  double value;
  if (!parse(std::string_view(text), value) || value != foreign->neutral)
    fail(GSAMPLE_ERROR_UNSUPPORTED, "%s is %.64s: gsample has no such stage", foreign->name, text);
}

size_t describe_params(const gsample_params& params, char* text, size_t capacity) {
  std::string out;
  for (const Param& param : all_params()) {
    out.append(out.empty() ? "" : " ").append(param.name).append("=");
    switch (param.kind) {
      case ParamKind::real:
        out += value_text(params, param).text;
        break;
      case ParamKind::seed:
        out += std::to_string(params.seed);
        break;
      case ParamKind::order:
        append_order(out, params);
        break;
      default:
        append_integer(out, param, static_cast<int32_t>(get_value(params, param)));
    }
  }
  if (capacity > out.size()) std::copy_n(out.c_str(), out.size() + 1, text);
  return out.size() + 1;
}

}  // namespace gsample

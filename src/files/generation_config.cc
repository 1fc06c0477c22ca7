#include "files/generation_config.h"

#define JSON_NO_IO
#include <charconv>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "files/json_place.h"

namespace gsample {

namespace {

// Of the engine around a sampler: how long, when to stop, what to cache, what to return; and early_stopping and length_penalty, which
// act only together with num_beams, and num_beams is reported. From transformers' GenerationConfig, and Qwen's first models.
constexpr std::string_view passed_over[] = {"max_length",
                                            "max_new_tokens",
                                            "max_time",
                                            "stop_strings",
                                            "num_return_sequences",
                                            "early_stopping",
                                            "length_penalty",
                                            "renormalize_logits",
                                            "bos_token_id",
                                            "eos_token_id",
                                            "pad_token_id",
                                            "decoder_start_token_id",
                                            "token_healing",
                                            "use_cache",
                                            "cache_implementation",
                                            "cache_config",
                                            "max_cache_len",
                                            "low_memory",
                                            "prefill_chunk_size",
                                            "compile_config",
                                            "disable_compile",
                                            "continuous_batching_config",
                                            "output_attentions",
                                            "output_hidden_states",
                                            "output_scores",
                                            "output_logits",
                                            "return_dict_in_generate",
                                            "is_assistant",
                                            "num_assistant_tokens",
                                            "num_assistant_tokens_schedule",
                                            "assistant_confidence_threshold",
                                            "assistant_early_exit",
                                            "assistant_lookbehind",
                                            "assistant_ensemble_weight",
                                            "target_lookbehind",
                                            "prompt_lookup_num_tokens",
                                            "max_matching_ngram_size",
                                            "speculation_type",
                                            "use_mtp",
                                            "_from_model_config",
                                            "_commit_hash",
                                            "transformers_version",
                                            "chat_format",
                                            "max_window_size"};

struct Value {
  enum Kind { null, boolean, number, other } kind = other;
  std::string text;    // of a boolean or a number, as set_param() reads it
  bool empty = false;  // a string, an array or an object with nothing in it
};

// Gathers the members of the outermost object. Of what is nested only whether there is anything matters.
class Members {
 public:
  std::map<std::string, Value> values;
  size_t error_at = 0;  // behind the byte where the text stops being JSON

  bool null() { return add({Value::null, {}}); }
  bool boolean(bool value) { return add({Value::boolean, value ? "true" : "false"}); }
  bool number_integer(int64_t value) { return add({Value::number, std::to_string(value)}); }
  bool number_unsigned(uint64_t value) { return add({Value::number, std::to_string(value)}); }
  bool number_float(double value, const std::string&) { return add({Value::number, format_number(value).text}); }
  bool string(const std::string& value) { return add({Value::other, {}, value.empty()}); }
  bool binary(const std::vector<uint8_t>&) { return true; }  // not in JSON text
  bool start_object(size_t) { return depth_ == 0 ? (depth_ = 1) : begin(); }
  bool start_array(size_t) { return begin(); }
  bool end_object() { return depth_--, true; }
  bool end_array() { return depth_--, true; }

  bool key(std::string& name) {
    if (depth_ > 1) return note_content();
    if (!values.emplace(name, Value{}).second) fail(GSAMPLE_ERROR_FORMAT, "%.64s stands twice", name.c_str());
    current_ = &values.at(name);
    return true;
  }

  bool parse_error(size_t position, const std::string&, const nlohmann::json::exception&) {
    error_at = position;
    return false;
  }

 private:
  bool begin() {
    add({Value::other, {}, true});
    depth_++;
    return true;
  }

  bool add(Value value) {
    if (depth_ == 0) fail(GSAMPLE_ERROR_FORMAT, "the text is no JSON object");
    if (depth_ > 1) return note_content();
    *current_ = std::move(value);
    return true;
  }

  bool note_content() {
    current_->empty = false;
    return true;
  }

  Value* current_ = nullptr;
  int64_t depth_ = 0;
};

bool is_neutral(const Foreign& foreign, const Value& value) {
  if (value.kind == Value::null || value.empty || value.text == "false") return true;
  return value.kind == Value::number && value.text == format_number(foreign.neutral).text;
}

bool is_passed_over(std::string_view key) {
  return std::find(std::begin(passed_over), std::end(passed_over), key) != std::end(passed_over);
}

// One key that sets a parameter; true if it asks for something.
bool set_from(gsample_params& params, const Param& param, const std::string& key, const Value& value, Report& report) {
  if (value.kind == Value::null) {
    put_value(params, param, param.off);
  } else if (value.kind == Value::number) {
    set_or_report(params, param, key, value.text, report);
  } else {
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%.64s is no number", key.c_str());
  }
  return !param.is_off(get_value(params, param));
}

}  // namespace

Report params_from_generation_config(gsample_params& params, std::string_view json) {
  Members members;
  if (!nlohmann::json::sax_parse(json.begin(), json.end(), &members)) refuse_json("the text", json, members.error_at);

  Report report;
  gsample_params out = params;
  preset_params(out, "hf");
  std::string_view do_sample;
  std::vector<std::string_view> sampling;
  std::vector<const Param*> given;
  for (const auto& [key, value] : members.values) {
    const Param* param = find_param(key);
    const Foreign* foreign = find_foreign(key);
    if (key == "do_sample") {
      if (value.kind != Value::boolean && value.kind != Value::null)
        fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "do_sample is neither true nor false");
      do_sample = value.text;
    } else if (param && param->stage && param->kind != ParamKind::choice) {
      if (std::find(given.begin(), given.end(), param) != given.end())
        fail(GSAMPLE_ERROR_FORMAT, "%.64s says again what %s is under another name", key.c_str(), param->name);
      given.push_back(param);
      bool asks = set_from(out, *param, key, value, report);
      if (asks && param->stage != GSAMPLE_STAGE_PENALTIES) sampling.push_back(key);
    } else if (foreign ? !is_neutral(*foreign, value) : value.kind != Value::null && !is_passed_over(key)) {
      report.add(key);
    }
  }
  if (do_sample.empty() && out.temperature > 0)
    for (std::string_view key : sampling) report.add(key);
  if (do_sample != "true") out.temperature = 0;
  params = out;
  return report;
}

}  // namespace gsample

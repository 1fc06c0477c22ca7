// What is checked before a sampler is made: every field against every kind of bad value, the order, and parameters without a stage.
// And that the table itself is sound.
#include "params/params.h"

#include <cmath>
#include <cstring>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "unit.h"

namespace {

using namespace gsample;

gsample_params defaults() {
  gsample_params params;
  default_params(params);
  return params;
}

void check_refused(const gsample_params& params, const char* name, const char* also) {
  Failure failure = failure_of([&] { validate_params(params); });
  if (failure.status != GSAMPLE_ERROR_INVALID_ARGUMENT) fail_msg("%s: status %d", name, failure.status);
  if (!std::strstr(failure.message, name) || !std::strstr(failure.message, also))
    fail_msg("\"%s\" does not name %s and %s", failure.message, name, also);
}

void set_order(gsample_params& params, std::vector<int32_t> order) {
  std::memset(params.order, 0, sizeof params.order);
  std::memcpy(params.order, order.data(), order.size() * sizeof(int32_t));
}

void accepts_defaults_and_presets(void**) {
  gsample_params params = defaults();
  validate_params(params);
  for (const char* name : {"golem", "llama.cpp", "vllm", "hf", "ollama", "openai", "greedy"}) {
    preset_params(params, name);
    validate_params(params);
    set_param(params, "mirostat", "2");
    validate_params(params);
  }
}

void refuses_what_no_real_may_be(void**) {
  for (const Param& param : all_params()) {
    if (param.kind != ParamKind::real) continue;
    for (float wrong : {std::numeric_limits<float>::quiet_NaN(), -std::numeric_limits<float>::quiet_NaN(),
                        std::numeric_limits<float>::infinity(), -std::numeric_limits<float>::infinity()}) {
      gsample_params params = defaults();
      std::memcpy(reinterpret_cast<char*>(&params) + param.offset, &wrong, sizeof wrong);
      check_refused(params, param.name, param.range);
    }
  }
}

// The bounds of every field: the last good value on either side, and the first bad one.
void refuses_what_is_out_of_range(void**) {
  constexpr float max = std::numeric_limits<float>::max(), tiny = std::numeric_limits<float>::denorm_min();
  constexpr double least = std::numeric_limits<int32_t>::min(), most = std::numeric_limits<int32_t>::max();
  struct Bounds {
    const char* name;
    double low, high;
  };
  const Bounds bounds[] = {{"temperature", -max, max},
                           {"top_p", 0, max},
                           {"typical_p", 0, max},
                           {"min_p", 0, 1},
                           {"top_n_sigma", -max, max},
                           {"xtc_probability", 0, 1},
                           {"xtc_threshold", tiny, max},
                           {"dynatemp_range", 0, max},
                           {"dynatemp_exponent", tiny, max},
                           {"mirostat", 0, 2},
                           {"mirostat_tau", 0, max},
                           {"mirostat_eta", 0, 1},
                           {"adaptive_target", -max, 1},
                           {"adaptive_decay", 0, .99f},
                           {"penalty_repeat", -max, max},
                           {"penalty_freq", -max, max},
                           {"penalty_present", -max, max},
                           {"dry_multiplier", 0, max},
                           {"dry_base", 0, max},
                           {"dry_allowed_length", 0, most},
                           {"dry_last_n", least, most},
                           {"penalty_last_n", least, most},
                           {"penalty_style", 0, 1},
                           {"min_keep", 0, most},
                           {"nan_policy", 0, 1},
                           {"constraint_mode", 0, 2},
                           {"top_k", least, most}};
  std::set<std::string> seen;
  for (const Bounds& bound : bounds) {
    const Param* param = find_param(bound.name);
    assert_non_null(param);
    seen.insert(param->name);
    gsample_params params = defaults();
    set_order(params, {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_DRY, GSAMPLE_STAGE_TOP_N_SIGMA, GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TYPICAL_P,
                       GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_MIN_P, GSAMPLE_STAGE_XTC, GSAMPLE_STAGE_TEMPERATURE,
                       param->stage == GSAMPLE_STAGE_ADAPTIVE_P ? GSAMPLE_STAGE_ADAPTIVE_P : GSAMPLE_STAGE_MIROSTAT});
    for (double good : {bound.low, bound.high}) {
      put_value(params, *param, good);
      validate_params(params);
    }
    bool real = param->kind == ParamKind::real;
    for (double side : {-1.0, 1.0}) {
      double last = side < 0 ? bound.low : bound.high;
      double wrong = real ? std::nextafter(static_cast<float>(last), static_cast<float>(side) * INFINITY) : last + side;
      if (real ? std::isinf(wrong) : wrong < least || wrong > most) continue;
      put_value(params, *param, wrong);
      check_refused(params, param->name, param->range);
    }
  }
  assert_int_equal(seen.size() + 2, all_params().size());  // seed and order have no bounds
}

void refuses_wrong_orders(void**) {
  gsample_params params = defaults();
  params.top_k = 0, params.top_p = 1;
  for (int32_t unknown : {12, 63, 65, -1, std::numeric_limits<int32_t>::max(), std::numeric_limits<int32_t>::min()}) {
    set_order(params, {GSAMPLE_STAGE_TEMPERATURE, unknown});
    check_refused(params, "order", std::to_string(unknown).c_str());
  }
  set_order(params, {GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TEMPERATURE, GSAMPLE_STAGE_TOP_K});
  check_refused(params, "order", "top_k");
  set_order(params, {GSAMPLE_STAGE_MIROSTAT, GSAMPLE_STAGE_TOP_P});
  check_refused(params, "order", "top_p");
  set_order(params, {GSAMPLE_STAGE_ADAPTIVE_P, GSAMPLE_STAGE_CUSTOM});
  check_refused(params, "order", "custom");
  set_order(params, {GSAMPLE_STAGE_MIROSTAT, GSAMPLE_STAGE_ADAPTIVE_P});
  check_refused(params, "order", "adaptive_p");
  set_order(params, std::vector<int32_t>(32, GSAMPLE_STAGE_CUSTOM));
  check_refused(params, "order", "custom");
  set_order(params, {});
  validate_params(params);
  params.order[1] = 77;  // behind the end
  validate_params(params);
  // In this turn: an unknown stage, one that stands twice, one behind the end of the chain, a parameter without its stage.
  set_order(params, {GSAMPLE_STAGE_MIROSTAT, GSAMPLE_STAGE_TOP_P, 77});
  params.min_p = 0.1f;
  check_refused(params, "order", "77");
  set_order(params, {GSAMPLE_STAGE_MIROSTAT, GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_TOP_P});
  check_refused(params, "order", "twice");
  set_order(params, {GSAMPLE_STAGE_MIROSTAT, GSAMPLE_STAGE_TOP_P});
  check_refused(params, "order", "mirostat");
  set_order(params, {GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_MIROSTAT});
  check_refused(params, "min_p", "0.1");
}

// Each parameter that switches a stage on is refused while the stage is absent; at its off values and with the stage it is fine. The
// others never count.
void refuses_a_parameter_without_its_stage(void**) {
  struct Case {
    const char* name;
    std::vector<double> off, on;
  };
  const Case cases[] = {
      {"temperature", {1}, {0.8, 0, -1, 2}},
      {"dynatemp_range", {0}, {0.5}},
      {"top_k", {0, -1}, {1, 40}},
      {"top_p", {1, 2}, {0.95, 0}},
      {"min_p", {0, -0.0}, {0.05, 1}},
      {"typical_p", {1, 2}, {0.5, 0}},
      {"top_n_sigma", {0, -1}, {1, 0.5}},
      {"xtc_probability", {0}, {0.1, 1}},
      {"penalty_repeat", {1, 0}, {1.1, -1, 0.9}},
      {"penalty_freq", {0}, {0.1, -1}},
      {"penalty_present", {0}, {0.1, -1}},
      {"dry_multiplier", {0}, {0.8}},
      {"mirostat", {0}, {1, 2}},
      {"adaptive_target", {-1, -0.5}, {0, 0.5, 1}},
  };
  std::set<std::string> main;
  for (const Case& one : cases) {
    const Param* param = find_param(one.name);
    assert_non_null(param);
    main.insert(one.name);
    gsample_params params = defaults();
    params.top_k = 0, params.top_p = 1;
    set_order(params, {});
    for (double off : one.off) {
      put_value(params, *param, off);
      validate_params(params);
    }
    for (double on : one.on) {
      put_value(params, *param, on);
      set_order(params, {});
      check_refused(params, one.name, find_stage(param->stage)->name);
      set_order(params, {GSAMPLE_STAGE_CUSTOM, param->stage});
      validate_params(params);
    }
  }
  gsample_params params = defaults();
  params.top_k = 0, params.top_p = 1;
  set_order(params, {});
  for (const Param& param : all_params()) {
    if (!param.stage || main.count(param.name)) continue;
    put_value(params, param, param.kind == ParamKind::real ? 0.75 : 1);
    validate_params(params);
  }
}

void imports_sized_structs(void**) {
  gsample_params params = defaults();
  gsample_params copy = import_params(&params);
  assert_memory_equal(&copy, &params, sizeof params);
  params.size = offsetof(gsample_params, order);  // the order is then empty
  params.top_k = 0, params.top_p = 1;
  copy = import_params(&params);
  assert_true(copy.size == sizeof copy && copy.order[0] == 0);
  params.top_k = 1;
  assert_int_equal(status_of([&] { import_params(&params); }), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(status_of([] { import_params(nullptr); }), GSAMPLE_ERROR_INVALID_ARGUMENT);
}

void the_table_is_sound(void**) {
  std::set<std::string> names, gguf;
  size_t bytes = sizeof(gsample_params::size);
  for (const Param& param : all_params()) {
    std::string called = std::string(param.name) + " " + param.aliases;
    for (size_t at = 0, end; at < called.size(); at = end + 1) {
      end = std::min(called.find(' ', at), called.size());
      std::string name = called.substr(at, end - at);
      if (!name.empty() && !names.insert(name).second) fail_msg("%s stands for two parameters", name.c_str());
    }
    if (*param.gguf) assert_true(gguf.insert(param.gguf).second);
    bytes += param.kind == ParamKind::order ? sizeof(gsample_params::order) : param.kind == ParamKind::seed ? 8 : 4;
    if (param.kind == ParamKind::seed || param.kind == ParamKind::order) continue;
    assert_true(param.in_range(param.default_value) && param.in_range(param.off) && param.is_off(param.off));
    if (param.stage) assert_non_null(find_stage(param.stage));
  }
  assert_int_equal(bytes, sizeof(gsample_params));  // every field has its row
  const std::set<std::string> twelve = {"sequence", "top_k",          "top_p",          "min_p",    "xtc_probability", "xtc_threshold",
                                        "temp",     "penalty_last_n", "penalty_repeat", "mirostat", "mirostat_tau",    "mirostat_eta"};
  assert_true(gguf == twelve);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(accepts_defaults_and_presets),
                              cmocka_unit_test(refuses_what_no_real_may_be),
                              cmocka_unit_test(refuses_what_is_out_of_range),
                              cmocka_unit_test(refuses_wrong_orders),
                              cmocka_unit_test(refuses_a_parameter_without_its_stage),
                              cmocka_unit_test(imports_sized_structs),
                              cmocka_unit_test(the_table_is_sound)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}

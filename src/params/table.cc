#include "params/table.h"

#include <algorithm>
#include <cstring>
#include <limits>

namespace gsample {

namespace {

#define GSAMPLE_STAGE_0 0
constexpr Param params_table[] = {
#define PARAM(field, kind, default_value, range, in_range, stage, off, is_off, gguf, aliases, doc) \
  {#field,                                                                                         \
   ParamKind::kind,                                                                                \
   offsetof(gsample_params, field),                                                                \
   default_value,                                                                                  \
   range,                                                                                          \
   []([[maybe_unused]] double x) { return in_range; },                                             \
   GSAMPLE_STAGE_##stage,                                                                          \
   off,                                                                                            \
   []([[maybe_unused]] double x) { return is_off; },                                               \
   gguf,                                                                                           \
   aliases},
#include "params/params.def"
};

constexpr Stage stages_table[] = {
#define STAGE(constant, name, aliases, ends) {GSAMPLE_STAGE_##constant, name, aliases, ends},
#include "params/params.def"
};

constexpr double none = std::numeric_limits<double>::quiet_NaN();
constexpr Foreign foreign_table[] = {
#define FOREIGN(name, neutral) {name, neutral},
#include "params/params.def"
};

bool same_name(std::string_view given, std::string_view name) {
  if (given.size() != name.size()) return false;
  for (size_t i = 0; i < name.size(); i++)
    if ((given[i] == '-' ? '_' : given[i]) != name[i]) return false;
  return true;
}

bool is_called(std::string_view given, std::string_view name, std::string_view aliases) {
  if (same_name(given, name)) return true;
  while (!aliases.empty()) {
    std::string_view alias = aliases.substr(0, aliases.find(' '));
    if (same_name(given, alias)) return true;
    aliases.remove_prefix(std::min(alias.size() + 1, aliases.size()));
  }
  return false;
}

template <class T>
T field(const gsample_params& params, const Param& param) {
  T value;
  std::memcpy(&value, reinterpret_cast<const char*>(&params) + param.offset, sizeof value);
  return value;
}

template <class T>
void set_field(gsample_params& params, const Param& param, T value) {
  std::memcpy(reinterpret_cast<char*>(&params) + param.offset, &value, sizeof value);
}

}  // namespace

std::span<const Param> all_params() { return params_table; }

const Param* find_param(std::string_view name) {
  for (const Param& param : params_table)
    if (is_called(name, param.name, param.aliases)) return &param;
  return nullptr;
}

const Stage* find_stage(std::string_view name) {
  for (const Stage& stage : stages_table)
    if (is_called(name, stage.name, stage.aliases)) return &stage;
  return nullptr;
}

const Stage* find_stage(int32_t number) {
  for (const Stage& stage : stages_table)
    if (stage.stage == number) return &stage;
  return nullptr;
}

const Foreign* find_foreign(std::string_view name) {
  for (const Foreign& foreign : foreign_table)
    if (same_name(name, foreign.name)) return &foreign;
  return nullptr;
}

double get_value(const gsample_params& params, const Param& param) {
  if (param.kind == ParamKind::real) return field<float>(params, param);
  return field<int32_t>(params, param);
}

void put_value(gsample_params& params, const Param& param, double value) {
  if (param.kind == ParamKind::real) set_field(params, param, static_cast<float>(value));
  else set_field(params, param, static_cast<int32_t>(value));
}

NumberText value_text(const gsample_params& params, const Param& param) {
  return param.kind == ParamKind::real ? format_number(field<float>(params, param)) : format_number(get_value(params, param));
}

}  // namespace gsample

// The rows of params.def as data, and how to find them.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

#include "base/failure.h"

namespace gsample {

enum class ParamKind : uint8_t { real, integer, choice, seed, order };

struct Param {
  const char* name;
  ParamKind kind;
  size_t offset;  // in gsample_params
  double default_value;
  const char* range;
  bool (*in_range)(double x);
  int32_t stage;  // GSAMPLE_STAGE_* or 0
  double off;
  bool (*is_off)(double x);
  const char* gguf;
  const char* aliases;
};

struct Stage {
  int32_t stage;
  const char* name;
  const char* aliases;
  bool ends;
};

// A setting of other systems that gsample does not have; NaN is neutral where no number is.
struct Foreign {
  const char* name;
  double neutral;
};

std::span<const Param> all_params();
const Param* find_param(std::string_view name);  // by name or alias; NULL where there is none
const Stage* find_stage(std::string_view name);
const Stage* find_stage(int32_t stage);
const Foreign* find_foreign(std::string_view name);

// The value of a real, an integer or a choice.
double get_value(const gsample_params& params, const Param& param);
void put_value(gsample_params& params, const Param& param, double value);
NumberText value_text(const gsample_params& params, const Param& param);

}  // namespace gsample

// What the library knows of gsample_params: defaults, presets, names, text and the checks before a sampler is made of it.
// Everything comes from the table in params.def. Failures name the field, its value and what is allowed.
#pragma once

#include <cstddef>
#include <span>

#include "params/table.h"

namespace gsample {

void default_params(gsample_params& params);

// golem, llama.cpp, vllm, hf, ollama, openai, greedy: the defaults, and then that system's values, order and penalty style. What no
// system prescribes stays: seed, nan_policy, constraint_mode.
void preset_params(gsample_params& params, const char* name);

// Sets one field by its name or an alias, from text. What concerns several fields is checked by validate_params() only, because one
// call after another may pass through states that no sampler could be made of.
void set_param(gsample_params& params, const char* key, const char* value);

// The same for one row of the table; label is the name to use in a message.
void set_param(gsample_params& params, const Param& param, std::string_view label, std::string_view value);

// Writes "mirostat=0 ... order=penalties,dry", which set_param() reads back key by key to the same bits, and returns its size with the
// final zero. Writes nothing where capacity is smaller.
size_t describe_params(const gsample_params& params, char* text, size_t capacity);

void validate_params(const gsample_params& params);
void check_order(const gsample_params& params);  // its part that concerns the order by itself

// Takes over the caller's struct by the rule of sized structs; import_params() validates it too. store_params() gives it back.
gsample_params load_params(const gsample_params* params);
gsample_params import_params(const gsample_params* params);
void store_params(gsample_params* to, const gsample_params& params);

// The stages in turn, without the zeros behind them.
std::span<const int32_t> order_of(const gsample_params& params);

// The parameter is off its off value, and the stage that reads it is not in the order.
bool asks_for_absent_stage(const gsample_params& params, const Param& param);

// Makes the order these stages (a zero ends them early), and switches off what belongs to others: a file that names an order, and
// mirostat set by name, mean it so.
void replace_order(gsample_params& params, std::span<const int32_t> stages);

}  // namespace gsample

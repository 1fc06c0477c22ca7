// The scalar fields of gsample_params by name, so that tests can read, write, print and switch off any of them.
#pragma once

#include <cstddef>
#include <string>

#include "gsample/gsample.h"

struct Field {
  const char* name;
  size_t offset;
  enum Type { FLOAT, INT, SEED } type;
};

#define FLOAT_FIELD(name) \
  { #name, offsetof(gsample_params, name), Field::FLOAT }
#define INT_FIELD(name) \
  { #name, offsetof(gsample_params, name), Field::INT }
inline constexpr Field kFields[] = {
    INT_FIELD(top_k),
    {"seed", offsetof(gsample_params, seed), Field::SEED},
    FLOAT_FIELD(temperature),
    FLOAT_FIELD(top_p),
    FLOAT_FIELD(min_p),
    FLOAT_FIELD(typical_p),
    FLOAT_FIELD(top_n_sigma),
    FLOAT_FIELD(xtc_probability),
    FLOAT_FIELD(xtc_threshold),
    FLOAT_FIELD(dynatemp_range),
    FLOAT_FIELD(dynatemp_exponent),
    FLOAT_FIELD(mirostat_tau),
    FLOAT_FIELD(mirostat_eta),
    FLOAT_FIELD(adaptive_target),
    FLOAT_FIELD(adaptive_decay),
    FLOAT_FIELD(penalty_repeat),
    FLOAT_FIELD(penalty_freq),
    FLOAT_FIELD(penalty_present),
    FLOAT_FIELD(dry_multiplier),
    FLOAT_FIELD(dry_base),
    INT_FIELD(mirostat),
    INT_FIELD(penalty_style),
    INT_FIELD(penalty_last_n),
    INT_FIELD(dry_allowed_length),
    INT_FIELD(dry_last_n),
    INT_FIELD(min_keep),
    INT_FIELD(nan_policy),
    INT_FIELD(constraint_mode),
};
#undef FLOAT_FIELD
#undef INT_FIELD

// A float is written so that it reads back as the same float.
std::string field_text(const Field& field, const gsample_params& params);
bool field_set(const char* name, const std::string& text, gsample_params* params);  // false: no such field
void field_copy(const Field& field, const gsample_params& from, gsample_params* to);

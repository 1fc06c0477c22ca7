// What both engines share: rows of either half type, the rules of the test constraint, the custom stages, default parameters.
#include "engine.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

gsample_row RowData::view() const {
  gsample_row row = {};
  row.size = sizeof row;
  row.dtype = dtype;
  row.n_vocab = static_cast<uint32_t>(values.size());
  row.logits = dtype == GSAMPLE_F32 ? static_cast<const void*>(values.data()) : half.data();
  row.mask = mask.empty() ? nullptr : mask.data();
  return row;
}

float f16_value(uint16_t bits) {
  int exponent = bits >> 10 & 31, fraction = bits & 1023;
  float sign = bits & 0x8000 ? -1.0f : 1.0f;
  if (exponent == 31) return fraction ? std::numeric_limits<float>::quiet_NaN() : sign * std::numeric_limits<float>::infinity();
  return sign *
         (exponent ? std::ldexp(1024.0f + static_cast<float>(fraction), exponent - 25) : std::ldexp(static_cast<float>(fraction), -24));
}

float bf16_value(uint16_t bits) { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

uint16_t f16_bits(float value) {
  uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (std::isnan(value)) return 0x7e00;
  if (std::isinf(value)) return static_cast<uint16_t>(sign | 0x7c00);
  float magnitude = std::min(std::fabs(value), 65504.0f);
  int exponent;
  float fraction = std::frexp(magnitude, &exponent);  // in [1/2, 1)
  if (exponent < -13) return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::ldexp(magnitude, 24)));
  return static_cast<uint16_t>(sign | (exponent + 14) << 10 | (static_cast<int>(std::ldexp(fraction, 11)) & 1023));
}

uint16_t bf16_bits(float value) { return std::isnan(value) ? 0x7fc0 : static_cast<uint16_t>(std::bit_cast<uint32_t>(value) >> 16); }

bool Rule::allows(int32_t id, int64_t accepted) const {
  int64_t key = modulus ? (id + shift * accepted) % modulus : id;
  return std::find(list.begin(), list.end(), key) != list.end();
}

float custom_logit(int kind, int32_t id, float logit) {
  switch (kind) {
    case 1:
      return id % 2 ? logit + 0.75f : logit;
    case 2:
      return id % 3 == 0 ? -std::numeric_limits<float>::infinity() : logit;
    case 3:
      return std::numeric_limits<float>::quiet_NaN();
    case 4:
      return 1.0f;
    case 5:
      return id % 5 ? logit : std::numeric_limits<float>::infinity();
    default:
      return logit;
  }
}

gsample_params default_params() {
  gsample_params p;
  std::memset(&p, 0, sizeof p);
  p.size = sizeof p;
  p.top_k = 64;
  p.temperature = 1, p.top_p = 0.95f, p.typical_p = 1, p.xtc_threshold = 0.1f, p.dynatemp_exponent = 1;
  p.mirostat_tau = 5, p.mirostat_eta = 0.1f, p.adaptive_target = -1, p.adaptive_decay = 0.9f;
  p.penalty_repeat = 1, p.penalty_last_n = 64, p.dry_base = 1.75f, p.dry_allowed_length = 2, p.dry_last_n = -1;
  const int32_t order[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_DRY,       GSAMPLE_STAGE_TOP_N_SIGMA,
                           GSAMPLE_STAGE_TOP_K,     GSAMPLE_STAGE_TYPICAL_P, GSAMPLE_STAGE_TOP_P,
                           GSAMPLE_STAGE_MIN_P,     GSAMPLE_STAGE_XTC,       GSAMPLE_STAGE_TEMPERATURE};
  std::copy(std::begin(order), std::end(order), p.order);
  return p;
}

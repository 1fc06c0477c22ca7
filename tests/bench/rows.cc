#include "rows.h"

#include <cmath>
#include <map>
#include <random>
#include <utility>

#include "fixture.h"

namespace {

constexpr size_t kRows = 32;

uint16_t to_half(float value) {
  // Good for what the rows hold: finite, within the range of f16; rounds to nearest.
  const float magnitude = std::fabs(value);
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  if (magnitude < 6.103515625e-05f) return static_cast<uint16_t>(sign | static_cast<uint16_t>(std::lrint(magnitude * 16777216.0f)));
  int exponent;
  const float mantissa = std::frexp(magnitude, &exponent);
  const long bits = std::lrint(mantissa * 2048.0f);  // 1024 .. 2048
  return static_cast<uint16_t>(sign | static_cast<uint16_t>(((exponent + 13) << 10) + (bits - 1024)));
}

float from_half(uint16_t half) {
  const float sign = half & 0x8000 ? -1.0f : 1.0f;
  const int exponent = half >> 10 & 31;
  const float mantissa = static_cast<float>(half & 1023);
  return sign * (exponent ? std::ldexp(1 + mantissa / 1024, exponent - 15) : std::ldexp(mantissa, -24));
}

std::vector<float> model_row(std::mt19937_64& random, size_t n) {
  std::normal_distribution<float> normal(0, 2.5f);
  std::uniform_real_distribution<float> unit(0, 1);
  std::vector<float> row(n);
  for (float& logit : row) logit = normal(random);
  const float top = 18 + 7 * unit(random), s = 1 + unit(random);
  for (int i = 0; i < 40; i++) row[random() % n] = top - s * std::log1p(static_cast<float>(i));
  return row;
}

Rows make(const std::string& kind, size_t n) {
  Rows out{n, {}, {}};
  std::mt19937_64 random(n);
  static fixture model;
  if (kind == "real" && !model.rows && fixture_load(&model, "tests/data/smollm2.bin") < 0) return out;
  for (size_t r = 0; r < kRows; r++) {
    std::vector<float> row(n);
    if (kind == "model") row = model_row(random, n);
    for (size_t i = 0; i < n; i++) {
      if (kind == "flat") row[i] = 0.5f * static_cast<float>(random() >> 40) * 0x1p-24f;
      if (kind == "ascending") row[i] = static_cast<float>(i + r) * 1e-4f;
      if (kind == "equal") row[i] = 1.5f;
      // A wider vocabulary has the recorded row's own tail again, below it.
      if (kind == "real") row[i] = from_half(model.rows[r % model.n_rows * model.n_vocab + i % model.n_vocab]) - (i < model.n_vocab ? 0.0f : 8.0f);
    }
    out.rows.push_back(row);
    out.halves.emplace_back(n);
    for (size_t i = 0; i < n; i++) out.halves.back()[i] = to_half(row[i]);
  }
  return out;
}

}  // namespace

const Rows& rows_of(const std::string& kind, size_t n_vocab) {
  static std::map<std::pair<std::string, size_t>, Rows> made;
  auto& rows = made[{kind, n_vocab}];
  if (rows.rows.empty()) rows = make(kind, n_vocab);
  return rows;
}

// mirostat 1 and 2: keeps the surprise of the text near tau by cutting the set at mu bits, which follows what was chosen
// (Basu et al. 2020).
#include <algorithm>

#include "base/real.h"
#include "stages/stages.h"

namespace gsample {

void mirostat_1(Head& head, float mu) {
  if (!head.reach(1)) return;
  // Fits Zipf's exponent s to the first 100 probabilities by least squares.
  constexpr size_t kFitted = 100;
  double st = 0, tt = 0;
  for (size_t i = 0; i + 1 < kFitted && head.reach(i + 1); i++) {
    const double t = log_f64(static_cast<double>(i + 2) / static_cast<double>(i + 1));
    const double b = log_f64(static_cast<double>(head.p(i)) / static_cast<double>(head.p(i + 1)));
    st += t * b;
    tt += t * t;
  }
  const double s = st / tt, epsilon = s - 1;
  const double n_vocab = static_cast<double>(head.row_width());
  const double base = (epsilon * pow_f64(2, static_cast<double>(mu))) / (1 - pow_f64(n_vocab, -epsilon));
  const double k = pow_f64(base, 1 / s);
  if (!(k < 4294967296.0)) return;  // not finite, or beyond any row: all
  head.keep(static_cast<size_t>(std::max(1.0, k)));
}

void mirostat_2(Head& head, float mu) {
  head.keep_while(1, [&](float v) { return -log2_f64(static_cast<double>(head.p_of(v))) <= static_cast<double>(mu); });
}

float mirostat_update(float mu, float tau, float eta, float p) {
  const double surprise = -log2_f64(static_cast<double>(p));
  return static_cast<float>(static_cast<double>(mu) - static_cast<double>(eta) * (surprise - static_cast<double>(tau)));
}

}  // namespace gsample

// exp, log and pow of our own. The bits of a pick must not depend on a C library or a CPU, so these use nothing but IEEE additions,
// multiplications, divisions and bit casts, in one fixed order (the build forbids contraction). Reductions and coefficients are those
// published with Sun's fdlibm (e_exp.c, e_log.c); the error is below one unit in the last place of a double.
#pragma once

#include <bit>
#include <cstdint>

namespace gsample {

// e^x. Below -708 (where the result would leave the normal doubles) it is +0; above 709 it is infinity; NaN stays NaN.
inline double exp_f64(double x) {
  constexpr double round_shift = 6755399441055744.0;  // 1.5 * 2^52: adding and subtracting it rounds to an integer
  double shifted = x * 1.44269504088896338700e+00 + round_shift;
  double n = shifted - round_shift;
  double high = x - n * 6.93147180369123816490e-01;
  double low = n * 1.90821492927058770002e-10;
  double r = high - low;
  double t = r * r;
  double c = r - t * (1.66666666666666019037e-01 +
                      t * (-2.77777777770155933842e-03 +
                           t * (6.61375632143793436117e-05 + t * (-1.65339022054652515390e-06 + t * 4.13813679705723846039e-08))));
  double y = 1.0 - ((low - (r * c) / (2.0 - c)) - high);
  double scaled = std::bit_cast<double>(std::bit_cast<uint64_t>(y) + (std::bit_cast<uint64_t>(shifted) << 52));
  scaled = x < -708.0 ? 0.0 : scaled;
  scaled = x > 709.0 ? std::bit_cast<double>(uint64_t{0x7ff0000000000000}) : scaled;
  return x != x ? x : scaled;
}

// The natural logarithm. 0 (of either sign) gives -infinity, a negative number NaN. Subnormals are exact to the same error.
inline double log_f64(double x) {
  if (!(x > 0)) return x == 0 ? -std::bit_cast<double>(uint64_t{0x7ff0000000000000}) : std::bit_cast<double>(uint64_t{0x7ff8000000000000});
  uint64_t bits = std::bit_cast<uint64_t>(x);
  if (bits >= uint64_t{0x7ff0000000000000}) return x;
  int64_t k = 0;
  if (bits < uint64_t{0x0010000000000000}) {
    bits = std::bit_cast<uint64_t>(x * 18014398509481984.0);  // 2^54
    k = -54;
  }
  // x = 2^k * (1 + f) with 1 + f in [sqrt(1/2), sqrt(2)).
  constexpr uint64_t sqrt_half = 0x3fe6a09e667f3bcd;
  uint64_t offset = bits - sqrt_half;
  k += static_cast<int64_t>(offset) >> 52;
  double f = std::bit_cast<double>((offset & uint64_t{0x000fffffffffffff}) + sqrt_half) - 1.0;
  double s = f / (2.0 + f);
  double z = s * s;
  double w = z * z;
  double t1 = w * (3.999999999940941908e-01 + w * (2.222219843214978396e-01 + w * 1.531383769920937332e-01));
  double t2 = z * (6.666666666666735130e-01 + w * (2.857142874366239149e-01 + w * (1.818357216161805012e-01 + w * 1.479819860511658591e-01)));
  double half_square = 0.5 * f * f;
  double n = static_cast<double>(k);
  return n * 6.93147180369123816490e-01 - ((half_square - (s * (half_square + (t2 + t1)) + n * 1.90821492927058770002e-10)) - f);
}

inline double log2_f64(double x) { return log_f64(x) * 1.44269504088896338700e+00; }

// base^exponent for base >= 0: by repeated squaring where the exponent is an integer of at most 2^20, else exp(exponent * log(base)).
inline double pow_f64(double base, double exponent) {
  if (exponent >= 0 && exponent <= 1048576.0 && exponent == static_cast<double>(static_cast<int64_t>(exponent))) {
    double result = 1.0;
    for (int64_t n = static_cast<int64_t>(exponent); n; n >>= 1, base *= base)
      if (n & 1) result *= base;
    return result;
  }
  if (base == 0) return exponent > 0 ? 0.0 : std::bit_cast<double>(uint64_t{0x7ff0000000000000});
  return exp_f64(exponent * log_f64(base));
}

}  // namespace gsample

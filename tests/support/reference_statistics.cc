// Softmax, entropy, mean and deviation of a set. Up to 1024 tokens they are plain sums in C1 order; above, sums by blocks of 1024
// consecutive ids, in an order that a vector unit can follow and every target gives the same bits.
#include <algorithm>
#include <array>
#include <cmath>

#include "base/real.h"
#include "reference_parts.h"

namespace reference {

using gsample::exp_f64, gsample::log_f64;

namespace {

constexpr size_t kPlain = 1024;

// The library's f32 exp for d <= 0, to which every target gives the same bits.
float exp_row(float d) {
  if (!(d >= -87)) return 0;
  float t = d * 1.44269504f, k = (t + 12582912.0f) - 12582912.0f, f = t - k;
  float e = ((((0.0013264659f * f + 0.009671566f) * f + 0.055507343f) * f + 0.24022241f) * f + 0.693147f) * f + 1.0f;
  return std::ldexp(e, static_cast<int>(k));
}

template <class Real>
Real tree(std::array<Real, 16> x) {
  for (int half = 8; half > 0; half /= 2)
    for (int lane = 0; lane < half; lane++) x[lane] = x[lane] + x[lane + half];
  return x[0];
}

struct Block {
  Set tokens;  // in id order, without those at -inf
  float max = -kInfinity;
  // The sum of term(v - max) over the block in f32: four chunks of 256 ids with 16 lanes each.
  template <class Term>
  float sum(Term term) const {
    float chunks[4][16] = {};
    for (auto& t : tokens) chunks[t.id % 1024 / 256][t.id % 16] += term(t.value - max);
    std::array<float, 16> lanes;
    for (int l = 0; l < 16; l++) lanes[l] = (chunks[0][l] + chunks[1][l]) + (chunks[2][l] + chunks[3][l]);
    return tree(lanes);
  }
  // The sum of term(v - max) in f64: 16 lanes.
  template <class Term>
  double sum_f64(Term term) const {
    std::array<double, 16> lanes = {};
    for (auto& t : tokens) lanes[t.id % 16] += term(static_cast<double>(t.value) - static_cast<double>(max));
    return tree(lanes);
  }
};

std::vector<Block> blocks_of(Set set) {
  std::sort(set.begin(), set.end(), [](auto& a, auto& b) { return a.id < b.id; });
  std::map<int32_t, Block> blocks;
  for (auto& t : set) {
    if (t.value == -kInfinity) continue;
    Block& block = blocks[t.id / 1024];
    block.tokens.push_back(t);
    block.max = std::max(block.max, t.value);
  }
  std::vector<Block> out;
  for (auto& [index, block] : blocks) out.push_back(block);
  return out;
}

}  // namespace

float max_of(const Set& set) {
  float max = -kInfinity;
  for (auto& t : set) max = std::max(max, t.value);
  return max;
}

static double total_of(const Set& set) {
  double total = 0;
  float max = max_of(set);
  if (set.size() <= kPlain)
    for (auto& t : set) total += exp_f64(static_cast<double>(t.value - max));
  else
    for (auto& b : blocks_of(set))
      total += static_cast<double>(b.sum(exp_row)) * exp_f64(static_cast<double>(b.max) - static_cast<double>(max));
  return total;
}

void softmax(Set& set) {
  double total = total_of(set);
  float max = max_of(set);
  for (auto& t : set)
    t.p = static_cast<float>(static_cast<double>(static_cast<float>(exp_f64(static_cast<double>(t.value - max)))) / total);
}

// In nats, of a set that has been through softmax.
double entropy(const Set& set) {
  double h = 0;
  if (set.size() <= kPlain) {
    for (auto& t : set)
      if (double p = t.p; p != 0) h = h - p * log_f64(p);
    return h;
  }
  double total = total_of(set), max = max_of(set);
  for (auto& b : blocks_of(set)) {
    double s = b.sum(exp_row), t = b.sum([](float d) { return d >= -87 ? exp_row(d) * d : 0.0f; }),
           shift = static_cast<double>(b.max) - max;
    h = h + exp_f64(shift) * (t + shift * s);
  }
  return log_f64(total) - h / total;
}

void mean_and_deviation(const Set& set, double* mean, double* deviation) {
  double n = 0, m = 0, m2 = 0;
  if (set.size() <= kPlain) {
    for (auto& t : set)
      if (t.value != -kInfinity) n++, m += t.value;
    m = m / n;
    for (auto& t : set)
      if (t.value != -kInfinity) m2 += (t.value - m) * (t.value - m);
  } else {
    for (auto& b : blocks_of(set)) {  // merged as by Chan, Golub and LeVeque
      double s1 = b.sum_f64([](double d) { return d; }), s2 = b.sum_f64([](double d) { return d * d; });
      double n_b = static_cast<double>(b.tokens.size()), mean_b = b.max + s1 / n_b, m2_b = s2 - s1 * s1 / n_b;
      if (n == 0) {
        n = n_b, m = mean_b, m2 = m2_b;
        continue;
      }
      double delta = mean_b - m, sum = n + n_b;
      m = m + delta * n_b / sum;
      m2 = m2 + m2_b + delta * delta * n * n_b / sum;
      n = sum;
    }
  }
  *mean = m;
  *deviation = std::sqrt(std::max(m2, 0.0) / n);
}

}  // namespace reference

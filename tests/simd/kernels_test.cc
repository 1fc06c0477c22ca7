// Every kernel of one target against its scalar definition, bit for bit: lengths that fill no vector, pointers aligned to nothing but
// their type, pages behind and before the data that must not be touched, and every kind of value that a row can hold.
//   kernels TARGET   one target by name; exits with 77 where this machine cannot run it
//   kernels any      fails where the machine has vectors and none of them is used
#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "guarded.h"
#include "row/kernels.h"
#include "rows.h"
#include "unit.h"

using namespace gsample;

namespace {

const Kernels* target = nullptr;
const Kernels& scalar = kScalarKernels;

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  uint32_t bits() { return static_cast<uint32_t>(rows_splitmix64(state_++) >> 32); }
  size_t below(size_t n) { return bits() % n; }
  float unit() { return static_cast<float>(bits() >> 8) * 0x1p-24f; }

 private:
  uint64_t state_;
};

enum Kind { NORMAL, TIES, ZEROS, DENORMAL, BANNED, HUGE, ANY, ANY_OR_NAN, SPECIAL, kKinds };

float value_of(Kind kind, Random& random) {
  switch (kind) {
    case NORMAL: return (random.unit() - 0.5f) * 40;
    case TIES: return static_cast<float>(random.below(4)) - 2;
    case ZEROS: return random.below(2) ? 0.0f : -0.0f;
    case DENORMAL: return std::bit_cast<float>(random.bits() & 0x807fffffu);
    case BANNED: return random.below(4) ? -kInfinity : random.unit();
    case HUGE: return (random.unit() * 2 - 1) * kFloatMax;
    case ANY:
    case ANY_OR_NAN: {
      const float v = std::bit_cast<float>(random.bits());
      return v == v || kind == ANY_OR_NAN ? v : 1.0f;
    }
    default: {
      const float list[] = {kNan, kInfinity, -kInfinity, 0.0f, -0.0f, kFloatMax, -kFloatMax, 1.4e-45f, -1.4e-45f, 1, -1};
      return list[random.below(std::size(list))];
    }
  }
}

bool has_nan(Kind kind) { return kind == ANY_OR_NAN || kind == SPECIAL; }

std::string about(const char* kernel, size_t kind, size_t n, size_t shift) {
  return std::string(kernel) + " of " + target->name + ", values " + std::to_string(kind) + ", n " + std::to_string(n) + ", shift " +
         std::to_string(shift);
}

template <class T>
bool same(const T* a, const T* b, size_t n) {
  return std::memcmp(a, b, n * sizeof(T)) == 0;
}
// NaN is NaN, whatever its bits: which of two NaNs an operation gives is the processor's choice.
bool same_value(float a, float b) { return (a != a && b != b) || std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b); }
bool same_value(double a, double b) { return (a != a && b != b) || std::bit_cast<uint64_t>(a) == std::bit_cast<uint64_t>(b); }
template <class T>
bool same_values(const T* a, const T* b, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!same_value(a[i], b[i])) return false;
  return true;
}

#define EXPECT(condition, ...) \
  if (!(condition)) fail_msg("%s", about(__VA_ARGS__).c_str())

// n floats that end where a page begins that cannot be read, or that begin where one ends.
class Floats {
 public:
  Floats(size_t n, size_t where, Kind kind, Random& random) : memory_(guarded_new((n + 16) * sizeof(float))), n_(n) {
    data = static_cast<float*>(where == 0 ? guarded_last(memory_, n * sizeof(float)) : guarded_first(memory_));
    if (where > 1) data += where - 1;  // aligned to 4 bytes only
    for (size_t i = 0; i < n; i++) data[i] = value_of(kind, random);
  }
  Floats(const Floats&) = delete;
  ~Floats() { guarded_free(memory_); }
  std::vector<float> copy() const { return {data, data + n_}; }
  float* data;

 private:
  guarded memory_;
  size_t n_;
};

// where: 0 right before a guarded page, 1 right behind one, 2 and 4: one and three floats further.
constexpr size_t kPlaces[] = {0, 1, 2, 4};

template <class Call>
void for_all(std::initializer_list<size_t> lengths, Call call) {
  Random random(7);
  for (size_t kind = 0; kind < kKinds; kind++)
    for (size_t n : lengths)
      for (size_t where : kPlaces) {
        Floats floats(n, where, static_cast<Kind>(kind), random);
        call(static_cast<Kind>(kind), n, where, floats, random);
      }
}

float threshold_of(Random& random, const Floats& floats, size_t n) {
  switch (random.below(5)) {
    case 0: return -kFloatMax;
    case 1: return kInfinity;
    case 2: return 0.0f;
    case 3: return -kInfinity;
    default: {
      const float v = floats.data[random.below(n)];
      return v == v ? v : -0.0f;
    }
  }
}

void scale(void**) {
  for_all({256, 512, 1024}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    std::vector<float> expected = floats.copy();
    const float shifts[] = {0, 3.25f, -kFloatMax, -kInfinity}, divisors[] = {1, 0.7f, 1e-45f, 3e38f, 0.1f};
    const float shift = shifts[random.below(4)], divisor = divisors[random.below(5)];
    scalar.scale(expected.data(), n, shift, divisor);
    target->scale(floats.data, n, shift, divisor);
    EXPECT(same_values(expected.data(), floats.data, n), "scale", kind, n, where);
  });
}

void maxima(void**) {
  for_all({256, 512, 1024, 256 * 15}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    for (size_t chunk : {256, 512, 1024}) {
      const size_t n_chunks = n / chunk;
      Floats lanes(n_chunks * kLanes, where, NORMAL, random);
      std::vector<float> expected(n_chunks * kLanes);
      const bool nan = scalar.maxima(floats.data, n_chunks, chunk, expected.data());
      const bool maybe = target->maxima(floats.data, n_chunks, chunk, lanes.data);
      EXPECT(same(expected.data(), lanes.data, n_chunks * kLanes), "maxima", kind, n, where);
      EXPECT(maybe || !nan, "maxima's NaN", kind, n, where);
      if (kind < HUGE && kind != BANNED) EXPECT(maybe == nan, "maxima's NaN", kind, n, where);
    }
  });
}

// A single NaN anywhere is seen.
void maxima_see_each_nan(void**) {
  Random random(3);
  Floats floats(1024, 0, NORMAL, random);
  float lanes[4 * kLanes];
  for (size_t i = 0; i < 1024; i++) {
    const float before = floats.data[i];
    floats.data[i] = kNan;
    assert_true(target->maxima(floats.data, 4, 256, lanes));
    floats.data[i] = before;
  }
  assert_false(target->maxima(floats.data, 4, 256, lanes));
}

void group_maxima(void**) {
  for_all({16, 16 * 2, 16 * 15, 16 * 16, 16 * 17, 16 * 40}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    if (has_nan(kind)) return;
    const size_t n_chunks = n / kLanes, n_groups = (n_chunks + kGroup - 1) / kGroup;
    Floats groups(n_groups * kLanes, where, NORMAL, random);
    std::vector<float> expected(n_groups * kLanes);
    scalar.group_maxima(floats.data, n_chunks, expected.data());
    target->group_maxima(floats.data, n_chunks, groups.data);
    EXPECT(same(expected.data(), groups.data, n_groups * kLanes), "group_maxima", kind, n, where);
  });
}

float finite_maximum(const float* block) {
  float m = -kFloatMax;
  for (size_t i = 0; i < kBlock; i++)
    if (block[i] > m && block[i] <= kFloatMax) m = block[i];
  return m;
}

void block_sums(void**) {
  for_all({kBlock}, [](Kind kind, size_t n, size_t where, Floats& floats, Random&) {
    const float m = finite_maximum(floats.data);
    for (bool weighted : {false, true}) {
      const BlockSums a = scalar.block_sums(floats.data, m, weighted), b = target->block_sums(floats.data, m, weighted);
      EXPECT(same_value(a.sum, b.sum) && same_value(a.weighted, b.weighted), "block_sums", kind, n, where);
      EXPECT(a.sum == a.sum || has_nan(kind), "block_sums' definition", kind, n, where);
    }
  });
}

// Around -87, where a weight becomes 0, and at every spacing near 0.
void block_sums_at_the_edges(void**) {
  float block[kBlock];
  for (uint32_t first = 0; first < 64; first++) {
    for (uint32_t i = 0; i < kBlock; i++) {
      const uint32_t place = first * uint32_t{kBlock} + i;
      const float edge = std::bit_cast<float>(std::bit_cast<uint32_t>(-87.0f) - 32 + place % 64);
      block[i] = i % 3 == 0 ? edge : i % 3 == 1 ? -std::bit_cast<float>(place << 14) : -static_cast<float>(i) / 11;
    }
    block[first] = 0;
    const BlockSums a = scalar.block_sums(block, 0, true), b = target->block_sums(block, 0, true);
    EXPECT(same_value(a.sum, b.sum) && same_value(a.weighted, b.weighted), "block_sums", kKinds, kBlock, first);
  }
}

void block_moments(void**) {
  for_all({kBlock}, [](Kind kind, size_t n, size_t where, Floats& floats, Random&) {
    const float m = finite_maximum(floats.data);
    const BlockMoments a = scalar.block_moments(floats.data, m), b = target->block_moments(floats.data, m);
    EXPECT(a.count == b.count && same_value(a.sum, b.sum) && same_value(a.squares, b.squares), "block_moments", kind, n, where);
  });
}

void drop_below(void**) {
  for_all({16, 32, 48, 256, 1024}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    std::vector<float> expected = floats.copy();
    const float t = threshold_of(random, floats, n);
    scalar.drop_below(expected.data(), n, t);
    target->drop_below(floats.data, n, t);
    EXPECT(same(expected.data(), floats.data, n), "drop_below", kind, n, where);
  });
}

void largest_and_lowest(void**) {
  for_all({0, 16, 32, 48, 64, 80, 256, 1024}, [](Kind kind, size_t n, size_t where, Floats& floats, Random&) {
    if (!has_nan(kind)) {
      const float a = scalar.largest(floats.data, n), b = target->largest(floats.data, n);
      EXPECT(std::bit_cast<uint32_t>(a) == std::bit_cast<uint32_t>(b), "largest", kind, n, where);
      const float c = scalar.lowest(floats.data, n), d = target->lowest(floats.data, n);
      EXPECT(std::bit_cast<uint32_t>(c) == std::bit_cast<uint32_t>(d), "lowest", kind, n, where);
    }
  });
}

void count_at_least(void**) {
  for_all({0, 16, 32, 48, 256, 1024}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    const float t = n ? threshold_of(random, floats, n) : 0;
    EXPECT(scalar.count_at_least(floats.data, n, t) == target->count_at_least(floats.data, n, t), "count_at_least", kind, n, where);
  });
}

void collect(void**) {
  for_all({kPiece}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    const float t = threshold_of(random, floats, n);
    Floats values(kPiece + kLanes, where, NORMAL, random);
    std::vector<float> expected(kPiece + kLanes);
    std::vector<uint32_t> expected_places(kPiece + kLanes), places(kPiece + kLanes);
    const size_t found = scalar.collect(floats.data, t, expected.data(), expected_places.data());
    EXPECT(target->collect(floats.data, t, values.data, places.data()) == found, "collect", kind, n, where);
    EXPECT(same(expected.data(), values.data, found), "collect's values", kind, n, where);
    EXPECT(same(expected_places.data(), places.data(), found), "collect's places", kind, n, where);
  });
}

void exps(void**) {
  for_all({0, 1, 2, 3, 7, 8, 9, 15, 16, 17, 255, 1023}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    if (has_nan(kind)) return;
    float top = kind == BANNED || n == 0 ? 1.0f : *std::max_element(floats.data, floats.data + n);
    if (random.below(4) == 0) top = kInfinity;
    guarded memory = guarded_new((n + 16) * sizeof(double));
    double* out = static_cast<double*>(where == 0 ? guarded_last(memory, n * sizeof(double)) : guarded_first(memory));
    std::vector<double> expected(n);
    scalar.exps(floats.data, n, top, expected.data());
    target->exps(floats.data, n, top, out);
    const bool equal = same_values(expected.data(), out, n);
    guarded_free(memory);
    EXPECT(equal, "exps", kind, n, where);
  });
}

void exps_at_the_edges(void**) {
  std::vector<float> values;
  for (uint32_t i = 0; i < 4096; i++) {
    values.push_back(std::bit_cast<float>(std::bit_cast<uint32_t>(-708.0f) - 2048 + i));
    values.push_back(-std::bit_cast<float>(i << 19));
    values.push_back(-std::bit_cast<float>(i));
    values.push_back(-static_cast<float>(i) * 0.34657359f);
  }
  std::erase_if(values, [](float v) { return v != v; });
  std::vector<double> a(values.size()), b(values.size());
  scalar.exps(values.data(), values.size(), 0, a.data());
  target->exps(values.data(), values.size(), 0, b.data());
  for (size_t i = 0; i < values.size(); i++)
    if (!same_value(a[i], b[i])) fail_msg("exps of %s: e^%a is %a, not %a", target->name, static_cast<double>(values[i]), b[i], a[i]);
}

void chunks_at_least(void**) {
  for_all({0, 16, 32, 16 * 7, 16 * 33}, [](Kind kind, size_t n, size_t where, Floats& floats, Random& random) {
    if (has_nan(kind)) return;
    const size_t n_chunks = n / kLanes;
    const float t = n ? threshold_of(random, floats, n) : 0;
    guarded memory = guarded_new(n_chunks * 4 + 64);
    uint32_t* chunks = static_cast<uint32_t*>(where == 0 ? guarded_last(memory, n_chunks * 4) : guarded_first(memory));
    std::vector<uint32_t> expected(n_chunks);
    const size_t found = scalar.chunks_at_least(floats.data, n_chunks, t, expected.data());
    const bool equal = target->chunks_at_least(floats.data, n_chunks, t, chunks) == found && same(expected.data(), chunks, found);
    guarded_free(memory);
    EXPECT(equal, "chunks_at_least", kind, n, where);
  });
}

// A row of n columns, its mask, and what load makes of them, each with a guarded page right behind it (or before).
void load_case(uint32_t dtype, size_t begin, size_t n, double share, size_t where, Random& random) {
  const size_t width = dtype == GSAMPLE_F32 ? 4 : 2, columns = begin + n, words = (columns + 31) / 32, padded = (n + kPiece - 1) / kPiece * kPiece;
  guarded row_memory = guarded_new((columns + 16) * width), mask_memory = guarded_new((words + 16) * 4), out_memory = guarded_new((padded + 16) * 4);
  auto place = [&](guarded memory, size_t bytes, size_t step) {
    char* at = static_cast<char*>(where == 0 ? guarded_last(memory, bytes) : guarded_first(memory));
    return at + (where > 1 ? (where - 1) * step : 0);
  };
  char* logits = place(row_memory, columns * width, width);
  uint32_t* mask = reinterpret_cast<uint32_t*>(place(mask_memory, words * 4, 4));
  float* out = reinterpret_cast<float*>(place(out_memory, padded * 4, 4));
  for (size_t i = 0; i < columns; i++) {
    const uint32_t any = random.bits();
    std::memcpy(logits + i * width, &any, width);
  }
  for (size_t w = 0; w < words; w++) {
    mask[w] = 0;
    if (random.below(8) == 0) mask[w] = random.below(2) ? ~0u : 0;
    else
      for (int bit = 0; bit < 32; bit++) mask[w] |= static_cast<uint32_t>(random.unit() < share) << bit;
  }
  const Row row{logits, share < 0 ? nullptr : mask, static_cast<uint32_t>(columns), dtype};
  std::vector<float> expected(padded);
  scalar.load(row, begin, n, expected.data());
  target->load(row, begin, n, out);
  // A signalling f16 NaN may come out quiet: NaN is NaN.
  const bool equal = same_values(expected.data(), out, padded);
  guarded_free(row_memory), guarded_free(mask_memory), guarded_free(out_memory);
  EXPECT(equal, "load", dtype, n, where);
}

void load(void**) {
  Random random(11);
  for (uint32_t dtype : {GSAMPLE_F32, GSAMPLE_F16, GSAMPLE_BF16})
    for (size_t begin : {0, 256, 1024})
      for (size_t n : {1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 47, 63, 64, 65, 100, 255, 256, 257, 511, 1023, 1024})
        for (double share : {-1.0, 0.0, 0.02, 0.5, 0.98, 1.0})
          for (size_t where : kPlaces) load_case(dtype, begin, n, share, where, random);
}

void load_every_half(void**) {
  std::vector<uint16_t> halves(65536);
  for (size_t i = 0; i < halves.size(); i++) halves[i] = static_cast<uint16_t>(i);
  for (uint32_t dtype : {GSAMPLE_F16, GSAMPLE_BF16}) {
    std::vector<float> a(65536), b(65536);
    const Row row{halves.data(), nullptr, 65536, dtype};
    scalar.load(row, 0, 65536, a.data());
    target->load(row, 0, 65536, b.data());
    for (size_t i = 0; i < 65536; i++)
      if (!same_value(a[i], b[i])) fail_msg("%s reads the half %04zx as %a, not %a", target->name, i, static_cast<double>(b[i]), static_cast<double>(a[i]));
  }
}

// The scalar conversions themselves, by arithmetic instead of bits.
void every_half_is_what_ieee_says(void**) {
  for (uint32_t bits = 0; bits < 65536; bits++) {
    const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
    const double sign = bits & 0x8000 ? -1 : 1;
    const double value = exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, static_cast<int>(exponent) - 25);
    const float got = f16_to_f32(static_cast<uint16_t>(bits));
    if (exponent == 31) assert_true(fraction ? got != got : static_cast<double>(got) == sign * HUGE_VAL);
    else assert_true(static_cast<double>(got) == sign * value && std::signbit(got) == (sign < 0));
    assert_true(std::bit_cast<uint32_t>(bf16_to_f32(static_cast<uint16_t>(bits))) == bits << 16);
  }
}

int some_target_runs() {
  Target list[kMostKernels];
  const size_t n = all_targets(list);
  size_t running = 0;
  const Kernels* best = nullptr;
  for (size_t i = 0; i < n; i++) {
    const bool is_scalar = list[i].kernels == &kScalarKernels;
    std::printf("%s: %s\n", list[i].kernels->name, list[i].runs ? "runs" : "not on this machine");
    running += list[i].runs && !is_scalar;
    if (list[i].runs) best = list[i].kernels;
  }
#if defined(__x86_64__) || defined(__aarch64__)
  if (running == 0) {
    std::printf("no vector instructions are used\n");
    return 1;
  }
#endif
  if (&kernels() != best) {
    std::printf("%s is used, not %s\n", kernels().name, best->name);
    return 1;
  }
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) return 1;
  if (!std::strcmp(argv[1], "any")) return some_target_runs();
  Target list[kMostKernels];
  for (size_t i = 0, n = all_targets(list); i < n; i++) {
    if (std::strcmp(list[i].kernels->name, argv[1])) continue;
    if (!list[i].runs) {
      std::printf("this machine has no %s\n", argv[1]);
      return 77;
    }
    target = list[i].kernels;
  }
  if (!target) {
    std::printf("this build has no kernels for %s\n", argv[1]);
    return 1;
  }
  const CMUnitTest tests[] = {
      cmocka_unit_test(scale),
      cmocka_unit_test(maxima),
      cmocka_unit_test(maxima_see_each_nan),
      cmocka_unit_test(group_maxima),
      cmocka_unit_test(block_sums),
      cmocka_unit_test(block_sums_at_the_edges),
      cmocka_unit_test(block_moments),
      cmocka_unit_test(drop_below),
      cmocka_unit_test(largest_and_lowest),
      cmocka_unit_test(count_at_least),
      cmocka_unit_test(collect),
      cmocka_unit_test(exps),
      cmocka_unit_test(exps_at_the_edges),
      cmocka_unit_test(chunks_at_least),
      cmocka_unit_test(load),
      cmocka_unit_test(load_every_half),
      cmocka_unit_test(every_half_is_what_ieee_says),
  };
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}

// The kernels of scalar.cc for SIMD, once per target of Highway. Only additions, multiplications, divisions, comparisons and exact
// conversions are used, each rounded as the scalar version rounds it, so the bits are the same; the fixed 16 lanes are 16 / N vectors.
// Nothing of Highway is linked: this file fills one table per target, and target.cc chooses among the tables.
#include "base/real.h"
#include "row/kernels.h"

#define HWY_DISABLED_TARGETS (HWY_SSSE3 | HWY_AVX3_DL | HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "row/simd.cc"
#include "hwy/foreach_target.h"  // IWYU pragma: keep
#include "hwy/highway.h"

// Where Highway has nothing but one lane, or doubles are missing or not IEEE (32-bit Arm), the scalar kernels serve.
#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128 && HWY_HAVE_FLOAT64

HWY_BEFORE_NAMESPACE();
namespace gsample {
namespace HWY_NAMESPACE {
namespace {

namespace hn = hwy::HWY_NAMESPACE;

const hn::CappedTag<float, kLanes> df;
const hn::RebindToSigned<decltype(df)> di;
const hn::RebindToUnsigned<decltype(df)> du;
using F = hn::Vec<decltype(df)>;

#if HWY_TARGET == HWY_AVX3
constexpr const char* kName = "avx512";
#elif HWY_TARGET == HWY_AVX2
constexpr const char* kName = "avx2";
#elif HWY_TARGET == HWY_SSE4
constexpr const char* kName = "sse4";
#else
constexpr const char* kName = "neon";
#endif

constexpr size_t kWidth = hn::MaxLanes(df);      // floats in a vector
constexpr size_t kParts = kLanes / kWidth;       // vectors that make the 16 lanes

// The larger of acc and x, where a NaN in x counts for nothing.
HWY_INLINE F MaxOrKeep(F acc, F x) {
#if HWY_ARCH_X86
  return hn::Max(x, acc);  // maxps returns its second operand where either is NaN
#else
  return hn::IfThenElse(hn::Gt(x, acc), x, acc);
#endif
}

HWY_INLINE F FromF16(const uint16_t* from) {
#if HWY_TARGET == HWY_AVX2 || HWY_TARGET == HWY_AVX3 || HWY_ARCH_ARM_A64
  const hn::Rebind<hwy::float16_t, decltype(df)> d16;
  return hn::PromoteTo(df, hn::LoadU(d16, reinterpret_cast<const hwy::float16_t*>(from)));
#else
  const auto half = hn::PromoteTo(du, hn::LoadU(hn::Rebind<uint16_t, decltype(df)>(), from));
  const auto rest = hn::And(half, hn::Set(du, 0x7fff));
  const auto sign = hn::ShiftLeft<16>(hn::AndNot(hn::Set(du, 0x7fff), half));
  // The bits moved up stand for the value times 2^-112, subnormals included.
  const F value = hn::Mul(hn::BitCast(df, hn::ShiftLeft<13>(rest)), hn::Set(df, 5192296858534827628530496329220096.0f));
  const auto special = hn::IfThenElseZero(hn::Gt(hn::BitCast(di, rest), hn::Set(di, 0x7bff)), hn::Set(di, 0x7f800000));
  return hn::BitCast(df, hn::Or(hn::Or(hn::BitCast(du, value), sign), hn::BitCast(du, special)));
#endif
}

HWY_INLINE F FromBf16(const uint16_t* from) {
  return hn::BitCast(df, hn::ShiftLeft<16>(hn::PromoteTo(du, hn::LoadU(hn::Rebind<uint16_t, decltype(df)>(), from))));
}

// Writes n columns by `get`, which gives kWidth floats from a column on, or one.
template <class Get, class GetOne>
HWY_INLINE void LoadWith(const Row& row, size_t begin, size_t n, float* out, Get get, GetOne get_one) {
  const size_t whole = n / kWidth * kWidth;
  if (!row.mask) {
    for (size_t i = 0; i < whole; i += kWidth) hn::StoreU(get(begin + i), df, out + i);
    for (size_t i = whole; i < n; i++) out[i] = get_one(begin + i);
  } else {
    const F banned = hn::Set(df, -kInfinity);
    for (size_t i = 0; i < n; i += 32) {
      const uint32_t word = row.mask[(begin + i) / 32];
      const size_t end = n - i < 32 ? n - i : 32;
      if (word == 0) {
        for (size_t j = 0; j < end; j++) out[i + j] = -kInfinity;
        continue;
      }
      size_t j = 0;
      for (; j + kWidth <= end; j += kWidth) {
        uint64_t bits = word >> j;
        const auto allowed = hn::LoadMaskBits(df, reinterpret_cast<const uint8_t*>(&bits));
        hn::StoreU(hn::IfThenElse(allowed, get(begin + i + j), banned), df, out + i + j);
      }
      for (; j < end; j++) out[i + j] = word >> j & 1 ? get_one(begin + i + j) : -kInfinity;
    }
  }
  for (size_t i = n; i % kPiece != 0; i++) out[i] = -kInfinity;
}

void load(const Row& row, size_t begin, size_t n, float* out) {
  const float* f32 = static_cast<const float*>(row.logits);
  const uint16_t* half = static_cast<const uint16_t*>(row.logits);
  switch (row.dtype) {
    case GSAMPLE_F32:
      LoadWith(row, begin, n, out, [=](size_t i) HWY_ATTR { return hn::LoadU(df, f32 + i); }, [=](size_t i) { return f32[i]; });
      break;
    case GSAMPLE_F16:
      LoadWith(row, begin, n, out, [=](size_t i) HWY_ATTR { return FromF16(half + i); }, [=](size_t i) { return f16_to_f32(half[i]); });
      break;
    default:
      LoadWith(row, begin, n, out, [=](size_t i) HWY_ATTR { return FromBf16(half + i); }, [=](size_t i) { return bf16_to_f32(half[i]); });
  }
}

void scale(float* values, size_t n, float shift, float divisor) {
  const F s = hn::Set(df, shift), t = hn::Set(df, divisor);
  for (size_t i = 0; i < n; i += kWidth) hn::StoreU(hn::Div(hn::Sub(hn::LoadU(df, values + i), s), t), df, values + i);
}

bool maxima(const float* values, size_t n_chunks, size_t chunk_size, float* lane_max) {
  // Several accumulators, as a comparison takes longer than a load; vector i belongs to accumulator i % kMaxima, a part of the lanes.
  constexpr size_t kMaxima = kParts < 4 ? 4 : kParts;
  // A NaN survives every addition: a few sums find it at the end. One would be a chain as long as the row.
  F sums[4];
  HWY_UNROLL(4) for (size_t i = 0; i < 4; i++) sums[i] = hn::Zero(df);
  for (size_t chunk = 0; chunk < n_chunks; chunk++, values += chunk_size, lane_max += kLanes) {
    F max[kMaxima];
    HWY_UNROLL(4) for (size_t i = 0; i < kMaxima; i++) max[i] = hn::Set(df, -kInfinity);
    for (size_t begin = 0; begin < chunk_size; begin += 4 * kMaxima * kWidth) {
      HWY_UNROLL(16) for (size_t i = 0; i < 4 * kMaxima; i++) {
        const F x = hn::LoadU(df, values + begin + i * kWidth);
        max[i % kMaxima] = MaxOrKeep(max[i % kMaxima], x);
        sums[i % 4] = hn::Add(sums[i % 4], x);
      }
    }
    HWY_UNROLL(4) for (size_t p = 0; p < kParts; p++) {
      for (size_t i = p + kParts; i < kMaxima; i += kParts) max[p] = hn::Max(max[p], max[i]);
      hn::StoreU(hn::Add(max[p], hn::Zero(df)), df, lane_max + p * kWidth);
    }
  }
  const F sum = hn::Add(hn::Add(sums[0], sums[1]), hn::Add(sums[2], sums[3]));
  return !hn::AllTrue(df, hn::Eq(sum, sum));
}

void group_maxima(const float* lane_max, size_t n_chunks, float* group_max) {
  for (size_t begin = 0; begin < n_chunks; begin += kGroup, group_max += kLanes) {
    const size_t end = begin + kGroup < n_chunks ? begin + kGroup : n_chunks;
    HWY_UNROLL(16) for (size_t p = 0; p < kParts; p++) {
      const auto part = [&](size_t chunk) HWY_ATTR { return hn::LoadU(df, lane_max + chunk * kLanes + p * kWidth); };
      F max = hn::Set(df, -kInfinity);
      size_t chunk = begin;
      for (; chunk + 4 <= end; chunk += 4)
        max = hn::Max(max, hn::Max(hn::Max(part(chunk), part(chunk + 1)), hn::Max(part(chunk + 2), part(chunk + 3))));
      for (; chunk < end; chunk++) max = hn::Max(max, part(chunk));
      hn::StoreU(hn::Add(max, hn::Zero(df)), df, group_max + p * kWidth);
    }
  }
}

// e^d of kAtOnce vectors, as exp_row gives it. Side by side, as one by itself is a chain of operations that each wait for the last.
constexpr size_t kAtOnce = 4;
HWY_INLINE void ExpRows(const F (&d)[kAtOnce], F (&out)[kAtOnce]) {
  const F shift = hn::Set(df, 12582912.0f), log2e = hn::Set(df, 1.44269504f);
  const float coefficients[] = {0.009671566f, 0.055507343f, 0.24022241f, 0.693147f, 1.0f};
  F shifted[kAtOnce], f[kAtOnce], e[kAtOnce];
  HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++) f[j] = hn::Mul(d[j], log2e);
  HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++) shifted[j] = hn::Add(f[j], shift);
  HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++) f[j] = hn::Sub(f[j], hn::Sub(shifted[j], shift));
  HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++) e[j] = hn::Set(df, 0.0013264659f);
  HWY_UNROLL(5) for (float c : coefficients) {
    HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++) e[j] = hn::Add(hn::Mul(e[j], f[j]), hn::Set(df, c));
  }
  HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++)
    out[j] = hn::BitCast(df, hn::Add(hn::BitCast(di, e[j]), hn::ShiftLeft<23>(hn::BitCast(di, shifted[j]))));
}

template <bool kWeighted>
HWY_INLINE BlockSums SumsOf(const float* block, float m) {
  const F max = hn::Set(df, m), flush = hn::Set(df, -87.0f);
  HWY_ALIGN float sums[4][kLanes];
  HWY_ALIGN float weights[4][kLanes];
  for (size_t quarter = 0; quarter < 4; quarter++, block += kQuarter) {
    HWY_UNROLL(16) for (size_t p = 0; p < kParts; p++) {
      F sum = hn::Zero(df), weighted = hn::Zero(df);
      for (size_t i = 0; i < kQuarter / kLanes; i += kAtOnce) {
        F d[kAtOnce], e[kAtOnce];
        HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++) {
          if (p == 0) __builtin_prefetch(block + kBlock + (i + j) * kLanes);
          d[j] = hn::Sub(hn::LoadU(df, block + (i + j) * kLanes + p * kWidth), max);
          // The maximum adds 1, next to which less than 1e-30 is lost: what is to add nothing may as well add e^-87.
          if (!kWeighted) d[j] = MaxOrKeep(flush, d[j]);
        }
        ExpRows(d, e);
        HWY_UNROLL(4) for (size_t j = 0; j < kAtOnce; j++) {
          if (kWeighted) {
            const auto kept = hn::Ge(d[j], flush);
            sum = hn::Add(sum, hn::IfThenElseZero(kept, e[j]));
            weighted = hn::Add(weighted, hn::IfThenElseZero(kept, hn::Mul(e[j], d[j])));
          } else {
            sum = hn::Add(sum, e[j]);
          }
        }
      }
      hn::Store(sum, df, sums[quarter] + p * kWidth);
      if (kWeighted) hn::Store(weighted, df, weights[quarter] + p * kWidth);
    }
  }
  const auto tree = [](float (*lanes)[kLanes]) HWY_ATTR {
    HWY_UNROLL(16) for (size_t p = 0; p < kParts; p++) {
      const auto part = [&](size_t quarter) HWY_ATTR { return hn::Load(df, lanes[quarter] + p * kWidth); };
      hn::Store(hn::Add(hn::Add(part(0), part(1)), hn::Add(part(2), part(3))), df, lanes[0] + p * kWidth);
    }
    return lane_tree(lanes[0]);
  };
  return {tree(sums), kWeighted ? tree(weights) : 0.0f};
}

BlockSums block_sums(const float* block, float m, bool weighted) { return weighted ? SumsOf<true>(block, m) : SumsOf<false>(block, m); }

void drop_below(float* values, size_t n, float t) {
  const F least = hn::Set(df, t), dropped = hn::Set(df, -kInfinity);
  for (size_t i = 0; i < n; i += kWidth) {
    const F x = hn::LoadU(df, values + i);
    hn::StoreU(hn::IfThenElse(hn::Ge(x, least), x, dropped), df, values + i);
  }
}

// Four accumulators, as the latency of a comparison is longer than a load takes.
float largest(const float* values, size_t n) {
  F max[4];
  HWY_UNROLL(4) for (size_t j = 0; j < 4; j++) max[j] = hn::Set(df, -kInfinity);
  size_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth)
    HWY_UNROLL(4) for (size_t j = 0; j < 4; j++) max[j] = hn::Max(max[j], hn::LoadU(df, values + i + j * kWidth));
  for (; i < n; i += kWidth) max[0] = hn::Max(max[0], hn::LoadU(df, values + i));
  return hn::GetLane(hn::MaxOfLanes(df, hn::Max(hn::Max(max[0], max[1]), hn::Max(max[2], max[3])))) + 0.0f;
}

float lowest(const float* values, size_t n) {
  const F banned = hn::Set(df, -kInfinity), none = hn::Set(df, kInfinity);
  const auto token = [&](size_t i) HWY_ATTR {
    const F x = hn::LoadU(df, values + i);
    return hn::IfThenElse(hn::Gt(x, banned), x, none);
  };
  F min[4];
  HWY_UNROLL(4) for (size_t j = 0; j < 4; j++) min[j] = none;
  size_t i = 0;
  for (; i + 4 * kWidth <= n; i += 4 * kWidth)
    HWY_UNROLL(4) for (size_t j = 0; j < 4; j++) min[j] = hn::Min(min[j], token(i + j * kWidth));
  for (; i < n; i += kWidth) min[0] = hn::Min(min[0], token(i));
  return hn::GetLane(hn::MinOfLanes(df, hn::Min(hn::Min(min[0], min[1]), hn::Min(min[2], min[3])))) + 0.0f;
}

size_t count_at_least(const float* values, size_t n, float t) {
  const F least = hn::Set(df, t);
  size_t count = 0;
  for (size_t i = 0; i < n; i += kWidth) count += hn::CountTrue(df, hn::Ge(hn::LoadU(df, values + i), least));
  return count;
}

// First a bit a column, then the places of the bits. How many a word holds cannot be predicted, so two are written in any case.
size_t collect(const float* piece, float t, float* values, uint32_t* places) {
  const F least = hn::Set(df, t);
  size_t n = 0;
  for (size_t begin = 0; begin < kPiece; begin += 64) {
    uint64_t bits = 0;
    HWY_UNROLL(16) for (size_t i = 0; i < 64; i += kWidth) {
      alignas(8) uint8_t kept[8] = {};
      hn::StoreMaskBits(df, hn::Ge(hn::LoadU(df, piece + begin + i), least), kept);
      uint64_t part;
      hwy::CopyBytes<8>(kept, &part);
      bits |= part << i;
    }
    const size_t count = hwy::PopCount(bits);
    const auto next = [&] {
      const uint32_t place = static_cast<uint32_t>(begin) + static_cast<uint32_t>(hwy::Num0BitsBelowLS1Bit_Nonzero64(bits | uint64_t{1} << 63));
      bits &= bits - 1;
      return place;
    };
    places[n] = next();
    places[n + 1] = next();
    for (size_t i = 2; i < count; i++) places[n + i] = next();
    n += count;
  }
  for (size_t i = 0; i < n; i++) values[i] = piece[places[i]];
  return n;
}

// exp_f64 (base/real.h) on vectors: the same operations in the same order.
void exps(const float* values, size_t n, float top, double* exps) {
  const hn::Repartition<double, decltype(df)> dd;
  const hn::RebindToUnsigned<decltype(dd)> d64;
  const hn::Rebind<float, decltype(dd)> dhalf;
  constexpr size_t kDoubles = hn::MaxLanes(dd);
  const auto set = [&](double x) HWY_ATTR { return hn::Set(dd, x); };
  const auto round_shift = set(6755399441055744.0), one = set(1.0), two = set(2.0);
  size_t i = 0;
  for (; i + kDoubles <= n; i += kDoubles) {
    const auto v = hn::LoadU(dhalf, values + i);
    const auto x = hn::PromoteTo(dd, hn::Sub(v, hn::Set(dhalf, top)));
    const auto shifted = hn::Add(hn::Mul(x, set(1.44269504088896338700e+00)), round_shift);
    const auto k = hn::Sub(shifted, round_shift);
    const auto high = hn::Sub(x, hn::Mul(k, set(6.93147180369123816490e-01)));
    const auto low = hn::Mul(k, set(1.90821492927058770002e-10));
    const auto r = hn::Sub(high, low);
    const auto t = hn::Mul(r, r);
    auto p = hn::Add(set(-1.65339022054652515390e-06), hn::Mul(t, set(4.13813679705723846039e-08)));
    p = hn::Add(set(6.61375632143793436117e-05), hn::Mul(t, p));
    p = hn::Add(set(-2.77777777770155933842e-03), hn::Mul(t, p));
    p = hn::Add(set(1.66666666666666019037e-01), hn::Mul(t, p));
    const auto c = hn::Sub(r, hn::Mul(t, p));
    const auto y = hn::Sub(one, hn::Sub(hn::Sub(low, hn::Div(hn::Mul(r, c), hn::Sub(two, c))), high));
    const auto scaled = hn::BitCast(dd, hn::Add(hn::BitCast(d64, y), hn::ShiftLeft<52>(hn::BitCast(d64, shifted))));
    const auto flushed = hn::IfThenZeroElse(hn::Lt(x, set(-708.0)), scaled);
    // A difference of infinities is NaN, and stands for equal values.
    hn::StoreU(hn::IfThenElse(hn::Eq(x, x), flushed, one), dd, exps + i);
  }
  for (; i < n; i++) exps[i] = values[i] == top ? 1.0 : exp_f64(static_cast<double>(values[i] - top));
}

size_t chunks_at_least(const float* lane_max, size_t n_chunks, float t, uint32_t* chunks) {
  const F least = hn::Set(df, t);
  size_t count = 0;
  for (size_t chunk = 0; chunk < n_chunks; chunk++, lane_max += kLanes) {
    F max = hn::LoadU(df, lane_max);
    HWY_UNROLL(16) for (size_t p = 1; p < kParts; p++) max = hn::Max(max, hn::LoadU(df, lane_max + p * kWidth));
    chunks[count] = static_cast<uint32_t>(chunk);
    count += !hn::AllFalse(df, hn::Ge(max, least));
  }
  return count;
}

BlockMoments block_moments(const float* block, float m) {
  const hn::Repartition<double, decltype(df)> dd;
  constexpr size_t kDoubles = hn::MaxLanes(dd);
  const hn::Rebind<float, decltype(dd)> dhalf;
  const auto max = hn::Set(dd, static_cast<double>(m));
  const auto banned = hn::Set(dhalf, -kInfinity);
  constexpr size_t kParts64 = kLanes / kDoubles;
  hn::Vec<decltype(dd)> sum[kParts64], square[kParts64];
  for (size_t p = 0; p < kParts64; p++) sum[p] = square[p] = hn::Zero(dd);
  uint32_t count = 0;
  for (size_t i = 0; i < kBlock; i += kLanes) {
    __builtin_prefetch(block + kBlock + i);
    HWY_UNROLL(8) for (size_t p = 0; p < kParts64; p++) {
      const auto v = hn::LoadU(dhalf, block + i + p * kDoubles);
      const auto kept = hn::Gt(v, banned);
      // A dropped column becomes d = +0, which adds nothing.
      const auto d = hn::Sub(hn::PromoteTo(dd, hn::IfThenElse(kept, v, hn::Set(dhalf, m))), max);
      count += static_cast<uint32_t>(hn::CountTrue(dhalf, kept));
      sum[p] = hn::Add(sum[p], d);
      square[p] = hn::Add(square[p], hn::Mul(d, d));
    }
  }
  HWY_ALIGN double sums[kLanes], squares[kLanes];
  for (size_t p = 0; p < kParts64; p++) {
    hn::Store(sum[p], dd, sums + p * kDoubles);
    hn::Store(square[p], dd, squares + p * kDoubles);
  }
  return {lane_tree(sums), lane_tree(squares), count};
}

}  // namespace

extern const Kernels kKernels;
constinit const Kernels kKernels = {kName,         load,    scale,  maxima,         group_maxima,   block_sums,
                                    block_moments, drop_below, largest, lowest, count_at_least, collect, exps, chunks_at_least};

}  // namespace HWY_NAMESPACE
}  // namespace gsample
HWY_AFTER_NAMESPACE();

#endif

#if HWY_ONCE
namespace gsample {

size_t simd_kernels(const Kernels** list) {
  size_t n = 0;
#if HWY_TARGETS & HWY_NEON && HWY_ARCH_ARM_A64
  list[n++] = &N_NEON::kKernels;
#endif
#if HWY_TARGETS & HWY_SSE4
  list[n++] = &N_SSE4::kKernels;
#endif
#if HWY_TARGETS & HWY_AVX2
  list[n++] = &N_AVX2::kKernels;
#endif
#if HWY_TARGETS & HWY_AVX3
  list[n++] = &N_AVX3::kKernels;
#endif
  return n;
}

}  // namespace gsample
#endif

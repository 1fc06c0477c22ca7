// Which kernels run on this machine. The choice asks the processor, and the system whether it saves the wide registers.
#include <atomic>
#include <cstring>

#include "row/kernels.h"

#if defined(__x86_64__) || defined(__i386__)
#include <cpuid.h>
#define GSAMPLE_X86 1
#endif

namespace gsample {

size_t simd_kernels(const Kernels** list);  // simd.cc: the tables of this build, slowest first

namespace {

#if GSAMPLE_X86

// What the tables need, by the names of cpuid's bits.
struct X86 {
  bool sse4 = false, avx2 = false, avx512 = false;

  X86() {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid(1, &a, &b, &c, &d)) return;
    const unsigned leaf1 = c;
    const auto has = [](unsigned word, std::initializer_list<int> bits) {
      for (int bit : bits)
        if (!(word >> bit & 1)) return false;
      return true;
    };
    sse4 = has(leaf1, {0, 1, 9, 19, 20, 25});  // SSE3, PCLMUL, SSSE3, SSE4.1, SSE4.2, AES
    if (!sse4 || !has(leaf1, {12, 26, 27, 28, 29})) return;  // FMA, XSAVE, OSXSAVE, AVX, F16C
    unsigned xcr0, high;
    __asm__("xgetbv" : "=a"(xcr0), "=d"(high) : "c"(0));
    if ((xcr0 & 0x06) != 0x06 || !__get_cpuid_count(7, 0, &a, &b, &c, &d)) return;
    const unsigned leaf7 = b;
    if (!__get_cpuid(0x80000001u, &a, &b, &c, &d)) return;
    avx2 = has(leaf7, {3, 5, 8}) && has(c, {5});                                         // BMI, AVX2, BMI2; LZCNT
    avx512 = avx2 && (xcr0 & 0xe6) == 0xe6 && has(leaf7, {16, 17, 28, 30, 31});          // F, DQ, CD, BW, VL
  }

  bool runs(const char* name) const {
    if (!std::strcmp(name, "sse4")) return sse4;
    if (!std::strcmp(name, "avx2")) return avx2;
    if (!std::strcmp(name, "avx512")) return avx512;
    return false;
  }
};

bool runs(const char* name) { return X86().runs(name); }

#else

bool runs(const char*) { return true; }  // NEON is part of every 64-bit Arm

#endif

constinit std::atomic<const Kernels*> chosen{nullptr};

const Kernels* choose() {
  Target list[kMostKernels];
  size_t n = all_targets(list);
  const Kernels* best = &kScalarKernels;
  for (size_t i = 0; i < n; i++)
    if (list[i].runs) best = list[i].kernels;
  return best;
}

}  // namespace

size_t all_targets(Target list[kMostKernels]) {
  const Kernels* simd[kMostKernels];
  size_t n = simd_kernels(simd), out = 0;
  list[out++] = {&kScalarKernels, true};
  for (size_t i = 0; i < n; i++) list[out++] = {simd[i], runs(simd[i]->name)};
  return out;
}

const Kernels& kernels() {
  const Kernels* current = chosen.load(std::memory_order_relaxed);
  if (!current) {
    current = choose();
    chosen.store(current, std::memory_order_relaxed);
  }
  return *current;
}

void force_kernels(const Kernels* wanted) { chosen.store(wanted, std::memory_order_relaxed); }

}  // namespace gsample

// The floating-point control word as this library computes with: round to nearest, subnormals kept, exceptions masked. Hosts built with
// fast-math start with other settings; an entry point that computes sets the defaults where they differ and restores the host's.
#pragma once

#include <cstdint>

#if defined(__x86_64__) || defined(__i386__)
#include <xmmintrin.h>
#endif

namespace gsample {

class FloatEnvironment {
 public:
  FloatEnvironment() {
    if ((control_ & kSettings) != kDefault) write((control_ & ~kSettings) | kDefault);
  }
  ~FloatEnvironment() {
    if ((control_ & kSettings) != kDefault) write(control_);
  }
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
#if defined(__x86_64__) || defined(__i386__)
  using Control = uint32_t;
  static constexpr Control kSettings = 0xffc0, kDefault = 0x1f80;  // MXCSR without its sticky flags
  static Control read() { return _mm_getcsr(); }
  static void write(Control control) { _mm_setcsr(control); }
#elif defined(__aarch64__)
  using Control = uint64_t;
  static constexpr Control kSettings = 0x07c89f00, kDefault = 0;  // FPCR: AHP, DN, FZ, RMode, FZ16 and the traps
  static Control read() {
    Control control;
    __asm__ volatile("mrs %0, fpcr" : "=r"(control));
    return control;
  }
  static void write(Control control) { __asm__ volatile("msr fpcr, %0" : : "r"(control)); }
#else
  using Control = uint32_t;
  static constexpr Control kSettings = 0, kDefault = 0;
  static Control read() { return 0; }
  static void write(Control) {}
#endif

  const Control control_ = read();
};

}  // namespace gsample

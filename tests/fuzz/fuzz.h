// What every fuzzer includes. A fuzzer is one function over bytes; it calls the library and checks what must hold for any input. It is
// driven by libFuzzer (-Dfuzz=true, clang) or by standalone.cc, everywhere. It may throw std::bad_alloc: a run may have no memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

#define REQUIRE(condition)                                                           \
  do {                                                                               \
    if (!(condition)) {                                                              \
      std::fprintf(stderr, "%s:%d: not true: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                  \
    }                                                                                \
  } while (0)

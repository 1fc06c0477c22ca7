// The rule of sized structs: the caller's `size` says how much of the struct it knows. Fields it does not know are taken as 0;
// bytes that we do not know must be 0, as a caller that set one wants something this library cannot do.
#pragma once

#include <algorithm>
#include <cstring>

#include "base/failure.h"
#include "base/limits.h"

namespace gsample {

template <class T>
T import_struct(const T* from, const char* name) {
  if (!from) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
  uint32_t size;
  std::memcpy(&size, from, sizeof size);
  // All structs are multiples of 8: any other size would end inside a field.
  if (size < 8 || size % 8 != 0 || size > limits::struct_bytes)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s: size is %u, not sizeof(%s)", name, size, name);
  auto bytes = reinterpret_cast<const unsigned char*>(from);
  for (size_t i = sizeof(T); i < size; i++)
    if (bytes[i]) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s: byte %zu is not 0 and belongs to a newer version than %zu bytes", name, i, sizeof(T));
  T out;
  std::memset(&out, 0, sizeof out);
  std::memcpy(&out, from, std::min<size_t>(size, sizeof out));
  out.size = sizeof out;
  return out;
}

// Gives a struct back to the caller: as much as its size covers, the size itself excepted.
template <class T>
void export_struct(const T& value, T* to) {
  constexpr size_t kSize = sizeof to->size;
  const size_t covered = std::min<size_t>(to->size, sizeof value);
  if (covered > kSize) std::memcpy(reinterpret_cast<char*>(to) + kSize, reinterpret_cast<const char*>(&value) + kSize, covered - kSize);
}

}  // namespace gsample

#include "base/failure.h"

#include <charconv>
#include <cstdarg>
#include <cstdio>

namespace gsample {

namespace {

[[noreturn]] void raise(int32_t status, int32_t line, int32_t column, const char* format, va_list arguments) {
  Failure failure{status, line, column};
  std::vsnprintf(failure.message, sizeof failure.message, format, arguments);
  va_end(arguments);
  throw failure;
}

template <class T>
NumberText shortest(T value) {
  NumberText out;
  *std::to_chars(out.text, out.text + sizeof out.text - 1, value).ptr = '\0';
  return out;
}

}  // namespace

void fail(int32_t status, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise(status, 0, 0, format, arguments);
}

void fail_at(int32_t status, int32_t line, int32_t column, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  raise(status, line, column, format, arguments);
}

NumberText format_number(float value) { return shortest(value); }
NumberText format_number(double value) { return shortest(value); }

}  // namespace gsample

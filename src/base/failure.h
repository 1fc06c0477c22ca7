// How a room says that something went wrong: a Failure is thrown with a status and a message, and abi/ turns it into the
// caller's gsample_error. Nothing below abi/ catches it. Hot paths (a pick) return statuses instead and never throw.
#pragma once

#include "gsample/gsample.h"

namespace gsample {

struct Failure {
  int32_t status;
  int32_t line = 0;      // of the caller's text, 1-based; 0 where there is none
  int32_t column = 0;    // in bytes, 1-based; 0 where there is none
  char message[sizeof(gsample_error::message)] = {};
};

// Throws a Failure. The message is formatted as by snprintf and cut to fit; use format_number() for floats, as %g obeys the locale.
[[noreturn]] void fail(int32_t status, const char* format, ...) __attribute__((format(printf, 2, 3)));
[[noreturn]] void fail_at(int32_t status, int32_t line, int32_t column, const char* format, ...) __attribute__((format(printf, 4, 5)));

// The shortest text that reads back as the same float or double ("nan", "inf" and "-inf" included).
struct NumberText { char text[32]; };
NumberText format_number(float value);
NumberText format_number(double value);

}  // namespace gsample

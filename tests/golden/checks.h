// What the golden tests share: which engine they run on (the first argument: library or reference), and failures that name the case.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cstring>
#include <memory>
#include <string>

#include "engine.h"

// Last, as it defines fail and skip as macros.
extern "C" {
#include <cmocka.h>
}

inline bool on_library = true;

inline bool choose_engine(int argc, char** argv) {
  on_library = argc < 2 || std::strcmp(argv[1], "reference") != 0;
  if (argc >= 2 && on_library && std::strcmp(argv[1], "library") != 0) return false;
  printf("engine: %s\n", on_library ? "library" : "reference");
  return true;
}

inline std::unique_ptr<Engine> make_engine(const gsample_params& params) {
  if (!on_library) return reference_engine(params);
  gsample_error error = {};
  error.size = sizeof error;
  return library_engine(params, &error);
}

template <class... Values>
void fail_case(const std::string& name, const char* format, Values... values) {
  char text[400];
  snprintf(text, sizeof text, format, values...);
  fail_msg("%s: %s", name.c_str(), text);
}

inline void require(bool right, const std::string& name, const char* otherwise) {
  if (!right) fail_msg("%s: %s", name.c_str(), otherwise);
}

// Meson counts 77 as a skip.
inline int skip_all(const char* why) {
  printf("skipped: %s\n", why);
  return 77;
}

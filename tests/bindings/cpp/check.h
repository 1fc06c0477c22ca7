// The little that the tests of the C++ binding need to be told apart and counted: each test is one line of output.
#pragma once

#include <cstdio>
#include <exception>

struct Failed : std::exception {};

#define CHECK(condition)                                          \
  do {                                                            \
    if (!(condition)) {                                           \
      std::printf("%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      throw Failed();                                             \
    }                                                             \
  } while (false)

struct Test {
  const char* name;
  void (*run)();
};

// Runs all, also after a failure; returns what main returns.
template <size_t N>
int run_tests(const Test (&tests)[N]) {
  int failed = 0;
  for (const Test& test : tests) {
    const char* verdict = "pass";
    try {
      test.run();
    } catch (const std::exception& e) {
      std::printf("%s\n", e.what());
      verdict = "fail", failed = 1;
    }
    std::printf("%s: cpp %s\n", verdict, test.name);
  }
  return failed;
}

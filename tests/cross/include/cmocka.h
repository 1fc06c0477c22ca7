/* What the suites use of cmocka, for cross builds, where Debian has no cmocka for the target. Same names and meanings as cmocka 1.1:
   a failed assertion leaves the test by longjmp, a group returns how many of its tests failed. */
#ifndef CMOCKA_H
#define CMOCKA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef void (*CMUnitTestFunction)(void** state);
typedef int (*CMFixtureFunction)(void** state);

struct CMUnitTest {
  const char* name;
  CMUnitTestFunction test_func;
  CMFixtureFunction setup_func, teardown_func;
  void* initial_state;
};

static jmp_buf cmocka_leave;
enum { CMOCKA_FAILED = 1, CMOCKA_SKIPPED = 2 };

#if defined(__GNUC__)
#define CMOCKA_FUNCTION __attribute__((unused)) static
#else
#define CMOCKA_FUNCTION static
#endif

CMOCKA_FUNCTION void cmocka_fail(const char* file, int line, const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  fprintf(stderr, "%s:%d: ", file, line);
  vfprintf(stderr, format, arguments);
  fputc('\n', stderr);
  va_end(arguments);
  longjmp(cmocka_leave, CMOCKA_FAILED);
}

CMOCKA_FUNCTION void print_message(const char* format, ...) {
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
}

/* Functions, as an argument may be a call that must be made once. */
CMOCKA_FUNCTION void cmocka_range(const char* file, int line, const char* what, uint64_t value, uint64_t low, uint64_t high, int inside) {
  if ((value >= low && value <= high) != inside) cmocka_fail(file, line, "%s is %#llx (%lld)", what, (unsigned long long)value, (long long)value);
}

CMOCKA_FUNCTION void cmocka_near(const char* file, int line, const char* what, double a, double b, double e) {
  if (!(a - b <= e && b - a <= e)) cmocka_fail(file, line, "%s is %.9g, not %.9g", what, a, b);
}

#define CMOCKA_REQUIRE(condition, ...) ((condition) ? (void)0 : cmocka_fail(__FILE__, __LINE__, __VA_ARGS__))
#define CMOCKA_BITS(value) ((uint64_t)(value))
#define CMOCKA_SHOW(value) ((unsigned long long)(value)), ((long long)(value))

#define assert_true(c) CMOCKA_REQUIRE(c, "not true: %s", #c)
#define assert_false(c) CMOCKA_REQUIRE(!(c), "not false: %s", #c)
#define assert_null(p) CMOCKA_REQUIRE((p) == NULL, "not NULL: %s", #p)
#define assert_non_null(p) CMOCKA_REQUIRE((p) != NULL, "NULL: %s", #p)
#define assert_ptr_equal(a, b) CMOCKA_REQUIRE((const void*)(a) == (const void*)(b), "%s is not %s", #a, #b)
#define assert_ptr_not_equal(a, b) CMOCKA_REQUIRE((const void*)(a) != (const void*)(b), "%s is %s", #a, #b)
#define assert_int_equal(a, b) \
  CMOCKA_REQUIRE(CMOCKA_BITS(a) == CMOCKA_BITS(b), "%s is %#llx (%lld), not %#llx (%lld)", #a, CMOCKA_SHOW(a), CMOCKA_SHOW(b))
#define assert_int_not_equal(a, b) CMOCKA_REQUIRE(CMOCKA_BITS(a) != CMOCKA_BITS(b), "%s is %#llx (%lld)", #a, CMOCKA_SHOW(a))
#define assert_in_range(a, low, high) cmocka_range(__FILE__, __LINE__, #a, CMOCKA_BITS(a), CMOCKA_BITS(low), CMOCKA_BITS(high), 1)
#define assert_not_in_range(a, low, high) cmocka_range(__FILE__, __LINE__, #a, CMOCKA_BITS(a), CMOCKA_BITS(low), CMOCKA_BITS(high), 0)
#define assert_float_equal(a, b, e) cmocka_near(__FILE__, __LINE__, #a, (double)(a), (double)(b), (double)(e))
#define assert_string_equal(a, b) CMOCKA_REQUIRE(strcmp(a, b) == 0, "%s is \"%s\", not \"%s\"", #a, a, b)
#define assert_string_not_equal(a, b) CMOCKA_REQUIRE(strcmp(a, b) != 0, "%s is \"%s\"", #a, a)
#define assert_memory_equal(a, b, n) CMOCKA_REQUIRE(memcmp(a, b, n) == 0, "%s and %s differ", #a, #b)
#define assert_memory_not_equal(a, b, n) CMOCKA_REQUIRE(memcmp(a, b, n) != 0, "%s and %s are equal", #a, #b)
#define fail() cmocka_fail(__FILE__, __LINE__, "failed")
#define fail_msg(...) cmocka_fail(__FILE__, __LINE__, __VA_ARGS__)
#define skip() longjmp(cmocka_leave, CMOCKA_SKIPPED)

#define cmocka_unit_test(f) {#f, f, NULL, NULL, NULL}
#define cmocka_unit_test_setup(f, setup) {#f, f, setup, NULL, NULL}
#define cmocka_unit_test_teardown(f, teardown) {#f, f, NULL, teardown, NULL}
#define cmocka_unit_test_setup_teardown(f, setup, teardown) {#f, f, setup, teardown, NULL}
#define cmocka_unit_test_prestate(f, state) {#f, f, NULL, NULL, state}
#define cmocka_unit_test_prestate_setup_teardown(f, setup, teardown, state) {#f, f, setup, teardown, state}

CMOCKA_FUNCTION int cmocka_run(const struct CMUnitTest* tests, size_t n, CMFixtureFunction setup, CMFixtureFunction teardown) {
  static const char* const outcomes[] = {"ok", "FAILED", "skipped"};
  void* group_state = NULL;
  volatile int failed = 0;
  volatile size_t i;
  if (setup && setup(&group_state)) return (int)n;
  for (i = 0; i < n; i = i + 1) {
    void* state = tests[i].initial_state ? tests[i].initial_state : group_state;
    volatile int outcome = 0;
    if (tests[i].setup_func && tests[i].setup_func(&state)) {
      outcome = CMOCKA_FAILED;
    } else {
      outcome = setjmp(cmocka_leave);
      if (!outcome) tests[i].test_func(&state);
    }
    if (tests[i].teardown_func && tests[i].teardown_func(&state)) outcome = CMOCKA_FAILED;
    printf("%s: %s\n", tests[i].name, outcomes[outcome]);
    failed = failed + (outcome == CMOCKA_FAILED);
  }
  if (teardown && teardown(&group_state)) failed = failed + 1;
  return failed;
}

#define cmocka_run_group_tests(tests, setup, teardown) cmocka_run(tests, sizeof(tests) / sizeof *(tests), setup, teardown)
#define cmocka_run_group_tests_name(name, tests, setup, teardown) cmocka_run_group_tests(tests, setup, teardown)

#endif

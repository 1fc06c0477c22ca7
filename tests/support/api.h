/* What tests of the public interface share: cmocka and what it wants before it, and a fresh error. */
#ifndef TESTS_API_H
#define TESTS_API_H
#include <gsample/gsample.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define FRESH_ERROR {.size = sizeof(gsample_error)}

/* The message is in a language for people, but it must name what it is about. */
#define assert_names(error, text) \
  do { \
    if (!strstr((error).message, text)) fail_msg("\"%s\" does not name \"%s\"", (error).message, text); \
  } while (0)

#endif

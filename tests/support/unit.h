// What tests of the rooms share: cmocka, included last because it defines fail() as a macro, and the status that a call throws.
#pragma once

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/failure.h"

// The status and message of the Failure that call() throws; GSAMPLE_OK and "" where it throws none.
template <class Call>
gsample::Failure failure_of(Call call) {
  try {
    call();
  } catch (const gsample::Failure& failure) {
    return failure;
  }
  return {GSAMPLE_OK};
}

template <class Call>
int32_t status_of(Call call) {
  return failure_of(call).status;
}

extern "C" {
#include <cmocka.h>
}

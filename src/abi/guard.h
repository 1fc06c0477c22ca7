// What every entry point does around its call: nothing is thrown through the C ABI, the error is written where one is wanted, and the
// host's floating-point settings do not matter.
#pragma once

#include <algorithm>
#include <cstring>
#include <exception>

#include "abi/float_environment.h"
#include "base/failure.h"

namespace gsample {

// Fills as much of *error as its size covers. error may be NULL.
void write_error(gsample_error* error, const Failure& failure) noexcept;

template <class Call>
auto guarded(gsample_error* error, Call&& call) noexcept -> decltype(call()) {
  const FloatEnvironment environment;
  try {
    return call();
  } catch (const Failure& failure) {
    write_error(error, failure);
    return failure.status;
  } catch (const std::exception&) {
    // bad_alloc, or the length_error of a container that would pass all memory.
    const Failure failure{GSAMPLE_ERROR_OUT_OF_MEMORY, 0, 0, "out of memory"};
    write_error(error, failure);
    return failure.status;
  }
}

}  // namespace gsample

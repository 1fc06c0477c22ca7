// Version, target, status names and the text of errors.
#include <cstddef>

#include "abi/guard.h"
#include "base/sized.h"
#include "row/kernels.h"

#define GSAMPLE_STRING_(x) #x
#define GSAMPLE_STRING(x) GSAMPLE_STRING_(x)

namespace gsample {

void write_error(gsample_error* error, const Failure& failure) noexcept {
  if (!error) return;
  gsample_error out{};
  out.status = failure.status;
  out.line = failure.line;
  out.column = failure.column;
  std::memcpy(out.message, failure.message, sizeof out.message);
  constexpr size_t kMessage = offsetof(gsample_error, message);
  const size_t size = std::min<size_t>(error->size, sizeof out);
  if (size > kMessage) out.message[size - kMessage - 1] = '\0';
  export_struct(out, error);
}

}  // namespace gsample

uint32_t gsample_version(void) { return GSAMPLE_VERSION_NUMBER; }

const char* gsample_version_string(void) {
  return GSAMPLE_STRING(GSAMPLE_VERSION_MAJOR) "." GSAMPLE_STRING(GSAMPLE_VERSION_MINOR) "." GSAMPLE_STRING(GSAMPLE_VERSION_PATCH);
}

const char* gsample_status_name(int32_t status) {
  switch (status) {
    case GSAMPLE_OK: return "OK";
    case GSAMPLE_ERROR_INVALID_ARGUMENT: return "INVALID_ARGUMENT";
    case GSAMPLE_ERROR_OUT_OF_MEMORY: return "OUT_OF_MEMORY";
    case GSAMPLE_ERROR_NO_CANDIDATE: return "NO_CANDIDATE";
    case GSAMPLE_ERROR_NOT_A_NUMBER: return "NOT_A_NUMBER";
    case GSAMPLE_ERROR_REFUSED: return "REFUSED";
    case GSAMPLE_ERROR_INEXACT: return "INEXACT";
    case GSAMPLE_ERROR_SYNTAX: return "SYNTAX";
    case GSAMPLE_ERROR_UNSUPPORTED: return "UNSUPPORTED";
    case GSAMPLE_ERROR_FORMAT: return "FORMAT";
    case GSAMPLE_ERROR_LIMIT: return "LIMIT";
    case GSAMPLE_ERROR_BUFFER: return "BUFFER";
    case GSAMPLE_ERROR_IO: return "IO";
    case GSAMPLE_ERROR_CALLBACK: return "CALLBACK";
    default: return status > 0 ? "OK" : "UNKNOWN";
  }
}

const char* gsample_target(void) { return gsample::kernels().name; }

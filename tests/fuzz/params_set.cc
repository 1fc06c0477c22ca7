// Any text as lines of key=value: each is refused and nothing moves, or every range holds afterwards and the description reads back to
// the same bits.
#include <cstring>
#include <string>

#include "fuzz.h"
#include "params/params.h"

namespace {

// 0 where the description reads back; only memory may be short.
int32_t read_back(const gsample_params& params) {
  char text[8192];
  int64_t size = gsample_params_describe(&params, text, sizeof text);
  if (size == GSAMPLE_ERROR_OUT_OF_MEMORY) return static_cast<int32_t>(size);
  REQUIRE(size > 0);
  gsample_params back = params;
  std::memset(reinterpret_cast<char*>(&back) + sizeof back.size, 0x55, sizeof back - sizeof back.size);
  for (char* at = text; at;) {
    char* end = std::strchr(at, ' ');
    if (end) *end++ = '\0';
    char* value = std::strchr(at, '=');
    REQUIRE(value);
    *value++ = '\0';
    int32_t status = gsample_params_set(&back, at, value, nullptr);
    if (status == GSAMPLE_ERROR_OUT_OF_MEMORY) return status;
    REQUIRE(status == GSAMPLE_OK);
    at = end;
  }
  REQUIRE(std::memcmp(&back, &params, sizeof back) == 0);
  return 0;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gsample_params params = {};
  params.size = sizeof params;
  gsample_params_init(&params);
  std::string lines(reinterpret_cast<const char*>(data), size);
  for (size_t at = 0; at < lines.size();) {
    size_t end = std::min(lines.find('\n', at), lines.size());
    std::string line = lines.substr(at, end - at);
    at = end + 1;
    size_t equals = line.find('=');
    if (equals == std::string::npos) continue;
    gsample_params before = params;
    gsample_error error = {};
    error.size = sizeof error;
    int32_t status = gsample_params_set(&params, line.substr(0, equals).c_str(), line.c_str() + equals + 1, &error);
    if (status == GSAMPLE_OK && read_back(params) == 0) continue;
    REQUIRE(status == GSAMPLE_OK || (error.status == status && error.message[0]));
    if (status != GSAMPLE_OK) REQUIRE(std::memcmp(&params, &before, sizeof params) == 0);
  }
  // Whatever was set, only what concerns several fields can be wrong, and asking for what is wrong is safe.
  try {
    gsample::validate_params(params);
  } catch (const gsample::Failure& failure) {
    REQUIRE(std::strstr(failure.message, "but order has no"));
  }
  return 0;
}

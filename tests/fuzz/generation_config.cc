// Any text as a generation_config.json: it is refused and nothing moves, or it leaves params of which a sampler can be made.
#include <cstring>

#include "fuzz.h"
#include "params/params.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  gsample_params params = {};
  params.size = sizeof params;
  gsample_params_init(&params);
  gsample_params before = params;
  gsample_error error = {};
  error.size = sizeof error;
  int32_t status = gsample_params_from_generation_config(&params, reinterpret_cast<const char*>(data), size, &error);
  REQUIRE(error.status == status && (status == 0) == (error.message[0] == '\0'));
  if (status < 0) REQUIRE(std::memcmp(&params, &before, sizeof params) == 0);
  else gsample::validate_params(params);
  return 0;
}

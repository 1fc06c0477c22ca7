// Any bytes as a GGUF file: they are refused, or everything in them can be read; and what the file sets leaves params of which a
// sampler can be made.
#include "files/gguf.h"

#include <cstring>

#include "fuzz.h"
#include "params/params.h"

volatile uint64_t sink;  // what is read is wanted, so that no reading is left out

namespace {

uint64_t read_everything(const gsample::GgufValue& value) {
  uint64_t sum = value.key.size();
  for (char c : value.key) sum += static_cast<uint8_t>(c);
  if (value.is_string())
    for (std::string_view text : value.strings())
      for (char c : text) sum += static_cast<uint8_t>(c);
  if (value.is_number() || value.is_boolean())
    for (uint64_t i = 0; i < value.count; i++) {
      sum += static_cast<uint64_t>(value.integer(i)) + (value.real(i) > 0);
      sum += std::strlen(value.number_text(i).text);
    }
  return sum;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  uint64_t sum = 0;
  try {
    gsample::Gguf file = gsample::Gguf::parse(data, size);
    for (const gsample::GgufValue& value : file.values()) sum += read_everything(value);
  } catch (const gsample::Failure& failure) {
    REQUIRE(failure.status < 0 && failure.message[0]);
  }
  sink = sum;

  gsample_params params = {};
  params.size = sizeof params;
  gsample_params_init(&params);
  gsample_params before = params;
  gsample_error error = {};
  error.size = sizeof error;
  int32_t status = gsample_params_from_gguf(&params, data, size, &error);
  if (!data) return 0;
  REQUIRE(error.status == status && (status == 0) == (error.message[0] == '\0'));
  if (status < 0) REQUIRE(std::memcmp(&params, &before, sizeof params) == 0);
  else gsample::validate_params(params);
  return 0;
}

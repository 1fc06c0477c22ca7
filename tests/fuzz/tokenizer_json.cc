// Any bytes as a tokenizer.json: refused, or a vocabulary whose every token can be read.
#include <gsample/gsample.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (!data) return 0;
  gsample_vocab* vocab = nullptr;
  gsample_error error = {};
  error.size = sizeof error;
  int32_t status = gsample_vocab_from_tokenizer_json(reinterpret_cast<const char*>(data), size, 4096, &vocab, &error);
  REQUIRE((status == 0) == (vocab != nullptr) && (status == 0) == (error.message[0] == '\0'));
  for (int32_t token = 0; vocab && token < 4096; token++) {
    const uint8_t* bytes;
    size_t n;
    REQUIRE(gsample_vocab_bytes(vocab, token, &bytes, &n) == 0);
    if (n) REQUIRE(bytes[0] + bytes[n - 1] >= 0);
  }
  gsample_vocab_free(vocab);
  return 0;
}

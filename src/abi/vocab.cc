// Vocabularies: made from a description or a file, asked for a token's bytes, counted.
#include "abi/vocab.h"

#include <cstring>

#include "abi/guard.h"
#include "base/limits.h"
#include "base/sized.h"
#include "files/gguf_vocab.h"
#include "files/tokenizer_json.h"

using namespace gsample;

namespace {

VocabData import_desc(const gsample_vocab_desc* caller) {
  gsample_vocab_desc desc = import_struct(caller, "gsample_vocab_desc");
  if (desc.reserved) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_vocab_desc: reserved is not 0");
  if (!desc.offsets) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_vocab_desc: offsets is NULL");
  if (desc.n_vocab == 0 || desc.n_vocab > limits::vocab_tokens)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_vocab_desc: n_vocab is %u, not 1..%u", desc.n_vocab, limits::vocab_tokens);
  if (desc.n_tokens > desc.n_vocab)
    fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_vocab_desc: n_tokens is %u, more than n_vocab %u", desc.n_tokens, desc.n_vocab);
  VocabData data{desc.n_vocab, desc.n_tokens, {}, {}, {}};
  data.offsets.assign(desc.offsets, desc.offsets + desc.n_tokens + 1);
  for (uint32_t token = 0; token < desc.n_tokens; token++)
    if (data.offsets[token + 1] < data.offsets[token])
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_vocab_desc: offsets fall behind token %u", token);
  uint64_t first = data.offsets[0], n = data.offsets.back() - first;
  if (n && !desc.bytes) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_vocab_desc: bytes is NULL");
  if (n > limits::vocab_bytes) fail(GSAMPLE_ERROR_LIMIT, "gsample_vocab_desc: the tokens have more than %zu bytes", limits::vocab_bytes);
  if (n) data.bytes.assign(desc.bytes + first, desc.bytes + first + n);
  for (uint64_t& offset : data.offsets) offset -= first;
  data.kinds.assign(desc.n_tokens, GSAMPLE_TOKEN_TEXT);
  for (uint32_t token = 0; desc.kinds && token < desc.n_tokens; token++) {
    if (desc.kinds[token] > GSAMPLE_TOKEN_UNUSED)
      fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "gsample_vocab_desc: kinds[%u] is %u, not 0..%d", token, desc.kinds[token],
           GSAMPLE_TOKEN_UNUSED);
    data.kinds[token] = desc.kinds[token];
  }
  return data;
}

template <class Read>
int32_t make(gsample_vocab** vocab, gsample_error* error, const Read& read) {
  return guarded(error, [&]() -> int32_t {
    if (!vocab) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "vocab is NULL");
    *vocab = new gsample_vocab(read());
    return GSAMPLE_OK;
  });
}

void need(const void* pointer, const char* name) {
  if (!pointer) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "%s is NULL", name);
}

}  // namespace

int32_t gsample_vocab_new(const gsample_vocab_desc* desc, gsample_vocab** vocab, gsample_error* error) {
  return make(vocab, error, [&] { return import_desc(desc); });
}

int32_t gsample_vocab_from_gguf(const void* data, size_t n, uint32_t n_vocab, gsample_vocab** vocab, gsample_error* error) {
  return make(vocab, error, [&] {
    need(data, "data");
    return vocab_from_gguf(Gguf::parse(data, n), n_vocab);
  });
}

int32_t gsample_vocab_from_gguf_file(const char* path, uint32_t n_vocab, gsample_vocab** vocab, gsample_error* error) {
  return make(vocab, error, [&] {
    need(path, "path");
    return vocab_from_gguf(Gguf::read_file(path), n_vocab);
  });
}

int32_t gsample_vocab_from_tokenizer_json(const char* json, size_t n, uint32_t n_vocab, gsample_vocab** vocab, gsample_error* error) {
  return make(vocab, error, [&] {
    need(json, "json");
    return vocab_from_tokenizer_json({json, n}, n_vocab);
  });
}

int32_t gsample_vocab_set_stop(gsample_vocab* vocab, const int32_t* tokens, size_t n) {
  return guarded(nullptr, [&]() -> int32_t {
    if (!vocab || (n && !tokens) || vocab->used.load(std::memory_order_acquire) || n > vocab->vocab.n_vocab())
      return GSAMPLE_ERROR_INVALID_ARGUMENT;
    vocab->vocab.set_stops({tokens, n});
    return GSAMPLE_OK;
  });
}

int32_t gsample_vocab_bytes(const gsample_vocab* vocab, int32_t token, const uint8_t** bytes, size_t* n) {
  if (!vocab || !bytes || !n || !vocab->vocab.is_token(token)) return GSAMPLE_ERROR_INVALID_ARGUMENT;
  std::string_view text;
  if (static_cast<uint32_t>(token) < vocab->vocab.n_tokens()) text = vocab->vocab.bytes(static_cast<uint32_t>(token));
  *bytes = reinterpret_cast<const uint8_t*>(text.data());
  *n = text.size();
  return GSAMPLE_OK;
}

int64_t gsample_vocab_stops(const gsample_vocab* vocab, int32_t* tokens, size_t capacity) {
  if (!vocab || (capacity && !tokens)) return GSAMPLE_ERROR_INVALID_ARGUMENT;
  std::span<const int32_t> stops = vocab->vocab.stops();
  if (capacity == 0) return static_cast<int64_t>(stops.size());
  if (capacity < stops.size()) return GSAMPLE_ERROR_BUFFER;
  std::copy(stops.begin(), stops.end(), tokens);
  return static_cast<int64_t>(stops.size());
}

gsample_vocab* gsample_vocab_retain(gsample_vocab* vocab) {
  if (vocab) vocab->references.fetch_add(1, std::memory_order_relaxed);
  return vocab;
}

void gsample_vocab_free(gsample_vocab* vocab) {
  if (vocab && vocab->references.fetch_sub(1, std::memory_order_acq_rel) == 1) delete vocab;
}

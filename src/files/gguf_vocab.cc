// Keys: ggml's docs/gguf.md; token types: llama.h's llama_token_attr as gguf-py's TokenType numbers them.
#include "files/gguf_vocab.h"

#include <string>

#include "base/limits.h"
#include "files/token_text.h"

namespace gsample {

namespace {

enum TokenType : int64_t { normal = 1, unknown = 2, control = 3, user_defined = 4, unused = 5, byte = 6 };

const GgufValue& need(const Gguf& file, std::string_view key, bool array) {
  const GgufValue* value = file.find(key);
  if (!value) fail(GSAMPLE_ERROR_FORMAT, "%.*s is missing", static_cast<int>(key.size()), key.data());
  if (value->is_array != array)
    fail(GSAMPLE_ERROR_FORMAT, "%.*s is %san array", static_cast<int>(key.size()), key.data(), array ? "not " : "");
  return *value;
}

}  // namespace

VocabData vocab_from_gguf(const Gguf& file, uint32_t n_vocab) {
  const GgufValue& model = need(file, "tokenizer.ggml.model", false);
  if (!model.is_string()) fail(GSAMPLE_ERROR_FORMAT, "tokenizer.ggml.model is not a string");
  std::string_view name = model.string();
  bool byte_level = name == "gpt2", sentencepiece = name == "llama";
  if (!byte_level && !sentencepiece)
    fail(GSAMPLE_ERROR_UNSUPPORTED, "tokenizer.ggml.model is \"%.*s\"; gpt2 (byte-level BPE) and llama (SentencePiece) are read",
         static_cast<int>(std::min<size_t>(name.size(), 60)), name.data());

  const GgufValue& tokens = need(file, "tokenizer.ggml.tokens", true);
  if (!tokens.is_string()) fail(GSAMPLE_ERROR_FORMAT, "tokenizer.ggml.tokens is not an array of strings");
  if (tokens.count > limits::vocab_tokens)
    fail(GSAMPLE_ERROR_LIMIT, "tokenizer.ggml.tokens has more than %u elements", limits::vocab_tokens);
  uint32_t n = static_cast<uint32_t>(tokens.count);
  if (n_vocab == 0) n_vocab = n;
  if (n_vocab < n) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is %u, the file has %u tokens", n_vocab, n);

  const GgufValue* types = file.find("tokenizer.ggml.token_type");
  if (types && (!types->is_array || !types->is_integer() || types->count != n))
    fail(GSAMPLE_ERROR_FORMAT, "tokenizer.ggml.token_type is not an array of %u integers", n);

  VocabData data{n_vocab, n, {}, {0}, {}};
  data.kinds.reserve(n);
  data.offsets.reserve(n + size_t{1});
  std::string bytes;
  uint32_t id = 0;
  for (std::string_view text : tokens.strings()) {
    int64_t type = types ? types->integer(id) : normal;
    uint8_t kind = type == control || type == unknown ? GSAMPLE_TOKEN_CONTROL : type == unused ? GSAMPLE_TOKEN_UNUSED : GSAMPLE_TOKEN_TEXT;
    uint8_t single;
    if (kind != GSAMPLE_TOKEN_TEXT || type == user_defined) {
      bytes = text;
    } else if (sentencepiece && is_byte_token(text, single) && (type == byte || !types)) {
      bytes.assign(1, static_cast<char>(single));
    } else if (sentencepiece) {
      decode_sentencepiece(text, bytes);
    } else if (!decode_byte_level(text, bytes)) {
      bytes = text;  // added tokens are written as they are
    }
    data.bytes.insert(data.bytes.end(), bytes.begin(), bytes.end());
    data.offsets.push_back(data.bytes.size());
    data.kinds.push_back(kind);
    id++;
  }
  for (const char* key : {"tokenizer.ggml.eos_token_id", "tokenizer.ggml.eot_token_id", "tokenizer.ggml.eom_token_id"}) {
    const GgufValue* stop = file.find(key);
    if (!stop) continue;
    if (stop->is_array || !stop->is_integer()) fail(GSAMPLE_ERROR_FORMAT, "%s is not an integer", key);
    int64_t token = stop->integer();
    if (token < 0 || token >= n) fail(GSAMPLE_ERROR_FORMAT, "%s is not in 0..%u", key, n ? n - 1 : 0);
    data.kinds[static_cast<size_t>(token)] = GSAMPLE_TOKEN_STOP;
  }
  return data;
}

}  // namespace gsample

// The file is read as a stream of events (merges alone can be larger than the vocabulary), of which a few places are kept:
// the format is that of the Rust crate `tokenizers`.
#include "files/tokenizer_json.h"

#define JSON_NO_IO 1
#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "base/limits.h"
#include "files/json_place.h"
#include "files/token_text.h"

namespace gsample {

namespace {

using nlohmann::json;

// What is kept of the file.
struct Kept {
  struct Token {
    std::string text;
    bool present = false, added = false, special = false;
  };
  std::string model;        // model.type
  bool byte_level = false;  // a ByteLevel among the decoders or pre-tokenizers
  bool spaced = false;      // Metaspace, or a replacement of U+2581
  bool byte_fallback = false;
  bool word_piece = false;    // a decoder of continued words
  std::vector<Token> tokens;  // by id
  uint64_t most = 0;          // ids are below it

  Token& at(uint64_t id) {
    if (id >= most)
      fail(GSAMPLE_ERROR_LIMIT, "tokenizer.json: a token has id %llu, not below %llu", static_cast<unsigned long long>(id),
           static_cast<unsigned long long>(most));
    if (id >= tokens.size()) tokens.resize(static_cast<size_t>(id) + 1);
    return tokens[static_cast<size_t>(id)];
  }
  void set(uint64_t id, const std::string& text) {
    Token& token = at(id);
    if (token.present && token.text != text)
      fail(GSAMPLE_ERROR_FORMAT, "tokenizer.json: two tokens have id %llu", static_cast<unsigned long long>(id));
    token.present = true;
    token.text = text;
  }
};

class Reader final : public json::json_sax_t {
 public:
  Kept kept;

  explicit Reader(std::string_view text) : text_(text) {
    kept.most = std::max(limits::sparse_ids, std::min<uint64_t>(text.size(), limits::vocab_tokens));
  }

  bool null() override { return value(); }
  bool boolean(bool b) override {
    if (in("added_tokens") && depth() == 3 && name() == "special") special_ = b;
    if (in("model") && depth() == 2 && name() == "byte_fallback") kept.byte_fallback = b;
    return value();
  }
  bool number_integer(int64_t n) override {
    if (wants_id()) fail(GSAMPLE_ERROR_FORMAT, "tokenizer.json: a token has id %lld", static_cast<long long>(n));
    return value();
  }
  bool number_unsigned(uint64_t n) override {
    if (in("model") && depth() == 3 && at(1) == "vocab" && levels_[2].is_object) kept.set(n, levels_[2].name);
    if (in("added_tokens") && depth() == 3 && name() == "id") id_ = n, has_id_ = true;
    return value();
  }
  bool number_float(double, const std::string&) override { return value(); }
  bool string(std::string& s) override {
    if (in("model") && depth() == 2 && name() == "type") kept.model = s;
    // Unigram: a list of [token, score].
    if (in("model") && depth() == 4 && at(1) == "vocab" && !levels_[2].is_object && levels_[3].count == 0) kept.set(levels_[2].count, s);
    if (in("added_tokens") && depth() == 3 && name() == "content") content_ = s;
    if ((in("decoder") || in("pre_tokenizer") || in("normalizer")) && levels_.back().is_object && name() == "type") {
      kept.byte_level |= s == "ByteLevel";
      kept.spaced |= s == "Metaspace";
      kept.word_piece |= s == "WordPiece";
    }
    if ((in("decoder") || in("normalizer")) && s == "\xe2\x96\x81") kept.spaced = true;
    return value();
  }
  bool binary(json::binary_t&) override { return value(); }
  bool start_object(size_t) override { return open(true); }
  bool key(std::string& s) override {
    levels_.back().name = s;
    return true;
  }
  bool end_object() override {
    if (in("added_tokens") && depth() == 3) {
      if (!has_id_) fail(GSAMPLE_ERROR_FORMAT, "tokenizer.json: an added token has no id");
      kept.set(id_, content_);
      kept.at(id_).added = true;
      kept.at(id_).special = special_;
      has_id_ = special_ = false;
      content_.clear();
    }
    return close();
  }
  bool start_array(size_t) override { return open(false); }
  bool end_array() override { return close(); }
  bool parse_error(size_t behind, const std::string&, const nlohmann::detail::exception&) override {
    refuse_json("tokenizer.json", text_, behind);
  }

 private:
  struct Level {
    bool is_object;
    std::string name;    // of the member being read
    uint64_t count = 0;  // values so far
  };

  size_t depth() const { return levels_.size(); }
  const std::string& name() const { return levels_.back().name; }
  const std::string& at(size_t level) const { return levels_[level].name; }
  bool in(const char* section) const { return !levels_.empty() && levels_[0].is_object && levels_[0].name == section; }
  bool wants_id() const {
    return (in("model") && depth() == 3 && at(1) == "vocab" && levels_[2].is_object) ||
           (in("added_tokens") && depth() == 3 && name() == "id");
  }
  bool value() {
    if (!levels_.empty()) levels_.back().count++;
    return true;
  }
  bool open(bool is_object) {
    if (depth() >= static_cast<size_t>(limits::json_depth))
      fail(GSAMPLE_ERROR_LIMIT, "tokenizer.json nests deeper than %d", limits::json_depth);
    levels_.push_back({is_object, {}, 0});
    return true;
  }
  bool close() {
    levels_.pop_back();
    return value();
  }

  std::string_view text_;
  std::vector<Level> levels_;
  std::string content_;
  uint64_t id_ = 0;
  bool has_id_ = false, special_ = false;
};

}  // namespace

VocabData vocab_from_tokenizer_json(std::string_view text, uint32_t n_vocab) {
  if (text.size() > limits::tokenizer_json_bytes)
    fail(GSAMPLE_ERROR_LIMIT, "tokenizer.json has %zu bytes, more than %zu", text.size(), limits::tokenizer_json_bytes);
  Reader reader(text);
  json::sax_parse(text.begin(), text.end(), &reader);
  Kept& kept = reader.kept;
  // Old files leave the type out; they are BPE.
  if (!kept.model.empty() && kept.model != "BPE" && kept.model != "Unigram")
    fail(GSAMPLE_ERROR_UNSUPPORTED, "tokenizer.json: model.type is \"%.60s\"; BPE and Unigram are read", kept.model.c_str());
  if (kept.word_piece || (!kept.byte_level && !kept.spaced && !kept.byte_fallback))
    fail(GSAMPLE_ERROR_UNSUPPORTED, "tokenizer.json: the tokens are neither byte-level nor SentencePiece's");
  if (kept.tokens.empty()) fail(GSAMPLE_ERROR_FORMAT, "tokenizer.json: no tokens");
  uint32_t n = static_cast<uint32_t>(kept.tokens.size());
  if (n_vocab == 0) n_vocab = n;
  if (n_vocab < n) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab is %u, the file has %u tokens", n_vocab, n);

  VocabData data{n_vocab, n, {}, {0}, {}};
  data.offsets.reserve(n + size_t{1});
  data.kinds.reserve(n);
  std::string bytes;
  for (const Kept::Token& token : kept.tokens) {
    uint8_t single;
    if (token.added) bytes = token.text;
    else if (kept.byte_level) {
      if (!decode_byte_level(token.text, bytes)) bytes = token.text;
    } else if (is_byte_token(token.text, single) && kept.byte_fallback) bytes.assign(1, static_cast<char>(single));
    else decode_sentencepiece(token.text, bytes);
    data.bytes.insert(data.bytes.end(), bytes.begin(), bytes.end());
    data.offsets.push_back(data.bytes.size());
    data.kinds.push_back(!token.present ? GSAMPLE_TOKEN_UNUSED : token.special ? GSAMPLE_TOKEN_CONTROL : GSAMPLE_TOKEN_TEXT);
  }
  return data;
}

}  // namespace gsample

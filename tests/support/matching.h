// Handles of the grammar section of the public interface, for tests: made from text, freed by themselves, refusing to go on when a call
// that must succeed fails.
#pragma once

#include <gsample/gsample.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace matching {

struct Free {
  void operator()(gsample_vocab* v) const { gsample_vocab_free(v); }
  void operator()(gsample_grammar* g) const { gsample_grammar_free(g); }
  void operator()(gsample_matcher* m) const { gsample_matcher_free(m); }
};
using Vocab = std::unique_ptr<gsample_vocab, Free>;
using Grammar = std::unique_ptr<gsample_grammar, Free>;
using Matcher = std::unique_ptr<gsample_matcher, Free>;

[[noreturn]] inline void die(const char* what, const std::string& about, int32_t status, const gsample_error* error = nullptr) {
  fprintf(stderr, "%s: status %d %s\n%s\n", what, status, error ? error->message : "", about.c_str());
  abort();
}

inline gsample_error fresh_error() {
  gsample_error error = {};
  error.size = sizeof error;
  return error;
}

// Tokens as texts; kinds may be empty (all text). n_vocab 0: as many as there are.
inline Vocab make_vocab(const std::vector<std::string>& tokens, const std::vector<uint8_t>& kinds = {}, uint32_t n_vocab = 0) {
  std::string bytes;
  std::vector<uint64_t> offsets{0};
  for (const std::string& token : tokens) bytes += token, offsets.push_back(bytes.size());
  gsample_vocab_desc desc = {};
  desc.size = sizeof desc;
  desc.n_tokens = static_cast<uint32_t>(tokens.size());
  desc.n_vocab = n_vocab ? n_vocab : desc.n_tokens;
  desc.bytes = reinterpret_cast<const uint8_t*>(bytes.data());
  desc.offsets = offsets.data();
  desc.kinds = kinds.empty() ? nullptr : kinds.data();
  gsample_vocab* out = nullptr;
  gsample_error error = fresh_error();
  if (int32_t status = gsample_vocab_new(&desc, &out, &error)) die("gsample_vocab_new", "", status, &error);
  return Vocab(out);
}

inline int32_t try_gbnf(gsample_vocab* vocab, std::string_view text, Grammar& out, gsample_error& error, const char* root = nullptr) {
  gsample_grammar* grammar = nullptr;
  error = fresh_error();
  int32_t status = gsample_grammar_from_gbnf(vocab, text.data(), text.size(), root, &grammar, &error);
  out.reset(grammar);
  return status;
}

inline int32_t try_regex(gsample_vocab* vocab, std::string_view text, Grammar& out, gsample_error& error) {
  gsample_grammar* grammar = nullptr;
  error = fresh_error();
  int32_t status = gsample_grammar_from_regex(vocab, text.data(), text.size(), &grammar, &error);
  out.reset(grammar);
  return status;
}

inline Grammar gbnf(const Vocab& vocab, std::string_view text) {
  Grammar out;
  gsample_error error;
  if (int32_t status = try_gbnf(vocab.get(), text, out, error)) die("gsample_grammar_from_gbnf", std::string(text), status, &error);
  return out;
}

inline Grammar regex(const Vocab& vocab, std::string_view text) {
  Grammar out;
  gsample_error error;
  if (int32_t status = try_regex(vocab.get(), text, out, error)) die("gsample_grammar_from_regex", std::string(text), status, &error);
  return out;
}

inline Matcher start(const Grammar& grammar) {
  gsample_matcher* out = nullptr;
  if (int32_t status = gsample_matcher_new(grammar.get(), &out)) die("gsample_matcher_new", "", status);
  return Matcher(out);
}

inline Matcher clone(const Matcher& matcher) {
  gsample_matcher* out = nullptr;
  if (int32_t status = gsample_matcher_clone(matcher.get(), &out)) die("gsample_matcher_clone", "", status);
  return Matcher(out);
}

inline std::vector<uint32_t> mask_words(const Matcher& matcher, size_t n_vocab) {
  std::vector<uint32_t> words((n_vocab + 31) / 32, 0xdeadbeef);
  if (int32_t status = gsample_matcher_mask(matcher.get(), words.data(), words.size())) die("gsample_matcher_mask", "", status);
  return words;
}

inline std::vector<int32_t> allowed_tokens(const Matcher& matcher, size_t n_vocab) {
  std::vector<uint32_t> words = mask_words(matcher, n_vocab);
  std::vector<int32_t> out;
  for (size_t i = 0; i < n_vocab; i++)
    if (words[i / 32] >> i % 32 & 1) out.push_back(static_cast<int32_t>(i));
  return out;
}

}  // namespace matching

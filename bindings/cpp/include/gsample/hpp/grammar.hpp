// Vocabulary, grammar and matcher of gsample.hpp.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "result.hpp"

namespace gsample {

class Vocab {
 public:
  Vocab(Vocab&&) noexcept = default;
  Vocab& operator=(Vocab&&) noexcept = default;
  Vocab(const Vocab& other) : handle_(other.handle_ ? gsample_vocab_retain(other.get()) : nullptr) {}
  Vocab& operator=(const Vocab& other) { return *this = Vocab(other); }

  // offsets has one entry more than there are tokens; kinds may be empty: all text. n_vocab 0: as wide as the list.
  static Result<Vocab> make(std::span<const uint8_t> bytes, std::span<const uint64_t> offsets, std::span<const uint8_t> kinds = {},
                            uint32_t n_vocab = 0) {
    gsample_vocab_desc desc = {};
    desc.size = sizeof desc;
    desc.n_tokens = static_cast<uint32_t>(offsets.empty() ? 0 : offsets.size() - 1);
    desc.n_vocab = n_vocab ? n_vocab : desc.n_tokens;
    desc.bytes = bytes.data(), desc.offsets = offsets.data(), desc.kinds = kinds.empty() ? nullptr : kinds.data();
    bool fits = !offsets.empty() && offsets.back() <= bytes.size() && (kinds.empty() || kinds.size() == desc.n_tokens);
    if (!fits) return Error{GSAMPLE_ERROR_INVALID_ARGUMENT, 0, 0, "offsets, bytes and kinds do not belong together"};
    return made([&](gsample_vocab** out, gsample_error* e) { return gsample_vocab_new(&desc, out, e); });
  }
  static Result<Vocab> from_gguf(std::span<const std::byte> data, uint32_t n_vocab = 0) {
    return made([&](gsample_vocab** out, gsample_error* e) { return gsample_vocab_from_gguf(data.data(), data.size(), n_vocab, out, e); });
  }
  static Result<Vocab> from_gguf_file(const char* path, uint32_t n_vocab = 0) {
    return made([&](gsample_vocab** out, gsample_error* e) { return gsample_vocab_from_gguf_file(path, n_vocab, out, e); });
  }
  static Result<Vocab> from_tokenizer_json(std::string_view json, uint32_t n_vocab = 0) {
    return made([&](gsample_vocab** out, gsample_error* e) {
      return gsample_vocab_from_tokenizer_json(json.data(), json.size(), n_vocab, out, e);
    });
  }

  Result<void> set_stop(std::span<const int32_t> tokens) {
    return detail::done(gsample_vocab_set_stop(get(), tokens.data(), tokens.size()));
  }
  // Valid as long as the vocabulary.
  Result<std::string_view> bytes(int32_t token) const {
    const uint8_t* text = nullptr;
    size_t n = 0;
    if (int32_t status = gsample_vocab_bytes(get(), token, &text, &n); status < 0) return detail::failure(status);
    return std::string_view(reinterpret_cast<const char*>(text), n);
  }
  Result<std::vector<int32_t>> stops() const {
    return detail::fetch<std::vector<int32_t>>([&](int32_t* out, size_t n) { return gsample_vocab_stops(get(), out, n); });
  }
  gsample_vocab* get() const noexcept { return handle_.get(); }

 private:
  explicit Vocab(gsample_vocab* handle) : handle_(handle) {}
  template <class Call>
  static Result<Vocab> made(Call&& call) {
    detail::Words words;
    gsample_vocab* handle = nullptr;
    if (int32_t status = call(&handle, &words); status < 0) return words.failure(status);
    return Vocab(handle);
  }
  detail::Handle<gsample_vocab, gsample_vocab_free> handle_;
};

class Grammar {
 public:
  Grammar(Grammar&&) noexcept = default;
  Grammar& operator=(Grammar&&) noexcept = default;
  Grammar(const Grammar& other) : handle_(other.handle_ ? gsample_grammar_retain(other.get()) : nullptr) {}
  Grammar& operator=(const Grammar& other) { return *this = Grammar(other); }

  static Result<Grammar> from_gbnf(const Vocab& vocab, std::string_view text, const char* root = nullptr) {
    return made([&](gsample_grammar** out, gsample_error* e) {
      return gsample_grammar_from_gbnf(vocab.get(), text.data(), text.size(), root, out, e);
    });
  }
  static Result<Grammar> from_regex(const Vocab& vocab, std::string_view text) {
    return made(
        [&](gsample_grammar** out, gsample_error* e) { return gsample_grammar_from_regex(vocab.get(), text.data(), text.size(), out, e); });
  }
  Result<void> warm() { return detail::done(gsample_grammar_warm(get())); }
  gsample_grammar* get() const noexcept { return handle_.get(); }

 private:
  explicit Grammar(gsample_grammar* handle) : handle_(handle) {}
  template <class Call>
  static Result<Grammar> made(Call&& call) {
    detail::Words words;
    gsample_grammar* handle = nullptr;
    if (int32_t status = call(&handle, &words); status < 0) return words.failure(status);
    return Grammar(handle);
  }
  detail::Handle<gsample_grammar, gsample_grammar_free> handle_;
};

class Matcher {
 public:
  static Result<Matcher> make(const Grammar& grammar) {
    gsample_matcher* handle = nullptr;
    if (int32_t status = gsample_matcher_new(grammar.get(), &handle); status < 0) return detail::failure(status);
    return Matcher(handle);
  }
  Result<Matcher> clone() const {
    gsample_matcher* copy = nullptr;
    if (int32_t status = gsample_matcher_clone(get(), &copy); status < 0) return detail::failure(status);
    return Matcher(copy);
  }
  Result<void> reset() { return detail::done(gsample_matcher_reset(get())); }
  Result<bool> allows(int32_t token) const { return detail::predicate(gsample_matcher_allows(get(), token)); }
  Result<bool> can_stop() const { return detail::predicate(gsample_matcher_can_stop(get())); }
  Result<void> accept(int32_t token) { return detail::done(gsample_matcher_accept(get(), token)); }
  Result<void> rollback(size_t n) { return detail::done(gsample_matcher_rollback(get(), n)); }
  Result<void> mask(std::span<uint32_t> words) { return detail::done(gsample_matcher_mask(get(), words.data(), words.size())); }
  gsample_matcher* get() const noexcept { return handle_.get(); }
  gsample_matcher* release() noexcept { return handle_.release(); }

 private:
  explicit Matcher(gsample_matcher* handle) : handle_(handle) {}
  detail::Handle<gsample_matcher, gsample_matcher_free> handle_;
};

}  // namespace gsample

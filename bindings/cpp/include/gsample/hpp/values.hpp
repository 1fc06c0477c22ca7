// Plain values of gsample.hpp: version, parameters, rows.
// SPDX-License-Identifier: MIT
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "result.hpp"

namespace gsample {

inline uint32_t version() noexcept { return gsample_version(); }
inline const char* version_string() noexcept { return gsample_version_string(); }
inline const char* status_name(int32_t status) noexcept { return gsample_status_name(status); }
inline const char* target() noexcept { return gsample_target(); }
inline const gsample_api* api(uint32_t abi_major = GSAMPLE_ABI_MAJOR) noexcept { return gsample_get_api(abi_major); }

// How many settings of a file were not honoured, and their names.
struct Report {
  int32_t left_out = 0;
  std::string message;
};

// gsample_params with its size set and the defaults in.
struct Params : gsample_params {
  Params() : gsample_params{} {
    size = sizeof(gsample_params);
    gsample_params_init(this);
  }
  static Result<Params> named(const char* preset) {
    Params out;
    if (auto result = out.preset(preset); !result) return result.error();
    return out;
  }
  Result<void> preset(const char* name) {
    detail::Words words;
    return detail::done(gsample_params_preset(this, name, &words), words);
  }
  Result<void> set(const char* key, const char* value) {
    detail::Words words;
    return detail::done(gsample_params_set(this, key, value, &words), words);
  }
  Result<std::string> describe() const {
    auto text = detail::fetch<std::string>([&](char* out, size_t n) { return gsample_params_describe(this, out, n); });
    if (text) text->pop_back();  // the NUL
    return text;
  }
  Result<Report> from_gguf(std::span<const std::byte> data) {
    return read([&](gsample_error* e) { return gsample_params_from_gguf(this, data.data(), data.size(), e); });
  }
  Result<Report> from_gguf_file(const char* path) {
    return read([&](gsample_error* e) { return gsample_params_from_gguf_file(this, path, e); });
  }
  Result<Report> from_generation_config(std::string_view json) {
    return read([&](gsample_error* e) { return gsample_params_from_generation_config(this, json.data(), json.size(), e); });
  }

 private:
  template <class Call>
  static Result<Report> read(Call&& call) {
    detail::Words words;
    int32_t result = call(&words);
    if (result < 0) return words.failure(result);
    return Report{result, words.message};
  }
};
static_assert(sizeof(Params) == sizeof(gsample_params));

// A view of a row. A mask of another length than the row needs makes a row that every call refuses.
struct Row : gsample_row {
  Row(std::span<const float> logits) : Row(GSAMPLE_F32, logits.data(), logits.size()) {}
  static Row f16(std::span<const uint16_t> logits) { return Row(GSAMPLE_F16, logits.data(), logits.size()); }
  static Row bf16(std::span<const uint16_t> logits) { return Row(GSAMPLE_BF16, logits.data(), logits.size()); }

  Row masked(std::span<const uint32_t> words) const {
    Row out = *this;
    out.mask = words.data();
    if (words.size() != (size_t{n_vocab} + 31) / 32) out.n_vocab = 0;
    return out;
  }

  Result<int32_t> best() const { return detail::number(gsample_best(this)); }
  Result<gsample_row_report> check() const {
    gsample_row_report report = {};
    report.size = sizeof report;
    if (int32_t status = gsample_row_check(this, &report); status < 0) return detail::failure(status);
    return report;
  }
  Result<void> logprobs(std::span<gsample_logprob> items) const { return detail::done(gsample_logprobs(this, items.data(), items.size())); }

 private:
  Row(uint32_t type, const void* data, size_t n) : gsample_row{} {
    size = sizeof(gsample_row);
    dtype = type;
    n_vocab = n <= INT32_MAX ? static_cast<uint32_t>(n) : 0;
    logits = data;
  }
};

// A pick with its logprobs; `top` has those that were written.
struct Choice {
  int32_t token = 0, rank = 0;
  double logprob = 0;
  std::vector<gsample_logprob> top;
};

}  // namespace gsample

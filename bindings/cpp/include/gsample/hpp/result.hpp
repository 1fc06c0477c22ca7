// A value or an error, and what all parts of gsample.hpp share: handles, texts of unknown length, guarded callbacks.
// SPDX-License-Identifier: MIT
#pragma once

#include <gsample/gsample.h>

#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace gsample {

// What went wrong. Where the C call gives no words, the message is the status' name.
struct Error {
  int32_t status = GSAMPLE_OK;
  int32_t line = 0, column = 0;  // of a text that was read, from 1
  std::string message;
};

#if defined(__cpp_exceptions)
class Exception : public std::exception {
 public:
  explicit Exception(Error error) : error_(std::move(error)) {}
  const char* what() const noexcept override { return error_.message.c_str(); }
  const Error& error() const noexcept { return error_; }

 private:
  Error error_;
};
#endif

// A value or an Error.
template <class T>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  explicit operator bool() const noexcept { return state_.index() == 0; }
  int32_t status() const noexcept { return *this ? GSAMPLE_OK : error().status; }

  // Only where there is a value.
  T& operator*() & noexcept { return *std::get_if<0>(&state_); }
  const T& operator*() const& noexcept { return *std::get_if<0>(&state_); }
  T&& operator*() && noexcept { return std::move(*std::get_if<0>(&state_)); }
  T* operator->() noexcept { return std::get_if<0>(&state_); }

  // Only where there is an error.
  const Error& error() const noexcept { return *std::get_if<1>(&state_); }

#if defined(__cpp_exceptions)
  // The value, or throws.
  T value() && {
    if (!*this) throw Exception(error());
    return std::move(**this);
  }
  const T& value() const& {
    if (!*this) throw Exception(error());
    return **this;
  }
#endif

 private:
  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> : public Result<std::monostate> {
 public:
  Result() : Result<std::monostate>(std::monostate{}) {}
  using Result<std::monostate>::Result;
};

namespace detail {

inline Error failure(int32_t status) { return {status, 0, 0, gsample_status_name(status)}; }

// Room for the words of a C call.
struct Words : gsample_error {
  Words() : gsample_error{} { size = sizeof(gsample_error); }
  Error failure(int32_t code) const { return {code, line, column, *message ? message : gsample_status_name(code)}; }
};

inline Result<void> done(int32_t status) {
  if (status < 0) return failure(status);
  return {};
}
inline Result<void> done(int32_t status, const Words& words) {
  if (status < 0) return words.failure(status);
  return {};
}
template <class T>
Result<T> number(T result) {
  if (result < 0) return failure(static_cast<int32_t>(result));
  return result;
}
inline Result<bool> predicate(int32_t result) {
  if (result < 0) return failure(result);
  return result != 0;
}

template <auto Free>
struct Deleter {
  template <class T>
  void operator()(T* handle) const noexcept {
    Free(handle);
  }
};
template <class T, auto Free>
using Handle = std::unique_ptr<T, Deleter<Free>>;

// Runs a callback of the user's: what it throws becomes a status and never passes through C.
template <class F>
int32_t guarded(F&& body) noexcept {
#if defined(__cpp_exceptions)
  try {
#endif
    if constexpr (std::is_void_v<decltype(body())>) {
      body();
      return GSAMPLE_OK;
    } else {
      return static_cast<int32_t>(body());
    }
#if defined(__cpp_exceptions)
  } catch (const Exception& e) {
    return e.error().status < 0 ? e.error().status : GSAMPLE_ERROR_CALLBACK;
  } catch (const std::bad_alloc&) {
    return GSAMPLE_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return GSAMPLE_ERROR_CALLBACK;
  }
#endif
}

// `clone` and `destroy` of a user object of type T.
template <class T>
int32_t clone(void* user, void** out) {
  return guarded([&] { *out = new T(*static_cast<const T*>(user)); });
}
template <class T>
void destroy(void* user) {
  delete static_cast<T*>(user);
}

// The two calls by which a text or bytes of unknown length are fetched: ask, then read.
template <class Buffer, class Call>
Result<Buffer> fetch(Call&& call) {
  int64_t n = call(nullptr, 0);
  if (n < 0) return failure(static_cast<int32_t>(n));
  Buffer buffer(static_cast<size_t>(n), typename Buffer::value_type{});
  n = call(buffer.data(), buffer.size());
  if (n < 0) return failure(static_cast<int32_t>(n));
  return buffer;
}

}  // namespace detail

}  // namespace gsample

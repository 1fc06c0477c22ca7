// A vector whose first N elements live inside it, for the scratch of a call that usually needs few: no allocation until N is passed.
// Elements are trivially copyable and not destroyed one by one. push_back may throw std::bad_alloc and then has changed nothing.
#pragma once

#include <cstddef>
#include <cstring>
#include <new>
#include <type_traits>

namespace gsample {

template <class T, size_t N>
class SmallVector {
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);

 public:
  SmallVector() = default;
  SmallVector(const SmallVector& other) { *this = other; }
  SmallVector& operator=(const SmallVector& other) {
    if (this == &other) return *this;
    size_ = 0;
    reserve(other.size_);
    if (other.size_) std::memcpy(static_cast<void*>(data_), other.data_, other.size_ * sizeof(T));
    size_ = other.size_;
    return *this;
  }
  ~SmallVector() {
    if (data_ != inline_data()) ::operator delete(data_);
  }

  T* begin() { return data_; }
  T* end() { return data_ + size_; }
  const T* begin() const { return data_; }
  const T* end() const { return data_ + size_; }
  T* data() { return data_; }
  const T* data() const { return data_; }
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  T& operator[](size_t i) { return data_[i]; }
  const T& operator[](size_t i) const { return data_[i]; }
  T& back() { return data_[size_ - 1]; }
  const T& back() const { return data_[size_ - 1]; }
  size_t heap_bytes() const { return data_ == inline_data() ? 0 : capacity_ * sizeof(T); }

  void clear() { size_ = 0; }
  void pop_back() { size_--; }
  void truncate(size_t n) { size_ = n; }
  void push_back(const T& value) {
    T copy = value;
    reserve_one();
    data_[size_++] = copy;
  }
  void append(const T* from, size_t n) {
    if (size_ + n > capacity_) {
      bool own = from >= data_ && from < data_ + size_;
      size_t offset = own ? static_cast<size_t>(from - data_) : 0;
      reserve(size_ + n > size_ * 2 ? size_ + n : size_ * 2);
      if (own) from = data_ + offset;
    }
    if (n) std::memmove(static_cast<void*>(data_ + size_), from, n * sizeof(T));
    size_ += n;
  }
  void reserve_one() {
    if (size_ == capacity_) reserve(size_ * 2);
  }
  void resize(size_t n, const T& value) {
    reserve(n);
    for (size_t i = size_; i < n; i++) data_[i] = value;
    size_ = n;
  }
  void reserve(size_t n) {
    if (n <= capacity_) return;
    T* grown = static_cast<T*>(::operator new(n * sizeof(T)));
    if (size_) std::memcpy(static_cast<void*>(grown), data_, size_ * sizeof(T));
    if (data_ != inline_data()) ::operator delete(data_);
    data_ = grown;
    capacity_ = n;
  }

 private:
  T* inline_data() { return reinterpret_cast<T*>(storage_); }
  const T* inline_data() const { return reinterpret_cast<const T*>(storage_); }

  T* data_ = inline_data();
  size_t size_ = 0;
  size_t capacity_ = N;
  alignas(T) unsigned char storage_[N * sizeof(T)];
};

}  // namespace gsample

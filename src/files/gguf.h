// The metadata of a GGUF file: keys with numbers, strings and arrays of them, as the file lays them out before its tensors.
// Reads versions 2 and 3, of either byte order. Bytes are checked once when parsed; what stands here afterwards can be read without
// a further check. Arrays stay in the file's bytes and are decoded as they are walked, so a vocabulary costs nothing until read.
// Format: the GGUF specification in ggml's repository (docs/gguf.md) and gguf-py's reader.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/failure.h"

namespace gsample {

enum class GgufType : uint32_t { u8, i8, u16, i16, u32, i32, f32, boolean, string, array, u64, i64, f64 };

// Walks the strings of an array; for (std::string_view text : value.strings()).
class GgufStrings {
 public:
  class Iterator {
   public:
    std::string_view operator*() const;
    Iterator& operator++();
    bool operator!=(const Iterator& other) const { return left_ != other.left_; }

   private:
    friend class GgufStrings;
    Iterator(const uint8_t* at, uint64_t left, bool swapped) : at_(at), left_(left), swapped_(swapped) {}
    const uint8_t* at_;
    uint64_t left_;
    bool swapped_;
  };

  Iterator begin() const { return {bytes_, count_, swapped_}; }
  Iterator end() const { return {nullptr, 0, swapped_}; }

 private:
  friend struct GgufValue;
  GgufStrings(const uint8_t* bytes, uint64_t count, bool swapped) : bytes_(bytes), count_(count), swapped_(swapped) {}
  const uint8_t* bytes_;
  uint64_t count_;
  bool swapped_;
};

// One key and what it holds. A scalar reads as the array of its one element.
struct GgufValue {
  std::string_view key;
  GgufType element;  // of the array or of the scalar
  bool is_array;
  bool swapped;    // the file's byte order is not the machine's
  uint64_t count;  // elements; 1 for a scalar
  std::span<const uint8_t> bytes;

  bool is_integer() const;  // of any width and sign; a boolean is none
  bool is_real() const { return element == GgufType::f32 || element == GgufType::f64; }
  bool is_number() const { return is_integer() || is_real(); }
  bool is_boolean() const { return element == GgufType::boolean; }
  bool is_string() const { return element == GgufType::string; }

  // Element i < count. Each is for the kinds it names.
  int64_t integer(uint64_t i = 0) const;         // an integer or a boolean; above INT64_MAX it is INT64_MAX
  double real(uint64_t i = 0) const;             // any number or a boolean, to the nearest double
  NumberText number_text(uint64_t i = 0) const;  // any number, exactly; the shortest text that reads back
  std::string_view string() const;               // the first string, where count > 0
  GgufStrings strings() const;                   // all of them
};

class Gguf {
 public:
  // Borrows the bytes, which may end anywhere behind the metadata. Throws FORMAT, LIMIT or UNSUPPORTED, or BUFFER where the
  // metadata goes on behind byte n.
  static Gguf parse(const void* data, size_t n);

  // Reads as much of the file as its metadata takes. Throws also IO; a file that ends too early is FORMAT.
  static Gguf read_file(const char* path);

  const GgufValue* find(std::string_view key) const;  // NULL where the file has none
  std::span<const GgufValue> values() const { return values_; }

 private:
  std::vector<uint8_t> owned_;  // of read_file; a moved vector keeps its bytes where they are
  std::vector<GgufValue> values_;
};

}  // namespace gsample

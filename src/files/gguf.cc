#include "files/gguf.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <concepts>
#include <cstring>
#include <limits>

#include "base/limits.h"

namespace gsample {

namespace {

// Bytes of one element; 0 for what has no fixed size, and for a type that GGUF does not have.
size_t element_bytes(GgufType type) {
  switch (type) {
    case GgufType::u8:
    case GgufType::i8:
    case GgufType::boolean:
      return 1;
    case GgufType::u16:
    case GgufType::i16:
      return 2;
    case GgufType::u32:
    case GgufType::i32:
    case GgufType::f32:
      return 4;
    case GgufType::u64:
    case GgufType::i64:
    case GgufType::f64:
      return 8;
    default:
      return 0;
  }
}

template <class T>
T decode(const uint8_t* from, bool swapped) {
  uint8_t bytes[sizeof(T)];
  std::memcpy(bytes, from, sizeof bytes);
  if (swapped) std::reverse(bytes, bytes + sizeof bytes);
  return std::bit_cast<T>(bytes);
}

// Calls visit with element i in its own type, and gives what visit gives.
template <class Visit>
auto visit_number(const GgufValue& value, uint64_t i, Visit visit) {
  const uint8_t* at = value.bytes.data() + i * element_bytes(value.element);
  switch (value.element) {
    case GgufType::u8:
    case GgufType::boolean:
      return visit(*at);
    case GgufType::i8:
      return visit(static_cast<int8_t>(*at));
    case GgufType::u16:
      return visit(decode<uint16_t>(at, value.swapped));
    case GgufType::i16:
      return visit(decode<int16_t>(at, value.swapped));
    case GgufType::u32:
      return visit(decode<uint32_t>(at, value.swapped));
    case GgufType::i32:
      return visit(decode<int32_t>(at, value.swapped));
    case GgufType::f32:
      return visit(decode<float>(at, value.swapped));
    case GgufType::u64:
      return visit(decode<uint64_t>(at, value.swapped));
    case GgufType::i64:
      return visit(decode<int64_t>(at, value.swapped));
    default:
      return visit(decode<double>(at, value.swapped));
  }
}

// Walks the metadata once and notes every value. Bytes that end too early are no fault here: run() then returns false, and needed()
// says how many there must be at least to come further.
class Scanner {
 public:
  explicit Scanner(std::span<const uint8_t> bytes) : bytes_(bytes) {}

  bool run(std::vector<GgufValue>& values) {
    uint64_t tensors, count;
    if (!header() || !read(tensors) || !read(count)) return false;
    if (count > limits::gguf_values) fail(GSAMPLE_ERROR_LIMIT, "GGUF: %llu keys, at most %llu", ull(count), ull(limits::gguf_values));
    for (uint64_t i = 0; i < count; i++) {
      GgufValue value{};
      if (!read_value(value)) return false;
      values.push_back(value);
    }
    return true;
  }

  size_t needed() const { return needed_; }

 private:
  static unsigned long long ull(uint64_t value) { return value; }

  // The next n bytes are there. A file that wants more than the bound in one piece, or all together, is hostile.
  bool have(uint64_t n) {
    if (n > limits::gguf_bytes || at_ + n > limits::gguf_bytes)
      fail(GSAMPLE_ERROR_LIMIT, "GGUF: the metadata wants %llu bytes at byte %zu, at most %zu in all", ull(n), at_, limits::gguf_bytes);
    needed_ = at_ + n;
    return needed_ <= bytes_.size();
  }

  template <class T>
  bool read(T& out) {
    if (!have(sizeof out)) return false;
    out = decode<T>(bytes_.data() + at_, swapped_);
    at_ += sizeof out;
    return true;
  }

  // The magic is the same four bytes in either order; the version that follows it is small, which tells the order.
  bool header() {
    constexpr uint8_t magic[4] = {'G', 'G', 'U', 'F'};
    size_t n = std::min(bytes_.size(), sizeof magic);
    if (n && std::memcmp(bytes_.data(), magic, n) != 0) fail(GSAMPLE_ERROR_FORMAT, "GGUF: the file does not begin with the letters GGUF");
    if (!have(sizeof magic)) return false;
    at_ = sizeof magic;
    uint32_t version;
    if (!read(version)) return false;
    if ((version & 0xffff) == 0) {
      swapped_ = true;
      version = decode<uint32_t>(bytes_.data() + sizeof magic, true);
    }
    if (version != 2 && version != 3) fail(GSAMPLE_ERROR_UNSUPPORTED, "GGUF: version %u of the format, only 2 and 3 are read", version);
    return true;
  }

  bool read_value(GgufValue& value) {
    uint64_t size;
    if (!read(size)) return false;
    if (size > limits::gguf_key_bytes)
      fail(GSAMPLE_ERROR_LIMIT, "GGUF: a key of %llu bytes at byte %zu, at most %llu", ull(size), at_, ull(limits::gguf_key_bytes));
    if (!have(size)) return false;
    value.key = {reinterpret_cast<const char*>(bytes_.data() + at_), static_cast<size_t>(size)};
    at_ += size;
    if (!read_type(value.element, value.key)) return false;
    value.swapped = swapped_;
    value.count = 1;
    if (value.element == GgufType::array) {
      value.is_array = true;
      if (!read_type(value.element, value.key) || !read(value.count)) return false;
    }
    size_t begin = at_;
    if (!skip(value.element, value.count, value.key, 1)) return false;
    value.bytes = bytes_.subspan(begin, at_ - begin);
    return true;
  }

  bool read_type(GgufType& type, std::string_view key) {
    uint32_t number;
    if (!read(number)) return false;
    if (number > static_cast<uint32_t>(GgufType::f64))
      fail(GSAMPLE_ERROR_FORMAT, "GGUF: %.*s has type %u, which the format does not have", shown(key), key.data(), number);
    type = static_cast<GgufType>(number);
    return true;
  }

  // Steps over count elements and so checks that they are there.
  bool skip(GgufType type, uint64_t count, std::string_view key, int depth) {
    if (depth > limits::gguf_array_depth)
      fail(GSAMPLE_ERROR_LIMIT, "GGUF: %.*s nests arrays more than %d deep", shown(key), key.data(), limits::gguf_array_depth);
    if (size_t size = element_bytes(type)) {
      if (count > limits::gguf_bytes) count = limits::gguf_bytes + 1;  // refused by have(); the product below must not wrap
      if (!have(count * size)) return false;
      at_ += count * size;
      return true;
    }
    for (uint64_t i = 0; i < count; i++) {
      if (type == GgufType::string) {
        uint64_t size;
        if (!read(size) || !have(size)) return false;
        at_ += size;
      } else {
        GgufType inner;
        uint64_t inner_count;
        if (!read_type(inner, key) || !read(inner_count) || !skip(inner, inner_count, key, depth + 1)) return false;
      }
    }
    return true;
  }

  static int shown(std::string_view key) { return static_cast<int>(std::min<size_t>(key.size(), 100)); }

  std::span<const uint8_t> bytes_;
  size_t at_ = 0;
  size_t needed_ = 0;
  bool swapped_ = false;
};

void refuse_duplicates(std::span<const GgufValue> values) {
  std::vector<std::string_view> keys;
  for (const GgufValue& value : values) keys.push_back(value.key);
  std::sort(keys.begin(), keys.end());
  auto twice = std::adjacent_find(keys.begin(), keys.end());
  if (twice == keys.end()) return;
  fail(GSAMPLE_ERROR_FORMAT, "GGUF: %.*s stands twice", static_cast<int>(std::min<size_t>(twice->size(), 100)), twice->data());
}

// A descriptor that closes itself.
class File {
 public:
  // O_NONBLOCK: a pipe that nobody writes to would never open.
  explicit File(const char* path) : path_(path), descriptor_(open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
    if (descriptor_ < 0) refuse("open");
    struct stat status;
    if (fstat(descriptor_, &status) == 0 && S_ISREG(status.st_mode)) return;
    close(descriptor_);
    fail(GSAMPLE_ERROR_IO, "%.150s is not a regular file", path_);
  }
  ~File() { close(descriptor_); }
  File(const File&) = delete;

  // Up to n bytes, fewer only at the end of the file.
  size_t read_up_to(uint8_t* to, size_t n) {
    size_t done = 0;
    while (done < n) {
      ssize_t got = read(descriptor_, to + done, n - done);
      if (got == 0) break;
      if (got > 0) done += got;
      else if (errno != EINTR) refuse("read");
    }
    return done;
  }

 private:
  [[noreturn]] void refuse(const char* what) { fail(GSAMPLE_ERROR_IO, "cannot %s %.150s (errno %d)", what, path_, errno); }

  const char* path_;
  int descriptor_;
};

}  // namespace

std::string_view GgufStrings::Iterator::operator*() const {
  return {reinterpret_cast<const char*>(at_ + sizeof(uint64_t)), static_cast<size_t>(decode<uint64_t>(at_, swapped_))};
}

GgufStrings::Iterator& GgufStrings::Iterator::operator++() {
  at_ += sizeof(uint64_t) + decode<uint64_t>(at_, swapped_);
  left_--;
  return *this;
}

bool GgufValue::is_integer() const { return element_bytes(element) && !is_real() && !is_boolean(); }

int64_t GgufValue::integer(uint64_t i) const {
  return visit_number(*this, i, [](auto number) -> int64_t {
    if constexpr (std::same_as<decltype(number), uint64_t>)
      return static_cast<int64_t>(std::min<uint64_t>(number, std::numeric_limits<int64_t>::max()));
    else if constexpr (std::floating_point<decltype(number)>) return 0;
    else return number;
  });
}

double GgufValue::real(uint64_t i) const {
  return visit_number(*this, i, [](auto number) { return static_cast<double>(number); });
}

NumberText GgufValue::number_text(uint64_t i) const {
  return visit_number(*this, i, [](auto number) {
    NumberText out;
    *std::to_chars(out.text, out.text + sizeof out.text - 1, number).ptr = '\0';
    return out;
  });
}

std::string_view GgufValue::string() const { return *strings().begin(); }

GgufStrings GgufValue::strings() const { return {bytes.data(), count, swapped}; }

Gguf Gguf::parse(const void* data, size_t n) {
  Gguf out;
  Scanner scanner({static_cast<const uint8_t*>(data), n});
  if (!scanner.run(out.values_))
    fail(GSAMPLE_ERROR_BUFFER, "GGUF: the metadata goes on behind the %zu bytes given, at least to byte %zu", n, scanner.needed());
  refuse_duplicates(out.values_);
  return out;
}

Gguf Gguf::read_file(const char* path) {
  File file(path);
  Gguf out;
  size_t want = size_t{1} << 20;
  for (;;) {
    size_t have = out.owned_.size();
    out.owned_.resize(want);
    out.owned_.resize(have + file.read_up_to(out.owned_.data() + have, want - have));
    out.values_.clear();
    Scanner scanner(out.owned_);
    if (scanner.run(out.values_)) break;
    if (out.owned_.size() < want) fail(GSAMPLE_ERROR_FORMAT, "GGUF: %.100s ends at byte %zu, inside its metadata", path, out.owned_.size());
    want *= 2;  // never the size that the file claims: it may be hostile
  }
  refuse_duplicates(out.values_);
  return out;
}

const GgufValue* Gguf::find(std::string_view key) const {
  for (const GgufValue& value : values_)
    if (value.key == key) return &value;
  return nullptr;
}

}  // namespace gsample

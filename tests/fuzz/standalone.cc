// Drives a fuzzer without libFuzzer, the same way on every run: each file of the corpus as it is, each with the first, second, ...
// allocation failing until one run gets all it asks for, and then N mutations from a fixed seed.
//   FUZZER N FOLDER [FILE]   each input is written to FILE before it runs: give one to keep the input that fails
#include <algorithm>
#include <cstring>
#include <filesystem>
#include <new>
#include <string>
#include <vector>

#include "fuzz.h"

namespace {

using Bytes = std::vector<uint8_t>;

int64_t allocations_left = -1;  // until one fails; below 0 none does
bool allocation_failed = false;

void* allocate(size_t size) {
  if (allocations_left >= 0 && allocations_left-- == 0) {
    allocation_failed = true;
    throw std::bad_alloc();
  }
  if (void* memory = std::malloc(size ? size : 1)) return memory;
  throw std::bad_alloc();
}

class Random {
 public:
  uint64_t next() {
    state_ ^= state_ << 13;
    state_ ^= state_ >> 7;
    return state_ ^= state_ << 17;
  }
  size_t below(size_t n) { return n ? next() % n : 0; }

 private:
  uint64_t state_ = 0x2545f4914f6cdd1d;
};

// Sizes, counts and signs are what parsers trip over.
void write_number(Bytes& bytes, size_t at, Random& random) {
  constexpr uint64_t numbers[] = {0,
                                  1,
                                  2,
                                  3,
                                  0x7f,
                                  0x80,
                                  0xff,
                                  0x7fff,
                                  0xffff,
                                  0x7fffffff,
                                  0x80000000,
                                  0xffffffff,
                                  0x7fc00000,
                                  0x7f800000,
                                  uint64_t{1} << 32,
                                  uint64_t{1} << 61,
                                  uint64_t{1} << 63,
                                  ~uint64_t{0}};
  uint64_t number = numbers[random.below(std::size(numbers))] + random.below(3) - 1;
  size_t width = size_t{1} << random.below(4);
  bool big = random.below(2);
  for (size_t i = 0; i < width && at + i < bytes.size(); i++) bytes[at + i] = static_cast<uint8_t>(number >> 8 * (big ? width - 1 - i : i));
}

void mutate(Bytes& bytes, const std::vector<Bytes>& corpus, Random& random) {
  size_t at = random.below(bytes.size() + 1);
  size_t n = random.below(std::min<size_t>(bytes.size() - at, 32) + 1);
  switch (random.below(7)) {
    case 0:
      if (at < bytes.size()) bytes[at] ^= static_cast<uint8_t>(1 << random.below(8));
      break;
    case 1:
      if (at < bytes.size()) bytes[at] = static_cast<uint8_t>(random.next());
      break;
    case 2:
      write_number(bytes, at, random);
      break;
    case 3:
      bytes.erase(bytes.begin() + at, bytes.begin() + at + n);
      break;
    case 4: {
      Bytes piece(bytes.begin() + at, bytes.begin() + at + n);
      bytes.insert(bytes.begin() + random.below(bytes.size() + 1), piece.begin(), piece.end());
      break;
    }
    case 5: {
      const Bytes& other = corpus[random.below(corpus.size())];
      size_t from = random.below(other.size());
      size_t length = std::min<size_t>(other.size() - from, random.below(32));
      bytes.insert(bytes.begin() + at, other.begin() + from, other.begin() + from + length);
      break;
    }
    default:
      bytes.resize(at);
  }
}

// In memory of exactly the input's size, so that a sanitizer sees a step too far.
void run(const Bytes& bytes, const char* keep) {
  if (FILE* file = keep ? std::fopen(keep, "wb") : nullptr) {
    std::fwrite(bytes.data(), 1, bytes.size(), file);
    std::fclose(file);
  }
  auto exact = static_cast<uint8_t*>(std::malloc(bytes.size() ? bytes.size() : 1));
  if (bytes.size()) std::memcpy(exact, bytes.data(), bytes.size());
  LLVMFuzzerTestOneInput(exact, bytes.size());
  std::free(exact);
}

void run_without_memory(const Bytes& bytes) {
  for (int64_t n = 0;; n++) {
    allocations_left = n;
    allocation_failed = false;
    try {
      LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    } catch (const std::bad_alloc&) {
    }
    allocations_left = -1;
    if (!allocation_failed) return;
  }
}

Bytes read_file(const std::string& path) {
  FILE* file = std::fopen(path.c_str(), "rb");
  REQUIRE(file);
  Bytes bytes(std::filesystem::file_size(path));
  REQUIRE(std::fread(bytes.data(), 1, bytes.size(), file) == bytes.size());
  std::fclose(file);
  return bytes;
}

}  // namespace

void* operator new(size_t size) { return allocate(size); }
void* operator new[](size_t size) { return allocate(size); }
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete[](void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }
void operator delete[](void* memory, size_t) noexcept { std::free(memory); }

int main(int argc, char** argv) {
  REQUIRE(argc == 3 || argc == 4);
  const char* keep = argv[3];
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(argv[2])) paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  REQUIRE(!paths.empty());
  std::vector<Bytes> corpus = {Bytes()};
  for (const std::string& path : paths) corpus.push_back(read_file(path));
  for (const Bytes& bytes : corpus) {
    run(bytes, keep);
    run_without_memory(bytes);
  }
  Random random;
  size_t n = std::strtoull(argv[1], nullptr, 10);
  for (size_t i = 0; i < n; i++) {
    Bytes bytes = corpus[random.below(corpus.size())];
    for (size_t k = 1 + random.below(4); k > 0; k--) mutate(bytes, corpus, random);
    run(bytes, keep);
  }
  std::printf("%zu files, %zu mutations\n", paths.size(), n);
}

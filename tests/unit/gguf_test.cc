// The GGUF reader: both byte orders, every type, files cut at every byte, hostile sizes, and a file with more behind its metadata.
#include "files/gguf.h"

#include <cmath>
#include <cstdlib>
#include <limits>
#include <string>
#include <vector>

#include "base/limits.h"
#include "gguf_writer.h"
#include "unit.h"

namespace {

using gsample::Gguf;
using gsample::GgufType;
using gsample::GgufValue;

std::vector<uint8_t> take(gguf_writer& w) {
  gguf_end(&w);
  std::vector<uint8_t> out(w.bytes, w.bytes + w.n);
  free(w.bytes);
  return out;
}

std::vector<uint8_t> every_type(uint32_t version, int order) {
  gguf_writer w;
  gguf_begin(&w, version, order);
  gguf_integer(&w, "u8", GGUF_U8, 200);
  gguf_integer(&w, "i8", GGUF_I8, static_cast<uint64_t>(-100));
  gguf_integer(&w, "u16", GGUF_U16, 60000);
  gguf_integer(&w, "i16", GGUF_I16, static_cast<uint64_t>(-30000));
  gguf_integer(&w, "u32", GGUF_U32, 4000000000u);
  gguf_integer(&w, "i32", GGUF_I32, static_cast<uint64_t>(-2000000000));
  gguf_integer(&w, "u64", GGUF_U64, ~uint64_t{0});
  gguf_integer(&w, "i64", GGUF_I64, uint64_t{1} << 63);
  gguf_f32(&w, "f32", 0.1f);
  gguf_f64(&w, "f64", 0.1);
  gguf_integer(&w, "bool", GGUF_BOOL, 1);
  gguf_string(&w, "string", "h\xc3\xa9");
  gguf_array(&w, "strings", GGUF_STRING, 3);
  for (const char* text : {"a", "", "ccc"}) gguf_put_string(&w, text);
  gguf_array(&w, "floats", GGUF_F32, 2);
  gguf_put_f32(&w, 1.5f);
  gguf_put_f32(&w, -2.5f);
  gguf_array(&w, "numbers", GGUF_I32, 2);
  gguf_put(&w, 7, 4);
  gguf_put(&w, static_cast<uint64_t>(-7), 4);
  gguf_array(&w, "empty", GGUF_STRING, 0);
  gguf_array(&w, "nested", GGUF_ARRAY, 2);
  for (int i = 0; i < 2; i++) {
    gguf_put(&w, GGUF_U16, 4);
    gguf_put(&w, 2, 8);
    gguf_put(&w, 1, 2);
    gguf_put(&w, 2, 2);
  }
  gguf_string(&w, "last", "here");
  return take(w);
}

void check_every_type(const Gguf& file) {
  assert_int_equal(file.values().size(), 18);
  auto value = [&](const char* key) -> const GgufValue& {
    const GgufValue* found = file.find(key);
    assert_non_null(found);
    return *found;
  };
  assert_int_equal(value("u8").integer(), 200);
  assert_int_equal(value("i8").integer(), -100);
  assert_int_equal(value("u16").integer(), 60000);
  assert_int_equal(value("i16").integer(), -30000);
  assert_int_equal(value("u32").integer(), 4000000000);
  assert_int_equal(value("i32").integer(), -2000000000);
  assert_int_equal(value("u64").integer(), std::numeric_limits<int64_t>::max());
  assert_string_equal(value("u64").number_text().text, "18446744073709551615");
  assert_int_equal(value("i64").integer(), std::numeric_limits<int64_t>::min());
  assert_true(value("f32").real() == static_cast<double>(0.1f));
  assert_string_equal(value("f32").number_text().text, "0.1");
  assert_true(value("f64").real() == 0.1);
  assert_string_equal(value("f64").number_text().text, "0.1");
  assert_true(value("bool").is_boolean() && !value("bool").is_number() && value("bool").integer() == 1);
  assert_true(value("u8").is_integer() && value("i64").is_integer() && !value("f32").is_integer() && !value("string").is_number());
  assert_true(value("string").string() == "h\xc3\xa9");
  assert_true(value("strings").is_array && value("strings").is_string() && value("strings").count == 3);
  std::string joined;
  for (std::string_view text : value("strings").strings()) joined.append(text).append("|");
  assert_string_equal(joined.c_str(), "a||ccc|");
  assert_true(value("floats").real(0) == 1.5 && value("floats").real(1) == -2.5);
  assert_true(value("numbers").integer(0) == 7 && value("numbers").integer(1) == -7);
  for (std::string_view text : value("empty").strings()) fail_msg("an empty array has %zu bytes", text.size());
  assert_true(value("nested").element == GgufType::array && value("nested").count == 2);
  assert_true(value("last").string() == "here");
  assert_null(file.find("absent"));
}

void reads_every_type(void**) {
  for (uint32_t version : {2, 3})
    for (int order : {GGUF_LITTLE, GGUF_BIG}) {
      std::vector<uint8_t> bytes = every_type(version, order);
      check_every_type(Gguf::parse(bytes.data(), bytes.size()));
      bytes.resize(bytes.size() + 1000, 0xee);  // tensors
      check_every_type(Gguf::parse(bytes.data(), bytes.size()));
    }
}

void refuses_every_cut(void**) {
  std::vector<uint8_t> bytes = every_type(3, GGUF_BIG);
  for (size_t n = 0; n < bytes.size(); n++) {
    std::vector<uint8_t> cut(bytes.begin(), bytes.begin() + n);  // of exactly this size, for the address sanitizer
    assert_int_equal(status_of([&] { Gguf::parse(cut.data(), n); }), GSAMPLE_ERROR_BUFFER);
  }
}

int32_t status_of_bytes(const std::vector<uint8_t>& bytes) {
  return status_of([&] { Gguf::parse(bytes.data(), bytes.size()); });
}

void refuses_what_is_no_gguf(void**) {
  assert_int_equal(status_of_bytes({'G', 'G', 'M', 'L'}), GSAMPLE_ERROR_FORMAT);
  assert_int_equal(status_of_bytes({'x'}), GSAMPLE_ERROR_FORMAT);
  for (uint32_t version : {0, 1, 4, 77})
    for (int order : {GGUF_LITTLE, GGUF_BIG}) {
      gguf_writer w;
      gguf_begin(&w, version, order);
      assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_UNSUPPORTED);
    }
  gguf_writer w;
  gguf_begin(&w, 3, GGUF_LITTLE);
  gguf_integer(&w, "twice", GGUF_U8, 1);
  gguf_integer(&w, "twice", GGUF_U8, 1);
  assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_FORMAT);
  gguf_begin(&w, 3, GGUF_LITTLE);
  gguf_key(&w, "type", 13);
  assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_FORMAT);
}

void refuses_hostile_sizes(void**) {
  for (uint64_t size : {uint64_t{1} << 28, uint64_t{1} << 31, uint64_t{1} << 61, uint64_t{1} << 63, ~uint64_t{0}, ~uint64_t{0} - 23}) {
    gguf_writer w;
    gguf_begin(&w, 3, GGUF_LITTLE);  // the size of a key
    gguf_put(&w, size, 8);
    w.n_values = 1;
    assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_LIMIT);
    gguf_begin(&w, 3, GGUF_LITTLE);  // the number of values
    w.n_values = size;
    assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_LIMIT);
    gguf_begin(&w, 3, GGUF_BIG);  // the size of a string
    gguf_key(&w, "s", GGUF_STRING);
    gguf_put(&w, size, 8);
    assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_LIMIT);
    for (uint32_t type : {GGUF_U8, GGUF_I32, GGUF_F64}) {  // the length of an array
      gguf_begin(&w, 3, GGUF_LITTLE);
      gguf_array(&w, "a", type, size);
      assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_LIMIT);
    }
    gguf_begin(&w, 3, GGUF_LITTLE);  // strings are walked: the data ends before the limit is met
    gguf_array(&w, "a", GGUF_STRING, size);
    assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_BUFFER);
  }
  gguf_writer w;
  gguf_begin(&w, 3, GGUF_LITTLE);
  gguf_array(&w, "deep", GGUF_ARRAY, 1);
  for (int i = 0; i < 100; i++) {
    gguf_put(&w, GGUF_ARRAY, 4);
    gguf_put(&w, 1, 8);
  }
  assert_int_equal(status_of_bytes(take(w)), GSAMPLE_ERROR_LIMIT);
}

std::string write_file(const std::vector<uint8_t>& bytes) {
  std::string path = (getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp") + std::string("/gsample-gguf-XXXXXX");
  FILE* file = fdopen(mkstemp(path.data()), "wb");
  assert_non_null(file);
  assert_int_equal(fwrite(bytes.data(), 1, bytes.size(), file), bytes.size());
  fclose(file);
  return path;
}

void reads_a_file(void**) {
  gguf_writer w;  // the metadata takes several growths of what is read
  gguf_begin(&w, 3, GGUF_LITTLE);
  gguf_array(&w, "many", GGUF_STRING, 5);
  std::string big(1000000, 'x');
  for (int i = 0; i < 5; i++) gguf_put_string(&w, big.c_str());
  gguf_integer(&w, "last", GGUF_I32, 5);
  std::vector<uint8_t> bytes = take(w);
  size_t metadata = bytes.size();
  bytes.resize(bytes.size() + 20000000, 0xee);

  std::string path = write_file(bytes);
  Gguf file = Gguf::read_file(path.c_str());
  Gguf moved = std::move(file);
  remove(path.c_str());
  assert_int_equal(moved.find("last")->integer(), 5);
  int n = 0;
  for (std::string_view text : moved.find("many")->strings()) n += text == big;
  assert_int_equal(n, 5);

  bytes.resize(metadata - 1);
  path = write_file(bytes);
  assert_int_equal(status_of([&] { Gguf::read_file(path.c_str()); }), GSAMPLE_ERROR_FORMAT);
  remove(path.c_str());
  assert_int_equal(status_of([] { Gguf::read_file("/no/such/file"); }), GSAMPLE_ERROR_IO);
  assert_int_equal(status_of([] { Gguf::read_file("/"); }), GSAMPLE_ERROR_IO);
}

}  // namespace

int main() {
  const CMUnitTest tests[] = {cmocka_unit_test(reads_every_type), cmocka_unit_test(refuses_every_cut),
                              cmocka_unit_test(refuses_what_is_no_gguf), cmocka_unit_test(refuses_hostile_sizes),
                              cmocka_unit_test(reads_a_file)};
  return cmocka_run_group_tests(tests, nullptr, nullptr);
}

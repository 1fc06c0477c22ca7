// See fields.h.
#include "fields.h"

#include <charconv>
#include <cstring>

namespace {

template <class T>
T* at(gsample_params* params, size_t offset) {
  return reinterpret_cast<T*>(reinterpret_cast<char*>(params) + offset);
}
template <class T>
std::string print(const gsample_params& params, size_t offset) {
  char buffer[40];
  auto end = std::to_chars(buffer, buffer + sizeof buffer, *at<T>(const_cast<gsample_params*>(&params), offset)).ptr;
  return {buffer, end};
}
template <class T>
void parse(const std::string& text, T* out) {
  std::from_chars(text.data(), text.data() + text.size(), *out);
}

}  // namespace

std::string field_text(const Field& field, const gsample_params& params) {
  if (field.type == Field::FLOAT) return print<float>(params, field.offset);
  return field.type == Field::INT ? print<int32_t>(params, field.offset) : print<uint64_t>(params, field.offset);
}

bool field_set(const char* name, const std::string& text, gsample_params* params) {
  for (const Field& field : kFields) {
    if (std::strcmp(field.name, name)) continue;
    if (field.type == Field::FLOAT) parse(text, at<float>(params, field.offset));
    if (field.type == Field::INT) parse(text, at<int32_t>(params, field.offset));
    if (field.type == Field::SEED) parse(text, at<uint64_t>(params, field.offset));
    return true;
  }
  return false;
}

void field_copy(const Field& field, const gsample_params& from, gsample_params* to) {
  size_t size = field.type == Field::SEED ? 8 : 4;
  std::memcpy(at<char>(to, field.offset), reinterpret_cast<const char*>(&from) + field.offset, size);
}

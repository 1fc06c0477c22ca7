// Parameters: defaults, presets, one by name, as text, and from files.
#include "params/params.h"

#include "abi/guard.h"
#include "files/generation_config.h"
#include "files/gguf_params.h"

using namespace gsample;

namespace {

// Changes a copy of the caller's params and gives it back only when all went well.
template <class Change>
int32_t change(gsample_params* params, gsample_error* error, Change change) {
  return guarded(error, [&] {
    gsample_params copy = load_params(params);
    change(copy);
    store_params(params, copy);
    return GSAMPLE_OK;
  });
}

// The same for what a file says; the error tells what it asks for in vain.
template <class Read>
int32_t read(gsample_params* params, gsample_error* error, Read read) {
  return guarded(error, [&] {
    gsample_params copy = load_params(params);
    Report report = read(copy);
    store_params(params, copy);
    write_error(error, report.summary());
    return report.summary().status;
  });
}

}  // namespace

int32_t gsample_params_init(gsample_params* params) {
  return guarded(nullptr, [&] {
    gsample_params defaults;
    default_params(defaults);
    store_params(params, defaults);
    return GSAMPLE_OK;
  });
}

int32_t gsample_params_preset(gsample_params* params, const char* name, gsample_error* error) {
  return change(params, error, [&](gsample_params& copy) { preset_params(copy, name); });
}

int32_t gsample_params_set(gsample_params* params, const char* key, const char* value, gsample_error* error) {
  return change(params, error, [&](gsample_params& copy) { set_param(copy, key, value); });
}

int64_t gsample_params_describe(const gsample_params* params, char* text, size_t capacity) {
  return guarded(nullptr, [&]() -> int64_t {
    gsample_params copy = load_params(params);
    if (capacity && !text) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "text is NULL");
    size_t size = describe_params(copy, text, capacity);
    if (capacity && capacity < size) fail(GSAMPLE_ERROR_BUFFER, "the text takes %zu bytes", size);
    return static_cast<int64_t>(size);
  });
}

int32_t gsample_params_from_gguf(gsample_params* params, const void* data, size_t n, gsample_error* error) {
  return read(params, error, [&](gsample_params& copy) {
    if (!data) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "data is NULL");
    return params_from_gguf(copy, Gguf::parse(data, n));
  });
}

int32_t gsample_params_from_gguf_file(gsample_params* params, const char* path, gsample_error* error) {
  return read(params, error, [&](gsample_params& copy) {
    if (!path) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "path is NULL");
    return params_from_gguf(copy, Gguf::read_file(path));
  });
}

int32_t gsample_params_from_generation_config(gsample_params* params, const char* json, size_t n, gsample_error* error) {
  return read(params, error, [&](gsample_params& copy) {
    if (!json) fail(GSAMPLE_ERROR_INVALID_ARGUMENT, "json is NULL");
    return params_from_generation_config(copy, {json, n});
  });
}

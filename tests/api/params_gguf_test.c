/* Parameters from the general.sampling.* keys of a GGUF file. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api.h"
#include "gguf_writer.h"

#define KEY "general.sampling."

static gsample_params params;
static gsample_error error;
static gguf_writer file;

static void begin(int order) {
  params.size = sizeof params;
  error.size = sizeof error;
  assert_int_equal(gsample_params_init(&params), GSAMPLE_OK);
  gguf_begin(&file, 3, order);
  gguf_string(&file, "general.architecture", "llama");
}

static int32_t read_file(void) {
  gguf_end(&file);
  int32_t status = gsample_params_from_gguf(&params, file.bytes, file.n, &error);
  assert_int_equal(error.status, status);
  free(file.bytes);
  return status;
}

static void assert_order(const int32_t* order, size_t n) {
  for (size_t i = 0; i < n; i++) assert_int_equal(params.order[i], order[i]);
  assert_int_equal(params.order[n], 0);
}

static void the_twelve_keys(void** state) {
  (void)state;
  for (int order = GGUF_LITTLE; order <= GGUF_BIG; order++) {
    begin(order);
    params.seed = 9;
    gguf_f32(&file, KEY "temp", 0.7f);
    gguf_integer(&file, KEY "top_k", GGUF_I32, 20);
    gguf_f32(&file, KEY "top_p", 0.8f);
    gguf_f32(&file, KEY "min_p", 0.02f);
    gguf_f32(&file, KEY "xtc_probability", 0.5f);
    gguf_f32(&file, KEY "xtc_threshold", 0.2f);
    gguf_integer(&file, KEY "penalty_last_n", GGUF_I32, (uint64_t)-1);
    gguf_f32(&file, KEY "penalty_repeat", 1.05f);
    gguf_integer(&file, KEY "mirostat", GGUF_I32, 0);
    gguf_f32(&file, KEY "mirostat_tau", 4);
    gguf_f32(&file, KEY "mirostat_eta", 0.2f);
    gguf_string(&file, KEY "sequence", "penalties;top_k;top_p;min_p;xtc;temperature");
    assert_int_equal(read_file(), GSAMPLE_OK);
    assert_string_equal(error.message, "");
    assert_true(params.temperature == 0.7f && params.top_k == 20 && params.top_p == 0.8f && params.min_p == 0.02f);
    assert_true(params.xtc_probability == 0.5f && params.xtc_threshold == 0.2f && params.penalty_last_n == -1);
    assert_true(params.penalty_repeat == 1.05f && params.mirostat == 0 && params.mirostat_tau == 4 && params.mirostat_eta == 0.2f);
    assert_true(params.seed == 9 && params.dry_base == 1.75f);
    const int32_t expected[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TOP_P,
                                GSAMPLE_STAGE_MIN_P,     GSAMPLE_STAGE_XTC,   GSAMPLE_STAGE_TEMPERATURE};
    assert_order(expected, 6);
  }
}

static void any_numeric_type(void** state) {
  (void)state;
  static const uint32_t integers[] = {GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_U64, GGUF_I64};
  for (int order = GGUF_LITTLE; order <= GGUF_BIG; order++) {
    for (size_t i = 0; i < sizeof integers / sizeof *integers; i++) {
      begin(order);
      gguf_integer(&file, KEY "top_k", integers[i], 100);
      gguf_integer(&file, KEY "temp", integers[i], 2);
      assert_int_equal(read_file(), GSAMPLE_OK);
      assert_true(params.top_k == 100 && params.temperature == 2);
    }
    begin(order);
    gguf_f64(&file, KEY "top_k", 1000);
    gguf_f64(&file, KEY "temp", 0.1);
    gguf_f32(&file, KEY "penalty_last_n", -1);
    assert_int_equal(read_file(), GSAMPLE_OK);
    assert_true(params.top_k == 1000 && params.temperature == 0.1f && params.penalty_last_n == -1);
  }
}

static void wrong_values_are_refused_by_name(void** state) {
  (void)state;
  for (int i = 0; i < 10; i++) {
    static const char* const named[] = {"min_p", "top_k",    "top_k",    "temp",     "temp",
                                        "top_p", "mirostat", "sequence", "sequence", "penalty_last_n"};
    begin(GGUF_LITTLE);
    gsample_params before = params;
    gguf_integer(&file, KEY "xtc_threshold", GGUF_U8, 1); /* fine, and must not arrive */
    switch (i) {
      case 0:
        gguf_f32(&file, KEY "min_p", 1.5f);
        break;
      case 1:
        gguf_f32(&file, KEY "top_k", 1.5f);
        break;
      case 2:
        gguf_integer(&file, KEY "top_k", GGUF_U64, UINT64_MAX);
        break;
      case 3:
        gguf_string(&file, KEY "temp", "0.8");
        break;
      case 4:
        gguf_integer(&file, KEY "temp", GGUF_F32, 0x7fc00000);
        break;
      case 5:
        gguf_array(&file, KEY "top_p", GGUF_F32, 1);
        gguf_put_f32(&file, 0.5f);
        break;
      case 6:
        gguf_integer(&file, KEY "mirostat", GGUF_I32, 3);
        break;
      case 7:
        gguf_integer(&file, KEY "sequence", GGUF_I32, 3);
        break;
      case 8:
        gguf_string(&file, KEY "sequence", "top_k;infill");
        break;
      default:
        gguf_integer(&file, KEY "penalty_last_n", GGUF_BOOL, 1);
    }
    assert_int_equal(read_file(), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_names(error, named[i]);
    assert_memory_equal(&params, &before, sizeof params);
  }
}

/* What gsample does not do is counted and named; what other keys say is none of our business. */
static void what_is_not_honoured_is_reported(void** state) {
  (void)state;
  begin(GGUF_LITTLE);
  gguf_f32(&file, KEY "temp", 0.5f);
  gguf_f32(&file, KEY "dry_multiplier", 0.8f);
  gguf_string(&file, KEY "something.new", "x");
  gguf_f32(&file, "general.samplings", 1);
  gguf_f32(&file, "sampling.temp", 1);
  assert_int_equal(read_file(), 2);
  assert_names(error, KEY "dry_multiplier");
  assert_names(error, KEY "something.new");
  assert_true(params.temperature == 0.5f && params.dry_multiplier == 0);

  begin(GGUF_LITTLE); /* a message that is too short for the names still gives the count */
  for (int i = 0; i < 100; i++) {
    char key[64];
    snprintf(key, sizeof key, KEY "unheard_of_%d", i);
    gguf_f32(&file, key, 1);
  }
  assert_int_equal(read_file(), 100);
  assert_int_equal(strlen(error.message), sizeof error.message - 1);
  assert_names(error, "...");

  begin(GGUF_LITTLE); /* no room for the stage in the caller's order */
  assert_int_equal(gsample_params_set(&params, "order", "top_k,top_p,temperature", NULL), GSAMPLE_OK);
  gguf_f32(&file, KEY "xtc_probability", 0.5f);
  gguf_f32(&file, KEY "xtc_threshold", 0.3f);
  gguf_f32(&file, KEY "min_p", 0);
  gguf_f32(&file, KEY "temp", 0.5f);
  assert_int_equal(read_file(), 1);
  assert_names(error, KEY "xtc_probability");
  assert_true(params.xtc_probability == 0 && params.temperature == 0.5f);
}

/* A sequence in the file, and mirostat above it, rule the order: what has no stage there is off, and reported if it was the file's. */
static void the_order_of_the_file(void** state) {
  (void)state;
  begin(GGUF_BIG);
  gguf_string(&file, KEY "sequence", "top_k;temperature");
  gguf_integer(&file, KEY "top_k", GGUF_I32, 20);
  gguf_f32(&file, KEY "min_p", 0.1f);
  assert_int_equal(read_file(), 1);
  assert_names(error, KEY "min_p");
  assert_true(params.top_k == 20 && params.top_p == 1 && params.min_p == 0);
  const int32_t named[] = {GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_TEMPERATURE};
  assert_order(named, 2);

  begin(GGUF_BIG);
  gguf_integer(&file, KEY "top_k", GGUF_I32, 20);
  gguf_integer(&file, KEY "mirostat", GGUF_I32, 2);
  gguf_string(&file, KEY "sequence", "top_k;temperature");
  gguf_f32(&file, KEY "temp", 0.6f);
  assert_int_equal(read_file(), 2);
  assert_names(error, KEY "sequence");
  assert_names(error, KEY "top_k");
  assert_true(params.mirostat == 2 && params.temperature == 0.6f && params.top_k == 0 && params.top_p == 1);
  const int32_t steered[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_DRY, GSAMPLE_STAGE_TEMPERATURE, GSAMPLE_STAGE_MIROSTAT};
  assert_order(steered, 4);
}

static void bad_files_and_paths(void** state) {
  (void)state;
  begin(GGUF_LITTLE);
  gsample_params before = params;
  gguf_f32(&file, KEY "temp", 0.5f);
  gguf_end(&file);
  for (size_t n = 0; n < file.n; n++) {
    assert_int_equal(gsample_params_from_gguf(&params, file.bytes, n, &error), GSAMPLE_ERROR_BUFFER);
    assert_memory_equal(&params, &before, sizeof params);
  }
  char path[] = "/tmp/gsample-params-XXXXXX";
  int descriptor = mkstemp(path);
  assert_true(descriptor >= 0 && write(descriptor, file.bytes, file.n) == (ssize_t)file.n);
  assert_int_equal(gsample_params_from_gguf_file(&params, path, &error), GSAMPLE_OK);
  assert_true(params.temperature == 0.5f);
  assert_int_equal(ftruncate(descriptor, (off_t)file.n - 1), 0);
  assert_int_equal(gsample_params_from_gguf_file(&params, path, &error), GSAMPLE_ERROR_FORMAT);
  close(descriptor);
  remove(path);
  assert_int_equal(gsample_params_from_gguf_file(&params, path, &error), GSAMPLE_ERROR_IO);
  assert_names(error, path);
  assert_int_equal(mkfifo(path, 0600), 0); /* nobody will ever write to it */
  assert_int_equal(gsample_params_from_gguf_file(&params, path, &error), GSAMPLE_ERROR_IO);
  assert_names(error, "regular file");
  remove(path);
  memcpy(file.bytes, "GGML", 4);
  assert_int_equal(gsample_params_from_gguf(&params, file.bytes, file.n, &error), GSAMPLE_ERROR_FORMAT);
  assert_int_equal(gsample_params_from_gguf(&params, NULL, 5, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_params_from_gguf(NULL, file.bytes, file.n, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_params_from_gguf_file(&params, NULL, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  free(file.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_twelve_keys),
      cmocka_unit_test(any_numeric_type),
      cmocka_unit_test(wrong_values_are_refused_by_name),
      cmocka_unit_test(what_is_not_honoured_is_reported),
      cmocka_unit_test(the_order_of_the_file),
      cmocka_unit_test(bad_files_and_paths),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parameters by name, preset and text, through the public interface. */
#include "api.h"

static gsample_params defaults(void) {
  gsample_params params = {.size = sizeof params};
  assert_int_equal(gsample_params_init(&params), GSAMPLE_OK);
  return params;
}

static int32_t set(gsample_params* params, const char* key, const char* value) { return gsample_params_set(params, key, value, NULL); }

static void assert_order(const gsample_params* params, const int32_t* order) {
  size_t i = 0;
  for (; order[i]; i++) assert_int_equal(params->order[i], order[i]);
  assert_int_equal(params->order[i], 0);
}

#define ORDER(...) ((const int32_t[]){__VA_ARGS__, 0})
#define PENALTIES GSAMPLE_STAGE_PENALTIES
#define DRY GSAMPLE_STAGE_DRY
#define SIGMA GSAMPLE_STAGE_TOP_N_SIGMA
#define TOP_K GSAMPLE_STAGE_TOP_K
#define TYPICAL GSAMPLE_STAGE_TYPICAL_P
#define TOP_P GSAMPLE_STAGE_TOP_P
#define MIN_P GSAMPLE_STAGE_MIN_P
#define XTC GSAMPLE_STAGE_XTC
#define TEMPERATURE GSAMPLE_STAGE_TEMPERATURE
#define MIROSTAT GSAMPLE_STAGE_MIROSTAT
#define ADAPTIVE GSAMPLE_STAGE_ADAPTIVE_P
#define CUSTOM GSAMPLE_STAGE_CUSTOM

static void init_gives_the_defaults(void** state) {
  (void)state;
  gsample_params p;
  memset(&p, 0xff, sizeof p);
  p.size = sizeof p;
  assert_int_equal(gsample_params_init(&p), GSAMPLE_OK);
  assert_int_equal(p.size, sizeof p);
  assert_true(p.temperature == 1 && p.top_k == 64 && p.top_p == 0.95f && p.min_p == 0 && p.typical_p == 1 && p.top_n_sigma <= 0);
  assert_true(p.xtc_probability == 0 && p.xtc_threshold == 0.1f && p.dynatemp_range == 0 && p.dynatemp_exponent == 1);
  assert_true(p.mirostat == 0 && p.mirostat_tau == 5 && p.mirostat_eta == 0.1f && p.adaptive_target == -1 && p.adaptive_decay == 0.9f);
  assert_true(p.penalty_repeat == 1 && p.penalty_freq == 0 && p.penalty_present == 0 && p.penalty_last_n == 64 && p.penalty_style == 0);
  assert_true(p.dry_multiplier == 0 && p.dry_base == 1.75f && p.dry_allowed_length == 2 && p.dry_last_n == -1);
  assert_true(p.seed == 0 && p.min_keep == 0 && p.nan_policy == GSAMPLE_NAN_ERROR && p.constraint_mode == GSAMPLE_CONSTRAINT_LAZY);
  assert_order(&p, ORDER(PENALTIES, DRY, SIGMA, TOP_K, TYPICAL, TOP_P, MIN_P, XTC, TEMPERATURE));
}

/* The size is believed only where it can be one; what we do not know must be 0; what the caller does not know is not written. */
static void sized_structs(void** state) {
  (void)state;
  gsample_error error = FRESH_ERROR;
  gsample_params params = defaults();
  static const uint32_t wrong[] = {0, 1, 4, 7, 9, 250, 1u << 20, 1u << 31, 0xfffffffc, 0xffffffff};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    params.size = wrong[i];
    assert_int_equal(gsample_params_init(&params), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gsample_params_set(&params, "top_k", "1", &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_names(error, "size");
    assert_int_equal(gsample_params_preset(&params, "hf", NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(gsample_params_describe(&params, NULL, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_int_equal(params.size, wrong[i]);
    assert_int_equal(params.top_k, 64);
  }
  struct {
    gsample_params params;
    uint32_t tail[2];
  } newer = {.params = defaults()};
  newer.params.size = sizeof newer;
  assert_int_equal(set(&newer.params, "top_k", "7"), GSAMPLE_OK);
  assert_int_equal(newer.params.top_k, 7);
  newer.tail[1] = 1;
  assert_int_equal(set(&newer.params, "top_k", "8"), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_true(newer.params.top_k == 7 && newer.tail[1] == 1);
  assert_int_equal(gsample_params_init(&newer.params), GSAMPLE_OK);
  assert_true(newer.params.top_k == 64 && newer.tail[1] == 0 && newer.params.size == sizeof newer);

  gsample_params older = defaults();
  older.size = offsetof(gsample_params, order);
  assert_int_equal(set(&older, "top_k", "7"), GSAMPLE_OK);
  assert_true(older.top_k == 7 && older.order[0] == PENALTIES);
  assert_int_equal(set(&older, "order", "top_k"), GSAMPLE_ERROR_INVALID_ARGUMENT); /* it would be lost */
  assert_int_equal(gsample_params_init(NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(set(NULL, "top_k", "7"), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_params_describe(NULL, NULL, 0), GSAMPLE_ERROR_INVALID_ARGUMENT);
}

#define REAL(field, name) \
  { name, offsetof(gsample_params, field), 1 }
#define INTEGER(field, name) \
  { name, offsetof(gsample_params, field), 0 }
static const struct {
  const char* name;
  size_t offset;
  int real;
} names[] = {
    REAL(temperature, "temperature"),
    REAL(temperature, "temp"),
    REAL(top_p, "top_p"),
    REAL(top_p, "top-p"),
    REAL(min_p, "min_p"),
    REAL(min_p, "min-p"),
    REAL(typical_p, "typical_p"),
    REAL(typical_p, "typical"),
    REAL(typical_p, "typ_p"),
    REAL(typical_p, "typ"),
    REAL(top_n_sigma, "top_n_sigma"),
    REAL(top_n_sigma, "top-nsigma"),
    REAL(top_n_sigma, "nsigma"),
    REAL(top_n_sigma, "n_sigma"),
    REAL(xtc_probability, "xtc_probability"),
    REAL(xtc_threshold, "xtc_threshold"),
    REAL(xtc_threshold, "xtc-threshold"),
    REAL(dynatemp_range, "dynatemp_range"),
    REAL(dynatemp_exponent, "dynatemp_exponent"),
    REAL(dynatemp_exponent, "dynatemp-exp"),
    REAL(mirostat_tau, "mirostat_tau"),
    REAL(mirostat_tau, "mirostat-ent"),
    REAL(mirostat_eta, "mirostat_eta"),
    REAL(mirostat_eta, "mirostat-lr"),
    REAL(adaptive_target, "adaptive_target"),
    REAL(adaptive_decay, "adaptive_decay"),
    REAL(penalty_repeat, "penalty_repeat"),
    REAL(penalty_repeat, "repetition_penalty"),
    REAL(penalty_repeat, "repeat_penalty"),
    REAL(penalty_repeat, "repeat-penalty"),
    REAL(penalty_repeat, "rep_pen"),
    REAL(penalty_freq, "penalty_freq"),
    REAL(penalty_freq, "frequency_penalty"),
    REAL(penalty_present, "penalty_present"),
    REAL(penalty_present, "presence_penalty"),
    REAL(dry_multiplier, "dry_multiplier"),
    REAL(dry_base, "dry_base"),
    INTEGER(top_k, "top_k"),
    INTEGER(top_k, "top-k"),
    INTEGER(penalty_last_n, "penalty_last_n"),
    INTEGER(penalty_last_n, "repeat_last_n"),
    INTEGER(dry_allowed_length, "dry_allowed_length"),
    INTEGER(dry_last_n, "dry_last_n"),
    INTEGER(dry_last_n, "dry_penalty_last_n"),
    INTEGER(min_keep, "min_keep"),
    INTEGER(mirostat, "mirostat"),
};

/* Each name sets its field and no other. */
static void names_of_every_system(void** state) {
  (void)state;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    gsample_params params = defaults(), expected = defaults();
    float real = 0.0625f;
    int32_t integer = 0;
    if (names[i].real) memcpy((char*)&expected + names[i].offset, &real, 4);
    else memcpy((char*)&expected + names[i].offset, &integer, 4);
    assert_int_equal(set(&params, names[i].name, names[i].real ? "0.0625" : "0"), GSAMPLE_OK);
    assert_memory_equal(&params, &expected, sizeof params);
  }
  gsample_params params = defaults();
  assert_int_equal(set(&params, "seed", "18446744073709551615"), GSAMPLE_OK);
  assert_true(params.seed == UINT64_MAX);
  assert_int_equal(set(&params, "penalty_style", "answer"), GSAMPLE_OK);
  assert_int_equal(set(&params, "nan_policy", "banned"), GSAMPLE_OK);
  assert_int_equal(set(&params, "constraint_mode", "mask_last"), GSAMPLE_OK);
  assert_true(params.penalty_style == 1 && params.nan_policy == 1 && params.constraint_mode == 2);
  assert_int_equal(set(&params, "constraint_mode", "1"), GSAMPLE_OK);
  assert_int_equal(params.constraint_mode, GSAMPLE_CONSTRAINT_MASK_FIRST);
  assert_int_equal(set(&params, "top_k", "50.0"), GSAMPLE_OK);
  assert_int_equal(params.top_k, 50);
  assert_int_equal(set(&params, "do_sample", "false"), GSAMPLE_OK);
  assert_true(params.temperature == 0);
  assert_int_equal(set(&params, "do_sample", "true"), GSAMPLE_ERROR_INVALID_ARGUMENT); /* with which temperature? */
}

/* The error names field, value and range, and nothing moves. */
static void wrong_values_are_named(void** state) {
  (void)state;
  static const char* const wrong[][2] = {
      {"temperature", "nan"},
      {"temperature", "inf"},
      {"temperature", "-inf"},
      {"temperature", "1e39"},
      {"temperature", ""},
      {"temperature", " 1"},
      {"temperature", "1 "},
      {"temperature", "0,5"},
      {"temperature", "+1"},
      {"temperature", "0x1"},
      {"temperature", "true"},
      {"temperature", "null"},
      {"top_p", "-0.1"},
      {"top_p", "nan"},
      {"typical_p", "-1"},
      {"min_p", "-0.1"},
      {"min_p", "1.1"},
      {"xtc_probability", "2"},
      {"xtc_probability", "-1"},
      {"xtc_threshold", "0"},
      {"xtc_threshold", "-1"},
      {"dynatemp_range", "-1"},
      {"dynatemp_exponent", "0"},
      {"mirostat", "3"},
      {"mirostat", "-1"},
      {"mirostat", "1.5"},
      {"mirostat_tau", "-1"},
      {"mirostat_eta", "-0.1"},
      {"mirostat_eta", "1.1"},
      {"adaptive_target", "1.1"},
      {"adaptive_decay", "1"},
      {"adaptive_decay", "-0.1"},
      {"dry_multiplier", "-1"},
      {"dry_base", "-1"},
      {"dry_allowed_length", "-1"},
      {"min_keep", "-1"},
      {"top_k", "2147483648"},
      {"top_k", "-2147483649"},
      {"top_k", "99999999999999999999"},
      {"top_k", "4.5"},
      {"top_k", "nan"},
      {"top_k", "inf"},
      {"top_k", "forty"},
      {"penalty_style", "2"},
      {"penalty_style", "windows"},
      {"penalty_style", ""},
      {"nan_policy", "2"},
      {"nan_policy", "-1"},
      {"constraint_mode", "3"},
      {"seed", "-1"},
      {"seed", "18446744073709551616"},
      {"seed", "1.5"},
      {"order", "nothing"},
      {"order", "top_k,,top_p"},
      {"order", "infill"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gsample_params params = defaults(), before = params;
    gsample_error error = FRESH_ERROR;
    if (gsample_params_set(&params, wrong[i][0], wrong[i][1], &error) != GSAMPLE_ERROR_INVALID_ARGUMENT)
      fail_msg("%s took %s", wrong[i][0], wrong[i][1]);
    assert_int_equal(error.status, GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_names(error, wrong[i][0]);
    if (strcmp(wrong[i][0], "order")) {
      assert_names(error, wrong[i][1]);
      assert_names(error, "allowed");
    }
    assert_memory_equal(&params, &before, sizeof params);
  }
  gsample_params params = defaults();
  gsample_error error = FRESH_ERROR;
  assert_int_equal(gsample_params_set(&params, "repetition_penalty", "x", &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_names(error, "repetition_penalty");
  assert_names(error, "penalty_repeat");
}

static void unknown_names_are_refused(void** state) {
  (void)state;
  static const char* const unknown[] = {"", "top", "top_kk", "TOP_K", "size", "tempe rature", "order ", "infill"};
  gsample_params params = defaults(), before = params;
  for (size_t i = 0; i < sizeof unknown / sizeof *unknown; i++) {
    gsample_error error = FRESH_ERROR;
    assert_int_equal(gsample_params_set(&params, unknown[i], "1", &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_names(error, unknown[i]);
  }
  /* What other systems have and gsample does not: fine where it does nothing, refused by name where it would. */
  static const char* const foreign[][3] = {{"tfs_z", "1.0", "0.9"},       {"tfs", "1", "0"},       {"top_a", "0", "0.2"},
                                           {"eta_cutoff", "0.0", "0.1"},  {"num_beams", "1", "4"}, {"no_repeat_ngram_size", "0", "3"},
                                           {"smoothing_factor", "0", "x"}};
  for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++) {
    gsample_error error = FRESH_ERROR;
    assert_int_equal(set(&params, foreign[i][0], foreign[i][1]), GSAMPLE_OK);
    assert_int_equal(gsample_params_set(&params, foreign[i][0], foreign[i][2], &error), GSAMPLE_ERROR_UNSUPPORTED);
    assert_names(error, foreign[i][0]);
  }
  assert_int_equal(set(&params, NULL, "1"), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(set(&params, "top_k", NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_memory_equal(&params, &before, sizeof params);
}

static void orders_by_name(void** state) {
  (void)state;
  gsample_params params = defaults();
  assert_int_equal(set(&params, "order", "min_p,temperature"), GSAMPLE_OK);
  assert_order(&params, ORDER(MIN_P, TEMPERATURE));
  assert_int_equal(set(&params, "samplers", "penalties;dry;top_n_sigma;top_k;typ_p;top_p;min_p;xtc;temperature"), GSAMPLE_OK);
  assert_order(&params, ORDER(PENALTIES, DRY, SIGMA, TOP_K, TYPICAL, TOP_P, MIN_P, XTC, TEMPERATURE));
  assert_int_equal(set(&params, "order", "temp,custom,typical,adaptive-p"), GSAMPLE_OK);
  assert_order(&params, ORDER(TEMPERATURE, CUSTOM, TYPICAL, ADAPTIVE));
  assert_int_equal(set(&params, "order", ""), GSAMPLE_OK);
  assert_int_equal(params.order[0], 0);

  static const char* const wrong[][2] = {
      {"top_k,temp,top_k", "top_k"}, {"mirostat,top_k", "mirostat"}, {"adaptive_p,mirostat", "adaptive_p"}};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    gsample_error error = FRESH_ERROR;
    assert_int_equal(gsample_params_set(&params, "order", wrong[i][0], &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_names(error, wrong[i][1]);
    assert_int_equal(params.order[0], 0);
  }
  char many[400] = "";
  for (int i = 0; i < 40; i++) strcat(many, "top_k,");
  assert_int_equal(set(&params, "order", many), GSAMPLE_ERROR_INVALID_ARGUMENT);
}

/* mirostat by name rewrites the order, and what no longer has a stage is off; by 0 it changes itself only. */
static void mirostat_rewrites_the_order(void** state) {
  (void)state;
  for (int version = 1; version <= 2; version++) {
    gsample_params params = defaults(), expected = defaults();
    assert_int_equal(set(&params, "mirostat", version == 1 ? "1" : "2"), GSAMPLE_OK);
    expected.mirostat = version;
    expected.top_k = 0;
    expected.top_p = 1;
    memset(expected.order, 0, sizeof expected.order);
    memcpy(expected.order, ORDER(PENALTIES, DRY, TEMPERATURE, MIROSTAT), 4 * sizeof(int32_t));
    assert_memory_equal(&params, &expected, sizeof params);
    expected.mirostat = 0;
    assert_int_equal(set(&params, "mirostat", "0"), GSAMPLE_OK);
    assert_memory_equal(&params, &expected, sizeof params);
  }
}

static void presets(void** state) {
  (void)state;
  const struct {
    const char* name;
    float temperature;
    int32_t top_k;
    float top_p, min_p;
    int32_t style;
    const int32_t* order;
  } expected[] = {
      {"golem", 1, 64, 0.95f, 0, 0, ORDER(PENALTIES, TOP_K, TOP_P, MIN_P, TEMPERATURE)},
      {"llama.cpp", 0.8f, 40, 0.95f, 0.05f, 0, ORDER(PENALTIES, DRY, SIGMA, TOP_K, TYPICAL, TOP_P, MIN_P, XTC, TEMPERATURE)},
      {"vllm", 1, 0, 1, 0, 1, ORDER(PENALTIES, TEMPERATURE, MIN_P, TOP_K, TOP_P)},
      {"hf", 1, 50, 1, 0, 1, ORDER(PENALTIES, TEMPERATURE, TOP_K, TOP_P, MIN_P, TYPICAL)},
      {"ollama", 0.8f, 40, 0.9f, 0, 0, ORDER(TOP_K, TEMPERATURE, TOP_P, MIN_P)},
      {"openai", 1, 0, 1, 0, 1, ORDER(PENALTIES, TEMPERATURE, TOP_P)},
      {"greedy", 0, 0, 1, 0, 0, ORDER(PENALTIES, DRY, TEMPERATURE)},
  };
  for (size_t i = 0; i < sizeof expected / sizeof *expected; i++) {
    gsample_params p = defaults();
    p.seed = 42;
    p.nan_policy = GSAMPLE_NAN_BANNED;
    p.constraint_mode = GSAMPLE_CONSTRAINT_MASK_LAST;
    p.min_keep = 5;
    p.typical_p = 0.5f;
    p.xtc_probability = 0.5f;
    p.penalty_repeat = 1.5f;
    p.penalty_last_n = -1;
    p.mirostat = 2;
    assert_int_equal(gsample_params_preset(&p, expected[i].name, NULL), GSAMPLE_OK);
    assert_true(p.temperature == expected[i].temperature && p.top_k == expected[i].top_k && p.top_p == expected[i].top_p);
    assert_true(p.min_p == expected[i].min_p && p.penalty_style == expected[i].style);
    assert_order(&p, expected[i].order);
    assert_true(p.typical_p == 1 && p.xtc_probability == 0 && p.penalty_repeat == 1 && p.penalty_last_n == 64 && p.mirostat == 0);
    assert_true(p.seed == 42 && p.nan_policy == GSAMPLE_NAN_BANNED && p.constraint_mode == GSAMPLE_CONSTRAINT_MASK_LAST);
    assert_int_equal(p.min_keep, 0);
  }
  gsample_params params = defaults(), before = params;
  gsample_error error = FRESH_ERROR;
  assert_int_equal(gsample_params_preset(&params, "llama", &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_names(error, "llama");
  assert_names(error, "vllm");
  assert_int_equal(gsample_params_preset(&params, NULL, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_memory_equal(&params, &before, sizeof params);
}

/* Sets everything that a description says, starting from something else. */
static gsample_params read_back(char* text) {
  gsample_params params = defaults();
  assert_int_equal(gsample_params_preset(&params, "ollama", NULL), GSAMPLE_OK);
  for (char* pair = strtok(text, " "); pair; pair = strtok(NULL, " ")) {
    char* value = strchr(pair, '=');
    assert_non_null(value);
    *value++ = '\0';
    assert_int_equal(set(&params, pair, value), GSAMPLE_OK);
  }
  return params;
}

static uint64_t next(uint64_t* random) {
  *random ^= *random << 13;
  *random ^= *random >> 7;
  return *random ^= *random << 17;
}

/* A float of any magnitude within the bounds. */
static float between(uint64_t* random, float low, float high) {
  for (;;) {
    uint32_t bits = (uint32_t)(next(random) >> 20);
    float value;
    memcpy(&value, &bits, sizeof value);
    if (next(random) % 2) value = low + (high - low) * (float)(next(random) % 1000003) / 1000003.0f;
    if (value >= low && value <= high) return value;
  }
}

static void description_reads_back_to_the_bit(void** state) {
  (void)state;
  const float max = 3.4028234e38f;
  uint64_t random = 88172645463325252u;
  for (int n = 0; n < 20000; n++) {
    gsample_params p = defaults();
    p.temperature = between(&random, -max / 4, max / 4);
    p.top_p = between(&random, 0, 2);
    p.min_p = between(&random, 0, 1);
    p.typical_p = between(&random, 0, max / 4);
    p.top_n_sigma = between(&random, -5, 5);
    p.xtc_probability = between(&random, 0, 1);
    p.xtc_threshold = between(&random, 1e-45f, 1);
    p.dynatemp_range = between(&random, 0, 5);
    p.dynatemp_exponent = between(&random, 1e-45f, 5);
    p.mirostat_tau = between(&random, 0, 10);
    p.mirostat_eta = between(&random, 0, 1);
    p.adaptive_target = between(&random, -max / 4, 1);
    p.adaptive_decay = between(&random, 0, 0.99f);
    p.penalty_repeat = between(&random, -2, 2);
    p.penalty_freq = between(&random, -2, 2);
    p.penalty_present = between(&random, -2, 2);
    p.dry_multiplier = between(&random, 0, 2);
    p.dry_base = between(&random, 0, 2);
    p.seed = next(&random) >> next(&random) % 64;
    p.top_k = (int32_t)next(&random);
    p.penalty_last_n = (int32_t)next(&random);
    p.dry_last_n = (int32_t)next(&random);
    p.dry_allowed_length = (int32_t)(next(&random) >> 33);
    p.min_keep = (int32_t)(next(&random) >> 33);
    p.mirostat = next(&random) % 3;
    p.penalty_style = next(&random) % 2;
    p.nan_policy = next(&random) % 2;
    p.constraint_mode = next(&random) % 3;
    int32_t stages[] = {PENALTIES, DRY, SIGMA, TOP_K, TYPICAL, TOP_P, MIN_P, XTC, TEMPERATURE, CUSTOM};
    for (size_t i = 9; i > 0; i--) {
      size_t j = next(&random) % (i + 1);
      int32_t other = stages[i];
      stages[i] = stages[j];
      stages[j] = other;
    }
    size_t length = next(&random) % 11;
    memset(p.order, 0, sizeof p.order);
    memcpy(p.order, stages, length * sizeof *stages);
    if (next(&random) % 3 == 0) p.order[length] = next(&random) % 2 ? MIROSTAT : ADAPTIVE;

    char text[4096];
    int64_t size = gsample_params_describe(&p, NULL, 0);
    assert_in_range(size, 1, sizeof text);
    memset(text, 'x', sizeof text);
    assert_int_equal(gsample_params_describe(&p, text, size - 1), GSAMPLE_ERROR_BUFFER);
    assert_int_equal(text[0], 'x');
    assert_int_equal(gsample_params_describe(&p, text, size), size);
    assert_int_equal(strlen(text) + 1, size);
    gsample_params back = read_back(text);
    assert_memory_equal(&back, &p, sizeof p);
  }
  gsample_params p = defaults();
  assert_int_equal(gsample_params_describe(&p, NULL, 100), GSAMPLE_ERROR_INVALID_ARGUMENT);
}

/* A caller who wants to know what is wrong may describe what no sampler can be made of. */
static void description_of_nonsense(void** state) {
  (void)state;
  gsample_params p;
  memset(&p, 0xff, sizeof p);
  p.size = sizeof p;
  char text[4096];
  assert_in_range(gsample_params_describe(&p, text, sizeof text), 1, sizeof text);
  assert_non_null(strstr(text, "top_p=-nan"));
  assert_non_null(strstr(text, "penalty_style=-1"));
  assert_non_null(strstr(text, "order=-1,-1"));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(init_gives_the_defaults),
      cmocka_unit_test(sized_structs),
      cmocka_unit_test(names_of_every_system),
      cmocka_unit_test(wrong_values_are_named),
      cmocka_unit_test(unknown_names_are_refused),
      cmocka_unit_test(orders_by_name),
      cmocka_unit_test(mirostat_rewrites_the_order),
      cmocka_unit_test(presets),
      cmocka_unit_test(description_reads_back_to_the_bit),
      cmocka_unit_test(description_of_nonsense),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

/* Parameters from Hugging Face's generation_config.json. */
#include "api.h"

static gsample_params params;
static gsample_error error;

static int32_t read_text(const char* json, size_t n) {
  params.size = sizeof params;
  error.size = sizeof error;
  char* exact = malloc(n ? n : 1); /* of exactly this size, for the address sanitizer */
  assert_non_null(exact);
  memcpy(exact, json, n);
  int32_t status = gsample_params_from_generation_config(&params, exact, n, &error);
  assert_int_equal(error.status, status);
  free(exact);
  return status;
}

static int32_t read_json(const char* json) {
  params.size = sizeof params;
  assert_int_equal(gsample_params_init(&params), GSAMPLE_OK);
  return read_text(json, strlen(json));
}

/* Files as models carry them. */
static void real_files(void** state) {
  (void)state;
  assert_int_equal(read_json("{\n  \"bos_token_id\": 151643,\n  \"pad_token_id\": 151643,\n  \"do_sample\": true,\n"
                             "  \"eos_token_id\": [\n    151645,\n    151643\n  ],\n  \"repetition_penalty\": 1.05,\n"
                             "  \"temperature\": 0.7,\n  \"top_p\": 0.8,\n  \"top_k\": 20,\n  \"transformers_version\": \"4.37.0\"\n}\n"),
                   GSAMPLE_OK);
  assert_string_equal(error.message, "");
  assert_true(params.temperature == 0.7f && params.top_p == 0.8f && params.top_k == 20 && params.penalty_repeat == 1.05f);
  assert_int_equal(params.penalty_style, GSAMPLE_PENALTY_ANSWER);
  const int32_t order[] = {GSAMPLE_STAGE_PENALTIES,
                           GSAMPLE_STAGE_TEMPERATURE,
                           GSAMPLE_STAGE_TOP_K,
                           GSAMPLE_STAGE_TOP_P,
                           GSAMPLE_STAGE_MIN_P,
                           GSAMPLE_STAGE_TYPICAL_P,
                           0};
  assert_memory_equal(params.order, order, sizeof order);

  assert_int_equal(read_json("{\"_from_model_config\": true, \"cache_implementation\": \"hybrid\", \"do_sample\": true,"
                             "\"eos_token_id\": [1, 106], \"top_k\": 64, \"top_p\": 0.95, \"transformers_version\": \"4.50.0\"}"),
                   GSAMPLE_OK);
  assert_true(params.temperature == 1 && params.top_k == 64 && params.top_p == 0.95f);

  assert_int_equal(read_json("{\"do_sample\": true, \"temperature\": 0.6, \"max_length\": 4096, \"length_penalty\": 2, \"num_beams\": 1}"),
                   GSAMPLE_OK);
  assert_true(params.temperature == 0.6f && params.top_k == 50 && params.top_p == 1); /* Hugging Face's defaults, not ours */
}

/* Without do_sample true, generate() is greedy. If the file says so itself nothing is lost, else what it gives for sampling is named. */
static void greedy_without_do_sample(void** state) {
  (void)state;
  assert_int_equal(read_json("{\"do_sample\": false, \"temperature\": 0.7, \"top_k\": 20}"), GSAMPLE_OK);
  assert_true(params.temperature == 0 && params.top_k == 20);
  assert_int_equal(read_json("{\"bos_token_id\": 1, \"eos_token_id\": 2}"), GSAMPLE_OK);
  assert_true(params.temperature == 0);
  assert_int_equal(read_json("{\"temperature\": 0.9, \"top_p\": 0.6, \"typical_p\": 1.0, \"repetition_penalty\": 1.1}"), 2);
  assert_names(error, "temperature");
  assert_names(error, "top_p");
  assert_true(params.temperature == 0 && params.penalty_repeat == 1.1f);
  assert_int_equal(read_json("{\"temperature\": 0, \"top_p\": 0.6}"), GSAMPLE_OK); /* greedy by its own word */
  assert_true(params.temperature == 0);
  assert_int_equal(read_json("{\"do_sample\": null}"), GSAMPLE_OK);
  assert_true(params.temperature == 0);
}

static void null_is_off(void** state) {
  (void)state;
  assert_int_equal(read_json("{\"do_sample\": true, \"top_k\": null, \"top_p\": null, \"temperature\": null, \"min_p\": null,"
                             "\"typical_p\": null, \"repetition_penalty\": null, \"num_beams\": null, \"bad_words_ids\": null}"),
                   GSAMPLE_OK);
  assert_true(params.top_k <= 0 && params.top_p >= 1 && params.temperature == 1 && params.min_p == 0 && params.typical_p >= 1);
  assert_true(params.penalty_repeat == 1);
}

/* What the file has no word for stays the caller's; everything else is the file's or Hugging Face's. */
static void what_stays(void** state) {
  (void)state;
  memset(&params, 0, sizeof params);
  params.size = sizeof params;
  assert_int_equal(gsample_params_preset(&params, "llama.cpp", NULL), GSAMPLE_OK);
  params.seed = 7;
  params.nan_policy = GSAMPLE_NAN_BANNED;
  params.constraint_mode = GSAMPLE_CONSTRAINT_MASK_FIRST;
  params.dry_multiplier = 0.8f;
  const char json[] = "{\"do_sample\": true, \"top_k\": 5.0, \"temperature\": 1}";
  assert_int_equal(read_text(json, sizeof json - 1), GSAMPLE_OK);
  assert_true(params.seed == 7 && params.nan_policy == GSAMPLE_NAN_BANNED && params.constraint_mode == GSAMPLE_CONSTRAINT_MASK_FIRST);
  assert_true(params.dry_multiplier == 0 && params.min_p == 0 && params.top_k == 5);
}

static void what_is_not_honoured_is_reported(void** state) {
  (void)state;
  static const char* const asks[][2] = {
      {"\"num_beams\": 4", "num_beams"},
      {"\"num_beam_groups\": 2", "num_beam_groups"},
      {"\"diversity_penalty\": 0.5", "diversity_penalty"},
      {"\"penalty_alpha\": 0.6", "penalty_alpha"},
      {"\"dola_layers\": \"low\"", "dola_layers"},
      {"\"min_length\": 10", "min_length"},
      {"\"min_new_tokens\": 1", "min_new_tokens"},
      {"\"epsilon_cutoff\": 3e-4", "epsilon_cutoff"},
      {"\"eta_cutoff\": 0.002", "eta_cutoff"},
      {"\"no_repeat_ngram_size\": 3", "no_repeat_ngram_size"},
      {"\"bad_words_ids\": [[5]]", "bad_words_ids"},
      {"\"sequence_bias\": {\"a\": 1}", "sequence_bias"},
      {"\"suppress_tokens\": [1, 2]", "suppress_tokens"},
      {"\"begin_suppress_tokens\": [220]", "begin_suppress_tokens"},
      {"\"forced_bos_token_id\": 5", "forced_bos_token_id"},
      {"\"forced_eos_token_id\": [2]", "forced_eos_token_id"},
      {"\"exponential_decay_length_penalty\": [5, 1.1]", "exponential_decay"},
      {"\"guidance_scale\": 1.5", "guidance_scale"},
      {"\"remove_invalid_values\": true", "remove_invalid_values"},
      {"\"encoder_repetition_penalty\": 1.2", "encoder_repetition_penalty"},
      {"\"watermarking_config\": {\"bias\": 2}", "watermarking"},
      {"\"top_h\": 0.4", "top_h"},
      {"\"tfs_z\": 0.9", "tfs_z"},
      {"\"unheard_of\": 1", "unheard_of"},
      {"\"seed\": 1", "seed"},
      {"\"order\": \"top_k\"", "order"},
      {"\"mirostat\": 2", "mirostat"},
      {"\"xtc_probability\": 0.5", "xtc_probability"},
      {"\"nested\": {\"temperature\": 0.1, \"top_k\": {}}", "nested"},
  };
  for (size_t i = 0; i < sizeof asks / sizeof *asks; i++) {
    char json[200];
    snprintf(json, sizeof json, "{\"do_sample\": true, %s, \"temperature\": 0.5}", asks[i][0]);
    if (read_json(json) != 1) fail_msg("%s gives %d", json, read_json(json));
    assert_names(error, asks[i][1]);
    assert_true(params.temperature == 0.5f && params.top_k == 50 && params.mirostat == 0 && params.xtc_probability == 0);
  }
  /* At its neutral value none of them asks for anything. */
  assert_int_equal(read_json("{\"do_sample\": true, \"num_beams\": 1, \"num_beam_groups\": 1, \"diversity_penalty\": 0.0,"
                             "\"epsilon_cutoff\": 0.0, \"eta_cutoff\": 0, \"no_repeat_ngram_size\": 0, \"bad_words_ids\": [],"
                             "\"sequence_bias\": {}, \"suppress_tokens\": null, \"encoder_repetition_penalty\": 1.0,"
                             "\"remove_invalid_values\": false, \"guidance_scale\": 1, \"forced_eos_token_id\": null, \"mirostat\": 0}"),
                   GSAMPLE_OK);
  assert_int_equal(read_json("{\"num_beams\": 2, \"eta_cutoff\": 1, \"foo\": 1}"), 3);
}

static void bad_values_are_refused_by_name(void** state) {
  (void)state;
  static const char* const wrong[][2] = {
      {"{\"temperature\": \"0.7\"}", "temperature"},
      {"{\"temperature\": true}", "temperature"},
      {"{\"top_k\": [50]}", "top_k"},
      {"{\"top_k\": {}}", "top_k"},
      {"{\"top_k\": 1.5}", "top_k"},
      {"{\"top_k\": 5000000000}", "top_k"},
      {"{\"top_p\": -0.1}", "top_p"},
      {"{\"min_p\": 1.5}", "min_p"},
      {"{\"temperature\": 1e200}", "temperature"},
      {"{\"do_sample\": 1}", "do_sample"},
      {"{\"do_sample\": \"true\"}", "do_sample"},
      {"{\"repetition_penalty\": \"\"}", "repetition_penalty"},
  };
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    if (read_json(wrong[i][0]) != GSAMPLE_ERROR_INVALID_ARGUMENT) fail_msg("%s is taken", wrong[i][0]);
    assert_names(error, wrong[i][1]);
    assert_true(params.temperature == 1 && params.top_k == 64); /* as before */
  }
}

static void bad_text_is_refused(void** state) {
  (void)state;
  static const char* const wrong[] = {"",
                                      " ",
                                      "[]",
                                      "3",
                                      "null",
                                      "\"a\"",
                                      "{",
                                      "}",
                                      "{\"a\"}",
                                      "{\"a\":}",
                                      "{\"a\":1,}",
                                      "{a:1}",
                                      "{'a':1}",
                                      "{\"a\":NaN}",
                                      "{\"a\":Infinity}",
                                      "{\"a\":1e999}",
                                      "{\"a\":01}",
                                      "{\"a\":1}x",
                                      "{\"a\":1}{}",
                                      "{\"a\":\"\xff\"}",
                                      "{\"a\":\"\\ud800\"}",
                                      "{\"a\":1,\"a\":1}",
                                      "// a\n{}",
                                      "{\"a\":[1,}"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    if (read_json(wrong[i]) != GSAMPLE_ERROR_FORMAT) fail_msg("%s gives %d", wrong[i], error.status);
  assert_int_equal(read_json("{\n  \"top_k\": 5,\n  \"top_p\" 1\n}"), GSAMPLE_ERROR_FORMAT);
  assert_int_equal(error.line, 3);
  assert_int_equal(error.column, 11);
  assert_int_equal(read_text("{\0}", 3), GSAMPLE_ERROR_FORMAT);

  assert_int_equal(read_json("{\"temp\": 0.5, \"temperature\": 0.6}"), GSAMPLE_ERROR_FORMAT); /* which? */
  assert_names(error, "temperature");

  size_t depth = 1000000; /* nesting costs neither stack nor time */
  char* deep = malloc(2 * depth + 6);
  assert_non_null(deep);
  memcpy(deep, "{\"a\":", 5);
  memset(deep + 5, '[', depth);
  memset(deep + 5 + depth, ']', depth);
  deep[5 + 2 * depth] = '}';
  assert_int_equal(read_text(deep, 2 * depth + 6), 1);
  assert_int_equal(read_text(deep, depth), GSAMPLE_ERROR_FORMAT);
  free(deep);
  assert_int_equal(gsample_params_from_generation_config(&params, NULL, 1, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_params_from_generation_config(NULL, "{}", 2, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(real_files),
      cmocka_unit_test(greedy_without_do_sample),
      cmocka_unit_test(null_is_off),
      cmocka_unit_test(what_stays),
      cmocka_unit_test(what_is_not_honoured_is_reported),
      cmocka_unit_test(bad_values_are_refused_by_name),
      cmocka_unit_test(bad_text_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}

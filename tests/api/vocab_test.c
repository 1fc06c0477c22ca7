/* Vocabularies: from a description, a GGUF file, a tokenizer.json. */
#include "api.h"
#include "gguf_writer.h"

static gsample_error error = FRESH_ERROR;

static void assert_bytes(const gsample_vocab* vocab, int32_t token, const char* text, size_t size) {
  const uint8_t* bytes = NULL;
  size_t n = 999;
  assert_int_equal(gsample_vocab_bytes(vocab, token, &bytes, &n), GSAMPLE_OK);
  assert_int_equal(n, size);
  if (n) assert_memory_equal(bytes, text, n);
}

/* Tokens "a", "bc", "" and "</s>" of the row 0..9. */
static gsample_vocab_desc desc_of(const uint64_t* offsets, const uint8_t* kinds) {
  gsample_vocab_desc desc = {
      .size = sizeof desc, .n_vocab = 10, .n_tokens = 4, .bytes = (const uint8_t*)"abc</s>", .offsets = offsets, .kinds = kinds};
  return desc;
}

static const uint64_t offsets[] = {0, 1, 3, 3, 7};
static const uint8_t kinds[] = {GSAMPLE_TOKEN_TEXT, GSAMPLE_TOKEN_TEXT, GSAMPLE_TOKEN_CONTROL, GSAMPLE_TOKEN_STOP};

static void from_a_description(void** state) {
  (void)state;
  gsample_vocab_desc desc = desc_of(offsets, kinds);
  gsample_vocab* vocab = NULL;
  const uint8_t* bytes;
  size_t n;
  int32_t stops[4] = {7, 7, 7, 7};
  assert_int_equal(gsample_vocab_new(&desc, &vocab, &error), GSAMPLE_OK);
  assert_bytes(vocab, 1, "bc", 2);
  assert_bytes(vocab, 2, "", 0);
  assert_bytes(vocab, 3, "</s>", 4);
  assert_bytes(vocab, 9, "", 0); /* padding of the row */
  assert_int_equal(gsample_vocab_bytes(vocab, 10, &bytes, &n), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_vocab_bytes(vocab, -1, &bytes, &n), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_vocab_bytes(NULL, 0, &bytes, &n), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_vocab_stops(vocab, NULL, 0), 1);
  assert_int_equal(gsample_vocab_stops(vocab, stops, 4), 1);
  assert_int_equal(stops[0], 3);
  assert_int_equal(stops[1], 7);
  gsample_vocab* again = gsample_vocab_retain(vocab);
  assert_ptr_equal(again, vocab);
  gsample_vocab_free(vocab);
  assert_bytes(again, 0, "a", 1);
  gsample_vocab_free(again);
  gsample_vocab_free(NULL);
  assert_null(gsample_vocab_retain(NULL));
}

static void refused_descriptions(void** state) {
  (void)state;
  static const uint64_t falling[] = {0, 3, 1, 3, 7};
  static const uint8_t unknown[] = {0, 0, 4, 0};
  gsample_vocab* vocab = NULL;
  gsample_vocab_desc desc;
  struct {
    gsample_vocab_desc desc;
    const char* names;
  } cases[9];
  for (size_t i = 0; i < 9; i++) cases[i].desc = desc_of(offsets, kinds);
  cases[0].desc.offsets = falling, cases[0].names = "offsets";
  cases[1].desc.kinds = unknown, cases[1].names = "kinds[2]";
  cases[2].desc.n_vocab = 3, cases[2].names = "n_tokens";
  cases[3].desc.n_vocab = 0, cases[3].names = "n_vocab";
  cases[4].desc.offsets = NULL, cases[4].names = "offsets";
  cases[5].desc.bytes = NULL, cases[5].names = "bytes";
  cases[6].desc.reserved = 1, cases[6].names = "reserved";
  cases[7].desc.size = 7, cases[7].names = "size";
  cases[8].desc.n_vocab = 1u << 30, cases[8].names = "n_vocab";
  for (size_t i = 0; i < 9; i++) {
    assert_int_equal(gsample_vocab_new(&cases[i].desc, &vocab, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_names(error, cases[i].names);
    assert_null(vocab);
  }
  desc = desc_of(offsets, kinds);
  assert_int_equal(gsample_vocab_new(&desc, NULL, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_vocab_new(NULL, &vocab, NULL), GSAMPLE_ERROR_INVALID_ARGUMENT);
}

static void stops_before_the_first_grammar(void** state) {
  (void)state;
  gsample_vocab_desc desc = desc_of(offsets, kinds);
  gsample_vocab* vocab = NULL;
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  int32_t stops[4];
  static const int32_t wanted[] = {1, 0, 1}, beyond[] = {10}, negative[] = {-1};
  assert_int_equal(gsample_vocab_new(&desc, &vocab, NULL), GSAMPLE_OK);
  assert_int_equal(gsample_vocab_set_stop(vocab, beyond, 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_vocab_set_stop(vocab, negative, 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_vocab_set_stop(vocab, NULL, 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  assert_int_equal(gsample_vocab_stops(vocab, NULL, 0), 1);
  assert_int_equal(gsample_vocab_set_stop(vocab, wanted, 3), GSAMPLE_OK);
  assert_int_equal(gsample_vocab_stops(vocab, stops, 1), GSAMPLE_ERROR_BUFFER);
  assert_int_equal(gsample_vocab_stops(vocab, stops, 2), 2);
  assert_int_equal(stops[0], 0);
  assert_int_equal(stops[1], 1);
  assert_int_equal(gsample_vocab_set_stop(vocab, wanted, 1), GSAMPLE_OK); /* token 0 is text again, 3 does not stop */
  assert_int_equal(gsample_grammar_from_gbnf(vocab, "root ::= \"a\"?", 13, NULL, &grammar, NULL), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_new(grammar, &matcher), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_allows(matcher, 0), 1);
  assert_int_equal(gsample_matcher_allows(matcher, 1), 1);
  assert_int_equal(gsample_matcher_allows(matcher, 3), 0);
  assert_int_equal(gsample_vocab_set_stop(vocab, wanted, 1), GSAMPLE_ERROR_INVALID_ARGUMENT);
  gsample_vocab_free(vocab); /* the grammar holds it, the matcher the grammar */
  gsample_grammar_free(grammar);
  assert_int_equal(gsample_matcher_accept(matcher, 0), GSAMPLE_OK);
  gsample_matcher_free(matcher);
}

static void from_gguf(void** state) {
  (void)state;
  for (int order = GGUF_LITTLE; order <= GGUF_BIG; order++) {
    gguf_writer file;
    gsample_vocab* vocab = NULL;
    int32_t stops[4];
    gguf_begin(&file, 3, order);
    gguf_string(&file, "tokenizer.ggml.model", "gpt2");
    gguf_array(&file, "tokenizer.ggml.tokens", GGUF_STRING, 5);
    gguf_put_string(&file, "\xc4\xa0hi\xc4\x8a"); /* a space, hi, a line break */
    gguf_put_string(&file, "\xc3\xa9");           /* the byte e9 */
    gguf_put_string(&file, "<|end|>");
    gguf_put_string(&file, "\xe2\x82\xac"); /* user-defined: as it is */
    gguf_put_string(&file, "[UNUSED]");
    gguf_array(&file, "tokenizer.ggml.token_type", GGUF_I32, 5);
    static const int types[] = {1, 1, 3, 4, 5};
    for (int i = 0; i < 5; i++) gguf_put(&file, (uint64_t)types[i], 4);
    gguf_key(&file, "tokenizer.ggml.eos_token_id", GGUF_U32);
    gguf_put(&file, 2, 4);
    gguf_end(&file);
    assert_int_equal(gsample_vocab_from_gguf(file.bytes, file.n, 8, &vocab, &error), GSAMPLE_OK);
    assert_bytes(vocab, 0, " hi\n", 4);
    assert_bytes(vocab, 1, "\xe9", 1);
    assert_bytes(vocab, 3, "\xe2\x82\xac", 3);
    assert_bytes(vocab, 7, "", 0);
    assert_int_equal(gsample_vocab_stops(vocab, stops, 4), 1);
    assert_int_equal(stops[0], 2);
    gsample_vocab_free(vocab);
    vocab = NULL;
    assert_int_equal(gsample_vocab_from_gguf(file.bytes, file.n, 4, &vocab, &error), GSAMPLE_ERROR_INVALID_ARGUMENT);
    assert_names(error, "n_vocab");
    free(file.bytes);

    gguf_begin(&file, 3, order);
    gguf_string(&file, "tokenizer.ggml.model", "llama");
    gguf_array(&file, "tokenizer.ggml.tokens", GGUF_STRING, 3);
    gguf_put_string(&file, "<unk>");
    gguf_put_string(&file, "<0xC3>");
    gguf_put_string(&file, "\xe2\x96\x81the");
    gguf_array(&file, "tokenizer.ggml.token_type", GGUF_I32, 3);
    gguf_put(&file, 2, 4), gguf_put(&file, 6, 4), gguf_put(&file, 1, 4);
    gguf_end(&file);
    assert_int_equal(gsample_vocab_from_gguf(file.bytes, file.n, 0, &vocab, &error), GSAMPLE_OK);
    assert_bytes(vocab, 1, "\xc3", 1);
    assert_bytes(vocab, 2, " the", 4);
    assert_int_equal(gsample_vocab_stops(vocab, NULL, 0), 0);
    gsample_vocab_free(vocab);
    free(file.bytes);

    gguf_begin(&file, 3, order);
    gguf_string(&file, "tokenizer.ggml.model", "bert");
    gguf_end(&file);
    vocab = NULL;
    assert_int_equal(gsample_vocab_from_gguf(file.bytes, file.n, 0, &vocab, &error), GSAMPLE_ERROR_UNSUPPORTED);
    assert_names(error, "bert");
    free(file.bytes);
  }
  gsample_vocab* none = NULL;
  assert_int_equal(gsample_vocab_from_gguf("GGUF", 4, 0, &none, &error), GSAMPLE_ERROR_BUFFER);
  assert_int_equal(gsample_vocab_from_gguf_file("/nowhere/at/all", 0, &none, &error), GSAMPLE_ERROR_IO);
}

static int32_t read_json(const char* json, uint32_t n_vocab, gsample_vocab** vocab) {
  return gsample_vocab_from_tokenizer_json(json, strlen(json), n_vocab, vocab, &error);
}

static void from_tokenizer_json(void** state) {
  (void)state;
  gsample_vocab* vocab = NULL;
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  assert_int_equal(
      read_json("{\"version\":\"1.0\",\"added_tokens\":[{\"id\":5,\"content\":\"<|end|>\",\"special\":true},{\"id\":6,\"content\":\" "
                "\\u20ac\",\"special\":false}],"
                "\"pre_tokenizer\":{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\"},{\"type\":\"ByteLevel\"}]},"
                "\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0,\"\\u0120b\":1,\"\\u00e9\":2,\"\\u010a\":3},\"merges\":[[\"a\",\"b\"]]}}",
                16, &vocab),
      GSAMPLE_OK);
  assert_bytes(vocab, 1, " b", 2);
  assert_bytes(vocab, 2, "\xe9", 1);
  assert_bytes(vocab, 3, "\n", 1);
  assert_bytes(vocab, 4, "", 0); /* no token has this id */
  assert_bytes(vocab, 5, "<|end|>", 7);
  assert_bytes(vocab, 6, " \xe2\x82\xac", 4);
  static const int32_t end[] = {5};
  assert_int_equal(gsample_vocab_stops(vocab, NULL, 0), 0);
  assert_int_equal(gsample_vocab_set_stop(vocab, end, 1), GSAMPLE_OK);
  assert_int_equal(gsample_grammar_from_regex(vocab, ".*", 2, &grammar, NULL), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_new(grammar, &matcher), GSAMPLE_OK);
  assert_int_equal(gsample_matcher_allows(matcher, 6), 1);
  assert_int_equal(gsample_matcher_allows(matcher, 5), 1);
  assert_int_equal(gsample_matcher_allows(matcher, 4), 0);
  gsample_matcher_free(matcher);
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);

  assert_int_equal(read_json("{\"decoder\":{\"type\":\"Sequence\",\"decoders\":[{\"type\":\"Replace\",\"pattern\":{\"String\":\"\\u2581\"},"
                             "\"content\":\" \"},{\"type\":\"ByteFallback\"}]},"
                             "\"model\":{\"type\":\"BPE\",\"byte_fallback\":true,\"vocab\":{\"<0x0A>\":0,\"\\u2581x\":1}}}",
                             0, &vocab),
                   GSAMPLE_OK);
  assert_bytes(vocab, 0, "\n", 1);
  assert_bytes(vocab, 1, " x", 2);
  gsample_vocab_free(vocab);
  assert_int_equal(
      read_json(
          "{\"pre_tokenizer\":{\"type\":\"Metaspace\"},\"model\":{\"type\":\"Unigram\",\"vocab\":[[\"<unk>\",0],[\"\\u2581y\",-1.5]]}}", 0,
          &vocab),
      GSAMPLE_OK);
  assert_bytes(vocab, 1, " y", 2);
  gsample_vocab_free(vocab);

  static const struct {
    const char* json;
    int32_t status;
    const char* names;
  } refused[] = {
      {"{\"model\":{\"type\":\"WordPiece\",\"vocab\":{\"a\":0}}}", GSAMPLE_ERROR_UNSUPPORTED, "WordPiece"},
      {"{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":0}}}", GSAMPLE_ERROR_UNSUPPORTED, "byte-level"},
      {"{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"vocab\":{\"a\":0,\"b\":0}}}", GSAMPLE_ERROR_FORMAT, "id 0"},
      {"{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"vocab\":{\"a\":-1}}}", GSAMPLE_ERROR_FORMAT, "-1"},
      {"{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"vocab\":{\"a\":4294967295}}}", GSAMPLE_ERROR_LIMIT, "4294967295"},
      {"{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"vocab\":{}}}", GSAMPLE_ERROR_FORMAT, "no tokens"},
      {"{\"model\":", GSAMPLE_ERROR_FORMAT, "no JSON"},
      {"", GSAMPLE_ERROR_FORMAT, "no JSON"},
      {"{\"decoder\":{\"type\":\"ByteLevel\"},\"model\":{\"vocab\":{\"a\":20}}}", GSAMPLE_ERROR_INVALID_ARGUMENT, "n_vocab"},
  };
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    vocab = NULL;
    assert_int_equal(read_json(refused[i].json, 16, &vocab), refused[i].status);
    assert_names(error, refused[i].names);
    assert_null(vocab);
  }
  assert_int_equal(read_json("{\"model\":{\"type\":\"BPE\",\"vocab\":{\"a\":16777214}},\"decoder\":{\"type\":\"ByteLevel\"}}", 0, &vocab),
                   GSAMPLE_ERROR_LIMIT); /* all but one of so many would be holes */
  assert_names(error, "16777214");
  assert_int_equal(read_json("{\n \"model\": }", 0, &vocab), GSAMPLE_ERROR_FORMAT);
  assert_true(error.line == 2 && error.column == 11);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(from_a_description), cmocka_unit_test(refused_descriptions),
                                     cmocka_unit_test(stops_before_the_first_grammar), cmocka_unit_test(from_gguf),
                                     cmocka_unit_test(from_tokenizer_json)};
  return cmocka_run_group_tests_name("vocab", tests, NULL, NULL);
}

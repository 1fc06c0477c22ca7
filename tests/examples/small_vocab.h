/* A vocabulary for the examples: the 256 bytes, some words of English and JSON, and a few tokens that stand for no text. An engine takes
   its own from the model's file: gsample_vocab_from_gguf_file or gsample_vocab_from_tokenizer_json. */
#ifndef SMALL_VOCAB_H
#define SMALL_VOCAB_H
#include <gsample/gsample.h>
#include <stdio.h>
#include <string.h>

enum { END_OF_TEXT = 300, THINK = 301, END_THINK = 302, N_VOCAB = 320 };

static gsample_vocab* small_vocab(void) {
  static const char* const words[] = {" the",  " a",   "and", "ing", "\":", "\", \"", "{\"", "\"}",  "\": ", "true",
                                      "false", "null", "20",  "19",  "-0",  "-1",     "  ",  "\n  ", "name", "value"};
  static const char* const names[] = {"<|end|>", "<|think|>", "<|end think|>"};
  static uint8_t bytes[1024], kinds[N_VOCAB];
  static uint64_t offsets[N_VOCAB + 1];
  gsample_vocab_desc desc = {
      .size = sizeof desc, .n_vocab = N_VOCAB, .n_tokens = N_VOCAB, .bytes = bytes, .offsets = offsets, .kinds = kinds};
  gsample_error error = {.size = sizeof error};
  gsample_vocab* vocab = NULL;
  size_t n = 0, i;
  for (i = 0; i < N_VOCAB; i++) {
    const char* text = i >= 256 && i < 256 + sizeof words / sizeof *words ? words[i - 256] : i >= 300 && i < 303 ? names[i - 300] : "";
    offsets[i] = n;
    if (i < 256) bytes[n++] = (uint8_t)i;
    memcpy(bytes + n, text, strlen(text));
    n += strlen(text);
    kinds[i] = i == END_OF_TEXT ? GSAMPLE_TOKEN_STOP : i > END_OF_TEXT ? GSAMPLE_TOKEN_CONTROL : GSAMPLE_TOKEN_TEXT;
  }
  offsets[N_VOCAB] = n;
  if (gsample_vocab_new(&desc, &vocab, &error) < 0) fprintf(stderr, "%s\n", error.message);
  return vocab;
}

/* Writes the text of a token. */
static void put_token(const gsample_vocab* vocab, int32_t token) {
  const uint8_t* bytes;
  size_t n;
  if (gsample_vocab_bytes(vocab, token, &bytes, &n) == 0 && n) fwrite(bytes, 1, n, stdout);
}

#endif

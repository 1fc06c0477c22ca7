/* Writes the header of a GGUF file, of either byte order, for the tests of its readers. C99 and C++20.

     gguf_writer w;
     gguf_begin(&w, 3, GGUF_LITTLE);
     gguf_f32(&w, "general.sampling.temp", 0.8f);
     gguf_array(&w, "tokenizer.ggml.tokens", GGUF_STRING, 2); gguf_put_string(&w, "a"); gguf_put_string(&w, "b");
     gguf_end(&w);   then w.bytes, w.n; and free(w.bytes)
*/
#ifndef GGUF_WRITER_H
#define GGUF_WRITER_H
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { GGUF_U8, GGUF_I8, GGUF_U16, GGUF_I16, GGUF_U32, GGUF_I32, GGUF_F32, GGUF_BOOL, GGUF_STRING, GGUF_ARRAY, GGUF_U64, GGUF_I64, GGUF_F64 };
enum { GGUF_LITTLE, GGUF_BIG };

typedef struct gguf_writer {
  uint8_t *bytes;
  size_t n;
  int order;
  uint64_t n_values;
} gguf_writer;

static inline void gguf_put_bytes(gguf_writer *w, const void *bytes, size_t n) {
  w->bytes = (uint8_t *)realloc(w->bytes, w->n + n + 1);
  if (n) memcpy(w->bytes + w->n, bytes, n);
  w->n += n;
}

/* The low n bytes of an integer in the file's order. */
static inline void gguf_put(gguf_writer *w, uint64_t value, size_t n) {
  uint8_t bytes[8];
  for (size_t i = 0; i < n; i++) bytes[w->order == GGUF_BIG ? n - 1 - i : i] = (uint8_t)(value >> (8 * i));
  gguf_put_bytes(w, bytes, n);
}

static inline void gguf_put_string(gguf_writer *w, const char *text) {
  gguf_put(w, strlen(text), 8);
  gguf_put_bytes(w, text, strlen(text));
}

static inline void gguf_put_f32(gguf_writer *w, float value) {
  uint32_t bits;
  memcpy(&bits, &value, sizeof bits);
  gguf_put(w, bits, 4);
}

static inline void gguf_begin(gguf_writer *w, uint32_t version, int order) {
  memset(w, 0, sizeof *w);
  w->order = order;
  gguf_put_bytes(w, "GGUF", 4);
  gguf_put(w, version, 4);
  gguf_put(w, 0, 8); /* tensors */
  gguf_put(w, 0, 8); /* values: gguf_end fills it in */
}

/* A key and its type; the value is to follow. */
static inline void gguf_key(gguf_writer *w, const char *key, uint32_t type) {
  gguf_put_string(w, key);
  gguf_put(w, type, 4);
  w->n_values++;
}

static inline void gguf_integer(gguf_writer *w, const char *key, uint32_t type, uint64_t value) {
  static const uint8_t widths[] = {1, 1, 2, 2, 4, 4, 4, 1, 0, 0, 8, 8, 8};
  gguf_key(w, key, type);
  gguf_put(w, value, widths[type]);
}

static inline void gguf_f32(gguf_writer *w, const char *key, float value) {
  gguf_key(w, key, GGUF_F32);
  gguf_put_f32(w, value);
}

static inline void gguf_f64(gguf_writer *w, const char *key, double value) {
  uint64_t bits;
  memcpy(&bits, &value, sizeof bits);
  gguf_key(w, key, GGUF_F64);
  gguf_put(w, bits, 8);
}

static inline void gguf_string(gguf_writer *w, const char *key, const char *text) {
  gguf_key(w, key, GGUF_STRING);
  gguf_put_string(w, text);
}

/* An array of count elements, which are to follow. */
static inline void gguf_array(gguf_writer *w, const char *key, uint32_t element, uint64_t count) {
  gguf_key(w, key, GGUF_ARRAY);
  gguf_put(w, element, 4);
  gguf_put(w, count, 8);
}

static inline void gguf_end(gguf_writer *w) {
  for (size_t i = 0; i < 8; i++) w->bytes[16 + i] = (uint8_t)(w->n_values >> (8 * (w->order == GGUF_BIG ? 7 - i : i)));
}

#endif

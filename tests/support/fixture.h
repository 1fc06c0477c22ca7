/* Reads tests/data/smollm2.bin: rows of a real model's logits with the prompt, the greedy answer and the vocabulary that belong to them.
   The format is described in tests/examples/record_fixture.py. */
#ifndef TESTS_FIXTURE_H
#define TESTS_FIXTURE_H

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct fixture {
  uint32_t n_vocab, n_rows, n_prompt;
  int32_t eos;
  int32_t* prompt;   /* n_prompt tokens */
  int32_t* answer;   /* n_rows tokens: what row i's greatest logit is */
  uint64_t* offsets; /* token t is bytes[offsets[t] .. offsets[t + 1]) */
  uint8_t* kinds;    /* GSAMPLE_TOKEN_* */
  uint8_t* bytes;
  uint16_t* rows; /* n_rows * n_vocab halves */
} fixture;

static inline uint32_t fixture_u32(const uint8_t* p) { return p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24; }

static inline void fixture_free(fixture* f) {
  free(f->prompt);
  free(f->answer);
  free(f->offsets);
  free(f->kinds);
  free(f->bytes);
  free(f->rows);
  memset(f, 0, sizeof *f);
}

/* The whole file, or NULL. */
static inline uint8_t* fixture_read(const char* path, size_t* n) {
  FILE* file = fopen(path, "rb");
  uint8_t* data = NULL;
  long size;
  if (!file) return NULL;
  if (fseek(file, 0, SEEK_END) == 0 && (size = ftell(file)) > 24 && fseek(file, 0, SEEK_SET) == 0) {
    data = (uint8_t*)malloc((size_t)size);
    *n = (size_t)size;
    if (data && fread(data, 1, *n, file) != *n) {
      free(data);
      data = NULL;
    }
  }
  fclose(file);
  return data;
}

/* Returns 0, or -1 where the file cannot be read or is not one of these. */
static inline int fixture_load(fixture* f, const char* path) {
  size_t n = 0, i, n_bytes, n_halves, expected;
  uint8_t* data = fixture_read(path, &n);
  const uint8_t* p = data;
  memset(f, 0, sizeof *f);
  if (!data) return -1;
  f->n_vocab = fixture_u32(p + 4);
  f->n_rows = fixture_u32(p + 8);
  f->n_prompt = fixture_u32(p + 12);
  f->eos = (int32_t)fixture_u32(p + 16);
  n_bytes = fixture_u32(p + 20);
  n_halves = (size_t)f->n_rows * f->n_vocab;
  expected = 24 + 4 * ((size_t)f->n_prompt + f->n_rows) + 4 * ((size_t)f->n_vocab + 1) + f->n_vocab + n_bytes + 2 * n_halves;
  if (memcmp(p, "GSFX", 4) || n != expected) {
    free(data);
    return -1;
  }
  f->prompt = (int32_t*)malloc(4 * (size_t)f->n_prompt);
  f->answer = (int32_t*)malloc(4 * (size_t)f->n_rows);
  f->offsets = (uint64_t*)malloc(8 * ((size_t)f->n_vocab + 1));
  f->kinds = (uint8_t*)malloc(f->n_vocab);
  f->bytes = (uint8_t*)malloc(n_bytes);
  f->rows = (uint16_t*)malloc(2 * n_halves);
  if (!f->prompt || !f->answer || !f->offsets || !f->kinds || !f->bytes || !f->rows) {
    free(data);
    fixture_free(f);
    return -1;
  }
  p += 24;
  for (i = 0; i < f->n_prompt; i++, p += 4) f->prompt[i] = (int32_t)fixture_u32(p);
  for (i = 0; i < f->n_rows; i++, p += 4) f->answer[i] = (int32_t)fixture_u32(p);
  for (i = 0; i <= f->n_vocab; i++, p += 4) f->offsets[i] = fixture_u32(p);
  memcpy(f->kinds, p, f->n_vocab);
  p += f->n_vocab;
  memcpy(f->bytes, p, n_bytes);
  p += n_bytes;
  for (i = 0; i < n_halves; i++, p += 2) f->rows[i] = (uint16_t)(p[0] | p[1] << 8);
  free(data);
  return 0;
}

/* The f32 that a half is: exact. */
static inline float fixture_half(uint16_t half) {
  uint32_t sign = (uint32_t)(half & 0x8000) << 16, exponent = half >> 10 & 31, fraction = half & 1023;
  uint32_t bits = sign | (exponent + 112) << 23 | fraction << 13;
  float value;
  if (exponent == 31) bits = sign | 0x7f800000u | fraction << 13;
  if (exponent == 0) {
    value = (float)fraction * 0x1p-24f;
    return sign ? -value : value;
  }
  memcpy(&value, &bits, sizeof value);
  return value;
}

/* Row i in f32. */
static inline void fixture_row(const fixture* f, size_t i, float* logits) {
  const uint16_t* row = f->rows + i * f->n_vocab;
  size_t t;
  for (t = 0; t < f->n_vocab; t++) logits[t] = fixture_half(row[t]);
}

#endif

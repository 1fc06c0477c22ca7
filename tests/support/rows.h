/* Rows of logits from a recipe that every machine repeats to the bit: the integers of splitmix64 (Steele, Lea and Flood 2014), then
   float operations that are each rounded by themselves. The kinds are those of the oracle files. */
#ifndef TESTS_ROWS_H
#define TESTS_ROWS_H

#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static inline uint64_t rows_splitmix64(uint64_t x) {
  x += 0x9E3779B97F4A7C15u;
  x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
  x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
  return x ^ (x >> 31);
}

/* Fills logits[0 .. n) with row r of a kind: cubic, neg, flat, ties16, ties4, peaked, masked, const, allneginf. Returns 0, or -1 for an
   unknown kind. */
static inline int rows_fill(float* logits, size_t n, const char* kind, uint64_t row_seed, uint64_t r) {
  enum { CUBIC, NEG, FLAT, TIES16, TIES4, PEAKED, MASKED, CONST, ALLNEGINF, KINDS };
  static const char* const names[KINDS] = {"cubic", "neg", "flat", "ties16", "ties4", "peaked", "masked", "const", "allneginf"};
  uint64_t seed = rows_splitmix64(row_seed + r);
  int which = 0;
  size_t i;
  while (which < KINDS && strcmp(kind, names[which])) which++;
  if (which == KINDS) return -1;
  for (i = 0; i < n; i++) {
    uint64_t x = rows_splitmix64(seed + i);
    float u = (float)(x >> 40) * 0x1p-24f, a = u;
    switch (which) {
      case CUBIC:
      case NEG:
      case MASKED:
        a = u * u, a = a * u, a = a * 24, a = which == NEG ? a - 30 : a - 6;
        if (which == MASKED && (x & 3) != 0) a = -INFINITY;
        break;
      case FLAT: a = u * 0.5f; break;
      case TIES16: a = floorf(u * 16) - 8; break;
      case TIES4: a = floorf(u * 4), a = a * 2, a = a - 3; break;
      case PEAKED: a = u * u, a = a * a, a = a * a, a = a * a, a = a * 60, a = a - 20; break;
      case CONST: a = 1.5f; break;
      case ALLNEGINF: a = -INFINITY; break;
    }
    logits[i] = a;
  }
  return 0;
}

#endif

/* What tests of samplers share: parameters with everything off, rows from probabilities, and what a pick would draw from. */
#ifndef TESTS_SAMPLER_SUPPORT_H
#define TESTS_SAMPLER_SUPPORT_H

#include <math.h>

#include "api.h"

#if defined(__GNUC__)
#define HELPER static inline __attribute__((unused))
#else
#define HELPER static inline
#endif

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define TOKENS(...) ((const int32_t[]){__VA_ARGS__}), COUNT(((const int32_t[]){__VA_ARGS__}))

/* The defaults with every stage at its off value: a pick draws from the softmax of the row. */
HELPER gsample_params plain_params(void) {
  gsample_params params = {.size = sizeof params};
  assert_int_equal(gsample_params_init(&params), 0);
  params.top_k = 0;
  params.top_p = 1;
  return params;
}

HELPER gsample_params preset_params(const char* name) {
  gsample_params params = {.size = sizeof params};
  gsample_error error = FRESH_ERROR;
  assert_int_equal(gsample_params_init(&params), 0);
  if (gsample_params_preset(&params, name, &error)) fail_msg("%s: %s", name, error.message);
  return params;
}

HELPER void set_order(gsample_params* params, const int32_t* stages, size_t n) {
  memset(params->order, 0, sizeof params->order);
  memcpy(params->order, stages, n * sizeof *stages);
}

HELPER gsample_sampler* make(const gsample_params* params) {
  gsample_sampler* sampler = NULL;
  gsample_error error = FRESH_ERROR;
  if (gsample_new(params, &sampler, &error)) fail_msg("gsample_new: %s", error.message);
  return sampler;
}

/* The status of making a sampler that must not come to be. */
HELPER int32_t refusal(const gsample_params* params) {
  gsample_sampler* sampler = NULL;
  gsample_error error = FRESH_ERROR;
  const int32_t status = gsample_new(params, &sampler, &error);
  if (status >= 0) fail_msg("gsample_new made a sampler");
  assert_null(sampler);
  assert_int_equal(error.status, status);
  assert_true(error.message[0] != 0);
  return status;
}

HELPER gsample_row row_of(const float* logits, uint32_t n) {
  gsample_row row = {.size = sizeof row, .dtype = GSAMPLE_F32, .n_vocab = n, .logits = logits};
  return row;
}

/* The row whose softmax is p. */
HELPER void logs(const double* p, float* logits, size_t n) {
  size_t i;
  for (i = 0; i < n; i++) logits[i] = p[i] > 0 ? (float)log(p[i]) : -INFINITY;
}
#define LOGS(name, ...)                      \
  float name[COUNT(((double[]){__VA_ARGS__}))]; \
  logs((double[]){__VA_ARGS__}, name, COUNT(name))

/* What a pick by this sampler would draw from. */
HELPER gsample_dist* dist_of(gsample_sampler* sampler, const float* logits, uint32_t n) {
  gsample_dist* dist = NULL;
  const gsample_row row = row_of(logits, n);
  int32_t status;
  assert_int_equal(gsample_dist_new(&dist), 0);
  status = gsample_dist_from_row(dist, sampler, &row);
  if (status) fail_msg("gsample_dist_from_row: %s", gsample_status_name(status));
  return dist;
}

/* These tokens, in this order, and no others can be drawn. */
HELPER void expect_kept(gsample_sampler* sampler, const float* logits, uint32_t n, const int32_t* tokens, size_t n_tokens) {
  gsample_dist* dist = dist_of(sampler, logits, n);
  size_t i, size = gsample_dist_size(dist);
  while (size && !(gsample_dist_weights(dist)[size - 1] > 0)) size--;
  if (size != n_tokens) fail_msg("%zu tokens are kept, not %zu", size, n_tokens);
  for (i = 0; i < size; i++)
    if (gsample_dist_ids(dist)[i] != tokens[i]) fail_msg("token %d is kept at place %zu, not %d", gsample_dist_ids(dist)[i], i, tokens[i]);
  gsample_dist_free(dist);
}

/* Token i is drawn with probability p[i]. */
HELPER void expect_p(gsample_sampler* sampler, const float* logits, uint32_t n, const double* p, double within) {
  gsample_dist* dist = dist_of(sampler, logits, n);
  uint32_t i;
  for (i = 0; i < n; i++) {
    const double got = gsample_dist_chance(dist, (int32_t)i);
    if (!(fabs(got - p[i]) <= within)) fail_msg("token %u has probability %.9g, not %.9g", i, got, p[i]);
  }
  gsample_dist_free(dist);
}
#define EXPECT_P(sampler, logits, within, ...) expect_p(sampler, logits, COUNT(((double[]){__VA_ARGS__})), (double[]){__VA_ARGS__}, within)

/* The sampler as it saves itself. Free it. */
typedef struct saved {
  unsigned char* bytes;
  size_t n;
} saved;
HELPER saved save_of(const gsample_sampler* sampler) {
  saved s;
  const int64_t size = gsample_save(sampler, NULL, 0);
  assert_true(size > 0);
  s.n = (size_t)size;
  s.bytes = (unsigned char*)malloc(s.n);
  assert_int_equal(gsample_save(sampler, s.bytes, s.n), size);
  return s;
}
HELPER void expect_unmoved(const gsample_sampler* sampler, saved before) {
  const saved now = save_of(sampler);
  if (now.n != before.n || memcmp(now.bytes, before.bytes, now.n)) fail_msg("the sampler's state moved");
  free(now.bytes);
}

/* True where one of the saved floats is x, give or take: mu and the average are nowhere else to be seen. */
HELPER int saves_float(const gsample_sampler* sampler, float x, float within) {
  const saved s = save_of(sampler);
  size_t i;
  int found = 0;
  for (i = 0; i + 4 <= s.n; i++) {
    const uint32_t bits = s.bytes[i] | (uint32_t)s.bytes[i + 1] << 8 | (uint32_t)s.bytes[i + 2] << 16 | (uint32_t)s.bytes[i + 3] << 24;
    float v;
    memcpy(&v, &bits, sizeof v);
    found |= fabsf(v - x) <= within;
  }
  free(s.bytes);
  return found;
}

#endif

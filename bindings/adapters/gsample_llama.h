/* gsample in a program that uses llama.cpp: a page to include or to copy from. It needs llama.h and gsample.h, and no C++.

      llama_decode(ctx, batch);
      token = gsample_llama_pick(sampler, ctx, -1);     (instead of llama_sampler_sample and llama_sampler_accept)
      if (token < 0) ...                                (a status)

   A sampler is made from the model's own recommendation by gsample_params_from_gguf_file, and told the prompt by gsample_seed.
   SPDX-License-Identifier: MIT */
#ifndef GSAMPLE_LLAMA_H
#define GSAMPLE_LLAMA_H

#include <gsample/gsample.h>
#include <llama.h>
#include <stdlib.h>

/* gsample_llama_row: the row of output i (-1 is the last), as it lies in the context: valid until the next llama_decode. Logits is NULL
   where there is no such output, and every call refuses that. */
static inline gsample_row gsample_llama_row(struct llama_context* ctx, int32_t i) {
  gsample_row row = {sizeof row, GSAMPLE_F32, 0, 0, NULL, NULL};
  row.logits = llama_get_logits_ith(ctx, i);
  row.n_vocab = (uint32_t)llama_vocab_n_tokens(llama_model_get_vocab(llama_get_model(ctx)));
  return row;
}

/* gsample_llama_pick: one token from the row of output i, recorded in the sampler; a token or a status. */
static inline int32_t gsample_llama_pick(gsample_sampler* sampler, struct llama_context* ctx, int32_t i) {
  const gsample_row row = gsample_llama_row(ctx, i);
  return gsample_pick(sampler, (const float*)row.logits, row.n_vocab);
}

/* Appends the text of a token to bytes, which grow. */
static inline int32_t gsample_llama_piece(const struct llama_vocab* from, int32_t token, uint8_t** bytes, size_t* used, size_t* capacity) {
  for (;;) {
    const size_t room = *capacity - *used;
    const int32_t n =
        room ? llama_token_to_piece(from, token, (char*)*bytes + *used, room < INT32_MAX ? (int32_t)room : INT32_MAX, 0, 0) : -1;
    uint8_t* grown;
    if (n >= 0) {
      *used += (size_t)n;
      return GSAMPLE_OK;
    }
    *capacity = *capacity * 2 + (size_t)(-(int64_t)n) + 1024; /* n is minus what the text needs */
    grown = (uint8_t*)realloc(*bytes, *capacity);
    if (!grown) return GSAMPLE_ERROR_OUT_OF_MEMORY;
    *bytes = grown;
  }
}

/* gsample_llama_vocab: the model's vocabulary, for grammars. gsample_vocab_free when done. */
static inline int32_t gsample_llama_vocab(const struct llama_model* model, gsample_vocab** vocab, gsample_error* error) {
  const struct llama_vocab* from = llama_model_get_vocab(model);
  const uint32_t n = (uint32_t)llama_vocab_n_tokens(from);
  gsample_vocab_desc desc = {sizeof desc, n, n, 0, NULL, NULL, NULL};
  uint64_t* offsets = (uint64_t*)calloc((size_t)n + 1, sizeof *offsets);
  uint8_t *kinds = (uint8_t*)calloc((size_t)n + 1, 1), *bytes = NULL;
  size_t used = 0, capacity = 0;
  int32_t status = offsets && kinds ? GSAMPLE_OK : GSAMPLE_ERROR_OUT_OF_MEMORY;
  uint32_t t;
  for (t = 0; t < n && status == GSAMPLE_OK; t++) {
    const int32_t token = (int32_t)t;
    if (llama_vocab_is_eog(from, token)) kinds[t] = GSAMPLE_TOKEN_STOP;
    else if (llama_vocab_get_attr(from, token) & LLAMA_TOKEN_ATTR_UNUSED) kinds[t] = GSAMPLE_TOKEN_UNUSED;
    else if (llama_vocab_is_control(from, token)) kinds[t] = GSAMPLE_TOKEN_CONTROL;
    else status = gsample_llama_piece(from, token, &bytes, &used, &capacity);
    offsets[t + 1] = used;
  }
  if (status == GSAMPLE_OK) {
    desc.bytes = bytes, desc.offsets = offsets, desc.kinds = kinds;
    status = gsample_vocab_new(&desc, vocab, error);
  }
  free(bytes);
  free(kinds);
  free(offsets);
  return status;
}

#endif

/* The llama.cpp adapter on a model of its own making: six tokens, one row. */
#include <stdio.h>
#include <string.h>

#include "gsample_llama.h"

struct llama_vocab {
  int32_t n;
};
struct llama_model {
  struct llama_vocab vocab;
};
struct llama_context {
  struct llama_model model;
  float logits[6];
};

enum { UNUSED = 3, CONTROL = 4, STOP = 5 };
static char long_text[3000];
static const char* const pieces[] = {"a", long_text, "b", "unused", "<s>", "</s>"};

const struct llama_model* llama_get_model(const struct llama_context* ctx) { return &ctx->model; }
const struct llama_vocab* llama_model_get_vocab(const struct llama_model* model) { return &model->vocab; }
int32_t llama_vocab_n_tokens(const struct llama_vocab* vocab) { return vocab->n; }
float* llama_get_logits_ith(struct llama_context* ctx, int32_t i) { return i == -1 ? ctx->logits : NULL; }
enum llama_token_attr llama_vocab_get_attr(const struct llama_vocab* vocab, llama_token token) {
  (void)vocab;
  return token == UNUSED ? LLAMA_TOKEN_ATTR_UNUSED : LLAMA_TOKEN_ATTR_UNDEFINED;
}
bool llama_vocab_is_eog(const struct llama_vocab* vocab, llama_token token) { return (void)vocab, token == STOP; }
bool llama_vocab_is_control(const struct llama_vocab* vocab, llama_token token) { return (void)vocab, token == CONTROL; }
int32_t llama_token_to_piece(const struct llama_vocab* vocab, llama_token token, char* buf, int32_t length, int32_t lstrip, bool special) {
  int32_t n = (int32_t)strlen(pieces[token]);
  (void)vocab, (void)lstrip, (void)special;
  if (n > length) return -n;
  memcpy(buf, pieces[token], (size_t)n);
  return n;
}

static int failed;
static void check(int holds, const char* what) {
  if (!holds) printf("%s\n", what), failed = 1;
}

int main(void) {
  struct llama_context ctx = {{{6}}, {1, 2, 3, 4, 5, 0}};
  gsample_params params = {sizeof params};
  gsample_sampler* sampler = NULL;
  gsample_vocab* vocab = NULL;
  gsample_grammar* grammar = NULL;
  gsample_matcher* matcher = NULL;
  gsample_constraint constraint = {sizeof constraint};
  const uint8_t* bytes = NULL;
  int32_t stop = -1;
  size_t n = 0;
  memset(long_text, 'x', sizeof long_text - 1);
  check(gsample_params_preset(&params, "greedy", NULL) == 0 && gsample_new(&params, &sampler, NULL) == 0, "a sampler");
  check(gsample_llama_pick(sampler, &ctx, -1) == 4, "the best token");
  check(gsample_llama_pick(sampler, &ctx, 7) == GSAMPLE_ERROR_INVALID_ARGUMENT, "an output that is not there");
  check(gsample_llama_vocab(&ctx.model, &vocab, NULL) == 0, "the vocabulary");
  check(gsample_vocab_bytes(vocab, 1, &bytes, &n) == 0 && n == 2999 && bytes[2998] == 'x', "a long text");
  check(gsample_vocab_bytes(vocab, 2, &bytes, &n) == 0 && n == 1 && *bytes == 'b', "a text");
  check(gsample_vocab_stops(vocab, &stop, 1) == 1 && stop == STOP, "the stop token");
  check(gsample_grammar_from_regex(vocab, "ba", 2, &grammar, NULL) == 0 && gsample_matcher_new(grammar, &matcher) == 0, "a grammar");
  check(gsample_matcher_constraint(matcher, &constraint) == 0 && gsample_constrain(sampler, &constraint) == 0, "the constraint");
  check(gsample_llama_pick(sampler, &ctx, -1) == 2 && gsample_llama_pick(sampler, &ctx, -1) == 0, "the grammar's tokens");
  check(gsample_llama_pick(sampler, &ctx, -1) == STOP, "the end");
  gsample_free(sampler);
  gsample_grammar_free(grammar);
  gsample_vocab_free(vocab);
  return failed;
}

/* What bindings/adapters/gsample_llama.h uses of llama.cpp's llama.h, declared as there (b10256), so that it compiles where llama.cpp is
   not. */
#ifndef LLAMA_H
#define LLAMA_H

#include <stdbool.h>
#include <stdint.h>

struct llama_context;
struct llama_model;
struct llama_vocab;
typedef int32_t llama_token;

enum llama_token_attr { LLAMA_TOKEN_ATTR_UNDEFINED = 0, LLAMA_TOKEN_ATTR_UNKNOWN = 1 << 0, LLAMA_TOKEN_ATTR_UNUSED = 1 << 1 };

const struct llama_model* llama_get_model(const struct llama_context* ctx);
const struct llama_vocab* llama_model_get_vocab(const struct llama_model* model);
int32_t llama_vocab_n_tokens(const struct llama_vocab* vocab);
float* llama_get_logits_ith(struct llama_context* ctx, int32_t i);
enum llama_token_attr llama_vocab_get_attr(const struct llama_vocab* vocab, llama_token token);
bool llama_vocab_is_eog(const struct llama_vocab* vocab, llama_token token);
bool llama_vocab_is_control(const struct llama_vocab* vocab, llama_token token);
int32_t llama_token_to_piece(const struct llama_vocab* vocab, llama_token token, char* buf, int32_t length, int32_t lstrip, bool special);

#endif

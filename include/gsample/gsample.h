/* gsample: a token sampler. A row of logits goes in, a token comes out.
   SPDX-License-Identifier: MIT */
#ifndef GSAMPLE_H
#define GSAMPLE_H
#include <stddef.h>
#include <stdint.h>
#ifdef __cplusplus
extern "C" {
#endif
#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility push(default)
#endif

#define GSAMPLE_VERSION_MAJOR 1
#define GSAMPLE_VERSION_MINOR 0
#define GSAMPLE_VERSION_PATCH 0
#define GSAMPLE_VERSION_NUMBER (GSAMPLE_VERSION_MAJOR << 16 | GSAMPLE_VERSION_MINOR << 8 | GSAMPLE_VERSION_PATCH)
#define GSAMPLE_ABI_MAJOR GSAMPLE_VERSION_MAJOR
#define GSAMPLE_SEMANTICS 1

/* Statuses. Success is >= 0 (0, a token, a count). Never renumbered; gaps are for what comes. */
#define GSAMPLE_OK 0
#define GSAMPLE_ERROR_INVALID_ARGUMENT (-1)
#define GSAMPLE_ERROR_OUT_OF_MEMORY (-2)
#define GSAMPLE_ERROR_NO_CANDIDATE (-10)   /* nothing may be drawn */
#define GSAMPLE_ERROR_NOT_A_NUMBER (-11)   /* the row holds NaN */
#define GSAMPLE_ERROR_REFUSED (-12)        /* the constraint does not allow this token */
#define GSAMPLE_ERROR_INEXACT (-13)        /* the candidates may miss one of the row's best */
#define GSAMPLE_ERROR_SYNTAX (-20)
#define GSAMPLE_ERROR_UNSUPPORTED (-21)
#define GSAMPLE_ERROR_FORMAT (-22)         /* a file or saved state is malformed */
#define GSAMPLE_ERROR_LIMIT (-23)          /* a bound on hostile input was met */
#define GSAMPLE_ERROR_BUFFER (-24)         /* the caller's buffer, or the data given, is too short */
#define GSAMPLE_ERROR_IO (-25)
#define GSAMPLE_ERROR_CALLBACK (-30)       /* a callback failed without a status of its own */

#define GSAMPLE_F32 0
#define GSAMPLE_F16 1
#define GSAMPLE_BF16 2

#define GSAMPLE_STAGE_PENALTIES 1
#define GSAMPLE_STAGE_DRY 2
#define GSAMPLE_STAGE_TOP_N_SIGMA 3
#define GSAMPLE_STAGE_TOP_K 4
#define GSAMPLE_STAGE_TYPICAL_P 5
#define GSAMPLE_STAGE_TOP_P 6
#define GSAMPLE_STAGE_MIN_P 7
#define GSAMPLE_STAGE_XTC 8
#define GSAMPLE_STAGE_TEMPERATURE 9
#define GSAMPLE_STAGE_MIROSTAT 10          /* ends the chain */
#define GSAMPLE_STAGE_ADAPTIVE_P 11        /* ends the chain */
#define GSAMPLE_STAGE_CUSTOM 64

#define GSAMPLE_PENALTY_WINDOW 0           /* golem, llama.cpp */
#define GSAMPLE_PENALTY_ANSWER 1           /* OpenAI, vLLM, gizai */
#define GSAMPLE_NAN_ERROR 0
#define GSAMPLE_NAN_BANNED 1
#define GSAMPLE_CONSTRAINT_LAZY 0
#define GSAMPLE_CONSTRAINT_MASK_FIRST 1
#define GSAMPLE_CONSTRAINT_MASK_LAST 2
#define GSAMPLE_LOGPROB_NONE 0
#define GSAMPLE_LOGPROB_RAW 1
#define GSAMPLE_LOGPROB_RAW_LOGIT 2
#define GSAMPLE_LOGPROB_PROCESSED 3
#define GSAMPLE_TOKEN_TEXT 0
#define GSAMPLE_TOKEN_CONTROL 1
#define GSAMPLE_TOKEN_STOP 2
#define GSAMPLE_TOKEN_UNUSED 3

typedef struct gsample_sampler gsample_sampler;
typedef struct gsample_dist gsample_dist;
typedef struct gsample_workspace gsample_workspace;
typedef struct gsample_vocab gsample_vocab;
typedef struct gsample_grammar gsample_grammar;
typedef struct gsample_matcher gsample_matcher;

typedef struct gsample_error {
  uint32_t size; int32_t status; int32_t line; int32_t column;
  char message[256];
} gsample_error;

typedef struct gsample_params {
  uint32_t size; int32_t top_k;
  uint64_t seed;
  float temperature, top_p, min_p, typical_p, top_n_sigma, xtc_probability, xtc_threshold, dynatemp_range, dynatemp_exponent;
  float mirostat_tau, mirostat_eta, adaptive_target, adaptive_decay;
  float penalty_repeat, penalty_freq, penalty_present, dry_multiplier, dry_base;
  int32_t mirostat, penalty_style, penalty_last_n, dry_allowed_length, dry_last_n, min_keep, nan_policy, constraint_mode;
  int32_t order[32];                       /* GSAMPLE_STAGE_*; 0 ends it */
} gsample_params;

typedef struct gsample_row {
  uint32_t size; uint32_t dtype; uint32_t n_vocab; uint32_t reserved;
  const void *logits;
  const uint32_t *mask;                    /* bit i % 32 of word i / 32, 1 = allowed; NULL = all */
} gsample_row;

typedef struct gsample_row_report {
  uint32_t size; uint32_t n_nan; uint32_t n_pos_inf; uint32_t n_neg_inf;
  int32_t first_bad; float min; float max; uint32_t reserved;
} gsample_row_report;

typedef struct gsample_logprob { double logprob; int32_t token; int32_t rank; } gsample_logprob;   /* never changes */

typedef struct gsample_choice {
  uint32_t size; uint32_t logprob_mode; uint32_t n_top; uint32_t n_written;
  int32_t token; int32_t rank; double logprob;
  gsample_logprob *top;                    /* n_top of the caller's */
} gsample_choice;

typedef struct gsample_constraint {
  uint32_t size; uint32_t n_after;
  void *user;
  const int32_t *after;                    /* asleep until this token sequence was accepted; n_after 0 = at once */
  int32_t (*allows)(void *user, int32_t token);
  int32_t (*accept)(void *user, int32_t token);
  int32_t (*first_bytes)(void *user, uint8_t table[256]);
  int32_t (*first_byte)(void *user, int32_t token);
  int32_t (*mask)(void *user, uint32_t *words, size_t n_words);
  int32_t (*can_stop)(void *user);
  int32_t (*clone)(void *user, void **out);
  void (*destroy)(void *user);
} gsample_constraint;

typedef struct gsample_custom {
  uint32_t size; uint32_t reserved;
  void *user;
  int32_t (*apply)(void *user, const int32_t *tokens, float *logits, size_t n);
  int32_t (*clone)(void *user, void **out);
  void (*destroy)(void *user);
} gsample_custom;

typedef struct gsample_sequence {
  uint32_t size; uint32_t dtype; uint32_t n_vocab; uint32_t n_rows;   /* n_rows: 0 = nothing wanted, else n_drafts + 1 */
  gsample_sampler *sampler;
  const void *logits; int64_t row_stride;                             /* strides in bytes */
  const uint32_t *masks; int64_t mask_stride;
  const int32_t *drafts; const gsample_dist *const *draft_dists;      /* NULL: the drafts are certain */
  int32_t *tokens;                                                    /* out, n_rows of the caller's */
  gsample_choice *choices;                                            /* out, n_rows of the caller's, or NULL */
  uint32_t n_drafts; uint32_t n_tokens; int32_t status; int32_t reserved;
} gsample_sequence;

typedef struct gsample_executor {
  uint32_t size; uint32_t n_workers;
  void *user;
  int32_t (*parallel_for)(void *user, size_t n, void (*body)(void *arg, uint32_t worker, size_t i), void *arg);
} gsample_executor;

typedef struct gsample_vocab_desc {
  uint32_t size; uint32_t n_vocab; uint32_t n_tokens; uint32_t reserved;
  const uint8_t *bytes; const uint64_t *offsets;                      /* token t is bytes[offsets[t] .. offsets[t + 1]) */
  const uint8_t *kinds;                                               /* GSAMPLE_TOKEN_*, NULL = all text */
} gsample_vocab_desc;

/* Version and target */
uint32_t gsample_version(void);            /* major << 16 | minor << 8 | patch, as GSAMPLE_VERSION_NUMBER */
const char *gsample_version_string(void);
const char *gsample_status_name(int32_t status);
const char *gsample_target(void);

/* Parameters */
int32_t gsample_params_init(gsample_params *params);
int32_t gsample_params_preset(gsample_params *params, const char *name, gsample_error *error);
int32_t gsample_params_set(gsample_params *params, const char *key, const char *value, gsample_error *error);
int64_t gsample_params_describe(const gsample_params *params, char *text, size_t capacity);
int32_t gsample_params_from_gguf(gsample_params *params, const void *data, size_t n, gsample_error *error);
int32_t gsample_params_from_gguf_file(gsample_params *params, const char *path, gsample_error *error);
int32_t gsample_params_from_generation_config(gsample_params *params, const char *json, size_t n, gsample_error *error);

/* Rows */
int32_t gsample_best(const gsample_row *row);
int32_t gsample_row_check(const gsample_row *row, gsample_row_report *report);
int32_t gsample_logprobs(const gsample_row *row, gsample_logprob *items, size_t n);

/* Sampler */
int32_t gsample_new(const gsample_params *params, gsample_sampler **sampler, gsample_error *error);
void gsample_free(gsample_sampler *sampler);
int32_t gsample_clone(const gsample_sampler *sampler, gsample_sampler **copy);
int32_t gsample_assign(gsample_sampler *to, const gsample_sampler *from);
int32_t gsample_reset(gsample_sampler *sampler);
int32_t gsample_reserve(gsample_sampler *sampler, uint32_t n_vocab, size_t n_tokens);
int64_t gsample_memory(const gsample_sampler *sampler);
int32_t gsample_set_params(gsample_sampler *sampler, const gsample_params *params, gsample_error *error);
int32_t gsample_rng_seed(gsample_sampler *sampler, uint64_t seed);
double gsample_uniform(gsample_sampler *sampler);
int32_t gsample_seed(gsample_sampler *sampler, const int32_t *tokens, size_t n);
int32_t gsample_accept(gsample_sampler *sampler, int32_t token);
int32_t gsample_bias(gsample_sampler *sampler, const int32_t *tokens, const float *biases, size_t n);
int32_t gsample_stop(gsample_sampler *sampler, const int32_t *tokens, size_t n);
int32_t gsample_dry_breaker(gsample_sampler *sampler, const int32_t *tokens, size_t n);
int32_t gsample_set_custom(gsample_sampler *sampler, const gsample_custom *custom);
int32_t gsample_constrain(gsample_sampler *sampler, const gsample_constraint *constraint);
int32_t gsample_shaped(const gsample_sampler *sampler);
int64_t gsample_candidates_needed(const gsample_sampler *sampler);
int64_t gsample_save(const gsample_sampler *sampler, void *bytes, size_t capacity);
int32_t gsample_load(gsample_sampler **sampler, const void *bytes, size_t n, gsample_error *error);

/* The pick, and the step */
int32_t gsample_pick(gsample_sampler *sampler, const float *logits, size_t n_vocab);
int32_t gsample_pick_row(gsample_sampler *sampler, const gsample_row *row, gsample_choice *choice);
int32_t gsample_workspace_new(uint32_t n_workers, gsample_workspace **workspace);
void gsample_workspace_free(gsample_workspace *workspace);
int32_t gsample_decide(gsample_sequence *sequences, size_t n, const gsample_executor *executor, gsample_workspace *workspace);

/* Distributions */
int32_t gsample_dist_new(gsample_dist **dist);
void gsample_dist_free(gsample_dist *dist);
int32_t gsample_dist_set(gsample_dist *dist, const int32_t *tokens, const double *weights, size_t n);
int32_t gsample_dist_from_row(gsample_dist *dist, gsample_sampler *sampler, const gsample_row *row);
int32_t gsample_dist_from_candidates(gsample_dist *dist, gsample_sampler *sampler, const int32_t *tokens, const float *logits, size_t n, uint32_t n_vocab, int32_t exact);
size_t gsample_dist_size(const gsample_dist *dist);
const int32_t *gsample_dist_ids(const gsample_dist *dist);
const double *gsample_dist_weights(const gsample_dist *dist);
double gsample_dist_total(const gsample_dist *dist);
double gsample_dist_chance(const gsample_dist *dist, int32_t token);
int32_t gsample_dist_draw(const gsample_dist *dist, gsample_sampler *sampler);
int32_t gsample_dist_residual(const gsample_dist *p, const gsample_dist *q, gsample_dist *out);

/* Vocabulary, grammar, matcher */
int32_t gsample_vocab_new(const gsample_vocab_desc *desc, gsample_vocab **vocab, gsample_error *error);
int32_t gsample_vocab_from_gguf(const void *data, size_t n, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
int32_t gsample_vocab_from_gguf_file(const char *path, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
int32_t gsample_vocab_from_tokenizer_json(const char *json, size_t n, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
int32_t gsample_vocab_set_stop(gsample_vocab *vocab, const int32_t *tokens, size_t n);   /* before the first grammar */
int32_t gsample_vocab_bytes(const gsample_vocab *vocab, int32_t token, const uint8_t **bytes, size_t *n);
int64_t gsample_vocab_stops(const gsample_vocab *vocab, int32_t *tokens, size_t capacity);
gsample_vocab *gsample_vocab_retain(gsample_vocab *vocab);
void gsample_vocab_free(gsample_vocab *vocab);
int32_t gsample_grammar_from_gbnf(gsample_vocab *vocab, const char *text, size_t n, const char *root, gsample_grammar **grammar, gsample_error *error);
int32_t gsample_grammar_from_regex(gsample_vocab *vocab, const char *text, size_t n, gsample_grammar **grammar, gsample_error *error);
int32_t gsample_grammar_warm(gsample_grammar *grammar);
gsample_grammar *gsample_grammar_retain(gsample_grammar *grammar);
void gsample_grammar_free(gsample_grammar *grammar);
int32_t gsample_matcher_new(gsample_grammar *grammar, gsample_matcher **matcher);
void gsample_matcher_free(gsample_matcher *matcher);
int32_t gsample_matcher_clone(const gsample_matcher *matcher, gsample_matcher **copy);
int32_t gsample_matcher_reset(gsample_matcher *matcher);
int32_t gsample_matcher_allows(const gsample_matcher *matcher, int32_t token);
int32_t gsample_matcher_can_stop(const gsample_matcher *matcher);
int32_t gsample_matcher_accept(gsample_matcher *matcher, int32_t token);
int32_t gsample_matcher_rollback(gsample_matcher *matcher, size_t n);
int32_t gsample_matcher_mask(gsample_matcher *matcher, uint32_t *words, size_t n_words);
int32_t gsample_matcher_constraint(gsample_matcher *matcher, gsample_constraint *constraint);   /* takes the matcher over */

/* For hosts that dlopen: every function above, in this order, behind a size. */
typedef struct gsample_api gsample_api;
struct gsample_api {
  uint32_t size; uint32_t abi_major;
  uint32_t (*gsample_version)(void);
  const char *(*gsample_version_string)(void);
  const char *(*gsample_status_name)(int32_t status);
  const char *(*gsample_target)(void);
  int32_t (*gsample_params_init)(gsample_params *params);
  int32_t (*gsample_params_preset)(gsample_params *params, const char *name, gsample_error *error);
  int32_t (*gsample_params_set)(gsample_params *params, const char *key, const char *value, gsample_error *error);
  int64_t (*gsample_params_describe)(const gsample_params *params, char *text, size_t capacity);
  int32_t (*gsample_params_from_gguf)(gsample_params *params, const void *data, size_t n, gsample_error *error);
  int32_t (*gsample_params_from_gguf_file)(gsample_params *params, const char *path, gsample_error *error);
  int32_t (*gsample_params_from_generation_config)(gsample_params *params, const char *json, size_t n, gsample_error *error);
  int32_t (*gsample_best)(const gsample_row *row);
  int32_t (*gsample_row_check)(const gsample_row *row, gsample_row_report *report);
  int32_t (*gsample_logprobs)(const gsample_row *row, gsample_logprob *items, size_t n);
  int32_t (*gsample_new)(const gsample_params *params, gsample_sampler **sampler, gsample_error *error);
  void (*gsample_free)(gsample_sampler *sampler);
  int32_t (*gsample_clone)(const gsample_sampler *sampler, gsample_sampler **copy);
  int32_t (*gsample_assign)(gsample_sampler *to, const gsample_sampler *from);
  int32_t (*gsample_reset)(gsample_sampler *sampler);
  int32_t (*gsample_reserve)(gsample_sampler *sampler, uint32_t n_vocab, size_t n_tokens);
  int64_t (*gsample_memory)(const gsample_sampler *sampler);
  int32_t (*gsample_set_params)(gsample_sampler *sampler, const gsample_params *params, gsample_error *error);
  int32_t (*gsample_rng_seed)(gsample_sampler *sampler, uint64_t seed);
  double (*gsample_uniform)(gsample_sampler *sampler);
  int32_t (*gsample_seed)(gsample_sampler *sampler, const int32_t *tokens, size_t n);
  int32_t (*gsample_accept)(gsample_sampler *sampler, int32_t token);
  int32_t (*gsample_bias)(gsample_sampler *sampler, const int32_t *tokens, const float *biases, size_t n);
  int32_t (*gsample_stop)(gsample_sampler *sampler, const int32_t *tokens, size_t n);
  int32_t (*gsample_dry_breaker)(gsample_sampler *sampler, const int32_t *tokens, size_t n);
  int32_t (*gsample_set_custom)(gsample_sampler *sampler, const gsample_custom *custom);
  int32_t (*gsample_constrain)(gsample_sampler *sampler, const gsample_constraint *constraint);
  int32_t (*gsample_shaped)(const gsample_sampler *sampler);
  int64_t (*gsample_candidates_needed)(const gsample_sampler *sampler);
  int64_t (*gsample_save)(const gsample_sampler *sampler, void *bytes, size_t capacity);
  int32_t (*gsample_load)(gsample_sampler **sampler, const void *bytes, size_t n, gsample_error *error);
  int32_t (*gsample_pick)(gsample_sampler *sampler, const float *logits, size_t n_vocab);
  int32_t (*gsample_pick_row)(gsample_sampler *sampler, const gsample_row *row, gsample_choice *choice);
  int32_t (*gsample_workspace_new)(uint32_t n_workers, gsample_workspace **workspace);
  void (*gsample_workspace_free)(gsample_workspace *workspace);
  int32_t (*gsample_decide)(gsample_sequence *sequences, size_t n, const gsample_executor *executor, gsample_workspace *workspace);
  int32_t (*gsample_dist_new)(gsample_dist **dist);
  void (*gsample_dist_free)(gsample_dist *dist);
  int32_t (*gsample_dist_set)(gsample_dist *dist, const int32_t *tokens, const double *weights, size_t n);
  int32_t (*gsample_dist_from_row)(gsample_dist *dist, gsample_sampler *sampler, const gsample_row *row);
  int32_t (*gsample_dist_from_candidates)(gsample_dist *dist, gsample_sampler *sampler, const int32_t *tokens, const float *logits, size_t n, uint32_t n_vocab, int32_t exact);
  size_t (*gsample_dist_size)(const gsample_dist *dist);
  const int32_t *(*gsample_dist_ids)(const gsample_dist *dist);
  const double *(*gsample_dist_weights)(const gsample_dist *dist);
  double (*gsample_dist_total)(const gsample_dist *dist);
  double (*gsample_dist_chance)(const gsample_dist *dist, int32_t token);
  int32_t (*gsample_dist_draw)(const gsample_dist *dist, gsample_sampler *sampler);
  int32_t (*gsample_dist_residual)(const gsample_dist *p, const gsample_dist *q, gsample_dist *out);
  int32_t (*gsample_vocab_new)(const gsample_vocab_desc *desc, gsample_vocab **vocab, gsample_error *error);
  int32_t (*gsample_vocab_from_gguf)(const void *data, size_t n, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
  int32_t (*gsample_vocab_from_gguf_file)(const char *path, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
  int32_t (*gsample_vocab_from_tokenizer_json)(const char *json, size_t n, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
  int32_t (*gsample_vocab_set_stop)(gsample_vocab *vocab, const int32_t *tokens, size_t n);
  int32_t (*gsample_vocab_bytes)(const gsample_vocab *vocab, int32_t token, const uint8_t **bytes, size_t *n);
  int64_t (*gsample_vocab_stops)(const gsample_vocab *vocab, int32_t *tokens, size_t capacity);
  gsample_vocab *(*gsample_vocab_retain)(gsample_vocab *vocab);
  void (*gsample_vocab_free)(gsample_vocab *vocab);
  int32_t (*gsample_grammar_from_gbnf)(gsample_vocab *vocab, const char *text, size_t n, const char *root, gsample_grammar **grammar, gsample_error *error);
  int32_t (*gsample_grammar_from_regex)(gsample_vocab *vocab, const char *text, size_t n, gsample_grammar **grammar, gsample_error *error);
  int32_t (*gsample_grammar_warm)(gsample_grammar *grammar);
  gsample_grammar *(*gsample_grammar_retain)(gsample_grammar *grammar);
  void (*gsample_grammar_free)(gsample_grammar *grammar);
  int32_t (*gsample_matcher_new)(gsample_grammar *grammar, gsample_matcher **matcher);
  void (*gsample_matcher_free)(gsample_matcher *matcher);
  int32_t (*gsample_matcher_clone)(const gsample_matcher *matcher, gsample_matcher **copy);
  int32_t (*gsample_matcher_reset)(gsample_matcher *matcher);
  int32_t (*gsample_matcher_allows)(const gsample_matcher *matcher, int32_t token);
  int32_t (*gsample_matcher_can_stop)(const gsample_matcher *matcher);
  int32_t (*gsample_matcher_accept)(gsample_matcher *matcher, int32_t token);
  int32_t (*gsample_matcher_rollback)(gsample_matcher *matcher, size_t n);
  int32_t (*gsample_matcher_mask)(gsample_matcher *matcher, uint32_t *words, size_t n_words);
  int32_t (*gsample_matcher_constraint)(gsample_matcher *matcher, gsample_constraint *constraint);
};
const gsample_api *gsample_get_api(uint32_t abi_major);

#if defined(__GNUC__) || defined(__clang__)
#pragma GCC visibility pop
#endif
#ifdef __cplusplus
}
#endif
#endif

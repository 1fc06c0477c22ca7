/* gsample: a token sampler. A row of logits goes in, a token comes out.
   SPDX-License-Identifier: MIT

   This file is the whole C ABI and its manual. Its sections stand in the order in which a row travels:

      1  Calls: statuses, errors, the rules that hold everywhere
      2  Version and target
      3  Parameters and stages
      4  Rows, logprobs
      5  The sampler: making, state, constraint, custom stage
      6  The pick, and the step
      7  Distributions
      8  Vocabulary, grammar, matcher
      9  The table for hosts that load the library at run time

   Everything here exists since 1.0 unless its text says otherwise.

   The shortest use:

      gsample_params params = {.size = sizeof params};
      gsample_sampler *sampler;
      gsample_params_init(&params);
      params.temperature = 0.8f;
      if (gsample_new(&params, &sampler, NULL) < 0) ...
      for (;;) {
        int32_t token = gsample_pick(sampler, logits, n_vocab);    (a status below 0 is an error)
        ...
      }
      gsample_free(sampler);

   Two promises.

   The ABI. Within one GSAMPLE_ABI_MAJOR (the number in the shared object's name) nothing declared here is removed, renumbered or
   changed in meaning; structs grow at their end only, behind their `size`; functions are added, with a symbol version per minor
   release.

   The same bits. A token depends on the parameters, the seed, the rows and the tokens accepted so far, and on nothing else. The same
   inputs give the same tokens and the same probabilities, to the last bit, on every CPU, in either byte order, with any vector width,
   compiler, batch or number of threads. GSAMPLE_SEMANTICS numbers the meaning of those bits: releases with the same number give the
   same tokens, and a release that changes any token of any pick changes the number (also in saved states and NEWS.md). */
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

/* =====================================================================================================================================
   1  Calls

   Results. A function that can fail returns 0 or more for success (0, a token, a count) and a status below 0 for failure. A predicate
   returns 1, 0 or a status. Every pointer that a function needs and finds NULL is GSAMPLE_ERROR_INVALID_ARGUMENT, and every function
   that needs memory may return GSAMPLE_ERROR_OUT_OF_MEMORY; neither is repeated below, nor that CALLBACK, or a status that a callback
   returned, may come from whatever runs a callback.

   Failure moves nothing. A call that fails leaves every object it was given as it was: generator, history, constraint, parameters.
   Outputs are written on success only; the exceptions say so.

   Structs that begin with `size`: set it to sizeof of the struct as your compiler sees it before any call, the ones that fill the
   struct included: a multiple of 8, 8 .. 4096, else INVALID_ARGUMENT. A struct shorter than the library's lacks fields, and those count
   as 0. A longer one must hold 0 in what the library does not know. `reserved` must be 0. An array of such structs is stepped by its
   first element's size, and all must be equal.

   Arrays are aligned as C demands of their type; only a row and its mask are checked for it. A length that no memory could hold is
   INVALID_ARGUMENT.

   Messages come from the functions that take a gsample_error: those that read parameters, texts and files. The others are told apart
   by their status.

   Ownership. What is passed is borrowed for the call, unless the text says that it is kept. X_new makes what X_free ends; X_free takes
   NULL. A callback's `user` is kept until its `destroy`.

   Threads. There is no global state: two objects never share anything that needs a lock. A sampler, distribution, matcher or workspace
   is for one thread at a time, and any thread may be the next. Functions that take a handle as const may run at once on the same
   object, as long as none that takes it without const does. Vocabularies and grammars are immutable once made and may be used by all
   threads at once. The library makes no threads, writes to no stream, ends no process, reads no environment and obeys no locale. The
   floating-point control word may be anything (flush-to-zero included): it is set at entry where it matters and restored.
   ================================================================================================================================== */

/* Statuses. They are never renumbered; the gaps are for what comes. */
#define GSAMPLE_OK 0
#define GSAMPLE_ERROR_INVALID_ARGUMENT (-1) /* a NULL, a wrong size, a value out of its range */
#define GSAMPLE_ERROR_OUT_OF_MEMORY (-2)
#define GSAMPLE_ERROR_NO_CANDIDATE (-10)    /* nothing may be drawn: everything is banned, masked or refused */
#define GSAMPLE_ERROR_NOT_A_NUMBER (-11)    /* the row holds NaN where it counts */
#define GSAMPLE_ERROR_REFUSED (-12)         /* the constraint does not allow this token */
#define GSAMPLE_ERROR_INEXACT (-13)         /* the candidates may miss one of the row's best */
#define GSAMPLE_ERROR_SYNTAX (-20)          /* a grammar, an expression or a value could not be read; the error tells the place */
#define GSAMPLE_ERROR_UNSUPPORTED (-21)     /* well-formed, and asks for what this library cannot do */
#define GSAMPLE_ERROR_FORMAT (-22)          /* a file or a saved state is malformed */
#define GSAMPLE_ERROR_LIMIT (-23)           /* a bound on hostile input was met */
#define GSAMPLE_ERROR_BUFFER (-24)          /* the caller's buffer, or the data given, is too short */
#define GSAMPLE_ERROR_IO (-25)              /* a file could not be read */
#define GSAMPLE_ERROR_CALLBACK (-30)        /* a callback failed without a status of its own */

/* Handles. All are made and freed by the functions of their section. */
typedef struct gsample_sampler gsample_sampler;     /* one sequence's parameters, generator, history and constraint (5) */
typedef struct gsample_dist gsample_dist;           /* token ids with weights (7) */
typedef struct gsample_workspace gsample_workspace; /* scratch memory for a step, a slot per worker (6) */
typedef struct gsample_vocab gsample_vocab;         /* the bytes of every token; immutable, counted, shared (8) */
typedef struct gsample_grammar gsample_grammar;     /* a compiled grammar bound to a vocabulary; immutable, counted, shared (8) */
typedef struct gsample_matcher gsample_matcher;     /* where one sequence stands in a grammar (8) */

/* gsample_error: what went wrong, in words. Yours, and NULL wherever it is taken if you do not want it. Written on failure (the readers
   of section 3 also use it to report), as much of it as `size` covers. The message names the field or the place, the value and the
   allowed range, and is for people: compare statuses. */
typedef struct gsample_error {
  uint32_t size;
  int32_t status;    /* what the call returned */
  int32_t line;      /* of the text that was read, from 1; 0 where there is no such place */
  int32_t column;    /* in bytes, from 1; 0 where there is no such place */
  char message[256]; /* ends with a NUL, cut if it was longer */
} gsample_error;

/* =====================================================================================================================================
   2  Version and target

   None of these can fail; all strings are static.
   ================================================================================================================================== */

/* gsample_version: of the library that is running, as GSAMPLE_VERSION_NUMBER is of the header that was compiled against. */
uint32_t gsample_version(void);

/* gsample_version_string: the same as text, "1.0.0". */
const char *gsample_version_string(void);

/* gsample_status_name: "OK" for 0 and above, "NO_CANDIDATE" for GSAMPLE_ERROR_NO_CANDIDATE and so on, "UNKNOWN" for any other number. */
const char *gsample_status_name(int32_t status);

/* gsample_target: the vector instructions in use on this machine: "avx512", "neon", "scalar" ... They change speed, never results. */
const char *gsample_target(void);

/* =====================================================================================================================================
   3  Parameters and stages

   A pick is: bias and bans, then the stages of `order` one after the other, then one draw. Each stage sees the set of tokens and the
   logits as the stages before it left them. A token is a candidate until a stage drops it.

   The order of tokens is one total order throughout: higher logit first, equal logits (-0 and +0 are equal) lower id first, by the
   logits after bias, penalties and DRY. Temperature never changes it. Every stage keeps at least one token. Wherever p_i stands below,
   it is the softmax of the set as the stage finds it: exp(v_i - max) / sum.

   Stages run in f32 for logits and probabilities and in f64 for sums; exp, log and pow are the library's own. A stage at its off value
   does nothing, costs nothing and changes no bit. No stage may stand twice, and none after one that ends the chain. A main parameter
   (named first in a stage below) that is not off while its stage is missing from `order` is an error, as are all values outside their
   range: nothing is clamped, dropped or switched on in silence. NaN and infinities are never in range.
   ================================================================================================================================== */

/* Penalties: penalty_repeat, penalty_freq, penalty_present, penalty_style, penalty_last_n. For a token seen `count` times
      v = v <= 0 ? v * repeat : v / repeat,   v = v - count * freq,   v = v - present
   one after the other. What is counted, penalty_style says. Sources: repeat is that of Keskar et al. 2019 (CTRL), dividing only
   positive logits, as Hugging Face transformers does; freq and present are OpenAI's. */
#define GSAMPLE_STAGE_PENALTIES 1

/* DRY: dry_multiplier, dry_base, dry_allowed_length, dry_last_n, and the breakers of gsample_dry_breaker. Penalises the token that
   would carry on a repetition. Let h be the last dry_last_n tokens of the history, n their number. An earlier place e, 1 .. n - 1,
   matches by the longest common ending of h[0..e) and h[0..n), cut at the latest breaker; token h[e] gets the longest match m found for
   it, and where m >= allowed_length
      v = v - min(multiplier * base^(m - allowed_length), FLT_MAX)
   A token that alone is a breaker is never penalised. Source: p-e-w, text-generation-webui pull request 5677. */
#define GSAMPLE_STAGE_DRY 2

/* Top-n-sigma: top_n_sigma. Keeps v >= max - n * sigma, with sigma the population standard deviation of the set's logits.
   Source: Tang et al. 2024 (Top-n-sigma: Not All Logits Are You Need). */
#define GSAMPLE_STAGE_TOP_N_SIGMA 3

/* Top-k: top_k. Keeps the first k, exactly k, however many are equal. Source: Fan et al. 2018 (Hierarchical Neural Story Generation). */
#define GSAMPLE_STAGE_TOP_K 4

/* Typical-p: typical_p. With H = -sum p_i ln p_i, takes tokens by ascending |-ln p_i - H| (ties in order) until their probabilities sum
   to typical_p or more. The first token may go, tokens with p_i = 0 do; at least min_keep stay.
   Source: Meister et al. 2023 (Locally Typical Sampling). */
#define GSAMPLE_STAGE_TYPICAL_P 5

/* Top-p, or nucleus: top_p. Keeps the shortest prefix whose probabilities sum to top_p or more; at least min_keep stay.
   Source: Holtzman et al. 2020 (The Curious Case of Neural Text Degeneration). */
#define GSAMPLE_STAGE_TOP_P 6

/* Min-p: min_p. Keeps v >= max + ln(min_p), which is p_i >= min_p * p_first; at least min_keep stay.
   Source: Nguyen et al. 2024 (Turning Up the Heat: Min-p Sampling for Creative and Coherent LLM Outputs). */
#define GSAMPLE_STAGE_MIN_P 7

/* XTC: xtc_probability, xtc_threshold. Where two or more tokens are left, takes one number u from the generator; if u < probability,
   all tokens with p_i >= threshold but the last of them go, unless fewer than max(1, min_keep) would stay.
   Source: p-e-w, text-generation-webui pull request 6335. */
#define GSAMPLE_STAGE_XTC 8

/* Temperature: temperature, dynatemp_range, dynatemp_exponent.
      v = v / T,   or (v - max) / T for all where v / T would overflow
   T <= 0 is greedy, whatever the order and dynatemp_range: bias, mask, penalties, DRY and the constraint apply, the first token is
   taken, no other stage runs, no number is drawn, mirostat and adaptive-p do not move. With dynatemp_range > 0 and n >= 2 tokens of
   entropy H left
      T = lo + (hi - lo) * (H / ln n)^exponent,   lo = max(0, temperature - range),   hi = temperature + range
   Sources: Ackley et al. 1985 (Boltzmann machines); the dynamic form is kalomaze's, llama.cpp pull request 4972. */
#define GSAMPLE_STAGE_TEMPERATURE 9

/* Mirostat, ends the chain: mirostat, mirostat_tau, mirostat_eta. Steers the surprise of what is drawn towards tau bits. mu is 2 * tau
   at first; when a token has been drawn, with p its probability among what was left,
      mu = mu - eta * (-log2 p - tau)
   Version 2 keeps the tokens with -log2 p_i <= mu, the first always. Version 1 fits a power law to the first hundred tokens and keeps
   k:
      t_i = ln((i + 2) / (i + 1)),   b_i = ln(p_i / p_(i+1)),   s = sum(t b) / sum(t t),
      k = (((s - 1) * 2^mu) / (1 - n_vocab^(1 - s)))^(1 / s),   at least 1; all where k is not finite
   Source: Basu et al. 2021 (Mirostat: A Neural Text Decoding Algorithm that Directly Controls Perplexity), version 2 their code's. */
#define GSAMPLE_STAGE_MIROSTAT 10

/* Adaptive-p, ends the chain: adaptive_target, adaptive_decay. Favours probabilities near a target that moves against what was drawn
   before. A is the target at first; with p_i as the set comes in
      a = clamp(2 * target - A, 0, 1),   d = |p_i - a| / 0.3,   v = 5 - 10 d^2 / (1 + d)
   then softmax and draw, and A = decay * A + (1 - decay) * p of the token drawn. Source: MrJackSpade, llama.cpp pull request 17927. */
#define GSAMPLE_STAGE_ADAPTIVE_P 11

/* Your own function on what is left: gsample_set_custom. Does nothing in a sampler that has none. */
#define GSAMPLE_STAGE_CUSTOM 64

/* penalty_style: what is counted, and where. */
#define GSAMPLE_PENALTY_WINDOW 0 /* the last penalty_last_n tokens, prompt and answer alike (golem, llama.cpp) */
#define GSAMPLE_PENALTY_ANSWER 1 /* repeat: once per token of prompt or answer; freq, present: the answer's tokens (OpenAI, vLLM) */

/* nan_policy: what a NaN does that no mask and no ban removes. */
#define GSAMPLE_NAN_ERROR 0  /* the row fails with GSAMPLE_ERROR_NOT_A_NUMBER */
#define GSAMPLE_NAN_BANNED 1 /* the token is banned from this pick */

/* constraint_mode: how the chain and the constraint meet. Greedy picks take the first allowed token in every mode. */
#define GSAMPLE_CONSTRAINT_LAZY 0       /* the chain runs without, and is run again over the allowed tokens, with new numbers, where the
                                           token it drew is refused. The cheapest: most picks ask about one token */
#define GSAMPLE_CONSTRAINT_MASK_FIRST 1 /* the chain sees allowed tokens only */
#define GSAMPLE_CONSTRAINT_MASK_LAST 2  /* the chain sees all, then refused tokens leave and one draw is made from the rest: the exact
                                           conditional distribution. Where none is left, as LAZY's second run */

/* gsample_params: what a sampler is made of. Fill by gsample_params_init, then change what you like. A plain value: copy it, keep it. */
typedef struct gsample_params {
  uint32_t size;
  int32_t top_k;               /* any; 0 and below off. Default 64 */
  uint64_t seed;               /* of the generator, any. Default 0 */
  float temperature;           /* any; 0 and below greedy, 1 off. Default 1 */
  float top_p;                 /* 0 .. ; 0 keeps one token, 1 and above off. Default 0.95 */
  float min_p;                 /* 0 .. 1; 0 off, 1 keeps the tokens equal to the first. Default 0 */
  float typical_p;             /* 0 .. ; 1 and above off. Default 1 */
  float top_n_sigma;           /* any; 0 and below off. Default 0 */
  float xtc_probability;       /* 0 .. 1; 0 off. Default 0 */
  float xtc_threshold;         /* above 0; above 0.5 XTC is off. Default 0.1 */
  float dynatemp_range;        /* 0 .. ; 0 off. Default 0 */
  float dynatemp_exponent;     /* above 0. Default 1 */
  float mirostat_tau;          /* 0 .. , bits. Default 5 */
  float mirostat_eta;          /* 0 .. 1. Default 0.1 */
  float adaptive_target;       /* .. 1; below 0 off. Default -1 */
  float adaptive_decay;        /* 0 .. 0.99. Default 0.9 */
  float penalty_repeat;        /* any; 1 off, 0 means 1, negative is plain arithmetic. Default 1 */
  float penalty_freq;          /* any; 0 off. Default 0 */
  float penalty_present;       /* any; 0 off. Default 0 */
  float dry_multiplier;        /* 0 .. ; 0 off. Default 0 */
  float dry_base;              /* 0 .. ; below 1 DRY is off. Default 1.75 */
  int32_t mirostat;            /* 0 off, 1, 2: the version. Default 0 */
  int32_t penalty_style;       /* GSAMPLE_PENALTY_*. Default WINDOW */
  int32_t penalty_last_n;      /* tokens; 0 off, negative the whole history; WINDOW style only. Default 64 */
  int32_t dry_allowed_length;  /* 0 .. , tokens that may repeat freely. Default 2 */
  int32_t dry_last_n;          /* tokens; 0 off, negative the whole history. Default -1 */
  int32_t min_keep;            /* 0 .. , the least that typical-p, top-p, min-p and XTC leave; 0 means 1. Default 0 */
  int32_t nan_policy;          /* GSAMPLE_NAN_*. Default ERROR */
  int32_t constraint_mode;     /* GSAMPLE_CONSTRAINT_*. Default LAZY */
  int32_t order[32];           /* GSAMPLE_STAGE_*, the first 0 ends it. Default penalties, DRY, top-n-sigma, top-k, typical-p, top-p, min-p,
                                  XTC, temperature */
} gsample_params;

/* gsample_params_init: the defaults above into all that params->size covers. */
int32_t gsample_params_init(gsample_params *params);

/* gsample_params_preset: the defaults, order and penalty style of another system; `seed`, `nan_policy` and `constraint_mode` stay.
      "golem"      penalties, top-k, top-p, min-p, temperature; the defaults above
      "llama.cpp"  the order above; temperature 0.8, top_k 40, min_p 0.05, dry_last_n 64, top_n_sigma -1
      "vllm"       penalties, temperature, min-p, top-k, top-p; ANSWER style, no truncation
      "hf"         penalties, temperature, top-k, top-p, min-p, typical-p; ANSWER style, top_k 50
      "ollama"     top-k, temperature, top-p, min-p; temperature 0.8, top_k 40, top_p 0.9
      "openai"     penalties, temperature, top-p; ANSWER style, no truncation
      "greedy"     penalties, DRY, temperature; temperature 0
   An unknown name is INVALID_ARGUMENT and changes nothing. */
int32_t gsample_params_preset(gsample_params *params, const char *name, gsample_error *error);

/* gsample_params_set: one parameter by name: the field's, or what other systems call it where it means the same ("repetition_penalty",
   "presence_penalty", "typ_p", "repeat_last_n", "do_sample" ...), with - or _. `value` is text: a number with a decimal point, whatever
   the locale; a word for what has words ("window", "answer", "error", "banned", "lazy", "mask_first", "mask_last"); stage names joined
   by commas for `order` ("penalties,top_k,temperature"). "mirostat" set to 1 or 2 also makes the order penalties, DRY, temperature,
   mirostat and switches off what leaves it. An unknown key, a value that cannot be read or is out of range: INVALID_ARGUMENT. A setting
   that other systems have and gsample does not: UNSUPPORTED, unless the value means off. Either changes nothing. What concerns several
   parameters together is checked when a sampler is made. */
int32_t gsample_params_set(gsample_params *params, const char *key, const char *value, gsample_error *error);

/* gsample_params_describe: all parameters as one line of "key=value" separated by blanks, which gsample_params_set reads back, in that
   order, to the same bits, if they are in range. Returns the size in bytes, the final NUL included, and writes the text where capacity is
   at least that. Capacity 0 (text may be NULL) only asks; one in between is BUFFER. */
int64_t gsample_params_describe(const gsample_params *params, char *text, size_t capacity);

/* gsample_params_from_gguf: what a model recommends in its GGUF file, the general.sampling.* keys, numbers of any type, into *params;
   what the file does not name stays. Both byte orders, versions 2 and 3. `data` is the file's beginning, n bytes of it: BUFFER where
   the metadata goes on behind them (come again with more). FORMAT for what is no GGUF, LIMIT for sizes that no file has,
   INVALID_ARGUMENT for a value out of range; these change nothing. A key that gsample cannot honour, or whose stage the order lacks, is
   left out and reported: the result is how many those are, 0 when all was honoured, and the error's message names them. */
int32_t gsample_params_from_gguf(gsample_params *params, const void *data, size_t n, gsample_error *error);

/* gsample_params_from_gguf_file: the same from a file, of which only the metadata is read. Also IO. */
int32_t gsample_params_from_gguf_file(gsample_params *params, const char *path, gsample_error *error);

/* gsample_params_from_generation_config: the n bytes of a Hugging Face generation_config.json: preset "hf", then what the file sets;
   without "do_sample": true that is greedy. FORMAT for what is no JSON object, with line and column; INVALID_ARGUMENT for a value out
   of range; both change nothing. Keys that shape sampling and that gsample cannot honour are reported as gsample_params_from_gguf
   reports them, and so is any key it does not know; keys about lengths, caches and outputs are passed over. */
int32_t gsample_params_from_generation_config(gsample_params *params, const char *json, size_t n, gsample_error *error);

/* =====================================================================================================================================
   4  Rows, logprobs

   A row is n_vocab logits, one a token, token i at index i. It is borrowed, read and never written. What a bad row gives, in this
   order: tokens that a mask or a ban removes count for nothing, NaN included (padding may hold anything); any other NaN is
   NOT_A_NUMBER, or a ban under GSAMPLE_NAN_BANNED; -inf is a ban; if any +inf is left, the candidates are exactly those tokens, all
   equal. Nothing left is NO_CANDIDATE: never token 0 by default.
   ================================================================================================================================== */

/* dtype: the type of a row's logits, in the machine's byte order, aligned to their size. f16 and bf16 are read as the f32 they denote. */
#define GSAMPLE_F32 0
#define GSAMPLE_F16 1
#define GSAMPLE_BF16 2

typedef struct gsample_row {
  uint32_t size;
  uint32_t dtype;       /* GSAMPLE_F32, GSAMPLE_F16, GSAMPLE_BF16 */
  uint32_t n_vocab;     /* 1 .. 2^31 - 1; the logits behind `logits`. May be wider than the tokenizer's list */
  uint32_t reserved;    /* 0 */
  const void *logits;
  const uint32_t *mask; /* bit i % 32 of word i / 32, 1 = allowed; (n_vocab + 31) / 32 words. NULL = all */
} gsample_row;

/* gsample_row_report: what gsample_row_check found among the tokens that the mask allows. */
typedef struct gsample_row_report {
  uint32_t size;
  uint32_t n_nan;
  uint32_t n_pos_inf;
  uint32_t n_neg_inf;
  int32_t first_bad; /* the lowest id that holds NaN or +inf, or -1 */
  float min;         /* of the finite logits; +inf where there are none */
  float max;         /* of the finite logits; -inf where there are none */
  uint32_t reserved;
} gsample_row_report;

/* logprob_mode: of which distribution a logprob speaks. */
#define GSAMPLE_LOGPROB_NONE 0      /* none is wanted */
#define GSAMPLE_LOGPROB_RAW 1       /* ln of the softmax of the row as given, before mask, bias and stages */
#define GSAMPLE_LOGPROB_RAW_LOGIT 2 /* the logit as given */
#define GSAMPLE_LOGPROB_PROCESSED 3 /* ln of the probability in the distribution the token was finally drawn from */

/* gsample_logprob: a token's natural logarithm of probability (or its logit), -inf for probability 0, and its rank: the 1-based
   position in the order of tokens of the row that the mode names, 0 where it has none (a NaN). The one struct without a size: it never
   changes. */
typedef struct gsample_logprob {
  double logprob;
  int32_t token;
  int32_t rank;
} gsample_logprob;

/* gsample_choice: how a pick came out. You set size, logprob_mode, n_top and top; the pick writes the rest. RAW and RAW_LOGIT rank all
   tokens of the row, PROCESSED those that were drawn from. */
typedef struct gsample_choice {
  uint32_t size;
  uint32_t logprob_mode; /* GSAMPLE_LOGPROB_*; NONE gives the token, and 0 for the rest */
  uint32_t n_top;        /* how many of the most likely you want; 0 is fine */
  uint32_t n_written;    /* how many there are: n_top, or fewer where fewer have a probability above 0 */
  int32_t token;
  int32_t rank;          /* of the token */
  double logprob;        /* of the token */
  gsample_logprob *top;  /* n_top of yours, the most likely first; the picked token is not added if it is not among them */
} gsample_choice;

/* gsample_best: the first token of the row in the order of tokens, mask and bad rows respected: an argmax without a sampler. Returns
   the token, NO_CANDIDATE or NOT_A_NUMBER. */
int32_t gsample_best(const gsample_row *row);

/* gsample_row_check: counts what is not a finite number, to tell a broken model from a broken sampler. Returns 0 for any readable row. */
int32_t gsample_row_check(const gsample_row *row, gsample_row_report *report);

/* gsample_logprobs: for n tokens of yours, in any order, their GSAMPLE_LOGPROB_RAW and rank. You set items[i].token, 0 .. n_vocab - 1,
   else INVALID_ARGUMENT; logprob and rank are written. The mask is not looked at; NaN counts for nothing. One pass over the row gives
   the sum, and then a logprob is a constant time each; ranks take one more pass. */
int32_t gsample_logprobs(const gsample_row *row, gsample_logprob *items, size_t n);

/* =====================================================================================================================================
   5  The sampler

   One sampler serves one sequence. It holds parameters, a generator, the history (prompt, then answer), the bias, stop tokens and DRY
   breakers, a constraint and a custom stage, and the state of mirostat and adaptive-p.

   The generator is PCG-DXSM 128/64 (O'Neill), seeded and stepped as Go's math/rand/v2 does: state = seed << 64 | (seed ^
   0x9e3779b97f4a7c15). A uniform number is the low 53 bits of one output over 2^53, in [0, 1). A draw takes one number where two or
   more tokens are left, none where one is, and none when greedy; XTC takes one of its own. The token drawn is the first at which the
   running f64 sum of the f32 probabilities, in the order of tokens, exceeds the number.
   ================================================================================================================================== */

/* gsample_new: makes a sampler from parameters, which are copied. INVALID_ARGUMENT names the field, the value and the range, or the
   stage that is missing, doubled or out of place. */
int32_t gsample_new(const gsample_params *params, gsample_sampler **sampler, gsample_error *error);

/* gsample_free: ends a sampler; calls the `destroy` of its constraint and custom stage. */
void gsample_free(gsample_sampler *sampler);

/* gsample_clone: an independent copy with all state: from here both draw the same tokens from the same rows. Constraint and custom
   stage are copied by their `clone`; where one has none, UNSUPPORTED, and never a copy without it. */
int32_t gsample_clone(const gsample_sampler *sampler, gsample_sampler **copy);

/* gsample_assign: makes `to` the equal of `from`, as gsample_clone would, in the memory that `to` has. What `to` was is gone. For
   beams, and for going back to a state that was kept. */
int32_t gsample_assign(gsample_sampler *to, const gsample_sampler *from);

/* gsample_reset: as new with the parameters in force: the generator at its seed, no history, no constraint, mu and averages at their
   start. Bias, stop tokens, breakers and the custom stage stay. */
int32_t gsample_reset(gsample_sampler *sampler);

/* gsample_reserve: memory for rows up to n_vocab (at most 2^31 - 1) wide and histories up to n_tokens long. Within that no pick, accept
   or seed allocates; beyond it memory grows before any state moves. Without it the first pick allocates. */
int32_t gsample_reserve(gsample_sampler *sampler, uint32_t n_vocab, size_t n_tokens);

/* gsample_memory: the bytes that the sampler holds, itself included. With top-k in the chain less than 64 KiB plus its history,
   whatever the vocabulary, once the scratch of a whole row is a workspace's (gsample_decide). */
int64_t gsample_memory(const gsample_sampler *sampler);

/* gsample_set_params: other parameters from the next pick on. Keeps all state, the generator and its place included: a new `seed` takes
   effect with gsample_reset or gsample_rng_seed. Errors as gsample_new; then the old parameters stay. */
int32_t gsample_set_params(gsample_sampler *sampler, const gsample_params *params, gsample_error *error);

/* gsample_rng_seed: the generator starts again, from `seed`. */
int32_t gsample_rng_seed(gsample_sampler *sampler, uint64_t seed);

/* gsample_uniform: the next number of the sampler's generator, in [0, 1), and takes it. For an engine's own decisions that must be as
   repeatable as the tokens. Below 0 where sampler is NULL. */
double gsample_uniform(gsample_sampler *sampler);

/* gsample_seed: appends n tokens to the history as prompt. Penalties and DRY see them; the constraint, `after`, mirostat and adaptive-p
   do not. May be called again at any time. A token outside a row, a negative one included, is recorded and has no effect on that row. */
int32_t gsample_seed(gsample_sampler *sampler, const int32_t *tokens, size_t n);

/* gsample_accept: appends a token that was chosen elsewhere to the history as answer, and moves the constraint. A pick does so by
   itself: never accept what this sampler picked. REFUSED where the constraint does not allow the token. mirostat and adaptive-p do not
   move. Without a constraint any token is taken, as by gsample_seed. */
int32_t gsample_accept(gsample_sampler *sampler, int32_t token);

/* gsample_bias: adds biases[i] to the logit of tokens[i] in every row, before anything else; -inf bans the token. Replaces the whole
   table; n = 0 empties it. +inf, NaN, a negative or a repeated token is INVALID_ARGUMENT; tokens beyond a row's end are passed over. */
int32_t gsample_bias(gsample_sampler *sampler, const int32_t *tokens, const float *biases, size_t n);

/* gsample_stop: the tokens after which gsample_decide ends a sequence. Replaces the list; n = 0 empties it, a negative token is
   INVALID_ARGUMENT, a repeated one counts once. A pick does not look at it: compare the token. */
int32_t gsample_stop(gsample_sampler *sampler, const int32_t *tokens, size_t n);

/* gsample_dry_breaker: adds one sequence of n tokens across which DRY sees no repetition (a line break, a quote mark, a speaker's
   name). The library knows no text: give every way of spelling it that matters; how many there are costs nothing in a pick. A negative
   token is INVALID_ARGUMENT. n = 0 forgets all breakers. */
int32_t gsample_dry_breaker(gsample_sampler *sampler, const int32_t *tokens, size_t n);

/* gsample_constraint: what may come next, asked of you. Callbacks return 0 or more (predicates 1 or 0), or a status below 0, which the
   call that needed the answer then returns. They must not call the sampler, unwind or longjmp. Those of one sampler are called one at a
   time, those of different samplers possibly at once. */
typedef struct gsample_constraint {
  uint32_t size;
  uint32_t n_after;
  void *user;

  /* n_after tokens, copied. The constraint sleeps, allowing everything, until that sequence has been accepted as answer; those tokens are
     not shown to it. n_after 0: awake at once. */
  const int32_t *after;

  /* Required. May this token come next? */
  int32_t (*allows)(void *user, int32_t token);

  /* The token has been chosen. Runs before the sampler commits, which it does only if this succeeds. Optional: NULL for a constraint that
     remembers nothing. */
  int32_t (*accept)(void *user, int32_t token);

  /* Optional, used where both are there; they make the search for allowed tokens fast. table[b] = 1 where an allowed token may begin with
     byte b; first_byte is a token's first byte, or any status where it has none: the token is then asked about, and the status goes no
     further. */
  int32_t (*first_bytes)(void *user, uint8_t table[256]);
  int32_t (*first_byte)(void *user, int32_t token);

  /* Optional. Sets the bits of all allowed tokens in words that come zeroed, laid out as gsample_row's mask. Without it the MASK_ modes
     ask `allows` n_vocab times. */
  int32_t (*mask)(void *user, uint32_t *words, size_t n_words);

  /* Optional. May the text end here? */
  int32_t (*can_stop)(void *user);

  /* Optional. Makes an independent copy of `user`. NULL: a sampler that has this constraint cannot be cloned. */
  int32_t (*clone)(void *user, void **out);

  /* Optional. Called once for each `user`, when no sampler needs it any more. */
  void (*destroy)(void *user);
} gsample_constraint;

/* gsample_custom: a stage of yours, where `order` has GSAMPLE_STAGE_CUSTOM. The rules of gsample_constraint's callbacks hold. */
typedef struct gsample_custom {
  uint32_t size;
  uint32_t reserved;
  void *user;

  /* Required. May change logits[i], the logit of tokens[i]; n tokens in their order. -inf drops a token, NaN fails the pick with
     NOT_A_NUMBER. What is left is put in order again. */
  int32_t (*apply)(void *user, const int32_t *tokens, float *logits, size_t n);

  /* Optional, both as in gsample_constraint. */
  int32_t (*clone)(void *user, void **out);
  void (*destroy)(void *user);
} gsample_custom;

/* gsample_set_custom: gives the sampler its custom stage, or takes it away with NULL. The struct is copied, `user` is taken over: where
   the call fails `destroy` has been called, unless the struct itself could not be read. The stage before is destroyed. */
int32_t gsample_set_custom(gsample_sampler *sampler, const gsample_custom *custom);

/* gsample_constrain: gives the sampler a constraint, or takes it away with NULL; otherwise as gsample_set_custom. The answer so far is
   not shown to it, and neither counts it for `after`, except that a loaded sampler goes on where it was saved: awake where `after` had
   passed, and otherwise as far into it. */
int32_t gsample_constrain(gsample_sampler *sampler, const gsample_constraint *constraint);

/* gsample_shaped: 0 where the next pick is gsample_best of the row, so that an engine's own argmax (lowest id among equals) will do; 1
   where it may differ: temperature, a bias, penalties, DRY, or a constraint. */
int32_t gsample_shaped(const gsample_sampler *sampler);

/* gsample_candidates_needed: how many of a row's best tokens suffice for gsample_dist_from_candidates to be exact on the next pick:
   top_k and what penalties, bias and DRY may lower. 0 where no number does, and the whole row is needed; a number above the row's width
   means all of the row too. */
int64_t gsample_candidates_needed(const gsample_sampler *sampler);

/* gsample_save: the sampler as bytes: parameters, generator, history, bias, stop tokens, breakers, mu, average, and how much of `after`
   has been accepted; not the constraint and not the custom stage. The same bytes on every machine. Returns their number, and writes
   them where capacity is at least that. Capacity 0 (bytes may be NULL) only asks; one in between is BUFFER. */
int64_t gsample_save(const gsample_sampler *sampler, void *bytes, size_t capacity);

/* gsample_load: makes a sampler from such bytes; its tokens go on as those of the sampler that was saved. Set constraint and custom
   stage again before the next pick (a matcher is brought up by accepting the answer so far). FORMAT for bytes that are damaged,
   UNSUPPORTED for a newer format or other GSAMPLE_SEMANTICS. Any bytes are safe to load. */
int32_t gsample_load(gsample_sampler **sampler, const void *bytes, size_t n, gsample_error *error);

/* =====================================================================================================================================
   6  The pick, and the step
   ================================================================================================================================== */

/* gsample_pick: one token from a row of n_vocab floats, recorded in the history as answer and shown to the constraint. Returns the
   token, 0 .. n_vocab - 1; NO_CANDIDATE, NOT_A_NUMBER or a callback's status, which from a matcher may be LIMIT. Does not allocate once
   reserved or warm. */
int32_t gsample_pick(gsample_sampler *sampler, const float *logits, size_t n_vocab);

/* gsample_pick_row: the same from a row of any type, with a mask, and with logprobs where `choice` is not NULL. Logprobs read the row
   once more at most. */
int32_t gsample_pick_row(gsample_sampler *sampler, const gsample_row *row, gsample_choice *choice);

/* gsample_sequence: one sequence in a step. A sequence that speculates brings n_drafts guessed tokens and n_drafts + 1 rows: row i was
   computed with drafts 0 .. i - 1 in place. */
typedef struct gsample_sequence {
  uint32_t size;
  uint32_t dtype;   /* of all its rows */
  uint32_t n_vocab;
  uint32_t n_rows;  /* 0 = nothing wanted this time, else n_drafts + 1 */
  gsample_sampler *sampler; /* each sampler once in a call */
  const void *logits;
  int64_t row_stride;       /* bytes from a row to the next, a multiple of the logit's size; of no account with one row */
  const uint32_t *masks;    /* one for each row, or NULL */
  int64_t mask_stride;      /* bytes from a mask to the next; 0 = all rows share one */
  const int32_t *drafts;
  const gsample_dist *const *draft_dists; /* what each draft was drawn from; NULL, all or one: certain. Empty: INVALID_ARGUMENT */
  int32_t *tokens;          /* out, room for n_rows */
  gsample_choice *choices;  /* out, n_rows of them, or NULL; as gsample_pick_row's */
  uint32_t n_drafts;
  uint32_t n_tokens;        /* out: how many tokens came, 1 .. n_rows; the last was drawn, those before are accepted drafts */
  int32_t status;           /* out: 0, or why the sequence stopped. n_tokens may be above 0 then: the sampler has accepted just these */
  int32_t reserved;
} gsample_sequence;

/* gsample_executor: your threads. parallel_for calls body(arg, worker, i) for every i below n, each once, `worker` below n_workers and
   never the same in two calls at once, and returns when all are done. Its result is not looked at: an index that was not run, or run as a
   worker that does not exist, leaves its sequence failed with CALLBACK, and untouched; a second call for an index does nothing. */
typedef struct gsample_executor {
  uint32_t size;
  uint32_t n_workers;
  void *user;
  int32_t (*parallel_for)(void *user, size_t n, void (*body)(void *arg, uint32_t worker, size_t i), void *arg);
} gsample_executor;

/* gsample_workspace_new: the scratch memory of a step: n_workers slots, 1 .. 65536, that grow to what their work needs. One step at a
   time. */
int32_t gsample_workspace_new(uint32_t n_workers, gsample_workspace **workspace);
void gsample_workspace_free(gsample_workspace *workspace);

/* gsample_decide: a step of an engine: every sequence gets its tokens in one call. executor NULL: on the calling thread; workspace
   NULL: each sampler uses memory of its own.

   Certain drafts: each row is a plain pick, and the draft stands if it is that token; so drafting never changes the tokens. With
   draft_dists draft x of distribution q stands if u * q(x) < p(x), p what a pick would draw from and u one number of the generator;
   otherwise the token is drawn from max(0, p - q) and the sequence ends there. After the last draft that stood one more token is
   picked. The tokens follow p exactly, whatever q, as long as the drafts were drawn from it. (A draft with q(x) = 0 cannot have been: it
   stands wherever p(x) > 0. From an empty q none can: the sequence fails, and has not begun.) Source: Leviathan et al. 2023 and Chen et
   al. 2023 (speculative decoding).
   Penalties, DRY, mirostat and the constraint move as tokens are accepted, so row i + 1 is shaped by what row i gave; a draft that the
   constraint refuses does not stand. A stop token ends its sequence.

   A sequence's tokens do not depend on the others of the call, on their order, or on the executor; a sequence that fails touches no
   other. Returns how many sequences failed, each with its status, or a status where the call as a whole is wrong (unequal sizes, a
   sampler twice, fewer workspace slots than workers), and then nothing was done. n = 0 is success. */
int32_t gsample_decide(gsample_sequence *sequences, size_t n, const gsample_executor *executor, gsample_workspace *workspace);

/* =====================================================================================================================================
   7  Distributions

   Token ids with f64 weights, most likely first. What gsample_dist_from_row makes is what a pick would draw from; drawing from it with
   the same sampler is that pick, to the token and to the generator's state, without a constraint and under MASK_FIRST and MASK_LAST.
   Under LAZY it is the law of the pick: what is allowed at once, plus the refused share times the second run. A distribution is
   reusable: what makes it replaces what it held. Functions that return a pointer into it return it until the next change. A new one is
   empty.
   ================================================================================================================================== */

int32_t gsample_dist_new(gsample_dist **dist);
void gsample_dist_free(gsample_dist *dist);

/* gsample_dist_set: n tokens with the weights that an engine used, in any order; sorted by weight, equal ones by id. Weights are >= 0
   and finite, and their sum, which need not be 1, is above 0; tokens are not negative and stand once; else INVALID_ARGUMENT. Weights of
   0 are left out. */
int32_t gsample_dist_set(gsample_dist *dist, const int32_t *tokens, const double *weights, size_t n);

/* gsample_dist_from_row: what a pick from this row would draw from, all of the chain and the constraint applied. Nothing is accepted;
   XTC takes its number, as the pick would. A greedy sampler gives one token. */
int32_t gsample_dist_from_row(gsample_dist *dist, gsample_sampler *sampler, const gsample_row *row);

/* gsample_dist_from_candidates: the same from n of the row's tokens with their logits, as a GPU kernel keeps them; the row was n_vocab
   wide. With exact != 0 the result equals gsample_dist_from_row's, or, where a token that is not among the candidates might have
   mattered, the call returns INEXACT and the distribution is empty (the one output written on failure). gsample_candidates_needed tells
   how many suffice. With exact = 0 it takes what is there: a draft may come from any distribution. A token outside the row, or twice,
   is INVALID_ARGUMENT. */
int32_t gsample_dist_from_candidates(gsample_dist *dist, gsample_sampler *sampler, const int32_t *tokens, const float *logits, size_t n,
                                     uint32_t n_vocab, int32_t exact);

/* gsample_dist_size, _ids, _weights, _total: the number of tokens, the tokens, their weights, and the sum of the weights in that order;
   0 and NULL of an empty one.
   What a row gave is ordered by the row's logits after bias, penalties and DRY; its weights are softmax probabilities as f32 values. */
size_t gsample_dist_size(const gsample_dist *dist);
const int32_t *gsample_dist_ids(const gsample_dist *dist);
const double *gsample_dist_weights(const gsample_dist *dist);
double gsample_dist_total(const gsample_dist *dist);

/* gsample_dist_chance: the probability of a token: weight over total; 0 for tokens it does not hold. */
double gsample_dist_chance(const gsample_dist *dist, int32_t token);

/* gsample_dist_draw: one token, by the sampler's generator: one number where there are two or more tokens, else none. Nothing is
   accepted. NO_CANDIDATE where it is empty. */
int32_t gsample_dist_draw(const gsample_dist *dist, gsample_sampler *sampler);

/* gsample_dist_residual: max(0, p - q) of the normalised weights, in p's order, into `out`, which may be p or q; p itself where q
   covers all of it, nothing where p is empty. What replaces a rejected draft is drawn from this. */
int32_t gsample_dist_residual(const gsample_dist *p, const gsample_dist *q, gsample_dist *out);

/* =====================================================================================================================================
   8  Vocabulary, grammar, matcher

   A grammar constrains the text; a vocabulary says which bytes each token stands for; a matcher is a grammar with a place in it, and
   becomes a sampler's constraint. Vocabularies and grammars are immutable, shared by all threads and counted: every _new, _from and
   _retain is one reference, _free gives it back, and a grammar holds its vocabulary. Bytes are followed exactly, characters cut between
   tokens included. Whatever is hostile in a grammar or a file ends in LIMIT, SYNTAX or FORMAT: never in a crash, a hang, or an answer
   without constraint. A call on a grammar or matcher does a bounded amount of work, and none takes much longer than a second; a grammar
   that compiles can still meet such a bound later, at a text that has too many readings, and then the call is LIMIT and moves nothing.
   ================================================================================================================================== */

/* kind of a token. Only TEXT tokens (those that have bytes) can match a grammar's text; STOP tokens are allowed where the text may end;
   the others never. */
#define GSAMPLE_TOKEN_TEXT 0
#define GSAMPLE_TOKEN_CONTROL 1
#define GSAMPLE_TOKEN_STOP 2
#define GSAMPLE_TOKEN_UNUSED 3

/* gsample_vocab_desc: a vocabulary as the engine has it. All is copied. */
typedef struct gsample_vocab_desc {
  uint32_t size;
  uint32_t n_vocab;        /* the width of the rows, 1 .. 2^24, >= n_tokens; ids beyond the list are never allowed */
  uint32_t n_tokens;
  uint32_t reserved;
  const uint8_t *bytes;
  const uint64_t *offsets; /* n_tokens + 1: token t is bytes[offsets[t] .. offsets[t + 1]) */
  const uint8_t *kinds;    /* n_tokens of GSAMPLE_TOKEN_*, NULL = all text */
} gsample_vocab_desc;

/* gsample_vocab_new: from a description. INVALID_ARGUMENT for offsets that fall or kinds that do not exist, LIMIT for a token above
   65535 bytes or more than 256 MiB in all. */
int32_t gsample_vocab_new(const gsample_vocab_desc *desc, gsample_vocab **vocab, gsample_error *error);

/* gsample_vocab_from_gguf, _from_gguf_file, _from_tokenizer_json: from a model file's metadata (`data` as gsample_params_from_gguf
   takes it) or the text of a Hugging Face tokenizer.json: byte-level BPE, and SentencePiece with byte fallback. n_vocab is the width of
   the rows, not less than the list; 0 = as wide as the list. UNSUPPORTED names a tokenizer model that is neither. The file's stop
   tokens are the default; also FORMAT, LIMIT, BUFFER and IO. An id in tokenizer.json is below 65536 or the text's length in bytes, else
   most ids would be holes: LIMIT. A file is a regular file. */
int32_t gsample_vocab_from_gguf(const void *data, size_t n, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
int32_t gsample_vocab_from_gguf_file(const char *path, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);
int32_t gsample_vocab_from_tokenizer_json(const char *json, size_t n, uint32_t n_vocab, gsample_vocab **vocab, gsample_error *error);

/* gsample_vocab_set_stop: the stop tokens are these and no others. To be called before the first grammar on this vocabulary, and before
   other threads know it; after a grammar it is INVALID_ARGUMENT, as are tokens that are not 0 .. n_vocab - 1. */
int32_t gsample_vocab_set_stop(gsample_vocab *vocab, const int32_t *tokens, size_t n);

/* gsample_vocab_bytes: the bytes of a token, 0 .. n_vocab - 1; they are the vocabulary's. n = 0 for ids beyond the list. */
int32_t gsample_vocab_bytes(const gsample_vocab *vocab, int32_t token, const uint8_t **bytes, size_t *n);

/* gsample_vocab_stops: the stop tokens, ascending. Returns how many, and writes them where capacity is at least that. Capacity 0 only
   asks; one in between is BUFFER. */
int64_t gsample_vocab_stops(const gsample_vocab *vocab, int32_t *tokens, size_t capacity);

/* gsample_vocab_retain: one reference more; returns its argument. */
gsample_vocab *gsample_vocab_retain(gsample_vocab *vocab);
void gsample_vocab_free(gsample_vocab *vocab);

/* gsample_grammar_from_gbnf: a grammar in llama.cpp's GBNF; left recursion is allowed, <[id]> and !<[id]> name tokens. `root` is the
   rule to start with, NULL = "root". SYNTAX with line and column, LIMIT for more than 4 MiB of text or what grows too large from it. */
int32_t gsample_grammar_from_gbnf(gsample_vocab *vocab, const char *text, size_t n, const char *root, gsample_grammar **grammar,
                                  gsample_error *error);

/* gsample_grammar_from_regex: the whole text must match an ECMA-262 expression: classes, escapes (\d \w \s \uXXXX), groups,
   alternatives, counted repeats; anchors are accepted. Lookaround and backreferences are UNSUPPORTED, by name. LIMIT as above. */
int32_t gsample_grammar_from_regex(gsample_vocab *vocab, const char *text, size_t n, gsample_grammar **grammar, gsample_error *error);

/* gsample_grammar_warm: builds ahead what a first mask would build, so that no pick waits for it, nearest to the start first, and stops
   with success where that takes long. Results are the same without. */
int32_t gsample_grammar_warm(gsample_grammar *grammar);

/* gsample_grammar_retain: one reference more; returns its argument. */
gsample_grammar *gsample_grammar_retain(gsample_grammar *grammar);
void gsample_grammar_free(gsample_grammar *grammar);

/* gsample_matcher_new: a place at the start of a grammar, of which it holds a reference. */
int32_t gsample_matcher_new(gsample_grammar *grammar, gsample_matcher **matcher);
void gsample_matcher_free(gsample_matcher *matcher);

/* gsample_matcher_clone: another matcher at the same place. Copies what the text so far left behind. */
int32_t gsample_matcher_clone(const gsample_matcher *matcher, gsample_matcher **copy);

/* gsample_matcher_reset: back to the start. */
int32_t gsample_matcher_reset(gsample_matcher *matcher);

/* gsample_matcher_allows: 1 where gsample_matcher_accept would take the token; a token outside the vocabulary is INVALID_ARGUMENT;
   or LIMIT.
   gsample_matcher_can_stop: 1 where the text may end here, which is where stop tokens are allowed. */
int32_t gsample_matcher_allows(const gsample_matcher *matcher, int32_t token);
int32_t gsample_matcher_can_stop(const gsample_matcher *matcher);

/* gsample_matcher_accept: goes on by a token, or REFUSED, or LIMIT. A stop token is allowed where the text may end; it moves nothing, and
   counts for gsample_matcher_rollback like any other. */
int32_t gsample_matcher_accept(gsample_matcher *matcher, int32_t token);

/* gsample_matcher_rollback: takes back the last n accepted tokens, stop tokens among them. More than were accepted: INVALID_ARGUMENT. */
int32_t gsample_matcher_rollback(gsample_matcher *matcher, size_t n);

/* gsample_matcher_mask: one bit a token, as gsample_row's mask; n_words is exactly (n_vocab + 31) / 32. Bit for bit what
   gsample_matcher_allows says; or LIMIT, and then what `words` holds means nothing. */
int32_t gsample_matcher_mask(gsample_matcher *matcher, uint32_t *words, size_t n_words);

/* gsample_matcher_constraint: fills a constraint for gsample_constrain; set `after` and n_after afterwards if you like. The constraint
   takes the matcher over: from here on its `destroy` frees it, and a second constraint from it is INVALID_ARGUMENT. Rows need not be as
   wide as the vocabulary: a column beyond it is never allowed. */
int32_t gsample_matcher_constraint(gsample_matcher *matcher, gsample_constraint *constraint);

/* =====================================================================================================================================
   9  The table

   A host that loads the library at run time needs one symbol. gsample_get_api gives, for abi_major = GSAMPLE_ABI_MAJOR of the header it
   was compiled with, every function above in the order above, or NULL where the library has another ABI. The table only grows: a member
   exists where it lies within `size`. It is valid until the library is unloaded; free all objects before.
   ================================================================================================================================== */
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
  int32_t (*gsample_dist_from_candidates)(gsample_dist *dist, gsample_sampler *sampler, const int32_t *tokens, const float *logits,
                                          size_t n, uint32_t n_vocab, int32_t exact);
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
  int32_t (*gsample_grammar_from_gbnf)(gsample_vocab *vocab, const char *text, size_t n, const char *root,
                                       gsample_grammar **grammar, gsample_error *error);
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

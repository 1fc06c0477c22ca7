/* Chains that between them use all memory that a sampler may hold, and rows for them. */
#ifndef TESTS_MEMORY_SUPPORT_H
#define TESTS_MEMORY_SUPPORT_H

#include "allocations.h"
#include "constraint_support.h"

enum { N = 4000, BIG = 262144 };

typedef struct chain {
  const char* name;
  void (*set)(gsample_params*);
  int constrain; /* 1: most draws are refused */
  int custom, bias;
  uint32_t dtype;
  int masked;
} chain;

HELPER void top_k(gsample_params* p) { p->top_k = 40, p->top_p = .95f, p->min_p = .05f, p->temperature = .8f; }
HELPER void greedy(gsample_params* p) { p->temperature = 0; }
HELPER void nothing(gsample_params* p) { (void)p; }
HELPER void top_p(gsample_params* p) { p->top_p = .95f; }
HELPER void min_p(gsample_params* p) { p->min_p = .01f; }
HELPER void typical(gsample_params* p) { p->typical_p = .9f; }
HELPER void sigma(gsample_params* p) { p->top_n_sigma = 1; }
HELPER void xtc(gsample_params* p) { p->xtc_probability = .5f, p->xtc_threshold = .001f; }
HELPER void dynamic(gsample_params* p) { p->dynatemp_range = .5f; }
HELPER void window(gsample_params* p) { top_k(p), p->penalty_repeat = 1.1f, p->penalty_freq = .1f; }
HELPER void window_raising(gsample_params* p) { top_k(p), p->penalty_repeat = .9f, p->penalty_freq = -.1f, p->penalty_last_n = -1; }
HELPER void answer(gsample_params* p) { window(p), p->penalty_style = GSAMPLE_PENALTY_ANSWER; }
HELPER void answer_whole(gsample_params* p) { answer(p), p->top_k = 0, p->min_p = 0; }
HELPER void dry(gsample_params* p) { top_k(p), p->dry_multiplier = .8f; }
HELPER void dry_and_penalties(gsample_params* p) { answer(p), p->dry_multiplier = .8f, p->dry_allowed_length = 1; }
HELPER void order_with(gsample_params* p, int32_t last) {
  const int32_t order[] = {GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_TEMPERATURE, last};
  set_order(p, order, 3);
}
HELPER void mirostat_1(gsample_params* p) { order_with(p, GSAMPLE_STAGE_MIROSTAT), p->mirostat = 1; }
HELPER void mirostat_2(gsample_params* p) { order_with(p, GSAMPLE_STAGE_MIROSTAT), p->mirostat = 2; }
HELPER void adaptive(gsample_params* p) { order_with(p, GSAMPLE_STAGE_ADAPTIVE_P), p->adaptive_target = .1f; }
HELPER void custom(gsample_params* p) { order_with(p, GSAMPLE_STAGE_CUSTOM); }
HELPER void mask_first(gsample_params* p) { top_k(p), p->constraint_mode = GSAMPLE_CONSTRAINT_MASK_FIRST; }
HELPER void mask_last(gsample_params* p) { top_p(p), p->constraint_mode = GSAMPLE_CONSTRAINT_MASK_LAST; }
HELPER void late_penalties(gsample_params* p) {
  const int32_t order[] = {GSAMPLE_STAGE_TOP_K, GSAMPLE_STAGE_PENALTIES, GSAMPLE_STAGE_DRY, GSAMPLE_STAGE_TOP_P, GSAMPLE_STAGE_TEMPERATURE};
  p->top_k = 100, p->penalty_repeat = 1.2f, p->dry_multiplier = .5f, p->top_p = .9f;
  set_order(p, order, 5);
}

static const chain chains[] = {
    {.name = "top-k", .set = top_k},
    {.name = "greedy", .set = greedy},
    {.name = "the whole row", .set = nothing},
    {.name = "top-p", .set = top_p},
    {.name = "min-p", .set = min_p},
    {.name = "typical-p", .set = typical},
    {.name = "top-n-sigma", .set = sigma},
    {.name = "xtc", .set = xtc},
    {.name = "dynamic temperature", .set = dynamic},
    {.name = "penalties, window", .set = window},
    {.name = "penalties that raise", .set = window_raising},
    {.name = "penalties, answer", .set = answer},
    {.name = "penalties, answer, whole row", .set = answer_whole},
    {.name = "dry", .set = dry},
    {.name = "dry and penalties", .set = dry_and_penalties},
    {.name = "mirostat 1", .set = mirostat_1},
    {.name = "mirostat 2", .set = mirostat_2},
    {.name = "adaptive-p", .set = adaptive},
    {.name = "penalties in the middle", .set = late_penalties},
    {.name = "custom", .set = custom, .custom = 1},
    {.name = "bias", .set = top_k, .bias = 1},
    {.name = "bias and penalties, whole row", .set = answer_whole, .bias = 1},
    {.name = "lazy, refused", .set = top_k, .constrain = 1},
    {.name = "lazy, refused, whole row", .set = nothing, .constrain = 1},
    {.name = "lazy, refused, greedy", .set = greedy, .constrain = 1},
    {.name = "mask first", .set = mask_first, .constrain = 1},
    {.name = "mask last", .set = mask_last, .constrain = 1},
    {.name = "f16", .set = top_k, .dtype = GSAMPLE_F16},
    {.name = "f16, whole row", .set = nothing, .dtype = GSAMPLE_F16},
    {.name = "bf16, masked", .set = top_k, .dtype = GSAMPLE_BF16, .masked = 1},
    {.name = "masked, whole row", .set = top_p, .masked = 1},
};

static asked log_;

HELPER gsample_sampler* set_up(const chain* c) {
  gsample_params params = plain_params();
  gsample_sampler* s;
  c->set(&params);
  s = make(&params);
  asked_nothing(&log_);
  if (c->bias) {
    const float biases[] = {3, -2, -INFINITY};
    assert_int_equal(gsample_bias(s, (const int32_t[]){5, 70, 4}, biases, 3), 0);
  }
  if (c->constrain) {
    gsample_constraint constraint = constraint_of(rule_new(&log_, 7, 3));
    constraint.first_bytes = rule_first_bytes, constraint.first_byte = rule_first_byte;
    assert_int_equal(gsample_constrain(s, &constraint), 0);
  }
  if (c->custom) {
    const gsample_custom stage = custom_of(rule_new(&log_, 1, 0));
    assert_int_equal(gsample_set_custom(s, &stage), 0);
  }
  return s;
}

static float row_[N];
static uint16_t halves_[N];
static uint32_t mask_[(N + 31) / 32];

/* Another row each time; what is best moves about, and equal logits are common. */
HELPER gsample_row next_row(const chain* c, int step) {
  gsample_row row = row_of(row_, N);
  int i;
  for (i = 0; i < N; i++) {
    const uint32_t x = ((uint32_t)i * 2654435761u + (uint32_t)step * 40503u) >> 16;
    row_[i] = (float)(x % 997) * (x % 13 ? .002f : .012f);
    halves_[i] = (uint16_t)(c->dtype == GSAMPLE_F16 ? 0x3000 + x % 0x1800 : 0x3f00 + x % 0x180);
  }
  for (i = 0; i < (N + 31) / 32; i++) mask_[i] = 0x5a5a0ff0u ^ (uint32_t)(i * step);
  if (c->dtype) row.dtype = c->dtype, row.logits = halves_;
  if (c->masked) row.mask = mask_;
  return row;
}

#endif

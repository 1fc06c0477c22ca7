/* Constraints and custom stages for tests: what they allow is a bit a token, every call is counted, and any callback can be made to
   fail. */
#ifndef TESTS_CONSTRAINT_SUPPORT_H
#define TESTS_CONSTRAINT_SUPPORT_H

#include "sampler_support.h"

enum { ASK_ALLOWS, ASK_ACCEPT, ASK_FIRST_BYTES, ASK_FIRST_BYTE, ASK_MASK, ASK_CAN_STOP, ASK_CLONE, ASK_APPLY, ASK_KINDS };

typedef struct asked {
  int calls[ASK_KINDS];
  int failing;      /* the callback that fails, -1: none */
  int32_t status;   /* as which it does */
  int32_t accepted[64];
  int n_accepted, clones, destroyed;
} asked;

/* One `user`: its rule is shared with its clones, what it was fed is its own. */
typedef struct rule {
  asked* log;
  uint32_t modulus, rest; /* allows id iff id % modulus == rest; 0: nothing is allowed */
  int fed;
} rule;

HELPER int32_t asking(rule* r, int kind) {
  r->log->calls[kind]++;
  return r->log->failing == kind ? r->log->status : 0;
}

HELPER int32_t rule_allows(void* user, int32_t token) {
  rule* r = (rule*)user;
  const int32_t status = asking(r, ASK_ALLOWS);
  if (status < 0) return status;
  return r->modulus && (uint32_t)token % r->modulus == r->rest;
}

HELPER int32_t rule_accept(void* user, int32_t token) {
  rule* r = (rule*)user;
  const int32_t status = asking(r, ASK_ACCEPT);
  if (status < 0) return status;
  r->fed++;
  if (r->log->n_accepted < 64) r->log->accepted[r->log->n_accepted++] = token;
  return 0;
}

/* The first byte of token id is id % 251, and 250 tokens in 251 have one. */
HELPER int32_t rule_first_byte(void* user, int32_t token) {
  rule* r = (rule*)user;
  const int32_t status = asking(r, ASK_FIRST_BYTE);
  if (status < 0) return status;
  return token % 251 == 250 ? GSAMPLE_ERROR_NO_CANDIDATE : token % 251;
}

HELPER int32_t rule_first_bytes(void* user, uint8_t table[256]) {
  rule* r = (rule*)user;
  const int32_t status = asking(r, ASK_FIRST_BYTES);
  if (status < 0) return status;
  memset(table, 1, 256);
  if (r->modulus == 251) {
    memset(table, 0, 256);
    table[r->rest] = 1;
  }
  return 0;
}

HELPER int32_t rule_mask(void* user, uint32_t* words, size_t n_words) {
  rule* r = (rule*)user;
  const int32_t status = asking(r, ASK_MASK);
  size_t id;
  if (status < 0) return status;
  for (id = 0; id < n_words * 32; id++)
    if (r->modulus && id % r->modulus == r->rest) words[id / 32] |= 1u << id % 32;
  return 0;
}

HELPER int32_t rule_clone(void* user, void** out) {
  rule* r = (rule*)user;
  const int32_t status = asking(r, ASK_CLONE);
  rule* copy;
  if (status < 0) return status;
  copy = (rule*)malloc(sizeof *copy);
  if (!copy) return GSAMPLE_ERROR_OUT_OF_MEMORY;
  *copy = *r;
  r->log->clones++;
  *out = copy;
  return 0;
}

HELPER void rule_destroy(void* user) {
  ((rule*)user)->log->destroyed++;
  free(user);
}

HELPER rule* rule_new(asked* log, uint32_t modulus, uint32_t rest) {
  rule* r = (rule*)malloc(sizeof *r);
  if (!r) abort();
  r->log = log, r->modulus = modulus, r->rest = rest, r->fed = 0;
  return r;
}

HELPER void asked_nothing(asked* log) {
  memset(log, 0, sizeof *log);
  log->failing = -1;
  log->status = -77;
}

/* With allows, accept, clone and destroy; the optional parts are added by hand. */
HELPER gsample_constraint constraint_of(rule* r) {
  gsample_constraint c = {.size = sizeof c, .user = r, .allows = rule_allows, .accept = rule_accept, .clone = rule_clone, .destroy = rule_destroy};
  return c;
}

/* A sampler under a rule. */
HELPER gsample_sampler* with(asked* log, gsample_params params, uint32_t modulus, uint32_t rest) {
  gsample_sampler* s = make(&params);
  const gsample_constraint c = constraint_of(rule_new(log, modulus, rest));
  assert_int_equal(gsample_constrain(s, &c), 0);
  return s;
}

/* A custom stage that lowers odd tokens. */
HELPER int32_t rule_apply(void* user, const int32_t* tokens, float* logits, size_t n) {
  rule* r = (rule*)user;
  const int32_t status = asking(r, ASK_APPLY);
  size_t i;
  if (status < 0) return status;
  for (i = 0; i < n; i++)
    if (tokens[i] % 2) logits[i] -= 1;
  return 0;
}

HELPER gsample_custom custom_of(rule* r) {
  gsample_custom c = {.size = sizeof c, .user = r, .apply = rule_apply, .clone = rule_clone, .destroy = rule_destroy};
  return c;
}

#endif

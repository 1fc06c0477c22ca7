/* See shim.h. The functions called gsampleGo* are Go's, in callbacks.go. */
#include "shim.h"

#include "_cgo_export.h"

#define ROW \
  { sizeof(gsample_row), dtype, n_vocab, 0, logits, mask }

int32_t gsample_go_best(GSAMPLE_GO_ROW) {
  const gsample_row row = ROW;
  return gsample_best(&row);
}

int32_t gsample_go_row_check(GSAMPLE_GO_ROW, gsample_row_report* report) {
  const gsample_row row = ROW;
  report->size = sizeof *report;
  return gsample_row_check(&row, report);
}

int32_t gsample_go_logprobs(GSAMPLE_GO_ROW, gsample_logprob* items, size_t n) {
  const gsample_row row = ROW;
  return gsample_logprobs(&row, items, n);
}

int32_t gsample_go_pick_row(gsample_sampler* sampler, GSAMPLE_GO_ROW) {
  const gsample_row row = ROW;
  return gsample_pick_row(sampler, &row, NULL);
}

int32_t gsample_go_choose(gsample_sampler* sampler, GSAMPLE_GO_ROW, uint32_t mode, gsample_logprob* top, uint32_t n_top,
                          gsample_choice* choice) {
  const gsample_row row = ROW;
  gsample_choice made = {sizeof made, mode, n_top, 0, 0, 0, 0, top};
  int32_t result = gsample_pick_row(sampler, &row, &made);
  made.top = NULL;
  *choice = made;
  return result;
}

int32_t gsample_go_dist_from_row(gsample_dist* dist, gsample_sampler* sampler, GSAMPLE_GO_ROW) {
  const gsample_row row = ROW;
  return gsample_dist_from_row(dist, sampler, &row);
}

int32_t gsample_go_vocab_new(uint32_t n_vocab, uint32_t n_tokens, const uint8_t* bytes, const uint64_t* offsets, const uint8_t* kinds,
                             gsample_vocab** vocab, gsample_error* error) {
  const gsample_vocab_desc desc = {sizeof desc, n_vocab, n_tokens, 0, bytes, offsets, kinds};
  return gsample_vocab_new(&desc, vocab, error);
}

static int32_t allows(void* user, int32_t token) { return gsampleGoAllows((uintptr_t)user, token); }
static int32_t accept_token(void* user, int32_t token) { return gsampleGoAccept((uintptr_t)user, token); }
static int32_t first_bytes(void* user, uint8_t table[256]) { return gsampleGoFirstBytes((uintptr_t)user, table); }
static int32_t first_byte(void* user, int32_t token) { return gsampleGoFirstByte((uintptr_t)user, token); }
static int32_t mask_words(void* user, uint32_t* words, size_t n_words) { return gsampleGoMask((uintptr_t)user, words, n_words); }
static int32_t can_stop(void* user) { return gsampleGoCanStop((uintptr_t)user); }
static int32_t apply(void* user, const int32_t* tokens, float* logits, size_t n) {
  return gsampleGoApply((uintptr_t)user, (int32_t*)tokens, logits, n);
}
static int32_t clone_user(void* user, void** out) {
  uintptr_t copy = 0;
  int32_t result = gsampleGoClone((uintptr_t)user, &copy);
  *out = (void*)copy;
  return result;
}
static void destroy(void* user) { gsampleGoDestroy((uintptr_t)user); }
static int32_t parallel_for(void* user, size_t n, void (*body)(void*, uint32_t, size_t), void* arg) {
  return gsampleGoParallelFor((uintptr_t)user, n, body, arg);
}

int32_t gsample_go_constrain(gsample_sampler* sampler, uintptr_t handle, int32_t has, const int32_t* after, uint32_t n_after) {
  gsample_constraint constraint = {
      sizeof constraint, n_after, (void*)handle, after, allows, accept_token, NULL, NULL, NULL, NULL, NULL, destroy};
  if (has & GSAMPLE_GO_FIRST_BYTES) constraint.first_bytes = first_bytes, constraint.first_byte = first_byte;
  if (has & GSAMPLE_GO_MASK) constraint.mask = mask_words;
  if (has & GSAMPLE_GO_CAN_STOP) constraint.can_stop = can_stop;
  if (has & GSAMPLE_GO_CLONE) constraint.clone = clone_user;
  return gsample_constrain(sampler, &constraint);
}

int32_t gsample_go_constrain_matcher(gsample_sampler* sampler, gsample_matcher* matcher, const int32_t* after, uint32_t n_after,
                                     int32_t* taken) {
  gsample_constraint constraint = {sizeof constraint, 0, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
  int32_t result = gsample_matcher_constraint(matcher, &constraint);
  *taken = result >= 0;
  if (result < 0) return result;
  constraint.after = after;
  constraint.n_after = n_after;
  return gsample_constrain(sampler, &constraint);
}

int32_t gsample_go_set_custom(gsample_sampler* sampler, uintptr_t handle, int32_t has) {
  const gsample_custom custom = {sizeof custom, 0, (void*)handle, apply, has & GSAMPLE_GO_CLONE ? clone_user : NULL, destroy};
  return gsample_set_custom(sampler, &custom);
}

void gsample_go_call(gsample_go_body body, void* arg, uint32_t worker, size_t i) { body(arg, worker, i); }

int32_t gsample_go_decide(gsample_sequence* sequences, size_t n, uint32_t n_workers, uintptr_t executor, gsample_workspace* workspace) {
  const gsample_executor threads = {sizeof threads, n_workers, (void*)executor, parallel_for};
  return gsample_decide(sequences, n, n_workers ? &threads : NULL, workspace);
}

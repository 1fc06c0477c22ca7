/* What cgo cannot say: structs that point to Go memory are filled here, in C, so that Go passes each pointer by itself; and callbacks,
   whose `user` is a runtime/cgo.Handle. */
#ifndef GSAMPLE_GO_SHIM_H
#define GSAMPLE_GO_SHIM_H

#include <gsample/gsample.h>

/* A row: dtype, n_vocab, logits, mask. */
#define GSAMPLE_GO_ROW uint32_t dtype, uint32_t n_vocab, const void *logits, const uint32_t *mask

int32_t gsample_go_best(GSAMPLE_GO_ROW);
int32_t gsample_go_row_check(GSAMPLE_GO_ROW, gsample_row_report* report);
int32_t gsample_go_logprobs(GSAMPLE_GO_ROW, gsample_logprob* items, size_t n);
int32_t gsample_go_pick_row(gsample_sampler* sampler, GSAMPLE_GO_ROW);
/* Of `choice` Go reads what the pick wrote; its top is not set. */
int32_t gsample_go_choose(gsample_sampler* sampler, GSAMPLE_GO_ROW, uint32_t mode, gsample_logprob* top, uint32_t n_top,
                          gsample_choice* choice);
int32_t gsample_go_dist_from_row(gsample_dist* dist, gsample_sampler* sampler, GSAMPLE_GO_ROW);
int32_t gsample_go_vocab_new(uint32_t n_vocab, uint32_t n_tokens, const uint8_t* bytes, const uint64_t* offsets, const uint8_t* kinds,
                             gsample_vocab** vocab, gsample_error* error);

/* What a constraint has beside the required callbacks. */
enum { GSAMPLE_GO_MASK = 1, GSAMPLE_GO_FIRST_BYTES = 2, GSAMPLE_GO_CAN_STOP = 4, GSAMPLE_GO_CLONE = 8 };
int32_t gsample_go_constrain(gsample_sampler* sampler, uintptr_t handle, int32_t has, const int32_t* after, uint32_t n_after);
int32_t gsample_go_constrain_matcher(gsample_sampler* sampler, gsample_matcher* matcher, const int32_t* after, uint32_t n_after,
                                     int32_t* taken);
int32_t gsample_go_set_custom(gsample_sampler* sampler, uintptr_t handle, int32_t has);

typedef void (*gsample_go_body)(void* arg, uint32_t worker, size_t i);
void gsample_go_call(gsample_go_body body, void* arg, uint32_t worker, size_t i);
int32_t gsample_go_decide(gsample_sequence* sequences, size_t n, uint32_t n_workers, uintptr_t executor, gsample_workspace* workspace);

#endif

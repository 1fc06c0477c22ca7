// Package craw picks in C, to tell what a call costs there. Tests themselves cannot use cgo.
package craw

/*
#cgo pkg-config: gsample
#include <gsample/gsample.h>

static void* start(void) {
  gsample_params params = {sizeof params};
  gsample_sampler* sampler = 0;
  gsample_params_preset(&params, "greedy", 0);
  gsample_new(&params, &sampler, 0);
  return sampler;
}

static int64_t picks(void* sampler, const float* logits, size_t n_vocab, int n) {
  int64_t sum = 0;
  gsample_reset(sampler);
  for (int i = 0; i < n; i++) sum += gsample_pick(sampler, logits, n_vocab);
  return sum;
}
*/
import "C"

import "unsafe"

// Sampler is a greedy one.
type Sampler struct{ handle unsafe.Pointer }

func New() Sampler { return Sampler{C.start()} }

// Picks resets the sampler, picks n times and gives the sum of the tokens.
func (s Sampler) Picks(logits []float32, n int) int64 {
	return int64(C.picks(s.handle, (*C.float)(&logits[0]), C.size_t(len(logits)), C.int(n)))
}

func (s Sampler) Close() { C.gsample_free((*C.gsample_sampler)(s.handle)) }

package gsample

// #include "shim.h"
import "C"

import (
	"runtime"
	"unsafe"
)

// Dist is token ids with weights, most likely first. Any goroutine may use it, one at a time.
type Dist struct{ owner }

// NewDist makes an empty one.
func NewDist() (*Dist, error) {
	var handle *C.gsample_dist
	if err := check(C.gsample_dist_new(&handle)); err != nil {
		return nil, err
	}
	d := &Dist{owner{handle: unsafe.Pointer(handle)}}
	runtime.SetFinalizer(d, (*Dist).Close)
	return d, nil
}

// Close frees the distribution. A second Close does nothing.
func (d *Dist) Close() error {
	handle, err := d.end()
	C.gsample_dist_free((*C.gsample_dist)(handle))
	return err
}

func (d *Dist) raw() *C.gsample_dist { return (*C.gsample_dist)(d.handle) }

// with runs a call with the distribution and a sampler.
func (d *Dist) with(sampler *Sampler, call func(*C.gsample_dist, *C.gsample_sampler) C.int32_t) error {
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return sampler.status(func(raw *C.gsample_sampler) C.int32_t { return call(d.raw(), raw) })
}

// Set takes the weights that an engine used.
func (d *Dist) Set(tokens []Token, weights []float64) error {
	if len(tokens) != len(weights) {
		return invalid("%d weights for %d tokens", len(weights), len(tokens))
	}
	if err := d.enter(); err != nil {
		return err
	}
	defer d.leave()
	return check(C.gsample_dist_set(d.raw(), (*C.int32_t)(first(tokens)), (*C.double)(first(weights)), C.size_t(len(tokens))))
}

// FromRow makes it what a pick from this row would draw from. Nothing is accepted.
func (d *Dist) FromRow(sampler *Sampler, row Row) error {
	if err := row.check(); err != nil {
		return err
	}
	return d.with(sampler, func(dist *C.gsample_dist, raw *C.gsample_sampler) C.int32_t {
		return C.gsample_go_dist_from_row(dist, raw, row.dtype, C.uint32_t(row.nVocab), row.logits, row.words())
	})
}

// FromCandidates does the same from some of the row's tokens with their logits.
func (d *Dist) FromCandidates(sampler *Sampler, tokens []Token, logits []float32, nVocab uint32, exact bool) error {
	if len(tokens) != len(logits) {
		return invalid("%d logits for %d tokens", len(logits), len(tokens))
	}
	flag := C.int32_t(0)
	if exact {
		flag = 1
	}
	return d.with(sampler, func(dist *C.gsample_dist, raw *C.gsample_sampler) C.int32_t {
		return C.gsample_dist_from_candidates(dist, raw, (*C.int32_t)(first(tokens)), (*C.float)(first(logits)), C.size_t(len(tokens)),
			C.uint32_t(nVocab), flag)
	})
}

// Items copies the tokens and their weights.
func (d *Dist) Items() (tokens []Token, weights []float64, err error) {
	if err := d.enter(); err != nil {
		return nil, nil, err
	}
	defer d.leave()
	n := C.gsample_dist_size(d.raw())
	tokens, weights = make([]Token, n), make([]float64, n)
	if n > 0 {
		copy(tokens, unsafe.Slice((*Token)(unsafe.Pointer(C.gsample_dist_ids(d.raw()))), n))
		copy(weights, unsafe.Slice((*float64)(unsafe.Pointer(C.gsample_dist_weights(d.raw()))), n))
	}
	return tokens, weights, nil
}

// Total is the sum of the weights.
func (d *Dist) Total() (float64, error) {
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	return float64(C.gsample_dist_total(d.raw())), nil
}

// Chance is the probability of a token.
func (d *Dist) Chance(token Token) (float64, error) {
	if err := d.enter(); err != nil {
		return 0, err
	}
	defer d.leave()
	return float64(C.gsample_dist_chance(d.raw(), C.int32_t(token))), nil
}

// Draw gives one token, by the sampler's generator. Nothing is accepted.
func (d *Dist) Draw(sampler *Sampler) (Token, error) {
	var token C.int32_t
	err := d.with(sampler, func(dist *C.gsample_dist, raw *C.gsample_sampler) C.int32_t {
		token = C.gsample_dist_draw(dist, raw)
		return token
	})
	return Token(token), err
}

// Residual gives max(0, d - q): what a rejected draft is replaced from.
func (d *Dist) Residual(q *Dist) (*Dist, error) {
	out, err := NewDist()
	if err != nil {
		return nil, err
	}
	if err := d.enter(); err != nil {
		return nil, err
	}
	defer d.leave()
	if q != d {
		if err := q.enter(); err != nil {
			return nil, err
		}
		defer q.leave()
	}
	return out, check(C.gsample_dist_residual(d.raw(), q.raw(), out.raw()))
}

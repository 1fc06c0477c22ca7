package gsample

// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime"
	"runtime/cgo"
	"sync"
	"sync/atomic"
	"unsafe"
)

// Rows are the rows of a sequence in a step, one after the other, of one width. F32Rows, F16Rows and BF16Rows make them.
type Rows struct {
	dtype, size uint32 // size of a logit in bytes
	nVocab, n   int
	logits      unsafe.Pointer
}

func F32Rows(logits []float32, nVocab int) Rows {
	return rows(C.GSAMPLE_F32, 4, first(logits), len(logits), nVocab)
}

func F16Rows(logits []uint16, nVocab int) Rows {
	return rows(C.GSAMPLE_F16, 2, first(logits), len(logits), nVocab)
}

func BF16Rows(logits []uint16, nVocab int) Rows {
	return rows(C.GSAMPLE_BF16, 2, first(logits), len(logits), nVocab)
}

// rows of another length than whole rows have a width that every call refuses.
func rows(dtype, size uint32, logits unsafe.Pointer, length, nVocab int) Rows {
	if nVocab < 1 || length%nVocab != 0 {
		return Rows{n: 1}
	}
	return Rows{dtype, size, nVocab, length / nVocab, logits}
}

// Sequence is what a sampler brings to a step, and what came of it. It has a row more than drafts, or no row where nothing is wanted.
type Sequence struct {
	Sampler    *Sampler
	Rows       Rows
	Masks      []uint32    // for each row, or one for all; nil allows all
	Drafts     []Token     // guessed tokens
	DraftDists []*Dist     // what each draft was drawn from; nil: the drafts are certain
	Logprobs   LogprobMode // fills Choices
	NTop       int

	Tokens  []Token  // the last was drawn, those before are drafts that stood
	Choices []Choice // of the tokens
	Err     error    // why the sequence ended early; the sampler has accepted just Tokens then
}

// Executor is the engine's threads: ParallelFor calls body(worker, i) once for each i below n, worker below Workers() and never the same in
// two calls at once, and returns when all are done.
type Executor interface {
	Workers() int
	ParallelFor(n int, body func(worker, i int))
}

// Goroutines is an executor of that many goroutines.
type Goroutines int

func (g Goroutines) Workers() int { return max(int(g), 1) }

func (g Goroutines) ParallelFor(n int, body func(worker, i int)) {
	var next atomic.Int64
	var group sync.WaitGroup
	for worker := 0; worker < min(g.Workers(), n); worker++ {
		group.Add(1)
		go func(worker int) {
			defer group.Done()
			for i := next.Add(1) - 1; i < int64(n); i = next.Add(1) - 1 {
				body(worker, int(i))
			}
		}(worker)
	}
	group.Wait()
}

// Step is the memory of steps, for as many workers. For one goroutine at a time.
type Step struct {
	owner
	workers int
	raw     []C.gsample_sequence
	tokens  []Token
	dists   []*C.gsample_dist
	choices []C.gsample_choice
	top     []Logprob
}

func NewStep(workers int) (*Step, error) {
	if workers < 1 {
		return nil, invalid("%d workers", workers)
	}
	var handle *C.gsample_workspace
	if err := check(C.gsample_workspace_new(C.uint32_t(workers), &handle)); err != nil {
		return nil, err
	}
	s := &Step{owner: owner{handle: unsafe.Pointer(handle)}, workers: workers}
	runtime.SetFinalizer(s, (*Step).Close)
	return s, nil
}

// Close frees the step's memory. A second Close does nothing.
func (s *Step) Close() error {
	handle, err := s.end()
	C.gsample_workspace_free((*C.gsample_workspace)(handle))
	return err
}

// Decide gives every sequence its tokens; executor nil decides on the calling goroutine. It returns how many sequences failed, or an error
// where the call as a whole is wrong, and then nothing was done.
func (s *Step) Decide(sequences []Sequence, executor Executor) (failed int, err error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	defer s.leave()
	for i := range sequences {
		sequence := &sequences[i]
		if err := sequence.check(); err != nil {
			return 0, fmt.Errorf("sequence %d: %w", i, err)
		}
		if err := sequence.Sampler.enter(); err != nil {
			return 0, fmt.Errorf("sequence %d: %w", i, err)
		}
		defer sequence.Sampler.leave()
	}
	entered := map[*Dist]bool{}
	for i := range sequences {
		for _, dist := range sequences[i].DraftDists {
			if entered[dist] { // one may stand for several drafts
				continue
			}
			if err := dist.enter(); err != nil {
				return 0, fmt.Errorf("sequence %d: %w", i, err)
			}
			defer dist.leave()
			entered[dist] = true
		}
	}
	var pinner runtime.Pinner
	defer pinner.Unpin()
	s.place(sequences, &pinner)

	run, workers := &execution{executor: executor}, C.uint32_t(0)
	handle := cgo.NewHandle(run)
	defer handle.Delete()
	if executor != nil {
		workers = C.uint32_t(executor.Workers())
	}
	result := C.gsample_go_decide((*C.gsample_sequence)(first(s.raw)), C.size_t(len(s.raw)), workers, C.uintptr_t(handle),
		(*C.gsample_workspace)(s.handle))
	if result < 0 {
		return 0, &Error{Status: Status(result), Cause: run.cause}
	}
	s.collect(sequences, run)
	return int(result), nil
}

func (q *Sequence) check() error {
	switch n := q.Rows.n; {
	case q.Sampler == nil:
		return invalid("there is no sampler")
	case n > 0 && q.Rows.nVocab < 1:
		return invalid("the logits are not whole rows")
	case n > 0 && n != len(q.Drafts)+1:
		return invalid("%d rows for %d drafts", n, len(q.Drafts))
	case q.DraftDists != nil && len(q.DraftDists) != len(q.Drafts):
		return invalid("%d distributions for %d drafts", len(q.DraftDists), len(q.Drafts))
	case q.Masks != nil && len(q.Masks) != maskWords(q.Rows.nVocab) && len(q.Masks) != maskWords(q.Rows.nVocab)*n:
		return invalid("%d words of masks for %d rows of %d", len(q.Masks), n, q.Rows.nVocab)
	case q.NTop < 0:
		return invalid("NTop is %d", q.NTop)
	}
	return nil
}

// place fills the C structs. They point to memory of Go's, which is pinned for the call.
func (s *Step) place(sequences []Sequence, pinner *runtime.Pinner) {
	nTokens, nDists, nTop := 0, 0, 0
	for i := range sequences {
		nTokens += sequences[i].Rows.n
		nDists += len(sequences[i].DraftDists)
		nTop += sequences[i].Rows.n * sequences[i].NTop
	}
	s.raw = resized(s.raw, len(sequences))
	s.tokens, s.choices = resized(s.tokens, nTokens), resized(s.choices, nTokens)
	s.dists, s.top = resized(s.dists, nDists), resized(s.top, nTop)
	pin(pinner, first(s.tokens), first(s.choices), first(s.dists), first(s.top))
	tokens, choices, dists, top := s.tokens, s.choices, s.dists, s.top
	for i := range sequences {
		q, words := &sequences[i], maskWords(sequences[i].Rows.nVocab)
		raw := C.gsample_sequence{size: C.uint32_t(unsafe.Sizeof(s.raw[0])), dtype: C.uint32_t(q.Rows.dtype), n_vocab: C.uint32_t(q.Rows.nVocab),
			n_rows: C.uint32_t(q.Rows.n), sampler: q.Sampler.raw()}
		if q.Rows.n > 0 {
			pin(pinner, q.Rows.logits, first(q.Masks), first(q.Drafts))
			raw.logits, raw.row_stride = q.Rows.logits, C.int64_t(q.Rows.nVocab)*C.int64_t(q.Rows.size)
			raw.drafts, raw.n_drafts = (*C.int32_t)(first(q.Drafts)), C.uint32_t(len(q.Drafts))
			raw.masks = (*C.uint32_t)(first(q.Masks))
			if len(q.Masks) > words {
				raw.mask_stride = C.int64_t(4 * words)
			}
			raw.tokens = (*C.int32_t)(first(tokens))
			tokens = tokens[q.Rows.n:]
		}
		if len(q.DraftDists) > 0 {
			raw.draft_dists = (**C.gsample_dist)(first(dists))
			for j, dist := range q.DraftDists {
				dists[j] = dist.raw()
			}
			dists = dists[len(q.DraftDists):]
		}
		if q.Logprobs != LogprobNone {
			raw.choices = (*C.gsample_choice)(first(choices))
			for j := 0; j < q.Rows.n; j++ {
				choices[j] = C.gsample_choice{size: C.uint32_t(unsafe.Sizeof(choices[j])), logprob_mode: C.uint32_t(q.Logprobs), n_top: C.uint32_t(q.NTop)}
				if q.NTop > 0 {
					choices[j].top = (*C.gsample_logprob)(first(top))
					top = top[q.NTop:]
				}
			}
			choices = choices[q.Rows.n:]
		}
		s.raw[i] = raw
	}
}

// collect reads what the C structs say.
func (s *Step) collect(sequences []Sequence, run *execution) {
	tokens := s.tokens
	for i := range sequences {
		q, raw := &sequences[i], &s.raw[i]
		n := int(raw.n_tokens)
		q.Tokens, q.Choices, q.Err = append(q.Tokens[:0], tokens[:n]...), q.Choices[:0], nil
		tokens = tokens[q.Rows.n:]
		if raw.status < 0 {
			err := q.Sampler.failure(raw.status).(*Error)
			if err.Cause == nil {
				err.Cause = run.cause
			}
			q.Err = err
		}
		if raw.choices != nil {
			for _, c := range unsafe.Slice(raw.choices, n) {
				top := append([]Logprob(nil), unsafe.Slice((*Logprob)(unsafe.Pointer(c.top)), c.n_written)...)
				q.Choices = append(q.Choices, Choice{Token(c.token), int32(c.rank), float64(c.logprob), top})
			}
		}
	}
}

func resized[T any](items []T, n int) []T {
	if cap(items) < n {
		return make([]T, n)
	}
	return items[:n]
}

func pin(pinner *runtime.Pinner, pointers ...unsafe.Pointer) {
	for _, pointer := range pointers {
		if pointer != nil {
			pinner.Pin(pointer)
		}
	}
}

// execution is a step's executor, and what it panicked with.
type execution struct {
	executor Executor
	cause    error
}

//export gsampleGoParallelFor
func gsampleGoParallelFor(user C.uintptr_t, n C.size_t, body C.gsample_go_body, arg unsafe.Pointer) (result C.int32_t) {
	run := cgo.Handle(user).Value().(*execution)
	defer func() {
		if p := recover(); p != nil {
			run.cause = fmt.Errorf("panic in an executor: %v", p)
			result = C.GSAMPLE_ERROR_CALLBACK
		}
	}()
	run.executor.ParallelFor(int(n), func(worker, i int) { C.gsample_go_call(body, arg, C.uint32_t(worker), C.size_t(i)) })
	return 0
}

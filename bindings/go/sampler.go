package gsample

// #include "shim.h"
import "C"

import (
	"runtime"
	"runtime/cgo"
	"unsafe"
)

// Sampler is one sequence's parameters, generator, history and constraint. Any goroutine may use it, one at a time.
type Sampler struct {
	owner
	mail *mail
}

func adopt(handle *C.gsample_sampler, m *mail) *Sampler {
	s := &Sampler{owner: owner{handle: unsafe.Pointer(handle)}, mail: m}
	runtime.SetFinalizer(s, (*Sampler).Close)
	return s
}

// New makes a sampler from parameters, which are copied.
func New(params *Params) (*Sampler, error) {
	var handle *C.gsample_sampler
	w := newWords()
	if err := w.check(C.gsample_new(params.raw(), &handle, &w.raw)); err != nil {
		return nil, err
	}
	return adopt(handle, new(mail)), nil
}

// Load makes one from what Save gave, on any machine. Set constraint and custom stage again.
func Load(state []byte) (*Sampler, error) {
	var handle *C.gsample_sampler
	w := newWords()
	if err := w.check(C.gsample_load(&handle, first(state), C.size_t(len(state)), &w.raw)); err != nil {
		return nil, err
	}
	return adopt(handle, new(mail)), nil
}

// Close frees the sampler. A second Close does nothing.
func (s *Sampler) Close() error {
	handle, err := s.end()
	C.gsample_free((*C.gsample_sampler)(handle))
	return err
}

func (s *Sampler) raw() *C.gsample_sampler { return (*C.gsample_sampler)(s.handle) }

// failure is the error of a status, with what a callback returned meanwhile.
func (s *Sampler) failure(result C.int32_t) error {
	cause := s.mail.cause
	s.mail.cause = nil
	return &Error{Status: Status(result), Cause: cause}
}

// status runs a call between enter and leave.
func (s *Sampler) status(call func(*C.gsample_sampler) C.int32_t) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	if result := call(s.raw()); result < 0 {
		return s.failure(result)
	}
	return nil
}

// Pick gives one token from a row of floats, recorded as answer.
func (s *Sampler) Pick(logits []float32) (Token, error) {
	if err := s.enter(); err != nil {
		return 0, err
	}
	result := C.gsample_pick(s.raw(), (*C.float)(first(logits)), C.size_t(len(logits)))
	if result < 0 {
		err := s.failure(result)
		s.leave()
		return 0, err
	}
	s.leave()
	return Token(result), nil
}

// PickRow is Pick from a row of any type, with a mask.
func (s *Sampler) PickRow(row Row) (Token, error) {
	if err := row.check(); err != nil {
		return 0, err
	}
	var token Token
	err := s.status(func(raw *C.gsample_sampler) C.int32_t {
		token = Token(C.gsample_go_pick_row(raw, row.dtype, C.uint32_t(row.nVocab), row.logits, row.words()))
		return C.int32_t(token)
	})
	return token, err
}

// Choose is PickRow with logprobs: the token's, and those of the nTop most likely.
func (s *Sampler) Choose(row Row, mode LogprobMode, nTop int) (Choice, error) {
	if err := row.check(); err != nil {
		return Choice{}, err
	}
	top, choice := make([]Logprob, nTop), new(C.gsample_choice)
	err := s.status(func(raw *C.gsample_sampler) C.int32_t {
		return C.gsample_go_choose(raw, row.dtype, C.uint32_t(row.nVocab), row.logits, row.words(), C.uint32_t(mode),
			(*C.gsample_logprob)(first(top)), C.uint32_t(nTop), choice)
	})
	if err != nil {
		return Choice{}, err
	}
	return Choice{Token(choice.token), int32(choice.rank), float64(choice.logprob), top[:choice.n_written]}, nil
}

// Clone makes an independent copy with all state.
func (s *Sampler) Clone() (*Sampler, error) {
	var handle *C.gsample_sampler
	m := new(mail)
	err := s.status(func(raw *C.gsample_sampler) C.int32_t {
		s.mail.copies = m
		defer func() { s.mail.copies = nil }()
		return C.gsample_clone(raw, &handle)
	})
	if err != nil {
		return nil, err
	}
	return adopt(handle, m), nil
}

// Assign makes this the equal of another, in the memory that it has.
func (s *Sampler) Assign(from *Sampler) error {
	if s == from {
		return nil
	}
	return from.status(func(source *C.gsample_sampler) C.int32_t {
		from.mail.copies = s.mail
		defer func() { from.mail.copies = nil }()
		if err := s.enter(); err != nil {
			from.mail.cause = err
			return C.GSAMPLE_ERROR_INVALID_ARGUMENT
		}
		defer s.leave()
		return C.gsample_assign(s.raw(), source)
	})
}

// Reset makes the sampler as new with the parameters in force.
func (s *Sampler) Reset() error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t { return C.gsample_reset(raw) })
}

// Reserve takes memory ahead, so that no pick allocates.
func (s *Sampler) Reserve(nVocab uint32, nTokens int) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		return C.gsample_reserve(raw, C.uint32_t(nVocab), C.size_t(nTokens))
	})
}

// Memory gives the bytes that the sampler holds.
func (s *Sampler) Memory() (int64, error) {
	return s.number(func(raw *C.gsample_sampler) C.int64_t { return C.gsample_memory(raw) })
}

// SetParams sets other parameters from the next pick on; all state stays.
func (s *Sampler) SetParams(params *Params) error {
	if err := s.enter(); err != nil {
		return err
	}
	defer s.leave()
	w := newWords()
	return w.check(C.gsample_set_params(s.raw(), params.raw(), &w.raw))
}

// RngSeed starts the generator again.
func (s *Sampler) RngSeed(seed uint64) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t { return C.gsample_rng_seed(raw, C.uint64_t(seed)) })
}

// Uniform gives the generator's next number, in [0, 1), and takes it.
func (s *Sampler) Uniform() (float64, error) {
	var u float64
	err := s.status(func(raw *C.gsample_sampler) C.int32_t { u = float64(C.gsample_uniform(raw)); return 0 })
	return u, err
}

// Seed appends to the history as prompt.
func (s *Sampler) Seed(tokens []Token) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		return C.gsample_seed(raw, (*C.int32_t)(first(tokens)), C.size_t(len(tokens)))
	})
}

// Accept appends a token that was chosen elsewhere. Never what this sampler picked.
func (s *Sampler) Accept(token Token) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t { return C.gsample_accept(raw, C.int32_t(token)) })
}

// Bias sets the whole table of biases; -Inf bans.
func (s *Sampler) Bias(biases map[Token]float32) error {
	tokens, values := make([]Token, 0, len(biases)), make([]float32, 0, len(biases))
	for token, value := range biases {
		tokens, values = append(tokens, token), append(values, value)
	}
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		return C.gsample_bias(raw, (*C.int32_t)(first(tokens)), (*C.float)(first(values)), C.size_t(len(tokens)))
	})
}

// Stop sets the tokens after which a Step ends this sequence.
func (s *Sampler) Stop(tokens []Token) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		return C.gsample_stop(raw, (*C.int32_t)(first(tokens)), C.size_t(len(tokens)))
	})
}

// DryBreaker adds one sequence across which DRY sees no repetition; an empty one forgets all.
func (s *Sampler) DryBreaker(tokens []Token) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		return C.gsample_dry_breaker(raw, (*C.int32_t)(first(tokens)), C.size_t(len(tokens)))
	})
}

// Constrain sets the constraint, or takes it away with nil. It sleeps until `after` has been accepted.
func (s *Sampler) Constrain(constraint Constraint, after ...Token) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		if constraint == nil {
			return C.gsample_constrain(raw, nil)
		}
		handle := cgo.NewHandle(&holder{constraint, s.mail}) // the library ends it, also where the call fails
		return C.gsample_go_constrain(raw, C.uintptr_t(handle), has(constraint), (*C.int32_t)(first(after)), C.uint32_t(len(after)))
	})
}

// ConstrainMatcher sets a matcher as constraint. It is the sampler's from here on, and closed for its caller.
func (s *Sampler) ConstrainMatcher(matcher *Matcher, after ...Token) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		if err := matcher.enter(); err != nil {
			s.mail.cause = err
			return C.GSAMPLE_ERROR_INVALID_ARGUMENT
		}
		defer matcher.leave()
		taken := new(C.int32_t)
		result := C.gsample_go_constrain_matcher(raw, matcher.raw(), (*C.int32_t)(first(after)), C.uint32_t(len(after)), taken)
		if *taken != 0 {
			matcher.handle = nil
		}
		return result
	})
}

// SetCustom sets the custom stage, or takes it away with nil.
func (s *Sampler) SetCustom(stage CustomStage) error {
	return s.status(func(raw *C.gsample_sampler) C.int32_t {
		if stage == nil {
			return C.gsample_set_custom(raw, nil)
		}
		return C.gsample_go_set_custom(raw, C.uintptr_t(cgo.NewHandle(&holder{stage, s.mail})), has(stage))
	})
}

// Shaped says whether a pick may differ from Row.Best.
func (s *Sampler) Shaped() (bool, error) {
	n, err := s.number(func(raw *C.gsample_sampler) C.int64_t { return C.int64_t(C.gsample_shaped(raw)) })
	return n > 0, err
}

// CandidatesNeeded says how many of a row's best suffice for Dist.FromCandidates; 0: the whole row is needed.
func (s *Sampler) CandidatesNeeded() (int64, error) {
	return s.number(func(raw *C.gsample_sampler) C.int64_t { return C.gsample_candidates_needed(raw) })
}

func (s *Sampler) number(call func(*C.gsample_sampler) C.int64_t) (int64, error) {
	var n C.int64_t
	err := s.status(func(raw *C.gsample_sampler) C.int32_t { n = call(raw); return C.int32_t(min(n, 0)) })
	return int64(n), err
}

// Save gives all state but constraint and custom stage.
func (s *Sampler) Save() ([]byte, error) {
	if err := s.enter(); err != nil {
		return nil, err
	}
	defer s.leave()
	return fetch(func(out unsafe.Pointer, n C.size_t) C.int64_t { return C.gsample_save(s.raw(), out, n) })
}

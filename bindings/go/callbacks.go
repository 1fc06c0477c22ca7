package gsample

// #include "shim.h"
import "C"

import (
	"fmt"
	"runtime/cgo"
	"unsafe"
)

// Constraint is what may come next. Its methods must not use the sampler that asks. What they return as error, and a panic, becomes the
// error of the call that asked, which then changes nothing.
type Constraint interface {
	// Allows says whether this token may come next.
	Allows(token Token) (bool, error)
	// Accept says that the token has been chosen.
	Accept(token Token) error
}

// A Constraint may also be one of these.
type (
	// Masker sets the bits of all allowed tokens in words that come zeroed.
	Masker interface{ Mask(words []uint32) error }
	// FirstByter makes the search for allowed tokens fast: table[b] = 1 where an allowed token may begin with byte b, and the first byte of
	// each token, if it has one.
	FirstByter interface {
		FirstBytes(table *[256]byte) error
		FirstByte(token Token) (first byte, ok bool)
	}
	// Stopper says whether the text may end here.
	Stopper interface{ CanStop() (bool, error) }
	// Cloner makes an independent copy, without which a sampler cannot be cloned.
	Cloner interface{ Clone() (Constraint, error) }
)

// CustomStage is a stage where Params.Order has StageCustom.
type CustomStage interface {
	// Apply may change logits[i], the logit of tokens[i]; -Inf drops a token. Both slices end with the call.
	Apply(tokens []Token, logits []float32) error
}

// StageCloner is a CustomStage that can be copied; without it a sampler cannot be cloned.
type StageCloner interface{ Clone() (CustomStage, error) }

// StageFunc is a function as CustomStage, without state: its clone is itself.
type StageFunc func(tokens []Token, logits []float32) error

func (f StageFunc) Apply(tokens []Token, logits []float32) error { return f(tokens, logits) }
func (f StageFunc) Clone() (CustomStage, error)                  { return f, nil }

// mail is where a sampler finds what its callbacks returned. While it is cloned, `copies` is the mail of the copy.
type mail struct {
	cause  error
	copies *mail
}

// holder is what a callback's handle stands for.
type holder struct {
	object any
	mail   *mail
}

// failed takes an error to the sampler and gives its status.
func (h *holder) failed(err error) C.int32_t {
	h.mail.cause = err
	var status Status
	switch e := err.(type) {
	case *Error:
		status = e.Status
	case Status:
		status = e
	}
	if status < 0 {
		return C.int32_t(status)
	}
	return C.GSAMPLE_ERROR_CALLBACK
}

// guarded runs a callback: its number, its error's status, or CALLBACK for a panic.
func guarded(user C.uintptr_t, body func(h *holder) (C.int32_t, error)) (result C.int32_t) {
	h := cgo.Handle(user).Value().(*holder)
	defer func() {
		if p := recover(); p != nil {
			result = h.failed(fmt.Errorf("panic in a callback: %v", p))
		}
	}()
	number, err := body(h)
	if err != nil {
		return h.failed(err)
	}
	return number
}

func truth(yes bool, err error) (C.int32_t, error) {
	if yes {
		return 1, err
	}
	return 0, err
}

//export gsampleGoAllows
func gsampleGoAllows(user C.uintptr_t, token C.int32_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) { return truth(h.object.(Constraint).Allows(Token(token))) })
}

//export gsampleGoAccept
func gsampleGoAccept(user C.uintptr_t, token C.int32_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) { return 0, h.object.(Constraint).Accept(Token(token)) })
}

//export gsampleGoFirstBytes
func gsampleGoFirstBytes(user C.uintptr_t, table *C.uint8_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) {
		return 0, h.object.(FirstByter).FirstBytes((*[256]byte)(unsafe.Pointer(table)))
	})
}

//export gsampleGoFirstByte
func gsampleGoFirstByte(user C.uintptr_t, token C.int32_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) {
		if first, ok := h.object.(FirstByter).FirstByte(Token(token)); ok {
			return C.int32_t(first), nil
		}
		return C.GSAMPLE_ERROR_INVALID_ARGUMENT, nil
	})
}

//export gsampleGoMask
func gsampleGoMask(user C.uintptr_t, words *C.uint32_t, n C.size_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) {
		return 0, h.object.(Masker).Mask(unsafe.Slice((*uint32)(unsafe.Pointer(words)), n))
	})
}

//export gsampleGoCanStop
func gsampleGoCanStop(user C.uintptr_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) { return truth(h.object.(Stopper).CanStop()) })
}

//export gsampleGoApply
func gsampleGoApply(user C.uintptr_t, tokens *C.int32_t, logits *C.float, n C.size_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) {
		return 0, h.object.(CustomStage).Apply(unsafe.Slice((*Token)(unsafe.Pointer(tokens)), n), unsafe.Slice((*float32)(unsafe.Pointer(logits)), n))
	})
}

//export gsampleGoClone
func gsampleGoClone(user C.uintptr_t, out *C.uintptr_t) C.int32_t {
	return guarded(user, func(h *holder) (C.int32_t, error) {
		copied := &holder{mail: h.mail}
		if h.mail.copies != nil {
			copied.mail = h.mail.copies
		}
		var err error
		if cloner, ok := h.object.(Cloner); ok {
			copied.object, err = cloner.Clone()
		} else {
			copied.object, err = h.object.(StageCloner).Clone()
		}
		if err == nil {
			*out = C.uintptr_t(cgo.NewHandle(copied))
		}
		return 0, err
	})
}

//export gsampleGoDestroy
func gsampleGoDestroy(user C.uintptr_t) { cgo.Handle(user).Delete() }

// has says what a constraint or stage can do, for shim.c.
func has(object any) (flags C.int32_t) {
	if _, ok := object.(Masker); ok {
		flags |= C.GSAMPLE_GO_MASK
	}
	if _, ok := object.(FirstByter); ok {
		flags |= C.GSAMPLE_GO_FIRST_BYTES
	}
	if _, ok := object.(Stopper); ok {
		flags |= C.GSAMPLE_GO_CAN_STOP
	}
	_, constraint := object.(Cloner)
	_, stage := object.(StageCloner)
	if constraint || stage {
		flags |= C.GSAMPLE_GO_CLONE
	}
	return flags
}

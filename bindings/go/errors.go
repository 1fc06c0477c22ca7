package gsample

// #include <gsample/gsample.h>
import "C"

import (
	"fmt"
	"unsafe"
)

// Token is a token's id.
type Token = int32

// Status is how a call failed. errors.Is(err, gsample.NoCandidate) compares an error with one.
type Status int32

const (
	InvalidArgument Status = C.GSAMPLE_ERROR_INVALID_ARGUMENT
	OutOfMemory     Status = C.GSAMPLE_ERROR_OUT_OF_MEMORY
	NoCandidate     Status = C.GSAMPLE_ERROR_NO_CANDIDATE
	NotANumber      Status = C.GSAMPLE_ERROR_NOT_A_NUMBER
	Refused         Status = C.GSAMPLE_ERROR_REFUSED
	Inexact         Status = C.GSAMPLE_ERROR_INEXACT
	Syntax          Status = C.GSAMPLE_ERROR_SYNTAX
	Unsupported     Status = C.GSAMPLE_ERROR_UNSUPPORTED
	Format          Status = C.GSAMPLE_ERROR_FORMAT
	Limit           Status = C.GSAMPLE_ERROR_LIMIT
	Buffer          Status = C.GSAMPLE_ERROR_BUFFER
	IO              Status = C.GSAMPLE_ERROR_IO
	Callback        Status = C.GSAMPLE_ERROR_CALLBACK
)

func (s Status) Error() string { return C.GoString(C.gsample_status_name(C.int32_t(s))) }

// Error is what went wrong. Message is empty where the library gives no words; Line and Column are a place in a text that was read, from
// 1, or 0; Cause is what a callback returned, or its panic.
type Error struct {
	Status       Status
	Message      string
	Line, Column int
	Cause        error
}

func (e *Error) Error() string {
	text := e.Message
	if text == "" {
		text = e.Status.Error()
	}
	if e.Cause != nil {
		text += ": " + e.Cause.Error()
	}
	return text
}

// Is compares with a Status.
func (e *Error) Is(target error) bool {
	status, ok := target.(Status)
	return ok && status == e.Status
}

func (e *Error) Unwrap() error { return e.Cause }

func invalid(format string, values ...any) error {
	return &Error{Status: InvalidArgument, Message: fmt.Sprintf(format, values...)}
}

// check turns a status into an error.
func check(result C.int32_t) error {
	if result >= 0 {
		return nil
	}
	return &Error{Status: Status(result)}
}

// words is room for those of a C call.
type words struct{ raw C.gsample_error }

func newWords() *words {
	w := new(words)
	w.raw.size = C.uint32_t(unsafe.Sizeof(w.raw))
	return w
}

func (w *words) text() string { return C.GoString(&w.raw.message[0]) }

func (w *words) check(result C.int32_t) error {
	if result >= 0 {
		return nil
	}
	return &Error{Status: Status(result), Message: w.text(), Line: int(w.raw.line), Column: int(w.raw.column)}
}

// fetch is the two calls by which bytes of unknown length are read: ask, then read.
func fetch(call func(bytes unsafe.Pointer, n C.size_t) C.int64_t) ([]byte, error) {
	n := call(nil, 0)
	if n < 0 {
		return nil, check(C.int32_t(n))
	}
	out := make([]byte, n)
	if n > 0 {
		if n = call(unsafe.Pointer(&out[0]), C.size_t(n)); n < 0 {
			return nil, check(C.int32_t(n))
		}
	}
	return out, nil
}

// Version is that of the library that is running: as a number, and as text.
func Version() (uint32, string) {
	return uint32(C.gsample_version()), C.GoString(C.gsample_version_string())
}

// HeaderVersion is that of the header this package was compiled with.
const HeaderVersion = uint32(C.GSAMPLE_VERSION_MAJOR<<16 | C.GSAMPLE_VERSION_MINOR<<8 | C.GSAMPLE_VERSION_PATCH)

// Semantics numbers the meaning of the bits of picks.
const Semantics = C.GSAMPLE_SEMANTICS

// Target is the vector instructions in use.
func Target() string { return C.GoString(C.gsample_target()) }

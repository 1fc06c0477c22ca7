package gsample

import (
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"
)

// owner holds the handle of an object that is for one goroutine at a time. enter and leave stand around every call.
type owner struct {
	handle unsafe.Pointer
	busy   atomic.Bool
}

func (o *owner) enter() error {
	if !o.busy.CompareAndSwap(false, true) {
		return invalid("the object is in use by another call")
	}
	if o.handle == nil {
		o.busy.Store(false)
		return invalid("the object is closed")
	}
	return nil
}

// leave keeps the object alive until here, so that no finalizer frees it during the call.
func (o *owner) leave() {
	o.busy.Store(false)
	runtime.KeepAlive(o)
}

// end takes the handle out, for Close. nil: it has been closed before.
func (o *owner) end() (unsafe.Pointer, error) {
	if !o.busy.CompareAndSwap(false, true) {
		return nil, invalid("the object is in use by another call")
	}
	handle := o.handle
	o.handle = nil
	o.busy.Store(false)
	return handle, nil
}

// shared holds the handle of an immutable object that all goroutines may use at once.
type shared struct {
	handle unsafe.Pointer
	mutex  sync.RWMutex // writing is closing
}

func (s *shared) enter() error {
	s.mutex.RLock()
	if s.handle == nil {
		s.mutex.RUnlock()
		return invalid("the object is closed")
	}
	return nil
}

func (s *shared) leave() {
	s.mutex.RUnlock()
	runtime.KeepAlive(s)
}

func (s *shared) end() unsafe.Pointer {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	handle := s.handle
	s.handle = nil
	return handle
}

// first is the address of a slice's memory, nil where it has none.
func first[T any](items []T) unsafe.Pointer { return unsafe.Pointer(unsafe.SliceData(items)) }

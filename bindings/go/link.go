//go:build !gsample_flags

package gsample

// With the tag gsample_flags CGO_CFLAGS and CGO_LDFLAGS say where header and library are.

// #cgo pkg-config: gsample
import "C"

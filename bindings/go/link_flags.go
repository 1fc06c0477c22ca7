//go:build gsample_flags

package gsample

// #cgo LDFLAGS: -lgsample
import "C"

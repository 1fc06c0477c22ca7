// Package gsample is a token sampler: a row of logits goes in, a token comes out.
//
//	params := gsample.NewParams()
//	params.Temperature = 0.8
//	params.Seed = 42
//	sampler, err := gsample.New(&params)
//	...
//	defer sampler.Close()
//	token, err := sampler.Pick(logits) // []float32
//
// What parameters and calls mean stands in the manual, the header include/gsample/gsample.h; methods are named after its functions.
//
// Objects end by Close, or when they are collected; using one after Close, from two goroutines at once, or from within its own callbacks
// is an error. Vocab and Grammar may be used by all goroutines at once. A callback that fails or panics becomes the error of the call that
// ran it.
package gsample

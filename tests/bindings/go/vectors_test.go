// The project's vectors through the Go binding. GSAMPLE_VECTORS: where tests/golden/vectors.json is; tests/golden/vectors_file.h describes it.
package tests

import (
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"testing"

	"gsample"
)

type vector struct {
	Name     string
	Params   [][2]string
	NVocab   int `json:"n_vocab"`
	Dtype    int
	Kind     string
	RowSeed  uint64 `json:"row_seed"`
	MaskSeed uint64 `json:"mask_seed"`
	Patch    [][2]uint32
	Prompt   []int32
	Bias     [][2]int64
	Breakers [][]int32
	Rule     []int32
	After    []int32
	Forced   []int32
	Tokens   []int32
	Next     uint64
}

type vectorFile struct {
	Semantics int
	Fold64    string
	Vectors   []vector
}

// rule allows token t iff t % m < r.
type rule struct{ m, r int32 }

func (c rule) Allows(token gsample.Token) (bool, error) { return token%c.m < c.r, nil }
func (c rule) Accept(gsample.Token) error               { return nil }

func splitmix64(x uint64) uint64 {
	x += 0x9E3779B97F4A7C15
	x = (x ^ x>>30) * 0xBF58476D1CE4E5B9
	x = (x ^ x>>27) * 0x94D049BB133111EB
	return x ^ x>>31
}

// recipe gives the logits of row `pick`. Every step is rounded to float32 by itself: a conversion keeps Go from fusing.
func recipe(kind string, n int, rowSeed, pick uint64) []float32 {
	seed, out := splitmix64(rowSeed+pick), make([]float32, n)
	for i := range out {
		u := float32(splitmix64(seed+uint64(i))>>40) * (1.0 / (1 << 24))
		switch kind {
		case "cubic":
			a := float32(u * u)
			a = float32(a * u)
			a = float32(a * 24)
			out[i] = a - 6
		case "flat":
			out[i] = u * 0.5
		case "ties16":
			out[i] = float32(math.Floor(float64(u*16))) - 8
		case "peaked":
			a := u
			for j := 0; j < 4; j++ {
				a = float32(a * a)
			}
			a = float32(a * 60)
			out[i] = a - 20
		default:
			panic("no rows are called " + kind)
		}
	}
	return out
}

func (v *vector) row(pick uint64) gsample.Row {
	var row gsample.Row
	if v.Kind == "raw" {
		halves, bits, seed := make([]uint16, v.NVocab), uint16(0xcfff), splitmix64(v.RowSeed+pick)
		if v.Dtype == 2 {
			bits = 0xc1ff
		}
		for i := range halves {
			halves[i] = uint16(splitmix64(seed+uint64(i))>>48) & bits
		}
		for _, p := range v.Patch {
			halves[p[0]] = uint16(p[1])
		}
		if row = gsample.F16(halves); v.Dtype == 2 {
			row = gsample.BF16(halves)
		}
	} else {
		floats := recipe(v.Kind, v.NVocab, v.RowSeed, pick)
		for _, p := range v.Patch {
			floats[p[0]] = math.Float32frombits(p[1])
		}
		row = gsample.F32(floats)
	}
	if v.MaskSeed != 0 {
		words := make([]uint32, (v.NVocab+31)/32)
		for i := 0; i < v.NVocab; i++ {
			if splitmix64(v.MaskSeed+uint64(i))&3 != 0 {
				words[i/32] |= 1 << (i % 32)
			}
		}
		row = row.Masked(words)
	}
	return row
}

func (v *vector) sampler(t *testing.T) *gsample.Sampler {
	params, bias := gsample.NewParams(), map[int32]float32{}
	for _, pair := range v.Params {
		must(t, params.Set(pair[0], pair[1]))
	}
	sampler, err := gsample.New(&params)
	must(t, err)
	for _, b := range v.Bias {
		bias[int32(b[0])] = math.Float32frombits(uint32(b[1]))
	}
	must(t, sampler.Bias(bias))
	for _, breaker := range v.Breakers {
		must(t, sampler.DryBreaker(breaker))
	}
	must(t, sampler.Seed(v.Prompt))
	if len(v.Rule) == 2 {
		must(t, sampler.Constrain(rule{v.Rule[0], v.Rule[1]}, v.After...))
	}
	return sampler
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestVectors(t *testing.T) {
	path := os.Getenv("GSAMPLE_VECTORS")
	if path == "" {
		path = "../../golden/vectors.json"
	}
	text, err := os.ReadFile(path)
	must(t, err)
	var file vectorFile
	must(t, json.Unmarshal(text, &file))
	if file.Semantics != gsample.Semantics {
		t.Fatalf("semantics %d, not %d", gsample.Semantics, file.Semantics)
	}
	fold := uint64(1469598103934665603)
	for i := range file.Vectors {
		v := &file.Vectors[i]
		sampler := v.sampler(t)
		for p, expected := range v.Tokens {
			if p < len(v.Forced) && v.Forced[p] >= 0 {
				_ = sampler.Accept(v.Forced[p]) // some are there to be refused
			}
			got, err := sampler.PickRow(v.row(uint64(p)))
			var failed *gsample.Error
			if errors.As(err, &failed) {
				got = int32(failed.Status)
			}
			if got != expected {
				t.Fatalf("%s, pick %d: %d expected, got %d", v.Name, p, expected, got)
			}
			fold = (fold ^ uint64(uint32(got))) * 1099511628211
		}
		if u, err := sampler.Uniform(); err != nil || uint64(u*(1<<53)) != v.Next {
			t.Fatalf("%s: the generator is elsewhere", v.Name)
		}
		must(t, sampler.Close())
	}
	if text := fmt.Sprintf("0x%016x", fold); text != file.Fold64 {
		t.Fatalf("fold64 is %s", text)
	}
}

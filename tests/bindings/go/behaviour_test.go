package tests

import (
	"errors"
	"fmt"
	"math"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"gsample"
	"gsample_tests/craw"
)

var row = []float32{1, 3, 2, 0}

func greedy(t *testing.T) *gsample.Sampler {
	t.Helper()
	params, err := gsample.Preset("greedy")
	must(t, err)
	sampler, err := gsample.New(&params)
	must(t, err)
	t.Cleanup(func() { sampler.Close() })
	return sampler
}

func plain(t *testing.T) *gsample.Sampler {
	t.Helper()
	params := gsample.NewParams()
	sampler, err := gsample.New(&params)
	must(t, err)
	t.Cleanup(func() { sampler.Close() })
	return sampler
}

func fails(t *testing.T, status gsample.Status, err error) *gsample.Error {
	t.Helper()
	var failed *gsample.Error
	if !errors.Is(err, status) || !errors.As(err, &failed) {
		t.Fatalf("%v expected, got %v", status, err)
	}
	return failed
}

func picks(t *testing.T, sampler *gsample.Sampler, expected ...gsample.Token) {
	t.Helper()
	for _, want := range expected {
		if got, err := sampler.Pick(row); err != nil || got != want {
			t.Fatalf("%d expected, got %d, %v", want, got, err)
		}
	}
}

func equal(t *testing.T, got, expected any) {
	t.Helper()
	if !reflect.DeepEqual(got, expected) {
		t.Fatalf("%v expected, got %v", expected, got)
	}
}

// ---- Values

func TestVersion(t *testing.T) {
	number, text := gsample.Version()
	equal(t, number, gsample.HeaderVersion)
	equal(t, text, fmt.Sprintf("%d.%d.%d", number>>16, number>>8&255, number&255))
	if gsample.Target() == "" {
		t.Fatal("no target")
	}
}

// Params and Logprob have the memory of their C structs.
func TestLayout(t *testing.T) {
	path := os.Getenv("GSAMPLE_LAYOUT")
	if path == "" {
		t.Skip("GSAMPLE_LAYOUT is not set: run tests/bindings/run")
	}
	text, err := os.ReadFile(path)
	must(t, err)
	types := map[string]reflect.Type{"gsample_params": reflect.TypeOf(gsample.Params{}), "gsample_logprob": reflect.TypeOf(gsample.Logprob{})}
	next := map[string]int{}
	for _, line := range strings.Split(strings.TrimSpace(string(text)), "\n") {
		var name, field string
		var offset, size uintptr
		fmt.Sscan(line, &name, &field, &offset, &size)
		kind, ok := types[name]
		if !ok {
			continue
		}
		if field == "." {
			equal(t, kind.Size(), size)
			continue
		}
		mine := kind.Field(next[name])
		next[name]++
		if !strings.EqualFold(mine.Name, strings.ReplaceAll(field, "_", "")) || mine.Offset != offset || mine.Type.Size() != size {
			t.Errorf("%s.%s at %d of %d bytes is %s at %d of %d here", name, field, offset, size, mine.Name, mine.Offset, mine.Type.Size())
		}
	}
	equal(t, next["gsample_params"], types["gsample_params"].NumField())
	equal(t, next["gsample_logprob"], 3)
}

func TestParams(t *testing.T) {
	params := gsample.NewParams()
	equal(t, params.TopK, int32(64))
	if err := fails(t, gsample.InvalidArgument, params.Set("top_k", "many")); !strings.Contains(err.Error(), "top_k") {
		t.Fatal(err)
	}
	_, err := gsample.Preset("nobody")
	fails(t, gsample.InvalidArgument, err)
	must(t, params.SetOrder(gsample.StageTopK, gsample.StageTemperature))
	text, err := params.Describe()
	must(t, err)
	if !strings.HasSuffix(text, "order=top_k,temperature") {
		t.Fatal(text)
	}
	report, err := params.FromGenerationConfig([]byte(`{"do_sample": true, "top_k": 7, "num_beams": 4}`))
	must(t, err)
	if params.TopK != 7 || report.LeftOut != 1 || !strings.Contains(report.Message, "num_beams") {
		t.Fatal(params.TopK, report)
	}
	_, err = params.FromGenerationConfig([]byte("{\n  nothing"))
	equal(t, fails(t, gsample.Format, err).Line, 2)
	_, err = params.FromGGUFFile("/nowhere")
	fails(t, gsample.IO, err)
	_, err = params.FromGGUF([]byte("not a GGUF file at all, by any means"))
	fails(t, gsample.Format, err)
	params.TopP = -1
	_, err = gsample.New(&params)
	if err := fails(t, gsample.InvalidArgument, err); !strings.Contains(err.Error(), "top_p") {
		t.Fatal(err)
	}
}

func TestRows(t *testing.T) {
	view := gsample.F32(row)
	best, err := view.Best()
	must(t, err)
	masked, err := view.Masked([]uint32{0b1100}).Best()
	must(t, err)
	equal(t, []int32{best, masked}, []int32{1, 2})
	for _, bad := range []gsample.Row{view.Masked(nil), view.Masked([]uint32{1, 1}), gsample.F32(nil), {}} {
		_, err := bad.Best()
		fails(t, gsample.InvalidArgument, err)
		_, err = greedy(t).PickRow(bad)
		fails(t, gsample.InvalidArgument, err)
	}
	report, err := gsample.F16([]uint16{0x3c00, 0x4000}).Check()
	must(t, err)
	equal(t, report, gsample.RowReport{FirstBad: -1, Min: 1, Max: 2})
	items, err := view.Logprobs([]gsample.Token{2})
	must(t, err)
	choice, err := greedy(t).Choose(view, gsample.LogprobRaw, 9)
	must(t, err)
	if choice.Token != 1 || choice.Rank != 1 || len(choice.Top) != 4 || choice.Top[1] != items[0] {
		t.Fatal(choice, items)
	}
	_, err = view.Logprobs([]gsample.Token{4})
	fails(t, gsample.InvalidArgument, err)
}

// ---- Ownership

func TestUseAfterClose(t *testing.T) {
	sampler := greedy(t)
	must(t, sampler.Close())
	must(t, sampler.Close())
	dist, err := gsample.NewDist()
	must(t, err)
	_, pick := sampler.Pick(row)
	_, clone := sampler.Clone()
	_, save := sampler.Save()
	_, uniform := sampler.Uniform()
	for _, err := range []error{pick, clone, save, uniform, sampler.Constrain(even{}), sampler.Seed([]int32{1}), dist.FromRow(sampler, gsample.F32(row)),
		greedy(t).Assign(sampler)} {
		if err := fails(t, gsample.InvalidArgument, err); !strings.Contains(err.Error(), "closed") {
			t.Fatal(err)
		}
	}
	must(t, dist.Close())
	_, err = dist.Chance(1)
	fails(t, gsample.InvalidArgument, err)
	step, err := gsample.NewStep(1)
	must(t, err)
	_, err = step.Decide([]gsample.Sequence{{Sampler: sampler, Rows: gsample.F32Rows(row, 4)}}, nil)
	fails(t, gsample.InvalidArgument, err)
	must(t, step.Close())
	_, err = step.Decide(nil, nil)
	fails(t, gsample.InvalidArgument, err)
}

// nosy uses the sampler that asks.
type nosy struct {
	even
	sampler *gsample.Sampler
}

func (n nosy) Allows(gsample.Token) (bool, error) { return true, n.sampler.Close() }

func TestUseFromACallback(t *testing.T) {
	sampler := greedy(t)
	must(t, sampler.Constrain(nosy{sampler: sampler}))
	_, err := sampler.Pick(row)
	if err := fails(t, gsample.InvalidArgument, err); !strings.Contains(err.Error(), "in use") {
		t.Fatal(err)
	}
	must(t, sampler.Constrain(nil))
	picks(t, sampler, 1)
}

func TestCollectionFrees(t *testing.T) {
	var freed atomic.Bool
	func() {
		params, _ := gsample.Preset("greedy")
		sampler, err := gsample.New(&params)
		must(t, err)
		constraint := &even{accepted: new(int)}
		runtime.SetFinalizer(constraint, func(*even) { freed.Store(true) })
		must(t, sampler.Constrain(constraint))
	}()
	for i := 0; i < 100 && !freed.Load(); i++ { // the sampler's finalizer first, then the constraint's
		runtime.GC()
		time.Sleep(time.Millisecond)
	}
	if !freed.Load() {
		t.Fatal("the constraint lives on")
	}
}

// ---- Callbacks

type even struct{ accepted *int }

func (e even) Allows(token gsample.Token) (bool, error) { return token%2 == 0, nil }
func (e even) Accept(gsample.Token) error               { *e.accepted++; return nil }
func (e even) Clone() (gsample.Constraint, error)       { return e, nil }
func (e even) CanStop() (bool, error)                   { return true, nil }
func (e even) FirstByte(token gsample.Token) (byte, bool) {
	return byte(token), true
}
func (e even) FirstBytes(table *[256]byte) error {
	for i := range table {
		table[i] = 1
	}
	return nil
}
func (e even) Mask(words []uint32) error {
	for i := range words {
		words[i] = 0x55555555
	}
	return nil
}

func TestConstraints(t *testing.T) {
	accepted := 0
	for _, mode := range []int32{gsample.ConstraintLazy, gsample.ConstraintMaskFirst, gsample.ConstraintMaskLast} {
		params, _ := gsample.Preset("greedy")
		params.ConstraintMode = mode
		sampler, err := gsample.New(&params)
		must(t, err)
		must(t, sampler.Constrain(even{&accepted}, 1))
		picks(t, sampler, 1) // asleep until then
		clone, err := sampler.Clone()
		must(t, err)
		picks(t, sampler, 2)
		picks(t, clone, 2)
		fails(t, gsample.Refused, sampler.Accept(3))
		must(t, clone.Assign(sampler))
		must(t, sampler.Constrain(nil))
		picks(t, sampler, 1)
		picks(t, clone, 2)
	}
	equal(t, accepted, 9)
}

// broken fails as it is told.
type broken struct {
	err   error
	panic bool
}

func (b broken) Allows(gsample.Token) (bool, error) {
	if b.panic {
		panic("too bad")
	}
	return false, b.err
}
func (b broken) Accept(gsample.Token) error         { return nil }
func (b broken) Clone() (gsample.Constraint, error) { return nil, b.err }

func TestCallbacksThatFailOrPanic(t *testing.T) {
	cause := errors.New("my own")
	for _, c := range []struct {
		constraint broken
		status     gsample.Status
	}{{broken{err: cause}, gsample.Callback}, {broken{err: gsample.Limit}, gsample.Limit}, {broken{panic: true}, gsample.Callback}} {
		sampler := greedy(t)
		must(t, sampler.Constrain(c.constraint))
		_, err := sampler.Pick(row)
		fails(t, c.status, err)
		if c.constraint.err != nil && !errors.Is(err, c.constraint.err) || c.constraint.panic && !strings.Contains(err.Error(), "too bad") {
			t.Fatal(err)
		}
		if !c.constraint.panic {
			_, err = sampler.Clone()
			fails(t, c.status, err)
		}
		must(t, sampler.Constrain(nil))
		picks(t, sampler, 1)
	}
	sampler := greedy(t)
	must(t, sampler.Constrain(rule{2, 1}))
	_, err := sampler.Clone()
	fails(t, gsample.Unsupported, err)
	fails(t, gsample.InvalidArgument, sampler.Constrain(rule{2, 1}, -1))
}

func TestCustomStage(t *testing.T) {
	params := gsample.NewParams()
	must(t, params.Set("top_p", "1"))
	must(t, params.Set("top_k", "0"))
	must(t, params.SetOrder(gsample.StageCustom, gsample.StageTemperature))
	sampler, err := gsample.New(&params)
	must(t, err)
	must(t, sampler.SetCustom(gsample.StageFunc(func(tokens []gsample.Token, logits []float32) error {
		for i, token := range tokens {
			if token != 3 {
				logits[i] = float32(math.Inf(-1))
			}
		}
		return nil
	})))
	clone, err := sampler.Clone()
	must(t, err)
	picks(t, sampler, 3)
	picks(t, clone, 3)
	must(t, sampler.SetCustom(gsample.StageFunc(func([]gsample.Token, []float32) error { panic("too bad") })))
	_, err = sampler.Pick(row)
	fails(t, gsample.Callback, err)
	must(t, sampler.SetCustom(nil))
}

// ---- State, grammar, distribution

func TestState(t *testing.T) {
	sampler := plain(t)
	must(t, sampler.Reserve(4, 100))
	must(t, sampler.Seed([]gsample.Token{1, 2, 3}))
	clone, err := sampler.Clone()
	must(t, err)
	state, err := sampler.Save()
	must(t, err)
	loaded, err := gsample.Load(state)
	must(t, err)
	for i := 0; i < 20; i++ {
		token, err := sampler.Pick(row)
		must(t, err)
		picks(t, clone, token)
		picks(t, loaded, token)
	}
	must(t, sampler.RngSeed(math.MaxUint64))
	must(t, clone.Assign(sampler))
	a, _ := sampler.Uniform()
	b, _ := clone.Uniform()
	equal(t, a, b)
	must(t, sampler.Reset())
	params, _ := gsample.Preset("greedy")
	must(t, sampler.SetParams(&params))
	must(t, sampler.Stop([]gsample.Token{2}))
	must(t, sampler.DryBreaker([]gsample.Token{1, 2}))
	shaped, err := sampler.Shaped()
	must(t, err)
	equal(t, shaped, false)
	must(t, sampler.Bias(map[gsample.Token]float32{1: float32(math.Inf(-1))}))
	picks(t, sampler, 2)
	if n, err := sampler.Memory(); err != nil || n <= 0 {
		t.Fatal(n, err)
	}
	_, err = sampler.CandidatesNeeded()
	must(t, err)
	fails(t, gsample.InvalidArgument, sampler.Bias(map[gsample.Token]float32{-1: 1}))
	_, err = gsample.Load([]byte("nothing"))
	fails(t, gsample.Format, err)
}

func TestGrammar(t *testing.T) {
	kinds := []gsample.TokenKind{gsample.TokenText, gsample.TokenText, gsample.TokenText, gsample.TokenStop}
	vocab, err := gsample.NewVocab([][]byte{[]byte("a"), []byte("b"), []byte("c"), nil}, kinds, 0)
	must(t, err)
	must(t, vocab.SetStop([]gsample.Token{3}))
	second, err := vocab.Retain()
	must(t, err)
	text, err := second.Bytes(1)
	must(t, err)
	stops, err := second.Stops()
	must(t, err)
	equal(t, []any{string(text), stops}, []any{"b", []gsample.Token{3}})
	_, err = gsample.GrammarFromGBNF(vocab, "root ::=\n \"a", "")
	equal(t, fails(t, gsample.Syntax, err).Line, 2)
	grammar, err := gsample.GrammarFromGBNF(vocab, `start ::= "ab" "c"*`, "start")
	must(t, err)
	regex, err := gsample.GrammarFromRegex(vocab, "b+a")
	must(t, err)
	must(t, second.Close())
	must(t, vocab.Close())
	_, err = vocab.Stops()
	fails(t, gsample.InvalidArgument, err)
	_, err = gsample.GrammarFromRegex(vocab, "a")
	fails(t, gsample.InvalidArgument, err)
	again, err := grammar.Retain()
	must(t, err)
	must(t, again.Warm())
	must(t, again.Close())
	matcher, err := gsample.NewMatcher(regex)
	must(t, err)
	words := make([]uint32, 1)
	must(t, matcher.Mask(words))
	equal(t, words[0], uint32(0b10))
	must(t, matcher.Accept(1))
	clone, err := matcher.Clone()
	must(t, err)
	must(t, clone.Accept(0))
	if can, err := clone.CanStop(); !can || err != nil {
		t.Fatal(err)
	}
	fails(t, gsample.Refused, clone.Accept(1))
	if may, err := matcher.Allows(0); !may || err != nil {
		t.Fatal(err)
	}
	must(t, clone.Rollback(1))
	must(t, clone.Reset())
	fails(t, gsample.InvalidArgument, clone.Rollback(9))
	matcher, err = gsample.NewMatcher(grammar)
	must(t, err)
	sampler := greedy(t)
	must(t, sampler.ConstrainMatcher(matcher))
	fails(t, gsample.InvalidArgument, matcher.Reset()) // it is the sampler's
	picks(t, sampler, 0, 1, 2, 2)
	for _, read := range []func() (*gsample.Vocab, error){
		func() (*gsample.Vocab, error) { return gsample.VocabFromGGUF(nil, 0) },
		func() (*gsample.Vocab, error) { return gsample.VocabFromGGUFFile("/nowhere", 0) },
		func() (*gsample.Vocab, error) { return gsample.VocabFromTokenizerJSON([]byte("{"), 0) },
	} {
		if _, err := read(); err == nil {
			t.Fatal("read")
		}
	}
}

func TestDist(t *testing.T) {
	sampler := plain(t)
	p, err := gsample.NewDist()
	must(t, err)
	q, err := gsample.NewDist()
	must(t, err)
	must(t, p.FromRow(sampler, gsample.F32(row)))
	must(t, q.FromCandidates(sampler, []gsample.Token{3, 2, 1, 0}, []float32{0, 2, 3, 1}, 4, true))
	tokens, weights, err := p.Items()
	must(t, err)
	same, sameWeights, err := q.Items()
	must(t, err)
	equal(t, []any{tokens, weights}, []any{same, sameWeights})
	total, _ := p.Total()
	if chance, err := p.Chance(1); err != nil || math.Abs(chance-weights[0]/total) > 1e-12 {
		t.Fatal(chance, err)
	}
	clone, err := sampler.Clone()
	must(t, err)
	token, err := p.Draw(sampler)
	must(t, err)
	picks(t, clone, token)
	must(t, q.Set([]gsample.Token{1}, []float64{1}))
	rest, err := p.Residual(q)
	must(t, err)
	chance, err := rest.Chance(1)
	must(t, err)
	equal(t, chance, 0.0)
	fails(t, gsample.InvalidArgument, q.Set([]gsample.Token{1, 2}, []float64{1}))
}

// ---- The step

func TestStepOnGoroutines(t *testing.T) {
	const n, width = 16, 1000
	var got [2][][]gsample.Token
	for which, executor := range []gsample.Executor{nil, gsample.Goroutines(4)} {
		step, err := gsample.NewStep(4)
		must(t, err)
		for round := 0; round < 2; round++ {
			sequences := make([]gsample.Sequence, n)
			for i := range sequences {
				sequences[i] = gsample.Sequence{Sampler: plain(t), Rows: gsample.F32Rows(recipe("cubic", width, 3, uint64(i)), width)}
			}
			must(t, sequences[3].Sampler.Constrain(broken{panic: true})) // its failure is its own
			failed, err := step.Decide(sequences, executor)
			must(t, err)
			equal(t, failed, 1)
			fails(t, gsample.Callback, sequences[3].Err)
			for i := range sequences {
				got[which] = append(got[which], sequences[i].Tokens)
			}
		}
	}
	equal(t, got[0], got[1])
}

func TestStepThatIsWrong(t *testing.T) {
	step, err := gsample.NewStep(1)
	must(t, err)
	sampler := greedy(t)
	rows := gsample.F32Rows(row, 4)
	for _, sequences := range [][]gsample.Sequence{
		{{Rows: rows}}, {{Sampler: sampler, Rows: gsample.F32Rows(row, 3)}}, {{Sampler: sampler, Rows: rows, Drafts: []gsample.Token{1}}},
		{{Sampler: sampler, Rows: rows}, {Sampler: sampler, Rows: rows}}, {{Sampler: sampler, Rows: rows, Masks: []uint32{1, 1}}},
		{{Sampler: sampler, Rows: rows, DraftDists: []*gsample.Dist{nil}}},
	} {
		_, err := step.Decide(sequences, nil)
		fails(t, gsample.InvalidArgument, err)
	}
	_, err = step.Decide([]gsample.Sequence{{Sampler: sampler, Rows: rows}}, gsample.Goroutines(2)) // fewer slots than workers
	fails(t, gsample.InvalidArgument, err)
	_, err = gsample.NewStep(0)
	fails(t, gsample.InvalidArgument, err)
	picks(t, sampler, 1) // and the sampler is free again
}

type panics struct{}

func (panics) Workers() int                         { return 1 }
func (panics) ParallelFor(int, func(worker, i int)) { panic("no threads") }

func TestExecutorThatPanics(t *testing.T) {
	step, err := gsample.NewStep(1)
	must(t, err)
	sequences := []gsample.Sequence{{Sampler: greedy(t), Rows: gsample.F32Rows(row, 4)}}
	if _, err = step.Decide(sequences, panics{}); err == nil {
		err = sequences[0].Err
	}
	if err := fails(t, gsample.Callback, err); !strings.Contains(err.Error(), "no threads") {
		t.Fatal(err)
	}
}

func TestDrafts(t *testing.T) {
	var logits []float32
	var expected []gsample.Token
	one := plain(t)
	for i := uint64(0); i < 3; i++ {
		logits = append(logits, recipe("cubic", 1000, 9, i)...)
		token, err := one.Pick(logits[1000*i:])
		must(t, err)
		expected = append(expected, token)
	}
	dist, err := gsample.NewDist()
	must(t, err)
	third := plain(t)
	must(t, dist.FromRow(third, gsample.F32(logits[:1000])))
	sure, _, err := dist.Items()
	must(t, err)
	mask := make([]uint32, 64)
	for i := range mask {
		mask[i] = math.MaxUint32
	}
	rows := gsample.F32Rows(logits, 1000)
	sequences := []gsample.Sequence{
		{Sampler: plain(t), Rows: rows, Drafts: expected[:2], Logprobs: gsample.LogprobRaw, NTop: 2},
		{Sampler: plain(t), Rows: rows, Drafts: []gsample.Token{expected[0], expected[1] + 1}},
		{Sampler: third, Rows: gsample.F32Rows(logits[:2000], 1000), Drafts: sure[:1], DraftDists: []*gsample.Dist{dist}, Masks: mask},
		{Sampler: plain(t)}, // nothing is wanted
	}
	step, err := gsample.NewStep(1)
	must(t, err)
	failed, err := step.Decide(sequences, nil)
	must(t, err)
	equal(t, failed, 0)
	equal(t, []any{sequences[0].Tokens, sequences[1].Tokens, sequences[2].Tokens[0], len(sequences[3].Tokens)}, []any{expected, expected[:2], sure[0], 0})
	for i, choice := range sequences[0].Choices {
		if choice.Token != expected[i] || len(choice.Top) != 2 {
			t.Fatal(choice)
		}
	}
	equal(t, len(sequences[0].Choices), 3)
}

// ---- Speed

func TestCallCost(t *testing.T) {
	c, sampler := craw.New(), greedy(t)
	defer c.Close()
	best := [2]float64{math.Inf(1), math.Inf(1)}
	const n = 500
	for round := 0; round < 300; round++ {
		must(t, sampler.Reset())
		start := time.Now()
		if c.Picks(row, n) != n {
			t.Fatal("picked another token")
		}
		middle := time.Now()
		for i := 0; i < n; i++ {
			if token, err := sampler.Pick(row); token != 1 || err != nil {
				t.Fatal(token, err)
			}
		}
		best[0] = min(best[0], float64(middle.Sub(start).Nanoseconds())/n)
		best[1] = min(best[1], float64(time.Since(middle).Nanoseconds())/n)
	}
	fmt.Printf("go: a pick from 4 logits takes %.0f ns in C and %.0f ns here\n", best[0], best[1])
	if best[1]-best[0] > 200 {
		t.Fatal("a call costs more than 200 ns")
	}
}

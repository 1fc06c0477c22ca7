package gsample

// #include "shim.h"
// #include <stdlib.h>
import "C"

import (
	"runtime"
	"unsafe"
)

// TokenKind is what a token of a vocabulary is.
type TokenKind uint8

const (
	TokenText    TokenKind = C.GSAMPLE_TOKEN_TEXT
	TokenControl TokenKind = C.GSAMPLE_TOKEN_CONTROL
	TokenStop    TokenKind = C.GSAMPLE_TOKEN_STOP
	TokenUnused  TokenKind = C.GSAMPLE_TOKEN_UNUSED
)

// Vocab is the bytes of every token, for all goroutines at once.
type Vocab struct{ shared }

// NewVocab makes one from the tokens' bytes. kinds nil: all text; nVocab: the width of the rows, 0 = as many as there are tokens.
func NewVocab(tokens [][]byte, kinds []TokenKind, nVocab uint32) (*Vocab, error) {
	if kinds != nil && len(kinds) != len(tokens) {
		return nil, invalid("%d kinds for %d tokens", len(kinds), len(tokens))
	}
	if nVocab == 0 {
		nVocab = uint32(len(tokens))
	}
	var bytes []byte
	offsets := make([]uint64, 1, len(tokens)+1)
	for _, token := range tokens {
		bytes = append(bytes, token...)
		offsets = append(offsets, uint64(len(bytes)))
	}
	return newVocab(func(out **C.gsample_vocab, e *C.gsample_error) C.int32_t {
		return C.gsample_go_vocab_new(C.uint32_t(nVocab), C.uint32_t(len(tokens)), (*C.uint8_t)(first(append(bytes, 0))),
			(*C.uint64_t)(first(offsets)), (*C.uint8_t)(first(kinds)), out, e)
	})
}

// VocabFromGGUF reads the beginning of a GGUF file.
func VocabFromGGUF(data []byte, nVocab uint32) (*Vocab, error) {
	return newVocab(func(out **C.gsample_vocab, e *C.gsample_error) C.int32_t {
		return C.gsample_vocab_from_gguf(first(data), C.size_t(len(data)), C.uint32_t(nVocab), out, e)
	})
}

func VocabFromGGUFFile(path string, nVocab uint32) (*Vocab, error) {
	text := C.CString(path)
	defer C.free(unsafe.Pointer(text))
	return newVocab(func(out **C.gsample_vocab, e *C.gsample_error) C.int32_t {
		return C.gsample_vocab_from_gguf_file(text, C.uint32_t(nVocab), out, e)
	})
}

// VocabFromTokenizerJSON reads the text of a Hugging Face tokenizer.json.
func VocabFromTokenizerJSON(json []byte, nVocab uint32) (*Vocab, error) {
	return newVocab(func(out **C.gsample_vocab, e *C.gsample_error) C.int32_t {
		return C.gsample_vocab_from_tokenizer_json((*C.char)(first(json)), C.size_t(len(json)), C.uint32_t(nVocab), out, e)
	})
}

func newVocab(call func(**C.gsample_vocab, *C.gsample_error) C.int32_t) (*Vocab, error) {
	var handle *C.gsample_vocab
	w := newWords()
	if err := w.check(call(&handle, &w.raw)); err != nil {
		return nil, err
	}
	return adoptVocab(handle), nil
}

func adoptVocab(handle *C.gsample_vocab) *Vocab {
	v := &Vocab{shared{handle: unsafe.Pointer(handle)}}
	runtime.SetFinalizer(v, (*Vocab).Close)
	return v
}

// Close gives the reference back; grammars hold their own. A second Close does nothing.
func (v *Vocab) Close() error {
	C.gsample_vocab_free((*C.gsample_vocab)(v.end()))
	return nil
}

func (v *Vocab) raw() *C.gsample_vocab { return (*C.gsample_vocab)(v.handle) }

// Retain gives another reference, with a Close of its own.
func (v *Vocab) Retain() (*Vocab, error) {
	if err := v.enter(); err != nil {
		return nil, err
	}
	defer v.leave()
	return adoptVocab(C.gsample_vocab_retain(v.raw())), nil
}

// SetStop makes these the stop tokens and no others. Before the first grammar and before another goroutine has the vocabulary.
func (v *Vocab) SetStop(tokens []Token) error {
	if err := v.enter(); err != nil {
		return err
	}
	defer v.leave()
	return check(C.gsample_vocab_set_stop(v.raw(), (*C.int32_t)(first(tokens)), C.size_t(len(tokens))))
}

// Bytes copies the bytes of a token.
func (v *Vocab) Bytes(token Token) ([]byte, error) {
	if err := v.enter(); err != nil {
		return nil, err
	}
	defer v.leave()
	var bytes *C.uint8_t
	var n C.size_t
	if err := check(C.gsample_vocab_bytes(v.raw(), C.int32_t(token), &bytes, &n)); err != nil {
		return nil, err
	}
	return C.GoBytes(unsafe.Pointer(bytes), C.int(n)), nil
}

// Stops gives the stop tokens, ascending.
func (v *Vocab) Stops() ([]Token, error) {
	if err := v.enter(); err != nil {
		return nil, err
	}
	defer v.leave()
	n := C.gsample_vocab_stops(v.raw(), nil, 0)
	tokens := make([]Token, max(n, 0))
	if n > 0 {
		n = C.gsample_vocab_stops(v.raw(), (*C.int32_t)(first(tokens)), C.size_t(n))
	}
	return tokens, check(C.int32_t(min(n, 0)))
}

// Grammar is a compiled grammar bound to a vocabulary, for all goroutines at once.
type Grammar struct{ shared }

// GrammarFromGBNF compiles GBNF. root is the rule to start with, "" = "root".
func GrammarFromGBNF(vocab *Vocab, text, root string) (*Grammar, error) {
	if root == "" {
		root = "root"
	}
	rule := C.CString(root)
	defer C.free(unsafe.Pointer(rule))
	return newGrammar(vocab, text, func(v *C.gsample_vocab, t *C.char, n C.size_t, out **C.gsample_grammar, e *C.gsample_error) C.int32_t {
		return C.gsample_grammar_from_gbnf(v, t, n, rule, out, e)
	})
}

// GrammarFromRegex compiles an ECMA-262 expression that the whole text must match.
func GrammarFromRegex(vocab *Vocab, text string) (*Grammar, error) {
	return newGrammar(vocab, text, func(v *C.gsample_vocab, t *C.char, n C.size_t, out **C.gsample_grammar, e *C.gsample_error) C.int32_t {
		return C.gsample_grammar_from_regex(v, t, n, out, e)
	})
}

func newGrammar(vocab *Vocab, text string,
	call func(*C.gsample_vocab, *C.char, C.size_t, **C.gsample_grammar, *C.gsample_error) C.int32_t) (*Grammar, error) {
	if err := vocab.enter(); err != nil {
		return nil, err
	}
	defer vocab.leave()
	var handle *C.gsample_grammar
	w, t := newWords(), append([]byte(text), 0)
	if err := w.check(call(vocab.raw(), (*C.char)(first(t)), C.size_t(len(text)), &handle, &w.raw)); err != nil {
		return nil, err
	}
	return adoptGrammar(handle), nil
}

func adoptGrammar(handle *C.gsample_grammar) *Grammar {
	g := &Grammar{shared{handle: unsafe.Pointer(handle)}}
	runtime.SetFinalizer(g, (*Grammar).Close)
	return g
}

// Close gives the reference back; matchers hold their own. A second Close does nothing.
func (g *Grammar) Close() error {
	C.gsample_grammar_free((*C.gsample_grammar)(g.end()))
	return nil
}

func (g *Grammar) raw() *C.gsample_grammar { return (*C.gsample_grammar)(g.handle) }

// Retain gives another reference, with a Close of its own.
func (g *Grammar) Retain() (*Grammar, error) {
	if err := g.enter(); err != nil {
		return nil, err
	}
	defer g.leave()
	return adoptGrammar(C.gsample_grammar_retain(g.raw())), nil
}

// Warm builds ahead what a first mask would build.
func (g *Grammar) Warm() error {
	if err := g.enter(); err != nil {
		return err
	}
	defer g.leave()
	return check(C.gsample_grammar_warm(g.raw()))
}

// Matcher is where one sequence stands in a grammar; Sampler.ConstrainMatcher takes it over. For one goroutine at a time.
type Matcher struct{ owner }

func NewMatcher(grammar *Grammar) (*Matcher, error) {
	if err := grammar.enter(); err != nil {
		return nil, err
	}
	defer grammar.leave()
	var handle *C.gsample_matcher
	err := check(C.gsample_matcher_new(grammar.raw(), &handle))
	return adoptMatcher(handle), err
}

func adoptMatcher(handle *C.gsample_matcher) *Matcher {
	if handle == nil {
		return nil
	}
	m := &Matcher{owner{handle: unsafe.Pointer(handle)}}
	runtime.SetFinalizer(m, (*Matcher).Close)
	return m
}

// Close frees the matcher. A second Close does nothing.
func (m *Matcher) Close() error {
	handle, err := m.end()
	C.gsample_matcher_free((*C.gsample_matcher)(handle))
	return err
}

func (m *Matcher) raw() *C.gsample_matcher { return (*C.gsample_matcher)(m.handle) }

func (m *Matcher) number(call func(*C.gsample_matcher) C.int32_t) (C.int32_t, error) {
	if err := m.enter(); err != nil {
		return 0, err
	}
	defer m.leave()
	result := call(m.raw())
	return result, check(result)
}

// Clone makes another matcher at the same place.
func (m *Matcher) Clone() (*Matcher, error) {
	var handle *C.gsample_matcher
	_, err := m.number(func(raw *C.gsample_matcher) C.int32_t { return C.gsample_matcher_clone(raw, &handle) })
	return adoptMatcher(handle), err
}

// Reset goes back to the start.
func (m *Matcher) Reset() error {
	_, err := m.number(func(raw *C.gsample_matcher) C.int32_t { return C.gsample_matcher_reset(raw) })
	return err
}

func (m *Matcher) Allows(token Token) (bool, error) {
	n, err := m.number(func(raw *C.gsample_matcher) C.int32_t { return C.gsample_matcher_allows(raw, C.int32_t(token)) })
	return n > 0, err
}

// CanStop says whether the text may end here.
func (m *Matcher) CanStop() (bool, error) {
	n, err := m.number(func(raw *C.gsample_matcher) C.int32_t { return C.gsample_matcher_can_stop(raw) })
	return n > 0, err
}

func (m *Matcher) Accept(token Token) error {
	_, err := m.number(func(raw *C.gsample_matcher) C.int32_t { return C.gsample_matcher_accept(raw, C.int32_t(token)) })
	return err
}

// Rollback takes back the last n accepted tokens.
func (m *Matcher) Rollback(n int) error {
	if n < 0 {
		return invalid("n is %d", n)
	}
	_, err := m.number(func(raw *C.gsample_matcher) C.int32_t { return C.gsample_matcher_rollback(raw, C.size_t(n)) })
	return err
}

// Mask writes what is allowed, a bit a token, into exactly (n_vocab + 31) / 32 words.
func (m *Matcher) Mask(words []uint32) error {
	_, err := m.number(func(raw *C.gsample_matcher) C.int32_t {
		return C.gsample_matcher_mask(raw, (*C.uint32_t)(first(words)), C.size_t(len(words)))
	})
	return err
}

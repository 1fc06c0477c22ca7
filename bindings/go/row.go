package gsample

// #include "shim.h"
import "C"

import (
	"math"
	"unsafe"
)

// LogprobMode says of which distribution a logprob speaks.
type LogprobMode uint32

const (
	LogprobNone      LogprobMode = C.GSAMPLE_LOGPROB_NONE
	LogprobRaw       LogprobMode = C.GSAMPLE_LOGPROB_RAW
	LogprobRawLogit  LogprobMode = C.GSAMPLE_LOGPROB_RAW_LOGIT
	LogprobProcessed LogprobMode = C.GSAMPLE_LOGPROB_PROCESSED
)

// Logprob is a token's logprob (or logit) and its rank, from 1.
type Logprob struct {
	Logprob float64
	Token   Token
	Rank    int32
}

// Choice is a token that was picked, with its logprob and the most likely ones.
type Choice struct {
	Token   Token
	Rank    int32
	Logprob float64
	Top     []Logprob
}

// RowReport is what Row.Check found among the tokens that the mask allows.
type RowReport struct {
	NaN, PosInf, NegInf int
	FirstBad            Token // the lowest that holds NaN or +Inf, or -1
	Min, Max            float32
}

// Row is a view of a row of logits. F32, F16 and BF16 make one.
type Row struct {
	dtype  C.uint32_t
	nVocab int
	logits unsafe.Pointer
	mask   []uint32
	masked bool
}

func F32(logits []float32) Row {
	return Row{dtype: C.GSAMPLE_F32, nVocab: len(logits), logits: first(logits)}
}

// F16 takes halves of IEEE 754 as their bits.
func F16(logits []uint16) Row {
	return Row{dtype: C.GSAMPLE_F16, nVocab: len(logits), logits: first(logits)}
}

// BF16 takes bfloat16 as their bits.
func BF16(logits []uint16) Row {
	return Row{dtype: C.GSAMPLE_BF16, nVocab: len(logits), logits: first(logits)}
}

// Masked is the same row with only those tokens whose bit is set; (n + 31) / 32 words, else every call refuses it.
func (r Row) Masked(words []uint32) Row {
	r.mask, r.masked = words, true
	return r
}

func maskWords(nVocab int) int { return (nVocab + 31) / 32 }

func (r *Row) check() error {
	if r.nVocab < 1 || r.nVocab > math.MaxInt32 {
		return invalid("a row has %d logits, not 1 .. %d", r.nVocab, math.MaxInt32)
	}
	if r.masked && len(r.mask) != maskWords(r.nVocab) {
		return invalid("a mask has %d words, not %d", len(r.mask), maskWords(r.nVocab))
	}
	return nil
}

func (r *Row) words() *C.uint32_t { return (*C.uint32_t)(first(r.mask)) }

// Best gives the first token in the order of tokens: an argmax without a sampler.
func (r Row) Best() (Token, error) {
	if err := r.check(); err != nil {
		return 0, err
	}
	result := C.gsample_go_best(r.dtype, C.uint32_t(r.nVocab), r.logits, r.words())
	return Token(result), check(result)
}

// Check counts what is not a finite number.
func (r Row) Check() (RowReport, error) {
	if err := r.check(); err != nil {
		return RowReport{}, err
	}
	raw := new(C.gsample_row_report)
	if err := check(C.gsample_go_row_check(r.dtype, C.uint32_t(r.nVocab), r.logits, r.words(), raw)); err != nil {
		return RowReport{}, err
	}
	return RowReport{int(raw.n_nan), int(raw.n_pos_inf), int(raw.n_neg_inf), Token(raw.first_bad), float32(raw.min), float32(raw.max)}, nil
}

// Logprobs gives logprob and rank of any tokens.
func (r Row) Logprobs(tokens []Token) ([]Logprob, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	items := make([]Logprob, len(tokens))
	for i, token := range tokens {
		items[i].Token = token
	}
	err := check(C.gsample_go_logprobs(r.dtype, C.uint32_t(r.nVocab), r.logits, r.words(),
		(*C.gsample_logprob)(first(items)), C.size_t(len(items))))
	return items, err
}

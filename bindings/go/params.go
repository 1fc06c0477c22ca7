package gsample

// #include <gsample/gsample.h>
// #include <stdlib.h>
import "C"

import "unsafe"

// Stage is a step of the chain, for Params.Order.
type Stage int32

const (
	StagePenalties   Stage = C.GSAMPLE_STAGE_PENALTIES
	StageDry         Stage = C.GSAMPLE_STAGE_DRY
	StageTopNSigma   Stage = C.GSAMPLE_STAGE_TOP_N_SIGMA
	StageTopK        Stage = C.GSAMPLE_STAGE_TOP_K
	StageTypicalP    Stage = C.GSAMPLE_STAGE_TYPICAL_P
	StageTopP        Stage = C.GSAMPLE_STAGE_TOP_P
	StageMinP        Stage = C.GSAMPLE_STAGE_MIN_P
	StageXtc         Stage = C.GSAMPLE_STAGE_XTC
	StageTemperature Stage = C.GSAMPLE_STAGE_TEMPERATURE
	StageMirostat    Stage = C.GSAMPLE_STAGE_MIROSTAT
	StageAdaptiveP   Stage = C.GSAMPLE_STAGE_ADAPTIVE_P
	StageCustom      Stage = C.GSAMPLE_STAGE_CUSTOM
)

// Values of Params.PenaltyStyle, Params.NanPolicy and Params.ConstraintMode.
const (
	PenaltyWindow       int32 = C.GSAMPLE_PENALTY_WINDOW
	PenaltyAnswer       int32 = C.GSAMPLE_PENALTY_ANSWER
	NanError            int32 = C.GSAMPLE_NAN_ERROR
	NanBanned           int32 = C.GSAMPLE_NAN_BANNED
	ConstraintLazy      int32 = C.GSAMPLE_CONSTRAINT_LAZY
	ConstraintMaskFirst int32 = C.GSAMPLE_CONSTRAINT_MASK_FIRST
	ConstraintMaskLast  int32 = C.GSAMPLE_CONSTRAINT_MASK_LAST
)

// Params is what a sampler is made of: gsample_params, field by field. NewParams gives the defaults.
type Params struct {
	size             uint32
	TopK             int32
	Seed             uint64
	Temperature      float32
	TopP             float32
	MinP             float32
	TypicalP         float32
	TopNSigma        float32
	XtcProbability   float32
	XtcThreshold     float32
	DynatempRange    float32
	DynatempExponent float32
	MirostatTau      float32
	MirostatEta      float32
	AdaptiveTarget   float32
	AdaptiveDecay    float32
	PenaltyRepeat    float32
	PenaltyFreq      float32
	PenaltyPresent   float32
	DryMultiplier    float32
	DryBase          float32
	Mirostat         int32
	PenaltyStyle     int32
	PenaltyLastN     int32
	DryAllowedLength int32
	DryLastN         int32
	MinKeep          int32
	NanPolicy        int32
	ConstraintMode   int32
	Order            [32]Stage
}

// The memory of a Params is that of a gsample_params: two arrays that are of one type only where the sizes are equal. Where each field
// lies, a test compares.
var _ = [unsafe.Sizeof(Params{})]byte{} == [unsafe.Sizeof(C.gsample_params{})]byte{}

func (p *Params) raw() *C.gsample_params { return (*C.gsample_params)(unsafe.Pointer(p)) }

// Report tells how many settings of a file were not honoured, and names them.
type Report struct {
	LeftOut int
	Message string
}

// NewParams gives the defaults.
func NewParams() Params {
	p := Params{size: uint32(unsafe.Sizeof(Params{}))}
	C.gsample_params_init(p.raw())
	return p
}

// Preset gives the defaults of another system: "llama.cpp", "vllm", "hf", "ollama", "openai", "golem", or "greedy".
func Preset(name string) (Params, error) {
	p, w, text := NewParams(), newWords(), C.CString(name)
	defer C.free(unsafe.Pointer(text))
	err := w.check(C.gsample_params_preset(p.raw(), text, &w.raw))
	return p, err
}

// Set sets one parameter by its name, here or in other systems.
func (p *Params) Set(key, value string) error {
	w, k, v := newWords(), C.CString(key), C.CString(value)
	defer C.free(unsafe.Pointer(k))
	defer C.free(unsafe.Pointer(v))
	return w.check(C.gsample_params_set(p.raw(), k, v, &w.raw))
}

// SetOrder sets the stages of a pick.
func (p *Params) SetOrder(stages ...Stage) error {
	if len(stages) > len(p.Order) {
		return invalid("%d stages, at most %d", len(stages), len(p.Order))
	}
	p.Order = [32]Stage{}
	copy(p.Order[:], stages)
	return nil
}

// Describe gives all parameters as one line of key=value.
func (p *Params) Describe() (string, error) {
	text, err := fetch(func(out unsafe.Pointer, n C.size_t) C.int64_t {
		return C.gsample_params_describe(p.raw(), (*C.char)(out), n)
	})
	if err != nil {
		return "", err
	}
	return string(text[:len(text)-1]), nil
}

// FromGGUF takes what a model recommends, from the beginning of its file.
func (p *Params) FromGGUF(data []byte) (Report, error) {
	w := newWords()
	return w.report(C.gsample_params_from_gguf(p.raw(), first(data), C.size_t(len(data)), &w.raw))
}

func (p *Params) FromGGUFFile(path string) (Report, error) {
	w, text := newWords(), C.CString(path)
	defer C.free(unsafe.Pointer(text))
	return w.report(C.gsample_params_from_gguf_file(p.raw(), text, &w.raw))
}

// FromGenerationConfig takes what the text of a generation_config.json says.
func (p *Params) FromGenerationConfig(json []byte) (Report, error) {
	w := newWords()
	return w.report(C.gsample_params_from_generation_config(p.raw(), (*C.char)(first(json)), C.size_t(len(json)), &w.raw))
}

func (w *words) report(result C.int32_t) (Report, error) {
	if err := w.check(result); err != nil {
		return Report{}, err
	}
	return Report{LeftOut: int(result), Message: w.text()}, nil
}

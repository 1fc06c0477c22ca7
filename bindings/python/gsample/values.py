"""Plain values: the constants of gsample.h as enumerations, parameters, rows, and what a pick tells."""
import ctypes
import os
from enum import IntEnum
from typing import Any, Iterable, List, NamedTuple, Optional, Union

from . import _buffers, _raw as raw
from ._library import Error, Words, fetch, lib


class Stage(IntEnum):
    PENALTIES = raw.GSAMPLE_STAGE_PENALTIES
    DRY = raw.GSAMPLE_STAGE_DRY
    TOP_N_SIGMA = raw.GSAMPLE_STAGE_TOP_N_SIGMA
    TOP_K = raw.GSAMPLE_STAGE_TOP_K
    TYPICAL_P = raw.GSAMPLE_STAGE_TYPICAL_P
    TOP_P = raw.GSAMPLE_STAGE_TOP_P
    MIN_P = raw.GSAMPLE_STAGE_MIN_P
    XTC = raw.GSAMPLE_STAGE_XTC
    TEMPERATURE = raw.GSAMPLE_STAGE_TEMPERATURE
    MIROSTAT = raw.GSAMPLE_STAGE_MIROSTAT
    ADAPTIVE_P = raw.GSAMPLE_STAGE_ADAPTIVE_P
    CUSTOM = raw.GSAMPLE_STAGE_CUSTOM


class PenaltyStyle(IntEnum):
    WINDOW = raw.GSAMPLE_PENALTY_WINDOW
    ANSWER = raw.GSAMPLE_PENALTY_ANSWER


class NanPolicy(IntEnum):
    ERROR = raw.GSAMPLE_NAN_ERROR
    BANNED = raw.GSAMPLE_NAN_BANNED


class ConstraintMode(IntEnum):
    LAZY = raw.GSAMPLE_CONSTRAINT_LAZY
    MASK_FIRST = raw.GSAMPLE_CONSTRAINT_MASK_FIRST
    MASK_LAST = raw.GSAMPLE_CONSTRAINT_MASK_LAST


class Dtype(IntEnum):
    F32 = raw.GSAMPLE_F32
    F16 = raw.GSAMPLE_F16
    BF16 = raw.GSAMPLE_BF16


class LogprobMode(IntEnum):
    NONE = raw.GSAMPLE_LOGPROB_NONE
    RAW = raw.GSAMPLE_LOGPROB_RAW
    RAW_LOGIT = raw.GSAMPLE_LOGPROB_RAW_LOGIT
    PROCESSED = raw.GSAMPLE_LOGPROB_PROCESSED


class TokenKind(IntEnum):
    TEXT = raw.GSAMPLE_TOKEN_TEXT
    CONTROL = raw.GSAMPLE_TOKEN_CONTROL
    STOP = raw.GSAMPLE_TOKEN_STOP
    UNUSED = raw.GSAMPLE_TOKEN_UNUSED


class Report(NamedTuple):
    """How many settings of a file were not honoured, and a sentence that names them."""
    left_out: int
    message: str


class Params(raw.gsample_params):
    """What a sampler is made of: Params(temperature=0.8, top_k=40), or any field of gsample_params later. `order` is a list of Stage."""

    def __init__(self, **fields: Any):
        super().__init__()
        raw.gsample_params.size.__set__(self, ctypes.sizeof(raw.gsample_params))
        lib.gsample_params_init(ctypes.byref(self))
        for name, value in fields.items():
            setattr(self, name, value)

    @classmethod
    def preset(cls, name: str) -> 'Params':
        """The defaults of another system: "llama.cpp", "vllm", "hf", "ollama", "openai", "golem", or "greedy"."""
        params, words = cls(), Words()
        words.check(lib.gsample_params_preset(ctypes.byref(params), name.encode(), ctypes.byref(words)))
        return params

    @property  # type: ignore[override]
    def order(self) -> List[Stage]:
        stages = list(raw.gsample_params.order.__get__(self))
        return [Stage(stage) for stage in stages[:stages.index(0) if 0 in stages else None]]

    def __setattr__(self, name: str, value: Any) -> None:
        if name == 'order':
            if len(value) > 32:
                raise ValueError('an order has at most 32 stages')
            raw.gsample_params.order.__set__(self, (ctypes.c_int32 * 32)(*value))
        elif name in _FIELDS:
            super().__setattr__(name, value)
            if isinstance(value, int) and not isinstance(getattr(self, name), float) and getattr(self, name) != value:
                raise OverflowError('%s = %d' % (name, value))
        else:
            raise AttributeError('there is no parameter %s' % name)

    def set(self, key: str, value: Any) -> None:
        """One parameter by its name here or in other systems ("repetition_penalty", "do_sample" ...), the value as text."""
        words = Words()
        words.check(lib.gsample_params_set(ctypes.byref(self), key.encode(), str(value).encode(), ctypes.byref(words)))

    def describe(self) -> str:
        """All parameters as one line of key=value, which set() reads back."""
        return fetch(lambda text, n: lib.gsample_params_describe(ctypes.byref(self), text, n))[:-1].decode()

    __str__ = describe

    def copy(self) -> 'Params':
        return type(self).from_buffer_copy(self)

    def from_gguf(self, data: Any) -> Report:
        """Takes what a model recommends, from the beginning of its GGUF file."""
        view = _buffers.View(data)
        n = view.shape[0] if view.shape else 0
        return self._read(lib.gsample_params_from_gguf, view.address, n)

    def from_gguf_file(self, path: Union[str, 'os.PathLike[str]']) -> Report:
        return self._read(lib.gsample_params_from_gguf_file, os.fsencode(path))

    def from_generation_config(self, json: Union[str, bytes]) -> Report:
        """Takes what the text of a generation_config.json says."""
        data = json.encode() if isinstance(json, str) else bytes(json)
        return self._read(lib.gsample_params_from_generation_config, data, len(data))

    def _read(self, function: Any, *source: Any) -> Report:
        words = Words()
        left_out = words.check(function(ctypes.byref(self), *source, ctypes.byref(words)))
        return Report(left_out, words.text)


_FIELDS = frozenset(field[0] for field in raw.gsample_params._fields_) - {'size'}


class RowReport(NamedTuple):
    """What Row.check found among the tokens that the mask allows, see gsample_row_report."""
    n_nan: int
    n_pos_inf: int
    n_neg_inf: int
    first_bad: int
    min: float
    max: float


class Logprob(NamedTuple):
    token: int
    logprob: float
    rank: int


class Choice(NamedTuple):
    """A token that was picked, with its logprob and the most likely ones."""
    token: int
    logprob: float
    rank: int
    top: List[Logprob]


class Row:
    """A view of one row of logits, 1-D, of f32, f16 or bf16. It shows what the memory holds at the time of each call, so one Row does for a
    buffer that is filled anew for every token. `dtype` says what 16-bit integers are; `mask` is words of 32 bits."""

    __slots__ = ('raw', '_views')

    def __init__(self, logits: Any, mask: Any = None, dtype: Optional[Dtype] = None):
        view, code = _buffers.logits(logits, dtype)
        if len(view.shape) != 1:
            raise ValueError('a row has one dimension, not %d' % len(view.shape))
        words = _buffers.mask_words(mask, view.shape[0]) if mask is not None else None
        self.raw = raw.gsample_row(ctypes.sizeof(raw.gsample_row), code, min(view.shape[0], 0xffffffff), 0, view.address,
                                   words.address if words else None)
        self._views = (view, words)

    def best(self) -> int:
        """The first token in the order of tokens: an argmax without a sampler."""
        return _checked(lib.gsample_best(ctypes.byref(self.raw)))

    def check(self) -> RowReport:
        report = raw.gsample_row_report(ctypes.sizeof(raw.gsample_row_report))
        _checked(lib.gsample_row_check(ctypes.byref(self.raw), ctypes.byref(report)))
        return RowReport(*(getattr(report, name) for name in RowReport._fields))

    def logprobs(self, tokens: Iterable[int]) -> List[Logprob]:
        wanted = _buffers.numbers('i', tokens)
        items: Any = (raw.gsample_logprob * len(wanted))()
        for item, token in zip(items, wanted):
            item.token = token
        _checked(lib.gsample_logprobs(ctypes.byref(self.raw), items, len(wanted)))
        return logprobs_of(items)


def _checked(result: int) -> int:
    if result < 0:
        raise Error(result)
    return result


def row_of(logits: Any, mask: Any = None, dtype: Optional[Dtype] = None) -> Row:
    if isinstance(logits, Row):
        if mask is not None or dtype is not None:
            raise TypeError('give mask and dtype to the Row')
        return logits
    return Row(logits, mask, dtype)


def logprobs_of(items: Any) -> List[Logprob]:
    return [Logprob(item.token, item.logprob, item.rank) for item in items]

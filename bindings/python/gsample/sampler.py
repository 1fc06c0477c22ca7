"""The sampler, and distributions."""
import ctypes
from typing import Any, Iterable, List, Mapping, Optional, Union

from . import _raw as raw, callbacks
from ._buffers import address, numbers
from ._library import Error, Owner, Status, Words, failure, fetch, lib
from .grammar import Matcher
from .values import Choice, Dtype, LogprobMode, Params, Row, logprobs_of, row_of


class Sampler(Owner):
    """One sequence's parameters, generator, history and constraint. Sampler(Params(...)), or Sampler(temperature=0.8, seed=1). Ends by
    close(), at the end of a `with`, or when it is collected. For one thread at a time."""

    __slots__ = ('_mail',)

    def __init__(self, params: Optional[Params] = None, **fields: Any):
        if params is not None and fields:
            raise TypeError('give Params or fields, not both')
        words, handle = Words(), ctypes.c_void_p()
        params = Params(**fields) if params is None else params
        words.check(lib.gsample_new(ctypes.byref(params), ctypes.byref(handle), ctypes.byref(words)))
        self._adopt(handle.value, [])

    def _adopt(self, handle: Optional[int], mail: List[BaseException]) -> None:
        super().__init__(handle)
        self._mail = mail  # what callbacks raised

    @classmethod
    def _made(cls, handle: Optional[int], mail: List[BaseException]) -> 'Sampler':
        sampler = cls.__new__(cls)
        sampler._adopt(handle, mail)
        return sampler

    def _free(self, handle: Optional[int]) -> None:
        lib.gsample_free(handle)

    def _checked(self, result: Any) -> Any:
        if result < 0:
            raise failure(int(result), self._mail)
        return result

    # Picking

    def pick(self, logits: Any, mask: Any = None, dtype: Optional[Dtype] = None) -> int:
        """One token from a row: a Row, or any 1-D array of f32, f16 or bf16. It is recorded as answer."""
        row = row_of(logits, mask, dtype)
        return self._checked(self._call(lib.gsample_pick_row, ctypes.byref(row.raw), None))

    def choose(self, logits: Any, mode: LogprobMode = LogprobMode.RAW, n_top: int = 0, mask: Any = None,
               dtype: Optional[Dtype] = None) -> Choice:
        """The same, with logprobs."""
        row, top = row_of(logits, mask, dtype), (raw.gsample_logprob * n_top)()
        choice = raw.gsample_choice(ctypes.sizeof(raw.gsample_choice), mode, n_top)
        choice.top = ctypes.addressof(top)
        self._checked(self._call(lib.gsample_pick_row, ctypes.byref(row.raw), ctypes.byref(choice)))
        return Choice(choice.token, choice.logprob, choice.rank, logprobs_of(top[:choice.n_written]))

    def seed(self, tokens: Iterable[int]) -> None:
        """Appends to the history as prompt."""
        items = numbers('i', tokens)
        self._checked(self._call(lib.gsample_seed, address(items), len(items)))

    def accept(self, token: int) -> None:
        """Appends a token that was chosen elsewhere. Never what this sampler picked."""
        self._checked(self._call(lib.gsample_accept, numbers('i', [token])[0]))

    def shaped(self) -> bool:
        """Whether a pick may differ from Row.best."""
        return bool(self._checked(self._call(lib.gsample_shaped)))

    def candidates_needed(self) -> int:
        """How many of a row's best suffice for Dist.from_candidates; 0: the whole row is needed."""
        return self._checked(self._call(lib.gsample_candidates_needed))

    # Settings

    def set_params(self, params: Params) -> None:
        """Other parameters from the next pick on; all state stays."""
        words = Words()
        words.check(self._call(lib.gsample_set_params, ctypes.byref(params), ctypes.byref(words)))

    def rng_seed(self, seed: int) -> None:
        self._checked(self._call(lib.gsample_rng_seed, numbers('Q', [seed])[0]))

    def uniform(self) -> float:
        """The generator's next number, in [0, 1), and takes it."""
        return self._checked(self._call(lib.gsample_uniform))

    def bias(self, biases: Mapping[int, float]) -> None:
        """{token: bias}, the whole table; -inf bans."""
        tokens, values = numbers('i', biases.keys()), numbers('f', biases.values())
        self._checked(self._call(lib.gsample_bias, address(tokens), address(values), len(tokens)))

    def stop(self, tokens: Iterable[int]) -> None:
        """The tokens after which a Step ends this sequence."""
        items = numbers('i', tokens)
        self._checked(self._call(lib.gsample_stop, address(items), len(items)))

    def dry_breaker(self, tokens: Iterable[int]) -> None:
        """One sequence more across which DRY sees no repetition; an empty one forgets all."""
        items = numbers('i', tokens)
        self._checked(self._call(lib.gsample_dry_breaker, address(items), len(items)))

    def constrain(self, constraint: Union[callbacks.Constraint, Matcher, None], after: Iterable[int] = ()) -> None:
        """Sets the constraint, or takes it away with None. It sleeps until `after` has been accepted. A Matcher is the sampler's from here
        on and closed for you."""
        if constraint is None:
            self._checked(self._call(lib.gsample_constrain, None))
            return
        if isinstance(constraint, Matcher):
            made, kept = constraint._give_away(after)
        else:
            made, kept = callbacks.constraint(constraint, after, self._mail)
        try:
            status = self._call(lib.gsample_constrain, ctypes.byref(made))
        except Error:  # closed: the library has not seen it
            made.destroy(made.user)
            raise
        del kept
        self._checked(status)

    def set_custom(self, stage: Optional[callbacks.CustomStage]) -> None:
        """Sets the custom stage, or takes it away with None."""
        if stage is None:
            self._checked(self._call(lib.gsample_set_custom, None))
            return
        made = callbacks.custom(stage, self._mail)
        try:
            status = self._call(lib.gsample_set_custom, ctypes.byref(made))
        except Error:
            made.destroy(made.user)
            raise
        self._checked(status)

    # State

    def clone(self) -> 'Sampler':
        """An independent copy with all state."""
        handle, mail = ctypes.c_void_p(), []  # type: ignore[var-annotated]
        with callbacks.cloning_into(mail):
            status = self._call(lib.gsample_clone, ctypes.byref(handle))
        if status < 0:
            raise failure(status, mail)
        return self._made(handle.value, mail)

    def assign(self, source: 'Sampler') -> None:
        """Makes this the equal of `source`."""
        if source is self:
            return
        with callbacks.cloning_into(self._mail):
            status = self._call(lambda to: source._call(lambda handle: lib.gsample_assign(to, handle)))
        self._checked(status)

    def reset(self) -> None:
        """As new with the parameters in force; bias, stop tokens, breakers and the custom stage stay."""
        self._checked(self._call(lib.gsample_reset))

    def reserve(self, n_vocab: int, n_tokens: int) -> None:
        """Memory ahead, so that no pick allocates."""
        self._checked(self._call(lib.gsample_reserve, n_vocab, n_tokens))

    def memory(self) -> int:
        return self._checked(self._call(lib.gsample_memory))

    def save(self) -> bytes:
        """All state but constraint and custom stage."""
        return self._call(lambda handle: fetch(lambda out, n: lib.gsample_save(handle, out, n)))

    @classmethod
    def load(cls, state: bytes) -> 'Sampler':
        words, handle = Words(), ctypes.c_void_p()
        words.check(lib.gsample_load(ctypes.byref(handle), ctypes.cast(ctypes.c_char_p(bytes(state)), ctypes.c_void_p), len(state),
                                     ctypes.byref(words)))
        return cls._made(handle.value, [])


class Dist(Owner):
    """Token ids with weights, most likely first. For one thread at a time."""

    __slots__ = ()

    def __init__(self) -> None:
        handle = ctypes.c_void_p()
        status = lib.gsample_dist_new(ctypes.byref(handle))
        if status < 0:
            raise Error(status)
        super().__init__(handle.value)

    def _free(self, handle: Optional[int]) -> None:
        lib.gsample_dist_free(handle)

    def set(self, weights: Mapping[int, float]) -> None:
        tokens, values = numbers('i', weights.keys()), numbers('d', weights.values())
        _check(self._call(lib.gsample_dist_set, address(tokens), address(values), len(tokens)))

    def from_row(self, sampler: Sampler, logits: Any, mask: Any = None, dtype: Optional[Dtype] = None) -> None:
        """What a pick from this row would draw from. Nothing is accepted."""
        row: Row = row_of(logits, mask, dtype)
        sampler._checked(self._call(lambda dist: sampler._call(lambda handle: lib.gsample_dist_from_row(dist, handle, ctypes.byref(row.raw)))))

    def from_candidates(self, sampler: Sampler, tokens: Iterable[int], logits: Iterable[float], n_vocab: int, exact: bool = True) -> None:
        """The same from some of the row's tokens with their logits."""
        ids, values = numbers('i', tokens), numbers('f', logits)
        if len(ids) != len(values):
            raise Error(Status.INVALID_ARGUMENT, 'as many logits as tokens are needed')
        sampler._checked(self._call(lambda dist: sampler._call(lambda handle: lib.gsample_dist_from_candidates(
            dist, handle, address(ids), address(values), len(ids), n_vocab, 1 if exact else 0))))

    def _numbers(self, function: Any, ctype: Any) -> List[Any]:
        return self._call(lambda handle: list((ctype * n).from_address(function(handle))) if (n := lib.gsample_dist_size(handle)) else [])

    def __len__(self) -> int:
        return self._call(lib.gsample_dist_size)

    @property
    def ids(self) -> List[int]:
        return self._numbers(lib.gsample_dist_ids, ctypes.c_int32)

    @property
    def weights(self) -> List[float]:
        return self._numbers(lib.gsample_dist_weights, ctypes.c_double)

    @property
    def total(self) -> float:
        return self._call(lib.gsample_dist_total)

    def chance(self, token: int) -> float:
        """The probability of a token."""
        return self._call(lib.gsample_dist_chance, token)

    def draw(self, sampler: Sampler) -> int:
        """One token, by the sampler's generator. Nothing is accepted."""
        return sampler._checked(self._call(lambda dist: sampler._call(lambda handle: lib.gsample_dist_draw(dist, handle))))

    def residual(self, q: 'Dist') -> 'Dist':
        """max(0, self - q): what a rejected draft is replaced from."""
        out = Dist()
        _check(self._call(lambda p: lib.gsample_dist_residual(p, p, out._cell[0]) if q is self else
                          q._call(lambda handle: lib.gsample_dist_residual(p, handle, out._cell[0]))))
        return out


def _check(status: int) -> None:
    if status < 0:
        raise Error(status)

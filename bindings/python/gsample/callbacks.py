"""Constraints and custom stages in Python. What they raise becomes a status inside the library, and comes out again as the cause of the
exception that the call raises."""
import contextlib
import ctypes
import itertools
import threading
from typing import Any, Callable, Dict, Iterable, Iterator, List, Optional

from . import _raw as raw
from ._buffers import address, numbers
from ._library import Error


class Constraint:
    """What may come next. Derive from it; allows and accept are required. The methods must not use the sampler that asks."""

    def allows(self, token: int) -> bool:
        """May this token come next?"""
        raise NotImplementedError

    def accept(self, token: int) -> None:
        """The token has been chosen. Raising here undoes the pick."""
        raise NotImplementedError

    # The rest is optional: define what you have, as methods.

    mask: Optional[Callable[[memoryview], None]] = None
    """mask(words): sets the bits of all allowed tokens in words of 32 bits, which come zeroed."""

    first_bytes: Optional[Callable[[], Iterable[int]]] = None
    """first_bytes(): the bytes that an allowed token may begin with. Goes with first_byte."""

    first_byte: Optional[Callable[[int], Optional[int]]] = None
    """first_byte(token): the token's first byte, None where it has none."""

    can_stop: Optional[Callable[[], bool]] = None
    """can_stop(): may the text end here?"""

    clone: Optional[Callable[[], 'Constraint']] = None
    """clone(): an independent copy. Without it the sampler cannot be cloned."""


class CustomStage:
    """A stage where `order` has Stage.CUSTOM."""

    def apply(self, tokens: memoryview, logits: memoryview) -> None:
        """May change logits[i], the logit of tokens[i]; -inf drops a token."""
        raise NotImplementedError

    clone: Optional[Callable[[], 'CustomStage']] = None
    """clone(): an independent copy. Without it the sampler cannot be cloned."""


class _Holder:
    """What a callback's `user` stands for: the object, and where what it raises goes."""

    __slots__ = ('object', 'mail')

    def __init__(self, object_: Any, mail: List[BaseException]):
        self.object = object_
        self.mail = mail

    def failed(self, error: BaseException) -> int:
        self.mail.append(error)
        return error.status if isinstance(error, Error) and error.status < 0 else raw.GSAMPLE_ERROR_CALLBACK


_holders: Dict[int, _Holder] = {}
_keys = itertools.count(1)
_cloning = threading.local()  # .mail: of the sampler that this thread is making a clone into


@contextlib.contextmanager
def cloning_into(mail: List[BaseException]) -> Iterator[None]:
    """Says whose the copies of constraint and stage are that a clone makes meanwhile."""
    _cloning.mail = mail
    try:
        yield
    finally:
        del _cloning.mail


def _hold(object_: Any, mail: List[BaseException]) -> int:
    key = next(_keys)
    _holders[key] = _Holder(object_, mail)
    return key


def _guarded(kind: Any, body: Callable[..., int]) -> Any:
    """A C callback of this kind: body(object, *arguments), with what it raises turned into a status."""
    def callback(user: int, *arguments: Any) -> int:
        holder = _holders[user]
        try:
            return body(holder.object, *arguments)
        except BaseException as error:  # nothing may pass through C
            return holder.failed(error)
    return kind(callback)


def _memory(letter: Any, where: int, n: int) -> Any:
    """n numbers of 4 bytes, for the time of the callback."""
    return memoryview((ctypes.c_char * (4 * n)).from_address(where)).cast('B').cast(letter)


def _accept(object_: Any, token: int) -> int:
    object_.accept(token)
    return 0


def _mask(object_: Any, words: int, n: int) -> int:
    with _memory('I', words, n) as bits:
        object_.mask(bits)
    return 0


def _first_bytes(object_: Any, table: int) -> int:
    flags = bytearray(256)
    for byte in object_.first_bytes():
        flags[byte] = 1
    ctypes.memmove(table, bytes(flags), 256)
    return 0


def _first_byte(object_: Any, token: int) -> int:
    byte = object_.first_byte(token)
    return raw.GSAMPLE_ERROR_INVALID_ARGUMENT if byte is None else byte


def _apply(object_: Any, tokens: int, logits: int, n: int) -> int:
    with _memory('i', tokens, n).toreadonly() as ids, _memory('f', logits, n) as values:
        object_.apply(ids, values)
    return 0


def _clone(user: int, out: int) -> int:
    holder = _holders[user]
    mail = getattr(_cloning, 'mail', holder.mail)
    try:
        key = _hold(holder.object.clone(), mail)
    except BaseException as error:  # nothing may pass through C
        return _Holder(None, mail).failed(error)
    ctypes.c_void_p.from_address(out).value = key
    return 0


def _destroy(user: int) -> None:
    _holders.pop(user, None)


_CONSTRAINT = {
    'allows': _guarded(raw.gsample_constraint_allows, lambda object_, token: 1 if object_.allows(token) else 0),
    'accept': _guarded(raw.gsample_constraint_accept, _accept),
    'first_bytes': _guarded(raw.gsample_constraint_first_bytes, _first_bytes),
    'first_byte': _guarded(raw.gsample_constraint_first_byte, _first_byte),
    'mask': _guarded(raw.gsample_constraint_mask, _mask),
    'can_stop': _guarded(raw.gsample_constraint_can_stop, lambda object_: 1 if object_.can_stop() else 0),
    'clone': raw.gsample_constraint_clone(_clone),
}
_CONSTRAINT_DESTROY = raw.gsample_constraint_destroy(_destroy)
_CUSTOM = {
    'apply': _guarded(raw.gsample_custom_apply, _apply),
    'clone': raw.gsample_custom_clone(_clone),
}
_CUSTOM_DESTROY = raw.gsample_custom_destroy(_destroy)


def constraint(object_: Constraint, after: Iterable[int], mail: List[BaseException]) -> Any:
    """The gsample_constraint of an object, and what must live until it has been given away."""
    sequence = numbers('i', after)
    out = raw.gsample_constraint(ctypes.sizeof(raw.gsample_constraint), len(sequence), None, address(sequence))
    for name, callback in _CONSTRAINT.items():
        if getattr(object_, name, None) is not None:
            setattr(out, name, callback)
    out.destroy = _CONSTRAINT_DESTROY
    out.user = _hold(object_, mail)
    return out, sequence


def custom(object_: CustomStage, mail: List[BaseException]) -> Any:
    """The gsample_custom of an object."""
    out = raw.gsample_custom(ctypes.sizeof(raw.gsample_custom))
    for name, callback in _CUSTOM.items():
        if getattr(object_, name, None) is not None:
            setattr(out, name, callback)
    out.destroy = _CUSTOM_DESTROY
    out.user = _hold(object_, mail)
    return out

"""Vocabulary, grammar and matcher."""
import ctypes
import os
from typing import Any, Iterable, List, Optional, Sequence, Tuple, Union

from . import _raw as raw
from ._buffers import View, address, numbers
from ._library import Error, Owner, Words, lib


class _Shared:
    """A counted reference to something immutable, for all threads at once. It ends with the last object that uses it."""

    __slots__ = ('_handle', '__weakref__')

    def __init__(self, handle: Optional[int]):
        self._handle = handle

    @classmethod
    def _made(cls, function: Any, *arguments: Any) -> Any:
        words, handle = Words(), ctypes.c_void_p()
        words.check(function(*arguments, ctypes.byref(handle), ctypes.byref(words)))
        made = cls.__new__(cls)
        _Shared.__init__(made, handle.value)
        return made


class Vocab(_Shared):
    """The bytes of every token. `kinds`: TokenKind of each, all text where it is missing; `n_vocab`: the width of the rows."""

    __slots__ = ()

    def __init__(self, tokens: Sequence[bytes], kinds: Optional[Iterable[int]] = None, n_vocab: int = 0):
        text, ends = b''.join(tokens), numbers('Q', [0])
        for token in tokens:
            ends.append(ends[-1] + len(token))
        flags = None if kinds is None else numbers('B', kinds)
        if flags is not None and len(flags) != len(tokens):
            raise ValueError('%d kinds for %d tokens' % (len(flags), len(tokens)))
        desc = raw.gsample_vocab_desc(ctypes.sizeof(raw.gsample_vocab_desc), n_vocab or len(tokens), len(tokens), 0,
                                      ctypes.cast(ctypes.c_char_p(text), ctypes.c_void_p), address(ends),
                                      None if flags is None else address(flags))
        words, handle = Words(), ctypes.c_void_p()
        words.check(lib.gsample_vocab_new(ctypes.byref(desc), ctypes.byref(handle), ctypes.byref(words)))
        super().__init__(handle.value)

    def __del__(self) -> None:
        lib.gsample_vocab_free(getattr(self, '_handle', None))

    @classmethod
    def from_gguf(cls, data: Any, n_vocab: int = 0) -> 'Vocab':
        """From the beginning of a GGUF file."""
        view = View(data)
        return cls._made(lib.gsample_vocab_from_gguf, view.address, view.shape[0] if view.shape else 0, n_vocab)

    @classmethod
    def from_gguf_file(cls, path: Union[str, 'os.PathLike[str]'], n_vocab: int = 0) -> 'Vocab':
        return cls._made(lib.gsample_vocab_from_gguf_file, os.fsencode(path), n_vocab)

    @classmethod
    def from_tokenizer_json(cls, json: Union[str, bytes], n_vocab: int = 0) -> 'Vocab':
        """From the text of a Hugging Face tokenizer.json."""
        data = json.encode() if isinstance(json, str) else bytes(json)
        return cls._made(lib.gsample_vocab_from_tokenizer_json, data, len(data), n_vocab)

    def set_stop(self, tokens: Iterable[int]) -> None:
        """The stop tokens are these and no others. Before the first grammar."""
        items = numbers('i', tokens)
        _check(lib.gsample_vocab_set_stop(self._handle, address(items), len(items)))

    def bytes(self, token: int) -> bytes:
        text, n = ctypes.c_void_p(), ctypes.c_size_t()
        _check(lib.gsample_vocab_bytes(self._handle, token, ctypes.byref(text), ctypes.byref(n)))
        return ctypes.string_at(text, n.value) if n.value else b''

    def stops(self) -> List[int]:
        n = _check(lib.gsample_vocab_stops(self._handle, None, 0))
        items = (ctypes.c_int32 * n)()
        _check(lib.gsample_vocab_stops(self._handle, items, n))
        return list(items)


class Grammar(_Shared):
    """A compiled grammar bound to a vocabulary: Grammar.from_gbnf or Grammar.from_regex."""

    __slots__ = ()

    def __init__(self) -> None:
        raise TypeError('Grammar.from_gbnf or Grammar.from_regex makes one')

    def __del__(self) -> None:
        lib.gsample_grammar_free(getattr(self, '_handle', None))

    @classmethod
    def from_gbnf(cls, vocab: Vocab, text: str, root: Optional[str] = None) -> 'Grammar':
        data = text.encode()
        return cls._made(lib.gsample_grammar_from_gbnf, vocab._handle, data, len(data), None if root is None else root.encode())

    @classmethod
    def from_regex(cls, vocab: Vocab, text: str) -> 'Grammar':
        """The whole text must match an ECMA-262 expression."""
        data = text.encode()
        return cls._made(lib.gsample_grammar_from_regex, vocab._handle, data, len(data))

    def warm(self) -> None:
        """Builds ahead what a first mask would build."""
        _check(lib.gsample_grammar_warm(self._handle))


class Matcher(Owner):
    """Where one sequence stands in a grammar; Sampler.constrain takes it over. For one thread at a time."""

    __slots__ = ()

    def __init__(self, grammar: Grammar):
        handle = ctypes.c_void_p()
        _check(lib.gsample_matcher_new(grammar._handle, ctypes.byref(handle)))
        super().__init__(handle.value)

    def _free(self, handle: Optional[int]) -> None:
        lib.gsample_matcher_free(handle)

    def clone(self) -> 'Matcher':
        handle = ctypes.c_void_p()
        _check(self._call(lib.gsample_matcher_clone, ctypes.byref(handle)))
        copy = Matcher.__new__(Matcher)
        Owner.__init__(copy, handle.value)
        return copy

    def reset(self) -> None:
        _check(self._call(lib.gsample_matcher_reset))

    def allows(self, token: int) -> bool:
        return bool(_check(self._call(lib.gsample_matcher_allows, token)))

    def can_stop(self) -> bool:
        """Whether the text may end here."""
        return bool(_check(self._call(lib.gsample_matcher_can_stop)))

    def accept(self, token: int) -> None:
        _check(self._call(lib.gsample_matcher_accept, token))

    def rollback(self, n: int) -> None:
        """Takes back the last n accepted tokens."""
        _check(self._call(lib.gsample_matcher_rollback, n))

    def mask(self, n_vocab: int) -> Any:
        """What is allowed, as words of 32 bits (an array of type 'I')."""
        words = numbers('I', [0] * ((n_vocab + 31) // 32))
        _check(self._call(lib.gsample_matcher_mask, address(words), len(words)))
        return words

    def _give_away(self, after: Iterable[int]) -> Tuple[Any, Any]:
        sequence = numbers('i', after)
        made = raw.gsample_constraint(ctypes.sizeof(raw.gsample_constraint))
        _check(self._call(lib.gsample_matcher_constraint, ctypes.byref(made)))
        self._closed = True
        self._cell.clear()  # the constraint frees it
        made.after, made.n_after = address(sequence), len(sequence)
        return made, sequence


def _check(result: int) -> int:
    if result < 0:
        raise Error(result)
    return result

"""A step of an engine: every sequence gets its tokens in one call, which hides what a call from Python costs."""
import ctypes
import itertools
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Callable, Dict, List, NamedTuple, Optional, Sequence

from . import _buffers, _raw as raw
from ._library import Error, Owner, failure, lib
from .sampler import Dist, Sampler
from .values import Choice, Dtype, LogprobMode, logprobs_of

_BODY = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_uint32, ctypes.c_size_t)


class Outcome(NamedTuple):
    """What a sequence got that speculates: its tokens (the last was drawn, those before are drafts that stood), the error that ended it,
    if any (the sampler has accepted just these tokens then), and the choices where logprobs were asked for."""
    tokens: List[int]
    error: Optional[BaseException]
    choices: Optional[List[Choice]]


class Threads:
    """An executor of n threads. Deciding runs without Python's lock, so they do run at once."""

    def __init__(self, n_workers: int):
        self.n_workers = n_workers
        self._pool = ThreadPoolExecutor(n_workers)

    def parallel_for(self, n: int, body: Callable[[int, int], None]) -> None:
        """Calls body(worker, i) for every i below n."""
        indices = itertools.count()

        def work(worker: int) -> None:
            for i in iter(lambda: next(indices), None):
                if i >= n:
                    return
                body(worker, i)
        for done in [self._pool.submit(work, worker) for worker in range(min(self.n_workers, n))]:
            done.result()

    def close(self) -> None:
        self._pool.shutdown()

    def __enter__(self) -> 'Threads':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()


class _Workspace(Owner):
    __slots__ = ()

    def __init__(self, n_workers: int):
        handle = ctypes.c_void_p()
        status = lib.gsample_workspace_new(n_workers, ctypes.byref(handle))
        if status < 0:
            raise Error(status)
        super().__init__(handle.value)

    def _free(self, handle: Optional[int]) -> None:
        lib.gsample_workspace_free(handle)


class Step:
    """Samplers that go on together, and the memory that deciding needs. `executor`: anything with n_workers and parallel_for as Threads
    has them; None decides on the calling thread."""

    def __init__(self, samplers: Sequence[Sampler], executor: Any = None):
        self.samplers = list(samplers)
        self._sequences = (raw.gsample_sequence * len(self.samplers))()
        self._workspace = _Workspace(executor.n_workers if executor else 1)
        self._mail: List[BaseException] = []
        self._executor = None
        if executor:
            self._threads = raw.gsample_executor_parallel_for(self._parallel_for(executor))
            self._executor = raw.gsample_executor(ctypes.sizeof(raw.gsample_executor), executor.n_workers, None, self._threads)
        self._handles: List[Any] = []
        self._placed: Any = None
        self.errors: Dict[int, BaseException] = {}  # why a sequence of the last decide() has no token
        for sequence in self._sequences:
            sequence.size = ctypes.sizeof(raw.gsample_sequence)

    def _parallel_for(self, executor: Any) -> Callable[..., int]:
        mail = self._mail

        def run(_: int, n: int, body: int, argument: int) -> int:
            try:
                call = _BODY(body)
                executor.parallel_for(n, lambda worker, i: call(argument, worker, i))
                return 0
            except BaseException as error:  # nothing may pass through C
                mail.append(error)
                return raw.GSAMPLE_ERROR_CALLBACK
        return run

    def decide(self, logits: Any, masks: Any = None, dtype: Optional[Dtype] = None) -> Sequence[Optional[int]]:
        """One token a sequence, None where it failed: `errors` says why. `logits`: 2-D, a row for each sampler; `masks`: 2-D, words for each,
        or one for all."""
        view, code = _buffers.logits(logits, dtype)
        n = len(self.samplers)
        if len(view.shape) != 2 or view.shape[0] != n:
            raise ValueError('%d samplers need logits of shape (%d, n_vocab)' % (n, n))
        words = None if masks is None else _buffers.mask_words(masks, view.shape[1])
        if words and words.shape[:-1] not in ((), (n,)):
            raise ValueError('masks are for each of %d samplers, or one for all' % n)
        place = ('rows', view.address, view.shape, view.strides, code, words and (words.address, words.shape, words.strides))
        if place != self._placed:  # an engine fills the same memory for every step
            self._placed = None
            self._tokens = (ctypes.c_int32 * n)()
            tokens = ctypes.addressof(self._tokens)
            for i, s in enumerate(self._sequences):
                s.dtype, s.n_vocab, s.n_rows, s.n_drafts = code, view.shape[1], 1, 0
                s.logits, s.tokens = view.address + i * view.strides[0], tokens + 4 * i
                s.drafts = s.draft_dists = s.choices = s.masks = None
                if words:
                    s.masks = words.address + (i * words.strides[0] if len(words.shape) == 2 else 0)
            self._placed = place
        self.errors = {}
        if self._run([]) == 0:
            return self._tokens[:]
        self.errors = {i: self._error(i) for i, s in enumerate(self._sequences) if s.status < 0}
        return [None if i in self.errors else token for i, token in enumerate(self._tokens)]

    def verify(self, logits: Sequence[Any], drafts: Sequence[Sequence[int]], draft_dists: Optional[Sequence[Optional[Sequence[Dist]]]] = None,
               masks: Optional[Sequence[Any]] = None, dtype: Optional[Dtype] = None, mode: LogprobMode = LogprobMode.NONE,
               n_top: int = 0) -> List[Outcome]:
        """Sequences that speculate: for each sampler drafts[i], and logits[i] of shape (len(drafts[i]) + 1, n_vocab), or None where nothing
        is wanted this time. draft_dists[i]: what each draft was drawn from, None where drafts are certain. masks[i]: one for all rows of
        the sequence, or one for each."""
        n = len(self.samplers)
        if len(logits) != n or len(drafts) != n or any(x is not None and len(x) != n for x in (draft_dists, masks)):
            raise ValueError('one entry for each of %d samplers is needed' % n)
        self._placed = None
        kept: List[Any] = []
        dists: List[Any] = []  # those of each sequence, and where their handles go
        tokens: List[Any] = []
        choices: List[Any] = []
        for i, s in enumerate(self._sequences):
            s.n_rows = s.n_drafts = s.n_tokens = s.status = 0
            s.drafts = s.draft_dists = s.choices = s.masks = None
            tokens.append((ctypes.c_int32 * (len(drafts[i]) + 1))())
            choices.append(None)
            if logits[i] is None:
                continue
            view, s.dtype = _buffers.logits(logits[i], dtype)
            if len(view.shape) != 2 or view.shape[0] != len(drafts[i]) + 1:
                raise ValueError('sequence %d: %d drafts need %d rows' % (i, len(drafts[i]), len(drafts[i]) + 1))
            s.n_rows, s.n_vocab = view.shape
            s.logits, s.row_stride, s.n_drafts = view.address, view.strides[0], len(drafts[i])
            guesses = _buffers.numbers('i', drafts[i])
            s.drafts, s.tokens = _buffers.address(guesses), ctypes.addressof(tokens[i])
            kept += [view, guesses]
            if draft_dists and draft_dists[i] is not None:
                mine = list(draft_dists[i] or ())
                if len(mine) != len(drafts[i]):
                    raise ValueError('sequence %d: %d drafts need as many distributions' % (i, len(drafts[i])))
                handles = (ctypes.c_void_p * len(mine))()
                s.draft_dists = ctypes.addressof(handles)
                dists.append((mine, handles))
            if masks and masks[i] is not None:
                words = _buffers.mask_words(masks[i], s.n_vocab)
                s.masks, s.mask_stride = words.address, words.strides[0] if len(words.shape) == 2 else 0
                kept.append(words)
                if len(words.shape) == 2 and words.shape[0] != s.n_rows or len(words.shape) > 2:
                    raise ValueError('sequence %d: a mask for each of %d rows, or one for all' % (i, s.n_rows))
            if mode != LogprobMode.NONE:
                top = (raw.gsample_logprob * (n_top * s.n_rows))()
                size, step = ctypes.sizeof(raw.gsample_choice), n_top * ctypes.sizeof(raw.gsample_logprob)
                choices[i] = (raw.gsample_choice * s.n_rows)(*(
                    (size, mode, n_top, 0, 0, 0, 0, ctypes.addressof(top) + r * step) for r in range(s.n_rows)))
                s.choices = ctypes.addressof(choices[i])
                kept.append(top)
        self._run(dists)
        return [self._outcome(i, tokens[i][:s.n_tokens], choices[i]) for i, s in enumerate(self._sequences)]

    def _run(self, dists: Sequence[Any]) -> int:
        """Decides with the handles of samplers and distributions taken for as long as it lasts. Returns how many sequences failed."""
        owners: List[Owner] = list(self.samplers)
        for mine, _ in dists:
            owners += mine
        owners = list(dict.fromkeys(owners)) if dists else owners  # a distribution may stand for several drafts
        taken: List[Any] = []
        self._mail.clear()
        try:
            taken += map(Owner._take, owners)
            if taken[:len(self.samplers)] != self._handles:
                self._handles = taken[:len(self.samplers)]
                for sequence, handle in zip(self._sequences, self._handles):
                    sequence.sampler = handle
            if dists:
                handle_of = dict(zip(owners, taken))
                for mine, handles in dists:
                    handles[:] = [handle_of[dist] for dist in mine]
            executor = ctypes.byref(self._executor) if self._executor else None
            failed = self._workspace._call(lambda workspace: lib.gsample_decide(self._sequences, len(self.samplers), executor, workspace))
        finally:
            for owner, handle in zip(owners, taken):
                owner._cell.append(handle)
        if failed < 0:
            raise failure(failed, self._mail)
        return failed

    def _error(self, i: int) -> BaseException:
        return failure(self._sequences[i].status, self.samplers[i]._mail or self._mail)

    def _outcome(self, i: int, tokens: List[int], choices: Any) -> Outcome:
        error = self._error(i) if self._sequences[i].status < 0 else None
        if choices is None:
            return Outcome(tokens, error, None)
        size = ctypes.sizeof(raw.gsample_logprob)
        return Outcome(tokens, error, [Choice(c.token, c.logprob, c.rank, logprobs_of(
            raw.gsample_logprob.from_address(c.top + k * size) for k in range(c.n_written))) for c in choices[:len(tokens)]])

    def close(self) -> None:
        """Frees the step's memory; the samplers stay."""
        self._workspace.close()

    def __enter__(self) -> 'Step':
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

"""gsample inside engines that draw by themselves: Hugging Face transformers and vLLM. The scores they draw from become those of what a
gsample pick would draw from: constraint, penalties and all stages applied, the logarithm of the probability for what is left, -inf for the
rest. Neither package is imported; torch tensors and numpy arrays both do."""
import math
from typing import Any, Callable, Container, List, Sequence

from ._library import Error, Status
from .sampler import Dist, Sampler


class _Sequence:
    """A sampler and the tokens it knows."""

    def __init__(self, sampler: Sampler, prompt: Sequence[int]):
        self.sampler = sampler
        self.tokens = list(prompt)
        self.over = False
        sampler.seed(prompt)

    def copy(self) -> '_Sequence':
        out = _Sequence.__new__(_Sequence)
        out.sampler, out.tokens, out.over = self.sampler.clone(), list(self.tokens), self.over
        return out

    def accept(self, token: int, stop: Container[int]) -> None:
        """A stop token, or one that the constraint refuses (padding behind the end), ends the shaping."""
        self.tokens.append(token)
        try:
            if not self.over:
                self.sampler.accept(token)
        except Error as error:
            if error.status != Status.REFUSED:
                raise
            self.over = True
        self.over = self.over or token in stop


def _shape(sequence: _Sequence, dist: Dist, row: Any) -> None:
    """Writes into a row of scores, a 1-D array of f32, f16 or bf16, what the sampler makes of it."""
    memory = row.detach().cpu() if hasattr(row, 'detach') else row
    dist.from_row(sequence.sampler, memory)
    total = dist.total
    ids, values = dist.ids, [math.log(weight / total) for weight in dist.weights]
    row[...] = -math.inf
    row[ids] = row.new_tensor(values) if hasattr(row, 'new_tensor') else values


def _copy(scores: Any) -> Any:
    return scores.clone() if hasattr(scores, 'clone') else scores.copy()


class LogitsProcessor:
    """For transformers: model.generate(..., logits_processor=[LogitsProcessor(make_sampler, stop=[eos])]).

    make_sampler() gives a Sampler for one sequence; sequences of a batch, and beams as they part (by Sampler.clone), have one each. With
    do_sample=True, temperature=1, top_k=0 and top_p=1 for generate itself, exactly gsample's distribution is drawn from. One object
    serves one generate()."""

    def __init__(self, make_sampler: Callable[[], Sampler], stop: Container[int] = ()):
        self._make = make_sampler
        self._stop = stop
        self._sequences: List[_Sequence] = []
        self._dist = Dist()

    def __call__(self, input_ids: Any, scores: Any) -> Any:
        rows = [list(map(int, row)) for row in input_ids.tolist()]
        if not self._sequences:
            self._sequences = [_Sequence(self._make(), row) for row in rows]
        else:
            self._sequences = self._follow(rows)
        out = _copy(scores)
        for sequence, row in zip(self._sequences, out):
            if not sequence.over:
                _shape(sequence, self._dist, row)
        return out

    def _follow(self, rows: List[List[int]]) -> List[_Sequence]:
        """The sequences that these rows go on from: each row is one that was here before and a token more."""
        before, used, out = self._sequences, set(), []
        for i, row in enumerate(rows):
            order = [i] * (i < len(before)) + [j for j in range(len(before)) if j != i]
            same = [j for j in order if before[j].tokens == row[:-1]]
            if not same:
                raise ValueError('row %d does not go on from any row of the call before' % i)
            free = [j for j in same if j not in used]
            used.add((free or same)[0])
            out.append(before[(free or same)[0]] if free else before[same[0]].copy())
        for sequence, row in zip(out, rows):
            sequence.accept(row[-1], self._stop)
        return out


def request_processor(sampler: Sampler, stop: Container[int] = ()) -> Callable[[Sequence[int], Sequence[int], Any], Any]:
    """For vLLM: the processor of one request, called as processor(prompt_ids, output_ids, logits) with its row of logits. The sampler is
    the request's from here on."""
    state: List[_Sequence] = []
    dist = Dist()

    def processor(prompt_ids: Sequence[int], output_ids: Sequence[int], logits: Any) -> Any:
        if not state:
            state.append(_Sequence(sampler, prompt_ids))
        sequence, n_prompt = state[0], len(prompt_ids)
        for token in output_ids[len(sequence.tokens) - n_prompt:]:
            sequence.accept(int(token), stop)
        if sequence.over:
            return logits
        out = _copy(logits)
        _shape(sequence, dist, out)
        return out
    return processor

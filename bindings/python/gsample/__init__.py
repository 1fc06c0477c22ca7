"""gsample: a token sampler. A row of logits goes in, a token comes out.

    import gsample
    with gsample.Sampler(temperature=0.8, seed=42) as sampler:
        token = sampler.pick(logits)   # any array of f32, f16 or bf16, never copied

What parameters and calls mean stands in the manual, include/gsample/gsample.h; methods are named after the C functions.
"""
from . import _raw
from ._buffers import mask
from ._library import Error, Status, target, version
from .callbacks import Constraint, CustomStage
from .grammar import Grammar, Matcher, Vocab
from .sampler import Dist, Sampler
from .step import Outcome, Step, Threads
from .values import (Choice, ConstraintMode, Dtype, Logprob, LogprobMode, NanPolicy, Params, PenaltyStyle, Report, Row, RowReport, Stage,
                     TokenKind)

__version__ = '%d.%d.%d' % (_raw.GSAMPLE_VERSION_MAJOR, _raw.GSAMPLE_VERSION_MINOR, _raw.GSAMPLE_VERSION_PATCH)
SEMANTICS = _raw.GSAMPLE_SEMANTICS

__all__ = ['Choice', 'Constraint', 'ConstraintMode', 'CustomStage', 'Dist', 'Dtype', 'Error', 'Grammar', 'Logprob', 'LogprobMode', 'Matcher',
           'NanPolicy', 'Outcome', 'Params', 'PenaltyStyle', 'Report', 'Row', 'RowReport', 'SEMANTICS', 'Sampler', 'Stage', 'Status', 'Step',
           'Threads', 'TokenKind', 'Vocab', 'mask', 'target', 'version']

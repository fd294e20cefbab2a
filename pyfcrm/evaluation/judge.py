"""Two frames judged: their columns, key attributes and the inference baseline of their risks."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ..data import Frame, checked, complete_records
from ..data.pairs import TwoFiles, two_files
from ..engine import Engine, is_cluster, one_blas_thread
from ..errors import InvalidParameter
from ..measures import MEASURES
from ..measures.measure import KeyMeasure, Parts
from ..progress import Course, Progress, run_cancellable, tell, within
from ..rstream import RStream
from ..types import Array, Codes
from .inference import inference_baseline
from .report import Report, judge

INFERENCE_DRAWS = 3


@dataclass(frozen=True)
class EvaluateRequest:
    """What was asked of evaluate(), checked; independent : None where no inference baseline was."""

    columns: str | Iterable[str] | None
    measures: tuple[str, ...]
    keys: tuple[str, ...]
    missing: str
    engine: Engine
    progress: Progress | None
    independent: tuple[str, ...] | None
    stream: RStream
    strata: tuple[str, ...] = ()

    @property
    def infers(self) -> bool:
        """Whether there is an inference baseline to be found."""
        return self.independent is not None and bool(risks(self))

    @property
    def here(self) -> Engine | None:
        """The engine where it is this machine."""
        return None if is_cluster(self.engine) else self.engine

    @property
    def of_keys(self) -> list[str]:
        """The measures of key attributes among those asked for."""
        return [key for key in self.measures if isinstance(MEASURES[key], KeyMeasure)]


def both_files(before: Frame, after: Frame, asked: EvaluateRequest, paired: Iterable[str] = ()) -> TwoFiles:
    """The judged columns of both. paired : what cannot do without pairs, beside some measures."""
    wanted = [key for key in asked.measures if MEASURES[key].facts.paired]
    both = two_files("evaluate", before, after, asked.columns, asked.missing, [*paired, *wanted])
    if twice := sorted({*(asked.independent or ())} & {*both.columns}):
        raise InvalidParameter("evaluate", "independent", "must not be judged too (name those by `columns`)", twice)
    return both


def with_inference(
    both: TwoFiles,
    known: dict[str, Parts],
    original: Array | None,
    given: Array | None,
    asked: EvaluateRequest,
    progress: Progress | None,
) -> Report:
    """`judged`, and its risks' inference baseline where the independent columns are given; as one course."""
    if given is None:
        return judged(both, known, original, asked, progress)
    report = judged(both, known, original, asked, within(progress, 0, 1 + INFERENCE_DRAWS))
    return inferred(report, both, given, asked, progress)


def judged(
    both: TwoFiles, known: dict[str, Parts], original: Array | None, asked: EvaluateRequest, progress: Progress | None
) -> Report:
    """The Report of two files. known : what is known already; original : all its records, where X has some of them."""
    if is_cluster(asked.engine) and original is None:
        from .evaluate_by_blocks import on_cluster

        known = known | on_cluster(both.X, both.Z, asked.measures, asked.engine)
    with one_blas_thread():  # its own would fight the kernels for the processors
        return judge(both.X, both.Z, both.columns, asked.measures, both.notes, known, original, progress, asked.here)


def only_keys(asked: EvaluateRequest) -> bool:
    """Whether every measure is about key attributes, so that no column of numbers is judged."""
    return bool(asked.measures) and len(asked.of_keys) == len(asked.measures)


def key_measures(asked: EvaluateRequest, K: Codes, L: Codes) -> dict[str, Parts]:
    """The measures of key attributes among those asked for, by key."""
    wanted = {key: measure for key in asked.of_keys if isinstance(measure := MEASURES[key], KeyMeasure)}
    return {key: measure(K, L) for key, measure in wanted.items()}


def risks(asked: EvaluateRequest) -> list[str]:
    """The measures that have an inference baseline."""
    return [key for key in asked.measures if (facts := MEASURES[key].facts).kind == "risk" and facts.paired]


def independent(before: Frame, both: TwoFiles, asked: EvaluateRequest) -> Array:
    """(n, s) the independent columns of the records that pair; NaN for missing."""
    assert asked.independent is not None
    assert both.rows is not None
    X = checked("evaluate, independent", before, asked.independent)[both.rows[0]]
    complete_records("evaluate, independent", X, asked.independent, asked.missing)
    return X


def inferred(report: Report, both: TwoFiles, X: Array, asked: EvaluateRequest, progress: Progress | None) -> Report:
    """The report with the inference baseline of its risks. X : (n, s) see `independent`; progress : judging came first."""
    keys, whole = risks(asked), np.logical_not(np.isnan(X).any(axis=1))
    if not whole.any():
        return report
    X, Y, notes = X[whole], both.X[whole], report.notes
    if not whole.all():
        left_out = int((~whole).sum())
        notes += (f"{left_out} of {len(whole)} records have no inference baseline: missing independent values",)
    draws = []
    for k in range(INFERENCE_DRAWS):
        heard = within(progress, 1 + k, 1 + INFERENCE_DRAWS, "inference baseline")
        tell(heard, 0, 1, "drawing")
        with one_blas_thread():
            draw = run_cancellable(
                partial(inference_baseline, X, Y, asked.stream, asked.here), heard, Course("drawing")
            )
            draws.append(judge(Y, draw, both.columns, keys, progress=heard, engine=asked.here))
    inference = {key: sum(draw[key] for draw in draws) / INFERENCE_DRAWS for key in keys}
    return replace(report, notes=notes, inference=inference)

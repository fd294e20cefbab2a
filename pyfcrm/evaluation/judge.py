"""Two frames judged: their columns, key attributes and the inference baseline of their risks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import cast

import numpy as np

from ..data import Frame
from ..data.attributes import KeysAndTargets
from ..data.levels import weights_of
from ..data.load import Table, load
from ..data.pairs import TwoFiles, two_files
from ..engine import Engine, on_this_machine, one_blas_thread
from ..errors import InvalidInput, InvalidParameter, Note
from ..measures import MEASURES
from ..measures.measure import Facts, KeyMeasure, Parts, TargetMeasure
from ..methods import Method
from ..progress import Course, Progress, run_cancellable, tell, within
from ..rstream import RStream
from ..types import Codes
from .gaps import gap_notes
from .inference import inference_baseline
from .knowledge import knowledge
from .report import Report, judge, measured, said

INFERENCE_DRAWS = 3


@dataclass(frozen=True)
class EvaluateRequest:
    """What was asked of evaluate(), checked; independent : None where no inference baseline was.

    method : that made the release, where it is known; known : the columns it kept, None to look which are equal; weights :
    the original's column of survey weights.
    """

    columns: str | Iterable[str] | None
    measures: tuple[str, ...]
    keys: tuple[str, ...]
    engine: Engine
    progress: Progress | None
    independent: tuple[str, ...] | None
    stream: RStream
    strata: tuple[str, ...] = ()
    targets: tuple[str, ...] = ()
    target_groups: int | None = None
    key_groups: int | None = None
    domains: tuple[str, ...] = ()
    method: Method | None = None
    known: tuple[str, ...] | None = None
    guesses: int = 0
    weights: str | None = None

    @property
    def infers(self) -> bool:
        """Whether there is an inference baseline to be found."""
        return self.independent is not None and bool(risks(self))

    @property
    def empty(self) -> tuple[str, ...]:
        """The measures among them that pair records, where those of the method's releases do not pair with the original's."""
        method = self.method
        if method is None or method.pairs == "always" or (method.pairs == "by columns" and self.known != ()):
            return ()
        return tuple(key for key in self.measures if MEASURES[key].facts.paired)

    @property
    def of_keys(self) -> list[str]:
        """The measures of key attributes among those asked for."""
        return [key for key in self.measures if MEASURES[key].of_keys]

    @property
    def of_targets(self) -> list[str]:
        """Those of them that are about targets too."""
        return [key for key in self.measures if MEASURES[key].of_targets]


def both_files(before: Frame, after: Frame, asked: EvaluateRequest) -> TwoFiles:
    """The judged columns of both."""
    wanted = [key for key in asked.measures if MEASURES[key].facts.paired]
    both = two_files("evaluate", before, after, asked.columns, wanted, progress=asked.progress)
    if twice := sorted({*(asked.independent or ())} & {*both.columns}):
        raise InvalidParameter("evaluate", "independent", "must not be judged too (name those by `columns`)", twice)
    known = knowledge(before, after, both, asked.method, asked.known)
    both = both if known is None else replace(both, pair=replace(both.pair, knowledge=known))
    return both if asked.weights is None else _weighted(both, before, asked.weights, asked.measures)


def _weighted(both: TwoFiles, before: Frame, name: str, measures: Sequence[str]) -> TwoFiles:
    """The two files with the weights of their records, and a note of which measures heed them. Raises InvalidInput."""
    if both.rows is None or both.pair.original is not None:
        raise InvalidInput(
            "evaluate", "records must pair one to one, by index or by position, for weights", "they do not"
        )
    if not both.pair.in_memory:
        raise InvalidInput("evaluate", "weights need both files in memory", f"{both.pair.n} records by blocks")
    there, weights = np.zeros(before.records, dtype=bool), np.empty(before.records)
    there[both.rows[0]] = True
    weights[there] = weights_of("evaluate", before, name, there)
    heed = [key for key in measures if _heeds_weights(key)]
    others = [key for key in measures if key not in heed]
    wording = "counted by the weights of `{columns}`, for the population: {heed}" + (
        "; not so: {others}" if others else ""
    )
    note = Note.of("by_weights", wording, [name], heed=", ".join(heed) or "none", others=", ".join(others))
    pair = replace(both.pair, weights=weights[both.rows[0]])
    return replace(both, pair=pair, notes=(*both.notes, note))


def _heeds_weights(key: str) -> bool:
    measure = MEASURES[key]
    return measure.weighted and all(map(_heeds_weights, measure.of))


def with_inference(
    both: TwoFiles, known: dict[str, Parts], given: Table | None, asked: EvaluateRequest, progress: Progress | None
) -> Report:
    """The Report of two files, with its risks' inference baseline where the independent columns are given.

    known : what is known already; progress : all of it is one course.
    """
    heard = progress if given is None else within(progress, 0, 1 + INFERENCE_DRAWS)
    results = measured(both.pair, asked.measures, asked.engine, known, heard)
    notes = (*both.notes, *gap_notes(both.pair, asked.measures), *said(results, both.columns))
    report = Report(results, both.columns, both.pair.n, notes)
    return report if given is None else inferred(report, both, given, asked, progress)


def only_keys(asked: EvaluateRequest) -> bool:
    """Whether every measure is about key attributes, so that no column of numbers is judged."""
    return bool(asked.measures) and len(asked.of_keys) == len(asked.measures)


def key_measures(asked: EvaluateRequest, K: Codes, L: Codes) -> dict[str, Parts]:
    """The measures of key attributes alone among those asked for, by key."""
    return {key: cast(KeyMeasure, MEASURES[key])(K, L) for key in asked.of_keys if key not in asked.of_targets}


def target_measures(asked: EvaluateRequest, known: KeysAndTargets) -> dict[str, Parts]:
    """The measures of keys and targets among those asked for, by key."""
    made = {}
    for done, key in enumerate(asked.of_targets):
        told = within(asked.progress, done, len(asked.of_targets), f"measuring {key}")
        made[key] = cast(TargetMeasure, MEASURES[key])(known, told)
    return made


def risks(asked: EvaluateRequest) -> list[str]:
    """The measures that have an inference baseline."""
    return [key for key in asked.measures if has_inference(MEASURES[key].facts)]


def has_inference(facts: Facts) -> bool:
    """Whether a measure of these facts has an inference baseline by draws; one that knows the method has its own."""
    return facts.kind == "risk" and facts.paired and not facts.informed


def independent(before: Frame, both: TwoFiles, asked: EvaluateRequest) -> Table | None:
    """(n, s) the independent columns of the records that pair, NaN for missing; None where nothing is asked of them."""
    if not asked.infers or both.rows is None:
        return None
    assert asked.independent is not None
    return load("evaluate, independent", before, asked.independent).taken(both.rows[0])


def inferred(report: Report, both: TwoFiles, given: Table, asked: EvaluateRequest, progress: Progress | None) -> Report:
    """The report with the inference baseline of its risks. given : see `independent`; progress : judging came first."""
    X, keys = given.read(slice(0, given.n)), risks(asked)
    Y, notes = both.pair.arrays()[0], report.notes
    whole = np.logical_not(np.isnan(np.hstack([X, Y])).any(axis=1))
    if not whole.any():
        return report
    X, Y = X[whole], Y[whole]
    weights = None if both.pair.weights is None else both.pair.weights[whole]
    if not whole.all():
        said = "{count} of {total} records {count:has|have} no inference baseline: missing values"
        notes += (Note.of("left_out", said, count=int((~whole).sum()), total=len(whole)),)
    draws, here = [], on_this_machine(asked.engine)
    for k in range(INFERENCE_DRAWS):
        heard = within(progress, 1 + k, 1 + INFERENCE_DRAWS, "inference baseline")
        tell(heard, 0, 1, "drawing")
        with one_blas_thread():
            draw = run_cancellable(partial(inference_baseline, X, Y, asked.stream, here), heard, Course("drawing"))
        draws.append(judge(Y, draw, both.columns, keys, heard, here, weights=weights))
    inference = {key: sum(draw[key] for draw in draws) / INFERENCE_DRAWS for key in keys}
    return replace(report, notes=notes, inference=inference)

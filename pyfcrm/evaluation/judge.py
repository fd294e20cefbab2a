"""Two frames judged: their columns, key attributes and measures."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data import Frame
from ..data.attributes import KeysAndTargets
from ..data.levels import weights_of
from ..data.pairs import TwoFiles, two_files
from ..engine import Engine
from ..errors import InvalidInput, InvalidParameter, Note
from ..measures import MEASURES
from ..measures.measure import Measure, Parts
from ..methods import Method
from ..progress import Progress, within
from ..types import Codes
from .gaps import gap_notes
from .knowledge import knowledge
from .report import Report, measured, said


@dataclass(frozen=True, kw_only=True)
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
    def empty(self) -> tuple[str, ...]:
        """The measures among them that pair records, where those of the method's releases do not pair with the original's."""
        method = self.method
        if method is None or method.pairs == "always" or (method.pairs == "by columns" and self.known != ()):
            return ()
        return tuple(key for key in self.measures if MEASURES[key].paired)

    @property
    def of_keys(self) -> list[str]:
        """The measures of key attributes among those asked for."""
        return [key for key in self.measures if MEASURES[key].needs_keys]

    @property
    def of_targets(self) -> list[str]:
        """Those of them that are about targets too."""
        return [key for key in self.measures if MEASURES[key].needs == "targets"]


def both_files(before: Frame, after: Frame, asked: EvaluateRequest) -> TwoFiles:
    """The judged columns of both."""
    wanted = [key for key in asked.measures if MEASURES[key].paired]
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
    return measure.weighted and all(map(_heeds_weights, measure.components))


def judged(both: TwoFiles, known: dict[str, Parts], asked: EvaluateRequest, progress: Progress | None) -> Report:
    """The Report of two files. known : measures that are computed already."""
    results = measured(both.pair, asked.measures, asked.engine, known, progress)
    notes = (*both.notes, *gap_notes(both.pair, asked.measures), *said(results, both.columns))
    return Report(results, both.columns, both.pair.n, notes)


def only_keys(asked: EvaluateRequest) -> bool:
    """Whether every measure is about key attributes, so that no column of numbers is judged."""
    return bool(asked.measures) and len(asked.of_keys) == len(asked.measures)


def key_measures(asked: EvaluateRequest, K: Codes, L: Codes) -> dict[str, Parts]:
    """The measures of key attributes alone among those asked for, by key."""
    return {key: MEASURES[key](K, L) for key in asked.of_keys if key not in asked.of_targets}


def target_measures(asked: EvaluateRequest, known: KeysAndTargets) -> dict[str, Parts]:
    """The measures of keys and targets among those asked for, by key."""
    made = {}
    for done, key in enumerate(asked.of_targets):
        told = within(asked.progress, done, len(asked.of_targets), f"measuring {key}")
        made[key] = MEASURES[key](known, progress=told)
    return made


def has_inference(measure: Measure) -> bool:
    """Whether reference releases give a measure an inference baseline."""
    return measure.kind == "risk" and measure.paired and not measure.informed

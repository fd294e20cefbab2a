"""Several copies of a release judged together: of each risk the worst is told, over the copies and their mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, numeric_names, open_frame, paired_rows
from ..data.source import open_data
from ..errors import InvalidParameter, Note
from ..measures import MEASURES
from ..measures.measure import Part, Parts
from ..types import Array
from .report import Report
from .verdict import Test, Verdict, worst

MEAN = "their mean"
OF_MEAN = ("unprotected", "risk")  # tests of a verdict on the mean of the copies too
TOGETHER = (
    "{copies} copies are judged together: of each risk the worst stands here, over the copies and what their mean gives; of "
    "each loss the mean over the copies"
)
NO_MEAN = "the copies have no mean that could be judged: their records do not pair with each other"
Judge = Callable[[Frame, int], Report]
"""Of one release its report, and which it is, from 0; the mean comes last."""


def is_copies(protected: object) -> bool:
    """Whether several releases were handed in, rather than one."""
    return isinstance(protected, list | tuple)


def judged_together(copies: Sequence[Any], judge: Judge) -> Report:
    """One Report of all copies. Raises InvalidParameter where there are none."""
    if not copies:
        raise InvalidParameter("evaluate", "protected", "must hold at least one copy", list(copies))
    doors = [open_data("evaluate", one, whole=True) for one in copies]
    reports = [judge(door, k) for k, door in enumerate(doors)]
    if len(reports) == 1:
        return reports[0]
    mean = mean_of(doors)
    names = [f"copy {k + 1}" for k in range(len(reports))]
    notes = [Note.of("risk", TOGETHER, copies=len(copies))]
    averaged = None if mean is None else judge(mean, len(doors))
    if averaged is None:
        notes.append(Note.of("unreliable", NO_MEAN))
    return _merged(reports, averaged, names, notes)


def mean_of(doors: Sequence[Frame]) -> Frame | None:
    """The first copy with the mean over the copies in every numeric column that they all have; None where records do not pair."""
    first, *others = doors
    places = [np.arange(first.records)]  # by copy, where the first one's records stand in it
    for other in others:
        rows = paired_rows(first, other)
        if rows is None or len(rows[0]) != first.records or other.records != first.records:
            return None
        places.append(rows[1][np.argsort(rows[0])])
    names = [name for name in numeric_names(first) if all(name in numeric_names(other) for other in others)]
    everyone = np.ones(first.records, dtype=bool)
    means = {
        name: _mean([door.values(name)[place] for door, place in zip(doors, places, strict=True)]) for name in names
    }
    return open_frame("evaluate", first.replaced(means, everyone, (), floats=True))


def _mean(values: Sequence[Array]) -> Array:
    """(n,) the mean over copies (n,) each; where all have one value it is that, to the last digit."""
    same = np.all([copy == values[0] for copy in values], axis=0)
    return np.where(same, values[0], np.sum(values, axis=0) / len(values))


def _merged(reports: Sequence[Report], mean: Report | None, names: Sequence[str], notes: list[Note]) -> Report:
    first, made = reports[0], dict[str, Parts]()
    for key in first.keys():  # noqa: SIM118 - a Report is no mapping
        measure = MEASURES[key]
        if measure.components and all(part in made for part in measure.components):
            made[key] = measure(*(made[part] for part in measure.components))
            continue
        found = [(name, report.results[key]) for name, report in zip(names, reports, strict=True)]
        risk = measure.kind != "loss"
        if risk and mean is not None and not measure.needs_keys:
            found.append((MEAN, mean.results[key]))
        made[key] = _worst(key, found) if risk else _average(found)
    said = dict.fromkeys(note for report in reports for note in report.notes)
    verdict = worst([*(report.verdict for report in reports), *([] if mean is None else [_of_mean(mean.verdict)])])
    return replace(first, results={key: made[key] for key in first.results}, notes=(*notes, *said), verdict=verdict)


def _of_mean(verdict: Verdict) -> Verdict:
    """The tests that the mean of the copies must pass too; the others pass."""
    tests = tuple(one if one.key in OF_MEAN else Test(one.key, "not applicable") for one in verdict.tests)
    return replace(verdict, tests=tests)


def _worst(key: str, found: Sequence[tuple[str, Parts]]) -> Parts:
    """The worst of them, with each one's value among its parts."""
    lower = MEASURES[key].better == "lower"
    known = [parts for _, parts in found if not math.isnan(parts.total)] or [found[0][1]]
    worst = max(known, key=lambda parts: parts.total if lower else -parts.total)
    return replace(worst, parts=(*worst.parts, *_each(found)))


def _average(found: Sequence[tuple[str, Parts]]) -> Parts:
    """The mean over the copies; parts by name likewise, where all have them."""
    first = found[0][1]
    total = float(np.mean([parts.total for _, parts in found]))
    alike = all([part.name for part in parts.parts] == [part.name for part in first.parts] for _, parts in found)
    lines = tuple(
        replace(part, value=float(np.mean([parts.parts[k].value for _, parts in found])))
        for k, part in enumerate(first.parts if alike else ())
    )
    return replace(first, total=total, parts=(*lines, *_each(found)))


def _each(found: Sequence[tuple[str, Parts]]) -> list[Part]:
    return [Part(name, parts.total, parts.baseline) for name, parts in found]

"""Several copies of a release: each risk is the maximum over the copies and their mean, each loss their mean."""

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
from .report import Report
from .strata import mean_parts
from .verdict import Test, worst

MEAN = "their mean"
OF_MEAN = ("unprotected", "risk")  # tests of a verdict on the mean of the copies too
TOGETHER = (
    "{copies} copies are judged together: each risk is the largest over the copies and their mean, each loss the mean over "
    "the copies"
)
NO_MEAN = "the mean of the copies is not judged: their records do not pair with each other"
Judge = Callable[[Frame, int], Report]
"""Of one release its report, and which it is, from 0; the mean comes last."""


def is_copies(protected: object) -> bool:
    """Whether these are several releases, rather than one."""
    return isinstance(protected, list | tuple)


def judged_together(copies: Sequence[Any], judge: Judge) -> Report:
    """One Report of all copies. Raises InvalidParameter where there are none."""
    if not copies:
        raise InvalidParameter("evaluate", "protected", "must hold at least one copy", list(copies))
    frames = [open_data("evaluate", copy, whole=True) for copy in copies]
    reports = [judge(frame, k) for k, frame in enumerate(frames)]
    if len(reports) == 1:
        return reports[0]
    mean = mean_of(frames)
    notes = [Note.of("risk", TOGETHER, copies=len(copies))]
    averaged = None if mean is None else judge(mean, len(frames))
    if averaged is None:
        notes.append(Note.of("unreliable", NO_MEAN))
    return _merged(reports, averaged, notes)


def mean_of(frames: Sequence[Frame]) -> Frame | None:
    """The first copy with the mean over the copies in every numeric column that they all have; None where records do not pair."""
    first, *others = frames
    places = [np.arange(first.records)]  # by copy, the rows of the first one's records
    for other in others:
        rows = paired_rows(first, other)
        if rows is None or len(rows[0]) != first.records or other.records != first.records:
            return None
        places.append(rows[1][np.argsort(rows[0])])
    names = [name for name in numeric_names(first) if all(name in numeric_names(other) for other in others)]
    everyone = np.ones(first.records, dtype=bool)
    means = {}
    for name in names:
        values = [frame.values(name)[place] for frame, place in zip(frames, places, strict=True)]
        same = np.all([copy == values[0] for copy in values], axis=0)  # where all have one value the mean is that
        means[name] = np.where(same, values[0], np.sum(values, axis=0) / len(values))
    return open_frame("evaluate", first.replaced(means, everyone, (), floats=True))


def _merged(reports: Sequence[Report], mean: Report | None, notes: list[Note]) -> Report:
    """One report: of each risk the worst, of each loss the mean. mean : the report of the copies' mean, None without one."""
    first, merged = reports[0], dict[str, Parts]()
    for key in first.results:
        measure = MEASURES[key]
        if measure.components and all(part in merged for part in measure.components):
            merged[key] = measure(*(merged[part] for part in measure.components))
            continue
        results = {f"copy {k + 1}": report.results[key] for k, report in enumerate(reports)}
        if measure.kind == "loss":
            result = mean_parts(list(results.values()))
        else:
            if mean is not None and not measure.needs_keys:
                results[MEAN] = mean.results[key]
            sign = 1 if measure.better == "lower" else -1
            known = [parts for parts in results.values() if not math.isnan(parts.total)] or list(results.values())
            result = max(known, key=lambda parts: sign * parts.total)
        each = (Part(name, parts.total, parts.baseline) for name, parts in results.items())
        merged[key] = replace(result, parts=(*result.parts, *each))
    texts = dict.fromkeys(note for report in reports for note in report.notes)
    verdicts = [report.verdict for report in reports]
    if mean is not None:
        tests = (t if t.key in OF_MEAN else Test(t.key, "not applicable") for t in mean.verdict.tests)
        verdicts.append(replace(mean.verdict, tests=tuple(tests)))
    return replace(first, results=merged, notes=(*notes, *texts), verdict=worst(verdicts))

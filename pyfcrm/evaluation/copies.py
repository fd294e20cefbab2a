"""Several copies of a release: each risk is the maximum over the copies and their mean, each loss their mean."""

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data import Frame, numeric_names, open_frame, paired_rows
from ..errors import Note
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


def is_copies(protected: object) -> bool:
    """Whether these are several releases, rather than one."""
    return isinstance(protected, list | tuple)


def mean_of(frames: Sequence[Frame]) -> Frame | None:
    """The first copy with the mean over the copies in every numeric column that they all have; None where records do not pair."""
    first, *others = frames
    names = [name for name in numeric_names(first) if all(name in numeric_names(other) for other in others)]
    values = [first.matrix(names)]
    for other in others:
        rows = paired_rows(first, other)
        if rows is None or len(rows[0]) != first.records or other.records != first.records:
            return None
        values.append(other.matrix(names)[rows[1][np.argsort(rows[0])]])
    same = np.all([copy == values[0] for copy in values], axis=0)  # where all have one value the mean is that
    means = np.where(same, values[0], np.sum(values, axis=0) / len(values))
    everyone = np.ones(first.records, dtype=bool)
    return open_frame("evaluate", first.replaced(dict(zip(names, means.T, strict=True)), everyone, (), floats=True))


def merged(reports: Sequence[Report], mean: Report | None) -> Report:
    """One report of copies: of each risk the worst, of each loss the mean. mean : of the copies' mean, None without one."""
    first, together = reports[0], dict[str, Parts]()
    notes = [Note.of("risk", TOGETHER, copies=len(reports))]
    if mean is None:
        notes.append(Note.of("unreliable", NO_MEAN))
    for key in first.results:
        measure, copies = MEASURES[key], [report.results[key] for report in reports]
        if measure.components and all(part in together for part in measure.components):
            together[key] = measure(*(together[part] for part in measure.components))
            continue
        lines = [Part(f"copy {k}", parts.total, parts.baseline) for k, parts in enumerate(copies, 1)]
        if measure.kind == "loss":
            result = mean_parts(copies)
        else:
            if mean is not None and not measure.needs_keys:
                of_mean = mean.results[key]
                copies, lines = [*copies, of_mean], [*lines, Part(MEAN, of_mean.total, of_mean.baseline)]
            sign = 1 if measure.better == "lower" else -1
            result = max(copies, key=lambda parts: -math.inf if math.isnan(parts.total) else sign * parts.total)
        together[key] = replace(result, parts=(*result.parts, *lines))
    texts = dict.fromkeys(note for report in reports for note in report.notes)
    verdicts = [report.verdict for report in reports]
    if mean is not None:
        tests = (t if t.key in OF_MEAN else Test(t.key, "not applicable") for t in mean.verdict.tests)
        verdicts.append(replace(mean.verdict, tests=tuple(tests)))
    return replace(first, results=together, notes=(*notes, *texts), verdict=worst(verdicts))

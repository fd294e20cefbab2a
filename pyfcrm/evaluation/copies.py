"""Copies of a release judged together: each risk is the maximum over them and their mean, each loss their mean."""

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from ..data import Frame, numeric_names, paired_rows
from ..data.codes import factorized
from ..data.frame import FrameView
from ..errors import Note
from ..measures import MEASURES
from ..measures.measure import Part, Parts
from ..plans.limits import UTILITY, Limits
from ..types import Array, Codes
from .by_strata import mean_parts
from .report import Report
from .utility.panel.measured_utility import mean_utility
from .verdict.decision import Test, worst
from .verdict.utility_test import utility_test

MEAN = "their mean"
OF_MEAN = ("unprotected", "risk")  # tests of a verdict on the mean of the copies too
TOGETHER = (
    "{copies} copies are judged together: each risk is the largest over the copies and their mean, each loss the mean over "
    "the copies"
)
NO_MEAN = "the mean of the copies is not judged: their records do not pair with each other"


def mean_of(frames: Sequence[Frame]) -> Frame | None:
    """The first copy with the mean over the copies in every numeric column that they all have; None where records do not pair."""
    first, values = frames[0], list[Array]()
    names = [name for name in first.names if all(name in numeric_names(frame) for frame in frames)]
    for frame in frames:
        rows = paired_rows(first, frame)
        if rows is None or frame.records != first.records:
            return None
        values.append(frame.matrix(names)[rows[1]])  # in the order of the first copy
    same = np.all([copy == values[0] for copy in values], axis=0)  # where all have one value the mean is that
    means = np.where(same, values[0], np.mean(values, axis=0))
    return MeanFrame(first, dict(zip(names, means.T, strict=True)))


class MeanFrame(FrameView):
    """The first copy with other numbers (n,) by column."""

    def __init__(self, original: Frame, means: Mapping[str, Array]) -> None:
        super().__init__(original)
        self._means = means

    def kind(self, name: str) -> str:
        """See Frame.kind."""
        return "float" if name in self._means else self.original.kind(name)

    def values(self, name: str) -> Array:
        """See Frame.values."""
        return self._means[name].copy() if name in self._means else self.original.values(name)

    def codes(self, name: str) -> Codes:
        """See Frame.codes."""
        return factorized(self._means[name])[0] if name in self._means else self.original.codes(name)


def merged(reports: Sequence[Report], mean: Report | None, limits: Limits | None = None) -> Report:
    """One report of copies: of each risk the worst, of each loss the mean.

    mean : of the copies' mean, None without one; limits : those that the caller changed or added.
    """
    first = reports[0]
    results = dict[str, Parts]()
    for key in first.results:
        measure = MEASURES[key]
        if measure.components and all(part in results for part in measure.components):
            results[key] = measure(*(results[part] for part in measure.components))
        else:
            results[key] = _of_copies(key, reports, mean)
    notes = [Note.of("risk", TOGETHER, copies=len(reports))]
    verdicts = [report.verdict for report in reports]
    if mean is None:
        notes.append(Note.of("unreliable", NO_MEAN))
    else:
        tests = (t if t.key in OF_MEAN else Test(t.key, "not applicable") for t in mean.verdict.tests)
        verdicts.append(replace(mean.verdict, tests=tuple(tests)))
    utility = mean_utility([report.utility for report in reports])
    verdict = worst(verdicts)
    if limits is not None and UTILITY in limits:
        of_mean = utility_test(utility, limits)
        tests = (of_mean if test.key == UTILITY else test for test in verdict.tests)
        verdict = replace(verdict, tests=tuple(tests))
    texts = dict.fromkeys(note for report in reports for note in report.all_notes)
    return replace(
        first,
        results=results,
        all_notes=(*notes, *texts),
        verdict=verdict,
        utility=utility,
    )


def _of_copies(key: str, reports: Sequence[Report], mean: Report | None) -> Parts:
    """A measure of copies, with a part for each: the mean of a loss, the worst of a risk or score."""
    measure = MEASURES[key]
    copies = {f"copy {k}": report.results[key] for k, report in enumerate(reports, 1)}
    if measure.kind == "loss":
        result = mean_parts([*copies.values()], np.ones(len(copies)))
    else:
        if mean is not None and not measure.needs_keys:
            copies[MEAN] = mean.results[key]
        sign = 1 if measure.better == "lower" else -1

        def badness(parts: Parts) -> float:
            """Larger is worse; a copy of which the measure was not computed counts least."""
            return -math.inf if math.isnan(parts.total) else sign * parts.total

        result = max(copies.values(), key=badness)
    lines = (Part(name, parts.total, parts.baseline) for name, parts in copies.items())
    return replace(result, parts=(*result.parts, *lines))

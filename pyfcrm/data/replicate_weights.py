"""Replicate weights of a file: 8 or more columns whose names end in numbers and whose means agree."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from ..types import Codes
from .codes import crossed
from .column_facts import ColumnFacts
from .column_names import is_replicate_stem
from .frame import Frame, FrameView

REPLICATE_WEIGHTS = "replicate weights"  # all of them, as one key variable
MIN_REPLICATES = 8
MAX_LEVELS = 20  # of other columns whose names end in numbers, such as items on a scale
NAMED = 0.25  # relative distance of the means from their median, for names of replicate weights
UNNAMED = 0.05  # the same for other names, also from the mean of the survey weight
MAX_COMPARED = 5_000  # records, evenly spaced, whose ratios show the type of the replicate weights
RATIO = 1e-3  # relative, of ratios of weights that files have rounded
_NUMBERED = re.compile(r"(.*?)_?0*(\d+)")


def numbered_columns(facts: Sequence[ColumnFacts]) -> dict[str, list[ColumnFacts]]:
    """By the beginning of their names, 8 or more columns of different numbers, none negative, whose names end in numbers."""
    stems = dict[str, list[ColumnFacts]]()
    for column in facts:
        numbered = _NUMBERED.fullmatch(column.name)
        if numbered and numbered[1] and column.numeric and column.low >= 0 and column.high > column.low:
            stems.setdefault(numbered[1], []).append(column)
    return {stem: columns for stem, columns in stems.items() if len(columns) >= MIN_REPLICATES}


def replicate_groups(frame: Frame, stems: Mapping[str, Sequence[ColumnFacts]], weight: str | None) -> list[list[str]]:
    """The groups of columns that are replicate weights; first the group whose mean is nearest to that of the survey weight.

    Names of replicate weights suffice where the means of the columns agree. Other columns must have the mean of the survey weight,
    and more than 20 values each. stems : see `numbered_columns`.
    """
    mean = None if weight is None else _mean(frame, weight)
    distances = dict[str, float]()
    for stem, columns in stems.items():
        means = np.array([_mean(frame, column.name) for column in columns])
        median = float(np.median(means))
        disagreement = float(np.abs(means / median - 1).max())
        from_weight = np.inf if mean is None else abs(median / mean - 1)
        is_named = is_replicate_stem(stem) and disagreement <= NAMED
        has_values = all(column.distinct > MAX_LEVELS for column in columns)
        if is_named or (has_values and max(disagreement, from_weight) <= UNNAMED):
            distances[stem] = from_weight
    in_order = sorted(distances, key=lambda stem: distances[stem])
    return [[column.name for column in stems[stem]] for stem in in_order]


def type_of_replicates(frame: Frame, weight: str, names: Sequence[str]) -> str:
    """The type that ratios of replicate weights to the weight prove: balanced repeated replicates, Fay's, a jackknife; else ""."""
    rows = np.linspace(0, frame.records - 1, min(frame.records, MAX_COMPARED)).astype(np.intp)
    ratios = frame.matrix(names)[rows] / frame.values(weight)[rows, None]
    R = len(names)
    if not np.isfinite(ratios).all():
        return ""
    low = float(ratios.min())
    high = float(ratios.max())
    has_two = (np.minimum(np.abs(ratios - low), np.abs(ratios - high)) <= RATIO).all()
    if has_two and low < 1 - RATIO and abs(low + high - 2) <= RATIO:
        return "BRR" if low <= RATIO else "Fay"
    # A jackknife leaves each record out once.
    is_out = ratios <= RATIO
    if not (is_out.sum(axis=1) == 1).all():
        return ""
    if (np.abs(ratios[~is_out] - R / (R - 1)) <= RATIO).all():
        return "JK1"
    # With strata, other records of the stratum have m / (m - 1), those of other strata 1.
    others = np.where(is_out, 1.0, ratios)
    factors = others.max(axis=0)
    of_stratum = np.abs(others - factors) <= RATIO * factors
    return "JKn" if (of_stratum | (np.abs(others - 1) <= RATIO)).all() else ""


def _mean(frame: Frame, name: str) -> float:
    values = frame.values(name)
    return float(values[np.isfinite(values)].mean())


def joint_codes(frame: Frame, names: Sequence[str]) -> Codes:
    """(n,) codes from 0 of the combinations of several columns that records have."""
    codes = np.zeros(frame.records, dtype=np.int64)
    for name in names:
        codes = crossed(codes, frame.codes(name))
    return codes


class WithReplicates(FrameView):
    """A frame in which all replicate weights are one further column, named "replicate weights"; none without them."""

    def __init__(self, frame: Frame, names: Sequence[str]) -> None:
        super().__init__(frame)
        self._codes = joint_codes(frame, names)
        if names:
            self.names = [*frame.names, REPLICATE_WEIGHTS]

    def distinct(self, name: str, owner: str = "frame") -> tuple[Codes, list[Any]]:
        """See Frame.distinct."""
        if name != REPLICATE_WEIGHTS:
            return super().distinct(name, owner)
        return self._codes, list(range(int(self._codes.max()) + 1))

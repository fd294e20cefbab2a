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

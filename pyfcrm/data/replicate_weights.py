"""Replicate weights of a file: 8 or more columns whose names end in numbers and whose means agree."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from .column_facts import ColumnFacts
from .column_names import is_replicate_stem
from .frame import Frame

MIN_REPLICATES = 8
MAX_LEVELS = 20  # of other columns whose names end in numbers, such as items on a scale
NAMED = 0.25  # relative distance of the means from their median, for names of replicate weights
UNNAMED = 0.05  # the same for other names, also from the mean of the survey weight
_NUMBERED = re.compile(r"(.*?)_?0*(\d+)")


def replicate_groups(frame: Frame, facts: Sequence[ColumnFacts], weight: str | None) -> list[list[str]]:
    """The groups of columns that are replicate weights; first the group that goes with the survey weight.

    Names of replicate weights suffice where the means of the columns agree. Other columns must have the mean of the survey weight,
    and more than 20 values each. A weight is not negative, and not the same in all records.
    """
    stems = dict[str, list[ColumnFacts]]()
    for column in facts:
        numbered = _NUMBERED.fullmatch(column.name)
        if numbered and numbered[1] and column.numeric and column.low >= 0 and column.high > column.low:
            stems.setdefault(numbered[1], []).append(column)
    mean = None if weight is None else _mean(frame, weight)
    distances = dict[str, float]()
    for stem, columns in stems.items():
        if len(columns) < MIN_REPLICATES:
            continue
        means = np.array([_mean(frame, column.name) for column in columns])
        median = float(np.median(means))
        agree = np.abs(means - median).max() / median
        from_weight = np.inf if mean is None else abs(median - mean) / mean
        is_named = is_replicate_stem(stem) and agree <= NAMED
        has_values = all(column.distinct > MAX_LEVELS for column in columns)
        if is_named or (has_values and max(agree, from_weight) <= UNNAMED):
            distances[stem] = from_weight
    return [[column.name for column in stems[stem]] for stem in sorted(distances, key=distances.__getitem__)]


def _mean(frame: Frame, name: str) -> float:
    values = frame.values(name)
    return float(values[np.isfinite(values)].mean())

"""Levels of `preserve` columns in which a release preserves many sums for their records, a part of the test `totals`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...data.levels import levels_of
from ...numerics.kept_sums import kept_sums
from ...types import Array, Rows
from .examined_release import ExaminedRelease

MOST_SUMS = 0.2  # of a level's records: membership by exact moments then has an AUC of 57
RECORDS_A_COLUMN = 3  # of a level's own design, below which levels are joined (protection/preserve.py)


@dataclass(frozen=True)
class CrowdedLevel:
    """A level with more preserved sums than a fifth of its records."""

    label: str
    """The column and the number of the level, from 1, by size."""
    sums: int
    """The number of preserved sums."""
    records: int
    """The number of records."""

    def __str__(self) -> str:
        return f"{self.sums} sums of {self.label} with {self.records} records"


def crowded_levels(release: ExaminedRelease) -> list[CrowdedLevel]:
    """The levels of `preserve` columns in which more sums are preserved than a fifth of their records.

    With t columns and s predictors, counted by their rank in the level, these are t (1 + s) sums on (1, x); swaps also
    preserve t (t + 1) / 2 sums of squares and products. With weights that differ there are about twice as many.
    """
    sample = release.sample
    facts = release.facts
    if sample is None or facts is None or facts.keeps not in ("fits", "moments", "swaps"):
        return []
    t = len(release.compared_numbers)
    X = sample.records.X
    weight = release.weight
    weights = np.ones(len(X)) if weight is None else release.original.values(weight)[sample.originals]
    found = list[CrowdedLevel]()
    for label, rows in _levels(release, sample.originals, X, weighted=weight is not None):
        records = round(len(rows) * sample.total / len(X))
        of_level = kept_sums(X[rows], weights[rows], [])
        if facts.keeps == "swaps":
            sums = of_level.count(t)
        else:
            sums = t * (1 + of_level.columns.shape[1])
        if sums > MOST_SUMS * records:
            found.append(CrowdedLevel(label, sums, records))
    return found


def _levels(release: ExaminedRelease, originals: Rows, X: Array, *, weighted: bool) -> Iterator[tuple[str, Rows]]:
    """The levels of `preserve` columns within each stratum, small ones joined as `protect` does: their rows of the sample.

    originals : the places of the sample's records in the original. X : (n, s) their predictors.
    """
    options = release.request.options
    sample = release.sample
    assert sample is not None
    strata = sample.records.groups if options.strata else (np.arange(len(X)),)
    fewest = RECORDS_A_COLUMN * (1 + X.shape[1]) * (2 if weighted else 1)
    for name in options.preserve or ():
        if name not in release.original.names:
            continue
        levels = levels_of("evaluate", release.original, name, originals)
        for k, stratum in enumerate(strata):
            joined = levels.taken(stratum).joined(fewest)
            of_stratum = f" of stratum {k + 1}" if options.strata else ""
            for level in range(len(joined.labels)):
                yield f"{name}, level {level + 1}{of_stratum}", stratum[joined.codes == level]

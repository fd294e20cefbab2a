"""Groups in which a release preserves many sums for their records, a part of the test `totals`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...data.levels import levels_of
from ...methods.facts import Preserved
from ...numerics.kept_sums import KeptSums, kept_sums
from ...types import Array, Rows
from .examined_release import ExaminedRelease

MOST_SUMS = 0.2  # of a group's records: membership by exact moments then has an AUC of 57
VALUES_A_SUM = 3  # at least, where weighted sums are preserved (protection/preserve.py)
RECORDS_A_COLUMN = 3  # of a level's own design, below which levels are joined (protection/preserve.py)


@dataclass(frozen=True)
class CrowdedGroup:
    """A file, stratum or level with more preserved sums than a fifth of its records."""

    label: str
    """The file, the number of the stratum, or the column and the number of the level, from 1, by size."""
    sums: int
    """The number of preserved sums."""
    records: int
    """The number of records."""

    def __str__(self) -> str:
        return f"{self.sums} sums of {self.label} with {self.records} records"


def crowded_groups(release: ExaminedRelease) -> list[CrowdedGroup]:
    """The groups in which more sums are preserved than a fifth of their records: file or strata, and levels of `preserve`.

    With t columns and s predictors, counted by their rank in the group, these are t (1 + s) sums on (1, x). Swaps also
    preserve t (t + 1) / 2 sums of squares and products, exact methods those of the file or stratum alone. With weights that
    differ there are about twice as many.
    """
    sample = release.sample
    facts = release.facts
    if sample is None or facts is None or facts.keeps not in ("fits", "moments", "swaps"):
        return []
    t = len(release.compared_numbers)
    X = sample.records.X
    weight = release.weight
    weights = None if weight is None else release.original.values(weight)[sample.originals]
    found = list[CrowdedGroup]()
    for label, rows in _whole(release):
        records = round(len(rows) * sample.total / len(X))
        sums = _sums_of_whole(X[rows], None if weights is None else weights[rows], t, records, keeps=facts.keeps)
        if sums > MOST_SUMS * records:
            found.append(CrowdedGroup(label, sums, records))
    for label, rows in _levels(release, sample.originals, X, weighted=weights is not None):
        records = round(len(rows) * sample.total / len(X))
        of_level = kept_sums(X[rows], None if weights is None else weights[rows], [])
        # Of the methods that preserve cross sums only swaps do so within levels.
        sums = _count(of_level, t, "swaps" if facts.keeps == "swaps" else "fits")
        if sums > MOST_SUMS * records:
            found.append(CrowdedGroup(label, sums, records))
    return found


def _count(sums: KeptSums, t: int, keeps: Preserved) -> int:
    """The number of sums of t columns that a method preserves. Only swaps preserve weighted cross sums."""
    if keeps == "swaps":
        return sums.count(t)
    cross_sums = t * (t + 1) // 2 if keeps == "moments" else 0
    return t * (1 + sums.columns.shape[1]) + cross_sums


def _sums_of_whole(X: Array, weights: Array | None, t: int, records: int, *, keeps: Preserved) -> int:
    """The number of preserved sums of a file or stratum: X (n, s) and weights (n,) of its records in the sample.

    Weighted sums are preserved where they are few enough, see `protect`. Without them swaps choose at most a tenth of the
    records, and then there are none to count.
    """
    plain = 0 if keeps == "swaps" else _count(kept_sums(X, None, []), t, keeps)
    if weights is None:
        return plain
    weighted = kept_sums(X, weights, [])
    weighted_count = weighted.count(t) if keeps == "swaps" else t * (1 + weighted.columns.shape[1])
    if VALUES_A_SUM * weighted_count > t * records:
        return plain
    return _count(weighted, t, keeps)


def _whole(release: ExaminedRelease) -> Iterator[tuple[str, Rows]]:
    """The file, or each of its strata: its rows of the sample."""
    assert release.sample is not None
    if not release.request.options.strata:
        yield "the file", np.arange(len(release.sample.records.X))
        return
    for k, stratum in enumerate(release.sample.records.groups):
        yield f"stratum {k + 1}", stratum


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

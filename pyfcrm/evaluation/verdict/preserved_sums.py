"""Groups in which a release preserves many sums for their records, a part of the test `totals`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.levels import levels_of
from ...methods.facts import Preserved
from ...methods.method import NO_ROLES
from ...numerics.kept_sums import RECORDS_A_COLUMN, SHARE, VALUES_A_SUM, KeptLevels, kept_levels, kept_sums
from ...types import Array, Mask, Rows
from .examined_release import ExaminedRelease

MOST_SUMS = 0.2  # of a group's records: membership by exact moments then has an AUC of 57
EXACT = ("fits", "moments")  # what methods preserve exactly


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
    differ there are about twice as many. Levels with less than ten records for each sum have t sums, their means.
    """
    sample = release.sample
    facts = release.facts
    if sample is None or facts is None or facts.keeps not in ("fits", "moments", "swaps"):
        return []
    weight = release.weight
    weights = None if weight is None else release.original.values(weight)[sample.originals]
    found = list[CrowdedGroup]()
    for label, rows in _whole(release):
        group = Group(
            X=sample.records.X[rows],
            weights=None if weights is None else weights[rows],
            t=len(release.compared_numbers),
            times=sample.total / len(sample.records.X),
            keeps=facts.keeps,
            moved=_moved(release),
        )
        if not group.keeps_weighted_sums(by_role=weight == release.request.weights):
            group = replace(group, weights=None)
        levels = list(_levels(release, sample.originals[rows], group))
        where = f" of {label}" if release.request.options.strata else ""
        found += _crowded(label, group.sums(levels), group.records)
        for of_column in levels:
            for level in range(len(of_column.kept.means_only)):
                members = of_column.kept.indicators[:, level] > 0
                records = round(members.sum() * group.times)
                sums = group.sums_of_level(members, means_only=bool(of_column.kept.means_only[level]))
                found += _crowded(f"{of_column.name}, level {level + 1}{where}", sums, records)
    return found


def _moved(release: ExaminedRelease) -> Preserved:
    """What the method preserves whose release is moved: on average where it has such a form."""
    moved = None if release.method is None else release.method.wrapped
    if moved is None:
        return ""
    return moved.on_average().facts(release.roles or NO_ROLES).keeps


def _crowded(label: str, sums: int, records: int) -> list[CrowdedGroup]:
    """The group, if it has too many sums."""
    return [CrowdedGroup(label, sums, records)] if sums > MOST_SUMS * records else []


@dataclass(frozen=True)
class Group:
    """The file or a stratum: its records in the sample."""

    X: Array
    """(n, s) the predictors."""
    weights: Array | None
    """(n,) survey weights by which sums are preserved too, or None."""
    t: int
    """The number of released columns."""
    times: float
    """Records of the file for each one of the sample."""
    keeps: Preserved
    """What the method preserves."""
    moved: Preserved
    """What the method preserves whose release is moved, where swaps choose their sums."""

    @property
    def records(self) -> int:
        """The number of records of the file."""
        return round(len(self.X) * self.times)

    @property
    def cross(self) -> bool:
        """Whether weighted cross sums, and those of levels, are preserved."""
        return self.keeps == "swaps"

    def keeps_weighted_sums(self, *, by_role: bool) -> bool:
        """Whether weighted sums are preserved: where they are few enough, see `protect`. by_role : they were not asked for."""
        if self.weights is None:
            return False
        count = kept_sums(self.X, self.weights, []).count(self.t, cross=self.cross)
        if by_role and count > SHARE * self.records:
            return False
        return VALUES_A_SUM * count <= self.t * self.records

    def sums(self, levels: Sequence[LevelsOfColumn]) -> int:
        """The number of preserved sums with those of levels.

        Without weights and levels swaps choose at most a tenth of the records. The ranks of a method that has no form on average
        then nearly restore its sums, and these count.
        """
        keeps = self.keeps
        if keeps == "swaps" and self.weights is None and not levels:
            keeps = self.moved
            if keeps not in EXACT:
                return 0
        kept = kept_sums(self.X, self.weights, [of_column.kept for of_column in levels])
        squares = self.t * (self.t + 1) // 2 if keeps == "moments" else 0
        return kept.count(self.t, cross=keeps == "swaps") + squares

    def sums_of_level(self, members: Mask, *, means_only: bool) -> int:
        """The number of preserved sums of the members (n,) of a level."""
        weights = None if self.weights is None else self.weights[members]
        if means_only:
            return kept_sums(self.X[members, :0], weights, []).count(self.t, cross=False)
        return kept_sums(self.X[members], weights, []).count(self.t, cross=self.cross)


@dataclass(frozen=True)
class LevelsOfColumn:
    """The levels of a `preserve` column."""

    name: str
    """The column."""
    kept: KeptLevels
    """What is preserved in them."""


def _whole(release: ExaminedRelease) -> Iterator[tuple[str, Rows]]:
    """The file, or each of its strata: its rows of the sample."""
    assert release.sample is not None
    if not release.request.options.strata:
        yield "the file", np.arange(len(release.sample.records.X))
        return
    for k, stratum in enumerate(release.sample.records.groups):
        yield f"stratum {k + 1}", stratum


def _levels(release: ExaminedRelease, originals: Rows, group: Group) -> Iterator[LevelsOfColumn]:
    """The levels of `preserve` columns in a group, small ones joined as `protect` does.

    originals : the places of the group's records in the original.
    """
    fewest = RECORDS_A_COLUMN * (1 + group.X.shape[1]) * (1 if group.weights is None else 2)
    for name in release.request.options.preserve or ():
        if name not in release.original.names:
            continue
        joined = levels_of("evaluate", release.original, name, originals).joined(math.ceil(fewest / group.times))
        kept = kept_levels(group.X, group.weights, joined.indicators, group.t, cross=group.cross, times=group.times)
        yield LevelsOfColumn(name=name, kept=kept)

"""New households of a public file: how many of each size there are is drawn, and which drawn households are released."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ..data import Frame
from ..data.wide import Group
from ..errors import Note
from ..rstream import RStream
from ..types import Codes, Integers, Rows

FEWEST = 10  # households of a size or larger, from which on a released one may be as large
DRAWN = "the sizes of households are drawn, so that the file has {count} records in place of {total}"
CUT = (
    "{count} of the drawn households had more members than all but a few of the file: those beyond {most} are left out"
)

GroupRelease = Callable[[bool], Frame]
"""Protects the wide file of a group once more; True for the first time, whose notes are kept."""


@dataclass(frozen=True)
class Households:
    """Some households of one release of a group's wide file."""

    group: Group
    """The group."""
    wide: Frame
    """The released wide file, a record for each of the group's households."""
    units: Rows
    """(m,) the records of the wide file that are released."""
    sizes: Integers
    """(m,) the number of members of each, the first ones of the record."""

    def member_rows(self) -> Rows:
        """(k,) for each released member, household by household, an original record of which every cell is replaced."""
        return np.concatenate([self.group.rows[unit, :size] for unit, size in zip(self.units, self.sizes, strict=True)])

    def in_order(self, periods: Sequence[np.ndarray]) -> np.ndarray:
        """The cells (k,) of the released members, as `member_rows` has them. periods : of each period the cells (N,) of all units."""
        cells = np.array(periods, dtype=np.asarray(periods[0]).dtype)[:, self.units].T  # (m, T)
        is_member = np.arange(len(periods)) < self.sizes[:, None]
        return cells[is_member]


def drawn_households(
    groups: Sequence[Group], releases: Sequence[GroupRelease], stream: RStream, notes: list[Note]
) -> list[Households]:
    """Households of all groups, as many together as the file has.

    A household is of a group, of its size in most cases, with the group's share of the households. Where a group needs more
    than its wide file has, it is protected again. Draws: a uniform for each household, and a sample for each release of a group.
    """
    shares = np.array([len(group.rows) for group in groups], dtype=float)
    total = int(shares.sum())
    ends = np.cumsum(shares) / total
    counts = np.bincount(
        np.searchsorted(ends, stream.runif(total), side="right").clip(max=len(groups) - 1), minlength=len(groups)
    )
    found = list[Households]()
    cut = 0
    most = 0
    for group, release, count in zip(groups, releases, counts.tolist(), strict=True):
        own_sizes = (group.rows >= 0).sum(axis=1)
        largest = _largest(own_sizes)
        left = count
        while left > 0:
            wide = release(left == count)
            number = min(left, len(group.rows))
            units = stream.sample_int(len(group.rows), number) - 1
            sizes = np.minimum(own_sizes[units], largest)
            found.append(Households(group, wide, units, sizes))
            left -= number
            if (own_sizes[units] > largest).any():
                cut += int((own_sizes[units] > largest).sum())
                most = largest
    if cut:
        notes.append(Note.of("recoded", CUT, count=cut, most=most))
    return found


def _largest(sizes: Integers) -> int:
    """The largest size of a released household: that many or more members have at least ten households, or all if they are fewer."""
    by_size = np.sort(sizes)
    return int(by_size[-min(FEWEST, len(sizes))])


def ids_of(households: Sequence[Households]) -> Codes:
    """(N,) the household of each released record, from 0."""
    return np.repeat(
        np.arange(sum(len(each.units) for each in households)), np.concatenate([each.sizes for each in households])
    )


def new_ids(columns: Mapping[str, Codes], stream: RStream) -> dict[str, Integers]:
    """By column new ids (N,) from 1 in random order, of codes (N,) from 0. Draws: a permutation for each column."""
    return {name: np.asarray(stream.sample_int(int(codes.max()) + 1))[codes] for name, codes in columns.items()}

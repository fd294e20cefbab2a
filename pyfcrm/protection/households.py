"""New households of a public file: how many there are of each size is drawn."""

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
DRAWN = "households are new, and their sizes are drawn: the release has {count} records in place of {total}"
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
    """(N,) the records of it that are released."""
    sizes: Integers
    """(N,) the number of members of each, the first ones of the record."""

    def member_rows(self) -> Rows:
        """(k,) for each released member, household by household, an original record of which every cell is replaced."""
        return np.concatenate([self.group.rows[unit, :size] for unit, size in zip(self.units, self.sizes, strict=True)])

    def in_order(self, periods: Sequence[np.ndarray]) -> np.ndarray:
        """The cells (k,) of the released members, as `member_rows` has them. periods : of each period the cells of all units."""
        cells = np.array(periods, dtype=np.asarray(periods[0]).dtype)[:, self.units].T  # (N, T)
        is_member = np.arange(len(periods)) < self.sizes[:, None]
        return cells[is_member]


def drawn_households(
    groups: Sequence[Group], releases: Sequence[GroupRelease], stream: RStream, notes: list[Note]
) -> list[Households]:
    """Households of all groups, as many together as the file has.

    A household is of a group, in most cases those of one size, with the group's share of the households. Were there as many of each size
    as in the file, who knows all households but one would learn the size of this one. In a group of several sizes, each of which
    few have, sizes are drawn from these. A group that needs more households than its wide file has is protected again.

    Draws: a uniform for each household. By group those of each of its releases, each with a sample of its households, then, where these
    have several sizes, with a sample of sizes.
    """
    shares = np.array([len(group.rows) for group in groups])
    total = int(shares.sum())
    place = np.floor(stream.runif(total) * total)
    counts = np.bincount(np.searchsorted(np.cumsum(shares), place, side="right"), minlength=len(groups))
    found = list[Households]()
    cut = 0
    most = 0
    for group, release, count in zip(groups, releases, counts.tolist(), strict=True):
        own_sizes = (group.rows >= 0).sum(axis=1)
        largest = _largest(own_sizes)
        left = count
        while left > 0:
            wide = release(left == count)
            number = min(left, len(own_sizes))
            units = stream.sample_int(len(own_sizes), number) - 1
            sizes = own_sizes[units]
            if np.ptp(own_sizes) > 0:
                sizes = own_sizes[stream.sample_int(len(own_sizes), number, replace=True) - 1]
            if (sizes > largest).any():
                cut += int((sizes > largest).sum())
                most = largest
            found.append(Households(group, wide, units, np.minimum(sizes, largest)))
            left -= number
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
        np.arange(sum(len(each.sizes) for each in households)), np.concatenate([each.sizes for each in households])
    )


def new_ids(columns: Mapping[str, Codes], stream: RStream) -> dict[str, Integers]:
    """By column new ids (N,) from 1 in random order, of codes (N,) from 0. Draws: a permutation for each column."""
    return {name: np.asarray(stream.sample_int(int(codes.max()) + 1))[codes] for name, codes in columns.items()}

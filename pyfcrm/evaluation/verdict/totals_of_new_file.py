"""The test `totals` of a file whose records pair with no original ones: totals of the whole file, and its extremes."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...data.codes import combinations
from ...data.pairs import key_codes
from ...data.preserved_totals import P, UnsafeTotal
from ...data.strata import Strata, strata_codes
from ...data.units import unit_codes
from ...errors import InvalidInput
from ...methods import Method
from ...methods.method import NO_ROLES
from ...methods.work import NumberWork, SumWork
from ...rstream import RStream
from ...types import Array, Rows
from ..systematic_sample import systematic_sample
from .examined_release import STREAM_SEED, ExaminedRelease
from .extremes_test import DecidedExtreme, RepeatedReleases, examined_columns, units_near_extreme


def file_totals(release: ExaminedRelease) -> tuple[int, list[UnsafeTotal]]:
    """The number of preserved totals of the whole file, and the unsafe ones: sums of columns, and of squared deviations.

    The released sum is that of as many records as the original has.
    """
    preserved = 0
    unsafe = list[UnsafeTotal]()
    for name in release.numbers:
        y, z = _known(release.original.values(name)), _known(release.protected.values(name))
        if not len(y) or not len(z):
            continue
        sums = (
            ("all records", y, z.mean()),
            ("the squared deviations of all records", (y - y.mean()) ** 2, z.var()),
        )
        for cell, parts, released_mean in sums:
            sizes = np.abs(parts)
            if abs(len(parts) * released_mean - parts.sum()) >= P / 100 * sizes.max():
                continue
            preserved += 1
            total = UnsafeTotal.of(name, cell, sizes)
            if total is not None:
                unsafe.append(total)
    return preserved, unsafe


def _known(values: Array) -> Array:
    """The values that are not missing."""
    return values[np.isfinite(values)]


@dataclass(frozen=True)
class NewExtremes:
    """Extremes of a new file that are near the value of a single unit."""

    decided: tuple[DecidedExtreme, ...]
    """Those that one unit decides."""
    not_examined: tuple[str, ...]
    """Columns whose releases cannot be repeated, such as those of a third party's generator."""


def new_extremes(release: ExaminedRelease) -> NewExtremes:
    """The columns of which one unit decides the released extreme, by releases of each column by itself.

    As decided_extremes(), but the column is released without predictors and other columns, as no record of the release has
    those of an original one. An extreme that is not near a unit's value discloses nothing of it, whatever the method.
    """
    stream = RStream(STREAM_SEED)
    decided = list[DecidedExtreme]()
    not_examined = list[str]()
    for name, method in examined_columns(release):
        for stratum, old, new in _groups(release):
            column = _Column.of(release, name, old, new)
            if not column.candidates:
                continue
            outcome = column.is_decided(method, stream)
            if outcome is None and name not in not_examined:
                not_examined.append(name)
            if outcome:
                decided.append(DecidedExtreme(name, stratum))
    return NewExtremes(tuple(decided), tuple(not_examined))


@dataclass(frozen=True)
class _Column:
    """A column of one stratum: at most 5,000 values, those near an extreme among them."""

    y: Array
    """Original values (m,) without gaps."""
    candidates: list[Rows]
    """The places among them of each unit whose value is near the released extreme."""

    @classmethod
    def of(cls, release: ExaminedRelease, name: str, old: Rows, new: Rows) -> "_Column":
        """A column of some records of the original and of the release."""
        y = release.original.values(name)[old]
        z = _known(release.protected.values(name)[new])
        known = np.flatnonzero(np.isfinite(y))
        if len(known) < 2 or not len(z):
            return cls(y[known], [])
        y = y[known]
        units = None if release.roles is None else unit_codes(release.original, release.roles, old[known])
        candidates = units_near_extreme(y, z, units)
        one_stratum = np.zeros(len(y), dtype=np.int64)
        chosen = systematic_sample(one_stratum, units, RStream(STREAM_SEED))
        chosen = np.unique(np.concatenate([chosen, *candidates]))
        return cls(y[chosen], [np.searchsorted(chosen, unit) for unit in candidates])

    def is_decided(self, method: Method, stream: RStream) -> bool | None:
        """Whether one of the units decides the extreme; None where the method makes no release of one column."""
        work = method.work(NO_ROLES, None)
        if not isinstance(work, NumberWork | SumWork):
            return None
        repeated = RepeatedReleases(
            work=work, X=np.empty((len(self.y), 0)), Y=self.y[:, None], stream=stream, by_column=True
        )
        try:
            return any(repeated.is_decided(0, unit) for unit in self.candidates)
        except InvalidInput:  # a method that names other columns, or needs more records
            return None


def _groups(release: ExaminedRelease) -> Iterator[tuple[int | None, Rows, Rows]]:
    """The number of each stratum, from 1, and its records in both files; all records, and None, without strata.

    The whole release belongs to each stratum where it does not have the columns of the strata.
    """
    original, protected = release.original, release.protected
    names = tuple(release.request.options.strata or ())
    everything = np.arange(protected.records)
    if not names:
        yield None, np.arange(original.records), everything
        return
    strata = Strata.of((), strata_codes("evaluate, original", original, names, "drop")).rows
    if not {*names} <= {*protected.names}:
        for k, rows in enumerate(strata):
            yield k + 1, rows, everything
        return
    both = combinations(np.vstack(key_codes("evaluate", original, protected, names)))
    of_original, of_release = both[: original.records], both[original.records :]
    for k, rows in enumerate(strata):
        yield k + 1, rows, np.flatnonzero(of_release == of_original[rows[0]])

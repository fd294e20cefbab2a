"""Released extremes that one unit decides, a part of the test `totals`."""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from ...data.inferred import described
from ...data.strata import Strata
from ...errors import InvalidInput
from ...methods import Method
from ...methods.extremes import MOST, Extremes, excess_of_unit, largest_excess, largest_units
from ...methods.method import NO_ROLES
from ...methods.work import NumberWork, Run, SumWork
from ...rstream import RStream
from ...types import Array, Rows
from ..encoded_files import plain_cells
from ..risk.attributable import Sample
from .examined_release import STREAM_SEED, ExaminedRelease

KINDS = ("amount", "count")  # of variables with a natural zero
RELEASES = 20  # of a method that does not set the margin of a column by itself, with a unit and without


@dataclass(frozen=True)
class DecidedExtreme:
    """A column of which one unit decides the largest released value."""

    column: str
    """The column."""
    stratum: int | None
    """The number of the stratum, from 1; None without strata."""

    def __str__(self) -> str:
        where = "" if self.stratum is None else f" of stratum {self.stratum}"
        return f"one unit decides the extreme of {self.column}{where}"


def decided_extremes(release: ExaminedRelease) -> list[DecidedExtreme]:
    """The columns whose released extreme one unit decides, by stratum where the release is made by strata.

    Margins are drawn from all records and without the unit, for the three units with the largest values. A unit decides
    the extreme if the share of margins whose extreme is within 10 per cent of its value exceeds that without it by more
    than 50 points. Methods that set no margins release the sample's records 20 times with the unit and 20 times without.
    """
    stream = RStream(STREAM_SEED)
    plain = plain_cells(release.original)
    names = [name for name in release.compared_numbers if described(plain, name).kind in KINDS]
    found = list[DecidedExtreme]()
    for name in names:
        method = (
            None if release.roles is None or release.method is None else release.method.treating(name, release.roles)
        )
        if method is None or release.facts is None or release.facts.privacy is not None:
            continue
        if method.extremes(np.arange(2.0), RStream(STREAM_SEED)) is not None:
            excesses = _by_margins(release, method, name, stream)
        else:
            excesses = _by_releases(release, method, name, stream)
        found.extend(DecidedExtreme(name, stratum) for stratum, excess in excesses if excess > MOST)
    return found


def _by_margins(
    release: ExaminedRelease, method: Method, name: str, stream: RStream
) -> Iterator[tuple[int | None, float]]:
    """The excess of each stratum, from margins of the column by itself."""
    assert release.rows is not None
    y = release.original.values(name)[release.rows[0]]
    by_strata = bool(release.request.options.strata)
    for k, rows in enumerate(Strata.of((), release.strata_codes).rows):
        known = rows[np.isfinite(y[rows])]
        if len(known) < 2:
            continue
        units = None if release.units is None else release.units[known]
        yield (k + 1 if by_strata else None), largest_excess(y[known], _extremes_of(method), stream, units)


def _extremes_of(method: Method) -> Extremes:
    """The ends of margins of a column by a method that sets them."""

    def extremes(y: Array, stream: RStream) -> Array:
        found = method.extremes(y, stream)
        assert found is not None
        return found

    return extremes


def _by_releases(
    release: ExaminedRelease, method: Method, name: str, stream: RStream
) -> Iterator[tuple[int | None, float]]:
    """The excess of each stratum of the sample, from releases of all its numbers."""
    sample = release.sample
    if sample is None or np.isnan(sample.records.Y).any():
        return
    work = method.work(release.roles or NO_ROLES, None)
    if not isinstance(work, NumberWork | SumWork):
        return
    j = release.compared_numbers.index(name)
    by_strata = bool(release.request.options.strata)
    for k, rows in enumerate(sample.records.groups):
        units = None if sample.records.unit is None else sample.records.unit[rows]
        y = sample.records.Y[rows, j]
        candidates = largest_units(y, units)
        if not candidates:
            continue
        try:
            with_unit = _released_ends(work, sample, rows, j, stream)
            excesses = [
                excess_of_unit(y, unit, with_unit, _released_ends(work, sample, np.delete(rows, unit), j, stream))
                for unit in candidates
            ]
        except InvalidInput:  # a method that names columns which are not evaluated, or needs more records
            return
        yield (k + 1 if by_strata else None), max(excesses)


def _released_ends(work: NumberWork | SumWork, sample: Sample, rows: Rows, j: int, stream: RStream) -> Array:
    """The smallest and the largest value of column j in each of 20 releases of some records (20, 2)."""
    X, Y = sample.records.X[rows], sample.records.Y[rows]
    ends = np.empty((RELEASES, 2))
    for i in range(RELEASES):
        released = work.release(X, Y, Run(stream, terms=sample.records.terms))[:, j]
        ends[i] = released.min(), released.max()
    return ends

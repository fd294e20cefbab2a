"""Released extremes that one unit decides, a part of the test `totals`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...data.inferred import described
from ...data.strata import Strata
from ...errors import InvalidInput
from ...methods import Method
from ...methods.extremes import MOST, excess_of_unit, largest_excess, largest_units, share_near
from ...methods.method import NO_ROLES
from ...methods.work import NumberWork, Run, SumWork
from ...rstream import RStream
from ...types import Array, Codes, Rows, Terms
from ..encoded_files import plain_cells
from .examined_release import STREAM_SEED, ExaminedRelease

KINDS = ("amount", "count")  # of variables with a natural zero


@dataclass(frozen=True)
class Look:
    """What is decided after some releases of a method that does not set the margin of a column by itself."""

    releases: int
    """Releases with the unit, and as many without."""
    cleared: float
    """The excess up to which the unit does not decide the extreme."""
    decided: float
    """The excess above which the unit decides the extreme; between the two, more releases are made."""


LOOKS = (Look(5, cleared=0.2, decided=1.0), Look(10, cleared=0.3, decided=0.9), Look(20, cleared=MOST, decided=MOST))


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
    than 50 points. Methods that set no margins release the sample's records up to 20 times with the unit, where the extreme of
    this release is near the unit's value. Where most of these are near it too, they are released as often without the unit. Fewer
    times, where few leave no doubt.
    """
    stream = RStream(STREAM_SEED)
    found = list[DecidedExtreme]()
    by_releases = list[tuple[Method, list[str]]]()
    for name, method in examined_columns(release):
        if method.extremes(np.arange(2.0)) is not None:
            excesses = _by_margins(release, method, name, stream)
            found.extend(DecidedExtreme(name, stratum) for stratum, excess in excesses if excess > MOST)
        elif by_releases and by_releases[-1][0] == method:
            by_releases[-1][1].append(name)
        else:
            by_releases.append((method, [name]))
    for method, names in by_releases:
        found.extend(_by_releases(release, method, names, stream))
    return found


def examined_columns(release: ExaminedRelease) -> Iterator[tuple[str, Method]]:
    """The released columns with a natural zero, each with the method that treats it; none under a privacy budget."""
    if release.roles is None or release.method is None or release.facts is None or release.facts.privacy is not None:
        return
    plain = plain_cells(release.original)
    for name in release.compared_numbers:
        method = release.method.treating(name, release.roles)
        if method is not None and described(plain, name).kind in KINDS:
            yield name, method


def units_near_extreme(y: Array, z: Array, units: Codes | None) -> list[Rows]:
    """The records of each large unit of y (n,) near whose value an extreme of the release z (m,) is.

    Another extreme discloses nothing of it. units : (n,) see largest_units.
    """
    ends = np.array([[np.nanmin(z), np.nanmax(z)]])
    return [unit for unit in largest_units(y, units) if share_near(y, unit, ends) > 0]


def _by_margins(
    release: ExaminedRelease, method: Method, name: str, stream: RStream
) -> Iterator[tuple[int | None, float]]:
    """The excess of each stratum, from margins of the column by itself."""
    assert release.rows is not None
    y = _as_it_comes(release, method, name)[release.rows[0]]
    by_strata = bool(release.request.options.strata)
    for k, rows in enumerate(Strata.of((), release.strata_codes).rows):
        known = rows[np.isfinite(y[rows])]
        if len(known) < 2:
            continue
        units = None if release.units is None else release.units[known]
        extremes = method.extremes(y[known])
        assert extremes is not None
        excess = largest_excess(y[known], extremes, stream, units, cleared=MOST)
        yield (k + 1 if by_strata else None), excess


def _as_it_comes(release: ExaminedRelease, method: Method, name: str) -> Array:
    """The original column (n,) as it comes to the method that treats it: coded by the steps before."""
    assert release.method is not None
    assert release.roles is not None
    y = release.original.values(name)
    for step, roles in release.method.parts(release.roles):
        if step is method:
            break
        if name in step.columns(roles):
            y = step.coded(name, y)
    return y


def _by_releases(
    release: ExaminedRelease, method: Method, names: Sequence[str], stream: RStream
) -> Iterator[DecidedExtreme]:
    """The decided extremes of columns of one method, by releases of all numbers of the sample."""
    sample = release.sample
    if sample is None or np.isnan(sample.records.Y).any():
        return
    work = method.work(release.roles or NO_ROLES, None)
    if not isinstance(work, NumberWork | SumWork):
        return
    by_strata = bool(release.request.options.strata)
    for k, rows in enumerate(sample.records.groups):
        repeated = RepeatedReleases(
            work=work,
            X=sample.records.X[rows],
            Y=sample.records.Y[rows],
            terms=sample.records.terms,
            stream=stream,
            by_column=method.by_column,
        )
        units = None if sample.records.unit is None else sample.records.unit[rows]
        for name in names:
            j = release.compared_numbers.index(name)
            candidates = units_near_extreme(sample.records.Y[rows, j], sample.Z[rows, j], units)
            try:
                decided = any(repeated.is_decided(j, unit) for unit in candidates)
            except InvalidInput:  # a method that names columns which are not evaluated, or needs more records
                return
            if decided:
                yield DecidedExtreme(name, k + 1 if by_strata else None)


@dataclass(frozen=True, kw_only=True)
class RepeatedReleases:
    """Releases of some records by one method, with all of them and without some: each kind is made once for all columns."""

    work: NumberWork | SumWork
    """The release of numbers."""
    X: Array
    """Predictors of the records (m, s)."""
    Y: Array
    """Their numbers (m, t)."""
    terms: Terms = ()
    """The positions in X of the columns of each category."""
    stream: RStream
    """The stream of the draws."""
    by_column: bool
    """Whether the method releases each column as if it were the only one: then only the examined column is released."""
    made: dict[tuple[tuple[int, ...], int | None], list[Array]] = field(default_factory=dict)
    """The ends of the columns (t, 2) in each release so far, by the places of the records left out; of one column (1, 2)
    where the key has it."""

    def is_decided(self, j: int, unit: Rows) -> bool:
        """Whether some records, places among the m, decide the extreme of column j."""
        y = self.Y[:, j]
        # The excess is at most the share of extremes near the value: where it is small, no release without the unit is needed.
        # Releases with the unit come first, as those of one method serve all units and columns.
        for look in LOOKS:
            with_unit = self.ends(j, (), look.releases)
            if share_near(y, unit, with_unit) <= look.cleared:
                return False
        left_out = tuple(unit.tolist())
        for look in LOOKS:
            excess = excess_of_unit(y, unit, with_unit, self.ends(j, left_out, look.releases))
            if excess <= look.cleared:
                return False
            if excess > look.decided:
                return True
        raise AssertionError("the last look leaves nothing undecided")

    def ends(self, j: int, left_out: tuple[int, ...], releases: int) -> Array:
        """The smallest and the largest value of column j in the first releases without some records (releases, 2)."""
        made = self.made.setdefault((left_out, j if self.by_column else None), [])
        if len(made) < releases:
            leave_out = np.array(left_out, dtype=int)
            X = np.delete(self.X, leave_out, axis=0)
            Y = np.delete(self.Y, leave_out, axis=0)
            if self.by_column:
                Y = Y[:, [j]]
        while len(made) < releases:
            released = self.work.release(X, Y, Run(self.stream, terms=self.terms))
            made.append(np.column_stack([released.min(axis=0), released.max(axis=0)]))
        place = 0 if self.by_column else j
        return np.array([ends[place] for ends in made[:releases]])

"""Calibration: any method's release, brought to the original's moments and margins in turn, until neither moves."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import numpy as np

from ..engine import Engine
from ..engine.threads import side_by_side
from ..errors import InvalidParameter, Note
from ..linkage.informed import Attack
from ..numerics.sorting import placed_by_rank
from ..progress import Course, OnStep, Say, ignore, ignore_steps
from ..rstream import RStream
from ..types import Array
from .margins import observed_margin, smooth_margin
from .method import Method, Threaded, protected
from .moments_map import Moments, moments_of
from .parameter import param, rules
from .permutation import OUTSIDE_RANGE

HOLDS = 0.01  # standard deviations: margins this near count as the wanted ones
STILL = 0.98  # a round that leaves more than this of the distance is the last
# Of the way to the moments, since the margins take part of it back: a third of the rounds lead as near, or nearer.
BEYOND = 1.5
BY_TABLE = 200_000  # records from which the first rounds place by a table instead of a sort
SORTED = 2  # rounds that sort after those
FEW = (0.2, 0.4, 0.6, 0.8)  # shares of the records that may bear the moments by themselves
HEAP = 3  # records from which an extreme value is no single record's
FAR = 0.25  # standard deviations: none of their values may move by more
MARGINS: dict[str, Callable[[Array], Array]] = {"smooth": smooth_margin, "original": observed_margin}
WRAPS = "a method that replaces numbers one for one, such as IPSO(kind='C')"

FAR_FROM_MARGINS = (
    "calibration did not converge (rounds = {rounds}): the margins are still {distance:.2g} standard deviations from "
    "those wanted (root mean square, worst attribute)"
)
LOW_RANK = "residuals of rank {count} cannot have the original's covariance, of rank {total}: only part is kept"
FEW_MOVED = "the moments were reached by moving {count} of {total} records; the others have observed values"
OBSERVED_MARGINS = (
    f"margins are the observed values: {{count}} of {{total}} values are, to {HOLDS:g} standard deviations, "
    "the observed value of their rank"
)
OBSERVED = "{count} of {total} values are observed values of their attribute"
EXTREMES = (
    "{count} of {total} values, rounded where the original's are whole numbers, equal the smallest or largest original "
    f"value of {{attributes}}; {{alone}} of them one that fewer than {HEAP} records have"
)


def alternated(
    moments: Moments, targets: Array, Z: Array, rounds: int, told: OnStep = ignore_steps, engine: Engine | None = None
) -> tuple[Array, float]:
    """Z (n, t) brought to the moments and to the targets (n, t), sorted by column, in turn; at most `rounds` times.

    Long files place by a table (see placing_kernels) as long as that helps, then sort twice. told : of the rounds done;
    engine : for threads.
    Returns a release (n, t), the targets in some order, and how far its margins move once it is given the moments:
    standard deviations, root mean square, the worst attribute.
    """
    fit = moments.fit
    wanted, sd = np.asfortranarray((targets - fit.center) / fit.scale), targets.std(axis=0) / fit.scale
    work = _Alternation(moments, wanted, np.where(sd > 0, sd, 1.0), rounds, told, engine)
    # In the original's units of norm 1; by columns, as they are placed.
    z = moments.nearly_given_to((Z - fit.center) / fit.scale, engine=engine)
    if len(Z) >= BY_TABLE and rounds > SORTED:
        z = work.in_turn(z, range(rounds - SORTED), by_table=True)
        z = moments.nearly_given_to(z, BEYOND, engine)
        z = work.in_turn(z, range(rounds - SORTED, rounds))
    else:
        z = work.in_turn(z, range(rounds))
    told(rounds, rounds)
    distance = work.apart(moments.nearly_given_to(z, engine=engine))
    z *= fit.scale
    z += fit.center
    return z, distance


@dataclass(frozen=True)
class _Alternation:
    """What every round works with: wanted (n, t), the sorted targets, by columns; sd (t,), theirs; see alternated."""

    moments: Moments
    wanted: Array
    sd: Array
    most: int
    told: OnStep
    engine: Engine | None

    def in_turn(self, z: Array, rounds: range, by_table: bool = False) -> Array:
        """z (n, t), about at the moments, placed by rank, and again after each step towards them, until that is still."""
        last = [np.inf] * (1 + by_table)  # rounds by table are cheap, and not as even
        for k in rounds:
            self.told(k, self.most)
            z = z if k == rounds.start else self.moments.nearly_given_to(z, BEYOND, self.engine)
            last.append(self.placed(z, by_table))
            if last[-1] > STILL * last.pop(0):
                break
        return z

    def placed(self, z: Array, by_table: bool) -> float:
        """Replaces each column of z (n, t) by the wanted values at its ranks; how far it was, in sd: the worst rms."""

        def one(j: int) -> float:
            sd = float(self.sd[j])
            if by_table:
                from .placing_kernels import table_placed

                return table_placed(z[:, j], self.wanted[:, j], sd) / sd
            return _column_placed(z[:, j], self.wanted[:, j]) / sd

        return max(side_by_side(one, z.shape[1], len(z), self.engine), default=0.0)

    def apart(self, z: Array) -> float:
        """How far the sorted columns of z (n, t) are from the wanted ones, in sd: the worst rms. Sorts z."""

        def one(j: int) -> float:
            z[:, j].sort()
            return _rms(z[:, j], self.wanted[:, j]) / float(self.sd[j])

        return max(side_by_side(one, z.shape[1], len(z), self.engine), default=0.0)


def _column_placed(column: Array, wanted: Array) -> float:
    order = np.argsort(column)
    ranked = column[order]
    if (ranked[1:] == ranked[:-1]).any():  # equal values in the order of the records, on every machine
        order = np.argsort(column, kind="stable")
    column[order] = wanted
    return _rms(ranked, wanted)


def _rms(a: Array, b: Array) -> float:
    return float(np.sqrt(np.mean((a - b) ** 2)))


@dataclass(frozen=True)
class Calibrated(Threaded):
    """The release of `method`, moved as little as it takes to have the original's moments and margins.

    method : the method that makes the release, such as IPSO("C"); moments : give it the original's regression on
    (1, X) and residual covariance, exactly; margins : "smooth" places by rank the quantiles of a smoothed estimate of
    each original margin, whose ends reproduce no extreme value; "original" the observed values themselves; None leaves
    the margins alone; rounds : at most so many alternations of the two, which end on the moments. They stop when a round
    brings the margins less than 2 per cent nearer; a note says where they then do not hold to 0.01 sd (root mean
    square, in the worst attribute). With None the moments take one step, with moments=False the margins do.
    The last step to the moments moves every record by a little, so that none has a wanted value exactly. With
    margins="original" it would blur each frequent value, which a reader sees; there a random fifth of the records
    takes the whole step, or more of them where a value would move by more than 0.25 sd, and the others
    keep observed values; the notes count both.
    The moments are exact where the release's residuals have the original's rank, which is noted otherwise.
    Seed: undoes it where it undoes the method's own release, nearly.
    Draws: the method's own; then, with margins, sample.int(n), the order in which equal values are ranked.
    Source: own.
    """

    method: Method = field(
        metadata=rules(
            said=WRAPS,
            check=lambda owner, name, value: _moved(owner, name, value),
            help="what makes the release to be moved",
        )
    )
    moments: bool = param(True, help="give it the original's regression on X and residual covariance, exactly")
    margins: str | None = param(
        "smooth", words=MARGINS, help="quantiles of a smoothed margin, the observed values, or None to leave them alone"
    )
    rounds: int = param(30, low=1, help="at most so many alternations of the two", unit="rounds")

    about: ClassVar[str] = "another method's release, brought to the original's moments and margins"
    source: ClassVar[str] = "own"

    def _check(self) -> None:
        if self.margins is None and not self.moments:
            raise InvalidParameter("Calibrated", "margins", "must be given where moments are not kept", None)

    @property
    def wrapped(self) -> Method:
        """See Method.wrapped."""
        return self.method

    def around(self, method: Method) -> Method:
        """See Method.around."""
        return self if method is self.method else replace(self, method=method)

    def bound(self, independent: Sequence[str], dependent: Sequence[str]) -> Method:
        """See Method.bound: the names are the wrapped method's."""
        return self.around(self.method.bound(independent, dependent))

    @property
    def undone_by_seed(self) -> bool:
        """See Method.undone_by_seed."""
        return self.method.undone_by_seed

    @property
    def weak_generator(self) -> bool:
        """See Method.weak_generator."""
        return self.method.weak_generator

    @property
    def attacks(self) -> tuple[Attack, ...]:
        """See Method.attacks: those of a model, in scores too where the margins are others; ranks and groups do not outlast it."""
        return tuple(after for one in self.method.attacks for after in one.calibrated(self.margins is not None))

    def guesser(self, X: Array, Y: Array) -> Callable[[RStream], Array]:
        """See Method.guesser: the release that is moved."""
        return self.method.guesser(X, Y)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Say = ignore, engine: Engine | None = None) -> Array:
        """See Threaded.protect."""
        course = Course.of(note)
        Z = protected(self.method, X, Y, stream, note if self.margins is None else course.part(0, 2), engine)
        if self.margins is None:
            return _with_moments(moments_of(X, Y), Z, note)
        order = stream.sample_int(len(Y)) - 1
        margin = MARGINS[self.margins]
        targets = np.column_stack(side_by_side(lambda j: margin(Y[:, j]), Y.shape[1], len(Y), engine))
        released = np.empty_like(Z)
        if self.moments:
            moments = moments_of(X[order], Y[order])
            told = course.part(1, 2).step
            Z, distance = alternated(moments, targets, Z[order], self.rounds, told, engine)
            if distance > HOLDS:
                note(Note.of("not_converged", FAR_FROM_MARGINS, rounds=self.rounds, distance=distance))
            few = _borne_by_few(moments, placed_by_rank(targets, Z), note) if self.margins == "original" else None
            released[order] = _with_moments(moments, Z, note) if few is None else few
        else:
            released[order] = placed_by_rank(targets, Z[order])
        _say_values(Y, released, targets, self.margins, note, engine)
        return released


def _moved(owner: str, name: str, method: Any) -> Method:
    if not isinstance(method, Method) or not method.one_for_one:
        raise InvalidParameter(owner, name, f"must be {WRAPS}", method)
    return method


def _with_moments(moments: Moments, Z: Array, note: Say) -> Array:
    Z, rank = moments.given_to(Z)
    needed = len(moments.factor)
    if rank < needed:
        note(Note.of("collinear", LOW_RANK, count=rank, total=needed))
    return Z


def _borne_by_few(moments: Moments, Z: Array, note: Say) -> Array | None:
    """Z (n, t), in an order that says nothing, with the moments by way of its first records alone; None where it cannot."""
    n, sd = len(Z), moments.fit.targets.std(axis=0) * moments.fit.scale
    for share in FEW:
        count = int(share * n)
        moved = moments.given_by_few(Z, count)
        if moved is not None and (np.abs(moved[:count] - Z[:count]) <= FAR * sd).all():
            note(Note.of("observed_values", FEW_MOVED, count=count, total=n))
            return moved
    return None


def _say_values(Y: Array, Z: Array, targets: Array, margins: str, note: Say, engine: Engine | None) -> None:
    """How many observed values the release hands out, and how many lie where none was."""
    if margins == "original":
        sd = Y.std(axis=0)

        def held(j: int) -> int:
            return int((np.abs(np.sort(Z[:, j]) - targets[:, j]) <= HOLDS * sd[j]).sum())

        near = sum(side_by_side(held, Y.shape[1], len(Y), engine))
        note(Note.of("observed_values", OBSERVED_MARGINS, count=near, total=Z.size))
    else:
        _say_extremes(Y, Z, note)
    same = sum(side_by_side(lambda j: int(np.isin(Z[:, j], Y[:, j]).sum()), Y.shape[1], len(Y), engine))
    if same:
        note(Note.of("observed_values", OBSERVED, count=same, total=Z.size))
    low, high = Y.min(axis=0), Y.max(axis=0)
    outside = int(((low > Z) | (high < Z)).sum())
    if outside:
        note(Note.of("outside_range", OUTSIDE_RANGE, count=outside, total=Z.size))


def _say_extremes(Y: Array, Z: Array, note: Say) -> None:
    """How many values will be, once integer columns are rounded, an extreme one of the original's."""
    R, low, high = np.where((np.rint(Y) == Y).all(axis=0), np.rint(Z), Z), Y.min(axis=0), Y.max(axis=0)
    hits, alone = np.zeros(Y.shape[1], dtype=np.int64), 0
    for end in (low, np.where(high > low, high, np.nan)):
        here = np.sum(end == R, axis=0)
        hits += here
        alone += int(here[np.sum(end == Y, axis=0) < HEAP].sum())
    if hits.any():
        note(
            Note.of("observed_values", EXTREMES, np.flatnonzero(hits), count=int(hits.sum()), total=Z.size, alone=alone)
        )

"""Calibration: any method's release, brought to the original's moments and margins."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from ..arguments import choice, flag, whole_number
from ..errors import InvalidParameter
from ..rstream import RStream
from .frame_method import FrameMethod
from .margins import observed_margin, smooth_margin
from .method import Method, Note, unheard
from .normal_scores import placed_by_rank
from .residual_map import Moments, moments_of

Array = NDArray[np.float64]
HOLDS = 0.01  # standard deviations: margins this near count as the wanted ones
STILL = 0.98  # a round that leaves more than this of the distance is the last
IN_THREADS = 50_000  # records from which columns are sorted side by side
MOST_THREADS = 8
MARGINS: dict[str, Callable[[Array], Array]] = {"smooth": smooth_margin, "original": observed_margin}


@dataclass(frozen=True)
class Calibrated(Method):
    """The release of `method`, moved as little as it takes to have the original's moments and margins.

    method : the method that makes the release, such as IPSO("C"); moments : give it the original's regression on
    (1, X) and residual covariance, exactly; margins : "smooth" places by rank the quantiles of a smoothed estimate of
    each original margin, whose ends reproduce no extreme value; "original" the observed values themselves; None leaves
    the margins alone; rounds : at most so many alternations of the two, which end on the moments. They stop when a round
    brings the margins less than 2 per cent nearer; a note says where they then do not hold to 0.01 sd (root mean
    square, in the worst attribute). With None the moments take one step, with moments=False the margins do.
    The moments are exact where the release's residuals have the original's rank, which is noted otherwise.
    Draws: the method's own; then, with margins, sample.int(n), the order in which equal values are ranked.
    Source: own.
    """

    method: Method
    moments: bool = True
    margins: str | None = "smooth"
    rounds: int = 30

    about: ClassVar[str] = "another method's release, brought to the original's moments and margins"
    source: ClassVar[str] = "own"

    def __post_init__(self) -> None:
        if not isinstance(self.method, Method) or isinstance(self.method, FrameMethod):
            rule = "must be a method that replaces numbers one for one, such as IPSO(kind='C')"
            raise InvalidParameter("Calibrated", "method", rule, self.method)
        flag("Calibrated", "moments", self.moments)
        if self.margins is not None:
            choice("Calibrated", "margins", self.margins, MARGINS)
        elif not self.moments:
            raise InvalidParameter("Calibrated", "margins", "must be given where moments are not kept", None)
        object.__setattr__(self, "rounds", whole_number("Calibrated", "rounds", self.rounds, low=1))

    def bound(self, independent: Sequence[str], dependent: Sequence[str]) -> Method:
        """See Method.bound: the names are the wrapped method's."""
        method = self.method.bound(independent, dependent)
        return self if method is self.method else replace(self, method=method)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Note = unheard) -> Array:
        """See Method.protect."""
        Z = self.method.protect(X, Y, stream, note)
        if self.margins is None:
            return _with_moments(moments_of(X, Y), Z, note)
        order = stream.sample_int(len(Y)) - 1
        targets = np.column_stack([MARGINS[self.margins](y) for y in Y.T])
        released = np.empty_like(Z)
        if self.moments:
            released[order] = _alternated(moments_of(X[order], Y[order]), targets, Z[order], self.rounds, note)
        else:
            released[order] = placed_by_rank(targets, Z[order])
        _say_values(Y, released, targets, self.margins, note)
        return released


def _with_moments(moments: Moments, Z: Array, note: Note) -> Array:
    Z, rank = moments.given_to(Z)
    needed = len(moments.factor)
    if rank < needed:
        note(f"residuals of rank {rank} cannot have the original's covariance, of rank {needed}: only part is kept")
    return Z


def _alternated(moments: Moments, targets: Array, Z: Array, rounds: int, note: Note) -> Array:
    """Z (n, t) brought to the targets (n, t), sorted by column, and to the moments in turn; the moments last."""
    fit = moments.fit
    wanted, sd = (targets - fit.center) / fit.scale, targets.std(axis=0) / fit.scale
    # In the original's units of norm 1; by columns, as they are sorted.
    z = np.asfortranarray(moments.nearly_given_to((Z - fit.center) / fit.scale))
    last = _placed(z, wanted, sd)
    for _ in range(rounds):
        Z, z = z, np.asfortranarray(moments.nearly_given_to(z))
        distance = _placed(z, wanted, sd)
        if distance > STILL * last:
            break
        last = distance
    if distance > HOLDS:
        note(
            f"calibration did not converge (rounds = {rounds}): the margins are still {distance:.2g} standard deviations "
            "from those wanted (root mean square, worst attribute)"
        )
    return _with_moments(moments, Z * fit.scale + fit.center, note)


def _placed(z: Array, wanted: Array, sd: Array) -> float:
    """Replaces each column of z (n, t) by the wanted values, sorted, at its ranks; how far it was, in sd: the worst rms."""

    def one(j: int) -> float:
        return _column_placed(z[:, j], wanted[:, j]) / (float(sd[j]) or 1.0)

    columns = range(z.shape[1])
    if len(z) < IN_THREADS:
        return max(map(one, columns), default=0.0)
    with ThreadPoolExecutor(min(len(columns), os.cpu_count() or 1, MOST_THREADS)) as pool:
        return max(pool.map(one, columns))


def _column_placed(column: Array, wanted: Array) -> float:
    order = np.argsort(column)
    ranked = column[order]
    if (ranked[1:] == ranked[:-1]).any():  # equal values in the order of the records, on every machine
        order = np.argsort(column, kind="stable")
    column[order] = wanted
    return float(np.sqrt(np.mean((ranked - wanted) ** 2)))


def _say_values(Y: Array, Z: Array, targets: Array, margins: str, note: Note) -> None:
    """How many observed values the release hands out, and how many lie where none was."""
    if margins == "original":
        near = np.abs(np.sort(Z, axis=0) - targets) <= HOLDS * Y.std(axis=0)
        note(
            f"margins are the observed values: {int(near.sum())} of {Z.size} values are, to {HOLDS:g} standard "
            "deviations, the observed value of their rank"
        )
    same = sum(int(np.isin(z, y).sum()) for z, y in zip(Z.T, Y.T, strict=True))
    if same:
        note(f"{same} of {Z.size} values are observed values of their attribute")
    low, high = Y.min(axis=0), Y.max(axis=0)
    outside = int(((low > Z) | (high < Z)).sum())
    if outside:
        note(f"{outside} of {Z.size} values lie outside their attribute's original range")

"""Gaussian radial basis functions of X, for fuzzy c-regression. Ours: the thesis names RBF models as an open question."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..arguments import items, real_number, whole_number
from ..data.blocks import Sample, total
from ..engine import Added, Engine, as_engine
from ..errors import Count, InvalidInput, InvalidParameter, Note
from ..numerics.design_by_blocks import Sums
from ..numerics.median import median
from ..rstream import RStream, as_stream
from ..types import Array
from .fcm import means, random_partition

Table = tuple[tuple[float, ...], ...]
CENTRES = 10
# With m = 2 the centres of many columns fall together in the mean.
FUZZIFIER = 1.2
TOL, MAX_ITER = 1e-5, 100


@dataclass(frozen=True)
class RadialBasis:
    """phi_k(x) = exp(-|z - c_k|^2 / (2 width^2)), z = (x - mean) / sd.

    mean, sd : (s,) of the columns of X, sd 1 for a constant one; centres : (k, s) and width : in those units;
    notes : what was chosen.
    Source: own use; the functions are Broomhead and Lowe's (1988).
    """

    mean: Array
    sd: Array
    centres: Array
    width: float
    notes: tuple[Note, ...] = ()

    def columns(self, X: Array) -> Array:
        """(n, k), the functions of each record of X (n, s)."""
        half = -0.5 / self.width**2
        return np.exp(half * squared_distances((X - self.mean) / self.sd, self.centres))


def radial_basis(
    owner: str,
    X: Array,
    centres: int | Table,
    width: float | None,
    seed: RStream | None = None,
    engine: Engine | None = None,
) -> RadialBasis:
    """The basis for X (n, s).

    centres : a number of them, found by fuzzy c-means of standardised X (m = 1.2) from a random membership of `seed`
    and at most one for each record; or a table of them in X's own units. width : in standard deviations of X; None is
    the median distance of a record from a centre; engine : what fuzzy c-means runs on.
    Errors: InvalidInput without columns; InvalidParameter.
    """
    sample = Sample.of(X, np.empty((len(X), 0)), as_engine(owner, engine))
    return radial_basis_of(owner, sample, centres, width, as_stream(seed))


def radial_basis_of(
    owner: str, sample: Sample, centres: int | Table, width: float | None, stream: RStream
) -> RadialBasis:
    """As `radial_basis`, for the independent columns of a sample."""
    n, s = sample.n, sample.s
    if s == 0:
        raise InvalidInput(owner, 'basis="rbf" needs at least one independent column', "none")
    sums = total(sample.engine, Sums(s), sample.blocks)
    mean = sums[0] / n
    sd = np.sqrt(total(sample.engine, _Squares(mean), sample.blocks) / max(n - 1, 1))
    # What rounding leaves of a constant column is no spread.
    sd = np.where(sd > 1e-13 * sums[1], sd, 1.0)
    Z, notes = _Standardised(mean, sd), list[Note]()
    if isinstance(centres, int):
        partition = random_partition(sample, Z, min(centres, n), FUZZIFIER, stream)
        fit = means(partition, TOL, MAX_ITER)
        C, how = fit.centers, "by fuzzy c-means"
        if not fit.converged:
            said = "the centres' fuzzy c-means did not converge in {iterations} iterations"
            notes.append(Note.of("not_converged", said, iterations=len(fit.delta)))
    else:
        C, how = (_fitting(owner, centres, s) - mean) / sd, "given"
    if width is None:
        width = median(sample.engine, sample.mapped(_Distances(Z, C)), n * len(C)) or 1.0
    words = f"radial basis functions (ours): {{centres}} centres {how}, width {{width:.4g}} standard deviations"
    return RadialBasis(mean, sd, C, width, (Note.of("chosen", words, centres=len(C), width=width), *notes))


@dataclass(frozen=True)
class _Squares(Added):
    """(s,) the sums of (x - mean)^2."""

    mean: Array

    def part(self, block: Array) -> Array:
        """See engine.Kernel."""
        C = block[:, : len(self.mean)] - self.mean
        return np.asarray((C * C).sum(axis=0))


@dataclass(frozen=True)
class _Standardised:
    """(b, s) a block's independent columns, as fuzzy c-means takes them."""

    mean: Array
    sd: Array

    def __call__(self, block: Array) -> tuple[Array]:
        return ((block[:, : len(self.mean)] - self.mean) / self.sd,)


@dataclass(frozen=True)
class _Distances:
    """(b, k) the distances of a block's standardised records from the centres."""

    Z: _Standardised
    centres: Array

    def __call__(self, block: Array) -> Array:
        return np.sqrt(squared_distances(self.Z(block)[0], self.centres))


def squared_distances(A: Array, B: Array) -> Array:
    """(n, k) squared distances of the records of A (n, s) from those of B (k, s)."""
    total = np.zeros((len(A), len(B)))
    for a, b in zip(A.T, B.T, strict=True):
        total += (a[:, None] - b) ** 2
    return total


def usable_centres(owner: str, value: object) -> int | Table:
    """`centres` as a number, at least 1, or a table: a list of centres, each a list of numbers."""
    listed = None if isinstance(value, str) else items(value)
    if listed is None:
        rule = "must be a whole number, at least 1, or a list of centres, each a list of numbers"
        try:
            return whole_number(owner, "centres", value, low=1)
        except InvalidParameter:
            raise InvalidParameter(owner, "centres", rule, value) from None
    rows = [(row,) if isinstance(row, str) or (held := items(row)) is None else held for row in listed]
    table = tuple(tuple(real_number(owner, "centres", v) for v in row) for row in rows)
    if not table or len({len(row) for row in table}) > 1:
        raise InvalidParameter(owner, "centres", "must hold centres of as many numbers as each other", value)
    return table


def check_radial(owner: str, radial: object, s: int) -> None:
    """Raises InvalidParameter where it is neither a basis for s columns nor None."""
    if radial is not None and not (isinstance(radial, RadialBasis) and radial.mean.shape == (s,)):
        rule = "must be a RadialBasis of as many columns as `X`, as radial_basis() gives, or None"
        raise InvalidParameter(owner, "radial", rule, radial)


def usable_width(owner: str, value: object) -> float | None:
    """`width` as a number above 0, or None."""
    return None if value is None else real_number(owner, "width", value, above=0)


def _fitting(owner: str, centres: Table, s: int) -> Array:
    if len(centres[0]) != s:
        rule = f"must have one number for {Count(s):the independent column|each of the {s} independent columns}"
        raise InvalidParameter(owner, "centres", rule, centres[0])
    return np.array(centres)

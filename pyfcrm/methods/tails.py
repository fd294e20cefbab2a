"""The tail of a column as a generalised Pareto distribution, on which no single record decides."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from ..types import Array

FEWEST = 10  # values that are drawn, at least
DRAWN = 0.01  # of the values, that are drawn
FEWEST_FITTED = 30  # values that the fit uses, at least
FITTED = 0.05  # of the values, that the fit uses
UNIFORM = -1.0  # the shape of a uniform distribution: the least that excesses can show
LEAST_SHAPE = -0.5  # below which the density does not fall to 0 at the end: few values do not show such an end
EXPONENTIAL = 30  # excesses of an exponential distribution, of shape 0, that count beside those of the column
LIKELY = 0.95  # of the distribution of a sample's extreme, that is drawn: the farthest are not
LARGEST = 0.1  # of the sum of the excesses, that one may have


@dataclass(frozen=True)
class Tail:
    """The values of a column beyond a start, as a generalised Pareto distribution.

    The value that a share q of the tail exceeds is start + scale (q^-shape - 1) / shape.
    """

    count: int
    """The number of values beyond the start."""
    start: float
    """The value at which the tail starts."""
    scale: float
    """The scale of the excesses."""
    shape: float
    """The shape, below 1; tails with a shape below 0 have an end."""

    @property
    def mean(self) -> float:
        """The mean of the tail's values."""
        return self.start + self.scale / (1 - self.shape)

    def values(self, uniforms: Array) -> Array:
        """Ascending values (..., count), by uniforms (..., count)."""
        beyond = outer_shares(uniforms)
        if self.shape == 0:
            return np.asarray(self.start - self.scale * np.log(beyond))
        return np.asarray(self.start + self.scale * (beyond**-self.shape - 1) / self.shape)

    def ending_at(self, end: float) -> Tail:
        """The tail whose values stay below `end`: of the same mean, where it goes further."""
        room = end - self.start
        if self.shape < 0 and -self.scale / self.shape <= room:
            return self
        # The mean excess scale / (1 - shape) stays, and the last excess -scale / shape is all the room.
        mean = min(self.scale / (1 - self.shape), room / 2)
        shape = -mean / (room - mean)
        return replace(self, scale=-shape * room, shape=shape)


def fitted_tail(values: Array, start: float) -> Tail | None:
    """The tail of sorted values (m,) beyond `start`, which max(10, 1 per cent of m) of them exceed; None where all are equal.

    The shape comes from the largest max(30, 5 per cent of m) values, of few from all but one, by probability-weighted
    moments. Excesses are cut so that none is more than a tenth of their sum. The shape of 30 excesses depends much on each
    of them, so it is averaged with the shape 0 of 30 exponential ones.

    Notes
    -----
    Beyond a later start the shape is the same; the scale grows with the quantile.
    """
    m = len(values)
    k = fitted_count(m)
    excesses = cut(values[m - k :] - values[m - k - 1])
    mean = float(excesses.mean())
    if mean == 0:
        return None
    shape = max(_shape(excesses) * k / (k + EXPONENTIAL), LEAST_SHAPE)
    scale = mean * (1 - shape)
    count = drawn_count(m)
    return Tail(count=count, start=start, scale=scale * (count / k) ** -shape, shape=shape)


def _shape(excesses: Array) -> float:
    """The shape of ascending excesses (k,) by probability-weighted moments, at least that of a uniform distribution.

    With the mean a0 of the excesses and the mean a1 of (1 - F) times the excess, the shape is 2 - a0 / (a0 - 2 a1) in our
    sign. Source: Hosking and Wallis (1987).
    """
    k = len(excesses)
    share_above = 1 - (np.arange(k) + 0.65) / k  # plotting positions (i - 0.35) / k
    a0 = float(excesses.mean())
    a1 = float((share_above * excesses).mean())
    if a0 <= 2 * a1:  # equal excesses, as far as the plotting positions go
        return UNIFORM
    return max(2 - a0 / (a0 - 2 * a1), UNIFORM)


def outer_shares(uniforms: Array) -> Array:
    """The shares of a tail that exceed each of k values (..., k), descending: one from each of k equally likely parts.

    The least is distributed as that of independent draws, so that the extreme varies as much as a sample's, but for the largest
    of twenty samples: one such value of a heavy tail would decide all correlations of the column. The least of k uniforms is
    exponential with mean 1 / k, for large k.
    """
    k = uniforms.shape[-1]
    shares = 1 - (np.arange(k) + uniforms) / k
    shares[..., -1] = np.minimum(-np.log(LIKELY * uniforms[..., -1]) / k, 1.0)
    return np.sort(shares, axis=-1)[..., ::-1]


def drawn_count(m: int) -> int:
    """The number of the m values of a column that its tail replaces, at either end."""
    return max(FEWEST, int(DRAWN * m))


def fitted_count(m: int) -> int:
    """The number of the m values of a column that the fit of a tail uses; of few all but one, the start of the excesses."""
    return min(max(FEWEST_FITTED, int(FITTED * m)), m - 1)


def cut(excesses: Array) -> Array:
    """Ascending excesses (k,), the largest lowered so that none is more than a tenth of their sum; k is at least 10.

    If the largest r are lowered to c, c is a tenth of the sum: c = (sum of the others) / (10 - r).
    """
    if excesses[-1] <= LARGEST * excesses.sum():
        return excesses
    most = round(1 / LARGEST)
    below = np.concatenate([[0.0], np.cumsum(excesses)])
    k = len(excesses)
    for r in range(1, most):
        limit = float(below[k - r] / (most - r))
        if excesses[k - r - 1] <= limit:
            return np.minimum(excesses, limit)
    return np.minimum(excesses, excesses[k - most])

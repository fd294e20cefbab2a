"""A margin as n sorted values, smoothed by rank, with drawn tails. No rule looks at values that few records share."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from math import sqrt

import numpy as np
from scipy.special import ndtr, ndtri

from ..numerics.decimals import in_units, of_units
from ..rstream import RStream
from ..types import Array, Index
from .log_linear import SmoothedCells, smoothed_cells
from .support import Support
from .tails import FEWEST_FITTED, Tail, cut, drawn_count, fitted_count, fitted_tail, outer_shares

FEWEST = 10  # records of a point mass, at least, and values on whose moments a margin may depend
SHARE = 0.02  # of all records that a point mass has, at least
SPIKE = 2.0  # times as many records as the two next values of the column's grid have on average
SHORT = 600  # values, below which the weights are wider
WIDE = 1.0  # width of the weights below that, in standard errors of the rank
NARROW = 0.7  # and from there on
WINDOW = 6.0  # standard errors of a rank, beyond which its weights are 0
BINS = 64  # in a window of a long column; of others each rank has its own weight
EXACT = 2_000  # values up to which every quantile is computed; of more, some are interpolated
PER_SD = 4  # quantiles computed to a standard error of a rank, of long columns
KNOTS = (0.9, 0.95, 0.98)  # quantiles by size up to which values of one sign are scaled, where moments are restored
MOST_SCALED = 2.0  # times as large, or as small, that they become at most
ENDS = 64  # quantiles at each end that are all computed


def smooth_margin(y: Array, stream: RStream, masses: Array | None = None, coded: Array | None = None) -> Array:
    """n sorted values with the mean and standard deviation of y (n,), smoothed by rank, with drawn tails.

    Point masses stay, with their counts. The other m values are replaced by quantiles at (i - 1/2)/m (Harrell and
    Davis), weighted means of the values around each rank. At either end max(10, 1 per cent of m) values are drawn from a
    generalised Pareto distribution. All get the mean and standard deviation of the m values, by two slopes that
    meet at a high quantile where they have one sign, else by moving and scaling. They are rounded to the column's decimals with their sum.

    Parameters
    ----------
    y : array (n,)
        One column of the original.
    stream : RStream
        Source of the uniforms that place the values of the tails.
    masses : array, optional
        The point masses, where y is part of a column or they have another number of records; None finds them.
    coded : array (n,), optional
        The top-coded column whose mean and standard deviation the margin gets; None for those of y.

    Returns
    -------
    array (n,)
        In the units of y.

    Notes
    -----
    The weights are normal on the scale of the arcsine of the root, where a share has the same sampling error
    everywhere. Their width is 1.0 times that error below 600 values, 0.7 times from there on. Fewer than 10 values are
    smoothed with the nearest point mass, and of fewer than 20 only mean and standard deviation are used. A tail
    towards zero ends there, so that the column keeps its sign.

    Columns of few different values, on a grid such as halves or even numbers, or of values that many records share, have
    smoothed frequencies instead. Ranks would keep the exact count of each value. Where one record dominates the largest values of
    such a column, its body has smoothed frequencies and its tails are drawn.

    Draws: a uniform for each value of a tail, the lower tail first.

    References
    ----------
    Harrell and Davis (1982), whose weights are a beta distribution's; Hosking and Wallis (1987) for the tails.
    """
    return SmoothMargin.of(y, masses, coded).drawn(stream)


@dataclass(frozen=True)
class SmoothMargin:
    """The distribution of a smoothed margin, of which one or more margins are drawn."""

    unchanged: Array
    """The point masses, each as often as records have it (n - m,)."""
    body: Array
    """The smoothed values (m,), sorted; those at the ends are replaced by the tails."""
    tails: tuple[Tail, Tail] | None
    """The tail of the negative values and that of the values; None where a margin of few values is not drawn."""
    mean: float
    """The mean that a margin of the m values gets."""
    sd: float
    """The standard deviation that it gets."""
    has_both_signs: bool
    """Whether the m values have both signs."""
    digits: int | None
    """The number of decimals; None where values are not rounded to one."""
    cells: SmoothedCells | None
    """The smoothed frequencies of a discrete column, instead of the body and tails; their moments are those of the values."""
    grid: Support | None
    """The grid to which values are rounded, or the values of a scale, of which they become the nearest; None for their decimals."""

    @classmethod
    def of(cls, y: Array, masses: Array | None = None, coded: Array | None = None) -> SmoothMargin:
        """The distribution fitted to a column (n,); see `smooth_margin`."""
        values, counts = np.unique(y, return_counts=True)
        if masses is None:
            masses = point_masses(y)[0]
        support = Support.of(values, counts)
        digits = None if support is None else support.digits
        if support is not None and support.shared is not None:
            y = support.nearest(y, masses)
            values, counts = np.unique(y, return_counts=True)
        smoothed = ~np.isin(values, masses)
        # Too few values for two moments are smoothed with the nearest point masses.
        while 0 < counts[smoothed].sum() < FEWEST and not smoothed.all():
            distance = np.where(smoothed, np.inf, np.abs(values - values[smoothed].mean()))
            smoothed[distance.argmin()] = True
        if len(values) == 1:
            smoothed[:] = False
        rest = np.repeat(values[smoothed], counts[smoothed])
        # The same values top-coded, whose moments are restored.
        moments = rest if coded is None else coded[np.isin(y, values[smoothed])]
        cells, is_whole = _cells(rest, support, values[~smoothed])
        if cells is not None and support is not None and not support.is_scale and (coded is not None or not is_whole):
            # The tails are those of the values, and mean and standard deviation are restored.
            body, tails = _fitted(rest, cells.between((np.arange(len(rest)) + 0.5) / len(rest)))
            cells = None
        else:
            body, tails = _fitted(rest)
            if support is not None and not support.is_scale:
                support = None
        return cls(
            unchanged=np.repeat(values[~smoothed], counts[~smoothed]),
            body=body,
            tails=tails,
            mean=float(moments.mean()) if len(rest) else 0.0,
            sd=float(moments.std()) if len(rest) else 0.0,
            has_both_signs=bool(len(rest)) and bool(rest[0] < 0 < rest[-1]),
            digits=digits,
            cells=cells,
            grid=support,
        )

    def drawn(self, stream: RStream) -> Array:
        """A margin (n,), sorted."""
        m = len(self.body)
        if m == 0:
            return self.unchanged
        if self.cells is not None:
            shares = (np.arange(m) + 0.5) / m
            low, high = _outer_shares(m, stream)
            shares[: len(low)], shares[m - len(high) :] = low, high
            values = self.cells.values(shares)
        else:
            low, high = self._drawn_tails(stream)
            inner = self.body[len(low) : m - len(high)]
            values = self._restored(np.concatenate([low, inner, high]), np.ones(m))
            if self.grid is not None and self.grid.is_scale:
                values = self.grid.nearest(values, self.unchanged)
            elif self.grid is not None:
                on_grid = self.grid.values(_whole(self.grid.places(values)))
                values = self.grid.nearest(on_grid, self.unchanged)
            elif self.digits is not None:
                values = of_units(_whole(in_units(values, self.digits)), self.digits)
        return np.sort(np.concatenate([self.unchanged, values]))

    def typical(self) -> Array:
        """The margin (n,), sorted, with the median of each drawn value; neither rounded nor of smoothed frequencies."""
        m = len(self.body)
        values = self.body
        if self.tails is not None:
            low, high = self.tails
            low_values = -low.values(np.full(low.count, 0.5))[::-1]
            high_values = high.values(np.full(high.count, 0.5))
            values = np.concatenate([low_values, values[low.count : m - high.count], high_values])
        if m > 0:
            values = self._restored(values, np.ones(m))
        return np.sort(np.concatenate([self.unchanged, values]))

    def drawn_ends(self, stream: RStream, outermost: Array) -> Array:
        """The smallest and the largest value of each of d margins (d, 2); to a unit of the last decimal.

        outermost : (d,) the uniform of the outermost value at either end; the others are drawn as by `drawn`. Of long columns
        some of the inner values stand for all: only their moments matter.
        """
        m = len(self.body)
        d = len(outermost)
        if m == 0:
            return np.tile(self.unchanged[[0, -1]], (d, 1))
        if self.cells is not None:
            low_shares, high_shares = _outer_shares(m, stream, outermost)
            shares = np.column_stack([low_shares[:, 0], high_shares[:, -1]])
            ends = self.cells.values(shares)
        else:
            low, high = self._drawn_tails(stream, outermost)
            inner = self.body[low.shape[1] : m - high.shape[1]]
            some = inner[:: max(len(inner) // EXACT, 1)]
            counts = np.ones(low.shape[1] + len(some) + high.shape[1])
            counts[low.shape[1] : low.shape[1] + len(some)] = len(inner) / max(len(some), 1)
            values = self._restored(np.hstack([low, np.tile(some, (d, 1)), high]), counts)
            ends = values[:, [0, -1]] if self.digits is None else np.round(values[:, [0, -1]], self.digits)
        if len(self.unchanged):
            ends[:, 0] = np.minimum(ends[:, 0], self.unchanged[0])
            ends[:, 1] = np.maximum(ends[:, 1], self.unchanged[-1])
        return ends

    def _drawn_tails(self, stream: RStream, outermost: Array | None = None) -> tuple[Array, Array]:
        """Values of the lower tail (k,) and of the upper one, each sorted; none of a margin of few values.

        outermost : (d,) makes them those of d margins (d, k), see `drawn_ends`.
        """
        if self.tails is None:
            none = np.empty(0 if outermost is None else (len(outermost), 0))
            return none, none
        low, high = self.tails
        low_uniforms, high_uniforms = _uniforms(low.count, high.count, stream, outermost)
        # The lower tail is the upper one of the negative values, in reverse order.
        return -low.values(low_uniforms)[..., ::-1], high.values(high_uniforms)

    def _restored(self, values: Array, counts: Array) -> Array:
        """Sorted values (..., k) with the mean and the standard deviation.

        counts : (k,) the records that each stands for.

        Values of one sign have one slope from 0 to a high quantile, and another one from there on: the smallest interest of a skewed
        column stays below the smallest wealth. Moved and scaled, all values would follow the few that are drawn in the tail. Where
        there are no two such slopes, and for both signs, values are moved and scaled.
        """
        share = counts / counts.sum()
        scaled = _scaled(values, share, self.mean, self.sd)
        if self.has_both_signs or self.mean == 0:
            return scaled
        by_parts = _two_slopes(values, share, self.mean, self.sd)
        return np.where(np.isnan(by_parts), scaled, by_parts)


def _outer_shares(m: int, stream: RStream, outermost: Array | None = None) -> tuple[Array, Array]:
    """The drawn shares (k,) of the m records at either end, ascending; of d margins (d, k), see `_uniforms`."""
    count = drawn_count(m)
    low_uniforms, high_uniforms = _uniforms(count, count, stream, outermost)
    low = outer_shares(low_uniforms)[..., ::-1] * count / m
    high = 1 - outer_shares(high_uniforms) * count / m
    return low, high


def _uniforms(low_count: int, high_count: int, stream: RStream, outermost: Array | None) -> tuple[Array, Array]:
    """The uniforms of the values of both tails, (low_count,) and (high_count,).

    outermost : (d,) the last of each tail, in d margins; the uniforms are then (d, low_count) and (d, high_count).
    """
    if outermost is None:
        return stream.runif(low_count), stream.runif(high_count)
    d = len(outermost)
    uniforms = stream.runif(d * (low_count + high_count)).reshape(d, -1)
    low = uniforms[:, :low_count]
    high = uniforms[:, low_count:]
    low[:, -1] = outermost
    high[:, -1] = outermost
    return low, high


def point_masses(y: Array, point_mass: int | None = None) -> tuple[Array, Index]:
    """The values that are states of their own, such as zero.

    Parameters
    ----------
    y : array (n,)
        One column.
    point_mass : int, optional
        Records that share such a value at least; None is the larger of 10 and 2 per cent of n.

    Returns
    -------
    values, counts : array (k,)
        Ascending. In a column of rounded numbers a point mass has more than twice the records of the two next numbers
        on its grid on average, see `Support`. A constant column is one.
    """
    values, counts = np.unique(y, return_counts=True)
    if len(values) == 1:
        return values, counts
    if point_mass is None:
        fewest = max(FEWEST, SHARE * len(y))
    else:
        fewest = point_mass
    frequent = counts >= fewest
    support = Support.of(values, counts) if frequent.any() else None
    if support is not None:
        below, above = support.neighbours(values, counts)
        frequent &= counts > SPIKE * (below + above) / 2
    return values[frequent], counts[frequent]


def _fitted(values: Array, body: Array | None = None) -> tuple[Array, tuple[Tail, Tail] | None]:
    """The smoothed body (m,) of sorted values (m,), and the two tails; of fewer than 20 values a body from two moments.

    body : (m,) None for the quantiles of the values.
    """
    m = len(values)
    if m == 0:
        return values, None
    if m < 2 * FEWEST:
        return _by_moments(values), None
    if body is None:
        body = quantiles(values)
    low = _tail(-values[::-1], -body[::-1], end=0.0 if values[0] >= 0 else None)
    high = _tail(values, body, end=0.0 if values[-1] <= 0 else None)
    return body, (low, high)


def _tail(values: Array, body: Array, end: float | None) -> Tail:
    """The upper tail of sorted values (m,) with this body (m,). end : a value that it must not exceed, if any.

    Where there is none, or its values are equal, all are the smallest of them: that of the tenth largest record.
    """
    m = len(values)
    count = min(drawn_count(m), m // 2)
    start = float(body[m - count - 1])
    is_fitted = count == drawn_count(m) and values[m - count] < values[-1]
    tail = fitted_tail(values, start) if is_fitted else None
    if tail is None:
        return Tail(count=count, start=max(start, float(values[m - count])), scale=0.0, shape=0.0)
    return tail if end is None else tail.ending_at(end)


def _by_moments(values: Array) -> Array:
    """Values (m,) that depend on the mean and standard deviation of `values` (m,) only: lognormal, or normal with both signs."""
    m = len(values)
    scores = np.asarray(ndtri((np.arange(m) + 0.5) / m))
    mean = values.mean()
    if mean == 0 or values[0] < 0 < values[-1]:
        return scores
    # The variance of a lognormal distribution's logarithm is log(1 + variance / mean^2).
    sizes = np.exp(sqrt(np.log1p(values.var() / mean**2)) * scores)
    return sizes if mean > 0 else -sizes[::-1]


def _cells(values: Array, support: Support | None, masses: Array) -> tuple[SmoothedCells | None, bool]:
    """The smoothed frequencies of sorted values (m,); None where they are not used. And whether no record dominates the largest values.

    A record that does would set the range of the cells: values count as no larger than tails are fitted to, see `cut`.
    """
    k = fitted_count(len(values))
    if support is None or k < FEWEST_FITTED:
        return None, True
    low = values[k] - cut(values[k] - values[:k][::-1])[-1]
    high = values[-k - 1] + cut(values[-k:] - values[-k - 1])[-1]
    is_whole = bool(low <= values[0] and values[-1] <= high)
    return smoothed_cells(np.clip(values, low, high), support, masses), is_whole


def _scaled(values: Array, share: Array, mean: float, sd: float) -> Array:
    """Values (..., k), moved and scaled to this mean and standard deviation. share : (k,) of the records."""
    deviations = values - (values @ share)[..., None]
    scale = np.sqrt(deviations**2 @ share)
    factor = np.divide(sd, scale, out=np.ones_like(scale), where=scale > 0)
    return np.asarray(mean + deviations * factor[..., None])


def _two_slopes(values: Array, share: Array, mean: float, sd: float) -> Array:
    """Ascending values (..., k) of one sign, times a up to a quantile q by size and with slope b above it; NaN without such slopes.

    share : (k,) of the records. With L = min(v, q) and U = v - L, a L + b U has the mean and the variance for
    a = (mean - b mean(U)) / mean(L), and b the larger root of

        var(U - r L) b^2 + 2 s cov(U - r L, L) b + s^2 var(L) = sd^2,   r = mean(U) / mean(L), s = mean / mean(L).

    q is the lowest of the quantiles KNOTS for which a is neither below 1 / MOST_SCALED nor above MOST_SCALED: the higher it is,
    the more depends on the largest values.
    """
    sign = 1.0 if mean > 0 else -1.0
    sizes = values * sign
    by_size = np.arange(len(share)) if mean > 0 else np.arange(len(share))[::-1]
    below = np.cumsum(share[by_size])
    result = np.full(values.shape, np.nan)
    for knot in reversed(KNOTS):
        q = sizes[..., [by_size[np.searchsorted(below, knot)]]]
        lower = np.minimum(sizes, q)
        upper = sizes - lower
        with np.errstate(divide="ignore", invalid="ignore"):
            start = lower * (abs(mean) / (lower @ share))[..., None]
            rest = upper - lower * ((upper @ share) / (lower @ share))[..., None]  # of mean 0
            deviation = start - abs(mean)
            A = (rest * rest) @ share
            B = (rest * deviation) @ share
            C = (deviation * deviation) @ share - sd**2
            slope = (np.sqrt(B * B - A * C) - B) / A
            factor = (abs(mean) - slope * (upper @ share)) / (lower @ share)
        is_valid = (slope >= 0) & (factor >= 1 / MOST_SCALED) & (factor <= MOST_SCALED)
        result = np.where(is_valid[..., None], sign * (start + slope[..., None] * rest), result)
    return result


def _whole(fitted: Array) -> Array:
    """Whole numbers for sorted numbers (m,), with the same rounded sum: those with the largest fractions are rounded up."""
    out = np.floor(fitted)
    up = int(np.rint(np.sum(fitted - out)))
    out[np.argsort(out - fitted, kind="stable")[:up]] += 1
    return np.sort(out)


def quantiles(values: Array) -> Array:
    """Quantiles (m,) at (i - 1/2)/m of sorted values (m,), each a weighted mean of them; see `smooth_margin`.

    Of long columns some are computed, a quarter of a rank's standard error apart, by bins of ranks. The others are
    interpolated.
    """
    m = len(values)
    ranks, edges, weights = _weights(m)
    # Sums of bins are differences of cumulative sums, about a value in the middle for accuracy.
    centre = values[m // 2]
    sums = np.concatenate([[0.0], np.cumsum(values - centre)])
    width = np.maximum(np.diff(edges, axis=1), 1)
    bin_sums = np.diff(sums[edges], axis=1)
    computed = centre + (weights * bin_sums / width).sum(axis=1)
    if len(ranks) < m:
        computed = np.interp(np.arange(m), ranks, computed)
    return np.maximum.accumulate(computed)


@lru_cache(maxsize=4)
def _weights(m: int) -> tuple[Index, Index, Array]:
    """The ranks computed (g,), the edges of bins of ranks around each (g, b + 1), and the weights of the bins (g, b).

    On the scale arcsin(sqrt(p)) a share p of m records has a standard error of 1 / (2 sqrt(m)), whatever p is.
    """
    ranks = np.arange(m)
    if m > EXACT:
        angles = np.linspace(0, np.pi / 2, int(PER_SD * np.pi * sqrt(m)))
        between = (np.sin(angles) ** 2 * (m - 1)).astype(np.int64)
        ranks = np.unique(np.concatenate([ranks[:ENDS], ranks[-ENDS:], between]))
    angle = np.arcsin(np.sqrt((ranks + 0.5) / m))
    sd = (WIDE if m < SHORT else NARROW) * 0.5 / sqrt(m)
    low = np.floor(np.sin(np.maximum(angle - WINDOW * sd, 0)) ** 2 * m)
    high = np.ceil(np.sin(np.minimum(angle + WINDOW * sd, np.pi / 2)) ** 2 * m)
    bins = BINS if m > EXACT else int((high - low).max())
    edges = low[:, None] + (high - low)[:, None] * np.linspace(0, 1, bins + 1)
    edges = np.rint(edges).astype(np.int64)
    probabilities = ndtr((np.arcsin(np.sqrt(edges / m)) - angle[:, None]) / sd)
    weights = np.diff(probabilities, axis=1)
    return ranks, edges, weights / weights.sum(axis=1, keepdims=True)

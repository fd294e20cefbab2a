"""Log-linear smoothing of the frequencies of a discrete variable, as score distributions are smoothed."""

from dataclasses import dataclass

import numpy as np

from ..types import Array, Index, Mask
from .support import Support

RIDGE, RANK = 1e-9, 1e-7  # of a Newton step; of the largest eigenvalue, below which a term follows from others
CELLS_PER_RECORD = 1.0  # above which a column is smoothed by rank
MOST_CELLS = 2_000  # above which too: records of a cell are few, and a fit takes long
KNOTS, FEWEST_KNOTS, MOST_KNOTS = 0.3, 3, 12  # by the root of the records: as smoothing by rank, which has more
DISTINCT = 6  # different values, with fewer of which a column is smoothed by rank
EXTRA = 0.1  # of the cells, added at either end
HEAPS = (5, 10)  # steps of the grid, and 10, 100 times as many, on whose multiples numbers may heap
# On such multiples and off them, as a term for heaps follows these records: fewer would stand out in the release.
HEAPED_RECORDS = 100
HEAPED_CELLS = 3
END = 10  # records of the smallest or largest value, from which on the column ends there
STEPS, CLOSE = 100, 1e-4  # of Newton's method, and the gradient, in standard deviations of a term, at which it ends


def smoothed_frequencies(counts: Index, terms: Array) -> Array | None:
    """Expected frequencies of cells under a log-linear model.

    Parameters
    ----------
    counts : array of int (k,)
        Observed frequencies; zeros allowed.
    terms : array (k, q)
        Functions of the cells, linear in the log of the frequencies.

    Returns
    -------
    array (k,) or None
        Frequencies with the sum of the observed ones, and with their means of all terms; None where the model cannot be fitted.

    References
    ----------
    Holland and Thayer (2000), univariate models.
    """
    share = counts / counts.sum()
    basis = _orthonormal(terms, share)
    beta = np.zeros(basis.shape[1])
    for _ in range(STEPS):
        exponent = basis @ beta
        p = np.exp(exponent - exponent.max())
        p = p / p.sum()
        gradient = basis.T @ (share - p)
        if np.abs(gradient).max(initial=0.0) < CLOSE:
            return p * counts.sum()
        centred = basis - p @ basis
        step = np.linalg.solve((centred * p[:, None]).T @ centred + RIDGE * np.eye(len(beta)), gradient)
        beta += step / max(1.0, np.abs(basis @ step).max())
    return None


def _orthonormal(terms: Array, share: Array) -> Array:
    """Terms (k, r) without a constant, orthonormal under the weights `share`, without those that follow from others."""
    centred = terms - share @ terms
    centred = centred / np.sqrt(np.maximum(share @ centred**2, 1e-300))
    values, vectors = np.linalg.eigh((centred * share[:, None]).T @ centred)
    there = values > RANK * values[-1]
    return centred @ (vectors[:, there] / np.sqrt(values[there]))


def _terms(cells: Array, counts: Index, places: Array) -> Array:
    """Cells and their squares, so that mean and variance stay, heaps, and the distances from some quantiles (k, 2 + heaps + knots).

    Between these quantiles the log of the frequencies bends no further: the density is nearly exponential between two of them.
    places : (k,) of the cells on the grid.
    """
    m = counts.sum()
    knots = int(np.clip(np.rint(KNOTS * np.sqrt(m)), FEWEST_KNOTS, MOST_KNOTS))
    shares = (np.arange(knots) + 0.5) / knots
    v = cells / np.abs(cells).max()
    quantiles = np.unique(v[np.searchsorted(np.cumsum(counts) / m, shares)])
    heaps = (term for on in _heaps(places, counts) for term in (on, on * v))
    return np.column_stack([v, v**2, *heaps, *(np.abs(v - knot) for knot in quantiles)])


def _heaps(places: Array, counts: Index) -> list[Mask]:
    """Which cells (k,) are round numbers, such as whole years among tenths: for each roundness that enough records have and have not.

    People round what they report. Source: Holland and Thayer (2000), who fit the teeth of score distributions by such terms.
    places : (k,) whole numbers, of the cells on the grid.
    """
    heaps = list[Mask]()
    unit = 1
    while unit < np.abs(places).max():
        for steps in HEAPS:
            on: Mask = places % (steps * unit) == 0
            cells_of_either = min(on.sum(), (~on).sum())
            records_of_either = min(counts[on].sum(), counts[~on].sum())
            if cells_of_either >= HEAPED_CELLS and records_of_either >= HEAPED_RECORDS:
                heaps.append(on)
        unit *= 10
    return heaps


@dataclass(frozen=True)
class SmoothedCells:
    """The values that a column may have, with smoothed frequencies."""

    cells: Array
    """The values (k,), ascending."""
    cumulative: Array
    """The share of the records that have at most each (k,)."""

    def values(self, shares: Array) -> Array:
        """The values that shares (m,) of the records do not exceed."""
        return self.cells[np.searchsorted(self.cumulative[:-1], shares)]

    def between(self, shares: Array) -> Array:
        """The values at shares (m,) of the records, each cell being spread over its half of the way to the next ones."""
        edges = (self.cells[1:] + self.cells[:-1]) / 2
        first = 2 * self.cells[0] - edges[0]
        last = 2 * self.cells[-1] - edges[-1]
        return np.interp(shares, np.r_[0.0, self.cumulative], np.r_[first, edges, last])


def smoothed_cells(y: Array, support: Support, masses: Array) -> SmoothedCells | None:
    """The smoothed frequencies of values (m,) on the support of their column, whose point masses are no cells.

    Values that are not on it count as the nearest cell. A grid goes on by a tenth at either end, but not beyond 0 nor beyond a
    value of ten records. None where the column has too many cells for its records.
    """
    m = len(y)
    cells = _cells(y, support, masses)
    if cells is None or len(cells) > min(CELLS_PER_RECORD * m, MOST_CELLS):
        return None
    nearest = np.searchsorted((cells[1:] + cells[:-1]) / 2, y)
    counts = np.bincount(nearest, minlength=len(cells))
    least = 2 if support.is_scale else DISTINCT  # each value of a scale has many records
    if (counts > 0).sum() < least:
        return None
    terms = _terms(cells, counts, np.rint(support.places(cells)))
    for q in range(terms.shape[1], 1, -1):
        expected = smoothed_frequencies(counts, terms[:, :q])
        if expected is not None:
            return SmoothedCells(cells, np.cumsum(expected) / expected.sum())
    return None


def _cells(y: Array, support: Support, masses: Array) -> Array | None:
    """The values (k,) that a column with values y (m,) may have, without its point masses; None if they are too many."""
    if support.shared is not None and support.is_scale:
        return support.shared[~np.isin(support.shared, masses)]
    if support.shared is not None:
        cells = _continued(support.shared, float(y[0]), float(y[-1]))
        cells = np.unique(support.values(np.rint(support.places(cells))))
        return cells[~np.isin(cells, masses)]
    places = np.rint(support.places(y))
    low, high = int(places.min()), int(places.max())
    if high - low + 1 > MOST_CELLS:
        return None
    extra = int(np.ceil(EXTRA * (high - low)))
    first = low if (places == low).sum() >= END else low - extra
    last = high if (places == high).sum() >= END else high + extra
    if low >= 0:
        first = max(first, 0)
    elif high <= 0:
        last = min(last, 0)
    cells = support.values(np.arange(first, last + 1.0))
    return cells[~np.isin(cells, masses)]


def _continued(values: Array, low: float, high: float) -> Array:
    """Ascending values (k,), and as many more beyond either end, at the distance of its last two, as lead to `low` and `high`.

    They go on by a tenth, but not beyond 0, and are no more than the values: farther numbers count as the last.
    """
    steps = np.arange(1.0, len(values) + 1)
    extra = 1 + EXTRA * len(values)
    first, last = values[1] - values[0], values[-1] - values[-2]
    below = values[0] - first * steps[: _whole_steps(values[0] - low, first, extra)][::-1]
    above = values[-1] + last * steps[: _whole_steps(high - values[-1], last, extra)]
    if low >= 0:
        below = below[below >= 0]
    if high <= 0:
        above = above[above <= 0]
    return np.concatenate([below, values, above])


def _whole_steps(distance: float, step: float, extra: float) -> int:
    """The steps that lead over a distance, and some more; none where there is no distance."""
    return int(distance / step + extra) if distance > 0 else 0

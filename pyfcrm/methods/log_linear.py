"""Log-linear smoothing of the frequencies of a discrete variable, as score distributions are smoothed."""

from dataclasses import dataclass

import numpy as np

from ..types import Array, Index

RIDGE, RANK = 1e-9, 1e-7  # of a Newton step; of the largest eigenvalue, below which a term follows from others
CELLS_PER_RECORD = 1.0  # above which a column is smoothed by rank
MOST_CELLS = 2_000  # above which too: records of a cell are few, and a fit takes long
FEWEST_POWERS, MORE_POWERS, SHORT = 6, 2, 1000  # terms on a log scale; one more each time the records double from 500
DISTINCT = 6  # different values, with fewer of which a column is smoothed by rank
EXTRA = 0.1  # of the cells, added at either end
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


def _terms(cells: Array, middle: float, powers: int) -> Array:
    """Cells and their squares (k, 2 + powers), so that mean and variance stay, and powers on a log scale for skewed columns."""
    v = cells / np.abs(cells).max()
    signed = cells[0] < 0 < cells[-1]
    t = np.arcsinh(3 * (cells - middle) / np.abs(cells - middle).max()) if signed else np.log(np.abs(cells) + 0.5)
    t = (t - t.mean()) / max(np.abs(t - t.mean()).max(), 1e-300)
    return np.column_stack([v, v**2, *(t**k for k in range(1, powers + 1))])


@dataclass(frozen=True)
class SmoothedCells:
    """Consecutive whole numbers with smoothed frequencies."""

    first: int
    """The smallest number."""
    cumulative: Array
    """The share of the records that have at most this number (k,)."""

    def values(self, shares: Array) -> Array:
        """The numbers that shares (m,) of the records do not exceed."""
        return self.first + np.searchsorted(self.cumulative, shares).astype(np.float64)


def smoothed_cells(whole: Array) -> SmoothedCells | None:
    """The smoothed frequencies of whole numbers (m,), of both signs only where these have both; None where the column has
    too many cells for its records."""
    low, high = int(whole.min()), int(whole.max())
    m = len(whole)
    if high - low + 1 > min(CELLS_PER_RECORD * m, MOST_CELLS) or len(np.unique(whole)) < DISTINCT:
        return None
    extra = int(np.ceil(EXTRA * (high - low)))
    first, last = low - extra, high + extra
    if low >= 0:
        first = max(first, 0)
    elif high <= 0:
        last = min(last, 0)
    counts = np.bincount((whole - first).astype(np.int64), minlength=last - first + 1)
    powers = FEWEST_POWERS + int(np.clip(np.log2(m / SHORT), 0, MORE_POWERS))
    terms = _terms(np.arange(first, last + 1.0), float(np.median(whole)), powers)
    for q in range(terms.shape[1], 1, -1):
        expected = smoothed_frequencies(counts, terms[:, :q])
        if expected is not None:
            break
    else:
        return None
    return SmoothedCells(first, np.cumsum(expected) / expected.sum())

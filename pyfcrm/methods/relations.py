"""Near-exact linear relations between columns: regressions by least absolute deviations, their residuals, and the inverse."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..numerics.location import evenly
from ..types import Array, Mask

MIN_EXPLAINED = 0.5  # of a column's absolute deviations from its median
MAX_RECORDS = 20_000  # evenly spaced, that a regression is fitted to
STEPS = 60
# Of a column's sd: deviations that count as 0, in the first and the last step, and the factor between two steps.
WIDEST, NARROWEST, FACTOR = 1e-2, 1e-8, 0.7


@dataclass(frozen=True)
class Relations:
    """Regressions of the columns of Y, each on (1, X) and the columns before it."""

    coefficients: Sequence[Array | None]
    """Coefficients by column, None where they explain too little."""

    whole: Mask
    """Mask (t,) of the columns of whole numbers, whose predictions are rounded, so that an exact relation has residuals 0."""

    def _predicted(self, X: Array, Y: Array, j: int) -> Array | float:
        """Prediction (n,) of column j; 0 without a regression."""
        coefficients = self.coefficients[j]
        if coefficients is None:
            return 0.0
        predicted = _before(X, Y, j) @ coefficients
        return np.rint(predicted) if self.whole[j] else predicted

    def residuals(self, X: Array, Y: Array) -> Array:
        """Residuals (n, t) of all columns."""
        return np.column_stack([Y[:, j] - self._predicted(X, Y, j) for j in range(Y.shape[1])])

    def restored(self, X: Array, residuals: Array, bounds: Array) -> Array:
        """Columns (n, t) with these residuals, whole numbers rounded; predicted columns are kept within bounds (2, t)."""
        Z = np.where(self.whole, np.rint(residuals), residuals)
        for j, coefficients in enumerate(self.coefficients):
            if coefficients is not None:
                Z[:, j] = np.clip(self._predicted(X, Z, j) + Z[:, j], *bounds[:, j])
        return Z


def relations_of(X: Array, Y: Array, without: Sequence[int] = (), explained: float = MIN_EXPLAINED) -> Relations:
    """The relations of Y (n, t) that explain at least a part of a column; none of the columns `without`."""
    n, t = Y.shape
    rows = evenly(n, MAX_RECORDS)
    found = [None if j in without else _fitted(_before(X[rows], Y[rows], j), Y[rows, j], explained) for j in range(t)]
    return Relations(found, (np.rint(Y) == Y).all(axis=0))


def _before(X: Array, Y: Array, j: int) -> Array:
    return np.column_stack([np.ones(len(X)), X, Y[:, :j]])


def _fitted(F: Array, y: Array, explained: float) -> Array | None:
    """Coefficients (q,) of y (n,) on F (n, q), by reweighted least squares; None where they explain too little."""
    spread = np.abs(y - np.median(y)).sum()
    if spread == 0 or F.shape[1] == 1 or len(y) <= F.shape[1]:
        return None
    sd = y.std()
    size = np.abs(F).max(axis=0)
    size[size == 0] = 1.0
    scaled = F / size
    root = np.ones(len(y))
    for step in range(STEPS):
        b = np.linalg.lstsq(scaled * root[:, None], y * root, rcond=None)[0]
        off = np.abs(y - scaled @ b) / sd
        root = 1 / np.sqrt(np.maximum(off, max(WIDEST * FACTOR**step, NARROWEST)))
    return b / size if 1 - sd * off.sum() / spread >= explained else None

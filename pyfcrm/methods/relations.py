"""Near-exact linear relations between columns: what a regression by least absolute deviations on those before leaves of
each, and the columns from it again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array, Mask

EXPLAINED = 0.5  # of a column's absolute deviations from its median: less is no relation to build on
SAMPLE = 20_000  # records, evenly spaced, that a regression is fitted to
STEPS = 60
# Of a column's sd: what counts as no deviation, and by how much less each step.
WIDEST, NARROWEST, NARROWER = 1e-2, 1e-8, 0.7


@dataclass(frozen=True)
class Relations:
    """coefficients : by dependent column those of 1, X and the columns before, or None where they explain too little;
    whole (t,) whether the column has whole numbers only, so that what explains it is rounded, and an exact relation leaves 0."""

    coefficients: Sequence[Array | None]
    whole: Mask

    @property
    def used(self) -> list[int]:
        """The columns that follow from others, nearly."""
        return [j for j, one in enumerate(self.coefficients) if one is not None]

    def explained(self, X: Array, Y: Array, j: int) -> Array:
        """(n,) what X and the columns of Y before explain of column j; 0 where nothing is built on."""
        coefficients = self.coefficients[j]
        if coefficients is None:
            return np.zeros(len(Y))
        said = _before(X, Y, j) @ coefficients
        return np.rint(said) if self.whole[j] else said

    def left(self, X: Array, Y: Array) -> Array:
        """(n, t) what is left of Y."""
        return np.column_stack([Y[:, j] - self.explained(X, Y, j) for j in range(Y.shape[1])])

    def put_back(self, X: Array, left: Array, bounds: Array) -> Array:
        """(n, t) the columns of which this is left, whole numbers rounded; those that follow from others within bounds (2, t)."""
        Z = np.empty_like(left)
        for j in range(left.shape[1]):
            Z[:, j] = np.rint(left[:, j]) if self.whole[j] else left[:, j]
            if self.coefficients[j] is not None:
                Z[:, j] = np.clip(self.explained(X, Z, j) + Z[:, j], *bounds[:, j])
        return Z


def relations_of(X: Array, Y: Array) -> Relations:
    """Those of Y (n, t), column after column, that explain at least half."""
    n, t = Y.shape
    rows = np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.intp)
    found = [_fitted(_before(X[rows], Y[rows], j), Y[rows, j]) for j in range(t)]
    return Relations(found, (np.rint(Y) == Y).all(axis=0))


def no_relations(t: int) -> Relations:
    """Every column is left as it is."""
    return Relations([None] * t, np.zeros(t, dtype=bool))


def _before(X: Array, Y: Array, j: int) -> Array:
    return np.column_stack([np.ones(len(X)), X, Y[:, :j]])


def _fitted(F: Array, y: Array) -> Array | None:
    """(q,) coefficients of y (n,) on F (n, q), by reweighted least squares; None where they explain too little."""
    spread = float(np.abs(y - np.median(y)).sum())
    if spread == 0 or F.shape[1] == 1 or len(y) <= F.shape[1]:
        return None
    size, sd = np.abs(F).max(axis=0), float(y.std())
    size[size == 0] = 1.0
    root = np.ones(len(y))
    for step in range(STEPS):
        b = np.linalg.lstsq(F / size * root[:, None], y * root, rcond=None)[0]
        off = np.abs(y - F / size @ b) / sd
        root = 1 / np.sqrt(np.maximum(off, max(WIDEST * NARROWER**step, NARROWEST)))
    return b / size if 1 - sd * off.sum() / spread >= EXPLAINED else None

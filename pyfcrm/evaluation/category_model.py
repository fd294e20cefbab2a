"""Categories drawn given the predictors alone: the reference release of a model without the record's own values."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ..rstream import RStream
from ..types import Array, Codes

FOLDS = 5
MIN_LEAF = 5  # records
MOST_LEVELS = 100  # beyond which the frequencies of all records stand for trees


@dataclass(frozen=True)
class CategoryModel:
    """Probabilities of levels by trees on the predictors that are grown without the record's fold, by column.

    levels : by column (k,); cumulative : by column (n, k), or (1, k) for all records.
    """

    n: int
    levels: tuple[Array, ...]
    cumulative: tuple[Array, ...]

    @classmethod
    def of(cls, X: Array, C: Array, units: Codes) -> CategoryModel:
        """Of predictors X (n, s) without gaps, and codes C (n, q), NaN for missing. Units (n,) are in folds by turns."""
        from sklearn.tree import DecisionTreeClassifier

        X = X if X.shape[1] else np.zeros((len(X), 1))
        fold, levels, cumulative = units % FOLDS, list[Array](), list[Array]()
        for c in C.T:
            known = ~np.isnan(c)
            values, counts = np.unique(c[known], return_counts=True)
            if len(values) > MOST_LEVELS:
                levels.append(values)
                cumulative.append(counts.cumsum()[None] / known.sum())
                continue
            P = np.full((len(X), len(values)), 1 / max(len(values), 1))
            for k in range(FOLDS):
                others, own = known & (fold != k), fold == k
                if others.any() and own.any():
                    tree = DecisionTreeClassifier(min_samples_leaf=MIN_LEAF, random_state=0).fit(X[others], c[others])
                    P[own] = 0.0
                    P[np.ix_(own, np.searchsorted(values, tree.classes_))] = tree.predict_proba(X[own])
            levels.append(values)
            cumulative.append(P.cumsum(axis=1))
        return cls(len(X), tuple(levels), tuple(cumulative))

    def draw(self, stream: RStream) -> Array:
        """Codes (n, q). Draws: a uniform for each cell, by columns."""
        columns = []
        for values, ends in zip(self.levels, self.cumulative, strict=True):
            below = (stream.runif(self.n)[:, None] > ends).sum(axis=1)
            columns.append(values[np.minimum(below, len(values) - 1)] if len(values) else np.full(self.n, np.nan))
        return np.column_stack(columns)

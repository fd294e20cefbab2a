"""Several attributes brought onto one line, then cut every k: sum of z-scores, first principal component."""

from __future__ import annotations

import numpy as np

from ...errors import InvalidParameter
from .distance import Array, Integers
from .univariate import ranked_groups


def zscore_groups(A: Array, k: int) -> Integers:
    """Groups of k along the sum of z-scores of A (n, p). Returns (n,) labels. Source: Defays and Nanopoulos (1993)."""
    Z = _standardised(A, "variance")
    return ranked_groups(_added(Z, np.ones(Z.shape[1])), k)


def component_groups(A: Array, k: int, scale: str | None = "variance") -> Integers:
    """Groups of k along the first principal component's score of A (n, p).

    scale : "variance" takes the components of the correlations, None those of the covariances.
    Returns (n,) labels from 0. Source: Defays and Nanopoulos (1993).
    """
    return ranked_groups(first_component(A, scale), k)


def first_component(A: Array, scale: str | None = "variance") -> Array:
    """(n,) scores of A (n, p) on its first principal component, the first of whose largest loadings is made positive."""
    if scale not in ("variance", None):
        raise InvalidParameter("first_component", "scale", "must be 'variance' or None", scale)
    Z = _standardised(A, scale)
    if not Z.shape[1]:
        return np.zeros(len(A))
    loadings = np.linalg.eigh(Z.T @ Z)[1][:, -1]
    size = np.abs(loadings)
    # Two attributes always have loadings of one size; which is larger by a last digit must not choose the sign.
    return _added(Z, loadings * np.sign(loadings[np.argmax(size >= (1 - 1e-9) * size.max())]))


def _standardised(A: Array, scale: str | None) -> Array:
    """Centred columns of A that vary, each divided by its standard deviation or all by the largest one."""
    A = A[:, np.ptp(A, axis=0) > 0]
    if not A.shape[1]:
        return A
    A = A - A.mean(axis=0)
    A = A / (np.abs(A).max(axis=0) if scale == "variance" else np.abs(A).max())
    return A / A.std(axis=0) if scale == "variance" else A


def _added(Z: Array, loadings: Array) -> Array:
    """(n,) sum of the columns of Z times their loadings, first to last: equal records get equal scores, to the bit."""
    score = np.zeros(len(Z))
    for j, loading in enumerate(loadings):
        score += loading * Z[:, j]
    return score

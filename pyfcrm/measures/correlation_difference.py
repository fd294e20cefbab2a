"""How far the correlations of the release are from the original's."""

from __future__ import annotations

import math

import numpy as np

from .measure import Array, Facts, Measure, Part, Parts
from .moments import correlation, spread

# Beyond this condition number of a correlation matrix its inverse is rounding.
SINGULAR = 1e12


def correlation_difference(X: Array, Z: Array) -> Parts:
    """Mean absolute difference of the correlations over all pairs of attributes, from 0 to 2.

    X (n, p), Z (N, p), of which records need no pairing. A correlation with a constant column counts as 0; with
    one attribute there are no pairs and the value is 0. Parts: the largest difference; each attribute's mean
    difference with the others; and, where neither matrix is singular, Mlodak's distance between the diagonals of the
    inverse correlation matrices (0 to 1), which is what sdcMicro's IL_correl gives.
    Source: comparison of correlation matrices, slides 004; Mlodak (2020).
    """
    p = X.shape[1]
    if p == 1:
        return Parts(0.0, notes=("correlation_difference: with one attribute there are no correlations",))
    R, S = correlation(X, spread(X)), correlation(Z, spread(Z))
    D = np.abs(R - S)
    pairs = D[np.triu_indices(p, 1)]
    parts = [Part("largest", float(pairs.max()))]
    parts += [Part("mean with the others", float(d.sum() - d[j]) / (p - 1), attribute=j) for j, d in enumerate(D)]
    inverse = _inverse_distance(R, S)
    if inverse is not None:
        parts.append(Part("inverse correlations, Mlodak", inverse, range=(0.0, 1.0)))
    return Parts(float(pairs.mean()), tuple(parts))


def _inverse_distance(R: Array, S: Array) -> float | None:
    """|u - v| / sqrt(2) of the diagonals of the inverses, each scaled to length 1; None for a singular matrix."""
    sides = []
    for C in (R, S):
        C = C.copy()
        np.fill_diagonal(C, 1.0)
        values, V = np.linalg.eigh(C)
        if values[0] <= values[-1] / SINGULAR:
            return None
        d = (V * V / values).sum(axis=1)
        sides.append(d / np.linalg.norm(d))
    return min(float(np.linalg.norm(sides[0] - sides[1])) / math.sqrt(2), 1.0)


CORRELATION_DIFFERENCE = Measure(
    Facts(
        key="correlation_difference",
        title="Mean absolute difference of correlations, from 0 to 2",
        kind="loss",
        better="lower",
        identity=0.0,
        paired=False,
        source="slides 004; Mlodak (2020) for the inverse",
        upper=2.0,
    ),
    correlation_difference,
)

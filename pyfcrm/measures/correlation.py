"""Differences of the correlations of original and release, and of the eigenvalues of the two matrices."""

import math

import numpy as np

from ..errors import Note
from ..numerics.moments import correlation
from ..types import Array
from .measure import Part, Parts, arrays_measure

# Beyond this condition number of a correlation matrix its inverse is rounding.
SINGULAR = 1e12
# Relative to the largest: an eigenvalue this small is 0, the attributes being collinear.
NOUGHT = 1e-10


@arrays_measure(
    key="correlation_difference",
    title="Mean absolute difference of correlations, from 0 to 2",
    reading="How much correlations have changed, on average over pairs of attributes.",
    kind="loss",
    identity=0.0,
    source="slides 004; Mlodak (2020) for the inverse",
    upper=2.0,
)
def correlation_difference(X: Array, Z: Array) -> Parts:
    """Mean absolute difference of the correlations over all pairs of attributes, from 0 to 2.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected; records need no pairing.

    Returns
    -------
    Parts
        The mean. Parts: the largest difference; each attribute's mean difference with the others; and, if neither
        matrix is singular, Mlodak's distance between the diagonals of the inverse correlation matrices (0 to 1),
        sdcMicro's IL_correl.

    Notes
    -----
    A correlation with a constant column counts as 0; with one attribute there are no pairs and the value is 0.

    References
    ----------
    Comparison of correlation matrices, slides 004; Mlodak (2020).
    """
    p = X.shape[1]
    if p == 1:
        wording = "correlation_difference: with one attribute there are no correlations"
        return Parts(0.0, notes=(Note.of("by_definition", wording),))
    R = correlation(X)
    S = correlation(Z)
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
    diagonals = []
    for C in (R, S):
        C = C.copy()
        np.fill_diagonal(C, 1.0)  # a constant column has 0 there
        values, V = np.linalg.eigh(C)  # ascending
        if values[0] <= values[-1] / SINGULAR:
            return None
        d = (V * V / values).sum(axis=1)  # the diagonal of C^-1 = V diag(1/values) V'
        diagonals.append(d / np.linalg.norm(d))
    u, v = diagonals
    return min(float(np.linalg.norm(u - v)) / math.sqrt(2), 1.0)


@arrays_measure(
    key="eigen",
    title="Relative change of the eigenvalues of the correlation matrix, summed",
    reading="How much the main directions of the correlations have changed in strength.",
    kind="loss",
    identity=0.0,
    source="sdcMicro dUtility",
    upper=math.inf,
)
def eigen(X: Array, Z: Array) -> Parts:
    """Sum over the components of |e - e'| / e, e and e' the eigenvalues of the two correlation matrices in order.

    Parameters
    ----------
    X : ndarray, shape (n, p)
        Original.
    Z : ndarray, shape (N, p)
        Protected; records need no pairing.

    Returns
    -------
    Parts
        The sum; each component is a part.

    Notes
    -----
    A constant column has no variance. An eigenvalue of the original that is 0 (below 1e-10 of the largest: collinear or
    constant attributes) has no relative change. It is left out, with a note. sdcMicro divides by its rounding error
    there.

    References
    ----------
    sdcMicro's dUtility, method "eigen".
    """
    before = np.linalg.eigvalsh(correlation(X))[::-1]  # descending
    after = np.linalg.eigvalsh(correlation(Z))[::-1]
    known = before > NOUGHT * max(float(before[0]), np.finfo(np.float64).tiny)
    moved = np.abs(before - after)[known] / before[known]
    parts = tuple(Part(f"component {j + 1}", float(moved[j])) for j in range(len(moved)))
    left_out = int((~known).sum())
    wording = "eigen: {count} of {total} eigenvalues of the original {count:is 0 and is|are 0 and are} left out"
    note = Note.of("left_out", wording, count=left_out, total=len(known))
    return Parts(float(moved.sum()), parts, notes=(note,) if left_out else ())

"""How far the eigenvalues of the correlation matrix have moved."""

from __future__ import annotations

import math

import numpy as np

from .measure import Array, Facts, Measure, Part, Parts
from .moments import correlation, spread

# Relative to the largest: an eigenvalue this small is 0, the attributes being collinear.
NOUGHT = 1e-10


def eigen(X: Array, Z: Array) -> Parts:
    """Sum over the components of |e - e'| / e, e and e' the eigenvalues of the two correlation matrices in order.

    X (n, p), Z (N, p), of which records need no pairing; a constant column has no variance. An eigenvalue of the
    original that is 0 (below 1e-10 of the largest: collinear or constant attributes) has no relative change: it is left
    out, and a note says so. sdcMicro divides by its rounding error there. Parts: each component.
    Source: sdcMicro's dUtility, method "eigen".
    """
    before, after = (np.linalg.eigvalsh(_matrix(A))[::-1] for A in (X, Z))
    known = before > NOUGHT * max(float(before[0]), np.finfo(np.float64).tiny)
    moved = np.abs(before - after)[known] / before[known]
    parts = tuple(Part(f"component {j + 1}", float(moved[j])) for j in range(len(moved)))
    left_out = int((~known).sum())
    notes = (f"eigen: {left_out} of {len(known)} eigenvalues of the original are 0 and are left out",)
    return Parts(float(moved.sum()), parts, notes=notes if left_out else ())


def _matrix(A: Array) -> Array:
    return correlation(A, spread(A))


EIGEN = Measure(
    Facts(
        key="eigen",
        title="Relative change of the eigenvalues of the correlation matrix, summed",
        kind="loss",
        better="lower",
        identity=0.0,
        paired=False,
        source="sdcMicro dUtility",
        upper=math.inf,
    ),
    eigen,
)

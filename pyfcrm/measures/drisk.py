"""dRisk: how often the original lies in a narrow interval around the protected value in every attribute at once."""

from __future__ import annotations

import numpy as np

from ..linkage.distance import location, row_blocks
from .measure import Array, Facts, Measure, Part, Parts

WIDTHS = (0.05, 0.01)


def drisk(X: Array, Z: Array) -> Parts:
    """Share of records with |x - z| <= k sd(z) in every attribute, per cent; k = 0.05 is the total.

    X, Z : (n, p) paired by position; sd of the protected file, with n - 1; with sd 0 only equal values are inside.
    With many attributes no record is inside in all of them and the total is 0 whatever the release: so the parts
    are k = 0.05, k = 0.01, and each attribute alone at k = 0.05. The baseline is the mean over all n^2 pairs.
    Source: Mateo-Sanz, Sebe and Domingo-Ferrer (2004), as sdcMicro's dRisk computes it.
    """
    n, sd = len(X), location(Z).sd
    parts = []
    for k in WIDTHS:
        own, pairs = _inside(X, Z, k * sd)
        parts.append(Part(f"k = {k:g}", 100 * own / n, 100 * pairs / n**2))
    for j in range(X.shape[1]):
        own, pairs = _inside(X[:, [j]], Z[:, [j]], WIDTHS[0] * sd[[j]])
        parts.append(Part(f"k = {WIDTHS[0]:g}", 100 * own / n, 100 * pairs / n**2, attribute=j))
    return Parts(parts[0].value, tuple(parts), parts[0].baseline)


def _inside(X: Array, Z: Array, width: Array) -> tuple[int, int]:
    """Own records inside in every attribute, and pairs of an original and any protected record that are."""
    own = int((np.abs(X - Z) <= width).all(axis=1).sum())
    pairs = 0
    for rows in row_blocks(len(X), len(Z)):
        inside = np.ones((len(X[rows]), len(Z)), dtype=bool)
        for x, z, w in zip(X[rows].T, Z.T, width, strict=True):
            inside &= np.abs(x[:, None] - z) <= w
        pairs += int(inside.sum())
    return own, pairs


DRISK = Measure(
    Facts(
        key="drisk",
        title="dRisk, originals within 5 % of a standard deviation in every attribute",
        kind="risk",
        better="lower",
        identity=100.0,
        paired=True,
        source="Mateo-Sanz, Sebe and Domingo-Ferrer (2004); sdcMicro dRisk",
    ),
    drisk,
)

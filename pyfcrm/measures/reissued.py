"""How much of the original is handed out again as it was."""

from __future__ import annotations

import numpy as np

from .measure import Array, Facts, Measure, Part, Parts


def reissued(X: Array, Z: Array) -> Parts:
    """Share of released values that occur in the same attribute of the original, per cent, mean over attributes.

    X (n, p), Z (N, p): a value counts wherever it occurs, so records need no pairing. Methods that keep the original
    margins (swapping, shuffling, calibration to them) hand out all of it; whole numbers recur by chance too.
    Parts: each attribute; and the share of released records that occur, every attribute together, in the original.
    Own design.
    """
    X, Z = X + 0.0, Z + 0.0  # -0 is 0
    shares = [100 * float(np.isin(z, x).mean()) for x, z in zip(X.T, Z.T, strict=True)]
    records, place = np.unique(np.vstack([X, Z]), axis=0, return_inverse=True)
    there = np.zeros(len(records), dtype=bool)
    there[place.reshape(-1)[: len(X)]] = True
    whole = 100 * float(there[place.reshape(-1)[len(X) :]].mean())
    parts = [Part("whole records", whole)]
    parts += [Part("values", share, attribute=j) for j, share in enumerate(shares)]
    return Parts(float(np.mean(shares)), tuple(parts))


REISSUED = Measure(
    Facts(
        key="reissued",
        title="Original values handed out again",
        kind="risk",
        better="lower",
        identity=100.0,
        paired=False,
        source="ours",
    ),
    reissued,
)

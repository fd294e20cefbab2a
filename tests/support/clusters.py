"""Weighted least squares of every cluster from records, by numerics.design.solved."""

import numpy as np

from pyfcrm.numerics.design import solved


def coefficients(D, Y, W):
    """(c, r, t) coefficients in the basis of a design D with columns (n, r), for Y (n, t) and weights W (n, c) >= 0."""
    largest = W.max(axis=0)
    scaled = W / np.where(largest > 0, largest, 1.0)
    products = np.array([(D.columns * w[:, None]).T @ np.hstack([D.columns, Y]) for w in scaled.T])
    r = D.columns.shape[1]
    sums = scaled.sum(axis=0), products[:, :, :r], products[:, :, r:]
    rows = np.hstack([D.columns, Y])
    return solved(sums, lambda i: rows * np.sqrt(scaled[:, i])[:, None])

"""What methods promise about moments, on columns standardised by the original's own mean and sd, where rounding is alike."""

import numpy as np


def standardised(A, like):
    """A less the means of `like`, over its sd (1/n); a column constant up to rounding is divided by its size instead."""
    sd, size = like.std(axis=0), np.abs(like).max(axis=0)
    unit = np.where(sd > 1e-12 * size, sd, np.where(size > 0, size, 1.0))
    return (A - like.mean(axis=0)) / unit


def cross(A, B):
    """Covariances (1/n) of the columns of A and B."""
    return (A - A.mean(axis=0)).T @ (B - B.mean(axis=0)) / len(A)


def assert_moments_kept(X, Y, Z, atol=1e-10):
    """Means of Z, its covariances and those with X (n, s) are those of Y, in units of Y's sd."""
    x, y, z = standardised(X, X), standardised(Y, Y), standardised(Z, Y)
    np.testing.assert_allclose(z.mean(axis=0), y.mean(axis=0), rtol=0, atol=atol)
    np.testing.assert_allclose(cross(z, z), cross(y, y), rtol=0, atol=atol)
    np.testing.assert_allclose(cross(x, z), cross(x, y), rtol=0, atol=atol)


def residuals(X, Y):
    """Of Y regressed on (1, X), by numpy's lstsq on standardised columns; in units of Y's sd."""
    A, y = np.column_stack([np.ones(len(Y)), standardised(X, X)]), standardised(Y, Y)
    return y - A @ np.linalg.lstsq(A, y, rcond=1e-10)[0]

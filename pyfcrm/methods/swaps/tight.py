"""Columns that nearly determine each other: there a small gap of a correlation is a large one, and exchanges get stuck."""

from __future__ import annotations

import numpy as np

from ...types import Array

DETERMINED = 1e-3  # least eigenvalue of the correlations below which columns nearly determine each other
BLUNT = 0.03  # added to what a correlation leaves open, so that no pair of columns is all that counts
ENOUGH = 0.1  # of a correlation's standard error: a gap below this is near enough where exchanges get stuck
HEAT, COOLER, COLD = 3000.0, 0.4, 0.01  # what an exchange may add to the squares, pass by pass, where they are stuck
PASSES = int(np.ceil(np.log(COLD / HEAT) / np.log(COOLER)))  # until that is nothing
PART = 0.3  # of all attempts that go into one cooling, and into what follows it
WORTHWHILE = 0.3  # of the attempts that a pass has elsewhere: with fewer, on long files, cooling is not worth it


def determined(A: Array) -> bool:
    """Whether columns A (n, p) of mean 0 and sd 1 nearly determine each other."""
    return bool(np.linalg.eigvalsh(A.T @ A / len(A))[0] < DETERMINED)


def tightness(correlations: Array) -> Array:
    """Weights for squared gaps of correlations, of any shape: about how surely each is known, 1 for a correlation of 0.

    An estimate r of normals has a standard error of (1 - r^2) / sqrt(n).
    """
    return np.asarray(((1 + BLUNT) / (1 - np.minimum(correlations**2, 1.0) + BLUNT)) ** 2)

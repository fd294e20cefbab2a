"""Whether the released values of a sampling unit follow one of its records, beyond what its mean tells of it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...numerics.unit_effects import FEWEST, residual_scores
from ...rstream import RStream
from ...types import Array, Codes
from .across_columns import Statistics

FEWEST_UNITS = 10
EXTREMES = {"largest records": np.max, "smallest records": np.min}


def follows_one_record(
    X: Array, Y: Array, Z: Array, names: Sequence[str], *, units: Codes, k: int, stream: RStream
) -> Statistics:
    """By attribute, the covariance over sampling units of the released mean and the largest record, or the smallest.

    As it is, then under k permutations. Both of residual scores given X (n, s), and given the unit's mean of Y (n, t), which
    standard errors of the design ask for. Z (n, t) : released values; units (n,) : from 0, of which those of FEWEST records or
    more count. None with fewer than FEWEST_UNITS of them. Draws: k uniforms for each unit and attribute.
    """
    found: Statistics = {}
    for name, y, z in zip(names, Y.T, Z.T, strict=True):
        known = np.isfinite(y) & np.isfinite(z)
        sizes = np.bincount(units[known], minlength=int(units.max()) + 1)
        members = np.flatnonzero(sizes >= FEWEST)
        if len(members) < FEWEST_UNITS:
            continue
        original = residual_scores(np.where(known, y, np.nan), X)
        released = residual_scores(np.where(known, z, np.nan), X)
        parts = [np.flatnonzero(known & (units == unit)) for unit in members]
        means = np.array([original[rows].mean() for rows in parts])
        released_means = np.array([released[rows].mean() for rows in parts])
        other = _beyond(released_means, means)
        permuted = [np.arange(len(other)), *(np.argsort(stream.runif(len(other))) for _ in range(k))]
        for kind, extreme in EXTREMES.items():
            left = _beyond(np.array([extreme(original[rows]) for rows in parts]), means)
            found[name, kind] = np.array([left @ other[places] for places in permuted])
    return found


def _beyond(a: Array, means: Array) -> Array:
    """Residuals (u,) of a (u,) on (1, means)."""
    A = np.column_stack([np.ones(len(means)), means])
    return np.asarray(a - A @ np.linalg.lstsq(A, a, rcond=None)[0])

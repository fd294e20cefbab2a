"""Gaps as predictors: which values are missing is released unchanged, and observed values may differ from those that are missing."""

from dataclasses import replace

import numpy as np

from ..types import Array, Mask
from .margins import FEWEST
from .work import Run

DETERMINED = 1e-6  # largest residual of an indicator that is a linear combination, and least coefficient of its parts


def gap_indicators(gaps: Mask) -> Array:
    """The indicators (n, k) of gaps (n, t), one for each column that has some; columns with equal gaps share one.

    No sum over a few records may follow from them: a record whose pattern of gaps fewer than 10 records have counts with the
    nearest pattern of 10 or more, that with the fewest other cells. Of patterns as near, it is the most frequent one.
    """
    patterns, pattern, counts = np.unique(gaps, axis=0, return_inverse=True, return_counts=True)
    frequent = np.flatnonzero(counts >= FEWEST)
    if len(frequent) == 0:
        return np.empty((len(gaps), 0))
    by_count = frequent[np.argsort(-counts[frequent], kind="stable")]
    distance = (patterns[:, None, :] != patterns[None, by_count, :]).sum(axis=2)
    joined = patterns[by_count[distance.argmin(axis=1)]]
    indicators = np.unique(joined[pattern.ravel()], axis=1)
    varies = indicators.any(axis=0) & ~indicators.all(axis=0)
    return indicators[:, varies].astype(np.float64)


def with_gap_indicators(X: Array, run: Run) -> tuple[Array, Run]:
    """X (n, s) with the indicators of the run's fills, and the run whose preserved sums have them too; both as they are without fills."""
    if run.fills is None:
        return X, run
    indicators = gap_indicators(run.fills)
    sums = None if run.sums is None else run.sums.with_columns(indicators)
    return np.hstack([X, indicators]), replace(run, sums=sums)


def without_few_cells(D: Array, classes: Mask, observed: Mask) -> list[int]:
    """The columns of D (n, r) whose sums over the observed cells (n,) of a column determine no sum over fewer than 10 of them.

    Where the cells of one of the classes (n, q) are so few, and its indicator is a linear combination of (1, D), 0/1 columns
    that are part of this are left out, those with the fewest observed cells first.
    """
    kept = list(range(D.shape[1]))
    is_binary = ((D == 0) | (D == 1)).all(axis=0)
    cells = D[observed].sum(axis=0)
    count = classes[observed].sum(axis=0)
    for c in np.flatnonzero((count > 0) & (count < FEWEST)).tolist():
        indicator = classes[observed, c].astype(np.float64)
        while True:
            design = np.column_stack([np.ones(len(indicator)), D[observed][:, kept]])
            coefficients = np.linalg.lstsq(design, indicator, rcond=None)[0]
            is_determined = np.abs(indicator - design @ coefficients).max() < DETERMINED
            parts = [j for j, b in zip(kept, coefficients[1:], strict=True) if is_binary[j] and abs(b) > DETERMINED]
            if not is_determined or not parts:
                break
            kept.remove(min(parts, key=lambda j: (cells[j], j)))
    return kept

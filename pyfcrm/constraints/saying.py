"""What is said of constraints: what the original breaks, and what keeping them changed in the release's moments."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from .linear import Constraint
from .projection import APART

Array = NDArray[np.float64]


def said_of(one: Constraint, values: Mapping[str, Array], names: Sequence[str], whole: bool) -> list[str]:
    """What the original does with a constraint, and whether anything can be done about it.

    values : the original's columns, (n,), NaN for missing; names : the columns that may move; whole : all its columns
    are integer ones, and sums of them exact.
    """
    coefficients, bound = one.scaled()
    terms = np.column_stack([coefficients[name] * values[name] for name in one.columns])
    known = terms[~np.isnan(terms).any(axis=1)]
    off = known.sum(axis=1) - bound
    slack = 0.0 if whole else APART * (np.abs(known).sum(axis=1) + abs(bound))
    broken = int(((np.abs(off) if one.equality else off) > slack).sum())
    said = f"the original breaks `{one.text}` in {broken} of {len(known)} records"
    if not set(one.columns) & set(names):
        nothing = f"`{one.text}` is about no column that is changed: nothing was done for it"
        return [said, nothing] if broken else [nothing]
    notes = [f"{said}; the release keeps it in every protected record"] if broken else []
    others = [name for name in one.columns if name not in names]
    unknown = int(np.isnan(np.column_stack([values[name] for name in others])).any(axis=1).sum()) if others else 0
    if unknown:
        notes.append(f"`{one.text}` could not be asked of {unknown} records, where {', '.join(others)} is missing")
    return notes


def cost(before: Array, after: Array, X: Array, sd: Array, names: list[str], beside: list[str]) -> str:
    """The largest changes of a mean, a standard deviation and a correlation.

    before, after : (k, p) the columns `names`; X (k, s) : the columns `beside`, which are as they are; sd (p,) : of the
    original, the unit of means and standard deviations.
    """
    means = np.abs(after.mean(axis=0) - before.mean(axis=0)) / sd
    spreads = np.abs(after.std(axis=0) - before.std(axis=0)) / sd
    said = f"at most, a mean changed by {means.max():.2g} sd ({names[int(means.argmax())]})"
    said += f", a standard deviation by {spreads.max():.2g} sd ({names[int(spreads.argmax())]})"
    change = np.abs(_correlations(np.hstack([after, X])) - _correlations(np.hstack([before, X])))
    if change.size > 1:
        i, j = np.unravel_index(int(change.argmax()), change.shape)
        listed = [*names, *beside]
        said += f", a correlation by {change[i, j]:.2g} ({listed[int(i)]} with {listed[int(j)]})"
    return said


def _correlations(A: Array) -> Array:
    """(p, p) correlations, 0 beside the diagonal for a column that does not vary."""
    centred = A - A.mean(axis=0)
    length = np.sqrt((centred * centred).sum(axis=0))
    unit = centred / np.where(length > 0, length, 1.0)
    return unit.T @ unit - np.diag((length > 0).astype(float))

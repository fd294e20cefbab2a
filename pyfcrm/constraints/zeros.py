"""Joint zeros of a release, by swaps within a column, so that margins stay."""

from collections.abc import Collection, Sequence

import numpy as np

from ..types import Array, Mask, Rows


def zeros_by_predictors(
    groups: Sequence[Sequence[str]],
    pairs: Sequence[tuple[str, str]],
    predictors: dict[str, Array],
    names: Sequence[str],
    n: int,
) -> Mask:
    """(n, t) where the columns `names` are zero because a predictor (n,) is.

    groups : columns that are zero together; pairs : of which the first is zero wherever the second is.
    """
    follows = {*pairs, *((a, b) for group in groups for a in group for b in group if a != b)}
    zeros = np.zeros((n, len(names)), dtype=bool)
    for j, name in enumerate(names):
        for column in _reached(name, follows) & {*predictors}:
            zeros[:, j] |= predictors[column] == 0
    return zeros


def _reached(name: str, follows: Collection[tuple[str, str]]) -> set[str]:
    """The columns wherever one of which is zero, `name` is."""
    found = {name}
    new = {name}
    while new:
        new = {b for a, b in follows if a in new} - found
        found |= new
    return found


def zero_together(first: Array, others: Sequence[Array], fixed: bool) -> int:
    """Make columns zero in the records in which the first is, and in no others. Returns how many values moved.

    A value that must go and a zero that must go change places, the largest to where the first is largest. Values left over
    become zero; where zeros are left over, the first becomes zero, and all others with it. If it is `fixed` these records get
    values of others. The columns (n,) are changed.
    """
    moved = 0
    for column in others:
        moved += zero_where(column, [first])
        late = np.flatnonzero((first != 0) & (column == 0))
        if fixed:
            moved += _filled(column, late, first)
        else:
            first[late] = 0.0
            moved += len(late)
    if not fixed:
        for column in others:
            late = np.flatnonzero((first == 0) & (column != 0))
            column[late] = 0.0
            moved += len(late)
    return moved


def zero_where(column: Array, firsts: Sequence[Array]) -> int:
    """Make a column zero where any of the first ones is. Returns how many values moved. See zero_together."""
    least = np.min(np.abs(firsts), axis=0)
    go = np.flatnonzero((least == 0) & (column != 0))
    come = np.flatnonzero((least != 0) & (column == 0))
    go = go[np.argsort(np.abs(column[go]), kind="stable")][::-1]
    come = come[np.argsort(least[come], kind="stable")][::-1]
    k = min(len(go), len(come))
    column[come[:k]] = column[go[:k]]
    column[go] = 0.0
    return k + len(go)


def nonzero_where(column: Array, firsts: Sequence[Array]) -> int:
    """Make a column differ from zero where any of the first ones, which stay, does. Returns how many values moved.

    Values come from records in which all of these are zero. See zero_together.
    """
    largest = np.max(np.abs(firsts), axis=0)
    come = np.flatnonzero((largest != 0) & (column == 0))
    go = np.flatnonzero((largest == 0) & (column != 0))
    k = min(len(go), len(come))
    column[come[:k]] = column[go[:k]]
    column[go[:k]] = 0.0
    return 2 * k + _filled(column, come[k:], largest)


def _filled(column: Array, rows: Rows, first: Array) -> int:
    """Give these records of a column other records' values, evenly spaced among those that are not zero: the larger ones where the
    first column is larger. Returns how many there are."""
    values = np.sort(column[column != 0])
    if not len(values) or not len(rows):
        return 0
    places = ((np.arange(len(rows)) + 0.5) / len(rows) * len(values)).astype(np.intp)
    column[rows[np.argsort(first[rows], kind="stable")]] = values[places]
    return len(rows)

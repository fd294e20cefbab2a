"""Columns that follow from others, as a method of exchanges meets them: what each is a sum of, and which values it had."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array
from .accepted import Parts


@dataclass(frozen=True)
class Totals:
    """beside + released values @ held.T are the derived columns of n records with t released ones.

    beside : (n, d), of kept columns; held : (d, t); values : (n, d), the original's.
    """

    beside: Array
    held: Array
    values: Array


def totals_of(
    derived: Sequence[tuple[str, Parts]],
    kept: Sequence[str],
    free: Sequence[str],
    X: Array,
    values: Array,
) -> Totals | None:
    """The totals among `derived`, as (name, parts), of kept columns X (n, s) and of free ones; None where there is none.

    values : (n, d), the original's by derived column.
    """
    if not derived:
        return None

    def factors(names: Sequence[str]) -> Array:
        return np.array([[dict(parts).get(name, 0.0) for name in names] for _, parts in derived])

    beside = np.zeros(values.shape)
    for column, by in zip(X.T, factors(kept).T, strict=True):
        beside += column[:, None] * by
    return Totals(beside, factors(free), values)

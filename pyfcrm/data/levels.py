"""Levels of columns as indicators, with rare levels pooled; and checked survey weights."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..types import Array, Codes, Mask, Rows
from .check import checked, require_columns
from .frame import Frame


@dataclass(frozen=True)
class Levels:
    """The levels of a column, in the n records."""

    name: str
    """The column."""
    codes: Codes
    """The level (n,) of each record, from 0."""
    labels: tuple[str, ...]
    """The names of the levels, in the order of their codes."""

    def taken(self, rows: Rows) -> Levels:
        """The levels of some of the records, renumbered."""
        levels, codes = np.unique(self.codes[rows], return_inverse=True)
        return Levels(self.name, codes, tuple(self.labels[k] for k in levels))

    def joined(self, fewest: int) -> Levels:
        """Levels of at least `fewest` records: smaller levels pooled, with the next larger one where the pool is too small."""
        sizes = np.bincount(self.codes, minlength=len(self.labels))
        order = np.argsort(sizes, kind="stable")
        small = int((sizes < fewest).sum())
        if not small:
            return self
        small = max(small, 1 + int((np.cumsum(sizes[order]) < fewest).sum()))
        group, others = np.sort(order[:small]), np.sort(order[small:])
        codes = np.full(len(order), len(others))
        codes[others] = np.arange(len(others))
        label = " or ".join(self.labels[k] for k in group)
        return Levels(self.name, codes[self.codes], (*(self.labels[k] for k in others), label))

    @property
    def indicators(self) -> Array:
        """Indicators (n, k), one 1 in each row."""
        return np.eye(len(self.labels))[self.codes]


def levels_of(owner: str, frame: Frame, name: str, rows: Mask | Rows) -> Levels:
    """The levels of a column of any type in the records `rows`, by first appearance; missing, the first, counts as a level.

    A value with a label in the file is named "2 (South)".

    Raises InvalidInput for cells that are no single values.
    """
    require_columns(owner, frame, [name])
    places, values = frame.distinct(name, owner)
    levels, codes = np.unique(places[rows], return_inverse=True)
    value_labels = frame.value_labels.get(name, {})
    labels = ["missing" if code < 0 else _named(values[code], value_labels) for code in levels.tolist()]
    return Levels(name, codes, tuple(labels))


def _named(value: Any, value_labels: Mapping[Any, str]) -> str:
    """A value as text, with its label in the file."""
    label = value_labels.get(value)
    if not label:
        return str(value)
    return f"{value:.10g} ({label})" if isinstance(value, float) else f"{value} ({label})"


def weights_of(owner: str, frame: Frame, name: str, rows: Mask) -> Array:
    """Survey weights (n,) of the records `rows`. Raises InvalidInput where one is missing or not positive."""
    weights = checked(owner, frame, [name])[rows, 0]
    bad = np.flatnonzero(~(weights > 0))
    if len(bad):
        rule = f"the weights in column `{name}` must be above 0, and none missing where a record is protected"
        raise InvalidInput(owner, rule, f"{weights[bad[0]]:g} in record {np.flatnonzero(rows)[bad[0]] + 1}")
    return weights

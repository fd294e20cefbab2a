"""Fills of gaps that follow the rules of a release.

The method places the values of a completed file, fills among them, so that each record keeps the rules. Where fills break them
there may be no such place, and observed cells would be moved for the sake of cells that are not released.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np

from ..constraints.accepted import Accepted
from ..constraints.language import Constraint
from ..constraints.proposal import CONSTANT
from ..types import Array, Mask
from .differences import orders_of

Columns = Mapping[str, Array]
Gaps = Mapping[str, Mask]


def follow_rules(columns: Columns, gaps: Gaps, *, accepted: Accepted | None, constraints: Iterable[Constraint]) -> None:
    """Change fills of a completed file, so that they follow joint zeros, orders of two columns, and identities.

    columns : (n,) by name, whose fills are changed; gaps : (n,) of the columns with fills, where these are.
    """
    if accepted is not None:
        _fill_zeros(accepted, columns, gaps)
    orders = [order for order in orders_of(constraints) if {order.lower, order.higher} <= {*columns}]
    # An order may break another one of a chain: the longest has as many orders as there are.
    for _ in orders:
        changed = [
            _fill_order(order.lower, order.higher, columns, gaps, strict=order.constraint.strict) for order in orders
        ]
        if not any(changed):
            break
    if accepted is not None:
        _fill_identities(accepted, columns, gaps)


def _fill_zeros(accepted: Accepted, columns: Columns, gaps: Gaps) -> None:
    """Fills are zero where an observed cell makes them so."""
    pairs = list(accepted.zero_where)
    for group in accepted.together:
        pairs += [(a, b) for a in group for b in group if a != b]
    for column, first in pairs:
        if column in gaps and first in columns:
            known = ~gaps[first] if first in gaps else True
            columns[column][gaps[column] & known & (columns[first] == 0)] = 0.0


def _fill_order(lower: str, higher: str, columns: Columns, gaps: Gaps, *, strict: bool) -> bool:
    """Draw fills that break an order again, each at its rank among the observed values that keep it. Returns whether there were any."""
    low = columns[lower]
    high = columns[higher]
    broken = low >= high if strict else low > high
    if lower in gaps and (broken & gaps[lower]).any():
        rows = np.flatnonzero(broken & gaps[lower])
        low[rows] = -_at_rank(-low[~gaps[lower]], -low[rows], -high[rows], strict=strict)
        return True
    if higher in gaps and (broken & gaps[higher]).any():
        rows = np.flatnonzero(broken & gaps[higher])
        high[rows] = _at_rank(high[~gaps[higher]], high[rows], low[rows], strict=strict)
        return True
    return False


def _at_rank(observed: Array, fills: Array, least: Array, *, strict: bool) -> Array:
    """The observed values (m,) that are at least as large as `least` (k,), each at the rank of its fill (k,) among all of them.

    `least` itself where no observed value is.
    """
    values = np.sort(observed)
    m = len(values)
    ranks = (np.searchsorted(values, fills) + np.searchsorted(values, fills, side="right")) / 2
    first = np.searchsorted(values, least, side="right" if strict else "left")
    places = first + (ranks / m * (m - first)).astype(np.intp)
    return np.where(first < m, values[np.minimum(places, m - 1)], least)


def _fill_identities(accepted: Accepted, columns: Columns, gaps: Gaps) -> None:
    """A fill that is the only one of an identity follows from the observed cells."""
    for name, parts in accepted.derived.items():
        terms = {name: -1.0, **parts}
        constant = terms.pop(CONSTANT, 0.0)
        if not {*terms} <= {*columns}:
            continue
        count = np.sum([gaps[each] for each in terms if each in gaps], axis=0)
        for each, coefficient in terms.items():
            if each in gaps:
                rows = gaps[each] & (count == 1)
                rest = sum(c * columns[other][rows] for other, c in terms.items() if other != each)
                columns[each][rows] = -(constant + rest) / coefficient

"""Orders that most records reach, such as wages that are at most all earnings and mostly are all of them.

Swaps of single values cannot move columns that must stay equal or in order. So the method releases the lower column and the
difference of both, which is at least zero; the higher column is their sum. Sums of products of the lower column and the
difference determine those of the higher one, so that moments are preserved as before. Source: own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..constraints import Constraint
from ..constraints.accepted import Accepted, Parts, put_in
from ..data import Roles
from ..numerics.decimals import decimals
from ..types import Array
from .request import ProtectRequest

REACHED = 0.5  # share of the records in which both columns are equal, from which on swaps within the order get stuck
POWERS = (0.5, 2.0)  # between which differences are raised to one
HALVINGS = 20  # of this interval


@dataclass(frozen=True)
class Difference:
    """The difference of a column and a lower one."""

    higher: str
    """The column that is derived, which is dependent."""

    lower: str
    """The column that it is at least."""

    order: Constraint
    """The constraint that says so."""

    values: Array
    """(n,) the difference in the original, made at least zero (see _difference)."""

    @property
    def name(self) -> str:
        """The name of the difference in notes."""
        return f"{self.higher} less {self.lower}"


def differences_of(request: ProtectRequest, accepted: Accepted, columns: dict[str, Array]) -> list[Difference]:
    """The differences that take the place of higher columns. columns : the original's (n,), by name."""
    fixed = {name for rule in (*accepted.together, *accepted.zero_where) for name in rule}
    fixed |= {name for one in accepted.habits for name in one.columns} | {*accepted.derived}
    fixed |= {name for pair in accepted.nested for name in pair} | {*request.categories}
    found = list[Difference]()
    derived = dict[str, Parts]()
    changed = dict[str, Array]()  # the higher columns, with the differences
    # A difference is from the lower column as it is released, so that the lowest columns of a chain come first.
    for lower, higher, order in _lowest_first(_orders(request.constraints)):
        free = higher in request.roles.dependent and higher not in fixed and higher not in derived
        if not free or lower not in columns or lower in accepted.derived or higher in put_in({lower: 1.0}, derived):
            continue
        low = columns[lower]
        high = columns[higher]
        equal = low == high
        # Below a sum that is never negative, negative parts would be cut off afterwards.
        if equal.mean() < REACHED or equal.all() or low.min() < 0 <= high.min():
            continue
        low = changed.get(lower, low)
        values = _difference(low, high)
        digits = [decimals(column) for column in (columns[lower], high)]
        known = [count for count in digits if count is not None]
        if len(known) == len(digits):
            values = np.round(values, max(known))
        one = Difference(higher=higher, lower=lower, order=order, values=values)
        if one.name in columns:
            continue
        found.append(one)
        changed[higher] = low + values
        derived = _with(derived, one)
    return found


def _difference(low: Array, high: Array) -> Array:
    """A difference (n,) of at least zero, with which low + difference has about the mean and standard deviation of `high` (n,).

    Where a few records break the order, their difference is zero. The others are raised to a power, and scaled.
    """
    values = np.maximum(high - low, 0.0)
    mean = high.mean() - low.mean()
    if mean <= 0 or (high >= low).all():
        return values
    values /= values.max()

    def raised(power: float) -> Array:
        with_power = values**power
        return np.asarray(with_power * (mean / with_power.mean()))

    # The larger the power, the more a few values have of the sum, and the larger the standard deviation.
    smallest, largest = POWERS
    for _ in range(HALVINGS):
        power = (smallest + largest) / 2
        if (low + raised(power)).std() < high.std():
            smallest = power
        else:
            largest = power
    return raised(power)


def _orders(constraints: Iterable[Constraint]) -> list[tuple[str, str, Constraint]]:
    """The pairs of columns of which the first is at most the second, with the constraint."""
    found = list[tuple[str, str, Constraint]]()
    for one in constraints:
        factors = sorted((c, name) for name, c in one.terms)
        if not one.equality and one.bound == 0 and len(factors) == 2 and factors[0][0] == -factors[1][0]:
            found.append((factors[1][1], factors[0][1], one))
    return found


def _lowest_first(orders: Sequence[tuple[str, str, Constraint]]) -> list[tuple[str, str, Constraint]]:
    """The pairs in the order of a chain, where there is one."""
    left = list(orders)
    found = list[tuple[str, str, Constraint]]()
    while left:
        higher = {one[1] for one in left}
        following = min(left, key=lambda one: one[0] in higher)
        left.remove(following)
        found.append(following)
    return found


def _with(derived: dict[str, Parts], one: Difference) -> dict[str, Parts]:
    """Derived columns, none of which is a part, with the higher column of a difference among them."""
    parts = put_in({one.lower: 1.0, one.name: 1.0}, derived)
    return {name: put_in(each, {one.higher: parts}) for name, each in derived.items()} | {one.higher: parts}


def with_differences(
    request: ProtectRequest, accepted: Accepted, differences: Iterable[Difference]
) -> tuple[ProtectRequest, Accepted]:
    """The request with the differences as further dependent columns, and the higher columns derived."""
    derived = accepted.derived
    names = list[str]()
    for one in differences:
        derived = _with(derived, one)
        names.append(one.name)
    roles = Roles(request.roles.independent, [*request.roles.dependent, *names])
    return replace(request, roles=roles), replace(accepted, derived=derived)

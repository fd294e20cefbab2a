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
    # Columns of other rules, and columns that are no numbers.
    fixed = {*accepted.derived, *request.categories}
    for names in (*accepted.together, *accepted.zero_where, *accepted.nested):
        fixed |= {*names}
    for habit in accepted.habits:
        fixed |= {*habit.columns}
    found = list[Difference]()
    derived = dict[str, Parts]()
    changed = dict[str, Array]()  # the higher columns, with the differences
    # A difference is from the lower column as it is released, so that the lowest columns of a chain come first.
    for lower, higher, order in _lowest_first(_orders(request.constraints)):
        free = higher in request.roles.dependent and higher not in fixed and higher not in derived
        if not free or lower not in columns or lower in accepted.derived:
            continue
        in_a_circle = higher in put_in({lower: 1.0}, derived)  # the lower column is derived from the higher one
        if in_a_circle or not _is_reached(columns[lower], columns[higher]):
            continue
        low = changed.get(lower, columns[lower])
        values = _difference(low, columns[higher])
        low_digits = decimals(columns[lower])
        high_digits = decimals(columns[higher])
        if low_digits is not None and high_digits is not None:
            values = np.round(values, max(low_digits, high_digits))
        difference = Difference(higher=higher, lower=lower, order=order, values=values)
        if difference.name in columns:
            continue
        found.append(difference)
        changed[higher] = low + values
        derived = _with(derived, difference)
    return found


def _is_reached(low: Array, high: Array) -> bool:
    """Whether most records, but not all, have equal values (n,) of both columns; not below a sum that is never negative.

    There negative parts would be cut off afterwards.
    """
    equal = low == high
    if low.min() < 0 <= high.min():
        return False
    return bool(equal.mean() >= REACHED and not equal.all())


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
        """Differences raised to a power, with the mean wanted."""
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
    for constraint in constraints:
        if constraint.equality or constraint.strict or constraint.bound != 0 or len(constraint.terms) != 2:
            continue
        # c lower - c higher <= 0, with c above 0
        (smaller, higher), (larger, lower) = sorted((c, name) for name, c in constraint.terms)
        if smaller == -larger:
            found.append((lower, higher, constraint))
    return found


def _lowest_first(orders: Sequence[tuple[str, str, Constraint]]) -> list[tuple[str, str, Constraint]]:
    """The pairs in the order of a chain, where there is one."""
    left = list(orders)
    found = list[tuple[str, str, Constraint]]()
    while left:
        # The first pair whose lower column is not the higher one of another; of a circle the first pair.
        higher_columns = {higher for _, higher, _ in left}
        following = next((pair for pair in left if pair[0] not in higher_columns), left[0])
        left.remove(following)
        found.append(following)
    return found


def _with(derived: dict[str, Parts], difference: Difference) -> dict[str, Parts]:
    """Derived columns, none of which is a part, with the higher column of a difference among them."""
    parts = put_in({difference.lower: 1.0, difference.name: 1.0}, derived)
    higher = {difference.higher: parts}
    return {name: put_in(of_column, higher) for name, of_column in derived.items()} | higher


def with_differences(
    request: ProtectRequest, accepted: Accepted, differences: Iterable[Difference]
) -> tuple[ProtectRequest, Accepted]:
    """The request with the differences as further dependent columns, and the higher columns derived."""
    derived = accepted.derived
    names = list[str]()
    for difference in differences:
        derived = _with(derived, difference)
        names.append(difference.name)
    roles = Roles(request.roles.independent, [*request.roles.dependent, *names])
    return replace(request, roles=roles), replace(accepted, derived=derived)

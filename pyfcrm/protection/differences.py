"""Orders that most records reach, such as wages that are at most all earnings and mostly are all of them.

Swaps of single values cannot move columns that must stay equal or in order. So the method releases one of them and the
difference of both, which is at least zero; the other one is derived: the higher column as their sum, or the lower one below a
column that does not move. Sums of products of the two that are left determine those of the derived one, so that moments are
preserved as before. Source: own.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import Literal, NamedTuple

import numpy as np

from ..constraints import Constraint, parsed
from ..constraints.accepted import Accepted, Parts, put_in
from ..constraints.language import ticked
from ..data import Roles
from ..numerics.decimals import decimals
from ..types import Array
from .request import ProtectRequest

REACHED = 0.5  # share of the records in which both columns are equal, from which on swaps within the order get stuck
POWERS = (0.5, 2.0)  # between which differences are raised to one
HALVINGS = 20  # of this interval


@dataclass(frozen=True)
class Difference:
    """The difference of a column and a lower one, one of which is derived from the other and the difference."""

    higher: str
    """The column that is at least the lower one."""

    lower: str
    """The column that is at most the higher one."""

    from_above: bool
    """Whether the lower column is derived, and the higher one is unmodified or itself derived so; else the higher one is."""

    order: Constraint
    """The constraint that says so."""

    observed: Array
    """(n,) the difference in the original."""

    values: Array
    """(n,) the same, made at least zero (see _not_negative)."""

    @property
    def name(self) -> str:
        """The name of the difference in notes."""
        return f"{self.higher} less {self.lower}"

    @property
    def derived(self) -> str:
        """The column that is derived, which is dependent."""
        return self.lower if self.from_above else self.higher

    @property
    def parts(self) -> Parts:
        """What the derived column is the sum of."""
        if self.from_above:
            return {self.higher: 1.0, self.name: -1.0}
        return {self.lower: 1.0, self.name: 1.0}


def differences_of(request: ProtectRequest, accepted: Accepted, columns: dict[str, Array]) -> list[Difference]:
    """The differences that take the place of derived columns. columns : the original's (n,), by name."""
    # Columns of other rules, and columns that are no numbers.
    fixed = {*accepted.derived, *request.categories}
    for names in (*accepted.together, *accepted.zero_where, *accepted.nested):
        fixed |= {*names}
    for habit in accepted.habits:
        fixed |= {*habit.columns}
    free = {*request.roles.dependent} - fixed
    orders = [one for one in orders_of(request.constraints) if {one.lower, one.higher} <= {*columns}]
    found = list[Difference]()
    derived = dict[str, Parts]()

    def add(order: Order, *, from_above: bool) -> None:
        """Adds the difference of an order that most records reach."""
        low = columns[order.lower]
        high = columns[order.higher]
        base = order.higher if from_above else order.lower
        parts = put_in({base: 1.0}, derived)
        earlier = [(parts[one.name], one) for one in found if one.name in parts]
        values = _not_negative(high - low, _wanted_sd(high - low, earlier, sign=-1.0 if from_above else 1.0))
        low_digits = decimals(low)
        high_digits = decimals(high)
        if low_digits is not None and high_digits is not None:
            values = np.round(values, max(low_digits, high_digits))
        difference = Difference(
            higher=order.higher,
            lower=order.lower,
            from_above=from_above,
            order=order.constraint,
            observed=high - low,
            values=values,
        )
        if difference.name in columns:
            return
        found.append(difference)
        derived.update(_with(derived, difference))

    # Below a column that does not move swaps have no room. The highest columns of a chain come first.
    anchored = {*request.roles.independent}
    for order in _nearest_first(_lowest_first(orders[::-1])[::-1], columns, by="lower"):
        is_open = order.lower in free and order.lower not in derived
        if is_open and order.higher in anchored and _is_reached(columns[order.lower], columns[order.higher]):
            add(order, from_above=True)
            anchored |= {*derived}
    # Of other columns the lowest of a chain come first.
    for order in _nearest_first(_lowest_first(orders), columns, by="higher"):
        is_open = order.higher in free and order.higher not in derived
        if not is_open or order.lower in accepted.derived:
            continue
        # The lower column is derived from the higher one.
        in_a_circle = order.higher in put_in({order.lower: 1.0}, derived)
        reached = _is_reached(columns[order.lower], columns[order.higher])
        if not in_a_circle and reached and not _may_be_cut(columns[order.lower], columns[order.higher]):
            add(order, from_above=False)
    return found


def _is_reached(low: Array, high: Array) -> bool:
    """Whether most records, but not all, have equal values (n,) of both columns."""
    equal = low == high
    return bool(equal.mean() >= REACHED and not equal.all())


def _may_be_cut(low: Array, high: Array) -> bool:
    """Whether a sum of the lower column and a difference would be cut at zero afterwards: it is never negative, and a part is."""
    return bool(low.min() < 0 <= high.min())


def _wanted_sd(difference: Array, earlier: Sequence[tuple[float, Difference]], *, sign: float) -> float:
    """The standard deviation of a difference (n,) in the release, with which the derived column has the original's.

    The derived column is a base plus `sign` times the difference, and the base has earlier differences in it. Where two
    differences are below zero in a few records, their covariance may be one that no differences of at least zero have: as
    E[D D'] >= 0 then, cov(D, D') >= -E[D] E[D']. What it lacks is taken from the variance.

    earlier : the coefficients and the differences in the base.
    """
    variance = float(difference.var())
    for coefficient, other in earlier:
        covariance = float(np.mean(difference * other.observed) - difference.mean() * other.observed.mean())
        least = -float(difference.mean() * other.observed.mean())
        excess = max(least - covariance, 0.0)
        # var(base + sign D) has 2 sign cov(base, D), with the base's share coefficient cov(D', D)
        variance -= 2 * sign * coefficient * excess
    return float(np.sqrt(max(variance, 0.0)))


def _not_negative(difference: Array, sd: float) -> Array:
    """A difference (n,) of at least zero, with about the mean of one that is below zero in a few records, and about this sd.

    There it is zero. The others are raised to a power, and scaled.
    """
    values = np.maximum(difference, 0.0)
    mean = difference.mean()
    if mean <= 0 or (difference >= 0).all():
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
        if raised(power).std() < sd:
            smallest = power
        else:
            largest = power
    return raised(power)


class Order(NamedTuple):
    """A column that is at most another one."""

    lower: str
    higher: str
    constraint: Constraint
    """The constraint that says so."""


def orders_of(constraints: Iterable[Constraint]) -> list[Order]:
    """The constraints that are about two columns alone, of which one is at most the other."""
    found = list[Order]()
    for constraint in constraints:
        if constraint.equality or constraint.strict or constraint.bound != 0 or len(constraint.terms) != 2:
            continue
        # c lower - c higher <= 0, with c above 0
        (smaller, higher), (larger, lower) = sorted((c, name) for name, c in constraint.terms)
        if smaller == -larger:
            found.append(Order(lower, higher, constraint))
    return found


def _lowest_first(orders: Sequence[Order]) -> list[Order]:
    """The orders from the lowest columns of a chain on, where there is one."""
    left = list(orders)
    found = list[Order]()
    while left:
        # The first order whose lower column is not the higher one of another; of a circle the first order.
        higher_columns = {order.higher for order in left}
        following = next((order for order in left if order.lower not in higher_columns), left[0])
        left.remove(following)
        found.append(following)
    return found


def _nearest_first(
    orders: Sequence[Order], columns: dict[str, Array], *, by: Literal["lower", "higher"]
) -> list[Order]:
    """The orders with those of one lower, or higher, column together, and of these the one first that most records reach."""
    column = attrgetter(by)
    last = {column(order): place for place, order in enumerate(orders)}
    equal = {order: float((columns[order.lower] == columns[order.higher]).mean()) for order in orders}
    return sorted(orders, key=lambda order: (last[column(order)], -equal[order]))


def _with(derived: dict[str, Parts], difference: Difference) -> dict[str, Parts]:
    """Derived columns, none of which is a part, with that of a difference among them."""
    column = {difference.derived: put_in(difference.parts, derived)}
    return {name: put_in(parts, column) for name, parts in derived.items()} | column


def with_differences(
    request: ProtectRequest, accepted: Accepted, differences: Iterable[Difference]
) -> tuple[ProtectRequest, Accepted]:
    """The request with the differences as further dependent columns, and the columns that they take the place of derived."""
    derived = accepted.derived
    names = list[str]()
    for difference in differences:
        derived = _with(derived, difference)
        names.append(difference.name)
    dependent = [*request.roles.dependent, *names]
    roles = Roles(request.roles.independent, dependent, product=request.roles.product)
    return replace(request, roles=roles), replace(accepted, derived=derived)


def sign_of(name: str) -> Constraint:
    """The constraint that a column is at least zero."""
    [constraint] = parsed("protect", [f"{ticked(name)} >= 0"])
    return constraint

"""Inequalities as a method meets them: of the independent and the free dependent columns, by position, with what stands
for derived columns put in their place."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from ..types import Array, Mask
from .accepted import Parts, put_in
from .language import Constraint


@dataclass(frozen=True)
class Bounds:
    """beside @ x + held @ y <= most, for each record with kept values x (s,) and released ones y (t,).

    beside : (g, s); held : (g, t), of whole numbers where the constraint allows it; most : (g,).
    """

    beside: Array
    held: Array
    most: Array

    def left(self, X: Array) -> Array:
        """(n, g) what kept columns X (n, s) leave to the released ones."""
        left = np.tile(self.most, (len(X), 1))
        for column, factors in zip(X.T, self.beside.T, strict=True):
            left -= column[:, None] * factors
        return left

    def broken(self, X: Array, Y: Array) -> Mask:
        """(n, g) True where a record of X (n, s) with released values Y (n, t) breaks one."""
        room = self.left(X)
        for column, factors in zip(Y.T, self.held.T, strict=True):
            room -= column[:, None] * factors
        return room < 0


def bounds_of(
    constraints: Sequence[Constraint],
    derived: Mapping[str, Parts],
    independent: Sequence[str],
    dependent: Sequence[str],
) -> Bounds | None:
    """The inequalities among `constraints` that are about these columns alone, and about dependent ones; None where there is none.

    derived : by column, what it is a sum of; dependent : those that are not derived.
    """
    rows = list[tuple[list[float], list[float], float]]()
    for one in constraints:
        if one.equality:
            continue
        factors, most = one.scaled()
        whole = put_in(factors, {name: dict(parts) for name, parts in derived.items()})
        if not set(whole) <= {*independent, *dependent} or not set(whole) & set(dependent):
            continue
        kept, held = ([whole.get(name, 0.0) for name in names] for names in (independent, dependent))
        if len(whole) == 1:  # a bound on one column: as it stands, so that it can be met exactly
            (factor,) = whole.values()
            most, held = most / abs(factor), [float(np.sign(c)) for c in held]
        rows.append((kept, held, most))
    if not rows:
        return None
    g = len(rows)
    beside = np.array([row[0] for row in rows]).reshape(g, len(independent))
    return Bounds(beside, np.array([row[1] for row in rows]), np.array([row[2] for row in rows]))


def identities_of(constraints: Sequence[Constraint]) -> list[tuple[str, dict[str, float]]]:
    """The equalities among `constraints` as sums that are 0, with the column that is to be derived from the others where it can be:
    one that is the sum of the others, or else the first. Those with a constant beside them are left out."""
    found = []
    for one in constraints:
        if not one.equality or one.bound != Fraction(0) or len(one.terms) < 2:
            continue
        whole = one.scaled()[0]
        total = [name for name, c in whole.items() if all(-other / c > 0 for n, other in whole.items() if n != name)]
        found.append((total[0] if total else next(iter(whole)), whole))
    return found

"""Inequalities for a method: of the independent and the free dependent columns, by position; derived columns are replaced by their
parts."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array, Mask
from .accepted import Parts, put_in
from .language import Constraint
from .proposal import CONSTANT


@dataclass(frozen=True)
class Bounds:
    """fixed @ x + released @ y <= bound, for each record with kept values x (s,) and released ones y (t,).

    fixed : (g, s); released : (g, t), of whole numbers where the constraint allows it; bound : (g,).
    """

    fixed: Array
    released: Array
    bound: Array

    @property
    def related(self) -> Mask:
        """(t,) the released columns that an inequality bounds by another column."""
        columns = (self.fixed != 0).sum(axis=1) + (self.released != 0).sum(axis=1)
        related: Mask = (self.released[columns > 1] != 0).any(axis=0)
        return related

    def slack(self, A: Array) -> Array:
        """(n, g) what the first columns A (n, k), of kept and then of released ones, leave to the others."""
        slack = np.tile(self.bound, (len(A), 1))
        for column, factors in zip(A.T, (*self.fixed.T, *self.released.T), strict=False):
            slack -= column[:, None] * factors
        return slack

    def broken(self, X: Array, Y: Array) -> Mask:
        """(n, g) True where a record of X (n, s) with released values Y (n, t) breaks one."""
        return self.slack(np.hstack([X, Y])) < 0


def bounds_of(
    constraints: Sequence[Constraint],
    derived: dict[str, Parts],
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
        factors, bound = one.scaled()
        whole = put_in(factors, derived)
        bound -= whole.pop(CONSTANT, 0.0)
        if not set(whole) <= {*independent, *dependent} or not set(whole) & set(dependent):
            continue
        fixed, released = ([whole.get(name, 0.0) for name in names] for names in (independent, dependent))
        if len(whole) == 1:  # a bound on one column: as it stands, so that it can be met exactly
            (factor,) = whole.values()
            bound, released = bound / abs(factor), [float(np.sign(c)) for c in released]
        rows.append((fixed, released, bound))
    if not rows:
        return None
    return Bounds(*(np.array(part) for part in zip(*rows, strict=True)))


def identities_of(constraints: Sequence[Constraint]) -> list[tuple[str, dict[str, float]]]:
    """The equalities among `constraints` as sums that are 0, with the column to derive from the others, if possible:
    the sum of the others, or else the first. Those with a constant beside them are left out."""
    found = []
    for one in constraints:
        if not one.equality or one.bound or len(one.terms) < 2:
            continue
        whole = one.scaled()[0]
        total = [name for name, c in whole.items() if all(-other / c > 0 for n, other in whole.items() if n != name)]
        found.append(([*total, *whole][0], whole))
    return found

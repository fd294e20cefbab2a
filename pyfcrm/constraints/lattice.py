"""The nearest values that columns can hold: whole numbers, decimals, floats with a few bits to spare.

Floats are rounded to multiples of a power of two so small that it does not matter and so large that sums of them are
exact: A == B + C then holds bitwise, in whatever order it is added up.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .projection import APART, SLACK, Polyhedron

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]

SPARE_BITS = 5  # sums of 32 floats, exact


@dataclass(frozen=True)
class Grid:
    """What the columns of a system hold: unit (q,), 1 for whole numbers, 0.01 for two decimals, 0 for floats;
    bits : of the shortest float among them; least : the size below which values count as that large."""

    unit: Array
    bits: int
    least: float

    def steps(self, V: Array) -> Array:
        """(k, q) the distance of neighbouring values for records near V."""
        size = np.frexp(np.abs(V).max(axis=1, initial=self.least))[1]
        fine = np.ldexp(1.0, size - (self.bits - SPARE_BITS))
        return np.where(self.unit > 0, self.unit, fine[:, None])


@dataclass(frozen=True)
class System:
    """A polyhedron with the grid its points must lie on; sd (q,) for what is near; exact_e, exact_g : the rows that
    are sums of whole numbers or of floats on the grid, and so must hold to the last bit."""

    P: Polyhedron
    grid: Grid
    sd: Array
    exact_e: Mask
    exact_g: Mask

    def of(self, rows: Mask | NDArray[np.intp]) -> System:
        """The same for some of the records."""
        return replace(self, P=self.P.of(rows))

    def broken(self, V: Array, loose: bool = False) -> Mask:
        """(k, e + g) True where V (k, q) breaks a constraint; loose : floats may be off by 1e-9 of their size."""
        return broken_by(self, V[:, None, :], loose)[:, 0]

    def to_settle(self, V: Array) -> Mask:
        """(k,) True where V breaks a constraint, or might once it is added up in another order: floats off the grid."""
        steps = np.where(self.grid.unit > 0, 1.0, self.grid.steps(V))
        off_grid = ((np.rint(V / steps) * steps != V) & (self.grid.unit == 0)).any(axis=1)
        close = np.abs(V @ self.P.G.T - self.P.h) <= SLACK * self.P.sizes(V)[1]
        unsure = (close & self.exact_g & (columns_of(self.P.G) > 1)).any(axis=1)
        unsure |= bool((self.exact_e & (columns_of(self.P.E) > 1)).any())
        return self.broken(V).any(axis=1) | (off_grid & unsure)


def columns_of(A: Array) -> NDArray[np.intp]:
    """How many columns each row is about."""
    return np.count_nonzero(A, axis=1)


def broken_by(S: System, V: Array, loose: bool) -> Mask:
    """(k, m, e + g) for V (k, m, q)."""
    whole = bool((S.grid.unit == 1).all())
    size = np.abs(V)
    near = APART if S.grid.bits > 30 else 8 * 2.0**-S.grid.bits

    def allowed(A: Array, bound: Array, exact: Mask) -> Array:
        beside = np.where(np.isfinite(bound), np.abs(bound), 0.0)[:, None, :]
        share = np.where(exact & (whole or not loose), 0.0, near)
        return share * (size @ np.abs(A.T) + beside)

    off = np.abs(V @ S.P.E.T - S.P.b[:, None, :]) > allowed(S.P.E, S.P.b, S.exact_e)
    beyond = V @ S.P.G.T - S.P.h[:, None, :] > allowed(S.P.G, S.P.h, S.exact_g)
    return np.concatenate([off, beyond], axis=2)

"""Constraints of a file: groups of columns that share them, each group as arrays, and the values that its columns can hold.

Floats are rounded to multiples of a power of two. It is so small that no digit is lost, and so large that sums are
exact. A == B + C then holds bitwise, in any order of addition.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..types import Array, Mask
from .language import Constraint
from .projection import APART, SLACK, Polyhedron

SPARE_BITS = 5  # sums of 32 floats, exact
LARGEST_WHOLE = 2.0**53  # up to here every whole number is a float
TIGHTER = 1e-14  # so that sums in another order still hold


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
        magnitude = np.where(np.isfinite(bound), np.abs(bound), 0.0)[:, None, :]
        share = np.where(exact & (whole or not loose), 0.0, near)
        return share * (size @ np.abs(A.T) + magnitude)

    off = np.abs(V @ S.P.E.T - S.P.b[:, None, :]) > allowed(S.P.E, S.P.b, S.exact_e)
    beyond = V @ S.P.G.T - S.P.h[:, None, :] > allowed(S.P.G, S.P.h, S.exact_g)
    return np.concatenate([off, beyond], axis=2)


@dataclass(frozen=True)
class Column:
    """A column that may move: sd, of the original; unit, see Grid; low, high, bits : what its type can hold; type_unit : the
    unit of its type, where `unit` is that of the original's decimals."""

    name: str
    sd: float
    unit: float
    low: float
    high: float
    bits: int
    type_unit: float


@dataclass(frozen=True)
class Row:
    """One constraint on the columns of a part: text; coefficients (q,); bound (k,), NaN where it is not known."""

    text: str
    coefficients: Array
    bound: Array
    equality: bool
    exact: bool


def parts(constraints: Sequence[Constraint], movable: Sequence[str]) -> list[tuple[list[str], list[Constraint]]]:
    """The constraints in groups that share no movable column, with these columns; those without any are left out."""
    groups: list[tuple[list[str], list[Constraint]]] = []
    for one in constraints:
        columns = [name for name in one.columns if name in movable]
        if not columns:
            continue
        touching = [group for group in groups if set(group[0]) & set(columns)]
        groups = [group for group in groups if group not in touching]
        names = dict.fromkeys([*(n for group in touching for n in group[0]), *columns])
        groups.append((list(names), [*(c for group in touching for c in group[1]), one]))
    return groups


def rows_of(
    columns: Sequence[Column],
    constraints: Sequence[Constraint],
    fixed: Mapping[str, Array],
    whole: Collection[Constraint],
) -> list[Row]:
    """One row a constraint, then one a limit of a column's type.

    fixed : (k,) values of the columns that do not move; whole : the constraints whose fixed part is an
    integer in every record of the file.
    """
    k = len(next(iter(fixed.values()))) if fixed else 0
    rows = [_row(columns, one, fixed, k, one in whole) for one in constraints]
    for j, column in enumerate(columns):
        for sign, limit in ((-1.0, column.low), (1.0, column.high)):
            if column.unit and abs(limit) < LARGEST_WHOLE:
                unit = np.zeros(len(columns))
                unit[j] = sign
                rows.append(Row(f"the type of {column.name}", unit, np.full(k, sign * limit), False, True))
    return rows


def _row(
    columns: Sequence[Column], one: Constraint, fixed: Mapping[str, Array], k: int, integer_remainder: bool
) -> Row:
    coefficients, _ = one.scaled()
    a = np.array([coefficients.get(column.name, 0.0) for column in columns])
    rest = _rest(one, [column.name for column in columns], fixed, k)
    moving = a[a != 0]
    whole = bool((a == np.rint(a)).all() and np.abs(a).sum() <= 2**SPARE_BITS and integer_remainder)
    if len(moving) == 1:  # a bound on one column: as it stands, so that it can be met exactly
        a, rest = np.sign(a), rest / abs(float(moving[0]))
        whole = True
    return Row(one.text, a, rest, one.equality, whole)


def _rest(one: Constraint, movable: Collection[str], fixed: Mapping[str, Array], k: int) -> Array:
    """(k,) the bound less what does not move."""
    coefficients, bound = one.scaled()
    rest = np.full(k, bound)
    for name, coefficient in coefficients.items():
        if name not in movable:
            rest = rest - coefficient * fixed[name]
    return rest


def integer_remainder(one: Constraint, movable: Collection[str], fixed: Mapping[str, Array]) -> bool:
    """Whether the bound less what does not move is a whole number in each of these records."""
    values = _rest(one, movable, fixed, len(next(iter(fixed.values()))))
    known = values[~np.isnan(values)]
    return bool((known == np.rint(known)).all() and (np.abs(known) < LARGEST_WHOLE).all())


def system(columns: Sequence[Column], rows: Sequence[Row], records: NDArray[np.intp], near: Array) -> System:
    """The rows as a System for some of the records; near (k, q) : the values about to move, for how large they are."""
    equal, below = [r for r in rows if r.equality], [r for r in rows if not r.equality]
    k, q = len(records), len(columns)

    def stacked(some: Sequence[Row]) -> tuple[Array, Array]:
        A = np.array([row.coefficients for row in some]).reshape(len(some), q)
        bounds = np.array([row.bound[records] for row in some]).reshape(len(some), k).T
        return A, bounds

    P = Polyhedron(*stacked(equal), *stacked(below))
    least = float(np.ldexp(max(c.sd for c in columns), -20))
    grid = Grid(np.array([c.unit for c in columns]), min(c.bits for c in columns), least)
    exact_e, exact_g = np.array([r.exact for r in equal], dtype=bool), np.array([r.exact for r in below], dtype=bool)
    if not grid.unit.any():
        P = Polyhedron(P.E, P.b, P.G, np.where(exact_g, P.h, P.h - TIGHTER * P.sizes(near)[1]))
    return System(P, grid, np.array([c.sd for c in columns]), exact_e, exact_g)

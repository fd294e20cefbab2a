"""Constraints of a file: groups of columns that share them, each group as arrays, and the values that its columns can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.csgraph import connected_components

from ..types import WHOLE, Array, Mask
from .language import Constraint
from .projection import APART, Polyhedron

MAX_WEIGHT = 32  # sum of whole coefficients, up to which a sum of whole numbers is exact
NOISE = 1e-6  # standard deviations: smaller values are not known better than these
TIGHTER = 1e-14  # of the size of an inequality between floats, so that the nearest point is within it


@dataclass(frozen=True)
class Column:
    """A column that may move.

    sd : of the original; unit : what its values are multiples of, 1 for whole numbers, 0.01 for two decimals, 0 for floats;
    low, high, type_unit : the limits and the unit of its type.
    """

    name: str
    sd: float
    unit: float
    low: float
    high: float
    type_unit: float


@dataclass(frozen=True)
class Row:
    """One constraint on the columns of a part.

    text : as written; coefficients : (q,); bound : (k,), NaN where it is not known; whole : whether coefficients and bounds are
    whole numbers, small enough for exact sums.
    """

    text: str
    coefficients: Array
    bound: Array
    equality: bool
    whole: bool


@dataclass(frozen=True)
class System:
    """The constraints of some records, and the values of their columns.

    P : the constraints; unit, sd : (q,), see Column; exact : (r,) the rows that hold to the last bit, being of whole numbers.
    """

    P: Polyhedron
    unit: Array
    sd: Array
    exact: Mask

    @classmethod
    def of_rows(cls, columns: Sequence[Column], rows: Sequence[Row]) -> System:
        """The rows, equalities first."""
        unit = np.array([column.unit for column in columns])
        A = np.array([row.coefficients for row in rows])
        P = Polyhedron(A, np.column_stack([row.bound for row in rows]), sum(row.equality for row in rows))
        fractions = np.array([(column.unit == 0) | (column.unit % 1 != 0) for column in columns])
        exact = np.array([row.whole for row in rows], dtype=bool) & ~(A[:, fractions] != 0).any(axis=1)
        return cls(P, unit, np.array([column.sd for column in columns]), exact)

    def of(self, records: NDArray[np.intp]) -> System:
        """The same for some of the records."""
        return replace(self, P=self.P.of(records))

    def tighter(self, V: Array) -> Polyhedron:
        """The constraints with inequalities that sums of floats near V (k, q) keep in spite of rounding."""
        sums = np.count_nonzero(self.P.A, axis=1) > 1
        sums[: self.P.equalities] = False
        return replace(self.P, bound=self.P.bound - TIGHTER * sums * self.P.sizes(V))

    def broken(self, V: Array, tolerance: float = APART) -> Mask:
        """(k, ..., r) True where V (k, ..., q) breaks a constraint, sums of fractions by more than this share of their size."""
        size = self.P.sizes(V) + NOISE * (np.abs(self.P.A) @ self.sd)
        return np.asarray(self.P.excess(V) > np.where(self.exact, 0.0, tolerance) * size)


def in_multiples(V: Array, unit: Array) -> Array:
    """V (..., q) rounded to multiples of unit (q,); unchanged where this is 0."""
    return np.where(unit > 0, np.rint(V / np.where(unit > 0, unit, 1.0)) * unit, V)


def parts(constraints: Sequence[Constraint], movable: Sequence[str]) -> list[tuple[list[str], list[Constraint]]]:
    """The constraints in groups that share no movable column, with these columns; those without any are left out."""
    names = list(dict.fromkeys(name for one in constraints for name in one.columns if name in movable))
    about = np.array([[name in one.columns for name in names] for one in constraints]).reshape(
        len(constraints), len(names)
    )
    number, group = connected_components(about.T.astype(np.int64) @ about)
    return [
        (
            [name for name, own in zip(names, group, strict=True) if own == k],
            [one for one, row in zip(constraints, about, strict=True) if row[group == k].any()],
        )
        for k in range(number)
    ]


def rows_of(columns: Sequence[Column], constraints: Sequence[Constraint], fixed: Mapping[str, Array]) -> list[Row]:
    """One row a constraint, then one a limit of a column's type; equalities first.

    fixed : (k,) values of the columns that do not move.
    """
    k = len(next(iter(fixed.values())))
    rows = [_row([column.name for column in columns], one, fixed, k) for one in constraints]
    for j, column in enumerate(columns):
        for sign, limit in ((-1.0, column.low), (1.0, column.high)):
            if column.unit and abs(limit) < WHOLE:
                unit = np.zeros(len(columns))
                unit[j] = sign
                rows.append(Row(f"the type of {column.name}", unit, np.full(k, sign * limit), False, True))
    return sorted(rows, key=lambda row: not row.equality)


def _row(names: Sequence[str], one: Constraint, fixed: Mapping[str, Array], k: int) -> Row:
    coefficients, bound = one.scaled()
    a, rest = np.array([coefficients.get(name, 0.0) for name in names]), np.full(k, bound)
    for name, coefficient in coefficients.items():
        if name not in names:
            rest = rest - coefficient * fixed[name]
    moving = a[a != 0]
    if len(moving) == 1:  # a bound on one column: as it stands, so that it can be met exactly
        return Row(one.text, np.sign(a), rest / abs(float(moving[0])), one.equality, True)
    known = rest[~np.isnan(rest)]
    whole = (a == np.rint(a)).all() and np.abs(a).sum() <= MAX_WEIGHT and (known == np.rint(known)).all()
    return Row(one.text, a, rest, one.equality, bool(whole and (np.abs(known) < WHOLE).all()))

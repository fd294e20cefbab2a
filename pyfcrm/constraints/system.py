"""Constraints of a file: groups of columns that share them, each group as arrays, and the values that its columns can hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import compress

import numpy as np
from numpy.typing import NDArray

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
class System:
    """The constraints of some records on the columns of a part, equalities first, and the values of these columns.

    texts : (r,) as messages call them; P : the constraints, with the bound NaN where it is not known; whole : (r,) those of
    whole coefficients and bounds, small enough for exact sums; unit, sd, type_unit : (q,), see Column.
    """

    texts: tuple[str, ...]
    P: Polyhedron
    whole: Mask
    unit: Array
    sd: Array
    type_unit: Array

    @classmethod
    def of_columns(
        cls, columns: Sequence[Column], constraints: Sequence[Constraint], fixed: Mapping[str, Array]
    ) -> System:
        """Of the constraints, then of the limits of the columns' types.

        fixed : (k,) values of the columns that do not move.
        """
        k = len(next(iter(fixed.values())))
        rows = [_row([column.name for column in columns], one, fixed, k) for one in constraints]
        for j, column in enumerate(columns):
            for sign, limit in ((-1.0, column.low), (1.0, column.high)):
                if column.unit and abs(limit) < WHOLE:
                    unit = np.zeros(len(columns))
                    unit[j] = sign
                    rows.append((False, f"the type of {column.name}", unit, np.full(k, sign * limit), True))
        equality, texts, A, bound, whole = zip(*sorted(rows, key=lambda row: not row[0]), strict=True)
        P = Polyhedron(np.array(A), np.column_stack(bound), sum(equality))
        units = (np.array([getattr(column, name) for column in columns]) for name in ("unit", "sd", "type_unit"))
        return cls(texts, P, np.array(whole), *units)

    def of(self, records: NDArray[np.intp]) -> System:
        """The same for some of the records."""
        return replace(self, P=self.P.of(records))

    def of_rows(self, rows: Mask) -> System:
        """Some of the constraints (r,)."""
        P = Polyhedron(self.P.A[rows], self.P.bound[:, rows], int(rows[: self.P.equalities].sum()))
        return replace(self, texts=tuple(compress(self.texts, rows)), P=P, whole=self.whole[rows])

    @property
    def exact(self) -> Mask:
        """(r,) the constraints that hold to the last bit, being of whole numbers."""
        fractions = (self.unit == 0) | (self.unit % 1 != 0)
        return np.asarray(self.whole & ~(self.P.A[:, fractions] != 0).any(axis=1))

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
    from scipy.sparse.csgraph import connected_components  # slow to import

    names = list(dict.fromkeys(name for one in constraints for name in one.columns if name in movable))
    about = np.array([[name in one.columns for name in names] for one in constraints])
    number, group = connected_components(about.T.astype(np.int64) @ about)
    return [
        (
            [name for name, own in zip(names, group, strict=True) if own == k],
            [one for one, row in zip(constraints, about, strict=True) if row[group == k].any()],
        )
        for k in range(number)
    ]


def _row(
    names: Sequence[str], one: Constraint, fixed: Mapping[str, Array], k: int
) -> tuple[bool, str, Array, Array, bool]:
    """Whether a constraint is an equality, its text, coefficients (q,) and bounds (k,), and whether these are whole."""
    coefficients, bound = one.scaled()
    a, rest = np.array([coefficients.get(name, 0.0) for name in names]), np.full(k, bound)
    for name, coefficient in coefficients.items():
        if name not in names:
            rest = rest - coefficient * fixed[name]
    moving, known = a[a != 0], rest[~np.isnan(rest)]
    whole = (a == np.rint(a)).all() and np.abs(a).sum() <= MAX_WEIGHT and (known == np.rint(known)).all()
    whole = whole and (np.abs(known) < WHOLE).all()
    if len(moving) == 1:  # a bound on one column: as it stands, so that it can be met exactly
        a, rest, whole = np.sign(a), rest / abs(float(moving[0])), True
    return one.equality, f"`{one.text}`", a, rest, bool(whole)

"""Constraints about some records, of a file's or all of them: kept by the nearest values that do."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from ..data import Frame, cut_at_limits, outside_type
from ..errors import InvalidInput, Note
from ..numerics.decimals import of_units
from ..types import Array, Mask
from .cents import digits_of, in_last_digits
from .describe import MomentChange, Violations, moment_change, violations
from .language import Constraint
from .projection import nearest
from .rounding import nearest_on_grid
from .system import LARGEST_WHOLE, Column, Row, parts, rows_of, system, whole_beside

IN_ITS_TYPE = " (in what its type can hold)"


@dataclass(frozen=True)
class Facts:
    """What is known of the whole file: sd : of the original's columns, 1 of one that does not vary; centre : values near
    their means; whole : the constraints that are sums of whole numbers beside the columns that move."""

    sd: Mapping[str, float]
    centre: Mapping[str, float]
    whole: Collection[Constraint]


@dataclass(frozen=True)
class Unsolved:
    """A record that no values keep the constraints of: its place among those protected, what is against, and how."""

    place: int
    against: tuple[str, ...]
    how: str = ""


@dataclass(frozen=True)
class ConstraintBlock:
    """Constraints with some records of the file they are about.

    door : these records; before : how many of the file came before them; names : the columns that may move; beside : the
    independent columns, which stay as they are; values : by column, what the constraints are about, NaN for missing.
    """

    owner: str
    constraints: tuple[Constraint, ...]
    door: Frame
    before: int
    names: list[str]
    beside: list[str]
    round_integers: bool
    values: Mapping[str, Array]
    _unsolved: list[Unsolved] = field(default_factory=list)

    def within_limits(self, Z: Array, rows: Mask, notes: list[Note]) -> Array:
        """Z with values beyond the limits of their types cut, where these limits are no rows of the system. As moved()."""
        return cut_at_limits(self.door, [n for n in self.names if self._unbounded(n)], self.names, Z, rows, notes)

    def _unbounded(self, name: str) -> bool:
        """Whether a column has limits that rows_of() leaves out: those of floats, and of 64-bit integers."""
        integer = self.door.kind(name) == "integer"
        wide = max(map(abs, self.door.limits(name))) >= LARGEST_WHOLE
        return (wide and self.round_integers) if integer else self.door.decimal_places(name) is None

    def violations(self) -> list[Violations]:
        """How the original stands to each constraint."""
        integer = {name: self.door.kind(name) == "integer" for name in self.values}
        values = dict(zip(self.values, self.door.observed(list(self.values)).T, strict=True))
        return [
            violations(one, values, self.names, all(integer[name] for name in one.columns)) for one in self.constraints
        ]

    def whole(self, rows: Mask) -> frozenset[Constraint]:
        """The constraints that are sums of whole numbers beside the columns that move, in each of the records `rows`."""
        fixed = {name: values[rows] for name, values in self.values.items()}
        return frozenset(one for one in self.constraints if whole_beside(one, self.names, fixed))

    def moved(self, Z: Array, rows: Mask, facts: Facts) -> tuple[Array, MomentChange]:
        """The nearest values to Z (k, p) that keep the constraints, and what that did to the moments.

        rows (n,) : its k records. Integer columns come back whole. Raises InvalidInput, for the first such record, where
        no values keep the constraints.
        """
        from threadpoolctl import threadpool_limits

        start, kept, moved = Z.copy(), Z.copy(), np.zeros(len(Z), dtype=bool)
        self._unsolved.clear()
        with threadpool_limits(limits=1, user_api="blas"):
            for part, constraints in parts(self.constraints, self.names) if len(Z) else ():
                place = [self.names.index(name) for name in part]
                columns = [self._column(name, facts.sd[name]) for name in part]
                start[:, place], kept[:, place] = self._part(columns, constraints, Z[:, place], rows, facts)
                self._look_held(part, kept[:, place], rows, constraints)
                far = np.where([c.unit > 0 for c in columns], 0.0, 1e-9 * np.array([c.sd for c in columns]))
                moved |= (np.abs(kept[:, place] - start[:, place]) > far).any(axis=1)
            if self._unsolved:
                raise self._impossible(min(self._unsolved, key=lambda one: one.place), rows)
            centre = np.array([facts.centre[name] for name in (*self.names, *self.beside)])
            return kept, moment_change(start, kept, self.door.matrix(self.beside)[rows], centre, int(moved.sum()))

    def _look_held(self, part: Sequence[str], V: Array, rows: Mask, asked: Sequence[Constraint]) -> None:
        """Finds values that keep the constraints beyond what their types can hold."""
        for j, name in enumerate(part):
            outside = outside_type(self.door, name, V[:, j], rows) if self._unbounded(name) else np.empty(0)
            if outside.any():
                place = int(np.flatnonzero(outside)[0])
                self._unsolved.append(Unsolved(place, tuple(one.text for one in asked), IN_ITS_TYPE))

    def _column(self, name: str, sd: float) -> Column:
        integer = self.door.kind(name) == "integer"
        places = self.door.decimal_places(name)
        unit = float(self.round_integers) if integer else 0.0 if places is None else 10.0**-places
        low, high = self.door.limits(name)
        bits = 53 if unit or integer or high > 1e39 else 24 if high > 1e5 else 11
        return Column(name, sd, unit, low, high, bits)

    def _part(
        self, columns: Sequence[Column], constraints: Sequence[Constraint], Z: Array, rows: Mask, facts: Facts
    ) -> tuple[Array, Array]:
        """Z rounded to what its columns hold, and the nearest values to Z that keep the constraints: as whole numbers of a
        smaller unit where all of Z are that, and such values keep them."""
        fixed = {name: values[rows] for name, values in self.values.items()}
        listed = rows_of(columns, constraints, fixed, facts.whole)
        digits = digits_of(columns, Z)
        small = None if digits is None else in_last_digits(columns, listed, Z, digits)
        if digits is not None and small is not None:
            known = len(self._unsolved)
            start, kept = self._near(*small, rows)
            if len(self._unsolved) == known:
                return of_units(start, max(digits)), of_units(kept, max(digits))
            del self._unsolved[known:]
        return self._near(columns, listed, Z, rows)

    def _near(self, columns: Sequence[Column], listed: Sequence[Row], Z: Array, rows: Mask) -> tuple[Array, Array]:
        unknown = np.array([np.isnan(row.bound) for row in listed]).T
        unit = np.array([column.unit for column in columns])
        start = np.where(unit > 0, np.rint(Z / np.where(unit > 0, unit, 1.0)) * unit, Z)
        kept = start.copy()
        for pattern in np.unique(unknown, axis=0):
            records = np.flatnonzero((unknown == pattern).all(axis=1))
            asked = [row for row, left_out in zip(listed, pattern, strict=True) if not left_out]
            whole = system(columns, asked, records, Z[records])
            records = records[whole.to_settle(start[records])]
            kept[records] = self._settled(columns, asked, Z, records, rows)
        return start, kept

    def _settled(
        self, columns: Sequence[Column], asked: Sequence[Row], Z: Array, records: NDArray[np.intp], rows: Mask
    ) -> Array:
        """The values for `records` of Z nearest to it that keep what is asked."""
        S = system(columns, asked, records, Z[records])
        found = nearest(Z[records], S.sd, S.P)
        if found.impossible.any():
            self._settled(columns, asked, Z, records[~found.impossible], rows)  # what is wrong with the others
            ordered = [row for row in asked if row.equality] + [row for row in asked if not row.equality]
            first = int(np.argmax(found.impossible))
            against = tuple(ordered[i].text for i in np.flatnonzero(found.against[first]))
            self._unsolved.append(Unsolved(int(records[first]), against))
            return Z[records]
        if not all(column.unit for column in columns):  # once more from there: floats lose digits where they move far
            found = nearest(found.V, S.sd, S.P)
        V, impossible = nearest_on_grid(S, Z[records], found.V)
        if impossible.any():
            against = tuple(row.text for row in asked)
            self._unsolved.append(Unsolved(int(records[np.argmax(impossible)]), against, IN_ITS_TYPE))
        return V

    def _impossible(self, found: Unsolved, rows: Mask) -> InvalidInput:
        texts = dict.fromkeys(text if text.startswith("the type") else f"`{text}`" for text in found.against)
        rule = f"no values of the dependent columns keep {' and '.join(texts)}{found.how}"
        record = self.before + int(np.flatnonzero(rows)[found.place]) + 1
        return InvalidInput(self.owner, rule, f"record {record}, the first such")

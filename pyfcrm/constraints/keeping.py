"""Keeping constraints in a release: by the nearest values that do, and saying what that cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput, InvalidParameter
from ..table import Opened, Roles, checked, complete_records
from .linear import Constraint
from .projection import nearest
from .rounding import nearest_on_grid
from .saying import cost, said_of
from .systems import Column, Row, parts, rows_of, system

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]


@dataclass(frozen=True)
class Keeper:
    """Constraints with the file they are about: kept() is what protect() asks for."""

    owner: str
    constraints: tuple[Constraint, ...]
    door: Opened
    roles: Roles
    round_integers: bool
    values: Mapping[str, Array]

    def kept(self, names: Sequence[str], Z: Array, rows: Mask, notes: list[str]) -> Array:
        """Z with every constraint kept.

        names : the columns of Z (k, p) that may move, all others being as they are; rows (n,) : its k records;
        notes : told what the original breaks, what could not be asked of the release, and what keeping the rest cost.
        Integer columns come back whole. Raises InvalidInput where no values keep the constraints.
        """
        if not self.constraints:
            return Z
        for one in self.constraints:
            notes += said_of(one, self.values, names, all(self.door.kind(name) == "integer" for name in one.columns))
        from threadpoolctl import threadpool_limits

        start, kept, moved = Z.copy(), Z.copy(), np.zeros(len(Z), dtype=bool)
        with threadpool_limits(limits=1, user_api="blas"):
            for part, constraints in parts(self.constraints, names):
                place = [names.index(name) for name in part]
                columns = [self._column(name, rows) for name in part]
                start[:, place], kept[:, place] = self._part(columns, constraints, Z[:, place], rows)
                far = np.where([c.unit > 0 for c in columns], 0.0, 1e-9 * np.array([c.sd for c in columns]))
                moved |= (np.abs(kept[:, place] - start[:, place]) > far).any(axis=1)
        notes.append(self._cost(names, start, kept, rows, moved))
        return kept

    def _column(self, name: str, rows: Mask) -> Column:
        integer = self.door.kind(name) == "integer"
        places = self.door.places(name)
        unit = float(self.round_integers) if integer else 0.0 if places is None else 10.0**-places
        low, high = self.door.limits(name)
        bits = 53 if unit or integer or high > 1e39 else 24 if high > 1e5 else 11
        values = self.values[name][rows]
        return Column(name, float(values.std()) or 1.0, unit, low, high, bits)

    def _part(
        self, columns: Sequence[Column], constraints: Sequence[Constraint], Z: Array, rows: Mask
    ) -> tuple[Array, Array]:
        """Z rounded to what its columns hold, and the nearest values to Z that keep the constraints."""
        listed = rows_of(columns, constraints, {name: values[rows] for name, values in self.values.items()})
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
            ordered = [row for row in asked if row.equality] + [row for row in asked if not row.equality]
            involved = np.flatnonzero(found.against[found.impossible].any(axis=0))
            raise self._impossible([ordered[i] for i in involved], records[found.impossible], rows)
        if not all(column.unit for column in columns):  # once more from there: floats lose digits where they move far
            found = nearest(found.V, S.sd, S.P)
        V, impossible = nearest_on_grid(S, Z[records], found.V)
        if impossible.any():
            raise self._impossible(asked, records[impossible], rows, " (in what its type can hold)")
        return V

    def _impossible(self, against: Sequence[Row], records: NDArray[np.intp], rows: Mask, how: str = "") -> InvalidInput:
        texts = dict.fromkeys(f"`{row.text}`" if not row.text.startswith("the type") else row.text for row in against)
        rule = f"no values of the dependent columns keep {' and '.join(texts)}{how}"
        first = int(np.flatnonzero(rows)[records[0]]) + 1
        return InvalidInput(self.owner, rule, f"{len(records)} such records of {int(rows.sum())}, record {first} first")

    def _cost(self, names: Sequence[str], start: Array, kept: Array, rows: Mask, moved: Mask) -> str:
        if not moved.any():
            return f"constraints: all are kept, and moved none of {len(moved)} records"
        beside = [name for name in self.roles.independent if name not in names]
        X = np.column_stack([self.door.values(n)[rows] for n in beside]) if beside else np.empty((len(start), 0))
        sd = np.array([float(self.door.values(name)[rows].std()) or 1.0 for name in names])
        said = cost(start, kept, X, sd, list(names), beside)
        return f"constraints: all are kept, and moved {int(moved.sum())} of {len(moved)} records; {said}"


def keeper(
    owner: str, constraints: tuple[Constraint, ...], door: Opened, roles: Roles, missing: str, round_integers: bool
) -> Keeper:
    """The Keeper of parsed constraints for a file.

    Raises InvalidInput for a column that is not there or holds no numbers, or, with missing="refuse", for missing
    values in one; InvalidParameter for an identifier, which is not in the release.
    """
    named = list(dict.fromkeys(name for one in constraints for name in one.columns))
    for name in named:
        if name in roles.identifiers:
            raise InvalidParameter(owner, "constraints", "must not name an identifier, which is dropped", name)
    A = checked(owner, door, named)
    if named and missing == "refuse":
        complete_records(owner, A, named, missing)
    return Keeper(owner, constraints, door, roles, round_integers, {name: A[:, j] for j, name in enumerate(named)})

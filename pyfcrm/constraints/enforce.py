"""Keeping constraints in a release: by the nearest values that do, and saying what that cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from ..data import Frame, Roles, checked, complete_records, cut_at_limits, outside_type
from ..errors import InvalidInput, InvalidParameter
from ..types import Array, Mask
from .describe import MomentChange, Violations, cost, describe_violations, moment_change, violations
from .language import Constraint
from .projection import nearest
from .rounding import nearest_on_grid
from .system import LARGEST_WHOLE, Column, Row, parts, rows_of, system, whole_beside


@dataclass(frozen=True)
class Facts:
    """What is known of the whole file: sd : of the original's columns, 1 of one that does not vary; centre : values near
    their means; whole : the constraints that are sums of whole numbers
    beside the columns that move."""

    sd: Mapping[str, float]
    centre: Mapping[str, float]
    whole: Collection[Constraint]


@dataclass(frozen=True)
class ConstraintEnforcer:
    """Constraints with the file they are about: kept() is what protect() asks for.

    Of a file read by blocks, a Keeper is about one of them: the Facts are then the whole file's, and `before` says how
    many records came before the block's, and how many of these were protected.
    """

    owner: str
    constraints: tuple[Constraint, ...]
    door: Frame
    roles: Roles
    round_integers: bool
    values: Mapping[str, Array]
    before: tuple[int, int] | None = None

    def kept(self, names: Sequence[str], Z: Array, rows: Mask, notes: list[str]) -> Array:
        """Z with every constraint kept.

        names : the columns of Z (k, p) that may move, all others being as they are; rows (n,) : its k records;
        notes : told what the original breaks, what could not be asked of the release, and what keeping the rest cost.
        Integer columns come back whole. Raises InvalidInput where no values keep the constraints.
        """
        if not self.constraints:
            return Z
        Z = self.within_limits(names, Z, rows, notes)
        for one, found in zip(self.constraints, self.standings(names), strict=True):
            notes += describe_violations(one, found, names)
        facts = self._facts(names, rows)
        kept, found_drift = self.moved(names, Z, rows, facts)
        sd = np.array([facts.sd[name] for name in names])
        notes += cost(self.constraints, found_drift, sd, names, self.beside(names))
        return kept

    def within_limits(self, names: Sequence[str], Z: Array, rows: Mask, notes: list[str]) -> Array:
        """Z with values beyond the limits of their types cut, where these limits are no rows of the system. As kept()."""
        return cut_at_limits(self.door, [name for name in names if self._unbounded(name)], names, Z, rows, notes)

    def _unbounded(self, name: str) -> bool:
        """Whether a column has limits that rows_of() leaves out: those of floats, and of 64-bit integers."""
        integer = self.door.kind(name) == "integer"
        wide = max(map(abs, self.door.limits(name))) >= LARGEST_WHOLE
        return (wide and self.round_integers) if integer else self.door.places(name) is None

    def standings(self, names: Sequence[str]) -> list[Violations]:
        """How the original stands to each constraint. names : as in kept()."""
        integer = {name: self.door.kind(name) == "integer" for name in self.values}
        return [
            violations(one, self.values, names, all(integer[name] for name in one.columns)) for one in self.constraints
        ]

    def whole(self, names: Sequence[str], rows: Mask) -> frozenset[Constraint]:
        """The constraints that are sums of whole numbers beside the columns `names`, in each of the records `rows`."""
        fixed = {name: values[rows] for name, values in self.values.items()}
        return frozenset(one for one in self.constraints if whole_beside(one, names, fixed))

    def beside(self, names: Sequence[str]) -> list[str]:
        """The independent columns, which stay as they are."""
        return [name for name in self.roles.independent if name not in names]

    def beside_only(self, independent: Sequence[str]) -> ConstraintEnforcer:
        """The same, with only these as the independent columns."""
        return replace(self, roles=Roles(independent, self.roles.dependent, self.roles.identifiers))

    def _facts(self, names: Sequence[str], rows: Mask) -> Facts:
        columns = {name: self.door.values(name)[rows] for name in (*names, *self.beside(names))}
        sd = {name: float(values.std()) or 1.0 for name, values in columns.items()}
        return Facts(sd, {name: float(values.mean()) for name, values in columns.items()}, self.whole(names, rows))

    def moved(self, names: Sequence[str], Z: Array, rows: Mask, facts: Facts) -> tuple[Array, MomentChange]:
        """As kept(), and what it did to the moments. Says nothing."""
        from threadpoolctl import threadpool_limits

        start, kept, moved = Z.copy(), Z.copy(), np.zeros(len(Z), dtype=bool)
        with threadpool_limits(limits=1, user_api="blas"):
            for part, constraints in parts(self.constraints, names) if len(Z) else ():
                place = [names.index(name) for name in part]
                columns = [self._column(name, facts.sd[name]) for name in part]
                start[:, place], kept[:, place] = self._part(columns, constraints, Z[:, place], rows, facts)
                self._require_held(part, kept[:, place], rows, constraints)
                far = np.where([c.unit > 0 for c in columns], 0.0, 1e-9 * np.array([c.sd for c in columns]))
                moved |= (np.abs(kept[:, place] - start[:, place]) > far).any(axis=1)
            beside = self.beside(names)
            X = np.column_stack([self.door.values(n)[rows] for n in beside]) if beside else np.empty((len(Z), 0))
            centre = np.array([facts.centre[name] for name in (*names, *beside)])
            return kept, moment_change(start, kept, X, centre, int(moved.sum()))

    def _require_held(self, part: Sequence[str], V: Array, rows: Mask, asked: Sequence[Constraint]) -> None:
        """Raises InvalidInput where values that keep the constraints are beyond what their types can hold."""
        for j, name in enumerate(part):
            outside = outside_type(self.door, name, V[:, j], rows) if self._unbounded(name) else np.empty(0)
            if outside.any():
                texts = [one.text for one in asked]
                raise self._impossible(texts, np.flatnonzero(outside), rows, " (in what its type can hold)")

    def _column(self, name: str, sd: float) -> Column:
        integer = self.door.kind(name) == "integer"
        places = self.door.places(name)
        unit = float(self.round_integers) if integer else 0.0 if places is None else 10.0**-places
        low, high = self.door.limits(name)
        bits = 53 if unit or integer or high > 1e39 else 24 if high > 1e5 else 11
        return Column(name, sd, unit, low, high, bits)

    def _part(
        self, columns: Sequence[Column], constraints: Sequence[Constraint], Z: Array, rows: Mask, facts: Facts
    ) -> tuple[Array, Array]:
        """Z rounded to what its columns hold, and the nearest values to Z that keep the constraints."""
        fixed = {name: values[rows] for name, values in self.values.items()}
        listed = rows_of(columns, constraints, fixed, facts.whole)
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
            raise self._impossible([ordered[i].text for i in involved], records[found.impossible], rows)
        if not all(column.unit for column in columns):  # once more from there: floats lose digits where they move far
            found = nearest(found.V, S.sd, S.P)
        V, impossible = nearest_on_grid(S, Z[records], found.V)
        if impossible.any():
            raise self._impossible(
                [row.text for row in asked], records[impossible], rows, " (in what its type can hold)"
            )
        return V

    def _impossible(self, against: Sequence[str], records: NDArray[np.intp], rows: Mask, how: str = "") -> InvalidInput:
        texts = dict.fromkeys(text if text.startswith("the type") else f"`{text}`" for text in against)
        rule = f"no values of the dependent columns keep {' and '.join(texts)}{how}"
        earlier, protected = self.before or (0, 0)
        first = earlier + int(np.flatnonzero(rows)[records[0]]) + 1
        asked = f"{'the first ' if self.before else ''}{protected + int(rows.sum())}"
        return InvalidInput(self.owner, rule, f"{len(records)} such records of {asked}, record {first} first")


def constraint_enforcer(
    owner: str,
    constraints: tuple[Constraint, ...],
    door: Frame,
    roles: Roles,
    missing: str,
    round_integers: bool,
    before: tuple[int, int] | None = None,
) -> ConstraintEnforcer:
    """The Keeper of parsed constraints for a file; before : where `door` is a block of it, see Keeper.

    Raises InvalidInput for a column that is not there or holds no numbers, or, with missing="refuse", for missing
    values in one; InvalidParameter for an identifier, which is not in the release.
    """
    named = list(dict.fromkeys(name for one in constraints for name in one.columns))
    for name in named:
        if name in roles.identifiers:
            raise InvalidParameter(owner, "constraints", "must not name an identifier, which is dropped", name)
    A = checked(owner, door, named, first=before[0] if before else 0)
    if named and missing == "refuse":
        complete_records(owner, A, named, missing)
    values = {name: A[:, j] for j, name in enumerate(named)}
    return ConstraintEnforcer(owner, constraints, door, roles, round_integers, values, before)

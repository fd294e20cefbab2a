"""Members of drawn households: records of a release of the whole file, each in the place of a drawn member like it.

A wide file of households has as many columns as all of its members together, and a method has few households of each size to find
their relations from. Who lives together follows from it, but relations within a person are blurred. The release of the file by
persons has these from all members. So the wide file decides where a person lives, and the release by persons what is true of one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ..data import Frame
from ..data.wide import Group, protected_as_cells
from ..numerics.assignment import near_pairs
from ..types import Array, Rows

Cells = NDArray[np.generic]
"""(m,) the values of a number, NaN where missing, or the cells of another column, None where missing."""
OF_FIXED, OF_HOUSEHOLD, LEAST = 10.0, 0.05, 0.02
"""Weights in the distance of two persons: of a member's column that is not replaced, in which a person should not differ; of a column
of the household; and the least one of any other."""
MIN_LEAF = 20
SPARE = 1.05
"""Persons drawn for each member. With none to spare the last members get persons unlike them; with many the persons have the margins
of the drawn members, not those that the method aims at."""
ALIKE = (
    "who lives together is drawn by households; {columns} are those of persons drawn from all members, each in the place of a drawn "
    "member like it"
)


def replaced_columns(
    columns: Sequence[str], fixed: Collection[str], rules: Iterable[Collection[str]]
) -> tuple[str, ...]:
    """The columns of members that persons of another release may replace: those that are not fixed, and are in no rule with a fixed one.

    rules : of each rule its columns.
    """
    held = {*fixed}
    linked = [{*rule} for rule in rules]
    while any(rule & held and not rule <= held for rule in linked):
        for rule in linked:
            if rule & held:
                held |= rule
    return tuple(name for name in columns if name not in held)


@dataclass(frozen=True)
class Comparison:
    """The columns by which persons are compared, as numbers whose city-block distance is 0 for the same cell and at most 1."""

    frame: Frame
    """The original file of n records."""

    def numbers(self, name: str, cells: Sequence[Cells]) -> list[Array]:
        """(m, k) for the cells (m,) of a column in each of several files."""
        if protected_as_cells(self.frame, name):
            levels = list(dict.fromkeys(level for each in cells for level in each.tolist()))
            return [np.column_stack([0.5 * (each == level) for level in levels]) for each in cells]
        return [self._ranks(name, each.astype(np.float64)) for each in cells]

    def _ranks(self, name: str, values: Array) -> Array:
        """(m, 2) ranks of values (m,) among those of the column, as shares, and whether they are missing."""
        column = np.sort(self.frame.values(name))
        column = column[~np.isnan(column)]
        below = np.searchsorted(column, values, side="left")
        up_to = np.searchsorted(column, values, side="right")
        is_gap = np.isnan(values)
        return np.column_stack([np.where(is_gap, 0.5, (below + up_to) / (2 * max(len(column), 1))), is_gap])


def dependence_on_others(columns: Mapping[str, Array], groups: Sequence[Group]) -> dict[str, float]:
    """By column the share of its variance that the first and the previous member of the household explain, at least LEAST.

    Trees are fitted to the members of one half of the households and explain those of the other one.
    columns : by name the numbers (n, k) of all records.
    """
    household, place, first, previous, own = _later_members(groups)
    weights = dict.fromkeys(columns, LEAST)
    if len(own) < 4 * MIN_LEAF:
        return weights
    from sklearn.tree import DecisionTreeRegressor

    of_all = np.hstack(list(columns.values()))
    others = np.column_stack([place, of_all[first], of_all[previous]])
    is_odd = household % 2 == 1
    for name, values in columns.items():
        target = values[own]
        errors = 0.0
        total = 0.0
        for part in (is_odd, ~is_odd):
            tree = DecisionTreeRegressor(min_samples_leaf=MIN_LEAF, random_state=0).fit(others[part], target[part])
            fitted = tree.predict(others[~part]).reshape(target[~part].shape)
            errors += float(((target[~part] - fitted) ** 2).sum())
            total += float(((target[~part] - target[part].mean(axis=0)) ** 2).sum())
        if total > 0:
            weights[name] = max(LEAST, 1 - errors / total)
    return weights


def _later_members(groups: Sequence[Group]) -> tuple[Rows, Rows, Rows, Rows, Rows]:
    """Of each member but the first ones: the household, the place in it, and the records of the first, the previous and this member."""
    found = list[Array]()
    count = 0
    for group in groups:
        for place in range(1, group.rows.shape[1]):
            units = np.flatnonzero(group.rows[:, place] >= 0)
            first, previous, own = (group.rows[units, j] for j in (0, place - 1, place))
            found.append(np.array([count + units, np.full(len(units), place), first, previous, own]))
        count += len(group.rows)
    columns = np.hstack(found) if found else np.empty((5, 0), dtype=np.intp)
    return columns[0], columns[1], columns[2], columns[3], columns[4]


def places_of_persons(
    frame: Frame,
    groups: Sequence[Group],
    drawn: Mapping[str, Cells],
    persons: Mapping[str, Cells],
    *,
    shared: Collection[str],
    fixed: Collection[str],
) -> Rows:
    """For each drawn member (m,) the person (m,) who takes its place, each person once.

    Columns weigh as much as other members of a household explain of them: these decide who lives with whom.
    frame : the original; drawn, persons : by column the cells (m,) of members and of persons; shared : columns of households;
    fixed : columns of members that persons do not replace.
    """
    compared = Comparison(frame)
    own = {name: frame.cells(name) if protected_as_cells(frame, name) else frame.values(name) for name in drawn}
    original, of_drawn, of_persons = (
        dict(zip(drawn, each, strict=True))
        for each in zip(
            *(compared.numbers(name, (own[name], drawn[name], persons[name])) for name in drawn), strict=True
        )
    )
    weights = (
        dependence_on_others(original, groups) | dict.fromkeys(shared, OF_HOUSEHOLD) | dict.fromkeys(fixed, OF_FIXED)
    )
    first = np.hstack([weight * of_drawn[name] for name, weight in weights.items()])
    second = np.hstack([weight * of_persons[name] for name, weight in weights.items()])
    return near_pairs(first, second)

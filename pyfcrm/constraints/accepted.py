"""Accepted structure as a release can keep it: columns derived from their parts, joint zeros, nested codes, constraints."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.roles import Roles
from ..data.structure import HABITS, Proposal, Structure
from ..types import Array
from .proposal import CONSTANT, coefficients

Parts = dict[str, float]


@dataclass(frozen=True)
class Accepted:
    """The rules that a release is made to keep."""

    derived: dict[str, Parts]
    """Columns with the others that they are sums of, none of which is derived; the part CONSTANT is a number."""

    together: tuple[tuple[str, ...], ...]
    """Columns that are zero in the same records: dependent ones that are not derived, after one that decides for all of them, an
    independent or a derived column, if there is any."""

    texts: tuple[str, ...]
    """Constraints."""

    zero_where: tuple[tuple[str, str], ...] = ()
    """Pairs of columns of which the first is zero wherever the second is, and one is dependent and not derived."""

    nested: tuple[tuple[str, str], ...] = ()
    """Pairs of columns of codes, the finer ones first, of which one is dependent."""

    habits: tuple[Proposal, ...] = ()
    """Habits of reporting, of columns that are not derived."""

    off: float = 0.0
    """How far derived columns are off by rounding, at most."""

    def within(self, columns: Sequence[str]) -> Accepted:
        """The part of it that is about these columns alone."""
        known = {*columns, CONSTANT}
        derived = {name: parts for name, parts in self.derived.items() if {name, *parts} <= known}
        together = tuple(group for group in self.together if set(group) <= known)
        zero_where = tuple(pair for pair in self.zero_where if set(pair) <= known)
        habits = tuple(one for one in self.habits if set(one.columns) <= known)
        return replace(self, derived=derived, together=together, zero_where=zero_where, habits=habits)

    @property
    def is_empty(self) -> bool:
        """Whether no rule needs work on the release, constraints aside."""
        return not (self.derived or self.together or self.zero_where or self.nested or self.habits)


def accepted(
    structure: Structure,
    roles: Roles,
    declared: Sequence[tuple[str, Parts]] = (),
    *,
    categories: Collection[str] = (),
) -> Accepted:
    """The accepted proposals that are about dependent columns.

    declared : further identities, each with the column to be derived and the sum that is 0; categories : columns that are no numbers.
    """
    dependent = set(roles.dependent)
    identities = structure.of_kind("identity", "rounded")
    sums = [(one.columns[0], coefficients(one)) for one in identities]
    derived = _solved([*sums, *declared], {*roles.independent, *dependent}, dependent.difference(categories))
    free = [*roles.independent, *(name for name in roles.dependent if name not in derived)]
    released = {name for name in roles.dependent if name not in derived}
    groups = [_group(one, roles, derived) for one in structure.of_kind("zero_together")]
    zero_where = [one.columns for one in structure.of_kind("zero_where") if {*one.columns} & released]
    nested = [one.columns for one in structure.of_kind("nested") if {*one.columns} & dependent]
    habits = [one for one in structure.of_kind(*HABITS) if one.columns[0] in dependent and {*one.columns} <= {*free}]
    return Accepted(
        derived=derived,
        together=tuple(group for group in groups if len(group) > 1),
        zero_where=tuple((a, b) for a, b in zero_where if not {a, b} & _parts_of(derived, a, b)),
        nested=tuple((inner, outer) for inner, outer in nested),
        texts=_texts(structure, dependent),
        habits=tuple(habits),
        off=sum(one.within for one in identities),
    )


def _group(one: Proposal, roles: Roles, derived: dict[str, Parts]) -> tuple[str, ...]:
    """The columns of a joint zero that a release keeps so, first one that is independent or derived from others, if any."""
    free = [name for name in one.columns if name in roles.dependent and name not in derived]
    kept = [name for name in one.columns if name in roles.independent]
    sums = [name for name in one.columns if name in derived and not {*derived[name]} & {*free}]
    return (*[*kept, *sums][:1], *free) if free else ()


def _parts_of(derived: dict[str, Parts], *columns: str) -> set[str]:
    """The parts of those of the columns that are derived."""
    return {part for name in columns for part in derived.get(name, {})}


def _texts(structure: Structure, dependent: set[str]) -> tuple[str, ...]:
    """The constraints that are about dependent columns, each once, signs last."""
    texts = list[str]()
    for one in structure:
        if one.kind != "sign" and set(one.columns) & dependent:
            texts += one.texts
    for one in structure.of_kind("sign"):
        texts += [text for name, text in zip(one.columns, one.texts, strict=True) if name in dependent]
    return tuple(dict.fromkeys(texts))


def _solved(sums: Sequence[tuple[str, Parts]], known: set[str], dependent: set[str]) -> dict[str, Parts]:
    """Columns with their parts, none of which is derived. Sums that are 0 are solved one after another: for the column
    of the pair if it is dependent and still free, or for another."""
    derived: dict[str, Parts] = {}
    for first, terms in sums:
        whole = put_in(terms, derived)
        free = [name for name, c in whole.items() if name in dependent and abs(c) == 1]
        if not free or not set(whole) <= {*known, CONSTANT} or len(free) == len(dependent - set(derived)) == 1:
            continue
        target = first if first in free else free[0]
        lead = whole.pop(target)
        parts = {name: -c / lead for name, c in whole.items()}
        derived = {name: put_in(each, {target: parts}) for name, each in derived.items()} | {target: parts}
    return derived


def put_in(sums: Parts, derived: dict[str, Parts]) -> Parts:
    """A sum of columns with derived ones replaced by their parts."""
    total: dict[str, float] = {}
    for name, c in sums.items():
        for part, factor in derived.get(name, {name: 1.0}).items():
            total[part] = total.get(part, 0.0) + c * factor
    return {name: c for name, c in total.items() if abs(c) > 1e-9}


@dataclass(frozen=True)
class Totals:
    """fixed + values of released columns @ released.T are the derived columns of n records with t released ones.

    fixed : (n, d), of kept columns; released : (d, t); values : (n, d), the original's.
    """

    fixed: Array
    released: Array
    values: Array


def totals_of(
    derived: dict[str, Parts],
    kept: Sequence[str],
    free: Sequence[str],
    X: Array,
    values: Array,
) -> Totals | None:
    """The totals `derived` of kept columns X (n, s) and of free ones; None where there is none.

    values : (n, d), the original's by derived column.
    """
    if not derived:
        return None

    def factors(names: Sequence[str]) -> Array:
        return np.array([[parts.get(name, 0.0) for name in names] for parts in derived.values()])

    fixed = np.tile(factors([CONSTANT])[:, 0], (len(values), 1))
    for column, by in zip(X.T, factors(kept).T, strict=True):
        fixed += column[:, None] * by
    return Totals(fixed, factors(free), values)

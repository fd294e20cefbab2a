"""Accepted structure as a release can keep it: columns derived from their parts, columns that are zero together, constraints."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.roles import Roles
from ..data.structure import HABITS, Proposal, Structure
from ..types import Array
from .proposal import coefficients

Parts = dict[str, float]


@dataclass(frozen=True)
class Accepted:
    """The rules that a release is made to keep."""

    derived: dict[str, Parts]
    """Columns with the others that they are sums of, none of which is derived."""

    together: tuple[tuple[str, ...], ...]
    """Dependent columns, and first an independent one where there is any, that are zero in the same records."""

    texts: tuple[str, ...]
    """Constraints."""

    habits: tuple[Proposal, ...] = ()
    """Habits of reporting, of columns that are not derived."""

    off: float = 0.0
    """How far derived columns are off by rounding, at most."""

    def within(self, columns: Sequence[str]) -> Accepted:
        """The part of it that is about these columns alone."""
        known = set(columns)
        derived = {name: parts for name, parts in self.derived.items() if {name, *parts} <= known}
        together = tuple(group for group in self.together if set(group) <= known)
        habits = tuple(one for one in self.habits if set(one.columns) <= known)
        return replace(self, derived=derived, together=together, habits=habits)


def accepted(structure: Structure, roles: Roles, declared: Sequence[tuple[str, Parts]] = ()) -> Accepted:
    """The accepted proposals that are about dependent columns.

    declared : further identities, each with the column to be derived and the sum that is 0.
    """
    dependent = set(roles.dependent)
    identities = structure.of_kind("identity", "rounded")
    sums = [(one.columns[0], coefficients(one)) for one in identities]
    derived = _solved([*sums, *declared], {*roles.independent, *dependent}, dependent)
    free = [*roles.independent, *(name for name in roles.dependent if name not in derived)]
    groups = list[tuple[str, ...]]()
    for one in structure.of_kind("zero_together"):
        kept = [name for name in one.columns if name in roles.independent][:1]
        group = (*kept, *(name for name in one.columns if name in free and name in dependent))
        if len(group) > 1:
            groups.append(group)
    habits = [one for one in structure.of_kind(*HABITS) if one.columns[0] in dependent and {*one.columns} <= {*free}]
    return Accepted(
        derived=derived,
        together=tuple(groups),
        texts=_texts(structure, dependent),
        habits=tuple(habits),
        off=sum(one.within for one in identities),
    )


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
        if not free or not set(whole) <= known or len(free) == len(dependent - set(derived)) == 1:
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


def zero_together(first: Array, others: Sequence[Array], fixed: bool) -> int:
    """Make columns zero in the records in which the first is, by swaps within a column, so that margins stay.

    A value that must go and a zero that must go change places, the largest to where the first is largest. Values left over
    become zero; where zeros are left over, the first becomes zero, and all others with it, unless it is `fixed`.
    The columns (n,) are changed. Returns how many values moved.
    """
    moved = 0
    for column in others:
        go = np.flatnonzero((first == 0) & (column != 0))
        come = np.flatnonzero((first != 0) & (column == 0))
        go = go[np.argsort(np.abs(column[go]), kind="stable")][::-1]
        come = come[np.argsort(np.abs(first[come]), kind="stable")][::-1]
        k = min(len(go), len(come))
        column[come[:k]] = column[go[:k]]
        column[go] = 0.0
        moved += k + len(go)
        if not fixed and len(come) > k:
            first[come[k:]] = 0.0
            moved += len(come) - k
    if not fixed:
        for column in others:
            late = (first == 0) & (column != 0)
            column[late] = 0.0
            moved += int(late.sum())
    return moved


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

    fixed = np.zeros(values.shape)
    for column, by in zip(X.T, factors(kept).T, strict=True):
        fixed += column[:, None] * by
    return Totals(fixed, factors(free), values)

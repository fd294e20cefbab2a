"""find_structure(): proposes rules between the columns of a file that nobody declared."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import as_roles, checked, numeric_names
from ..data.source import open_data
from ..data.structure import Proposal, Structure
from ..types import Array
from .identities import identities
from .proposal import coefficients, solved_for
from .relations import relations


def find_structure(frame: Any, roles: Any = None) -> Structure:
    """Propose rules between the columns of a file that nobody declared.

    Exact identities, a column that others add up to; identities of whole numbers or of decimals but for rounding, within
    as many units as there are parts; columns that are zero in the same records; columns that are at most another one and
    often reach it; ratios that hardly vary. An identity is supported by more records than it has terms, twice as many and
    twelve more, each term is needed in six, and it holds in 99 per cent of the records that have it; the others hold in
    99.5 per cent (a ratio: in 95, to 5 per cent), more than the columns by themselves would by chance. Whether one is
    meant to hold no program can know: a person accepts it.

    Parameters
    ----------
    frame : DataFrame, Table, opened frame or path
        Of pandas, polars or arrow, or of a file; it is not changed.
    roles : Roles, optional
        With roles, each proposal has a dependent column, and else only independent ones. Without, all numeric columns
        count.

    Returns
    -------
    Structure
        The proposals; `accept(1, 3)` keeps some of them, `exact` the exact ones.

    Raises
    ------
    InvalidInput
        For what is no frame, an unknown column, or one that holds no numbers or infinite ones.
    """
    owner = "find_structure"
    opened = open_data(owner, frame)
    if roles is None:
        names, dependent = numeric_names(opened), set(numeric_names(opened))
    else:
        roles = as_roles(owner, roles)
        names, dependent = [*roles.independent, *roles.dependent], set(roles.dependent)
    A = checked(owner, opened, names)
    values = {name: A[:, j] for j, name in enumerate(names)}
    found = [one for one in identities(values) if dependent & set(one.columns)]
    targets = _targets(found, values, dependent)
    sums = [solved_for(one, target) for one, target in zip(found, targets, strict=True)]
    pairs = [one for one in relations(values) if dependent & set(one.columns) and not _implied(one, sums, values)]
    return Structure((*sums, *pairs))


def _targets(found: list[Proposal], values: dict[str, Any], dependent: set[str]) -> list[str]:
    """By identity the column to be derived, another for each exact one.

    A dependent one is preferred that is the others' sum, or else has both signs, or varies most. Identities whose second
    choice has no two signs choose first.
    """

    def rank(name: str, whole: dict[str, float]) -> tuple[bool, bool, bool, bool, float]:
        others = [-c / whole[name] for other, c in whole.items() if other != name]
        plain, v = all(c == round(c) for c in others), values[name]
        return name in dependent, plain, all(c > 0 for c in others), _both_signs(v), float(np.nanstd(v))

    def ranked(one: Proposal) -> list[str]:
        whole = coefficients(one)
        return sorted(whole, key=lambda name: rank(name, whole), reverse=True)

    orders = [ranked(one) for one in found]
    exact = [k for k, one in enumerate(found) if not one.within]
    chosen = dict[int, str]()
    for k in sorted(exact, key=lambda k: (_both_signs(values[orders[k][1]]), k)):
        left = [name for name in orders[k] if name not in chosen.values() and name in dependent]
        chosen[k] = left[0] if left else orders[k][0]
    return [chosen.get(k, order[0]) for k, order in enumerate(orders)]


def _both_signs(v: Array) -> bool:
    return bool((v < 0).any() and (v > 0).any())


def _implied(one: Proposal, sums: list[Proposal], values: dict[str, Any]) -> bool:
    """Whether it follows from identities: two equal or proportional columns, a part of a sum of parts that are at least 0."""
    for each in sums:
        if one.kind != "zero_together" and set(one.columns) == set(each.columns):
            return True
        if one.kind == "at_most" and set(one.columns) < set(each.columns):
            low, high = one.columns
            rest = dict(solved_for(each, high).terms)
            rest[low] -= 1
            if all(c >= 0 and (c == 0 or np.nanmin(values[name]) >= 0) for name, c in rest.items()):
                return True
    return False

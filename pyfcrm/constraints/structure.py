"""find_structure(): what holds between the columns of a file and was not declared, proposed in plain words with counts."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..data import as_roles, checked, numeric_names
from ..data.source import open_data
from ..data.structure import Proposal, Structure
from ..types import Array
from .identities import Identity, identities
from .language import ticked
from .relations import TIGHT, Relation, relations


def find_structure(frame: Any, roles: Any = None) -> Structure:
    """Propose what holds between the columns of a file and was not declared.

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
        With roles, what is said is about dependent columns, by themselves and with independent ones. Without, about all
        columns of numbers.

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
    sums = [_proposal(one, target) for one, target in zip(found, targets, strict=True)]
    pairs = [one for one in relations(values) if dependent & set(one.columns) and not _said(one, sums, values)]
    return Structure((*sums, *(_related(one) for one in pairs)))


def _proposal(one: Identity, target: str) -> Proposal:
    """An identity with the column that is to be derived from the others first; see _targets."""
    one = _solved(one, target)
    right = _sum(one.terms)
    text = f"{ticked(one.target)} == {right}"
    if not one.within:
        said = f"{text}, {_in(one.count, one.total)}"
        return Proposal("identity", one.columns, said, (text,), one.count, one.total, one.terms)
    off = f"{ticked(one.target)} - ({right})"
    texts = (f"{off} <= {one.within:g}", f"{off} >= {-one.within:g}")
    said = f"{text} but for rounding (within {one.within:g}), {_in(one.count, one.total)}"
    return Proposal("rounded", one.columns, said, texts, one.count, one.total, one.terms, one.within)


def _targets(found: list[Identity], values: dict[str, Any], dependent: set[str]) -> list[str]:
    """By identity the column to be derived, another for each exact one: a dependent one that is the others' sum, or else has both
    signs, or varies most. Where two would derive the same one, that with a column of both signs beside it derives that."""

    def ranked(one: Identity) -> list[str]:
        whole = {one.target: -1.0, **dict(one.terms)}
        return sorted(whole, key=lambda name: _rank(name, whole, values[name], name in dependent), reverse=True)

    orders = [ranked(one) for one in found]
    exact = [k for k, one in enumerate(found) if not one.within]
    chosen = dict[int, str]()
    for k in sorted(exact, key=lambda k: (_both_signs(values[orders[k][1]]), k)):
        left = [name for name in orders[k] if name not in chosen.values() and name in dependent]
        chosen[k] = left[0] if left else orders[k][0]
    return [chosen.get(k, order[0]) for k, order in enumerate(orders)]


def _rank(name: str, whole: dict[str, float], v: Array, dependent: bool) -> tuple[bool, bool, bool, bool, float]:
    others = [-c / whole[name] for other, c in whole.items() if other != name]
    plain = all(c == round(c) for c in others)
    return dependent, plain, all(c > 0 for c in others), _both_signs(v), float(np.nanstd(v))


def _both_signs(v: Array) -> bool:
    return bool((v < 0).any() and (v > 0).any())


def _solved(one: Identity, target: str) -> Identity:
    whole = {one.target: -1.0, **dict(one.terms)}
    lead = whole.pop(target)
    terms = tuple((name, -c / lead) for name, c in sorted(whole.items(), key=lambda term: term[1] * lead > 0))
    return Identity(target, terms, one.within * (1 if abs(lead) >= 1 else 1 / abs(lead)), one.count, one.total)


def _sum(terms: tuple[tuple[str, float], ...]) -> str:
    """ "A + 2*B - C"."""
    said = ""
    for k, (name, c) in enumerate(terms):
        sign = ("- " if c < 0 else "+ ") if k else ("-" if c < 0 else "")
        factor = "" if abs(c) == 1 else f"{abs(c):.12g}*"
        said += f"{' ' if k else ''}{sign}{factor}{ticked(name)}"
    return said


def _said(one: Relation, sums: list[Proposal], values: dict[str, Any]) -> bool:
    """Whether identities say it already: two equal or proportional columns, a part of a sum of parts that are at least 0."""
    for each in sums:
        if one.kind != "zero_together" and set(one.columns) == set(each.columns):
            return True
        if one.kind == "at_most" and set(one.columns) < set(each.columns):
            low, high = one.columns
            rest = dict(_solved(_identity(each), high).terms)
            rest[low] -= 1
            if all(c >= 0 and (c == 0 or np.nanmin(values[name]) >= 0) for name, c in rest.items()):
                return True
    return False


def _identity(one: Proposal) -> Identity:
    return Identity(one.columns[0], one.terms, one.within, one.count, one.total)


def _related(one: Relation) -> Proposal:
    first = ticked(one.columns[0])
    if one.kind == "zero_together":
        listed = f"{', '.join(map(ticked, one.columns[:-1]))} and {ticked(one.columns[-1])}"
        said = f"{listed} are zero together, {_in(one.count, one.total)}"
        return Proposal(one.kind, one.columns, said, (), one.count, one.total)
    second = ticked(one.columns[1])
    if one.kind == "at_most":
        text = f"{first} <= {second}"
        return Proposal(
            one.kind,
            one.columns,
            f"{first} is at most {second}, {_in(one.count, one.total)}",
            (text,),
            one.count,
            one.total,
        )
    said = f"{first} is {one.value:.4g} times {second}, to {100 * TIGHT:g} per cent, {_in(one.count, one.total)}"
    return Proposal(one.kind, one.columns, said, (), one.count, one.total, ((one.columns[1], one.value),))


def _in(count: int, total: int) -> str:
    return f"in all {total:,} records" if count == total else f"in {count:,} of {total:,} records"

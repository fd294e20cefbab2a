"""suggest_roles(): what each column may be for, with the reason: which columns explain the others best, chosen one after
another. Numbers are seen, not meaning: a person decides."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InvalidInput
from ..types import Array, Mask
from .column_facts import MAX_UNIQUE, ColumnFacts, Combination, column_facts
from .frame import Frame, open_frame
from .open import numeric_names
from .roles import Roles

SAMPLE = 20_000  # records, evenly spaced, that correlations are taken of
FEWEST = 3  # records without which there is no correlation to speak of
DETERMINED = 1e-6  # share of variance left unexplained below which a column counts as a sum of others
MOST_NUMERIC = 400  # columns
MOST_KEPT = 24  # columns
WEIGHT = "a survey weight by its name"
NAMED = "a number with the name of an identifier"
_KINDS = {"text": "text", "date": "dates", "category": "categories", "boolean": "yes or no"}


def correlations(values: Array) -> Array:
    """(p, p) correlations of the columns of values (n, p), NaN for missing; 0 for a column that does not vary.

    Of the complete records where there are at least twice as many as columns; else a missing value stands at its
    column's mean.
    """
    complete = np.isfinite(values).all(axis=1)
    if complete.sum() >= max(FEWEST, 2 * values.shape[1]) or complete.all():
        values = values[complete]
    Z = np.where(np.isfinite(values), values, np.nan)
    if len(Z) < FEWEST:
        return np.eye(values.shape[1])
    known = np.maximum(np.isfinite(Z).sum(axis=0), 1)
    size = np.nanmax(np.abs(Z), axis=0, initial=0.0)
    Z = Z / np.where(size > 0, size, 1.0)  # squares of large and of small numbers must stay in range
    Z = np.nan_to_num(Z - np.nansum(Z, axis=0) / known)
    length = np.sqrt(np.einsum("ij,ij->j", Z, Z))
    moves = length > 1e-12 * np.sqrt(len(Z))
    Z = np.where(moves, Z / np.where(moves, length, 1.0), 0.0)
    R: Array = Z.T @ Z
    np.fill_diagonal(R, 1.0)
    return R


def sampled_rows(records: int) -> NDArray[np.intp]:
    """At most SAMPLE row numbers, evenly spaced, so that a sorted file is not known by its top alone."""
    if records <= SAMPLE:
        return np.arange(records)
    return np.linspace(0, records - 1, SAMPLE).astype(np.intp)


def explaining(R: Array, may: Mask, most: int, accept: Callable[[int], bool] = lambda j: True) -> list[int]:
    """At most `most` columns that between them explain the others best, in the order of choice.

    R : (p, p) correlations; may : (p,) which columns may be chosen; accept : asked last of a column, once.
    Each step sweeps the chosen column out of R (a step of the pivoted Cholesky decomposition): S is what R's columns
    keep when the chosen ones are regressed out, and column j would explain sum_k S_kj^2 / S_jj more of the others'
    variances. A step takes p^2 operations. Columns that together determine another one, as parts do their sum, are not
    chosen: protecting that other one could not hide it.
    """
    S, open_ = R.copy(), may.copy()
    chosen: list[int] = []
    while len(chosen) < most and open_.any():
        left = np.ones(len(R), dtype=bool)
        left[chosen] = False
        pivot = np.maximum(np.diag(S), DETERMINED)
        squares = S**2 / pivot  # column j over its own pivot
        unexplained = np.diag(S)[:, None] - squares
        np.fill_diagonal(unexplained, np.inf)
        open_ &= left & (unexplained[left].min(axis=0, initial=np.inf) > DETERMINED)
        np.fill_diagonal(squares, 0.0)
        j = _first_accepted(squares[left].sum(axis=0), open_, accept)
        if j is None:
            break
        chosen.append(j)
        S = S - np.outer(S[:, j], S[j]) / pivot[j]
    return chosen


def _first_accepted(gains: Array, open_: Mask, accept: Callable[[int], bool]) -> int | None:
    """The open column of the largest gain that is accepted; those refused are closed."""
    for j in sorted(np.flatnonzero(open_).tolist(), key=lambda j: -gains[j]):
        open_[j] = False
        if accept(j):
            return int(j)
    return None


@dataclass(frozen=True, init=False, eq=False)
class SuggestedRoles(Roles):
    """Roles as suggest_roles() found them.

    Parameters
    ----------
    independent, dependent, identifiers : sequence of str
        As in `Roles`.
    reasons : mapping of str to str
        By column, why it is given its role, or none.
    choice : str
        One sentence that asks for a choice where no column is suggested independent; else empty.
    """

    reasons: Mapping[str, str] = field(default_factory=dict, repr=False)
    choice: str = ""

    def __init__(
        self,
        independent: Sequence[str],
        dependent: Sequence[str],
        identifiers: Sequence[str],
        reasons: Mapping[str, str],
        choice: str = "",
    ) -> None:
        super().__init__(independent, dependent, identifiers)
        object.__setattr__(self, "reasons", dict(reasons))
        object.__setattr__(self, "choice", choice)

    def role_of(self, name: str) -> str:
        """What a column is suggested to be.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        str
            One of "independent", "dependent", "identifier" and "leave".
        """
        roles = {"independent": self.independent, "dependent": self.dependent, "identifier": self.identifiers}
        return next((role for role, names in roles.items() if name in names), "leave")


def suggest_roles(frame: Any) -> SuggestedRoles:
    """Suggest what each column of a microdata file may be for.

    Columns that name or count records are dropped, and so is what tells records apart and is no number. A column is
    nearly unique where more than half of its values are distinct, or more than 5 per cent of the records are unique on
    it; a missing value is shared by all that miss it. A nearly unique measurement is suggested dependent, never kept.
    Of the other measurements a quarter at most, those that explain the rest best by correlation, are suggested
    independent, as long as no more than 5 per cent of the records are unique on everything that leaves as it came.
    Where none can be kept, none is, and `choice` asks for one. Codes, flags and texts with few values have no role.
    Whether a column is sensitive no program can know: the person decides.

    Parameters
    ----------
    frame : DataFrame or Table
        Of pandas, polars or arrow, with at most 400 numeric columns; it is not changed.

    Returns
    -------
    SuggestedRoles
        Roles, with `reasons` by column and `choice`.

    Raises
    ------
    InvalidInput
        For what is no frame, has no record, two columns of one name, or more than 400 numeric columns.
    """
    door = open_frame("suggest_roles", frame)
    require_few_numeric("suggest_roles", door)
    facts = [column_facts(door, name) for name in door.names]
    return roles_from(door, facts)


def require_few_numeric(owner: str, door: Frame) -> None:
    """Raises InvalidInput for more numeric columns than are looked at."""
    numeric = len(numeric_names(door))
    if numeric > MOST_NUMERIC:
        rule = f"looks at {MOST_NUMERIC} numeric columns at most (leave some out, or choose the roles in a script)"
        raise InvalidInput(owner, rule, f"{numeric}")


def roles_from(door: Frame, facts: Sequence[ColumnFacts]) -> SuggestedRoles:
    """The suggestion for an opened frame whose columns have these facts."""
    first = {one.name: _first_role(one) for one in facts}
    left = [name for name, (role, _) in first.items() if role in ("leave", "band")]
    measured = [one for one in facts if first[one.name][0] in ("dependent", "band")]
    bands = {one.name for one in measured if first[one.name][0] == "band"}
    together = Combination.of_none(door.records)
    for name in left:
        together = together.with_column(door.codes(name))
    chosen, crowded = _independent(door, measured, bands, together)
    reasons = {name: why for name, (_, why) in first.items()}
    for one in measured:
        reasons[one.name] = _why(one, one.name in chosen, one.name in crowded, bool(chosen))
    dropped = [name for name, (role, _) in first.items() if role == "identifier"]
    kept = [one.name for one in measured if one.name in chosen]
    protected = [one.name for one in measured if one.name not in chosen and one.name not in bands]
    choice = "" if kept else _choice(left, together, measured)
    return SuggestedRoles(kept, protected, dropped, reasons, choice)


def _first_role(one: ColumnFacts) -> tuple[str, str]:
    """The role that a column's own facts give it, and why: identifier, leave, dependent, or band."""
    if one.known == 0:
        return "leave", "it is empty"
    if one.nearly_unique:
        return _nearly_unique(one)
    if one.whole and one.named_as_identifier and not one.few:
        return "identifier", f"{NAMED}: {one.how_unique}"
    if not one.numeric:
        return "leave", f"{_KINDS.get(one.kind, 'no numbers')}, {one.distinct:,} different"
    if one.distinct < 3:
        return "leave", f"it has {one.distinct} value{'s' * (one.distinct != 1)} only"
    if one.named_as_weight:
        return "leave", f"{WEIGHT}, {one.distinct:,} different"
    if one.bands:
        return "band", ""
    if one.few:
        return "leave", f"{one.distinct} whole numbers: perhaps a code"
    return "dependent", ""


def _nearly_unique(one: ColumnFacts) -> tuple[str, str]:
    if not one.numeric:
        kind = _KINDS.get(one.kind, "cells")
        return "identifier", f"{kind} that tell records apart: {one.how_unique}"
    if one.counts_records:
        return "identifier", "it counts the records"
    if one.whole and one.named_as_identifier:
        return "identifier", f"{NAMED}: {one.how_unique}"
    if one.distinct < 2:
        return (
            "identifier",
            f"known of few records, which it tells apart, and too few values to protect: {one.how_unique}",
        )
    return "dependent", ""


def _independent(
    door: Frame, measured: Sequence[ColumnFacts], bands: set[str], left: Combination
) -> tuple[set[str], set[str]]:
    """The columns to keep, and those that would have been kept but for the records that are unique on all together.

    bands : columns that leave as they came, kept or not; left : these and the columns without a role.
    """
    may = np.array([not one.nearly_unique for one in measured], dtype=bool)
    if len(measured) < 2 or not may.any() or left.unique > MAX_UNIQUE * door.records:
        return set(), set()
    together, crowded = [left], set[str]()

    def accept(j: int) -> bool:
        if measured[j].name in bands:
            return True
        wider = together[-1].with_column(door.codes(measured[j].name))
        if wider.unique > MAX_UNIQUE * door.records:
            crowded.add(measured[j].name)
            return False
        together.append(wider)
        return True

    rows = sampled_rows(door.records)
    values = np.column_stack([door.values(one.name)[rows] for one in measured])
    most = min(-(-len(measured) // 4), MOST_KEPT)
    chosen = explaining(correlations(values), may, most, accept)
    return {measured[j].name for j in chosen}, crowded


def _why(one: ColumnFacts, kept: bool, crowded: bool, others: bool) -> str:
    if kept:
        return "one of those that explain the others best; released as it is"
    if one.nearly_unique:
        weight = f"{WEIGHT}; " if one.named_as_weight else ""
        return f"{weight}nearly unique, so that it would tell who is who: {one.how_unique}"
    also = "; with what else leaves as it came it would make more than 5 % of the records unique" if crowded else ""
    if one.bands:
        return f"few values in equal steps: bands of an amount, or a code{also}"
    return f"a measurement{' that the kept ones help to explain' if others else ''}{also}"


def _choice(left: Sequence[str], together: Combination, measured: Sequence[ColumnFacts]) -> str:
    """One sentence that asks for a choice, where no column is to be kept."""
    if left and together.unique > MAX_UNIQUE * together.records:
        share = 100 * together.unique / together.records
        which = f"{len(left)} columns" if len(left) > 1 else f"the column {left[0]}"
        return (
            f"No column is suggested to be kept: {share:.0f} % of the records are unique already on the {which} without a "
            "role, which leave as they came; drop or recode some of these, say which no intruder knows, and choose yourself."
        ).replace("the the", "the")
    if not measured:
        return "No column is suggested to be protected or kept, since none holds a measurement: choose yourself."
    return (
        "No column is suggested to be kept, since none that could explain the others can leave as it came without telling "
        "records apart: choose one that may be known, or protect all of them."
    )

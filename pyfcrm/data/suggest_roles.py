"""suggest_roles(): a role for each column, with the reason; predictors are the columns that explain the others best.

Values are examined, not their meaning: a person decides.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..display import View
from ..errors import InvalidInput
from ..types import Array, Mask
from .check import numeric_names
from .column_facts import MAX_UNIQUE, ColumnFacts, Combination, column_facts
from .frame import Frame, open_frame
from .roles import Roles

SAMPLE = 20_000  # records, evenly spaced, for correlations
MIN_RECORDS = 3  # for correlations
DETERMINED = 1e-6  # share of variance left unexplained below which a column counts as a sum of others
MAX_NUMERIC = 400  # columns
MAX_PREDICTORS = 24
WEIGHT = "a survey weight by its name"
KINDS = {"text": "text", "date": "dates", "category": "categories", "boolean": "yes or no"}


def correlations(values: Array) -> Array:
    """(p, p) correlations of the columns of values (n, p), NaN for missing; 0 for a column that does not vary.

    Of the complete records where there are at least twice as many as columns; else a missing value stands at its
    column's mean.
    """
    complete = np.isfinite(values).all(axis=1)
    if complete.sum() >= max(MIN_RECORDS, 2 * values.shape[1]) or complete.all():
        values = values[complete]
    Z = np.where(np.isfinite(values), values, np.nan)
    if len(Z) < MIN_RECORDS:
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


def explaining(R: Array, eligible: Mask, most: int, accept: Callable[[int], bool] = lambda j: True) -> list[int]:
    """At most `most` columns that between them explain the others best, in the order of choice.

    R : (p, p) correlations; eligible : (p,) which columns may be chosen; accept : the last condition, called once for a
    column. Each step sweeps the chosen column out of R (a step of the pivoted Cholesky decomposition): S is what R's
    columns keep when the chosen ones are regressed out, and column j would explain sum_k S_kj^2 / S_jj more of the
    others' variances. A step takes p^2 operations. Columns that together determine another one, as parts do their sum,
    are not chosen: protecting that other one could not hide it.
    """
    S, eligible = R.copy(), eligible.copy()
    chosen: list[int] = []
    while len(chosen) < most and eligible.any():
        left = np.ones(len(R), dtype=bool)
        left[chosen] = False
        pivot = np.maximum(np.diag(S), DETERMINED)
        squares = S**2 / pivot  # column j over its own pivot
        unexplained = np.diag(S)[:, None] - squares
        np.fill_diagonal(unexplained, np.inf)
        eligible &= left & (unexplained[left].min(axis=0, initial=np.inf) > DETERMINED)
        np.fill_diagonal(squares, 0.0)
        gains = squares[left].sum(axis=0)
        for j in sorted(np.flatnonzero(eligible).tolist(), key=lambda j: -gains[j]):
            eligible[j] = False
            if accept(j):
                chosen.append(j)
                S = S - np.outer(S[:, j], S[j]) / pivot[j]
                break
        else:
            break
    return chosen


@dataclass(frozen=True, init=False, eq=False, repr=False)
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

    def _view(self) -> View:
        rows = [(name, self.role_of(name)) for name in self.reasons]
        reasons = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        return View("Suggested roles", ("column", "role"), rows, [*filter(None, [self.choice]), *reasons], words=2)


def suggest_roles(frame: Any) -> SuggestedRoles:
    """Suggest what each column of a microdata file may be for.

    Columns that name or count records are dropped, and so are nearly unique columns without numbers. A column is
    nearly unique where more than half of its values are distinct, or more than 5 per cent of the records are unique on
    it; a missing value is shared by all that miss it. A nearly unique measurement is suggested dependent, never kept.
    Of the other measurements a quarter at most, those that explain the rest best by correlation, are suggested
    independent, as long as no more than 5 per cent of the records are unique on all columns that are released unchanged.
    Where none can be kept, none is, and `choice` asks for one. Codes, flags and texts with few values have no role.
    A person must decide whether a column is sensitive.

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
    opened = open_frame("suggest_roles", frame)
    require_few_numeric("suggest_roles", opened)
    return roles_from(opened, [column_facts(opened, name) for name in opened.names])


def require_few_numeric(owner: str, frame: Frame) -> None:
    """Raises InvalidInput for more than 400 numeric columns."""
    numeric = len(numeric_names(frame))
    if numeric > MAX_NUMERIC:
        rule = f"examines {MAX_NUMERIC} numeric columns at most (leave some out, or choose the roles in a script)"
        raise InvalidInput(owner, rule, f"{numeric}")


def roles_from(frame: Frame, facts: Sequence[ColumnFacts]) -> SuggestedRoles:
    """The suggestion for an opened frame whose columns have these facts."""
    roles, reasons = dict[str, str](), dict[str, str]()
    for column in facts:
        roles[column.name], reasons[column.name] = _first_role(column)
    measured = [column for column in facts if roles[column.name] in ("dependent", "band")]
    unmodified = [name for name, role in roles.items() if role in ("leave", "band")]
    together = Combination.of_none(frame.records)
    for name in unmodified:
        together = together.with_column(frame.codes(name))
    predictors, crowded = _predictors(frame, measured, roles, together)
    for column in measured:
        chosen = column.name in predictors
        reasons[column.name] = _reason(column, chosen, column.name in crowded, bool(predictors))
        roles[column.name] = "independent" if chosen else roles[column.name]
    kept, protected, dropped = (
        [name for name in roles if roles[name] == role] for role in ("independent", "dependent", "identifier")
    )
    choice = "" if predictors else _choice(unmodified, together, measured)
    return SuggestedRoles(kept, protected, dropped, reasons, choice)


def _first_role(column: ColumnFacts) -> tuple[str, str]:
    """The role by the column's own facts, and the reason: identifier, leave, dependent, or band."""
    many, values = column.nearly_unique, f"{column.distinct:,} different"
    identifier = column.whole and column.named_as_identifier and (many or not column.few)
    rules = (
        (column.known == 0, "leave", "it is empty"),
        (
            many and not column.numeric,
            "identifier",
            f"{KINDS.get(column.kind, 'cells')} that distinguish records: {column.how_unique}",
        ),
        (many and column.counts_records, "identifier", "it counts the records"),
        (identifier, "identifier", f"a number with the name of an identifier: {column.how_unique}"),
        (
            many and column.distinct < 2,
            "identifier",
            f"nearly always missing: the few records with a value are unique: {column.how_unique}",
        ),
        (many, "dependent", ""),
        (not column.numeric, "leave", f"{KINDS.get(column.kind, 'no numbers')}, {values}"),
        (column.distinct < 3, "leave", f"it has {column.distinct} value{'s' * (column.distinct != 1)} only"),
        (column.named_as_weight, "leave", f"{WEIGHT}, {values}"),
        (column.bands, "band", ""),
        (column.few, "leave", f"{column.distinct} whole numbers: perhaps a code"),
        (True, "dependent", ""),
    )
    return next((role, reason) for holds, role, reason in rules if holds)


def _predictors(
    frame: Frame, measured: Sequence[ColumnFacts], roles: Mapping[str, str], unmodified: Combination
) -> tuple[set[str], set[str]]:
    """The columns to keep, and those not kept as they would make too many records unique.

    unmodified : the columns without a role, and the bands, which are released unchanged in any case.
    """
    eligible = np.array([not column.nearly_unique for column in measured], dtype=bool)
    if len(measured) < 2 or not eligible.any() or unmodified.unique > MAX_UNIQUE * frame.records:
        return set(), set()
    together, crowded = unmodified, set[str]()

    def accept(j: int) -> bool:
        nonlocal together
        name = measured[j].name
        if roles[name] == "band":
            return True
        wider = together.with_column(frame.codes(name))
        if wider.unique > MAX_UNIQUE * frame.records:
            crowded.add(name)
            return False
        together = wider
        return True

    n = frame.records
    rows = np.arange(n) if n <= SAMPLE else np.linspace(0, n - 1, SAMPLE).astype(np.intp)
    values = np.column_stack([frame.values(column.name)[rows] for column in measured])
    most = min(-(-len(measured) // 4), MAX_PREDICTORS)
    chosen = explaining(correlations(values), eligible, most, accept)
    return {measured[j].name for j in chosen}, crowded


def _reason(column: ColumnFacts, kept: bool, crowded: bool, others: bool) -> str:
    """Why a measurement is kept or not; crowded : it would make too many records unique; others : some are kept."""
    if kept:
        return "one of those that explain the others best; released as it is"
    if column.nearly_unique:
        weight = f"{WEIGHT}; " if column.named_as_weight else ""
        return f"{weight}nearly unique, so that it would identify records: {column.how_unique}"
    also = "; with the other unmodified columns it would make more than 5 % of the records unique" if crowded else ""
    if column.bands:
        return f"few values in equal steps: bands of an amount, or a code{also}"
    return f"a measurement{' that the kept ones help to explain' if others else ''}{also}"


def _choice(unmodified: Sequence[str], together: Combination, measured: Sequence[ColumnFacts]) -> str:
    """A sentence that asks for a choice, where no column is to be kept."""
    if unmodified and together.unique > MAX_UNIQUE * together.records:
        share = 100 * together.unique / together.records
        columns = f"{len(unmodified)} columns" if len(unmodified) > 1 else f"column {unmodified[0]}"
        return (
            f"No column is suggested to be kept: {share:.0f} % of the records are unique already on the {columns} without "
            "a role, which are released unchanged; drop or recode some, name those that no intruder knows, and choose yourself."
        )
    if not measured:
        return "No column is suggested to be protected or kept, since none holds a measurement: choose yourself."
    return (
        "No column is suggested to be kept, since each that could explain the others would make too "
        "many records unique: choose one that may be known, or protect all of them."
    )

"""suggest_roles(): a role for each column, with the reason; predictors are the columns that explain the others best.

Values are examined, not their meaning: a person decides.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..display import View
from ..errors import InvalidInput
from ..types import Array, Codes
from .check import numeric_names
from .codes import crossed
from .column_facts import MAX_UNIQUE, ColumnFacts, column_facts, named_as, unique_records
from .frame import Frame, open_data
from .roles import LISTS, SINGLE, Roles

if TYPE_CHECKING:
    import pandas as pd

SAMPLE = 20_000  # records, evenly spaced, for shares of variance
MAX_NUMERIC = 400  # columns
MAX_PREDICTORS = 24
MAX_LEVELS = 20  # of a predictor that is chosen for its few levels
MIN_UNITS = 15  # that are protected together, and two for each column over all periods
NO_PREDICTOR = (
    "No column is suggested as a predictor: none has few levels or explains the others. Choose one that may be known."
)
CROWDED = (
    "No column is suggested as a predictor: each would make more than 5 % of the records unique. Recode one, name those that no "
    "intruder knows, or protect all of them."
)
OPEN = ("levels", "measured")  # roles of columns that become predictors, or else confidential
KINDS = {"text": "text", "date": "dates", "category": "categories", "boolean": "yes or no"}


class SuggestedRoles(Roles):
    """Roles as suggest_roles() found them.

    Parameters
    ----------
    roles : Roles
        The roles.
    reasons : mapping of str to str
        By column, why it has its role, or none.
    doubtful : sequence of str
        The columns whose role a person must confirm.
    choice : str
        One sentence that requests a choice if no column is suggested independent; else empty.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> roles = pf.suggest_roles(pf.datasets.survey(200))
    >>> roles.identifiers
    ('name',)
    """

    reasons: Mapping[str, str]
    doubtful: tuple[str, ...]
    choice: str

    def __init__(
        self, roles: Roles, reasons: Mapping[str, str], doubtful: Sequence[str] = (), choice: str = ""
    ) -> None:
        vars(self).update(vars(roles), reasons=dict(reasons), doubtful=tuple(doubtful), choice=choice)

    def role_of(self, name: str) -> str:
        """The role of a column.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        str
            "independent", "dependent", "identifiers", "weight", "household", "unit", "time", or "leave" for none.
        """
        return next((role for role in (*LISTS, *SINGLE) if name in self.columns(role)), "leave")

    def to_frame(self) -> pd.DataFrame:
        """Every column with its role, the reason, and whether the role is doubtful.

        Returns
        -------
        pandas.DataFrame
            One row for each column of the file.
        """
        import pandas as pd

        rows = [(name, self.role_of(name), name in self.doubtful, reason) for name, reason in self.reasons.items()]
        return pd.DataFrame(rows, columns=["column", "role", "doubtful", "reason"])

    def _view(self) -> View:
        rows = [(name, self.role_of(name)) for name in self.reasons]
        reasons = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        return View("Suggested roles", ("column", "role"), rows, [*filter(None, [self.choice]), *reasons], words=2)


def suggest_roles(frame: Any) -> SuggestedRoles:
    """Suggest what each column of a microdata file may be for.

    Dropped as identifiers: columns that name or number records, and nearly unique ones that are neither numbers nor dates.
    Ids of households and units: codes whose records stand together, or that name or number several records each. Units
    observed repeatedly are at least 15, and twice as many as columns over all periods, so that they can be protected. Weight: a
    positive column that is named or labelled as one. Predictors: flags, categories, dates and columns of at most 20
    levels, then a quarter of the other measurements, the best predictors of the rest. At most 5 per cent of the records
    are unique on all of them. All others are confidential. A column is nearly unique if over half of its values are
    distinct, or over 5 per cent of records are unique on it. A person must confirm the roles.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Of pandas, polars or arrow, or a file, with at most 400 numeric columns; it is not changed.

    Returns
    -------
    SuggestedRoles
        Roles, with `reasons` by column, the `doubtful` ones, and `choice`.

    Raises
    ------
    InvalidInput
        For what is no frame, has no record, two columns of one name, or more than 400 numeric columns.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.suggest_roles(pf.datasets.survey()).weight
    'weight'
    """
    opened = open_data("suggest_roles", frame, whole=True)
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
    roles, reasons, doubtful = dict[str, str](), dict[str, str](), list[str]()
    bodies = any(named_as("height", column.name) for column in facts)
    for column in facts:
        role, reason, sure = _own_role(column, frame.column_labels.get(column.name, ""), bodies)
        if role in SINGLE and role in roles.values():
            doubtful += [name for name in roles if roles[name] == role]
            role, reason, sure = "identifiers", f"{reason}; there is another one", False
        roles[column.name], reasons[column.name] = role, reason
        doubtful += [] if sure else [column.name]
    _units(frame, roles, reasons, doubtful)
    candidates = _candidates(frame, [column for column in facts if roles[column.name] in OPEN], roles)
    together, crowded = _combinations(frame, facts, roles), False
    for name in candidates:
        wider = crossed(together, frame.codes(name))
        if unique_records(wider) <= MAX_UNIQUE * frame.records:
            together = wider
            why = "few levels" if roles[name] == "levels" else "one of those that explain the others best"
            roles[name], reasons[name] = "independent", f"{why}; released unchanged: {reasons[name]}"
        else:
            crowded = True
            reasons[name] += "; as a predictor it would make more than 5 % of the records unique"
            doubtful.append(name)
            if frame.kind(name) == "date":
                roles[name], reasons[name] = "identifiers", f"{reasons[name]} (coarsen it to keep it)"
    candidates = [name for name in candidates if frame.kind(name) != "date"]
    if candidates and not {*OPEN} & {*roles.values()}:
        name = max(candidates, key=lambda name: int(frame.codes(name).max()))
        roles[name], reasons[name] = "measured", f"one column must be confidential: {reasons[name].split(': ', 1)[1]}"
        doubtful.append(name)
    for name, role in roles.items():
        roles[name] = "dependent" if role in OPEN else role
    lists = ([name for name in roles if roles[name] == role] for role in LISTS)
    found = Roles(*lists, **{role: name for name, role in roles.items() if role in SINGLE})
    choice = "" if found.independent else CROWDED if crowded else NO_PREDICTOR
    return SuggestedRoles(found, reasons, [name for name in roles if name in doubtful], choice)


def _combinations(frame: Frame, facts: Sequence[ColumnFacts], roles: Mapping[str, str]) -> Codes:
    """(n,) the combination of unchanged columns and of gaps that each record has before predictors are chosen."""
    together = np.zeros(frame.records, dtype=np.int64)
    for name, role in roles.items():
        if role in ("time", "leave"):
            together = crossed(together, frame.codes(name))
    gaps = together
    for column in facts:
        if column.missing and roles[column.name] in OPEN:
            gaps = crossed(gaps, np.minimum(frame.codes(column.name), 0))
    # Where gaps alone are too many, other remedies are needed, and predictors are chosen as without gaps.
    return gaps if unique_records(gaps) <= MAX_UNIQUE * frame.records else together


def _own_role(column: ColumnFacts, label: str, bodies: bool) -> tuple[str, str, bool]:
    """The role by the column's own facts, the reason, and whether it is sure: "levels" and "measured" are open.

    bodies : whether the file has heights, so that a column named `weight` weighs bodies.
    """
    many, how = column.nearly_unique, column.how_unique
    positive = column.numeric and column.low > 0 and column.high > column.low
    by_name = named_as("weight", column.name), named_as("possible weight", column.name)
    sure_weight = by_name[0] or ("weight" in label.lower() and not bodies)
    weight = positive and (sure_weight or (by_name[1] and not bodies))
    by = "name" if any(by_name) else "label"
    values = f"{KINDS.get(column.kind, 'numbers')}, {column.distinct:,} different"
    sure = not column.named_as_codes
    coded = values if sure else f"{values}, which count as amounts (make codes of a classification text)"
    rules = (
        (column.known == 0, "leave", "it is empty", True),
        (column.distinct < 2 and column.missing == 0, "leave", "it has one value only", True),
        (weight, "weight", f"a survey weight by its {by}, {values}", sure_weight),
        (
            many and column.kind == "date",
            "identifiers",
            f"dates that distinguish records (coarsen them to keep them): {how}",
            False,
        ),
        (column.counts_records, "identifiers", "it counts the records", True),
        (column.groups_records, "household", f"an id of several records each: {how}", column.named_as_identifier),
        (
            many and not column.numeric,
            "identifiers",
            f"{values}, which distinguish records: {how}",
            2 * column.distinct > column.known,
        ),
        (column.named_as_identifier and many, "identifiers", f"named as an identifier: {how}", True),
        (column.named_as_identifier and not column.few, "household", f"named as an identifier: {how}", False),
        (column.is_code, "identifiers", f"whole numbers of one length, each once: {how}", False),
        (many and column.distinct < 2, "identifiers", f"the few records with a value are unique: {how}", False),
        (many, "measured", f"nearly unique: {how}", True),
        (not column.numeric or (column.distinct <= MAX_LEVELS and not column.named_as_amount), "levels", coded, sure),
        (True, "measured", f"a measurement, {coded}", sure),
    )
    return next((role, reason, sure) for holds, role, reason, sure in rules if holds)


def _units(frame: Frame, roles: dict[str, str], reasons: dict[str, str], doubtful: list[str]) -> None:
    """Ids of several records with a column that differs within them and is named as a period are units with their periods.

    Where units are too few to be protected together, text is a level of its own, and a code is dropped.
    """
    for name in [name for name, role in roles.items() if role == "household"]:
        columns = [column for column, role in roles.items() if role in OPEN]
        codes = frame.codes(name)
        different = {column: len(np.unique(crossed(codes, frame.codes(column)))) for column in columns}
        times = [column for column in columns if named_as("period", column) and different[column] == frame.records]
        units, most = len(np.unique(codes)), int(np.bincount(codes + 1).max())
        width = sum(1 if count == units else most for column, count in different.items() if column not in times[:1])
        if units >= max(MIN_UNITS, 2 * (width + 1)):
            if times:
                time = times[0]
                roles[name], roles[time] = "unit", "time"
                reasons[name] = f"an id of a unit observed repeatedly, once for each `{time}`: {reasons[name]}"
                reasons[time] = f"the period of the records of `{name}`"
                doubtful += [name, time]
        elif times or units in different.values():
            roles[name] = "levels" if frame.kind(name) in ("text", "category") else "identifiers"
            reasons[name] += f"; its {units:,} units are too few to protect the records of each together"
            doubtful.append(name)


def _candidates(frame: Frame, columns: Sequence[ColumnFacts], roles: Mapping[str, str]) -> list[str]:
    """The possible predictors: columns of few levels, then a quarter of the measurements. Order: the share of variance
    of the (other) measurements that a column explains for each bit of its information."""
    rows = np.linspace(0, frame.records - 1, min(frame.records, SAMPLE)).astype(np.intp)
    measured = [column for column in columns if roles[column.name] == "measured"]
    values = frame.matrix([column.name for column in measured])[rows]

    def by_worth(column: ColumnFacts) -> float:
        others = values[:, [one is not column for one in measured]]
        bits = np.log2(max(column.distinct + bool(column.missing), 2))
        return float(-explained_share(frame.codes(column.name)[rows], others) / bits)

    levels = sorted((column for column in columns if roles[column.name] == "levels"), key=by_worth)
    eligible = [column for column in measured if not (column.nearly_unique or column.named_as_amount)]
    most = min(-(-len(measured) // 4), MAX_PREDICTORS) if len(measured) > 1 else 0
    return [column.name for column in (*levels, *sorted(eligible, key=by_worth)[:most])]


def explained_share(codes: Codes, values: Array) -> float:
    """The mean share of the columns' variances (n, p) that groups explain, less what groups at random explain."""
    import pandas as pd

    columns = pd.DataFrame(values).where(np.isfinite(values))
    n, k, variance = columns.count(), len(np.unique(codes)), columns.var(ddof=0)
    means = columns.groupby(codes).transform("mean").where(columns.notna())
    shares = means.var(ddof=0) / variance - (k - 1) / (n - 1)
    shares = shares[(variance > 0) & (n > k)]
    return float(shares.mean()) if len(shares) else 0.0

"""suggest_roles(): a role for each column, with the reason; predictors are the columns that explain the others best.

Values are examined, not their meaning: a person decides.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..arguments import choice
from ..display import View
from ..types import Array, Codes
from .check import is_numeric
from .codes import crossed
from .column_facts import MAX_UNIQUE, ColumnFacts, column_facts, unique_records
from .column_names import measures_bodies, named_as
from .declared import described_columns, without_missing_codes
from .describe import describe
from .frame import Frame, open_data
from .proposed_role import LEVELS, MEASURED, ONE_VALUE, ONE_VALUE_OR_NONE, OPEN, UNCHANGED, ProposedRole, role_by_facts
from .replicate_weights import numbered_columns, replicate_groups, type_of_replicates
from .roles import LISTS, PRODUCTS, PUBLIC, RESEARCH, SINGLE, Roles
from .sampling_roles import choose_sampling_roles
from .variable import NUMBERS, Variable, declared_variables
from .variables import Variables

if TYPE_CHECKING:
    import pandas as pd

WEIGHT_IN_PUBLIC = "confidential, as in a public-use file no column is a respondent's own; in a research file"
NOT_IN_PUBLIC = "dropped, as no method takes it and a public-use file has no column unchanged; in a research file"
SAMPLE = 20_000  # records, evenly spaced, for shares of variance
MAX_COMPARED = 50  # columns, evenly spaced, whose variance a predictor is to explain
MAX_PREDICTORS = 24
MIN_UNITS = 15  # that are protected together, and two for each column over all periods
NO_PREDICTOR = (
    "No column is suggested as a predictor: none has few levels or explains the others. Protect all of them, or recode one that may "
    "be known."
)
CROWDED = (
    "No column is suggested as a predictor: each would make more than 5 % of the records unique. Recode one, name those that no "
    "intruder knows, or protect all of them."
)


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
    labels : mapping of str to str
        The labels of columns of an SPSS, Stata or SAS file, by name.

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
    labels: Mapping[str, str]

    def __init__(
        self,
        roles: Roles,
        reasons: Mapping[str, str],
        doubtful: Sequence[str] = (),
        choice: str = "",
        labels: Mapping[str, str] | None = None,
    ) -> None:
        found = {"reasons": dict(reasons), "doubtful": tuple(doubtful), "choice": choice, "labels": dict(labels or {})}
        vars(self).update(vars(roles), **found)

    def role_of(self, name: str) -> str:
        """The role of a column.

        Parameters
        ----------
        name : str
            The column.

        Returns
        -------
        str
            A role of Roles, such as "independent"; "leave" for none.
        """
        for role in (*LISTS, *SINGLE):
            if name in self.columns(role):
                return role
        return "leave"

    def to_frame(self) -> pd.DataFrame:
        """Every column with its label, its role, whether the role is doubtful, and the reason.

        Returns
        -------
        pandas.DataFrame
            One row for each column of the file.
        """
        import pandas as pd

        names = list(self.reasons)
        columns = {
            "column": names,
            "label": [self.labels.get(name, "") for name in names],
            "role": [self.role_of(name) for name in names],
            "doubtful": [name in self.doubtful for name in names],
            "reason": list(self.reasons.values()),
        }
        return pd.DataFrame(columns)

    def _view(self) -> View:
        columns = ("column", "role", "label") if self.labels else ("column", "role")
        rows = [(name, self.role_of(name), self.labels.get(name, ""))[: len(columns)] for name in self.reasons]
        reasons = [f"{name}: {reason}" for name, reason in self.reasons.items()]
        title = "Suggested roles" if self.product == RESEARCH else f"Suggested roles, product {self.product}"
        return View(title, columns, rows, [*filter(None, [self.choice]), *reasons], words=len(columns))


def suggest_roles(
    frame: Any,
    *,
    product: str = RESEARCH,
    variables: Mapping[str, Variable] | Literal["numbers"] | None = None,
) -> SuggestedRoles:
    """Suggest what each column of a microdata file may be for.

    Dropped as identifiers: columns that name or number records, and nearly unique text that is neither numbers nor dates.
    Ids of households and units: codes whose records stand together, or that name or number several records each. Units
    observed repeatedly are at least 15, and twice as many as columns over all periods, so that they can be protected.
    Weight: a positive column that is named or labelled as one; further weights are released unchanged. Primary sampling units and
    strata of the sampling design: by their names. Classes are strata too where the weight is the same in each and differs
    between them. Columns `fpc` show clusters where their sizes count fewer units than the weights count records.
    Predictors: flags, categories, dates and columns of at most 20 levels, then a quarter of the other measurements, the best
    predictors of the rest. At most 5 per cent of the records are unique on all of them. All others are confidential. A column
    is nearly unique if over half of its values are distinct, or over 5 per cent of records are unique on it. A person must
    confirm the roles.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Of pandas, polars or arrow, or a file; it is not changed.
    product : {"research", "public"}
        "research": predictors are released unchanged. "public": no column is a respondent's own, so that predictors, weights and
        all other columns that a method takes are confidential. Identifiers, ids, periods and constant columns are as before.
        The roles have it as their `product`, which protect() and evaluate() follow.
    variables : mapping or "numbers", optional
        What columns may contain, a Variable by name; the rest is inferred, as `describe` shows. Codes of missing values are missing.

    Returns
    -------
    SuggestedRoles
        Roles, with `reasons` by column, the `doubtful` ones, and `choice`.

    Raises
    ------
    InvalidInput
        For what is no frame, has no record, or two columns of one name.
    InvalidParameter
        If a declaration breaks its rule, or for another product.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> pf.suggest_roles(pf.datasets.survey()).weight
    'weight'
    >>> pf.suggest_roles(pf.datasets.survey(), product="public").independent
    ()
    """
    owner = "suggest_roles"
    choice(owner, "product", product, PRODUCTS)
    opened = open_data(owner, frame, whole=True)
    declared = declared_variables(owner, variables)
    if declared is None or declared == NUMBERS:
        return roles_from(opened, [column_facts(opened, name) for name in opened.names], describe(opened), product)
    known = without_missing_codes(owner, opened, declared)
    descriptions = Variables(tuple(described_columns(owner, opened, declared, opened.names)))
    return roles_from(known, [column_facts(known, name) for name in known.names], descriptions, product)


def roles_from(
    frame: Frame, facts: Sequence[ColumnFacts], variables: Variables, product: str = RESEARCH
) -> SuggestedRoles:
    """The suggestion for an opened frame whose columns have these facts and descriptions. product : one of PRODUCTS."""
    roles = _roles_by_facts(frame, facts, variables)
    _find_units(frame, roles, product)
    crowded = False
    if product == PUBLIC:
        _make_all_confidential(facts, roles)
        _drop_refused_text(frame, roles, variables)
    else:
        candidates = _candidates(frame, [column for column in facts if roles[column.name].role in OPEN], roles)
        crowded = _choose_predictors(frame, facts, roles, candidates)
        _drop_refused_text(frame, roles, variables)
        _require_confidential(frame, roles, candidates)
    for proposed in roles.values():
        if proposed.role in OPEN:
            proposed.role = "dependent"
        elif proposed.role == UNCHANGED:
            proposed.role = "leave"
    lists = {role: [name for name, each in roles.items() if each.role == role] for role in LISTS}
    columns: dict[str, Any] = {**lists, **{each.role: name for name, each in roles.items() if each.role in SINGLE}}
    found = Roles(**columns, product=product)
    choice = ""
    if not found.independent and product != PUBLIC:
        choice = CROWDED if crowded else NO_PREDICTOR
    return SuggestedRoles(
        found,
        reasons={name: each.reason for name, each in roles.items()},
        doubtful=[name for name, each in roles.items() if each.doubtful],
        choice=choice,
        labels={column.name: column.label for column in variables.columns if column.label},
    )


def _make_all_confidential(facts: Sequence[ColumnFacts], roles: Mapping[str, ProposedRole]) -> None:
    """Make weights confidential too: a weight that is released unchanged tells the stratum and the response of its record.

    A column of one value distinguishes no record, and no method takes it. Other columns that no method takes are dropped.
    """
    for column in facts:
        proposed = roles[column.name]
        if proposed.role in ("weight", "replicate_weights", "psu", "sampling_stratum", UNCHANGED):
            if column.distinct < 2:
                proposed.role = "leave"
                proposed.reason = ONE_VALUE
                proposed.doubtful = False
            else:
                proposed.role = MEASURED
                proposed.reason = f"{WEIGHT_IN_PUBLIC}: {proposed.reason}"
                proposed.doubtful = True
        elif proposed.role == "leave" and (column.distinct > 1 or (column.known and column.missing)):
            if column.distinct == 1 and column.kind in ("text", "category"):
                proposed.role = MEASURED
                proposed.reason = f"{ONE_VALUE_OR_NONE}: drawn with its gaps"
            else:
                proposed.role = "identifiers"
                proposed.reason = f"{NOT_IN_PUBLIC}: {proposed.reason}"
            proposed.doubtful = True


def _roles_by_facts(frame: Frame, facts: Sequence[ColumnFacts], variables: Variables) -> dict[str, ProposedRole]:
    """The role of each column by its own facts, where one column each may be the weight and the household id."""
    has_bodies = any(measures_bodies(column.name) for column in facts)
    roles = {column.name: role_by_facts(column, variables[column.name], has_bodies) for column in facts}
    _choose_weights(frame, facts, roles)
    choose_sampling_roles(frame, facts, roles)
    households = [name for name, proposed in roles.items() if proposed.role == "household"]
    for name in households[1:]:
        reason = f"{roles[name].reason}; there is another one"
        roles[name] = ProposedRole("identifiers", reason, doubtful=True)
        roles[households[0]].doubtful = True
    return roles


def _choose_weights(frame: Frame, facts: Sequence[ColumnFacts], roles: dict[str, ProposedRole]) -> None:
    """Of several weights one has the role. Replicate weights are those of this weight; all others are released unchanged."""
    stems = numbered_columns(facts)
    numbered = {column.name for columns in stems.values() for column in columns}
    weights = [name for name, proposed in roles.items() if proposed.role == "weight"]
    numeric = {column.name for column in facts if column.numeric}
    if not any(proposed.role in OPEN for name, proposed in roles.items() if name in numeric and name not in weights):
        # Without another number to protect, a short name such as `weight` is that of a measurement.
        for name in [name for name in weights if roles[name].doubtful]:
            weights.remove(name)
            roles[name] = ProposedRole(
                MEASURED, f"the only measurement, though it has the name of a weight: {roles[name].reason}", True
            )
    apart = [name for name in weights if name not in numbered]
    weight = min(apart, key=lambda name: roles[name].doubtful, default=None)  # the first of those that are sure
    for place, columns in enumerate(replicate_groups(frame, stems, weight)):
        kind = "" if weight is None else type_of_replicates(frame, weight, columns)
        advice = "name `replicate_type` for standard errors by them"
        if kind:
            advice = f'their ratios to the weight are those of `replicate_type="{kind}"`: name it for standard errors by them'
        count = f"{len(columns)} columns whose names end in numbers and whose means agree"
        for name in columns:
            if place == 0:
                reason = f"replicate weights, {count}: released unchanged, they identify primary sampling units"
                reason += f"; {advice}"
                roles[name] = ProposedRole("replicate_weights", reason, doubtful=weight is None)
            else:
                reason = f"replicate weights of another weight, {count}: released unchanged"
                roles[name] = ProposedRole(UNCHANGED, reason, doubtful=True)
    weights = [name for name in weights if roles[name].role == "weight"]
    if len(weights) < 2:
        return
    weight = weight or weights[0]
    for name in weights:
        roles[name].doubtful = True
        if name != weight:
            roles[name].role = UNCHANGED
            roles[
                name
            ].reason += f"; released unchanged, as `{weight}` is the weight: name it `unknown` if no intruder knows it"


def _choose_predictors(
    frame: Frame, facts: Sequence[ColumnFacts], roles: Mapping[str, ProposedRole], candidates: Sequence[str]
) -> bool:
    """Make predictors of the candidates, in their order, while few records are unique on all; whether one was left out."""
    together = _combinations(frame, facts, roles)
    crowded = False
    for name in candidates:
        proposed = roles[name]
        wider = crossed(together, frame.codes(name))
        if unique_records(wider) <= MAX_UNIQUE * frame.records:
            together = wider
            why = "few levels" if proposed.role == LEVELS else "one of those that explain the others best"
            proposed.role = "independent"
            proposed.reason = f"{why}; released unchanged: {proposed.reason}"
            continue
        crowded = True
        proposed.reason += "; as a predictor it would make more than 5 % of the records unique"
        proposed.doubtful = True
    return crowded


def _drop_refused_text(frame: Frame, roles: Mapping[str, ProposedRole], variables: Variables) -> None:
    """Make identifiers of open columns that `protect` refuses: text of which more than half of the values differ."""
    for name, proposed in roles.items():
        description = variables[name]
        is_refused = description.kind == "category" and description.doubtful_kind and frame.kind(name) == "text"
        if proposed.role in OPEN and is_refused:
            proposed.role = "identifiers"
            proposed.reason += "; more than half of the values differ, and `protect` refuses such text as confidential"
            proposed.doubtful = True


def _require_confidential(frame: Frame, roles: dict[str, ProposedRole], candidates: Sequence[str]) -> None:
    """Where no column is confidential, make a candidate so: one with gaps, as answers have, else the one with most values."""
    if any(proposed.role in OPEN for proposed in roles.values()):
        return
    # Numbers first: all methods protect them.
    predictors = [name for name in candidates if roles[name].role == "independent"]
    possible = [name for name in predictors if is_numeric(frame, name)] or predictors
    if possible:
        name = max(possible, key=lambda name: (bool((frame.codes(name) < 0).any()), int(frame.codes(name).max())))
        what = roles[name].reason.split(": ", 1)[1]
        roles[name] = ProposedRole(MEASURED, f"one column must be confidential: {what}", doubtful=True)


def _combinations(frame: Frame, facts: Sequence[ColumnFacts], roles: Mapping[str, ProposedRole]) -> Codes:
    """(n,) the combination of unchanged columns and of gaps that each record has before predictors are chosen."""
    together = np.zeros(frame.records, dtype=np.int64)
    for name, proposed in roles.items():
        if proposed.role in ("time", "leave"):
            together = crossed(together, frame.codes(name))
    gaps = together
    for column in facts:
        if column.missing and roles[column.name].role in OPEN:
            is_missing = np.minimum(frame.codes(column.name), 0)
            gaps = crossed(gaps, is_missing)
    # Where gaps alone are too many, other remedies are needed, and predictors are chosen as without gaps.
    return gaps if unique_records(gaps) <= MAX_UNIQUE * frame.records else together


def _find_units(frame: Frame, roles: dict[str, ProposedRole], product: str) -> None:
    """Ids of several records with a column that differs within them and is named as a period are units with their periods.

    Where units are too few to be protected together, text is a level of its own, and a code is dropped. Those of a public file have all
    columns to be drawn, of which there must be fewer than units.
    """
    ids = [name for name, proposed in roles.items() if proposed.role == "household"]
    for name in ids:
        columns = [column for column, proposed in roles.items() if proposed.role in OPEN]
        codes = frame.codes(name)
        different = {column: len(np.unique(crossed(codes, frame.codes(column)))) for column in columns}
        times = [column for column in columns if named_as("period", column) and different[column] == frame.records]
        units = len(np.unique(codes))
        most_records = int(np.bincount(codes + 1).max())
        # Columns of the wide file: one that differs within units has one for each period, a category one for each level but one.
        width = 0
        for column, count in different.items():
            if column not in times[:1]:
                of_levels = 1 if is_numeric(frame, column) else max(int(frame.codes(column).max()), 1)
                width += of_levels * (1 if count == units else most_records)
        if units >= max(MIN_UNITS, 2 * (width + 1)):
            if times:
                _make_unit(roles, name, times[0])
        elif times or units in different.values() or (product == PUBLIC and units < width + 2):
            is_text = frame.kind(name) in ("text", "category")
            roles[name].role = LEVELS if is_text else "identifiers"
            roles[name].reason += f"; its {units:,} units are too few to protect the records of each together"
            roles[name].doubtful = True


def _make_unit(roles: dict[str, ProposedRole], name: str, time: str) -> None:
    reason = f"an id of a unit observed repeatedly, once for each `{time}`: {roles[name].reason}"
    roles[name] = ProposedRole("unit", reason, doubtful=True)
    roles[time] = ProposedRole("time", f"the period of the records of `{name}`", doubtful=True)


def _candidates(frame: Frame, columns: Sequence[ColumnFacts], roles: Mapping[str, ProposedRole]) -> list[str]:
    """The possible predictors: columns of few levels, then a quarter of the measurements. Order: the share of variance
    of the (other) measurements that a column explains for each bit of its information."""
    rows = np.linspace(0, frame.records - 1, min(frame.records, SAMPLE)).astype(np.intp)
    levels = [column for column in columns if roles[column.name].role == LEVELS]
    measured = [column for column in columns if roles[column.name].role == MEASURED]
    places = np.linspace(0, len(measured) - 1, min(len(measured), MAX_COMPARED)).astype(np.intp)
    compared = [measured[place] for place in places if measured[place].numeric]
    values = frame.matrix([column.name for column in compared])[rows]

    def worth(column: ColumnFacts) -> float:
        others = values[:, [other is not column for other in compared]]
        bits = np.log2(max(column.distinct + bool(column.missing), 2))
        return explained_share(frame.codes(column.name)[rows], others) / bits

    eligible = [column for column in measured if not (column.nearly_unique or column.named_as_amount)]
    quarter = 0
    if len(measured) > 1:
        quarter = min(math.ceil(len(measured) / 4), MAX_PREDICTORS)
    in_order = sorted(levels, key=lambda column: -worth(column))
    in_order += sorted(eligible, key=lambda column: -worth(column))[:quarter]
    return [column.name for column in in_order]


def explained_share(codes: Codes, values: Array) -> float:
    """The mean share of the columns' variances (n, p) that groups explain, less what groups at random explain."""
    import pandas as pd

    columns = pd.DataFrame(values).where(np.isfinite(values))
    n = columns.count()
    k = len(np.unique(codes))
    variance = columns.var(ddof=0)
    means = columns.groupby(codes).transform("mean").where(columns.notna())
    shares = means.var(ddof=0) / variance - (k - 1) / (n - 1)
    shares = shares[(variance > 0) & (n > k)]
    return float(shares.mean()) if len(shares) else 0.0

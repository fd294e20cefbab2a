"""The role that a column has by its own facts, before it is compared with other columns."""

from __future__ import annotations

from dataclasses import dataclass

from .column_facts import ColumnFacts
from .column_names import named_as, weight_by_name
from .variables import VariableDescription

MAX_LEVELS = 20  # of a predictor that is chosen for its few levels
LEVELS, MEASURED = "levels", "measured"
OPEN = (LEVELS, MEASURED)
"""Roles of columns that become predictors, or else confidential."""
UNCHANGED = "unchanged"
"""The role of columns of the survey's design that no method may change, and that have no role of their own."""
ONE_VALUE = "it has one value only"
ONE_VALUE_OR_NONE = "it has one value, or none"
ARTICLES = {"count": "a count", "amount": "an amount", "identifier": "numbers"}
AS_CLASSES = "declare kind category if they are classes"
NUMBERS = ("codes", "count", "amount", "date", "duration", "time")
"""Kinds of columns that are numbers for a method."""
KINDS = {"text": "text", "category": "categories", "boolean": "yes or no"}


@dataclass
class ProposedRole:
    """The role of one column while the roles of a file are being found."""

    role: str
    """A role of Roles; "leave" or "unchanged" for none; "levels" or "measured" while it is open."""
    reason: str
    """Why it has this role."""
    doubtful: bool = False
    """Whether a person must confirm it."""


def role_by_facts(column: ColumnFacts, described: VariableDescription, has_bodies: bool) -> ProposedRole:
    """The role of a column by its own facts and its description; the first rule that applies decides.

    has_bodies : whether the file measures bodies or vehicles, so that a column named `weight` weighs these.
    """
    if column.known == 0:
        return ProposedRole("leave", "it is empty")
    if column.distinct < 2 and not column.missing:
        return ProposedRole("leave", ONE_VALUE)
    if column.distinct < 2 and not column.nearly_unique:
        return ProposedRole("leave", f"{ONE_VALUE_OR_NONE}: released unchanged", doubtful=True)
    if not is_protected(column, described):
        return _of_no_method(column, described)
    proposed = _design(column, described.label, has_bodies) or _identifier(column, described)
    proposed = proposed or _open_role(column, described)
    if described.proposed_missing_codes:
        codes = ", ".join(map(str, described.proposed_missing_codes))
        proposed.reason += f"; {codes} may mean missing: declare missing_codes if so"
        proposed.doubtful = True
    return proposed


def _values(column: ColumnFacts) -> str:
    return f"{KINDS.get(column.kind, 'numbers')}, {column.distinct:,} different"


def is_protected(column: ColumnFacts, described: VariableDescription) -> bool:
    """Whether methods take a column: no cells of unknown types, no numbers out of range, no text of several possible forms."""
    if described.kind == "other" or column.kind == "sparse" or column.unusable:
        return False
    return column.kind != "text" or described.kind not in NUMBERS or described.format is not None


def is_number(column: ColumnFacts, described: VariableDescription) -> bool:
    """Whether a column has numbers for a method: numbers, dates, durations, times, and text that is read as one of these."""
    return column.numeric or described.kind in NUMBERS


def _of_no_method(column: ColumnFacts, described: VariableDescription) -> ProposedRole:
    """A column that no method takes, such as lists: dropped where it distinguishes records."""
    reason = described.reason
    if column.unusable:
        reason = f"numbers {column.unusable}"
    elif column.kind == "sparse":
        reason = f"{reason}, sparse: make it dense by column.sparse.to_dense()"
    if column.nearly_unique:
        return ProposedRole("identifiers", f"{reason}: {column.how_unique}", doubtful=True)
    return ProposedRole("leave", f"{reason}; released unchanged", doubtful=True)


def _design(column: ColumnFacts, label: str, has_bodies: bool) -> ProposedRole | None:
    """A survey weight or the size of a finite population, by name or label: numbers that differ, none negative; else None."""
    if not column.numeric or column.low < 0 or column.high <= column.low:
        return None
    if named_as("finite population", column.name):
        reason = f"sizes of finite populations by its name, which standard errors need: {_values(column)}"
        return ProposedRole(UNCHANGED, reason, doubtful=True)
    found = weight_by_name(column.name, label, has_bodies)
    by = "name" if weight_by_name(column.name, "", has_bodies) else "label"
    reason = f"a survey weight by its {by}, {_values(column)}"
    is_usable = column.low > 0 and not column.missing
    if found and is_usable:
        return ProposedRole("weight", reason, doubtful=found == "possible")
    if found == "sure":
        reason += "; released unchanged, but not used: the weight must be above 0 in every record"
        return ProposedRole(UNCHANGED, reason, doubtful=True)
    return None


def _identifier(column: ColumnFacts, described: VariableDescription) -> ProposedRole | None:
    """A column that names or numbers records or groups of them, or else distinguishes records; else None."""
    nearly_unique = column.nearly_unique
    how = column.how_unique
    if column.counts_records:
        return ProposedRole("identifiers", "it counts the records")
    if column.groups_records:
        reason = f"an id of several records each: {how}"
        return ProposedRole("household", reason, doubtful=not column.named_as_identifier)
    if nearly_unique and not is_number(column, described):
        reason = f"{_values(column)}, which distinguish records: {how}"
        return ProposedRole("identifiers", reason, doubtful=2 * column.distinct <= column.known)
    if column.named_as_identifier and nearly_unique:
        return ProposedRole("identifiers", f"named as an identifier: {how}")
    if column.named_as_identifier and not column.few:
        return ProposedRole("household", f"named as an identifier: {how}", doubtful=True)
    if column.named_as_unit and column.distinct > MAX_LEVELS and not nearly_unique:
        return ProposedRole("household", f"named as a unit of several records: {how}", doubtful=True)
    if described.kind == "identifier":
        return ProposedRole("identifiers", f"{described.reason}: {how}", doubtful=True)
    if column.is_code and described.kind not in ("date", "time"):
        return ProposedRole("identifiers", f"whole numbers of one length, each once: {how}", doubtful=True)
    if nearly_unique and column.distinct < 2:
        return ProposedRole("identifiers", f"the few records with a value are unique: {how}", doubtful=True)
    return None


def _open_role(column: ColumnFacts, described: VariableDescription) -> ProposedRole:
    """A measurement, or a column of few levels."""
    has_numbers = is_number(column, described)
    of_time = described.kind in ("date", "time")
    doubtful = column.named_as_codes or (of_time and described.doubtful)
    if column.nearly_unique:
        what = "nearly unique" if column.numeric and not of_time else f"{described.reason}; nearly unique"
        return ProposedRole(MEASURED, f"{what}: {column.how_unique}", doubtful)
    if column.numeric and described.kind == "category":
        what = f"categories, {described.domain() or f'{column.distinct:,} different'}"
    elif column.numeric and described.kind == "codes":
        what = f"codes, {described.domain() or f'{column.distinct:,} different'}"
        if column.distinct > 2:
            what += f". They count as amounts: {AS_CLASSES}"
    elif column.numeric and not of_time:
        what = f"{ARTICLES[described.kind]}, {column.distinct:,} different"
        if column.named_as_codes:
            what += f". They count as amounts: {AS_CLASSES}"
    elif has_numbers:
        what = f"{described.reason}; {column.distinct:,} different"
    else:
        what = _values(column)
    if has_numbers and (column.distinct > MAX_LEVELS or column.named_as_amount):
        return ProposedRole(MEASURED, what, doubtful)
    return ProposedRole(LEVELS, what, doubtful)

"""Questions about columns whose description is doubtful, and the declarations that follow from the answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..data import ColumnFacts
from ..data.variable import Variable
from ..data.variables import VariableDescription, Variables
from ..errors import InvalidInput

YES, NO = "yes", "no"
YES_NO = {YES: "yes", NO: "no"}
KINDS_OF_NUMBERS = {
    "category": "categories",
    "codes": "codes of a scale",
    "count": "a count",
    "amount": "an amount",
    "identifier": "an identifier",
}
KINDS_OF_TEXT = {"category": "categories", "identifier": "an identifier"}
FORMS = {
    "%Y%m": "YYYYMM",
    "%Y%m%d": "YYYYMMDD",
    "%Y": "YYYY",
    "%H%M": "HHMM",
    "%H%M%S": "HHMMSS",
    "%Y+(%q-1)/4": "year and quarter, 2007.25",
    "%Y+(%m-1)/12": "year and month, 2007.25",
}
OF_TIME = {"date": "a date", "time": "a time of day"}

Answers = Mapping[str, str]
"""What was answered, by the key of the question."""


@dataclass(frozen=True, kw_only=True)
class Question:
    """A question about a column."""

    key: str
    """Its field in the form."""
    column: str
    """The name of the column."""
    text: str
    """The question."""
    answers: Mapping[str, str]
    """The possible answers, with their words."""
    reason: str
    """Why it is asked."""


def questions(described: Variables, facts: Mapping[str, ColumnFacts]) -> list[Question]:
    """The questions about a file, in the order of its columns. facts : by column."""
    found = list[Question]()
    for variable in described.columns:
        if not variable.doubtful or variable.kind == "other":
            continue
        if variable.proposed_missing_codes:
            found.append(_about_codes(variable))
        if variable.kind in OF_TIME or not variable.proposed_missing_codes:
            found.append(_about_kind(variable, is_number=facts[variable.name].numeric))
    return found


def declarations(described: Variables, facts: Mapping[str, ColumnFacts], answers: Answers) -> dict[str, Variable]:
    """The declared variables that follow from the answers, by column. Raises InvalidInput for an answer that is not offered."""
    fields: dict[str, dict[str, Any]] = {}
    for question in questions(described, facts):
        answer = answers.get(question.key, "")
        if not answer:
            continue
        if answer not in question.answers:
            raise InvalidInput("studio", f"the answer on `{question.column}` must be one of those on the page")
        variable = described[question.column]
        if question.key.startswith("codes."):
            declared = _codes_declared(variable, answer)
        else:
            declared = _kind_declared(variable, answer, is_number=facts[variable.name].numeric)
        fields[variable.name] = fields.get(variable.name, {}) | declared
    return {name: Variable(**values) for name, values in fields.items()}


def _about_codes(variable: VariableDescription) -> Question:
    """Whether values are codes of missing values."""
    codes = [f"{code:g}" if isinstance(code, float) else str(code) for code in variable.proposed_missing_codes]
    if len(codes) == 1:
        text = f"Is `{variable.name}` = {codes[0]} a code of a missing value?"
    else:
        text = f"Are {', '.join(codes[:-1])} and {codes[-1]} in `{variable.name}` codes of missing values?"
    return Question(
        key=f"codes.{variable.name}",
        column=variable.name,
        text=text,
        answers=YES_NO,
        reason=variable.remark,
    )


def _about_kind(variable: VariableDescription, *, is_number: bool) -> Question:
    """What kind a column has."""
    answers: Mapping[str, str] = YES_NO
    if variable.kind in OF_TIME and variable.format:
        text = (
            f"Is `{variable.name}` {OF_TIME[variable.kind]} in the form {FORMS.get(variable.format, variable.format)}?"
        )
    elif variable.kind == "identifier":
        text = f"Is `{variable.name}` an identifier?"
    else:
        text = f"What does `{variable.name}` contain?"
        answers = KINDS_OF_NUMBERS if is_number else KINDS_OF_TEXT
    return Question(
        key=f"kind.{variable.name}",
        column=variable.name,
        text=text,
        answers=answers,
        reason=variable.reason,
    )


def _codes_declared(variable: VariableDescription, answer: str) -> dict[str, Any]:
    """A yes declares codes of missing values; a no declares the kind, as a declared kind has no proposed codes."""
    if answer == YES:
        return {"missing_codes": (*variable.missing_codes, *variable.proposed_missing_codes)}
    return {"kind": variable.kind, "missing_codes": variable.missing_codes}


def _kind_declared(variable: VariableDescription, answer: str, *, is_number: bool) -> dict[str, Any]:
    """A yes declares what was found; a no the plain kind of such a column."""
    if answer == YES:
        return {"kind": variable.kind, "format": variable.format if variable.kind in OF_TIME else None}
    if answer == NO:
        return {"kind": "amount" if is_number else "category"}
    return {"kind": answer}

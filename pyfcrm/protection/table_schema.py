"""A codebook as a Table Schema of the Frictionless standards: JSON that checks a CSV file of the release.

Fields and constraints: specs.frictionlessdata.io, Table Schema; `missingValues` of a field and `categories` are of version 2.
"""

import json
from collections import Counter
from typing import Any

from ..data import Frame
from ..data.tally import FEWEST
from ..files.csv_text import MISSING, NA
from .codebook_facts import ColumnFacts
from .released_values import Level

TYPES = {"integer": "integer", "float": "number", "text": "string", "boolean": "boolean"}
TIMES = ("date", "datetime", "time")  # a duration has another form in a CSV file than in the standard
NUMBERS = ("integer", "number")
ANY = "any"
COMMON = ["", NA]  # words that mean missing in the CSV files of pandas and R


def table_schema_text(frame: Frame, columns: list[ColumnFacts]) -> str:
    """The columns of a release as a Table Schema. frame : the release, opened, with gaps at declared codes."""
    schema = {"fields": [_field(frame, column) for column in columns], "missingValues": COMMON}
    return f"{json.dumps(schema, indent=2, ensure_ascii=False)}\n"


def _field(frame: Frame, column: ColumnFacts) -> dict[str, Any]:
    """A field of the schema."""
    described = column.variable
    field: dict[str, Any] = {"name": described.name, "type": _type(frame, column)}
    if column.kind in TIMES:
        field["format"] = ANY
    if described.label:
        field["title"] = described.label
    field["description"] = f"{described.role}; {described.treatment}"
    if frame.table is not None and field["type"] in NUMBERS:
        field |= _number_form(frame.table.decimal, frame.table.thousands)
    words = _missing_words(frame, column, field["type"])
    if words != COMMON:
        field["missingValues"] = words
    constraints: dict[str, Any] = {}
    if column.complete:
        constraints["required"] = True
    listed = _listed_levels(column)
    if listed:
        constraints["enum"] = [_json_level(level.value) for level in listed]
        if any(level.label for level in listed):
            field["categories"] = [
                {"value": _json_level(level.value), **({"label": level.label} if level.label else {})}
                for level in listed
            ]
    if constraints:
        field["constraints"] = constraints
    return field


def _type(frame: Frame, column: ColumnFacts) -> str:
    """The standard's type of a column, "any" where it has none."""
    if column.kind in TIMES:
        return column.kind
    if column.kind == "category":
        levels = frame.distinct(column.variable.name)[1]
        return "string" if all(isinstance(level, str) for level in levels) else ANY
    return TYPES.get(column.kind, ANY)


def _listed_levels(column: ColumnFacts) -> tuple[Level, ...]:
    """The levels of a column if they are all that it has: only then may a constraint list them."""
    is_listed = column.kind in ("integer", "float", "text", "category")
    return column.values.levels if is_listed and column.values.others is None else ()


def _json_level(value: Any) -> Any:
    """A level in JSON: whole numbers without a point."""
    if hasattr(value, "item"):
        value = value.item()  # of numpy
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _number_form(decimal: str, thousands: str) -> dict[str, str]:
    """How the numbers of a CSV file are written, as far as it differs from the standard's default."""
    form = {}
    if decimal != ".":
        form["decimalChar"] = decimal
    if thousands:
        form["groupChar"] = thousands
    return form


def _missing_words(frame: Frame, column: ColumnFacts, kind: str) -> list[str]:
    """The words that mean missing in a column; in text no word that is a released value."""
    words = {*COMMON, *column.codes}
    if kind == "number":  # pandas writes a code of a column of floats so
        words |= {f"{code}.0" for code in column.codes if code.lstrip("-").isdigit()}
    if frame.table is not None:
        words |= frame.table.missing_marks | _written_gaps(frame, column.variable.name)
        words |= MISSING if kind in NUMBERS else set()
    if kind not in NUMBERS:
        words -= set(map(str, frame.distinct(column.variable.name)[1]))
    return sorted(words)


def _written_gaps(frame: Frame, name: str) -> set[str]:
    """The texts in a CSV file of at least 10 missing cells each: a code may be written with decimals."""
    texts = {} if frame.table is None else frame.table.texts
    if name not in texts:
        return set()
    gaps = (frame.codes(name) < 0).tolist()
    counts = Counter(text for text, gap in zip(texts[name].to_pylist(), gaps, strict=True) if gap)
    return {text for text, count in counts.items() if text is not None and count >= FEWEST}

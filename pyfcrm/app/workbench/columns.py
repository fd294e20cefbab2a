"""The columns of a file as the page shows them: facts, a distribution, and the role that is suggested, with its reason."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ...data import ColumnFacts, Frame, column_facts, open_frame, require_few_numeric, roles_from

ROLES = {
    "dependent": "dependent: protect",
    "independent": "independent: keep",
    "identifier": "identifier: drop",
    "leave": "leave",
}
BARS = 24
_KINDS = {"date": "dates", "boolean": "yes or no", "category": "categories"}


@dataclass(frozen=True)
class Column:
    """name; kind in words; missing, distinct, unique : how many, the last of records whose value no other has; numeric;
    bars : (24,) counts between low and high, of a numeric column; role : suggested; reason : why, in words."""

    name: str
    kind: str
    missing: int
    distinct: int
    unique: int
    numeric: bool
    bars: tuple[int, ...]
    low: float
    high: float
    role: str
    reason: str


def examined(frame: Any) -> list[Column]:
    """Every column of a frame, with the role that suggest_roles() gives it.

    Raises InvalidInput for more than 400 numeric columns, and for two columns of one name.
    """
    opened = open_frame("the studio", frame)
    require_few_numeric("the studio", opened)
    facts = [column_facts(opened, name) for name in opened.names]
    suggested = roles_from(opened, facts)
    return [_column(opened, one, suggested.role_of(one.name), suggested.reasons[one.name]) for one in facts]


def _column(opened: Frame, one: ColumnFacts, role: str, reason: str) -> Column:
    kind = ("whole numbers" if one.kind == "integer" else "numbers") if one.numeric else _KINDS.get(one.kind, "text")
    bars: tuple[int, ...] = ()
    if one.numeric and one.known:
        values = opened.values(one.name)
        values = values[np.isfinite(values)]
        bars = tuple(np.histogram(values, BARS)[0].tolist()) if len(values) else ()
    facts = (one.missing, one.distinct, one.unique, one.numeric)
    return Column(one.name, kind, *facts, bars, one.low, one.high, role, reason)

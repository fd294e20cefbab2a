"""The columns of a file, and what each might be: facts, and a suggestion with its reason."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

ROLES = {
    "dependent": "dependent: protect",
    "independent": "independent: keep",
    "identifier": "identifier: drop",
    "leave": "leave",
}
FEW, CODES = 3, 10
BARS = 24
SAMPLE = 100_000
DETERMINED = 1 - 1e-6  # share of variance from which a column counts as a sum of others
_NAMED = re.compile(r"(^|_|\b)(id|ident|identifier|key|code|nr|no|number|name|ssn|nif|dni)($|_|\b|\d)", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """name; kind in words; missing, distinct : how many; numeric; bars : (24,) counts between low and high, of a numeric
    column; role : suggested; reason : why, in words."""

    name: str
    kind: str
    missing: int
    distinct: int
    numeric: bool
    bars: tuple[int, ...]
    low: float
    high: float
    role: str
    reason: str


def examined(frame: Any) -> list[Column]:
    """Every column of a pandas frame, with the role it may have.

    Columns that count or name records are dropped, those that are no measurements left; of the others a quarter, those
    that explain the rest best by correlation, are kept, and the rest protected. Whether a column is
    sensitive no program can know: the person decides.
    """
    facts = [_facts(frame[name], str(name)) for name in frame.columns]
    measured = [column.name for column in facts if column.role == "dependent"]
    explaining = explaining_columns(frame[measured].to_numpy(dtype=np.float64, na_value=np.nan), measured)
    return [_with_role(column, explaining) for column in facts]


def explaining_columns(values: Array, names: list[str]) -> list[str]:
    """A quarter of the columns, rounded up, that between them explain the others best: chosen one after another.

    values : (n, p), NaN for missing. Columns that together determine another one, as parts do their sum, are not kept.
    """
    if len(names) < 2:
        return []
    values = values[np.isfinite(values).all(axis=1)][:SAMPLE]
    if len(values) < FEW:
        return []
    with np.errstate(invalid="ignore", divide="ignore"):
        R = np.atleast_2d(np.nan_to_num(np.corrcoef(values, rowvar=False)))
    np.fill_diagonal(R, 1.0)
    chosen: list[int] = []
    for _ in range(-(-len(names) // 4)):
        rest = [j for j in range(len(names)) if j not in chosen and not _gives_away(R, [*chosen, j])]
        if not rest:
            break
        chosen.append(max(rest, key=lambda j: _gain(R, chosen, j)))
    return [names[j] for j in sorted(chosen)]


def _gives_away(R: Array, kept: list[int]) -> bool:
    """Whether the kept columns determine one of the others, which protecting could not hide then."""
    others = [k for k in range(len(R)) if k not in kept]
    return any(_explained(R, kept, [k]) > DETERMINED for k in others)


def _gain(R: Array, chosen: list[int], j: int) -> float:
    """How much more of the other columns' variances the chosen ones explain with j among them."""
    others = [k for k in range(len(R)) if k != j and k not in chosen]
    return _explained(R, [*chosen, j], others) - _explained(R, chosen, others)


def _explained(R: Array, by: list[int], others: list[int]) -> float:
    """Sum over the others of the share of variance that a regression explains."""
    if not by:
        return 0.0
    inverse = np.linalg.pinv(R[np.ix_(by, by)], rcond=1e-8, hermitian=True)
    C = R[np.ix_(by, others)]
    return float(np.einsum("ij,ik,kj->", C, inverse, C))


def _facts(column: Any, name: str) -> Column:
    import pandas as pd

    numeric = bool(pd.api.types.is_numeric_dtype(column.dtype)) and not pd.api.types.is_bool_dtype(column.dtype)
    missing, distinct = int(column.isna().sum()), int(column.nunique())
    whole = numeric and bool(pd.api.types.is_integer_dtype(column.dtype))
    kind = "whole numbers" if whole else "numbers" if numeric else _kind(column)
    bars: tuple[int, ...] = ()
    low = high = 0.0
    values = np.empty(0)
    if numeric:
        values = column.dropna().to_numpy(dtype=np.float64)
        values = values[np.isfinite(values)]
        if len(values):
            low, high = float(values.min()), float(values.max())
            bars = tuple(np.histogram(values, BARS)[0].tolist())
    role, reason = _suggested(name, numeric, whole, len(column) - missing, distinct, low, high)
    return Column(name, kind, missing, distinct, numeric, bars, low, high, role, reason)


def _kind(column: Any) -> str:
    import pandas as pd

    if pd.api.types.is_bool_dtype(column.dtype):
        return "yes or no"
    return "dates" if pd.api.types.is_datetime64_any_dtype(column.dtype) else "text"


def _suggested(
    name: str, numeric: bool, whole: bool, known: int, distinct: int, low: float, high: float
) -> tuple[str, str]:
    if known == 0:
        return "leave", "it is empty"
    if not numeric:
        every = distinct == known and known > 1
        return ("identifier", "text that differs in every record") if every else ("leave", "it holds no numbers")
    if whole and distinct == known and known > 1 and high - low == known - 1:
        return "identifier", "it counts the records"
    if whole and distinct == known and _NAMED.search(name):
        return "identifier", "a number that differs in every record, with the name of one"
    if distinct < FEW:
        return "leave", f"it has {distinct} value{'s' * (distinct != 1)} only"
    if whole and distinct <= CODES:
        return "leave", f"{distinct} whole numbers: perhaps a code"
    return "dependent", "a measurement"


def _with_role(column: Column, explaining: list[str]) -> Column:
    if column.role != "dependent":
        return column
    if column.name in explaining:
        return replace(
            column, role="independent", reason="one of those that explain the others best; released as it is"
        )
    return replace(column, reason="a measurement that the kept ones help to explain")

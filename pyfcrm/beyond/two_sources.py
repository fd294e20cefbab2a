"""Two Parquet files that are judged together: their columns, checked, and their records side by side."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from ..arguments import names
from ..errors import InvalidInput, InvalidParameter
from ..files.paths import Path
from ..measures import MEASURES
from ..measures.measure import KeyMeasure
from ..table import checked, numeric_names, open_frame
from .parquet import Source, source

Array = NDArray[np.float64]


def pair(
    original: Path, protected: Path, columns: str | Iterable[str] | None, measures: Sequence[str]
) -> tuple[tuple[Source, Source], tuple[str, ...]]:
    """Both files, and the columns to judge: those asked for, or all numeric ones both have.

    Raises InvalidInput or InvalidParameter where records cannot pair, or a measure is not one of numbers.
    """
    both = source("evaluate", original), source("evaluate", protected)
    wanted = _columns(*both, columns)
    if both[0].n != both[1].n:
        rule = "records of two Parquet files pair by position, so there must be as many in both"
        raise InvalidInput("evaluate", rule, f"{both[0].n} and {both[1].n}")
    if unknown := [key for key in measures if isinstance(MEASURES[key], KeyMeasure)]:
        rule = "must be measures of numeric attributes where files are judged (read the key columns into a frame)"
        raise InvalidParameter("evaluate", "measures", rule, unknown)
    return both, wanted


def gaps(A: Array, missing: str, before: int) -> NDArray[np.bool_]:
    """(b,) where a record of A (b, p) has a value missing, which missing="refuse" refuses; before : records that came first."""
    found = np.isnan(A).any(axis=1)
    if found.any() and missing == "refuse":
        rule = 'values are missing (missing="complete" judges the records complete in both files only)'
        raise InvalidInput("evaluate", rule, f"record {before + int(np.argmax(found)) + 1}")
    return np.asarray(found)


def arrays(one: Source, owner: str, wanted: tuple[str, ...]) -> Iterator[Array]:
    seen = 0
    for table in one.tables(list(wanted)):
        yield checked(owner, open_frame(owner, table), wanted, first=seen)
        seen += table.num_rows


def _columns(before: Source, after: Source, columns: str | Iterable[str] | None) -> tuple[str, ...]:
    doors = open_frame("evaluate", before.first()), open_frame("evaluate", after.first())
    there = set(numeric_names(doors[1]))
    given = names("evaluate", "columns", columns)
    wanted = given or tuple(name for name in numeric_names(doors[0]) if name in there)
    if not wanted:
        raise InvalidInput("evaluate", "needs at least one numeric column that both files have", "none")
    for door, which in zip(doors, ("original", "protected"), strict=True):
        checked(f"evaluate, {which}", door, wanted)
    return wanted

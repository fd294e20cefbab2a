"""Hierarchies of the values of key variables: from the values themselves, level 0, to ever coarser groups.

Three forms: a table of values and groups as in ARX, prefixes of codes, cut points of numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np

from ..arguments import items
from ..data.codes import MISSING, factorized
from ..data.frame import Frame
from ..errors import InvalidInput, InvalidParameter
from ..files.hierarchy import read_hierarchy
from ..methods.recoding import level_text
from ..types import Codes

OWNER = "recode_search"
ALL = "*"
"""The group of all values, as ARX writes it."""
FORMS = "the path of a CSV file, rows of a value and its groups, {'digits': [3, 2]} of codes, or {'cuts': [[20, 40, 60], [40]]} of numbers"


@dataclass(frozen=True)
class Hierarchy:
    """The levels of one key of a file."""

    key: str
    """The name of the column."""
    codes: Codes
    """(n,) the value of each record; a missing value has -1 and stays missing at every level."""
    groups: tuple[Codes, ...]
    """For each level, the group (values,) of each value, numbered from 0. Level 0 has a group for each value."""
    breaks: tuple[Any, ...]
    """For each level above 0, `breaks` of Recoding for the key."""

    @property
    def top(self) -> int:
        """The number of the coarsest level."""
        return len(self.groups) - 1


def hierarchy_of(frame: Frame, key: str, form: Any) -> Hierarchy:
    """The hierarchy of a key. form : see FORMS; None for a key that is not recoded.

    Raises InvalidInput or InvalidParameter where the form does not fit the values.
    """
    codes, values = frame.distinct(key, OWNER)
    identity = np.arange(len(values))
    if form is None:
        return Hierarchy(key, codes, (identity,), ())
    if isinstance(form, Mapping) and set(form) == {"cuts"}:
        groups, breaks = _of_cuts(key, values, form["cuts"])
    else:
        texts = [level_text(value) for value in values]
        rows = _of_digits(key, texts, form["digits"]) if _names_digits(form) else _rows_of(key, form)
        groups, breaks = _of_rows(key, texts, rows)
    return Hierarchy(key, codes, (identity, *groups), tuple(breaks))


def _names_digits(form: Any) -> bool:
    return isinstance(form, Mapping) and set(form) == {"digits"}


def _wrong(key: str, rule: str, value: Any) -> InvalidInput:
    return InvalidInput(OWNER, f"the hierarchy of `{key}` must {rule}", value)


def _rows_of(key: str, form: Any) -> list[list[str]]:
    """The rows of a table: of a file, or as they are. Raises InvalidInput or InvalidParameter."""
    if isinstance(form, str | PathLike):
        rows: list[list[str]] = read_hierarchy(form)
    elif isinstance(form, Sequence) and all(isinstance(row, list | tuple) for row in form):
        rows = [[level_text(cell) for cell in row] for row in form]
    else:
        raise InvalidParameter(OWNER, f"hierarchies[{key!r}]", f"must be {FORMS}", form)
    if not rows or len(rows[0]) < 2:
        raise _wrong(key, "have a value and at least one group in each row", rows[0] if rows else "no rows")
    for number, row in enumerate(rows, 1):
        if len(row) != len(rows[0]):
            raise _wrong(key, f"have {len(rows[0])} columns in every row", f"{len(row)} in row {number}")
    return rows


def _of_rows(key: str, texts: Sequence[str], rows: Sequence[Sequence[str]]) -> tuple[list[Codes], list[dict[str, str]]]:
    """Groups and breaks of each level of a table. texts : the values of the column, as text."""
    row_of = dict[str, Sequence[str]]()
    for row in rows:
        if row_of.setdefault(row[0], row) is not row:
            raise _wrong(key, "have each value once", row[0])
    for text in texts:
        if text not in row_of:
            raise _wrong(key, "have every value of the column", text)
    groups = list[Codes]()
    breaks = list[dict[str, str]]()
    for level in range(1, len(rows[0])):
        coarser = dict[str, str]()
        for row in rows:
            if coarser.setdefault(row[level - 1], row[level]) != row[level]:
                rule = f"put each group of column {level} into one group of column {level + 1}"
                raise _wrong(key, rule, f"{row[level - 1]!r} in {coarser[row[level - 1]]!r} and {row[level]!r}")
        labels = [row_of[text][level] for text in texts]
        groups.append(factorized(np.array(labels, dtype=object))[0])
        breaks.append({row[0]: row[level] for row in rows})
    return groups, breaks


def _of_digits(key: str, texts: Sequence[str], kept: Any) -> list[list[str]]:
    """Rows of prefixes of codes: so many letters or digits are kept at each level, then all codes are one group."""
    lengths = items(kept) or (kept,)
    valid = all(isinstance(length, int | float) and length == int(length) and length > 0 for length in lengths)
    if not lengths or not valid or list(lengths) != sorted(set(lengths), reverse=True):
        raise InvalidParameter(OWNER, f"hierarchies[{key!r}]", "digits must be descending whole numbers above 0", kept)
    return [[text, *(_prefix(text, int(length)) for length in lengths), ALL] for text in sorted(texts)]


def _prefix(text: str, length: int) -> str:
    """The first letters and digits of a code; points between them do not count: 62.01 has four."""
    for end, _ in enumerate(text, 1):
        if sum(map(str.isalnum, text[:end])) == length:
            return text[:end]
    return text


def _of_cuts(key: str, values: Sequence[Any], levels: Any) -> tuple[list[Codes], list[Any]]:
    """Groups and breaks of ever fewer cut points, then of one class."""
    rule = "cuts must be lists of ascending cut points, of which each contains the next"
    try:
        lists = [tuple(map(float, items(level) or (level,))) for level in items(levels) or ()]
    except (TypeError, ValueError):
        lists = []
    if not lists or any(list(cuts) != sorted(set(cuts)) for cuts in lists):
        raise InvalidParameter(OWNER, f"hierarchies[{key!r}]", rule, levels)
    for finer, coarser in pairwise(lists):
        if not set(coarser) < set(finer):
            raise InvalidParameter(OWNER, f"hierarchies[{key!r}]", rule, list(coarser))
    try:
        points = np.array(values, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InvalidInput(OWNER, f"cut points need numbers in column `{key}`", str(error)) from error
    groups = [np.searchsorted(cuts, points, side="right") for cuts in lists]
    return [*groups, np.zeros(len(points), dtype=np.int64)], [*lists, 1]


def missing_as_group(hierarchy: Hierarchy, level: int) -> Codes:
    """The group (n,) of each record at a level, from 1; a missing value is a group of its own, 0."""
    groups = np.append(hierarchy.groups[level] + 1, 0)  # the last is that of -1
    return groups[np.where(hierarchy.codes == MISSING, len(groups) - 1, hierarchy.codes)]

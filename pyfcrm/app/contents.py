"""Pictures of columns: a histogram of numbers and dates, a bar for each level of categories and codes. They show private values."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..data import Frame
from ..data.encoding import Encoding, encodings
from ..data.variable import Variable
from ..data.variables import VariableDescription, Variables
from ..types import Array

CLASSES = 24  # of a histogram
MOST_LEVELS = 10  # with a bar of their own
LONGEST_LABEL = 34  # characters
OF_LEVELS = ("category", "codes")


@dataclass(frozen=True, kw_only=True)
class Level:
    """A value of a column, with its records."""

    label: str
    """The value, with its label where the file has one."""
    share: float
    """Per cent of the records that have a value."""
    released: float = 0.0
    """The same of a release."""


@dataclass(frozen=True, kw_only=True)
class Picture:
    """What is drawn of a column."""

    counts: tuple[int, ...] = ()
    """Of the classes of a histogram."""
    ends: tuple[str, str] = ("", "")
    """The smallest and the largest value, as text."""
    levels: tuple[Level, ...] = ()
    """One bar each."""
    others: int = 0
    """How many rarer levels have no bar."""


@dataclass(frozen=True, kw_only=True)
class Contents:
    """What the columns of a file contain, by what is described and declared."""

    variables: Variables
    """The description of each column."""
    pictures: Mapping[str, Picture]
    """By column, where there is something to draw."""

    @classmethod
    def of(cls, frame: Frame, declared: Mapping[str, Variable] | None = None) -> Contents:
        """The contents of a file. Raises InvalidInput or InvalidParameter for a declaration that does not suit its column."""
        coded = encodings("studio", frame, declared)
        pictures = dict[str, Picture]()
        for variable in coded.variables.columns:
            picture = picture_of(frame, variable, coded.get(variable.name))
            if picture is not None:
                pictures[variable.name] = picture
        return cls(variables=coded.variables, pictures=pictures)


def picture_of(frame: Frame, variable: VariableDescription, encoding: Encoding | None) -> Picture | None:
    """The picture of a column; None of identifiers, of columns without values, and of those that are neither numbers nor levels."""
    if variable.kind in OF_LEVELS:
        levels, others = compared_levels(frame, None, variable)
        return Picture(levels=levels, others=others) if levels else None
    if encoding is None or variable.kind == "identifier":
        return None
    numbers = encoding.numbers(frame)
    numbers = numbers[np.isfinite(numbers) & ~np.isin(numbers, _plain_numbers(variable.proposed_missing_codes))]
    if not len(numbers):
        return None
    counts = np.histogram(numbers, CLASSES)[0]
    return Picture(counts=tuple(counts.tolist()), ends=_ends(variable, numbers))


def compared_levels(
    original: Frame, released: Frame | None, variable: VariableDescription
) -> tuple[tuple[Level, ...], int]:
    """The levels of a column with their shares in both files, and how many levels are left out.

    Codes are in their order. The levels of a category are in the order of their texts; of many the most frequent are shown.
    """
    before = _shares(original, variable)
    after = {} if released is None else _shares(released, variable)
    values = list(dict.fromkeys([*before, *after]))
    if len(values) > MOST_LEVELS:
        values.sort(key=lambda value: -before.get(value, 0.0) - after.get(value, 0.0))
    shown = values[:MOST_LEVELS]
    shown.sort(
        key=lambda value: (isinstance(value, str), value if isinstance(value, str | int | float) else str(value))
    )
    levels = [
        Level(
            label=label_of(value, variable.value_labels),
            share=before.get(value, 0.0),
            released=after.get(value, 0.0),
        )
        for value in shown
    ]
    return tuple(levels), len(values) - len(shown)


def label_of(value: Any, labels: Mapping[Any, str]) -> str:
    """A value as text, with its label in the file."""
    text = f"{value:.10g}" if isinstance(value, float) else str(value)
    if not text.strip():
        text = "(blank)"
    label = labels.get(value, "")
    if label and label != text:
        text = f"{text} {label}"
    return text if len(text) <= LONGEST_LABEL else f"{text[: LONGEST_LABEL - 1]}…"


def _shares(frame: Frame, variable: VariableDescription) -> dict[Hashable, float]:
    """The values of a column, each with the per cent of the records that have it among those with a value."""
    places, values = frame.distinct(variable.name, "studio")
    counts = np.bincount(places + 1, minlength=len(values) + 1)[1:]
    total = max(int(counts.sum()), 1)
    return {value: 100 * count / total for value, count in zip(values, counts.tolist(), strict=True)}


def _plain_numbers(values: Sequence[Any]) -> list[float]:
    return [float(value) for value in values if isinstance(value, int | float)]


def _ends(variable: VariableDescription, numbers: Array) -> tuple[str, str]:
    """The smallest and the largest value as a reader writes them: dates as dates, numbers with thousands separators."""
    ends = (variable.low, variable.high)
    if variable.kind == "date" or any(not isinstance(end, int | float) for end in ends):
        return str(variable.low), str(variable.high)
    low, high = float(numbers.min()), float(numbers.max())
    if variable.decimals is None:
        return f"{low:,.6g}", f"{high:,.6g}"
    return f"{low:,.{variable.decimals}f}", f"{high:,.{variable.decimals}f}"

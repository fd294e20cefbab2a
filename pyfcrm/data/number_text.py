"""Numbers that a text column holds: thousands separators, decimal marks, units."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from ..types import Array, Integers
from .tally import FEWEST, holds_for_texts

FORMS = {
    "1,234.56": (".", ","),
    "1.234,56": (",", "."),
    "1 234,56": (",", " "),
    "1 234.56": (".", " "),
    "1'234.56": (".", "'"),
    "1234.56": (".", ""),
    "1234,56": (",", ""),
}
"""The number 1234.56 as files write it: its decimal mark and its thousands separator."""
_CURRENCIES = "EUR|USD|GBP|CHF|SEK|NOK|DKK|PLN|CZK|HUF|JPY|CAD|AUD|BRL|MXN|INR|CNY|[€$£¥]"
_UNITS = rf"{_CURRENCIES}|%|‰|kg|g|t|km|m|cm|mm|ha|m2|m²|km2|km²|l|h|min|s|kWh|MWh"
_WITH_UNIT = re.compile(rf"(?P<before>(?:{_CURRENCIES}) ?)?(?P<number>[+\-\d].*?\d|\d)(?P<after> ?(?:{_UNITS}))?")
# Blanks that do not break a line, and the typographic apostrophe and minus sign.
_SAME = str.maketrans({"\u00a0": " ", "\u2009": " ", "\u202f": " ", "\u2019": "'", "\u2212": "-"})


@dataclass(frozen=True)
class NumberForm:
    """How a text column writes numbers."""

    decimal: str
    """The decimal mark, "." or ","."""
    thousands: str
    """The thousands separator, or ""."""
    before: str = ""
    """A unit in front, with its blank."""
    after: str = ""
    """A unit behind, with its blank."""

    @classmethod
    def of(cls, format: str) -> NumberForm | None:
        """The form of a format such as "1.234,56 EUR"; None for any other text."""
        split = _WITH_UNIT.fullmatch(format)
        if split is None or split["number"] not in FORMS:
            return None
        decimal, thousands = FORMS[split["number"]]
        return cls(decimal, thousands, split["before"] or "", split["after"] or "")

    @property
    def format(self) -> str:
        """The number 1234.56 in this form."""
        numbers = {marks: text for text, marks in FORMS.items()}
        return f"{self.before}{numbers[self.decimal, self.thousands]}{self.after}"

    @property
    def pattern(self) -> re.Pattern[str]:
        """The numbers of this form; those with leading zeros are codes, and none."""
        digits = rf"[1-9]\d{{0,2}}(?:{re.escape(self.thousands)}\d{{3}})*" if self.thousands else r"[1-9]\d*"
        number = rf"[+-]?(?:0|{digits})(?:{re.escape(self.decimal)}\d+)?"
        return re.compile(f"{re.escape(self.before)}{number}{re.escape(self.after)}")

    def number(self, text: str) -> float:
        """The number of a text; NaN where it is none of this form."""
        text = plain(text)
        if not self.pattern.fullmatch(text):
            return np.nan
        digits = text.removeprefix(self.before).removesuffix(self.after)
        if self.thousands:
            digits = digits.replace(self.thousands, "")
        return float(digits.replace(self.decimal, "."))


def plain(text: str) -> str:
    """A text with ordinary blanks, apostrophes and minus signs, and none around it."""
    return text.translate(_SAME).strip()


def number_forms(texts: Sequence[str], counts: Integers) -> list[tuple[NumberForm, Array]]:
    """The forms in which nearly all texts are numbers, each with its numbers (k,); one for each different reading.

    texts, counts : (k,) different texts and their records. A separator counts only if at least 10 records have it. Whole
    numbers without separators and units are no amounts: they may be codes.
    """
    written = [plain(text) for text in texts]
    if not holds_for_texts(written, counts, _WITH_UNIT.fullmatch):
        return []
    before, after = _unit(written, counts)
    digits = [text.removeprefix(before).removesuffix(after) for text in written]
    readings = list[tuple[NumberForm, Array]]()
    for decimal, thousands in FORMS.values():
        form = NumberForm(decimal, thousands, before, after)
        # Forms with a thousands separator must show it, others the decimal mark or a unit.
        mark = thousands or decimal
        shown = sum(count for text, count in zip(digits, counts.tolist(), strict=True) if mark in text)
        if shown < FEWEST and (thousands or not (before or after)):
            continue
        pattern = form.pattern
        if not holds_for_texts(written, counts, pattern.fullmatch):
            continue
        numbers = np.array([form.number(text) for text in written])
        if not any(np.array_equal(numbers, other, equal_nan=True) for _, other in readings):
            readings.append((form, numbers))
    return readings


def _unit(written: Sequence[str], counts: Integers) -> tuple[str, str]:
    """The unit before and behind the number that most records have."""
    units = dict[tuple[str, str], int]()
    for text, count in zip(written, counts.tolist(), strict=True):
        split = _WITH_UNIT.fullmatch(text)
        if split is not None:
            unit = (split["before"] or "", split["after"] or "")
            units[unit] = units.get(unit, 0) + count
    return max(units, key=lambda unit: (units[unit], unit))

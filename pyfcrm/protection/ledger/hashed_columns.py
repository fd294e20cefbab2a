"""Columns of a file as keyed hashes of normalised values.

Text is compared without case and surplus blanks, and numbers alike whatever their type. Numbers have two more forms, which small
revisions change in few records: two significant digits, and rounded ranks. Hashes are of values alone, so that they are alike
under another name of the column.
"""

from __future__ import annotations

import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ...data import Frame
from ...types import Array, Codes

Hashes = NDArray[np.uint64]
EXACT, DIGITS, RANK = "exact", "2 digits", "rank"
FORMS = (EXACT, DIGITS, RANK)
MIN_CLASSES, MAX_CLASSES = 5, 250  # of ranks
RECORDS_OF_CLASS = 8  # at least, in a class of ranks
MISSING = "missing"


@dataclass(frozen=True)
class HashedColumn:
    """The hashes of one column, by form."""

    name: str
    """The column's name without case and surplus blanks."""
    distinct: int
    """How many different values it has."""
    forms: Mapping[str, Hashes]
    """By form, the hash of each record's value (n,); a column without numbers has the exact form only."""

    def form(self, form: str) -> Hashes:
        """The hashes (n,) of a form; the exact ones of a column without numbers."""
        return self.forms.get(form, self.forms[EXACT])


def plain_name(name: str) -> str:
    """A column's name without case and surplus blanks."""
    return " ".join(name.split()).casefold()


def hashed_columns(frame: Frame, key: bytes) -> Iterator[HashedColumn]:
    """The columns of a frame, one at a time. key : of the ledger."""
    for name in frame.names:
        codes, values = _distinct(frame, name)
        texts = [plain_cell(value) for value in values]
        forms = {EXACT: _hashes(key, EXACT, texts)[codes]}
        numbers = _numbers(texts)
        if numbers is not None:
            rounded = [f"{number:.1e}" for number in numbers]
            forms[DIGITS] = _hashes(key, DIGITS, rounded)[codes]
            classes = [str(place) for place in _rank_classes(numbers, codes)]
            forms[RANK] = _hashes(key, RANK, classes)[codes]
        yield HashedColumn(plain_name(name), len(texts), forms)


def _distinct(frame: Frame, name: str) -> tuple[Codes, list[Any]]:
    """Positions (n,) of a column's cells among its values, -1 for missing; of cells that are lists and the like, by their text."""
    if frame.kind(name) != "other":
        return frame.distinct(name, "ledger")
    texts = [None if cell is None else repr(cell) for cell in frame.cells(name)]
    values = list(dict.fromkeys(text for text in texts if text is not None))
    places = {text: place for place, text in enumerate(values)}
    return np.array([-1 if text is None else places[text] for text in texts], dtype=np.int64), values


def plain_cell(cell: Any) -> str:
    """A value as text: equal numbers are alike, whatever their type; text is without case and surplus blanks."""
    if isinstance(cell, date):  # also times
        return cell.isoformat().removesuffix("T00:00:00")
    text = " ".join(str(cell).split()).casefold()
    try:
        number = float(cell) if isinstance(cell, bool | np.bool_) else float(text)
    except ValueError:
        return text
    return f"{number + 0.0:.12g}"  # -0 equals 0


def _numbers(texts: list[str]) -> Array | None:
    """The numbers that all values are; None where one is none."""
    try:
        numbers = [float(text) for text in texts]
    except ValueError:
        return None
    return np.array(numbers) if all(map(isfinite, numbers)) else None


def _rank_classes(numbers: Array, codes: Codes) -> Codes:
    """The class of ranks of each value; equal numbers of records in a class, at least eight, but for ties.

    numbers : the values; codes (n,) : positions of the records' values, -1 for missing.
    """
    counts = np.bincount(codes[codes >= 0], minlength=len(numbers))
    known = max(int(counts.sum()), 1)
    classes = min(max(known // RECORDS_OF_CLASS, MIN_CLASSES), MAX_CLASSES)
    order = np.argsort(numbers, kind="stable")
    below = np.empty(len(numbers))
    below[order] = np.cumsum(counts[order]) - counts[order]  # records with a smaller value
    return np.floor(classes * below / known).astype(np.int64)


def _hashes(key: bytes, form: str, texts: list[str]) -> Hashes:
    """HMACs of values as 64-bit numbers; the last one, with position -1, is that of missing."""
    digests = [hmac.digest(key, "\0".join([form, text]).encode(), "sha256")[:8] for text in [*texts, MISSING]]
    return np.frombuffer(b"".join(digests), dtype=np.uint64)


def mixed(hashes: Hashes) -> Hashes:
    """The hashes with all bits mixed, so that sums of them are hashes again: the finaliser of SplitMix64, Steele et al. (2014)."""
    z = hashes.copy()
    z ^= z >> np.uint64(30)
    z *= np.uint64(0xBF58476D1CE4E5B9)
    z ^= z >> np.uint64(27)
    z *= np.uint64(0x94D049BB133111EB)
    return z ^ (z >> np.uint64(31))

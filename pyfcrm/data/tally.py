"""The different values of a column with their numbers of records, and the two sizes that every inference from them obeys."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..types import Array, Integers, Mask

FEWEST = 10  # records on which a rule, a code or a bound may depend
NEARLY_ALL = 0.99  # of the records


def is_nearly_all(records: int, total: int) -> bool:
    """Whether so many records are 99 per cent of the total, and all of it but 10; at least 10 records are needed."""
    return records >= FEWEST and records >= NEARLY_ALL * total and total - records <= FEWEST


@dataclass(frozen=True)
class Tally:
    """Numbers with the records that have them."""

    values: Array
    """(k,) the different finite numbers, ascending."""
    counts: Integers
    """(k,) how many records have each."""

    @classmethod
    def of(cls, numbers: Array, counts: Integers | None = None) -> Tally:
        """The tally of numbers (n,), each of one record or of `counts` (n,); NaN and infinities do not count."""
        finite = np.isfinite(numbers)
        if counts is None:
            values, records = np.unique(numbers[finite], return_counts=True)
            return cls(values + 0.0, records.astype(np.int64))
        values, places = np.unique(numbers[finite], return_inverse=True)
        return cls(values + 0.0, np.bincount(places, counts[finite], minlength=len(values)).astype(np.int64))

    @property
    def records(self) -> int:
        """How many records have a number."""
        return int(self.counts.sum())

    @property
    def frequent(self) -> Array:
        """The values that at least 10 records have, ascending."""
        return self.values[self.counts >= FEWEST]

    def among(self, numbers: Array) -> Mask:
        """(k,) whether each value is one of some numbers (m,)."""
        found = np.zeros(len(self.values), dtype=bool)
        places = np.searchsorted(self.values, numbers)
        inside = places < len(self.values)
        places = places[inside]
        found[places[self.values[places] == numbers[inside]]] = True
        return found

    def where(self, chosen: Mask) -> Tally:
        """The tally of some of the values."""
        return Tally(self.values[chosen], self.counts[chosen])

    def holds(self, true: Mask) -> bool:
        """Whether something holds for nearly all records. true : (k,) whether it holds for each value."""
        return is_nearly_all(int(self.counts[true].sum()), self.records)

    def near_ends(self) -> tuple[float, float]:
        """The values that the 10th smallest and the 10th largest record have."""
        running = np.cumsum(self.counts)
        low = self.values[np.searchsorted(running, FEWEST)]
        high = self.values[np.searchsorted(running, self.records - FEWEST + 1)]
        return float(low), float(high)


def holds_for_texts(texts: Sequence[str], counts: Integers, is_true: Callable[[str], Any]) -> bool:
    """Whether something holds for nearly all records with these texts; it ends as soon as too many records differ."""
    total, others = int(counts.sum()), 0
    for text, count in zip(texts, counts.tolist(), strict=True):
        if not is_true(text):
            others += count
            if others > FEWEST:
                return False
    return is_nearly_all(total - others, total)

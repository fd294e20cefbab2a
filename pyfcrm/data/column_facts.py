"""Facts of a column before it has a role: its kind, its distinct values, and its unique records."""

from dataclasses import dataclass

import numpy as np

from ..types import WHOLE, Codes
from .check import RULES, is_numeric
from .column_names import is_amount_name, is_identifier_name, is_unit_name, named_as
from .frame import Frame

MAX_DISTINCT = 0.5  # of the values, above which a column is nearly unique
MAX_UNIQUE = 0.05  # of the records, above which a column is nearly unique
MAX_GROUPS = 20  # different values up to which a column has levels, and no ids
MIN_GROUP, MAX_GROUP = 1.2, 50  # records that each id has on average
MAX_UNNAMED = 5  # records that each id has on average at most, in a sorted column without the name of an identifier
MIN_SPREAD = (
    2  # times as wide as its different values are many, at least, is the range of ids that do not start at 0 or 1
)
MAX_LARGEST = 10  # times the average number of records, that one id may have
MAX_FEW = 10  # different whole numbers up to which they may be a code
MIN_DIGITS = 4  # of whole numbers of one length that are identifiers


def unique_records(codes: Codes) -> int:
    """How many records have a unique code; codes (n,) from -1, which is missing and counts as a value."""
    return int((np.bincount(codes + 1) == 1).sum())


def unique_units(codes: Codes, units: Codes, order: Codes | None = None) -> int:
    """How many units are unique by all of their records.

    codes, units (n,) : of each record; missing counts as a value. order (n,) : of the records of a panel, whose units are compared by
    the sequence of their codes; without it, as households, by how often they have each code.
    """
    by_unit = np.lexsort((codes if order is None else order, units))
    sizes = np.unique(units, return_counts=True)[1]
    start = np.cumsum(sizes) - sizes
    sorted_codes = codes[by_unit]
    count = 0
    for size in np.unique(sizes):
        # Units of one size: a row of codes each (u, size), compared as bytes.
        rows = sorted_codes[start[sizes == size][:, None] + np.arange(size)]
        as_bytes = np.ascontiguousarray(rows).view(np.dtype((np.void, rows.itemsize * size))).ravel()
        count += int((np.unique(as_bytes, return_counts=True)[1] == 1).sum())
    return count


@dataclass(frozen=True, kw_only=True)
class ColumnFacts:
    """What is known of a column without other columns."""

    name: str
    """The column."""
    kind: str
    """Its kind in the frame, such as "text"."""
    numeric: bool
    """Whether it holds numbers."""
    records: int
    """The records of the file."""
    known: int
    """The records with a value."""
    distinct: int
    """How many different values it has."""
    unique: int
    """The records whose value no other record has; missing counts as one value."""
    whole: bool
    """Whether all values are whole numbers that a float can carry."""
    low: float
    """The smallest number, 0 for other kinds."""
    high: float
    """The largest number, 0 for other kinds."""
    largest: int
    """The records of the most frequent value."""
    runs: int
    """The runs of equal values in the order of the file."""
    ascends: bool
    """Whether each value is above the one before it in the file."""
    sorted: bool
    """Whether the numbers ascend or descend in the file, equal ones beside each other; False for other kinds."""
    unusable: str = ""
    """A rule for numbers that its values break, such as infinite ones; else empty."""

    @property
    def missing(self) -> int:
        """Records without a value."""
        return self.records - self.known

    @property
    def all_differ(self) -> bool:
        """Whether no two records with a value have the same one."""
        return self.distinct == self.known

    @property
    def nearly_unique(self) -> bool:
        """Whether more than half of the values are distinct, or more than 5 per cent of the records unique."""
        mostly_distinct = self.known > 0 and self.distinct > MAX_DISTINCT * self.known
        return mostly_distinct or self.unique > MAX_UNIQUE * self.records

    @property
    def counts_records(self) -> bool:
        """Whether it holds consecutive integers, each once."""
        if not self.whole or not self.all_differ or self.known < 2:
            return False
        return self.high - self.low == self.known - 1

    @property
    def named_as_identifier(self) -> bool:
        """Whether its name is that of an identifier; a weak name counts only where every value differs."""
        return is_identifier_name(self.name, self.all_differ)

    @property
    def named_as_unit(self) -> bool:
        """Whether it holds whole numbers and its name is that of a person or another unit that has several records."""
        return self.whole and is_unit_name(self.name)

    @property
    def named_as_codes(self) -> bool:
        """Whether it holds whole numbers and its name is that of a classification, whose codes are no measurements."""
        return self.whole and self.distinct > 2 and named_as("classification", self.name)

    @property
    def named_as_amount(self) -> bool:
        """Whether it holds numbers and its name is that of an income or another amount, which is confidential."""
        return self.numeric and is_amount_name(self.name)

    @property
    def groups_records(self) -> bool:
        """Whether it is a code, whole or text, whose records stand together, from 1.2 to 50 each on average, none with many more.

        In a file sorted by a measurement, such as age, the records of each of its values stand together too. Sorted whole numbers
        without the name of an identifier or a unit are ids only if each has equally many records, or 5 at most on average. The latter
        start at 0 or 1 or leave numbers out, as ages do not.
        """
        if not self.whole and self.kind not in ("text", "category"):
            return False
        if self.missing or self.distinct <= MAX_GROUPS or named_as("period", self.name):
            return False
        if self.runs != self.distinct:
            return False
        some_each = MIN_GROUP * self.distinct <= self.known <= MAX_GROUP * self.distinct
        if not some_each or self.largest * self.distinct > MAX_LARGEST * self.known:
            return False
        if self.named_as_identifier or self.named_as_unit or not (self.whole and self.sorted):
            return True
        is_balanced = self.largest * self.distinct == self.known
        few_each = self.known <= MAX_UNNAMED * self.distinct
        numbered = self.low in (0, 1) or self.high - self.low >= MIN_SPREAD * self.distinct
        return is_balanced or (few_each and numbered and not self.named_as_amount)

    @property
    def is_code(self) -> bool:
        """Whether it holds whole numbers, each once, that ascend or have one length, as identifiers do; incomes have one length too."""
        if not self.whole or self.distinct != self.records or self.records <= MAX_GROUPS or self.low <= 0:
            return False
        digits = len(str(int(self.low)))
        one_length = digits == len(str(int(self.high)))
        return self.ascends or (one_length and digits >= MIN_DIGITS and not self.named_as_amount)

    @property
    def few(self) -> bool:
        """Whether it has so few integers that they may be a code."""
        return self.whole and self.distinct <= MAX_FEW

    @property
    def how_unique(self) -> str:
        """Its values and its unique records, in words."""
        plural = "" if self.distinct == 1 else "s"
        values = f"{self.distinct:,} different value{plural} in {self.known:,}"
        return f"{values}, unique in {self.unique:,} of {self.records:,} records"


def column_facts(frame: Frame, name: str) -> ColumnFacts:
    """The facts of one column."""
    codes = frame.codes(name)
    sizes = np.bincount(codes + 1)[1:]
    numeric = is_numeric(frame, name)
    values = frame.values(name) if numeric else np.empty(0)
    values = values[np.isfinite(values)]
    low = high = 0.0
    whole = False
    if len(values):
        low, high = float(values.min()), float(values.max())
        whole = bool((values % 1 == 0).all()) and max(-low, high) < WHOLE
    steps = np.diff(values)
    return ColumnFacts(
        name=name,
        kind=frame.kind(name),
        numeric=numeric,
        records=frame.records,
        known=int(sizes.sum()),
        distinct=len(sizes),
        unique=unique_records(codes),
        whole=whole,
        low=low,
        high=high,
        largest=int(sizes.max(initial=0)),
        runs=int((np.diff(codes) != 0).sum()) + 1,
        ascends=bool((steps > 0).all()),
        sorted=len(values) > 0 and bool((steps >= 0).all() or (steps <= 0).all()),
        unusable=_broken_rule(frame, name) if numeric else "",
    )


def _broken_rule(frame: Frame, name: str) -> str:
    """The rule of protect() for numbers that a column breaks; else empty."""
    size = np.abs(frame.values(name))
    for rule, breaks in RULES.items():
        if breaks(size).any():
            return rule
    if frame.kind(name) == "integer" and (size >= WHOLE).any():
        return "must be below 2^53 in magnitude (make them text)"
    return ""

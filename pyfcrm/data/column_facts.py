"""Facts of a column before it has a role: its kind, its distinct values, and its unique records."""

import re
from dataclasses import dataclass

import numpy as np

from ..types import WHOLE, Codes
from .check import is_numeric
from .frame import Frame

MAX_DISTINCT = 0.5  # of the values, above which a column is nearly unique
MAX_UNIQUE = 0.05  # of the records, above which a column is nearly unique
MAX_GROUPS = 20  # different values up to which a column has levels, and no ids
CODES = 10  # whole numbers, up to which they may be a code
# Words of names by what such columns hold. The codes are those of EU-SILC; perwt, hhwt and pwgtp stand in samples of censuses.
WORDS = {
    "identifier": "id|ident|identifier|key|ssn|nif|dni|uuid|guid|[dhrp]b030",
    "possible identifier": "code|nr|no|number|name",
    "period": "year|yr|time|period|wave|month|quarter|week|date|jahr|round|visit|occasion",
    "weight": (
        r"weights\w*|(sample|survey|design|person|household|hh|final)_?(weight|wt|w)|(hh|per|asec)wt|\w*wgtp?|pond\w*|poids|"
        r"gewicht\w*|fac_?exp\w*|db0[89]0|rb05[01]|rb06\d|rl070|pb0[4-8]0"
    ),
    "possible weight": "w|wt|weight",
    "height": "height|ht|bmi|stature",
    "classification": (
        "isco|isic|nace|naics|sic|nuts|zip|postcode|occupation|industry|race|ethnicity|religion|county|state|region"
    ),
}
NAMES = {kind: re.compile(rf"(^|_|\b)({words})($|_|\b|\d)", re.IGNORECASE) for kind, words in WORDS.items()}
_CAMEL = re.compile(r"[a-z](I[dD]|N[rR])$")
_AMOUNT = re.compile(
    r"income|earning|wage|salar|tax|wealth|debt|revenue|turnover|profit|expend|^[hp]y\d{3}[gn]$", re.IGNORECASE
)


def named_as(kind: str, name: str) -> bool:
    """Whether a column has the name of a kind of WORDS."""
    return bool(NAMES[kind].search(name))


def is_identifier_name(name: str, all_differ: bool) -> bool:
    """Whether a column has the name of an identifier; a weak name counts only where all of its values differ."""
    if named_as("identifier", name) or _CAMEL.search(name):
        return True
    return all_differ and named_as("possible identifier", name)


def unique_records(codes: Codes) -> int:
    """How many records have a unique code; codes (n,) from -1, which is missing and counts as a value."""
    return int((np.bincount(codes + 1) == 1).sum())


def unique_units(codes: Codes, units: Codes) -> int:
    """How many units have a record with a code that is unique to the unit; codes, units (n,)."""
    pairs = np.unique(np.column_stack([codes, units]), axis=0)
    alone = np.bincount(pairs[:, 0] + 1) == 1
    return len(np.unique(pairs[alone[pairs[:, 0] + 1], 1]))


@dataclass(frozen=True)
class ColumnFacts:
    """name, kind : of the frame; numeric : whether it holds numbers; records, known : how many, and how many with a value;
    distinct : different values; unique : records whose value no other has, where missing counts as one value; whole :
    whether its values are integers; low, high : of numbers, else 0; largest : records of the most frequent value; runs : of
    equal values in file order; ascends : whether values ascend in file order."""

    name: str
    kind: str
    numeric: bool
    records: int
    known: int
    distinct: int
    unique: int
    whole: bool
    low: float
    high: float
    largest: int
    runs: int
    ascends: bool

    @property
    def missing(self) -> int:
        """Records without a value."""
        return self.records - self.known

    @property
    def nearly_unique(self) -> bool:
        """Whether more than half of the values are distinct, or more than 5 per cent of the records unique."""
        many = self.known > 0 and self.distinct > MAX_DISTINCT * self.known
        return many or self.unique > MAX_UNIQUE * self.records

    @property
    def counts_records(self) -> bool:
        """Whether it holds consecutive integers, each once."""
        every = self.distinct == self.known and self.known > 1
        return self.whole and every and self.high - self.low == self.known - 1

    @property
    def named_as_identifier(self) -> bool:
        """Whether its name is that of an identifier; a weak name counts only where every value differs."""
        return is_identifier_name(self.name, all_differ=self.distinct == self.known)

    @property
    def named_as_codes(self) -> bool:
        """Whether it holds whole numbers and its name is that of a classification, whose codes are no measurements."""
        return self.whole and self.distinct > 2 and named_as("classification", self.name)

    @property
    def named_as_amount(self) -> bool:
        """Whether it holds numbers and its name is that of an income or another amount, which is confidential."""
        return self.numeric and bool(_AMOUNT.search(self.name))

    @property
    def groups_records(self) -> bool:
        """Whether it is a code, whole or text, whose records stand together, from 1.2 to 50 each on average, none with many more."""
        codes = self.whole or self.kind in ("text", "category")
        several = (
            1.2 * self.distinct <= self.known <= 50 * self.distinct and self.largest * self.distinct <= 10 * self.known
        )
        return (
            codes
            and not named_as("period", self.name)
            and self.distinct > MAX_GROUPS
            and several
            and self.runs == self.distinct
            and self.missing == 0
        )

    @property
    def is_code(self) -> bool:
        """Whether it holds whole numbers, each once, that ascend or have one length, as identifiers do."""
        every = self.whole and self.distinct == self.records > MAX_GROUPS and self.low > 0
        return every and (self.ascends or len(str(int(self.low))) == len(str(int(self.high))) > 3)

    @property
    def few(self) -> bool:
        """Whether it has so few integers that they may be a code."""
        return self.whole and self.distinct <= CODES

    @property
    def how_unique(self) -> str:
        """Its values and its unique records, in words."""
        values = f"{self.distinct:,} different value{'s' * (self.distinct != 1)} in {self.known:,}"
        return f"{values}, unique in {self.unique:,} of {self.records:,} records"


def column_facts(frame: Frame, name: str) -> ColumnFacts:
    """The facts of one column."""
    codes = frame.codes(name)
    sizes = np.bincount(codes + 1)[1:]
    numeric = is_numeric(frame, name)
    values = frame.values(name) if numeric else np.empty(0)
    values = values[np.isfinite(values)]
    low, high = (float(values.min()), float(values.max())) if len(values) else (0.0, 0.0)
    return ColumnFacts(
        name,
        frame.kind(name),
        numeric,
        records=frame.records,
        known=int(sizes.sum()),
        distinct=len(sizes),
        unique=unique_records(codes),
        whole=len(values) > 0 and bool((values % 1 == 0).all()) and max(-low, high) < WHOLE,
        low=low,
        high=high,
        largest=int(sizes.max(initial=0)),
        runs=int((np.diff(codes) != 0).sum()) + 1,
        ascends=bool((np.diff(values) > 0).all()),
    )

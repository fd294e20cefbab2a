"""Forms in which cells are numbers: dates, periods, durations, times of day, numbers in text; how they are read and written.

A form reads the different values of a column (k,) and writes cells for numbers (k,). Dates are days since 1970-01-01 by the clock
of the place, periods are counted from year 0, durations and times of day are seconds.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from decimal import Decimal
from itertools import product
from typing import Any, Protocol

import numpy as np

from ..types import Array
from .date_forms import FIRST_YEAR, LAST_YEAR, PARTS_OF_YEAR, date_in, periods_of
from .number_text import NumberForm, plain
from .tally import FEWEST, Tally, is_nearly_all

SPSS_EPOCH = 141_428  # days from SPSS's first day, 1582-10-14, to 1970-01-01
TWO_DIGITS = (1969, 2068)  # the first and the last year that strptime reads from two digits
MONTH_NAMES = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December",
)  # fmt: skip
MONTH_STYLES = ("Jan", "JAN", "jan", "January", "JANUARY", "january")
_DIRECTIVE = re.compile(r"%[A-Za-z]")


class CellForm(Protocol):
    """How cells are numbers."""

    @property
    def is_number(self) -> bool:
        """Whether the cells are numbers themselves, such as 202401."""

    def numbers(self, values: Sequence[Any]) -> Array:
        """The numbers (k,) of different values, NaN where one cannot be read."""

    def cells(self, numbers: Array) -> Sequence[Any]:
        """The cells (k,) of numbers that are permitted."""


@dataclass(frozen=True, kw_only=True)
class TypedDates:
    """Dates and times by their type."""

    only_dates: bool
    """Whether cells are dates without a time."""
    zone: Any = None
    """The time zone of all cells; None without one."""
    is_number: bool = False

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array([days_of(value) for value in values], dtype=np.float64)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm; a time that the zone skips becomes the next one."""
        import pandas as pd

        moments = np.round(numbers * 86_400e6).astype("datetime64[us]")
        if self.only_dates:
            return list(moments.astype("datetime64[D]").astype(object))
        index = pd.DatetimeIndex(moments)
        if self.zone is not None:
            every = np.ones(len(index), dtype=bool)
            index = index.tz_localize(self.zone, ambiguous=every, nonexistent="shift_forward")
        return list(index)


@dataclass(frozen=True, kw_only=True)
class PandasPeriods:
    """Periods of pandas."""

    frequency: str
    """As pandas names it, such as "Q-DEC"."""
    is_number: bool = False

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm; NaN where another file has a cell that is no period."""
        import pandas as pd

        return np.array([value.ordinal if isinstance(value, pd.Period) else np.nan for value in values])

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        import pandas as pd

        return [pd.Period(ordinal=round(number), freq=self.frequency) for number in numbers.tolist()]


@dataclass(frozen=True, kw_only=True)
class SpssDates:
    """Seconds since 1582-10-14, with which SPSS stores months, quarters and weeks."""

    is_number: bool = True

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array(values, dtype=np.float64) / 86_400 - SPSS_EPOCH

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        return ((numbers + SPSS_EPOCH) * 86_400).tolist()


@dataclass(frozen=True, kw_only=True)
class Durations:
    """Durations by their type."""

    is_number: bool = False

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array([seconds_of(value) for value in values], dtype=np.float64)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        return [timedelta(seconds=number) for number in numbers.tolist()]


@dataclass(frozen=True, kw_only=True)
class TimesOfDay:
    """Times of day by their type."""

    is_number: bool = False

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array([seconds_in_day(value) for value in values], dtype=np.float64)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        return [time_at(number) for number in numbers.tolist()]


@dataclass(frozen=True, kw_only=True)
class ObjectNumbers:
    """Numbers that are Python's Decimal objects."""

    decimals: int | None
    """Digits behind the point; None for all that the number has."""
    is_number: bool = False

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array([float(value) for value in values], dtype=np.float64)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        return [Decimal(digits_of(number, self.decimals)) for number in numbers.tolist()]


@dataclass(frozen=True, kw_only=True)
class TextNumbers:
    """Numbers in text, with separators or units."""

    form: NumberForm
    """The separators and the unit."""
    decimals: int | None
    """Digits behind the mark that are written; None for those that a number needs."""
    is_number: bool = False

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array([self.form.number(str(value)) for value in values], dtype=np.float64)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        return [self._text(digits_of(number, self.decimals)) for number in numbers.tolist()]

    def _text(self, digits: str) -> str:
        """The text of a number that Python writes as `digits`."""
        sign = "-" if digits.startswith("-") else ""
        whole, point, behind = digits.removeprefix("-").partition(".")
        whole = f"{int(whole):,}".replace(",", self.form.thousands)
        mark = self.form.decimal if point else ""
        return f"{self.form.before}{sign}{whole}{mark}{behind}{self.form.after}"


@dataclass(frozen=True, kw_only=True)
class WrittenDates:
    """Dates and periods in text, or as whole numbers, in one format."""

    format: str
    """One of date_forms, or another one of strptime."""
    step: str
    """The step between dates; those of a year, half-year, quarter, month and week are periods, counted from year 0."""
    is_number: bool
    """Whether the cells are whole numbers."""
    padded: bool = True
    """Whether days and months below 10 have a zero in front."""
    month_style: str = "Jan"
    """The name of January, as the column writes it: one of MONTH_STYLES."""

    @property
    def is_period(self) -> bool:
        """Whether numbers count periods; else they are days."""
        return self.step == "week" or self.step in PARTS_OF_YEAR

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array([self._number(value) for value in values], dtype=np.float64)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        texts = [self._text(number) for number in numbers.tolist()]
        return [float(text) for text in texts] if self.is_number else texts

    def limits(self) -> tuple[float, float]:
        """The numbers of the first and the last possible date."""
        first, last = TWO_DIGITS if "%y" in self.format else (FIRST_YEAR, LAST_YEAR)
        # The 4th of January is in the first week of its year, the 28th of December in the last one.
        return self._number_of(datetime(first, 1, 4)), self._number_of(datetime(last, 12, 28))

    def _number(self, value: Any) -> float:
        """The number of a cell; NaN where it is no date in the format."""
        found = date_in(self._digits(value), self.format)
        if found is None:
            return np.nan
        if isinstance(found, datetime):
            return self._number_of(found)
        # A text such as "2024-03" or "2024Q1": a year, and the number of its part.
        year = int(found[:4])
        part = int(re.sub(r"\D", "", found[4:]))
        if self.step != "week":
            return float(year * PARTS_OF_YEAR[self.step] + part - 1)
        try:
            return _week_of(date.fromisocalendar(year, part, 1))
        except ValueError:  # a 53rd week of a year with 52
            return np.nan

    def _digits(self, value: Any) -> str:
        """A cell as text."""
        if not self.is_number:
            return str(value).strip()
        if value % 1:
            return ""
        width = len(_written(datetime(2001, 12, 28), self.format, padded=True, month_style="Jan"))
        return str(int(value)).zfill(width)

    def _number_of(self, moment: datetime) -> float:
        """The number of the period that a moment is in, or of the moment in days."""
        if self.step == "week":
            return _week_of(moment.date())
        if self.step in PARTS_OF_YEAR:
            parts = PARTS_OF_YEAR[self.step]
            return float(moment.year * parts + (moment.month - 1) * parts // 12)
        return days_of(moment)

    def _text(self, number: float) -> str:
        """The text of a permitted number."""
        if self.step == "week":
            year, week, _ = date.fromordinal(round(number) * 7 + 1).isocalendar()
            return self.format.replace("%Y", f"{year:04}").replace("%V", f"{week:02}")
        if self.step not in PARTS_OF_YEAR:
            return self._written(datetime(1970, 1, 1) + timedelta(microseconds=round(number * 86_400e6)))
        parts = PARTS_OF_YEAR[self.step]
        year, part = divmod(round(number), parts)
        if self.step in ("quarter", "half-year"):
            return self.format.replace("%Y", f"{year:04}").replace("%q", str(part + 1)).replace("%h", str(part + 1))
        return self._written(datetime(year, part * 12 // parts + 1, 1))

    def _written(self, moment: datetime) -> str:
        """A moment in the format and the style of the column."""
        return _written(moment, self.format, padded=self.padded, month_style=self.month_style)


@dataclass(frozen=True, kw_only=True)
class WrittenTimes:
    """Times of day in text, or as whole numbers such as 1745, in one format of strptime."""

    format: str
    """Such as "%H:%M"."""
    is_number: bool
    """Whether the cells are whole numbers."""

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return np.array([self._number(value) for value in values], dtype=np.float64)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        texts = [time_at(number).strftime(self.format) for number in numbers.tolist()]
        return [float(text) for text in texts] if self.is_number else texts

    def _number(self, value: Any) -> float:
        """The seconds of a cell; NaN where it is no time in the format."""
        if not self.is_number:
            text = str(value).strip()
        elif value % 1:
            return np.nan
        else:
            width = len(time(12, 34, 56).strftime(self.format))
            text = str(int(value)).zfill(width)
        try:
            return seconds_in_day(datetime.strptime(text, self.format).time())
        except ValueError:
            return np.nan


@dataclass(frozen=True, kw_only=True)
class DecimalYears:
    """Years with quarters or months as fractions, such as 2007.25; periods are counted from year 0."""

    step: str
    """ "quarter" or "month"."""
    decimals: int | None
    """The decimals of the cells; None where they have no fixed number."""
    is_number: bool = True

    def numbers(self, values: Sequence[Any]) -> Array:
        """See CellForm."""
        return periods_of(np.array(values, dtype=np.float64), self.step, self.decimals)

    def cells(self, numbers: Array) -> Sequence[Any]:
        """See CellForm."""
        years = np.rint(numbers) / PARTS_OF_YEAR[self.step]
        return (years if self.decimals is None else np.round(years, self.decimals)).tolist()

    def limits(self) -> tuple[float, float]:
        """The numbers of the first and the last possible period."""
        parts = PARTS_OF_YEAR[self.step]
        return float(FIRST_YEAR * parts), float((LAST_YEAR + 1) * parts - 1)


def styled_dates(format: str, step: str, texts: Sequence[str], counts: Iterable[int]) -> WrittenDates:
    """The form of dates in text: of the ways to write a format, the one that most records have. counts : (k,) records."""
    written = [text.strip() for text in texts]
    moments = [date_in(text, format) for text in written]
    dates = [
        (text, moment, count)
        for text, moment, count in zip(written, moments, counts, strict=True)
        if isinstance(moment, datetime)
    ]
    has_names = "%b" in format or "%B" in format
    styles = MONTH_STYLES if has_names else MONTH_STYLES[:1]
    best = WrittenDates(format=format, step=step, is_number=False)
    most = -1
    for padded, month_style in product((True, False), styles):
        agree = sum(
            count
            for text, moment, count in dates
            if _written(moment, format, padded=padded, month_style=month_style) == text
        )
        if agree > most:
            most = agree
            best = WrittenDates(format=format, step=step, is_number=False, padded=padded, month_style=month_style)
    return best


def _written(moment: datetime, format: str, *, padded: bool, month_style: str) -> str:
    """A date in a format. Names of months are English, whatever the language of the process is."""

    def part(directive: re.Match[str]) -> str:
        """The text of one directive, such as %m."""
        if directive[0] in ("%b", "%B"):
            return _month_name(moment.month, month_style)
        if directive[0] == "%Y":
            return f"{moment.year:04}"
        text = moment.strftime(directive[0])
        if not padded and directive[0] in ("%d", "%m", "%H"):
            return text.lstrip("0") or "0"
        return text

    return _DIRECTIVE.sub(part, format)


def _month_name(month: int, style: str) -> str:
    """The name of a month, as long as that of January in a style, and in its case."""
    name = MONTH_NAMES[month - 1]
    if len(style) == 3:
        name = name[:3]
    if style.isupper():
        return name.upper()
    if style.islower():
        return name.lower()
    return name


def written_decimals(form: NumberForm, texts: Sequence[str], counts: Sequence[int]) -> int | None:
    """The digits behind the mark, if nearly all texts have so many; else None. counts : (k,) records."""
    records = dict[int, int]()
    for text, count in zip(texts, counts, strict=True):
        digits = plain(text).removesuffix(form.after)
        behind = len(digits.partition(form.decimal)[2])
        records[behind] = records.get(behind, 0) + count
    most = max(records, key=records.__getitem__, default=0)
    return most if is_nearly_all(records.get(most, 0), sum(records.values())) else None


def days_of(moment: Any) -> float:
    """Days since 1970-01-01 by the clock of the place: of a moment in a time zone its local time."""
    local = moment.replace(tzinfo=None) if isinstance(moment, datetime) else moment
    return float(np.datetime64(local, "us").astype(np.int64)) / 86_400e6


def seconds_of(duration: Any) -> float:
    """A duration of Python, pandas or numpy in seconds."""
    if isinstance(duration, timedelta):
        return float(duration.total_seconds())
    return float(duration / np.timedelta64(1, "s"))


def seconds_in_day(moment: time) -> float:
    """A time of day in seconds since midnight."""
    return moment.hour * 3600 + moment.minute * 60 + moment.second + moment.microsecond / 1e6


def time_at(seconds: float) -> time:
    """The time of day so many seconds since midnight."""
    return (datetime(1970, 1, 1) + timedelta(microseconds=round(seconds * 1e6))).time()


def unit_of_seconds(tally: Tally) -> float:
    """The longest of day, hour, minute, second, millisecond and microsecond of which nearly all durations are multiples."""
    return _longest_unit(tally, (86_400.0, 3600.0, 60.0, 1.0, 1e-3))


def unit_of_times(tally: Tally) -> float:
    """The longest of hour, half-hour, 15, 5 and 1 minutes, and so on, of which nearly all times of day are multiples."""
    return _longest_unit(tally, (3600.0, 1800.0, 900.0, 300.0, 60.0, 1.0, 1e-3))


def _longest_unit(tally: Tally, units: Sequence[float]) -> float:
    """The first of the units, in seconds, of which nearly all values are multiples; else, and of few values, a microsecond."""
    if tally.records < FEWEST:
        return 1e-6
    for unit in units:
        multiples = np.rint(tally.values / unit) * unit
        if tally.holds(np.abs(multiples - tally.values) < 1e-7):
            return unit
    return 1e-6


def digits_of(number: float, decimals: int | None) -> str:
    """A number in digits without an exponent. decimals : None for as many as it needs."""
    if decimals is None:
        return np.format_float_positional(number, trim="-")
    return f"{number + 0.0:.{decimals}f}"  # + 0.0 makes -0.0 a 0.0


def _week_of(day: date) -> float:
    """The number of a week, from 0 for the first week of year 1; it begins on Monday."""
    return float((day.toordinal() - 1) // 7)

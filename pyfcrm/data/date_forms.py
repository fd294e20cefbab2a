"""Forms of dates: in text, as whole numbers, and as SPSS and Stata print them; and the step between dates."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from functools import partial

import numpy as np

from ..types import Array, Integers, Mask
from .tally import FEWEST, Tally, holds_for_texts

FIRST_YEAR, LAST_YEAR = 1800, 2199  # of dates that are recognised in numbers and text
_MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"]
_MONTH_NAME = re.compile(
    r"(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)(?:uary|ruary|ch|il|e|y|ust|tember|ober|ember)?\.?",
    re.IGNORECASE,
)
TEXT_STEPS = {
    "%Y-%m-%d": "day", "%d.%m.%Y": "day", "%d/%m/%Y": "day", "%m/%d/%Y": "day", "%d-%m-%Y": "day", "%m-%d-%Y": "day",
    "%Y/%m/%d": "day", "%Y.%m.%d": "day", "%d.%m.%y": "day", "%d/%m/%y": "day", "%m/%d/%y": "day", "%Y%m%d": "day",
    "%d%b%Y": "day", "%d-%b-%Y": "day", "%d %b %Y": "day", "%b %d, %Y": "day",
    "%Y-%m": "month", "%m/%Y": "month", "%m.%Y": "month", "%Y%m": "month", "%b %Y": "month", "%b-%Y": "month",
    "%Y-%m-%d %H:%M": "minute", "%Y-%m-%dT%H:%M": "minute", "%d.%m.%Y %H:%M": "minute",
    "%d/%m/%Y %H:%M": "minute", "%m/%d/%Y %H:%M": "minute",
    "%Y-%m-%d %H:%M:%S": "second", "%Y-%m-%dT%H:%M:%S": "second", "%d.%m.%Y %H:%M:%S": "second",
    "%d/%m/%Y %H:%M:%S": "second", "%m/%d/%Y %H:%M:%S": "second",
}  # fmt: skip
"""The forms of dates in text, as Python's strptime names them, with the step between dates."""
PERIODS = {
    "%YM%m": (re.compile(r"\d{4}M(0[1-9]|1[0-2])"), "month"),
    "%Y-M%m": (re.compile(r"\d{4}-M(0[1-9]|1[0-2])"), "month"),
    "%YQ%q": (re.compile(r"\d{4}Q[1-4]"), "quarter"),
    "%Y-Q%q": (re.compile(r"\d{4}-Q[1-4]"), "quarter"),
    "%YS%h": (re.compile(r"\d{4}S[12]"), "half-year"),
    "%Y-S%h": (re.compile(r"\d{4}-S[12]"), "half-year"),
    "%YW%V": (re.compile(r"\d{4}W(0[1-9]|[1-4]\d|5[0-3])"), "week"),
    "%Y-W%V": (re.compile(r"\d{4}-W(0[1-9]|[1-4]\d|5[0-3])"), "week"),
}
"""Eurostat's forms of months, quarters, half-years and weeks; %q and %h are the quarter and the half of the year."""
DECIMAL_YEARS = {"%Y+(%q-1)/4": "quarter", "%Y+(%m-1)/12": "month"}
"""Years with a fraction, as time series have them: 2007.25 is the second quarter, and April."""
PARTS_OF_YEAR = {"month": 12, "quarter": 4, "half-year": 2, "year": 1}
MIN_HOURS = 6  # that times of day have if the name of the column is not that of a time
MIN_TENS = 4  # of minutes, likewise
MIN_NAMED_HOURS = 3  # of a column with such a name
MIN_NAMED_TENS = 2  # likewise
MIN_FRACTIONS = 3  # of a year, that decimal years have
YEAR_TOLERANCE = 1e-6  # of years without a fixed number of decimals
_DIGITS = {"%Y%m%d": 8, "%Y%m": 6}
_LETTERS = {"m": "month", "q": "quarter", "w": "week", "h": "half-year", "y": "year"}
_STATA = re.compile(r"%t([mqwhy]).*")
_SPSS = {"MOYR": "month", "QYR": "quarter", "WKYR": "week"}
_SPSS_FORMAT = re.compile(r"([A-Z]+)\d+")
_FREQUENCIES = {"Y": "year", "A": "year", "Q": "quarter", "M": "month", "W": "week", "D": "day", "B": "day"}
_FREQUENCIES |= {"h": "hour", "min": "minute", "s": "second"}


def step_of_format(format: str | None) -> str | None:
    """The step of a print format of SPSS or Stata whose values are periods; None for any other format."""
    stata = _STATA.fullmatch(format or "")
    if stata is not None:
        return _LETTERS[stata[1]]
    spss = _SPSS_FORMAT.fullmatch(format or "")
    return None if spss is None else _SPSS.get(spss[1])


def is_date_format(format: str) -> bool:
    """Whether a format is that of dates or times: one of this module, or one of strptime with year, month or hour."""
    if format in TEXT_STEPS or format in PERIODS or format in DECIMAL_YEARS or step_of_format(format) is not None:
        return True
    if not re.search(r"%[YymHIj]", format):
        return False
    sample = datetime.fromisoformat("2001-12-28T23:58:59")
    try:
        return bool(datetime.strptime(sample.strftime(format), format))
    except ValueError:
        return False


def is_time_format(format: str) -> bool:
    """Whether a format has hours, and no part of a date."""
    return bool(re.search(r"%[HI]", format)) and not re.search(r"%[YymbBjdUW]", format)


def date_in(text: str, format: str) -> datetime | str | None:
    """The date of a text in a format of TEXT_STEPS, or the period in one of PERIODS; None where it is none of 1800 to 2199."""
    if format in PERIODS:
        is_period = PERIODS[format][0].fullmatch(text) and FIRST_YEAR <= int(text[:4]) <= LAST_YEAR
        return text if is_period else None
    if (" " in text) != (" " in format):
        return None
    if format in _DIGITS and len(text) != _DIGITS[format]:
        return None  # strptime would also read digits of other lengths
    if "%b" in format:  # strptime's names of months are those of the process's language
        text = _MONTH_NAME.sub(lambda name: f" {_MONTHS.index(name[1].lower()) + 1} ", text, count=1)
        format = format.replace("%b", " %m ")
    try:
        moment = datetime.strptime(" ".join(text.split()), " ".join(format.split()))
    except ValueError:
        return None
    return moment if FIRST_YEAR <= moment.year <= LAST_YEAR else None


def text_date_forms(texts: Sequence[str], counts: Integers) -> list[str]:
    """The formats in which nearly all texts are valid dates. texts, counts : (k,) different texts and their records."""
    written = [text.strip() for text in texts]
    if not holds_for_texts(written, counts, re.compile(r".*\d.*").fullmatch):
        return []
    forms = list[str]()
    for format in (*TEXT_STEPS, *PERIODS):
        if holds_for_texts(written, counts, partial(date_in, format=format)):
            forms.append(format)
    return forms


def whole_date_form(tally: Tally) -> str | None:
    """The format of whole numbers of which nearly all are valid YYYYMM or YYYYMMDD; None for others."""
    values = tally.values
    if tally.holds(_valid(values // 100, values % 100, np.ones_like(values))):
        return "%Y%m"
    if tally.holds(_valid(values // 10_000, values // 100 % 100, values % 100)):
        return "%Y%m%d"
    return None


def whole_time_form(tally: Tally, *, named: bool) -> str | None:
    """The format of whole numbers of which nearly all are valid HHMM or HHMMSS, such as 745 and 1345; None for others.

    Their last two digits are below 60, and differ in their tens, in several hours: other numbers are seldom so. named : whether the
    column has the name of a time, so that fewer hours and minutes suffice.
    """
    values = tally.values
    if not tally.records or values[0] < 0:
        return None
    hours = MIN_NAMED_HOURS if named else MIN_HOURS
    tens = MIN_NAMED_TENS if named else MIN_TENS
    if tally.holds((values // 100 <= 23) & (values % 100 < 60)):
        is_varied = _frequent(tally, values // 100) >= hours and _frequent(tally, values % 100 // 10) >= tens
        return "%H%M" if is_varied else None
    if tally.holds((values // 10_000 <= 23) & (values // 100 % 100 < 60) & (values % 100 < 60)):
        is_varied = _frequent(tally, values // 10_000) >= hours and _frequent(tally, values // 100 % 100 // 10) >= tens
        return "%H%M%S" if is_varied and _frequent(tally, values % 100 // 10) >= tens else None
    return None


def decimal_year_form(tally: Tally, decimals: int | None) -> str | None:
    """The format of numbers of which nearly all are years from 1800 to 2199 with quarters or months as fractions; None for others.

    decimals : of nearly all numbers; None where they have no fixed number.
    """
    values = tally.values
    for format, step in DECIMAL_YEARS.items():
        periods = periods_of(values, step, decimals)
        in_range = (values >= FIRST_YEAR) & (values < LAST_YEAR + 1)
        parts = periods % PARTS_OF_YEAR[step]
        known = ~np.isnan(periods) & in_range
        if tally.holds(known) and _frequent(tally.where(known), parts[known]) >= MIN_FRACTIONS:
            return format
    return None


@np.errstate(over="ignore", invalid="ignore")  # numbers near the largest one, and infinite ones, are no years
def periods_of(years: Array, step: str, decimals: int | None) -> Array:
    """The periods (k,), counted from year 0, of years with a fraction (k,); NaN where one is no period of this step.

    decimals : to which the fractions are rounded; None for none.
    """
    parts = PARTS_OF_YEAR[step]
    periods = np.rint(years * parts)
    fractions = periods / parts
    tolerance = YEAR_TOLERANCE
    if decimals is not None:
        fractions = np.round(fractions, decimals)
        tolerance = 10.0**-decimals / 4
    return np.where(np.abs(fractions - years) < tolerance, periods, np.nan)


def _frequent(tally: Tally, parts: Array) -> int:
    """How many different parts of the values at least 10 records have. parts : (k,) whole numbers."""
    return int((np.bincount(parts.astype(np.intp), tally.counts) >= FEWEST).sum())


def _valid(years: Array, months: Array, days: Array) -> Mask:
    """(k,) whether years, months and days are dates of the Gregorian calendar from 1800 to 2199."""
    right = (years >= FIRST_YEAR) & (years <= LAST_YEAR) & (months >= 1) & (months <= 12) & (days >= 1)
    leap = (years % 4 == 0) & ((years % 100 != 0) | (years % 400 == 0))
    lengths = np.array([31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31])
    length = lengths[np.where(right, months - 1, 0).astype(np.intp)] + (leap & (months == 2))
    valid: Mask = right & (days <= length)
    return valid


def step_of_days(tally: Tally) -> str | None:
    """The longest step of which nearly all dates are multiples; None of fewer than 10. tally : of days since 1970-01-01."""
    if tally.records < FEWEST:
        return None
    moments = np.round(tally.values * 86_400e6).astype("datetime64[us]")
    first_of_month = moments == moments.astype("datetime64[M]")
    month = moments.astype("datetime64[M]").astype(np.int64) % 12
    weekday = moments.astype("datetime64[D]").astype(np.int64) % 7
    usual_weekday = np.bincount(weekday, tally.counts).argmax()
    midnight = moments == moments.astype("datetime64[D]")
    several = len(tally.frequent) != 1  # one date is of every step
    steps = {
        "year": first_of_month & (month == 0) & several,
        "quarter": first_of_month & (month % 3 == 0),
        "month": first_of_month,
        "week": midnight & (weekday == usual_weekday) & several,
        "day": midnight,
        "hour": moments == moments.astype("datetime64[h]"),
        "minute": moments == moments.astype("datetime64[m]"),
        "second": moments == moments.astype("datetime64[s]"),
    }
    return next((step for step, multiples in steps.items() if tally.holds(multiples)), "finer than a second")


def step_of_period(frequency: str) -> str:
    """The step of a pandas Period, by the text of its frequency: "M", "Q-DEC"."""
    return _FREQUENCIES.get(frequency.split("-")[0], frequency)


def step_of_written(format: str) -> str:
    """The step of dates in a format: that of this module, else the finest part of a date that it has."""
    if format in TEXT_STEPS:
        return TEXT_STEPS[format]
    if format in PERIODS:
        return PERIODS[format][1]
    if format in DECIMAL_YEARS:
        return DECIMAL_YEARS[format]
    of_print = step_of_format(format)
    if of_print is not None:
        return of_print
    parts = {"second": "S", "minute": "M", "hour": "HI", "day": "dj", "month": "mbB"}
    return next((step for step, letters in parts.items() if re.search(f"%[{letters}]", format)), "year")

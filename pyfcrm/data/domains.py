"""Domains: the numbers that an encoded variable may have, and the nearest of them to any number."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ..types import Array, Mask

DAY = 86_400.0  # seconds
MICROSECONDS = 86_400e6  # of a day
ROUNDING = 4  # spacings of floats within which a number is that of its text
CALENDAR_UNITS = {"month": 1, "quarter": 3, "half-year": 6, "year": 12}
"""Months between the dates of a step."""
WEEK_OF_YEAR = "week of the year"
"""The step of weeks that begin on the first of January, as SPSS has them."""
LONGEST_MONTH = 31.0  # days
PARTS_OF_DAY = {"day": 1, "hour": 24, "minute": 1440, "second": 86_400}
"""Dates of a step in each day."""


class Domain(Protocol):
    """The numbers that a variable may have."""

    def nearest(self, numbers: Array) -> Array:
        """The nearest permitted numbers (n,); NaN stays."""

    @property
    def ends(self) -> tuple[float, float]:
        """The smallest and the largest permitted number, infinite without a limit."""

    @property
    def gap(self) -> float:
        """The largest distance of two neighbouring permitted numbers; 0 where all numbers are permitted."""


def permitted(domain: Domain, numbers: Array) -> Mask:
    """(n,) whether numbers are permitted, apart from the rounding of floats; True for NaN."""
    distance = np.abs(domain.nearest(numbers) - numbers)
    allowed: Mask = ~(distance > ROUNDING * np.spacing(np.abs(numbers)))
    return allowed & ~np.isinf(numbers)


@dataclass(frozen=True, kw_only=True)
class Amounts:
    """Numbers within limits, all multiples of a unit if there is one."""

    decimals: int | None = None
    """Digits behind the point; None for no rounding to decimals."""
    unit: float | None = None
    """What all numbers are multiples of, where it is no power of ten; else None."""
    low: float = -np.inf
    """The smallest number."""
    high: float = np.inf
    """The largest number."""
    excluded: tuple[float, ...] = ()
    """Codes of missing values, which no amount may become."""

    @property
    def ends(self) -> tuple[float, float]:
        """See Domain."""
        return self.low, self.high

    @property
    def gap(self) -> float:
        """See Domain."""
        return self.step

    @property
    def step(self) -> float:
        """The distance of neighbouring numbers; 0 where there is none."""
        if self.decimals is not None:
            return float(10.0**-self.decimals)
        return self.unit or 0.0

    def nearest(self, numbers: Array) -> Array:
        """See Domain."""
        rounded = self._rounded(np.clip(numbers, self.low, self.high))
        # A limit between two multiples is rounded out of the limits.
        too_low = rounded < self.low
        too_high = rounded > self.high
        rounded[too_low] = self._rounded(rounded[too_low] + self.step)
        rounded[too_high] = self._rounded(rounded[too_high] - self.step)
        if not self.excluded:
            return rounded
        for place in np.flatnonzero(np.isin(rounded, self.excluded)):
            rounded[place] = self._beside_codes(float(rounded[place]), float(numbers[place]))
        return rounded

    def _rounded(self, numbers: Array) -> Array:
        """The nearest multiples (n,) of the step, within limits or not."""
        if self.decimals is not None:
            return np.asarray(np.round(numbers, self.decimals))
        if self.unit is not None:
            return np.asarray(np.rint(numbers / self.unit) * self.unit)
        return np.asarray(numbers + 0.0)

    def _beside_codes(self, code: float, number: float) -> float:
        """The permitted number next to a code, on the side of `number` if there is one."""
        first = 1.0 if number >= code else -1.0
        for direction in (first, -first):
            moved = code
            while moved in self.excluded:
                if self.step:
                    further = moved + direction * self.step
                else:
                    further = float(np.nextafter(moved, direction * np.inf))
                moved = float(self._rounded(np.array(further)))
            if self.low <= moved <= self.high:
                return moved
        return code


@dataclass(frozen=True, kw_only=True)
class Codes:
    """Some numbers, such as the values of a scale."""

    values: Array
    """(k,) the numbers, ascending."""

    @classmethod
    def of(cls, values: Array, step: int | str | None, excluded: tuple[float, ...] = ()) -> Codes:
        """The values and, where their step is 1, the whole numbers between them; without codes of missing values."""
        every = np.unique(values)
        if step == 1:
            every = np.arange(every[0], every[-1] + 1)
        return cls(values=every[~np.isin(every, excluded)] + 0.0)

    @property
    def ends(self) -> tuple[float, float]:
        """See Domain."""
        return float(self.values[0]), float(self.values[-1])

    @property
    def gap(self) -> float:
        """See Domain."""
        return float(np.diff(self.values).max(initial=0.0))

    def nearest(self, numbers: Array) -> Array:
        """See Domain; halfway between two codes the even one of two neighbours, else the lower one."""
        # The places of the two neighbours of each number; of a single code both are it.
        last = len(self.values) - 1
        above = np.clip(np.searchsorted(self.values, numbers), 1, max(last, 1))
        below = above - 1
        above = np.minimum(above, last)
        lower = self.values[below]
        upper = self.values[above]
        to_lower = numbers - lower
        to_upper = upper - numbers
        is_even = (upper - lower == 1) & (upper % 2 == 0)
        chosen = np.where((to_upper < to_lower) | ((to_upper == to_lower) & is_even), upper, lower)
        return np.where(np.isnan(numbers), np.nan, chosen)


@dataclass(frozen=True, kw_only=True)
class Dates:
    """Dates as days since 1970-01-01, in a step."""

    step: str | None
    """The step, "month" for first days of months; None or another word for microseconds."""
    first: float
    """The first possible date."""
    last: float
    """The last possible date."""
    weekday: int = 0
    """Of weekly dates, their distance in days from the weekday of 1970-01-01."""

    @property
    def ends(self) -> tuple[float, float]:
        """See Domain."""
        return self.first, self.last

    @property
    def gap(self) -> float:
        """See Domain."""
        if self.step in CALENDAR_UNITS:
            return LONGEST_MONTH * CALENDAR_UNITS[self.step]
        if self.step in ("week", WEEK_OF_YEAR):
            return 7.0
        return 1.0 / PARTS_OF_DAY.get(self.step or "", MICROSECONDS)

    def nearest(self, numbers: Array) -> Array:
        """See Domain."""
        days = np.clip(numbers, self.first, self.last)
        if self.step in CALENDAR_UNITS:
            return _nearest_month(days, CALENDAR_UNITS[self.step])
        if self.step == WEEK_OF_YEAR:
            return _nearest_week_of_year(days)
        if self.step == "week":
            return np.asarray(np.rint((days - self.weekday) / 7) * 7 + self.weekday)
        parts = PARTS_OF_DAY.get(self.step or "", MICROSECONDS)
        return np.asarray(np.rint(days * parts) / parts)


def _nearest_week_of_year(days: Array) -> Array:
    """The nearest day (n,) that is 0, 7, 14, ... days after a first of January."""
    known = ~np.isnan(days)
    years = np.floor(days[known]).astype("datetime64[D]").astype("datetime64[Y]")
    starts = years.astype("datetime64[D]").astype(np.float64)
    nearest = days + 0.0
    nearest[known] = starts + 7 * np.clip(np.rint((days[known] - starts) / 7), 0, 52)
    return nearest


def _nearest_month(days: Array, unit: int) -> Array:
    """The nearest first day (n,) of a month, quarter, half-year or year. unit : in months."""
    known = ~np.isnan(days)
    months = np.floor(days[known]).astype("datetime64[D]").astype("datetime64[M]").astype(np.int64)
    start_month = months - months % unit
    start = _first_days(start_month)
    end = _first_days(start_month + unit)
    nearer_end = end - days[known] < days[known] - start
    nearest = days + 0.0
    nearest[known] = np.where(nearer_end, end, start)
    return nearest


def _first_days(months: NDArray[np.int64]) -> Array:
    """The first days (n,) of months that are counted from January 1970."""
    return np.asarray(months.astype("datetime64[M]").astype("datetime64[D]").astype(np.float64))

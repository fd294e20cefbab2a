"""Encoding: the numbers with which methods compute for the cells of a column, and the cells of released numbers.

A column's description decides, and what is declared goes before it. Encoded numbers are NaN in gaps, at codes of missing values, and
in the few cells that cannot be read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

import numpy as np

from ..errors import InvalidInput, Note, unknown_name
from ..types import Array, Mask
from .cell_forms import (
    CellForm,
    DecimalYears,
    Durations,
    ObjectNumbers,
    PandasPeriods,
    SpssDates,
    TextNumbers,
    TimesOfDay,
    TypedDates,
    WrittenDates,
    WrittenTimes,
    styled_dates,
    unit_of_seconds,
    unit_of_times,
    written_decimals,
)
from .check import is_numeric
from .date_forms import DECIMAL_YEARS, step_of_days, step_of_format, step_of_written
from .declared import described_columns, missing_cells, numbers_among
from .domains import WEEK_OF_YEAR, Amounts, Codes, Dates, Domain, permitted
from .frame import Frame
from .number_kinds import decimals_of
from .number_text import NumberForm
from .tally import Tally, is_nearly_all
from .variable import ALL, NONE, Variable
from .variables import NOT_NEGATIVE, NOT_POSITIVE, VariableDescription, Variables

Declared = Mapping[str, Variable] | Literal["numbers"] | None
"""What a user declares: variables by column; "numbers" for real numbers without codes, bounds and rounding; None for nothing."""

FIRST_DAY = -106_000.0  # in 1679, and
LAST_DAY = 106_000.0  # in 2260, which nanoseconds of 64 bits hold
DAY_SECONDS = 86_400.0
SINGLE_PRECISION = 2.0**-24  # half the relative distance of two numbers of single precision
READ_AS_NUMBERS = "the text of {columns} is read as numbers in the form {form}"
UNREADABLE = "{count} {count:cell|cells} of {columns} cannot be read as {what}: the method takes them as missing, and replaces them"
SEVERAL_FORMS = "column `{name}` is text that may be {what} in several forms: declare its `format`, or kind category, in `variables`"


@dataclass(frozen=True, kw_only=True)
class Encoding:
    """How the cells of one column are numbers, and which numbers it may have."""

    name: str
    """The column."""
    description: VariableDescription
    """What the column may contain, with what is declared."""
    domain: Domain
    """The numbers that may be released."""
    form: CellForm | None = None
    """How cells are numbers; None for a column of numbers."""
    missing_codes: tuple[Any, ...] = ()
    """The cells that mean missing."""
    as_float: bool = False
    """Whether a column of integers becomes one of floats, as its domain is not whole."""
    multiple_of: float | None = None
    """What released numbers are multiples of, if nearly all of the original's are; others are permitted too."""

    @property
    def kind(self) -> str:
        """The kind of the variable."""
        return self.description.kind

    @property
    def is_whole(self) -> bool:
        """Whether all permitted numbers of a form are whole."""
        return isinstance(self.domain, Amounts) and self.domain.step == 1

    @property
    def has_totals(self) -> bool:
        """Whether sums of the numbers mean anything; those of dates and times of day do not."""
        return self.kind not in ("date", "time")

    def numbers(self, frame: Frame) -> Array:
        """The cells as (n,) float64; NaN in gaps, at codes of missing values, and where a cell cannot be read."""
        if self.form is None:
            values = frame.values(self.name)
            if self.missing_codes:
                values[np.isin(values, numbers_among(self.missing_codes))] = np.nan
            if isinstance(self.domain, Amounts) and self.domain.decimals:
                return _with_decimals(values, self.domain.decimals)
            return values
        if isinstance(self.form, TypedDates) and self.form.zone is None and not self.missing_codes:
            return frame.days(self.name)
        places, different = frame.distinct(self.name)
        return np.append(self._read(different), np.nan)[places]  # place -1, the last, is a gap

    def unreadable(self, frame: Frame) -> Mask:
        """(n,) the cells that are neither missing, nor codes of missing values, nor readable."""
        if self.form is None:
            return np.zeros(frame.records, dtype=bool)
        places, values = frame.distinct(self.name)
        is_code = np.array([value in self.missing_codes for value in values], dtype=bool)
        wrong = np.isnan(self._read(values)) & ~is_code
        return np.asarray(np.append(wrong, False)[places])  # place -1, the last, is a gap

    def _read(self, values: Sequence[Any]) -> Array:
        """The numbers (k,) of different cells."""
        assert self.form is not None
        codes = np.array([value in self.missing_codes for value in values], dtype=bool)
        numbers = np.full(len(values), np.nan)
        readable = [value for value, is_code in zip(values, codes, strict=True) if not is_code]
        numbers[~codes] = self.form.numbers(readable)
        return numbers

    def permitted(self, numbers: Array) -> Mask:
        """(n,) whether the variable may have these numbers; True for NaN."""
        return permitted(self.domain, numbers)

    def nearest(self, numbers: Array) -> Array:
        """The nearest numbers (n,) that the variable may have; NaN stays."""
        return self.domain.nearest(numbers)

    def on_grid(self, numbers: Array) -> Array:
        """The nearest numbers (n,) that the variable may have, multiples as nearly all of the original's are; NaN stays."""
        if self.multiple_of is None:
            return self.nearest(numbers)
        if self.multiple_of >= 1:
            return self.nearest(np.rint(numbers / self.multiple_of) * self.multiple_of)
        # A twelfth is no float: the quotient has the last digit that a person's division gives.
        parts = round(1 / self.multiple_of, 6)
        return self.nearest(np.rint(numbers * parts) / parts)

    def column(self, frame: Frame, numbers: Array, rows: Mask) -> Any:
        """The column of the frame's library and type with the cells of numbers (n,) at `rows` (n,); at NaN a cell stays as it is."""
        changed = rows & ~np.isnan(numbers)
        nearest = self.nearest(numbers)
        if self.form is None:
            return frame.column_with(self.name, nearest, changed, as_float=self.as_float)
        different, places = np.unique(nearest[changed], return_inverse=True)
        written = self.form.cells(different)
        if self.form.is_number:
            values = np.full(len(numbers), np.nan)
            values[changed] = np.array(written, dtype=np.float64)[places]
            return frame.column_with(self.name, values, changed, as_float=False)
        cells = frame.cells(self.name)
        new = np.empty(len(written), dtype=object)
        new[:] = list(written)
        cells[changed] = new[places]
        return frame.column_of_cells(self.name, cells)

    def of_numbers(self) -> Variable:
        """The declaration of a column that holds the encoded numbers."""
        if isinstance(self.domain, Codes):
            return Variable("codes", codes=self.domain.values)
        low, high = self.domain.ends
        if isinstance(self.domain, Amounts) and self.domain.decimals is not None:
            return Variable("amount", bounds=(low, high), decimals=self.domain.decimals)
        return Variable("amount", bounds=(low, high), decimals=ALL)


@dataclass(frozen=True, kw_only=True)
class Encodings(Mapping[str, Encoding]):
    """The encodings of the columns of a file that are numbers for methods, by name."""

    by_name: Mapping[str, Encoding]
    """Of each column that is encoded as numbers."""
    categories: tuple[str, ...] = ()
    """The columns that are categories by what is declared or described, though their type is another one."""
    missing_levels: Mapping[str, tuple[Any, ...]]
    """The cells that mean missing, of each column with such codes that is not encoded as numbers."""
    variables: Variables
    """The descriptions of all columns that were asked for, declared ones included."""
    notes: tuple[Note, ...] = ()
    """What was read in an unusual way."""

    def __getitem__(self, name: str) -> Encoding:
        return self.by_name[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.by_name)

    def __len__(self) -> int:
        return len(self.by_name)


def encodings(
    owner: str,
    frame: Frame,
    declared: Declared,
    names: Sequence[str] | None = None,
    *,
    signs: bool = False,
    constrained: Collection[str] = (),
    inferred: Collection[str] | None = None,
) -> Encodings:
    """The encodings of some columns of a frame, or of a file that is read by blocks.

    Parameters
    ----------
    owner : str
        The caller, for messages.
    frame : Frame
        The original.
    declared : mapping, "numbers" or None
        See Declared.
    names : sequence of str, optional
        The columns; None for all.
    signs : bool
        Whether counts and amounts keep the sign of nearly all values.
    constrained : collection of str
        The columns of declared constraints: they keep a sign only if all of their values have it. A constraint may require
        the other sign in a few records.
    inferred : collection of str, optional
        The columns of which something may be inferred from their values; None for all.

    Returns
    -------
    Encodings
        With the descriptions of the columns.

    Raises
    ------
    InvalidInput
        For a declared kind of which the cells have no certain form. Text that may be dates or numbers in several forms, and is not
        declared, is not encoded.
    InvalidParameter
        For a declaration of a column that does not exist.
    """
    columns = [*frame.names] if names is None else [name for name in dict.fromkeys(names) if name in frame.names]
    if isinstance(declared, str):
        return _plain_numbers(frame, columns)
    variables = {} if declared is None else dict(declared)
    require_declared(owner, variables, frame)
    descriptions = described_columns(owner, frame, variables, columns, inferred)
    by_name = dict[str, Encoding]()
    categories = list[str]()
    missing_levels = dict[str, tuple[Any, ...]]()
    notes = list[Note]()
    for description in descriptions:
        name = description.name
        variable = variables.get(name, Variable())
        is_inferred = inferred is None or name in inferred
        if description.missing_codes:
            missing_levels[name] = missing_cells(frame, name, description.missing_codes)
        if description.kind == "category":
            if is_numeric(frame, name) or frame.kind(name) == "other":
                categories.append(name)
            continue
        if not is_inferred and not is_numeric(frame, name) and variable.kind is None:
            continue
        encoding = _encoding(owner, frame, description, variable, signs=signs, is_inferred=is_inferred)
        if encoding is None:
            continue
        if name in constrained and variable.bounds is None:
            encoding = _without_broken_sign(frame, encoding)
        by_name[name] = encoding
        missing_levels.pop(name, None)
        notes += _reading_notes(frame, encoding)
    return Encodings(
        by_name=by_name,
        categories=tuple(categories),
        missing_levels=missing_levels,
        variables=Variables(tuple(descriptions)),
        notes=tuple(notes),
    )


def require_declared(owner: str, declared: Declared, frame: Frame) -> None:
    """Raises InvalidInput for a declared column that does not exist."""
    if isinstance(declared, Mapping):
        for name in declared:
            if name not in frame.names:
                raise unknown_name(owner, "column in `variables`", name, frame.names)


def _without_broken_sign(frame: Frame, encoding: Encoding) -> Encoding:
    """The encoding without limits, if a value of the original is beyond them."""
    domain = encoding.domain
    if not isinstance(domain, Amounts) or (np.isinf(domain.low) and np.isinf(domain.high)):
        return encoding
    numbers = encoding.numbers(frame)
    if not ((numbers < domain.low) | (numbers > domain.high)).any():
        return encoding
    return replace(encoding, domain=replace(domain, low=-np.inf, high=np.inf))


def cell_encodings(frame: Frame, codes: Encodings) -> Encodings:
    """The encodings for a method that works on cells: numbers as they are, with gaps at codes of missing values."""
    by_name = dict[str, Encoding]()
    for name, encoding in codes.items():
        if encoding.form is None:
            decimals = 0 if frame.kind(name) == "integer" else None
            domain = Amounts(decimals=decimals, excluded=_excluded(encoding.missing_codes))
            by_name[name] = replace(encoding, domain=domain, as_float=False, multiple_of=None)
    return replace(codes, by_name=by_name, categories=(), notes=())


def _with_decimals(numbers: Array, decimals: int) -> Array:
    """Numbers (n,) rounded to decimals where they have these but for single precision: 3.2 in place of 3.20000005."""
    rounded = np.round(numbers, decimals)
    with np.errstate(invalid="ignore"):  # an infinite number, which is refused later, has no difference
        is_near = np.abs(rounded - numbers) <= SINGLE_PRECISION * np.abs(numbers)
    return np.where(is_near, rounded, numbers)


def _plain_numbers(frame: Frame, names: Sequence[str]) -> Encodings:
    """Encodings as real numbers, without codes, bounds and rounding."""
    descriptions = list[VariableDescription]()
    by_name = dict[str, Encoding]()
    for name in names:
        if not is_numeric(frame, name):
            continue
        description = VariableDescription(name=name, kind="amount", value_labels={}, reason="declared a real number")
        descriptions.append(description)
        if not frame.value_labels.get(name):
            is_integer = frame.kind(name) == "integer"
            by_name[name] = Encoding(name=name, description=description, domain=Amounts(), as_float=is_integer)
    return Encodings(by_name=by_name, missing_levels={}, variables=Variables(tuple(descriptions)))


def _encoding(
    owner: str,
    frame: Frame,
    description: VariableDescription,
    variable: Variable,
    *,
    signs: bool,
    is_inferred: bool,
) -> Encoding | None:
    """The encoding of a column; None where it is not encoded."""
    form = _form(owner, frame, description, variable)
    if form is None and not is_numeric(frame, description.name):
        return None
    missing_codes = missing_cells(frame, description.name, description.missing_codes)
    if description.kind in ("date", "duration", "time"):
        domain = _domain_of_time(frame, description, form, is_inferred=is_inferred)
        return Encoding(
            name=description.name, description=description, domain=domain, form=form, missing_codes=missing_codes
        )
    is_integer = frame.kind(description.name) == "integer"
    if is_inferred and is_integer and variable.decimals is None:
        description = replace(description, decimals=description.decimals or 0)
    domain = _domain_of_numbers(description, variable, signs=signs)
    stays_whole = is_inferred and _is_whole(domain)
    return Encoding(
        name=description.name,
        description=description,
        domain=domain,
        form=form,
        missing_codes=missing_codes,
        as_float=is_integer and not stays_whole,
        multiple_of=description.multiple_of if is_inferred else None,
    )


def _is_whole(domain: Domain) -> bool:
    """Whether all permitted numbers of codes or amounts are whole."""
    if isinstance(domain, Codes):
        return bool((domain.values % 1 == 0).all())
    return isinstance(domain, Amounts) and domain.decimals == 0


def _form(owner: str, frame: Frame, description: VariableDescription, variable: Variable) -> CellForm | None:
    """How the cells of a column are numbers; None for a column of numbers, and for one that is not encoded."""
    name = description.name
    kind = description.kind
    format = description.format
    type_kind = frame.kind(name)
    numeric = is_numeric(frame, name)
    if kind == "date":
        return _date_form(owner, frame, description, is_declared=variable.kind is not None)
    if kind == "duration":
        return Durations()
    if kind == "time":
        if format is not None:
            return WrittenTimes(format=format, is_number=numeric)
        if numeric or type_kind == "text":
            rule = f"column `{name}`, declared a time of day, must have a `format`, such as %H:%M"
            raise InvalidInput(owner, rule, f"a {type_kind} column")
        return TimesOfDay()
    if numeric or kind in ("identifier", "other"):
        return None
    if type_kind in ("text", "category"):
        number_form = None if format is None else NumberForm.of(format)
        if number_form is None and variable.kind is None:
            return None
        if number_form is None:
            raise InvalidInput(owner, SEVERAL_FORMS.format(name=name, what="numbers"), description.reason)
        if variable.decimals is not None:
            return TextNumbers(form=number_form, decimals=description.decimals)
        texts, counts = _texts(frame, name)
        return TextNumbers(form=number_form, decimals=written_decimals(number_form, texts, counts))
    if type_kind == "other":
        return ObjectNumbers(decimals=description.decimals)
    return None


def _date_form(owner: str, frame: Frame, description: VariableDescription, *, is_declared: bool) -> CellForm | None:
    """How dates are numbers; None for periods that are numbers, as Stata stores them, and for text without a certain form."""
    name = description.name
    format = description.format
    if is_numeric(frame, name):
        if format is None:
            rule = f"column `{name}`, declared a date, must have a `format`, such as %Y%m"
            raise InvalidInput(owner, rule, "numbers in no known form of dates")
        if step_of_format(format) is not None:
            return None if format.startswith("%t") else SpssDates()
        if format in DECIMAL_YEARS:
            decimals = decimals_of(Tally.of(frame.values(name)))
            return DecimalYears(step=DECIMAL_YEARS[format], decimals=decimals)
        return WrittenDates(format=format, step=step_of_written(format), is_number=True)
    if frame.kind(name) in ("text", "category"):
        if format is None and not is_declared:
            return None
        if format is None:
            raise InvalidInput(owner, SEVERAL_FORMS.format(name=name, what="dates"), description.reason)
        texts, counts = _texts(frame, name)
        return styled_dates(format, step_of_written(format), texts, counts)
    _, values = frame.distinct(name)
    if not values:
        return TypedDates(only_dates=False)
    sample = values[0]
    if hasattr(sample, "freqstr"):  # a period of pandas
        return PandasPeriods(frequency=sample.freqstr)
    return TypedDates(only_dates=not hasattr(sample, "hour"), zone=getattr(sample, "tzinfo", None))


def _texts(frame: Frame, name: str) -> tuple[list[str], list[int]]:
    """The different texts of a column, and how many records have each."""
    places, values = frame.distinct(name)
    counts = np.bincount(places + 1, minlength=len(values) + 1)[1:]
    return [str(value) for value in values], counts.tolist()


def _domain_of_numbers(description: VariableDescription, variable: Variable, *, signs: bool) -> Domain:
    """The permitted numbers of codes, counts and amounts."""
    excluded = _excluded(description.missing_codes)
    if description.kind == "codes":
        values = numbers_among(description.values)
        if variable.codes is not None:
            return Codes(values=np.unique(values))
        labelled = numbers_among(description.value_labels)
        every = np.concatenate([values, labelled[~np.isin(labelled, excluded)]])
        return Codes.of(every, description.step, excluded)
    low = -np.inf
    high = np.inf
    if isinstance(variable.bounds, tuple):
        declared_low, declared_high = variable.bounds
        if declared_low is not None:
            low = declared_low
        if declared_high is not None:
            high = declared_high
    elif signs and variable.bounds != NONE:
        of_identifier = description.kind == "identifier" and description.low is not None and description.low >= 0
        if description.sign == NOT_NEGATIVE or of_identifier:
            low = 0.0
        if description.share_of is not None:
            high = float(description.share_of)
        if description.sign == NOT_POSITIVE:
            high = 0.0
    decimals = None if variable.decimals == ALL else description.decimals
    return Amounts(decimals=decimals, low=low, high=high, excluded=excluded)


def _domain_of_time(
    frame: Frame, description: VariableDescription, form: CellForm | None, *, is_inferred: bool
) -> Domain:
    """The permitted numbers of dates, durations and times of day. is_inferred : whether values may be read."""
    if form is None or isinstance(form, PandasPeriods):
        return Amounts(decimals=0, excluded=_excluded(description.missing_codes))
    if isinstance(form, DecimalYears):
        low, high = form.limits()
        return Amounts(decimals=0, low=low, high=high)
    if isinstance(form, WrittenDates):
        low, high = form.limits()
        if form.is_period:
            return Amounts(decimals=0, low=low, high=high)
        if form.step != "day" or not is_inferred:
            return Dates(step=form.step, first=low, last=high)
        # Days may all be first days of months, or one weekday.
        days = _tally_of_times(frame, description, form)
        step = step_of_days(days) or form.step
        return Dates(step=step, first=low, last=high, weekday=_usual_weekday(days))
    tally = _tally_of_times(frame, description, form)
    if isinstance(form, SpssDates):
        step = WEEK_OF_YEAR if description.step == "week" else str(description.step)
        return Dates(step=step, first=FIRST_DAY, last=LAST_DAY)
    if isinstance(form, TypedDates):
        of_dates = None if description.step is None else str(description.step)
        return Dates(step=of_dates, first=FIRST_DAY, last=LAST_DAY, weekday=_usual_weekday(tally))
    if description.kind == "time":
        unit = unit_of_times(tally)
        return Amounts(unit=unit, low=0.0, high=DAY_SECONDS - unit)  # midnight is the first time of a day
    unit = unit_of_seconds(tally)
    if tally.records and is_nearly_all(int(tally.counts[tally.values >= 0].sum()), tally.records):
        return Amounts(unit=unit, low=0.0)
    if tally.records and is_nearly_all(int(tally.counts[tally.values <= 0].sum()), tally.records):
        return Amounts(unit=unit, high=0.0)
    return Amounts(unit=unit)


def _tally_of_times(frame: Frame, description: VariableDescription, form: CellForm) -> Tally:
    """The numbers of dates, durations or times of day, without codes of missing values."""
    places, values = frame.distinct(description.name)
    missing = missing_cells(frame, description.name, description.missing_codes)
    known = [place for place, value in enumerate(values) if value is not None and value not in missing]
    counts = np.bincount(places + 1, minlength=len(values) + 1)[1:]  # records of each value
    return Tally.of(form.numbers([values[place] for place in known]), counts[known])


def _usual_weekday(tally: Tally) -> int:
    """The weekday of most dates, as the distance from that of 1970-01-01."""
    if not tally.records:
        return 0
    weekdays = np.floor(tally.values).astype(np.int64) % 7
    return int(np.bincount(weekdays, tally.counts).argmax())


def _excluded(codes: Collection[Any]) -> tuple[float, ...]:
    """The codes of missing values that are numbers, which no released amount may have."""
    return tuple(numbers_among(codes).tolist())


def _reading_notes(frame: Frame, encoding: Encoding) -> list[Note]:
    """How text was read, and how many cells cannot be read."""
    notes = list[Note]()
    if isinstance(encoding.form, TextNumbers):
        notes.append(Note.of("read_as", READ_AS_NUMBERS, [encoding.name], form=encoding.form.form.format))
    if isinstance(encoding.form, TextNumbers | WrittenDates | WrittenTimes | DecimalYears):
        count = int(encoding.unreadable(frame).sum())
        if count:
            what = str(encoding.description.format)
            notes.append(Note.of("read_as", UNREADABLE, [encoding.name], count=count, what=what))
    return notes

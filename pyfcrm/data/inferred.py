"""What each column of a file may contain, from its type, its labels and its values.

A later rule applies where the earlier ones do not. Numbers: labels of nearly all values; formats of dates; identifiers; dates as
whole numbers; codes; counts; amounts. Text: dates; numbers with separators or units; identifiers; categories.
"""

from __future__ import annotations

import numbers
from collections.abc import Callable, Iterable, Sequence
from datetime import date, time, timedelta
from decimal import Decimal
from typing import Any

import numpy as np

from ..errors import InvalidInput
from ..types import WHOLE, Array, Codes, Integers
from .cell_forms import days_of, seconds_of
from .check import is_numeric
from .column_facts import MAX_DISTINCT, MAX_LARGEST
from .column_names import is_identifier_name, named_as
from .date_forms import (
    DECIMAL_YEARS,
    PERIODS,
    TEXT_STEPS,
    date_in,
    decimal_year_form,
    step_of_days,
    step_of_format,
    step_of_period,
    text_date_forms,
    whole_date_form,
    whole_time_form,
)
from .frame import Frame
from .number_kinds import (
    MAX_CODES,
    codes_of,
    decimals_of,
    multiple_of,
    proposed_missing_codes,
    share_of,
    sign_of,
    step_of_codes,
)
from .number_text import number_forms
from .tally import FEWEST, Tally, is_nearly_all
from .variable import Value, plain_value
from .variables import NOT_NEGATIVE, VariableDescription

FEW = "fewer than 10 records have a value: nothing is inferred from them"
EMPTY = "it has no value"
CONFIRM = "confirm it, or declare its kind"

Findings = dict[str, Any]
"""Fields of a VariableDescription, by name."""


def described(frame: Frame, name: str) -> VariableDescription:
    """The description of one column."""
    try:
        findings = _findings(frame, name)
    except InvalidInput as error:  # cells that are lists, years beyond 9999; its value may be one respondent's
        findings = {"kind": "other", "reason": f"its values cannot be used: {error.rule}", "doubtful_kind": True}
    except ArithmeticError:
        findings = {"kind": "other", "reason": "it has numbers that no float can hold", "doubtful_kind": True}
    labels = {} if findings["kind"] == "other" else frame.value_labels.get(name, {})
    described = {
        "name": name,
        "label": frame.column_labels.get(name) or "",
        "value_labels": labels,
        "missing_codes": _declared_missing_codes(frame, name),
        **findings,
    }
    return VariableDescription(**described)


def _declared_missing_codes(frame: Frame, name: str) -> tuple[Value, ...]:
    """The single values that the file declares missing, and those in a declared range that have a label."""
    codes = list[Any](frame.missing_values.get(name, ()))
    labelled = frame.value_labels.get(name, {})
    for ends in frame.missing_ranges.get(name, ()):
        low, high = ends["lo"], ends["hi"]
        if low == high:
            codes.append(low)
        else:
            codes += [value for value in labelled if not isinstance(value, str) and low <= value <= high]
    plain = map(plain_value, codes)
    return tuple(dict.fromkeys(value for value in plain if value is not None))


def _findings(frame: Frame, name: str) -> Findings:
    """What the type and the values of one column show."""
    if is_numeric(frame, name):
        digits = frame.decimal_places(name)
        if digits is None:
            return _of_numbers(frame, name, frame.values(name))
        # The libraries convert decimals to floats that differ in the last digit.
        return _of_numbers(frame, name, np.round(frame.values(name), digits))
    kind = frame.kind(name)
    if kind in ("boolean", "category"):
        reason = "yes or no" if kind == "boolean" else "its type is that of categories"
        return _of_levels(frame, name, reason)
    places, values = frame.distinct(name, "describe")
    counts = np.bincount(places + 1, minlength=len(values) + 1)[1:]
    if kind == "text":
        return _of_text(frame, name, [str(value) for value in values], counts)
    if not len(values):
        return {"kind": "date" if kind == "date" else "other", "reason": EMPTY}
    return _of_objects(frame, name, values, counts, places)


def _of_numbers(frame: Frame, name: str, numbers: Array) -> Findings:
    """A column of numbers (n,), NaN for missing."""
    tally = Tally.of(numbers)
    tally = tally.where(~np.isin(tally.values, _numbers_of(_declared_missing_codes(frame, name))))
    whole_type = frame.kind(name) == "integer"
    if not tally.records:
        return {"kind": "amount", "reason": EMPTY}
    limits = _limits(tally, 0 if whole_type else None)
    step = step_of_format(frame.formats.get(name))
    if step is not None:
        format = frame.formats[name]
        return {
            "kind": "date",
            "step": step,
            "format": format,
            "reason": f"its format in the file is {format}",
            **limits,
        }
    labelled = np.isin(tally.values, _numbers_of(frame.value_labels.get(name, {})))
    if tally.holds(labelled) or (tally.records < FEWEST and labelled.all()):
        values = tuple(plain_value(value) for value in tally.frequent.tolist())
        return {"kind": "category", "values": values, "reason": "nearly all values have labels"}
    if tally.records < FEWEST:
        return {"kind": "amount", "decimals": 0 if whole_type else None, "reason": FEW, **limits}

    proposed = proposed_missing_codes(tally)
    others = tally.where(~np.isin(tally.values, proposed.codes))
    decimals = decimals_of(others)
    whole = decimals == 0
    findings = None
    if whole and not proposed.codes:
        findings = _identifier_of_numbers(frame, name, others) or _identifier_of_several(name, others)
    if findings is None and whole:
        form = whole_date_form(others)
        if form is not None:
            reason = f"whole numbers that are dates in the form {form}: {CONFIRM}"
            moments = [date_in(str(int(value)), form) for value in others.values]
            findings = {
                "kind": "date",
                "format": form,
                "step": _step_of_dates(moments, others.counts, TEXT_STEPS[form]),
                "reason": reason,
                "doubtful_kind": True,
            }
    if findings is None:
        findings = _times_of_numbers(name, others, decimals) or _amounts(others, decimals)
    if findings["kind"] == "count" and named_as("classification", name):
        reason = "whole numbers, by the name of the column codes of a classification: declare kind category if they are"
        findings |= {"reason": reason, "doubtful_kind": True}
    findings |= _limits(others, decimals)
    if proposed.codes:
        remark = f"`{name}` {proposed.reason}: declare missing_codes if it is a code"
        findings |= {"proposed_missing_codes": proposed.codes, "remark": remark}
    return findings


def _times_of_numbers(name: str, tally: Tally, decimals: int | None) -> Findings | None:
    """Times of day as whole numbers, or years with a fraction; else None. decimals : of nearly all numbers."""
    if decimals != 0:
        form = decimal_year_form(tally, decimals)
        if form is None:
            return None
        step = DECIMAL_YEARS[form]
        reason = f"numbers that are years with {step}s as fractions: {CONFIRM}"
        return {"kind": "date", "format": form, "step": step, "reason": reason, "doubtful_kind": True}
    form = whole_time_form(tally, named=named_as("time of day", name))
    if form is None or named_as("classification", name):
        return None
    written = "HHMM" if form == "%H%M" else "HHMMSS"
    reason = f"whole numbers that are times of day in the form {written}: {CONFIRM}"
    return {"kind": "time", "format": form, "reason": reason, "doubtful_kind": True}


def _identifier_of_numbers(frame: Frame, name: str, tally: Tally) -> Findings | None:
    """An identifier: whole numbers that all differ, and count up by 1 or have the name of one; else None."""
    sizes = tally.counts
    if np.abs(tally.values).max() >= WHOLE:  # different numbers may be one float
        sizes = np.bincount(frame.codes(name) + 1)[1:]
    if not is_nearly_all(int((sizes == 1).sum()), int(sizes.sum())):
        return None
    steps = np.diff(tally.values)
    counts_up = is_nearly_all(int((steps == 1).sum()), len(steps)) and not named_as("period", name)
    if counts_up:
        return {
            "kind": "identifier",
            "reason": f"whole numbers that all differ and count up by 1: {CONFIRM}",
            "doubtful_kind": True,
        }
    if is_identifier_name(name, all_differ=True):
        return {
            "kind": "identifier",
            "reason": f"named as an identifier, and all values differ: {CONFIRM}",
            "doubtful_kind": True,
        }
    return None


def _identifier_of_several(name: str, tally: Tally) -> Findings | None:
    """An identifier of several records each: whole numbers that have the name of one, are many, and do not vary in frequency much."""
    if not is_identifier_name(name, all_differ=False) or named_as("period", name) or codes_of(tally) is not None:
        return None
    largest = int(np.sort(tally.counts)[-FEWEST:].min())  # that at least 10 values have
    if len(tally.values) <= MAX_CODES or largest * len(tally.values) > MAX_LARGEST * tally.records:
        return None
    reason = f"named as an identifier, of several records each: {CONFIRM}"
    return {"kind": "identifier", "reason": reason, "doubtful_kind": True}


def _amounts(tally: Tally, decimals: int | None) -> Findings:
    """Codes, a count or an amount, of at least 10 records. decimals : of nearly all of them."""
    sign = sign_of(tally)
    findings: Findings = {"decimals": decimals, "sign": sign, "share_of": share_of(tally)}
    codes = codes_of(tally) if decimals == 0 else None
    if codes is not None:
        rarer = int(tally.counts[~np.isin(tally.values, codes)].sum())
        findings |= {"kind": "codes", "values": tuple(map(int, codes.tolist()))}
        findings |= {"step": step_of_codes(codes), "reason": "few whole numbers, of at least 10 records each"}
        if len(codes) == 1 and rarer >= FEWEST:
            reason = f"nearly all records have one value, {rarer:,} have rarer ones: declare kind count or amount if these matter"
            findings |= {"reason": reason, "doubtful_kind": True}
    elif decimals == 0 and sign == NOT_NEGATIVE:
        findings |= {"kind": "count", "reason": "whole numbers, none negative"}
    elif decimals == 0:
        findings |= {"kind": "amount", "reason": "whole numbers, some negative"}
    elif decimals is None:
        findings |= {"kind": "amount", "reason": "numbers without a fixed number of decimals"}
    else:
        findings |= {"kind": "amount", "reason": f"numbers with {decimals} decimal{'s' * (decimals != 1)}"}
    if decimals != 0 and codes_of(tally) is not None:
        reason = f"{findings['reason']}, few different ones: declare kind codes if no other value may occur"
        findings |= {"reason": reason, "doubtful_kind": True}
    if findings["kind"] != "codes":
        findings["multiple_of"] = multiple_of(tally, decimals)
    return findings


def _of_levels(frame: Frame, name: str, reason: str) -> Findings:
    """A category by its type."""
    places, values = frame.distinct(name, "describe")
    return {
        "kind": "category",
        "values": _levels(values, np.bincount(places + 1, minlength=len(values) + 1)[1:]),
        "reason": reason,
    }


def _levels(values: Sequence[Any], counts: Integers) -> tuple[Any, ...]:
    """The values of at least 10 records as Python's own, in the order of their texts; numbers in their own order."""
    frequent = [value for value, count in zip(values, counts.tolist(), strict=True) if count >= FEWEST]
    levels = [_plain_level(value) for value in frequent]
    if all(isinstance(level, int | float) for level in levels):
        return tuple(sorted(levels))
    return tuple(sorted(levels, key=str))


def _plain_level(value: Any) -> Any:
    if isinstance(value, bool | np.bool_):
        return bool(value)
    number = plain_value(value)
    return str(value) if number is None else number


def _of_text(frame: Frame, name: str, texts: Sequence[str], counts: Integers) -> Findings:
    """A column of different texts (k,) with the records that have each, (k,)."""
    order = np.argsort(np.array(texts, dtype=object), kind="stable") if texts else np.empty(0, dtype=np.intp)
    texts, counts = [texts[place] for place in order], counts[order]
    records = int(counts.sum())
    if not records:
        return {"kind": "category", "reason": EMPTY}
    findings: Findings = {"kind": "category", "values": _levels(texts, counts), "reason": "text"}
    if records < FEWEST:
        return findings | {"reason": FEW}
    return (
        _dates_in_text(texts, counts)
        or _numbers_in_text(name, texts, counts)
        or _identifier_of_text(frame, name, counts)
        or _many_levels(findings, len(texts), records)
    )


def _dates_in_text(texts: Sequence[str], counts: Integers) -> Findings | None:
    """A date, in one form or in several; else None."""
    forms = text_date_forms(texts, counts)
    if not forms:
        return None
    step = TEXT_STEPS[forms[0]] if forms[0] in TEXT_STEPS else PERIODS[forms[0]][1]
    findings: Findings = {"kind": "date", "step": step, "doubtful_kind": True}
    if len(forms) > 1:
        reason = f"text that is dates in the forms {' and '.join(forms)}: declare `format`"
        return findings | {"reason": reason}
    dates = {text: date_in(text.strip(), forms[0]) for text in texts}
    in_order = sorted((moment, text) for text, moment in dates.items() if moment is not None)
    findings["step"] = _step_of_dates([dates[text] for text in texts], counts, step)
    findings |= {"low": in_order[0][1], "high": in_order[-1][1], "format": forms[0]}
    return findings | {"reason": f"text that is dates in the form {forms[0]}: {CONFIRM}"}


def _step_of_dates(moments: Sequence[Any], counts: Integers, step: str) -> str:
    """The step of dates (k,) in one form, with the records of each: days may all be first days of months, or one weekday."""
    if step != "day":
        return step
    known = [place for place, moment in enumerate(moments) if isinstance(moment, date)]
    days = np.array([days_of(moments[place]) for place in known])
    return step_of_days(Tally.of(days, counts[known])) or step


def _numbers_in_text(name: str, texts: Sequence[str], counts: Integers) -> Findings | None:
    """Numbers with separators, another decimal mark or a unit; None where they are not, or are codes of a classification by name."""
    readings = [] if named_as("classification", name) else number_forms(texts, counts)
    if not readings:
        return None
    if len(readings) > 1:
        forms = " and ".join(form.format for form, _ in readings)
        reason = f"text that is numbers in the forms {forms}: declare `format`"
        return {"kind": "amount", "reason": reason, "doubtful_kind": True}
    form, numbers = readings[0]
    tally = Tally.of(numbers, counts)
    decimals = decimals_of(tally)
    findings = _amounts(tally, decimals) | _limits(tally, decimals)
    return findings | {"format": form.format, "reason": f"text, read as numbers in the form {form.format}"}


def _identifier_of_text(frame: Frame, name: str, counts: Integers) -> Findings | None:
    if not is_nearly_all(int((counts == 1).sum()), int(counts.sum())):
        return None
    return {"kind": "identifier", "reason": "text whose values all differ"}


def _many_levels(findings: Findings, levels: int, records: int) -> Findings:
    """A category of text; doubtful where more than half of the values differ."""
    if levels <= MAX_DISTINCT * records:
        return findings
    reason = "text of which more than half of the values differ: declare kind category or identifier"
    return findings | {"reason": reason, "doubtful_kind": True}


def _of_objects(frame: Frame, name: str, values: Sequence[Any], counts: Integers, places: Codes) -> Findings:
    """A column of dates, times, or Python objects: different values (k,), their records (k,), and the place of each cell (n,)."""

    def all_are(types: type | tuple[type, ...]) -> bool:
        return all(isinstance(value, types) for value in values)

    def numbers_in_place(number: Callable[[Any], float]) -> Array:
        return np.append([number(value) for value in values], np.nan)[places].astype(np.float64)

    if all_are((bool, np.bool_)):
        return _of_levels(frame, name, "yes or no")
    if all(isinstance(value, numbers.Real | Decimal) and not isinstance(value, bool) for value in values):
        return _of_numbers(frame, name, numbers_in_place(float))
    if all_are(date):
        days = Tally.of(np.array([days_of(value) for value in values]), counts)
        findings: Findings = {"kind": "date", "step": step_of_days(days), "reason": "its type is that of dates"}
        return findings | {"low": _iso(days.values[0]), "high": _iso(days.values[-1])} if days.records else findings
    if all_are((timedelta, np.timedelta64)):
        seconds = [seconds_of(value) for value in values]
        return {"kind": "duration", "low": min(seconds), "high": max(seconds), "reason": "durations, here in seconds"}
    if all_are(time):
        times = sorted(value.isoformat() for value in values)
        return {"kind": "time", "low": times[0], "high": times[-1], "reason": "its type is time of day"}
    frequencies = {getattr(value, "freqstr", None) for value in values}
    if len(frequencies) == 1 and None not in frequencies:  # periods of pandas
        periods = sorted(values)
        findings = {"kind": "date", "step": step_of_period(periods[0].freqstr), "reason": "its type is that of periods"}
        return findings | {"low": str(periods[0]), "high": str(periods[-1])}
    types = ", ".join(sorted({type(value).__name__ for value in values}))
    return {
        "kind": "other",
        "reason": f"values of type {types}, which no method protects: convert or drop it",
        "doubtful_kind": True,
    }


def _numbers_of(codes: Iterable[Any]) -> Array:
    """Those of the codes, or of the values with labels, that are numbers."""
    return np.array([code for code in codes if isinstance(code, numbers.Real)], dtype=np.float64)


def _limits(tally: Tally, decimals: int | None) -> Findings:
    """The smallest and the largest number, with the decimals of the column."""
    low, high = (value if decimals is None else round(value, decimals) for value in tally.values[[0, -1]].tolist())
    return {"low": low if decimals else plain_value(low), "high": high if decimals else plain_value(high)}


def _iso(days: float) -> str:
    """A number of days since 1970-01-01 as an ISO date, with the time where it is not midnight."""
    moment = np.datetime64(round(days * 86_400e6), "us")
    text = str(moment.astype("datetime64[s]"))
    return text.removesuffix("T00:00:00")

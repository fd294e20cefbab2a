"""Next steps after a hold that follow from the release: coarser key variables, a top code, another method.

Numbers in them depend on at least 10 records and are rounded to two significant digits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import ceil, floor, log10

import numpy as np

from ...data import Frame, Roles
from ...data.codes import crossed, factorized
from ...data.column_facts import column_facts, unique_records, unique_units
from ...data.encoding import encodings
from ...data.inferred import described
from ...data.units import unit_codes
from ...methods import Calibrated, Method, Recoding, Sequential, TopBottomCoding
from ...numerics.location import evenly
from ...types import Array, Codes
from ..encoded_files import plain_cells
from .examined_release import MISSING_CELLS, ExaminedRelease
from .outcomes import Remedy
from .plan_changes import PlanChange

RECORDS = 10  # on which a number in a remedy depends, and that have the value of a top code
TOP_SHARE = 0.01  # of the records, that a top code changes
CLASSES = 5  # of a recoded number, with about equal numbers of records
MAX_COLUMNS = 5  # key variables that are coarsened
MAX_NAMED = 6  # columns that a remedy names
FEWER_GAPS = "leave out the records with missing cells (`missing='drop'`), or the columns whose gaps few records share"
SAMPLE = 20_000  # records in which the key variables to coarsen are searched
DAYS = 365.2425  # of a year


def top_code(release: ExaminedRelease, name: str) -> tuple[Remedy, ...]:
    """Top-coding of a number so that one per cent of the records, at least 10, have the top code; none where it has too few values."""
    values = release.original.values(name)
    values = np.sort(values[np.isfinite(values)])[::-1]
    above = max(RECORDS, ceil(TOP_SHARE * len(values)))
    if len(values) < 2 * above + RECORDS:
        return ()
    # At most the mean of ten values that `above` others reach: these have the top code.
    top = _rounded_down(float(values[above : above + RECORDS].mean()))
    if top <= 0:
        return ()
    return (_treated_before(f"top-code `{name}` at {_figure(top)}", TopBottomCoding(top=top), name),)


def _treated_before(words: str, method: Method, name: str) -> Remedy:
    """A remedy that treats one column before all else."""
    return Remedy(words, PlanChange(before=((method, Roles(dependent=name)),)))


def dropped(words: str, *names: str) -> Remedy:
    """A remedy that drops columns."""
    return Remedy(words, PlanChange(dropped=names))


def replacing_method(release: ExaminedRelease, names: Iterable[str]) -> tuple[Remedy, ...]:
    """A method that replaces every value of some variables; predictors that more records share where the method does already."""
    facts = release.facts
    if facts is None or facts.masks != "values" or facts.reissues_values:
        return (_with_method(release, names, "which replaces every value"),)
    unmodified = release.unmodified
    alone = {} if unmodified is None else unmodified.alone
    shared_by_few = [name for name in release.predictors if alone.get(name)]
    if not shared_by_few:
        return ()
    worst = max(shared_by_few, key=lambda name: alone[name])
    return (_coarsened(plain_cells(release.original), worst).remedy,)


def possible_values(release: ExaminedRelease, names: Iterable[str]) -> tuple[Remedy, ...]:
    """A method that keeps signs and rules of some variables; none where the method does already."""
    facts = release.facts
    if facts is not None and facts.swaps:
        return ()
    return (_with_method(release, names, "which keeps signs and rules"),)


def _with_method(release: ExaminedRelease, names: Iterable[str], advantage: str) -> Remedy:
    """Calibrated trees for numbers, and trees alone for categories. advantage : their advantage in words."""
    names = list(names)
    numbers = [name for name in names if name in release.numbers]
    others = [name for name in names if name not in release.numbers]
    parts = list[Remedy]()
    for columns, method, text in (
        (numbers, Calibrated(), "Calibrated()"),
        (others, Sequential(), "Sequential()"),
    ):
        if not columns:
            continue
        words = f"protect {listed(columns)} with {text}, {advantage}"
        # Without predictors there is no regression.
        change = PlanChange(instead=((method, tuple(columns)),)) if release.predictors else None
        parts.append(Remedy(words, change))
    return Remedy.together(parts)


@dataclass(frozen=True)
class Coarsening:
    """A key variable made coarser."""

    remedy: Remedy
    """The step."""
    codes: Codes
    """The coarser values of the records (n,) as codes; all equal where it is dropped."""


def coarser_keys(release: ExaminedRelease, names: Sequence[str], limit: float) -> tuple[Remedy, ...]:
    """At most five key variables to coarsen, those first that leave fewest sample uniques, until these are within a limit.

    Where the missing cells alone leave more, fewer of these are the step.
    limit : per cent of the records, or of the units.
    """
    protected = plain_cells(release.protected)
    rows = evenly(protected.records, SAMPLE)
    units = None if release.roles is None else unit_codes(protected, release.roles, rows)
    total = len(rows) if units is None else len(np.unique(units))
    # An audit attacks numbers as numbers: a confidential one is recoded to the mean of each class.
    candidates = {
        name: _coarsened(protected, name, labels=name not in release.confidential)
        for name in names
        if name in protected.names and len(np.unique(protected.codes(name))) > 1
    }
    codes = {name: protected.codes(name)[rows] for name in candidates}
    remedies = list[Remedy]()
    if MISSING_CELLS in names:
        gaps = {name: patterns[rows] for name, patterns in release.missing_cells().items()}
        if _uniques([*gaps.values()], units) > limit / 100 * total:
            return (Remedy(FEWER_GAPS),)
        codes |= gaps
    for _ in range(min(MAX_COLUMNS, len(candidates))):
        # The sample uniques that are left if one more of the columns is coarsened.
        counts = dict[str, int]()
        for name, coarsening in candidates.items():
            others = [of_other for other, of_other in codes.items() if other != name]
            counts[name] = _uniques([*others, coarsening.codes[rows]], units)
        best = min(counts, key=lambda name: counts[name])
        chosen = candidates.pop(best)
        codes[best] = chosen.codes[rows]
        remedies.append(chosen.remedy)
        if counts[best] <= limit / 100 * total:
            break
    return (Remedy.together(remedies),) if remedies else ()


def _uniques(columns: Sequence[Codes], units: Codes | None) -> int:
    """How many records, or units, are unique on the codes (n,) of some columns."""
    combined = np.zeros(len(columns[0]), dtype=np.int64)
    for codes in columns:
        combined = crossed(combined, codes)
    return unique_records(combined) if units is None else unique_units(combined, units)


def _coarsened(frame: Frame, name: str, *, labels: bool = True) -> Coarsening:
    """The coarsening of a key variable: dates to years, numbers to five classes; what is nearly unique is dropped.

    labels : whether a class is released as an interval, else as its mean.
    """
    facts = column_facts(frame, name)
    kind = described(frame, name).kind
    alike = np.zeros(frame.records, dtype=np.int64)
    if kind == "date":
        return _to_years(frame, name)
    if facts.nearly_unique:
        words = f"drop `{name}` or protect it" if facts.numeric else f"drop `{name}`"
        return Coarsening(dropped(words, name), alike)
    cuts = tuple[float, ...]()
    if facts.numeric and kind != "category":
        cuts = _cuts(frame.values(name), facts.whole)
    if not cuts:
        return Coarsening(dropped(f"recode `{name}` to fewer groups or drop it", name), alike)
    values = frame.values(name)
    classes = np.where(np.isnan(values), -1, np.searchsorted(cuts, values, side="right"))
    words = f"recode `{name}` at {_enumerated([_figure(cut) for cut in cuts])}"
    return Coarsening(_treated_before(words, Recoding(breaks=cuts, labels=labels), name), classes)


def _to_years(frame: Frame, name: str) -> Coarsening:
    """The coarsening of dates to years."""
    days = encodings("evaluate", frame, None, [name])[name].numbers(frame)
    years, _ = factorized(np.floor(days / DAYS))
    words = f"recode `{name}` to years"
    if frame.kind(name) != "date":  # Recoding knows no dates in numbers and text
        return Coarsening(Remedy(words), years)
    return Coarsening(_treated_before(words, Recoding(breaks="year"), name), years)


def _cuts(values: Array, whole: bool) -> tuple[float, ...]:
    """Rounded cut points of classes with at least 10 records each: means of 10 values around quantiles. whole : of whole numbers."""
    values = np.sort(values[np.isfinite(values)])
    if len(values) < 2 * CLASSES * RECORDS:
        return ()
    half = RECORDS // 2
    cuts = list[float]()
    below_last = 0  # values below the last cut point
    for k in range(1, CLASSES):
        place = len(values) * k // CLASSES
        cut = _rounded_down(float(values[place - half : place + half].mean()))
        if whole:
            cut = float(floor(cut))
        below = int(np.searchsorted(values, cut))
        if below - below_last >= RECORDS and len(values) - below >= RECORDS:
            cuts.append(cut)
            below_last = below
    return tuple(cuts)


def _rounded_down(value: float) -> float:
    """A number with two significant digits that is at most `value`."""
    if value == 0:
        return 0.0
    digits = 1 - floor(log10(abs(value)))  # decimals of the second significant digit, negative for tens and more
    unit = 10.0**-digits
    units = floor(value / unit + 1e-9)  # a value of two digits is not rounded down by its last bits
    return round(units * unit, max(digits, 0))


def _figure(value: float) -> str:
    """A rounded number as text."""
    return f"{value:,.10g}"


def listed(names: Sequence[str]) -> str:
    """Columns in words, of many the first and how many there are besides."""
    texts = [f"`{name}`" for name in names]
    if len(texts) > MAX_NAMED:
        others = len(texts) - MAX_NAMED + 1
        texts = [*texts[: MAX_NAMED - 1], f"{others} others"]
    return _enumerated(texts)


def _enumerated(texts: Sequence[str]) -> str:
    """One or more texts in words: "a", "a and b", "a, b and c"."""
    *others, last = texts
    if not others:
        return last
    return f"{', '.join(others)} and {last}"

"""Global recoding: numbers and dates become intervals, and categories groups, the same for every record."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import whole_number
from ..data.codes import distinct, single_values
from ..errors import InvalidParameter, Note
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .frame_method import FrameMethod, FrameRelease
from .parameter import by_column, param

MAX_CLASSES = 10_000
BREAKS = (
    "ascending cut points, a whole number of classes, a period of dates, a mapping from categories to groups, or a mapping from "
    "column to one of these"
)
PERIODS: Mapping[str, Callable[[datetime], str]] = {
    "year": lambda day: f"{day:%Y}",
    "quarter": lambda day: f"{day:%Y}-Q{(day.month + 2) // 3}",
    "month": lambda day: f"{day:%Y-%m}",
}
EPOCH = datetime(1970, 1, 1)
Breaks = int | tuple[float, ...] | tuple[str, ...] | str | Mapping[Any, str]


def _breaks(owner: str, name: str, value: Any) -> Breaks:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return whole_number(owner, name, value, low=1, limit=MAX_CLASSES)
    if isinstance(value, str) and value in PERIODS:
        return value
    if isinstance(value, Mapping) and value:
        return {category: str(group) for category, group in value.items()}
    try:
        listed = () if isinstance(value, str) else tuple(value)
        dates = listed and all(isinstance(cut, str | date) for cut in listed)
        cuts = tuple(map(_days, listed) if dates else map(float, listed))
    except (TypeError, ValueError, OverflowError):
        cuts = ()
    if not cuts or not np.isfinite(cuts).all() or any(a >= b for a, b in itertools.pairwise(cuts)):
        raise InvalidParameter(owner, name, f"must be {BREAKS}", value)
    return tuple(map(_day_text, cuts)) if dates else cuts


def _days(day: str | date) -> float:
    """Days since 1970, of a date or of its ISO text."""
    return (_moment(day) - EPOCH).total_seconds() / 86_400


def _moment(day: str | date) -> datetime:
    moment = datetime.fromisoformat(day if isinstance(day, str) else day.isoformat())
    return moment.replace(tzinfo=None)


def _day_text(days: float) -> str:
    """Days since 1970 as the ISO text of a date, or of a time where it is not midnight."""
    return (EPOCH + timedelta(days=days)).isoformat().removesuffix("T00:00:00")


@dataclass(frozen=True)
class Recoding(FrameMethod):
    """Replace each dependent value by the interval that contains it, and categories by their group.

    Parameters
    ----------
    breaks : sequence of float, int or mapping
        Ascending cut points b1 < b2 < ..., giving (-inf, b1), [b1, b2), ..., [bk, inf); or a whole number of classes,
        at most 10,000 and no more than records, cut at quantiles so that they hold about as many records each. Dates take
        cut points as dates or ISO text, "2020-07-01", a number of classes, or a period: "year", "quarter" or "month".
        Categories, and codes, take a mapping from category to group, {"Ham": "north", "Bre": "north"}; those that it does
        not name stay. Or a mapping from column to one of these, which categories need.
    labels : bool
        True releases ordered categories such as "[1000, 2000)"; False releases the mean of the column's values in
        the interval, which stays a number and can be evaluated like one. Dates and categories have labels only.

    Notes
    -----
    Groups are released as ordered categories: in the order of the mapping, then the other categories in theirs. A missing
    date or category stays missing.

    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001), global recoding.
    """

    breaks: Any = param(
        requirement=BREAKS,
        check=by_column(_breaks),
        help="where intervals begin and end, in the data's units, or how many there are",
    )
    labels: bool = param(True, help="release intervals, in order, and not the mean of each")

    about = "numbers and dates become intervals, and categories groups"
    source = "Willenborg and de Waal (2001)"
    undone_by_seed = False
    takes_categories = True

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> FrameRelease:
        """See FrameMethod.release."""
        means: dict[str, Array] = {}
        categories = {}
        for name, values in cells.items():
            breaks = self.breaks
            if isinstance(breaks, Mapping):
                if name not in breaks:
                    rule = f"must have every dependent column, and `{name}` is missing"
                    raise InvalidParameter("Recoding", "breaks", rule, list(breaks))
                breaks = breaks[name]
            if isinstance(breaks, Mapping) or values.dtype == object:
                grouped = _groups if isinstance(breaks, Mapping) else _periods
                categories[name] = grouped(name, values, breaks)
                count = len(categories[name][1])
                note(Note.of("recoded", "{columns} becomes a category of {count} groups", [name], count=count))
                continue
            if isinstance(breaks, str) or isinstance(breaks[0] if isinstance(breaks, tuple) else 0, str):
                raise InvalidParameter("Recoding", "breaks", f"must be numbers for column `{name}`", breaks)
            cuts = cut_points(values, breaks)
            codes = np.searchsorted(cuts, values, side="right")
            known = ~np.isnan(values)
            if not self.labels:
                means[name] = values.copy()
                for k in np.unique(codes[known]):
                    means[name][(codes == k) & known] = values[(codes == k) & known].mean()
                continue
            names = interval_names(cuts)
            labels = np.array(names, dtype=object)[codes]
            labels[~known] = None
            categories[name] = (labels, names)
            note(Note.of("recoded", "{columns} becomes a category of {count} intervals", [name], count=len(names)))
        return FrameRelease(numbers=means, categories=categories)


def cut_points(values: Array, breaks: int | tuple[float, ...]) -> Array:
    """The cut points of a column (n,): `breaks`, or distinct type-7 quantiles for that number of classes."""
    if not isinstance(breaks, int):
        return np.array(breaks)
    present = values[~np.isnan(values)]
    if breaks > len(present):
        rule = f"must be at most the number of records with a value, {len(present)}"
        raise InvalidParameter("Recoding", "breaks", rule, breaks)
    cuts = np.unique(np.quantile(present, np.arange(1, breaks) / breaks)) if breaks > 1 else np.empty(0)
    return cuts[cuts > present.min()]  # a cut at the minimum would leave the first class empty


def _groups(name: str, values: NDArray[Any], groups: Mapping[Any, str]) -> tuple[NDArray[np.object_], list[str]]:
    """The groups of categories or codes (n,), and their order; None for a missing one."""
    with single_values("Recoding", f"column `{name}`"):
        places, levels = distinct([None if value != value else value for value in values.tolist()])
    named = [None if level is None else _group(level, groups) for level in levels]
    others = [
        text for level, text in zip(levels, named, strict=True) if text is not None and text not in groups.values()
    ]
    order = list(dict.fromkeys([*groups.values(), *sorted(others)]))
    return np.array([*named, None], dtype=object)[places], order


def _group(level: Any, groups: Mapping[Any, str]) -> str:
    """The group of a category; its own name where the mapping does not have it."""
    text = f"{level:g}" if isinstance(level, float) else str(level)
    return groups.get(level, groups.get(text, text))


def _periods(name: str, values: NDArray[Any], breaks: Any) -> tuple[NDArray[np.object_], list[str]]:
    """The periods of dates (n,), or the intervals between dates, and their order; None for a missing one."""
    known = np.array([value is not None and value == value for value in values], dtype=bool)
    if not all(isinstance(value, date) for value in values[known]):
        rule = f"must be a mapping from category to group for column `{name}`, which holds no dates"
        raise InvalidParameter("Recoding", "breaks", rule, breaks)
    labels = np.full(len(values), None, dtype=object)
    if isinstance(breaks, str):
        labels[known] = [PERIODS[breaks](value) for value in values[known]]
        return labels, sorted(set(labels[known]))
    if isinstance(breaks, tuple) and not isinstance(breaks[0], str):
        raise InvalidParameter("Recoding", "breaks", f"must be dates or a period for column `{name}`", breaks)
    days = np.array([_days(value) for value in values[known]])
    cuts = cut_points(days, breaks if isinstance(breaks, int) else tuple(map(_days, breaks)))
    names = interval_names(cuts, _day_text)
    labels[known] = np.array(names, dtype=object)[np.searchsorted(cuts, days, side="right")]
    return labels, names


def interval_names(cuts: Array, text: Callable[[float], str] = "{:.10g}".format) -> list[str]:
    """Names of the intervals between cut points, in order. text : of a cut point."""
    texts = ["(-inf", *(f"[{text(c)}" for c in cuts)]
    return [f"{low}, {high[1:]})" for low, high in itertools.pairwise([*texts, " inf"])]

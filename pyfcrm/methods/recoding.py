"""Coarser values, by the same rule for every record: global recoding, and top and bottom coding."""

import itertools
import numbers
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..arguments import items, real_number, whole_number
from ..data.codes import MISSING, factorized, single_values
from ..data.roles import Roles
from ..errors import InvalidParameter, Note
from ..types import Array
from .facts import Facts
from .method import Method
from .parameter import by_column, param
from .work import CellRelease, CellWork, Run

MAX_CLASSES = 10_000
CLASSES = "{columns} becomes a category of {count} classes"
CLASSES_IN_BRIEF = "recoded as categories of classes: {columns}"
BREAKS = (
    "ascending cut points, a whole number of classes, a period of dates, a mapping from categories to groups, or one of these for "
    "each column"
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
    listed = () if isinstance(value, str) else items(value) or ()
    dates = all(isinstance(cut, str | date) for cut in listed)
    try:
        cuts = tuple(map(_days if dates else float, listed))
    except (TypeError, ValueError, OverflowError):
        cuts = ()
    if not cuts or not np.isfinite(cuts).all() or not (np.diff(cuts) > 0).all():
        raise InvalidParameter(owner, name, f"must be {BREAKS}", value)
    return tuple(map(_day_text, cuts)) if dates else cuts


def _days(day: str | date) -> float:
    """Days since 1970, of a date or of its ISO text."""
    moment = datetime.fromisoformat(day if isinstance(day, str) else day.isoformat())
    return (moment.replace(tzinfo=None) - EPOCH).total_seconds() / 86_400


def _day_text(days: float) -> str:
    """Days since 1970 as the ISO text of a date, or of a time where it is not midnight."""
    return (EPOCH + timedelta(days=days)).isoformat().removesuffix("T00:00:00")


@dataclass(frozen=True)
class Recoding(Method):
    """Replace each dependent value by the interval that contains it, and categories by their group.

    Parameters
    ----------
    breaks : sequence of float, int or mapping
        Ascending cut points b1 < b2 < ..., giving (-inf, b1), [b1, b2), ..., [bk, inf). Or a whole number of classes,
        at most 10,000 and no more than records, cut at quantiles into about equal parts. Dates take cut points as dates
        or ISO text, "2020-07-01", a number of classes, or a period: "year", "quarter" or "month". Categories, and
        codes, take a mapping from category to group, {"Ham": "north", "Bre": "north"}; those that it does not name
        stay. Or a mapping from column to one of these, which categories need.
    labels : bool
        True releases ordered categories such as "[1000, 2000)". False releases the mean of the column's values in the
        interval, a number that can be evaluated. Dates and categories have labels only.

    Notes
    -----
    Groups are released as ordered categories: in the order of the mapping, then the other categories in theirs. A missing
    date or category stays missing.

    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001), global recoding.

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(100)
    >>> roles = pf.Roles(dependent="age", identifiers="name")
    >>> released = pf.protect(frame, pf.Recoding(breaks=3), roles, missing="protect")
    >>> released.frame["age"].nunique() <= 3
    True
    """

    breaks: Any = param(
        example=5,
        requirement=BREAKS,
        check=by_column(_breaks),
        help="where intervals begin and end, in the data's units, or how many there are",
    )
    labels: bool = param(True, help="release intervals, in order, and not the mean of each")

    about = "numbers and dates become intervals, and categories groups"
    term = "recoding"
    source = "Willenborg and de Waal (2001)"
    group = "coarsen"

    def work(self, roles: Roles, records: int | None) -> CellWork:
        """See Method.work."""
        return CellWork(roles.dependent, self.release, takes="either")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="keys",
            pairs="always",
            keeps="",
            averages=False,
            reissues_values=False,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(),
            seed_probe="release",
        )

    def release(self, columns: Mapping[str, Any], n: int, run: Run) -> CellRelease:
        """See CellWork.release."""
        means, categories = dict[str, Array](), {}
        for name, values in columns.items():
            breaks = self.breaks.get(name) if isinstance(self.breaks, Mapping) else self.breaks
            if breaks is None:
                rule = f"must have every dependent column, and `{name}` is missing"
                raise InvalidParameter("Recoding", "breaks", rule, list(self.breaks))
            with single_values("Recoding", name):
                codes, levels = factorized(values)
            _require_fit(name, levels, breaks)
            if isinstance(breaks, Mapping):
                labels = [_group(level, breaks) for level in levels.tolist()]
                order = list(dict.fromkeys([*breaks.values(), *sorted(labels)]))
            elif isinstance(breaks, str):
                labels = [PERIODS[breaks](level) for level in levels]
                order = sorted({*labels})
            else:
                dates, known = values.dtype == object, codes != MISSING
                points = np.array([_days(level) for level in levels]) if dates else levels
                cuts = cut_points(points[codes[known]], breaks)
                places = np.searchsorted(cuts, points, side="right")
                if not (self.labels or dates):
                    means[name] = values.copy()
                    for place in np.unique(places):
                        inside = known & (places[codes] == place)
                        means[name][inside] = values[inside].mean()
                    continue
                order = interval_names(cuts, _day_text if dates else "{:.10g}".format)
                labels = [order[place] for place in places]
            categories[name] = np.array([*labels, None], dtype=object)[codes], order
            run.note(Note.of("recoded", CLASSES, [name], count=len(order), brief=CLASSES_IN_BRIEF))
        return CellRelease(numbers=means, categories=categories)


def _require_fit(name: str, values: NDArray[Any], breaks: Breaks) -> None:
    """Raises InvalidParameter for cut points or a period that do not fit the values of a column."""
    text = isinstance(breaks, str) or (isinstance(breaks, tuple) and isinstance(breaks[0], str))
    if values.dtype != object:
        fits, needed = not text, "numbers"
    elif all(isinstance(value, date) for value in values):
        fits, needed = text or isinstance(breaks, int), "dates or a period"
    else:
        fits, needed = False, "a mapping from category to group, as for all columns that hold no dates,"
    if not (fits or isinstance(breaks, Mapping)):
        raise InvalidParameter("Recoding", "breaks", f"must be {needed} for column `{name}`", breaks)


def cut_points(values: Array, breaks: Any) -> Array:
    """The cut points of a column's values (m,): `breaks`, or distinct type-7 quantiles for that number of classes."""
    if not isinstance(breaks, int):
        return np.array([_days(cut) if isinstance(cut, str) else cut for cut in breaks])
    if breaks > len(values):
        rule = f"must be at most the number of records with a value, {len(values)}"
        raise InvalidParameter("Recoding", "breaks", rule, breaks)
    cuts = np.unique(np.quantile(values, np.arange(1, breaks) / breaks))
    return cuts[cuts > values.min()]  # a cut at the minimum would leave the first class empty


def _group(level: Any, groups: Mapping[Any, str]) -> str:
    """The group of a category; its own name where the mapping does not have it."""
    text = level_text(level)
    return groups.get(level, groups.get(text, text))


def level_text(level: Any) -> str:
    """A category, or a number, as the text by which a mapping may name it."""
    if isinstance(level, float):
        return f"{level:.0f}" if level.is_integer() else f"{level:g}"
    return str(level)


def interval_names(cuts: Array, text: Callable[[float], str]) -> list[str]:
    """Names of the intervals between cut points, in order. text : of a cut point."""
    texts = ["(-inf", *(f"[{text(c)}" for c in cuts)]
    return [f"{low}, {high[1:]})" for low, high in itertools.pairwise([*texts, " inf"])]


THRESHOLD = 'a number or a quantile such as "99%"'
END = f"{THRESHOLD}, or a mapping from column to either"
CODED = "{columns}: {count} of {total} values {count:was|were} coded"


def _threshold(owner: str, name: str, value: Any) -> float | str | None:
    if not isinstance(value, str):
        return None if value is None else real_number(owner, name, value)
    try:
        share = float(value.removesuffix("%"))
    except ValueError:
        share = -1.0
    if not value.endswith("%") or not 0 <= share <= 100:
        raise InvalidParameter(owner, name, f"must be {THRESHOLD}", value)
    return value


@dataclass(frozen=True)
class TopBottomCoding(Method):
    """Replace values above `top` by it, and values below `bottom` by it.

    Parameters
    ----------
    top, bottom : float, str or mapping, optional
        A threshold in the data's units; or "99%", the quantile (type 7) of each column; or a mapping from column to
        either. None does not code that end. At least one is required.

    Notes
    -----
    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.survey(100)
    >>> roles = pf.Roles(dependent="wage", identifiers="name")
    >>> released = pf.protect(frame, pf.TopBottomCoding(top=2000), roles, missing="protect")
    >>> int(released.frame["wage"].max())
    2000
    """

    top: Any = param(
        None,
        example="95%",
        requirement=END,
        check=by_column(_threshold),
        help="values above become this, in the data's units; None leaves that end alone",
    )
    bottom: Any = param(
        None,
        requirement=END,
        check=by_column(_threshold),
        help="values below become this, in the data's units; None leaves that end alone",
    )

    about = "values beyond a threshold become the threshold"
    term = "top and bottom coding"
    source = "Willenborg and de Waal (2001)"
    group = "coarsen"

    def _check(self) -> None:
        if self.top is None and self.bottom is None:
            raise InvalidParameter("TopBottomCoding", "top", "or `bottom` must be given", None)

    def work(self, roles: Roles, records: int | None) -> CellWork:
        """See Method.work."""
        return CellWork(roles.dependent, self.release, takes="numbers")

    def facts(self, roles: Roles) -> Facts:
        """See Procedure.facts."""
        return Facts(
            masks="keys",
            pairs="always",
            keeps="",
            averages=False,
            reissues_values=True,
            undone_by_seed=False,
            weak_generator=False,
            deniable=False,
            privacy=None,
            swaps=False,
            attacks=(),
            seed_probe="release",
        )

    def release(self, columns: Mapping[str, Any], n: int, run: Run) -> CellRelease:
        """See CellWork.release."""
        for end in (self.top, self.bottom):
            for name in end if isinstance(end, Mapping) else ():
                if name not in columns:
                    raise InvalidParameter("TopBottomCoding", "top, bottom", "must name dependent columns", name)
        coded = {}
        for name, values in columns.items():
            coded[name] = self.coded(name, values)
            changed = int(np.sum((coded[name] != values) & ~np.isnan(values)))
            run.note(Note.of("recoded", CODED, [name], count=changed, total=n))
        return CellRelease(numbers=coded)

    def coded(self, name: str, y: Array) -> Array:
        """See Method.coded."""
        low, high = _limit(self.bottom, name, y, -np.inf), _limit(self.top, name, y, np.inf)
        if low > high:
            rule = f"must not exceed `top` of column `{name}`"
            raise InvalidParameter("TopBottomCoding", "bottom", rule, f"{low:g} and {high:g}")
        return np.clip(y, low, high)


def _limit(end: Any, name: str, values: Array, none: float) -> float:
    threshold = end.get(name) if isinstance(end, Mapping) else end
    if isinstance(threshold, str):
        return float(np.nanquantile(values, float(threshold.rstrip("%")) / 100))
    return none if threshold is None else float(threshold)

"""Global recoding: numbers become intervals, the same for every record."""

from __future__ import annotations

import itertools
import numbers
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..arguments import whole_number
from ..errors import InvalidParameter, Note
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .frame_method import FrameMethod, Release
from .parameter import param, rules

MOST_CLASSES = 10_000
BREAKS = "ascending cut points, or a whole number of classes, or a mapping from column to either"


@dataclass(frozen=True)
class Recoding(FrameMethod):
    """Replace each dependent value by the interval it falls in.

    Parameters
    ----------
    breaks : sequence of float, int or mapping
        Ascending cut points b1 < b2 < ..., giving (-inf, b1), [b1, b2), ..., [bk, inf); or a whole number of classes,
        at most 10,000 and no more than records, cut at quantiles so that they hold about as many records each; or a
        mapping from column to either.
    labels : bool
        True releases categories such as "[1000, 2000)", in order; False releases the mean of the column's values in
        the interval, which stays a number and can be judged like one.

    Notes
    -----
    Seed: tells nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001), global recoding.
    """

    breaks: Any = field(
        metadata=rules(
            said=BREAKS,
            check=lambda owner, name, value: _breaks(owner, name, value),
            help="where intervals begin and end, in the data's units, or how many there are",
        )
    )
    labels: bool = param(True, help="release intervals, in order, and not the mean of each")

    about = "numbers become intervals"
    source = "Willenborg and de Waal (2001)"
    undone_by_seed = False
    masks = "keys"

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> Release:
        """See FrameMethod.release."""
        means: dict[str, Array] = {}
        categories = {}
        for name, values in cells.items():
            cuts = cut_points(values, self._of(name))
            if not self.labels:
                means[name] = class_means(values, cuts)
                continue
            names = interval_names(cuts)
            codes = np.searchsorted(cuts, values, side="right")
            labels = np.array([names[k] for k in codes], dtype=object)
            labels[np.isnan(values)] = None
            categories[name] = (labels, names)
            note(Note.of("recoded", "{columns} becomes a category of {count} intervals", [name], count=len(names)))
        return Release(numbers=means, categories=categories)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Reporter = discard) -> Array:
        """The means of the intervals (n, t), for breaks that are the same for every column."""
        columns = [class_means(y, cut_points(y, self._of(str(j)))) for j, y in enumerate(Y.T)]
        return np.column_stack(columns)

    def _of(self, name: str) -> int | tuple[float, ...]:
        if not isinstance(self.breaks, Mapping):
            return self.breaks
        if name not in self.breaks:
            raise InvalidParameter(
                "Recoding", "breaks", f"must have every dependent column, and `{name}` is missing", list(self.breaks)
            )
        return self.breaks[name]


def cut_points(values: Array, breaks: int | tuple[float, ...]) -> Array:
    """The cut points of a column (n,): those given, or type-7 quantiles that make `breaks` classes, each once."""
    if not isinstance(breaks, int):
        return np.array(breaks)
    present = values[~np.isnan(values)]
    if breaks > len(present):
        rule = f"must be at most the number of records with a value, {len(present)}"
        raise InvalidParameter("Recoding", "breaks", rule, breaks)
    cuts = np.unique(np.quantile(present, np.arange(1, breaks) / breaks)) if breaks > 1 else np.empty(0)
    return cuts[cuts > present.min()]  # a cut at the minimum would leave the first class empty


def class_means(values: Array, cuts: Array) -> Array:
    """Each value of (n,) replaced by the mean of its interval; NaN stays."""
    codes = np.searchsorted(cuts, values, side="right")
    released = values.copy()
    for k in np.unique(codes[~np.isnan(values)]):
        inside = (codes == k) & ~np.isnan(values)
        released[inside] = values[inside].mean()
    return released


def interval_names(cuts: Array) -> list[str]:
    """Names of the intervals between cut points, in order."""
    if not len(cuts):
        return ["(-inf, inf)"]
    texts = [f"{c:.10g}" for c in cuts]
    inner = [f"[{a}, {b})" for a, b in itertools.pairwise(texts)]
    return [f"(-inf, {texts[0]})", *inner, f"[{texts[-1]}, inf)"]


def _breaks(owner: str, name: str, given: Any) -> Any:
    """Cut points or a number of classes, or either by column."""
    if isinstance(given, Mapping):
        return {column: _checked(owner, name, each) for column, each in given.items()}
    return _checked(owner, name, given)


def _checked(owner: str, name: str, breaks: object) -> int | tuple[float, ...]:
    if isinstance(breaks, numbers.Real) and not isinstance(breaks, bool):
        return whole_number(owner, name, breaks, low=1, limit=MOST_CLASSES)
    try:
        cuts = tuple(float(b) for b in breaks)  # type: ignore[attr-defined]
    except (TypeError, ValueError, OverflowError):
        cuts = ()
    if not cuts or not np.isfinite(cuts).all() or any(a >= b for a, b in itertools.pairwise(cuts)):
        raise InvalidParameter(owner, name, f"must be {BREAKS}", breaks)
    return cuts

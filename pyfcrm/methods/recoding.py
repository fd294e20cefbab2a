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
from .frame_method import FrameMethod, FrameRelease
from .parameter import by_column, param, rules

MAX_CLASSES = 10_000
BREAKS = "ascending cut points, or a whole number of classes, or a mapping from column to either"


def _breaks(owner: str, name: str, value: Any) -> int | tuple[float, ...]:
    if isinstance(value, numbers.Real) and not isinstance(value, bool):
        return whole_number(owner, name, value, low=1, limit=MAX_CLASSES)
    try:
        cuts = tuple(float(cut) for cut in value)
    except (TypeError, ValueError, OverflowError):
        cuts = ()
    if not cuts or not np.isfinite(cuts).all() or any(a >= b for a, b in itertools.pairwise(cuts)):
        raise InvalidParameter(owner, name, f"must be {BREAKS}", value)
    return cuts


@dataclass(frozen=True)
class Recoding(FrameMethod):
    """Replace each dependent value by the interval that contains it.

    Parameters
    ----------
    breaks : sequence of float, int or mapping
        Ascending cut points b1 < b2 < ..., giving (-inf, b1), [b1, b2), ..., [bk, inf); or a whole number of classes,
        at most 10,000 and no more than records, cut at quantiles so that they hold about as many records each; or a
        mapping from column to either.
    labels : bool
        True releases ordered categories such as "[1000, 2000)"; False releases the mean of the column's values in
        the interval, which stays a number and can be evaluated like one.

    Notes
    -----
    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001), global recoding.
    """

    breaks: Any = field(
        metadata=rules(
            requirement=BREAKS,
            check=by_column(_breaks),
            help="where intervals begin and end, in the data's units, or how many there are",
        )
    )
    labels: bool = param(True, help="release intervals, in order, and not the mean of each")

    about = "numbers become intervals"
    source = "Willenborg and de Waal (2001)"
    undone_by_seed = False

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


def interval_names(cuts: Array) -> list[str]:
    """Names of the intervals between cut points, in order."""
    texts = ["(-inf", *(f"[{c:.10g}" for c in cuts)]
    return [f"{low}, {high[1:]})" for low, high in itertools.pairwise([*texts, " inf"])]

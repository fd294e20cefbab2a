"""Top and bottom coding: values beyond a threshold become the threshold."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..arguments import real_number
from ..errors import InvalidParameter, Note
from ..progress import Reporter, discard
from ..rstream import RStream
from ..types import Array
from .frame_method import FrameMethod, FrameRelease
from .parameter import by_column, param

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
class TopBottomCoding(FrameMethod):
    """Replace values above `top` by it, and values below `bottom` by it.

    Parameters
    ----------
    top, bottom : float, str or mapping, optional
        A threshold in the data's units; or "99%", the quantile (type 7) of each column; or a mapping from column to
        either; None leaves that end alone. At least one is required.

    Notes
    -----
    Seed: discloses nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001).
    """

    top: Any = param(
        None,
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
    source = "Willenborg and de Waal (2001)"
    undone_by_seed = False

    def _check(self) -> None:
        if self.top is None and self.bottom is None:
            raise InvalidParameter("TopBottomCoding", "top", "or `bottom` must be given", None)

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> FrameRelease:
        """See FrameMethod.release."""
        for end in (self.top, self.bottom):
            for name in end if isinstance(end, Mapping) else ():
                if name not in cells:
                    raise InvalidParameter("TopBottomCoding", "top, bottom", "must name dependent columns", name)
        coded = {}
        for name, values in cells.items():
            low, high = _limit(self.bottom, name, values, -np.inf), _limit(self.top, name, values, np.inf)
            if low > high:
                rule = f"must not exceed `top` of column `{name}`"
                raise InvalidParameter("TopBottomCoding", "bottom", rule, f"{low:g} and {high:g}")
            result = np.where(values > high, high, values)
            coded[name] = np.where(result < low, low, result)
            changed = int(np.sum((coded[name] != values) & ~np.isnan(values)))
            note(Note.of("recoded", CODED, [name], count=changed, total=n))
        return FrameRelease(numbers=coded)


def _limit(end: Any, name: str, values: Array, none: float) -> float:
    threshold = end.get(name) if isinstance(end, Mapping) else end
    if isinstance(threshold, str):
        return float(np.nanquantile(values, float(threshold.rstrip("%")) / 100))
    return none if threshold is None else float(threshold)

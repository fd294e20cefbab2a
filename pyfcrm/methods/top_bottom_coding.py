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
from .frame_method import FrameMethod, Release
from .parameter import param

THRESHOLD = 'a number or a quantile such as "99%"'
END = f"{THRESHOLD}, or a mapping from column to either"


@dataclass(frozen=True)
class TopBottomCoding(FrameMethod):
    """Replace values above `top` by it, and values below `bottom` by it.

    Parameters
    ----------
    top, bottom : float, str or mapping, optional
        A threshold in the data's units; or "99%", the quantile (type 7) of each column; or a mapping from column to
        either; None leaves that end alone. At least one is given.

    Notes
    -----
    Seed: tells nothing, as nothing is drawn.

    References
    ----------
    Willenborg and de Waal (2001).
    """

    top: Any = param(
        None,
        said=END,
        check=lambda owner, name, value: _end(owner, name, value),
        help="values above become this, in the data's units; None leaves that end alone",
    )
    bottom: Any = param(
        None,
        said=END,
        check=lambda owner, name, value: _end(owner, name, value),
        help="values below become this, in the data's units; None leaves that end alone",
    )

    about = "values beyond a threshold become the threshold"
    source = "Willenborg and de Waal (2001)"
    undone_by_seed = False
    masks = "keys"

    def _check(self) -> None:
        if self.top is None and self.bottom is None:
            raise InvalidParameter("TopBottomCoding", "top", "or `bottom` must be given", None)

    def release(self, cells: Mapping[str, Any], n: int, stream: RStream, note: Reporter = discard) -> Release:
        """See FrameMethod.release."""
        for end in (self.top, self.bottom):
            for name in end if isinstance(end, Mapping) else ():
                if name not in cells:
                    raise InvalidParameter("TopBottomCoding", "top, bottom", "must name dependent columns", name)
        coded = {name: self._coded(name, values) for name, values in cells.items()}
        for name, values in cells.items():
            changed = int(np.sum((coded[name] != values) & ~np.isnan(values)))
            note(
                Note.of(
                    "recoded",
                    "{columns}: {count} of {total} values {count:was|were} coded",
                    [name],
                    count=changed,
                    total=n,
                )
            )
        return Release(numbers=coded)

    def protect(self, X: Array, Y: Array, stream: RStream, note: Reporter = discard) -> Array:
        """The coded values (n, t), for thresholds that are the same for every column."""
        return np.column_stack([self._coded(str(j), y) for j, y in enumerate(Y.T)])

    def _coded(self, name: str, values: Array) -> Array:
        low, high = _limit(self.bottom, name, values), _limit(self.top, name, values)
        if low is not None and high is not None and low > high:
            raise InvalidParameter(
                "TopBottomCoding", "bottom", f"must not exceed `top` of column `{name}`", f"{low:g} and {high:g}"
            )
        coded = values if high is None else np.where(values > high, high, values)
        return coded if low is None else np.where(coded < low, low, coded)


def _limit(end: Any, name: str, values: Array) -> float | None:
    given = end.get(name) if isinstance(end, Mapping) else end
    if isinstance(given, str):
        return float(np.nanquantile(values, float(given.rstrip("%")) / 100))
    return None if given is None else float(given)


def _end(owner: str, name: str, given: Any) -> Any:
    """A threshold, or one by column."""
    if isinstance(given, Mapping):
        return {column: _threshold(owner, name, value) for column, value in given.items()}
    return _threshold(owner, name, given)


def _threshold(owner: str, name: str, value: object) -> float | str | None:
    if value is None:
        return None
    if isinstance(value, str):
        try:
            share = float(value.removesuffix("%"))
        except ValueError:
            share = -1.0
        if not value.endswith("%") or not 0 <= share <= 100:
            raise InvalidParameter(owner, name, f"must be {THRESHOLD}", value)
        return value
    return real_number(owner, name, value)

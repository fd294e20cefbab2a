"""Gaps of public files: which cells are missing is drawn like the values, as a category beside the other columns.

So it is in a release with another number of records. In other files a record's gaps are released unchanged.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from ..data import Frame, Roles, open_frame
from ..data.frame import FrameView
from ..data.roles import PUBLIC
from ..errors import Note
from ..types import Array, Integers, Mask
from .request import ProtectRequest

DRAWN = "which cells are missing is drawn, as categories beside the other columns: {columns}"
OBSERVED = 0  # the level of an observed cell; each different missing cell, such as a code, has another one


class GapLevels:
    """The gaps of a completed frame as categories: of each column 0 for an observed cell, and a level for each missing cell.

    frame : with gaps, which are filled. Columns with the same gaps share a category.
    """

    def __init__(self, frame: Frame) -> None:
        self._frame = frame
        by_column = {name: _levels(frame, name) for name in frame.gaps}
        self._categories = dict[str, Integers]()
        self._category_of = dict[str, str]()
        """By column with gaps, the name of its category."""
        for name, levels in by_column.items():
            same = [known for known, others in self._categories.items() if np.array_equal(others, levels)]
            self._category_of[name] = same[0] if same else _new_name(name, frame.names)
            self._categories.setdefault(self._category_of[name], levels)

    def added_to(self, request: ProtectRequest, values: Array) -> tuple[ProtectRequest, Array]:
        """The request and the values (n, s + t) with the categories of gaps as further dependent columns.

        No column of the request has gaps then.
        """
        names = list(self._categories)
        roles = request.roles
        with_gaps = Roles(roles.independent, [*roles.dependent, *names], product=roles.product)
        columns = np.column_stack([values, *self._categories.values()])
        return replace(request, roles=with_gaps, categories=(*request.categories, *names), gaps={}), columns

    def released(self, drawn: Array) -> Frame:
        """The frame whose releases have the drawn gaps. drawn : (n, k) the released categories."""
        by_category = dict(zip(self._categories, drawn.T.astype(np.int64), strict=True))
        holders = dict[str, Integers]()
        for name, category in self._category_of.items():
            levels, first = np.unique(self._categories[category], return_index=True)
            holders[name] = first[np.searchsorted(levels, by_category[category])]
        gaps = {name: by_category[category] != OBSERVED for name, category in self._category_of.items()}
        return FrameWithGaps(self._frame, gaps, holders)

    @property
    def count(self) -> int:
        """The number of categories."""
        return len(self._categories)

    def note(self) -> Note:
        """The note on drawn gaps."""
        return Note.of("missing", DRAWN, list(self._category_of))


class FrameWithGaps(FrameView):
    """A completed frame whose releases have other gaps than the original.

    gaps : by column (n,) where a released cell is missing; holders : by column (n,) a record of the original with this missing cell.
    """

    def __init__(self, completed: Frame, gaps: Mapping[str, Mask], holders: Mapping[str, Integers]) -> None:
        super().__init__(completed)
        self._drawn = gaps
        self._holders = holders
        self.gaps = {}

    def values(self, name: str) -> Array:
        """See Frame.values: as completed."""
        return self.original.values(name)

    def replaced(self, columns: Mapping[str, Array], rows: Mask, drop: Iterable[str], floats: Any = ()) -> Any:
        """See Frame.replaced: where a gap is drawn, the cell is that of a record whose cell is missing in the same way."""
        records = np.arange(self.records)
        holders = {name: np.where(self._drawn[name], self._holders[name], records) for name in self._drawn}
        moved = self.original.block(open_frame("protect", self.moved(holders)))
        written = dict(columns)
        for name in self._drawn.keys() & columns.keys():
            written[name] = np.where(self._drawn[name], np.nan, columns[name])
        return moved.replaced(written, rows, drop, floats)


def gap_levels(request: ProtectRequest, frame: Frame) -> GapLevels | None:
    """The gaps to be drawn; None where the file has none, or its product has them unchanged."""
    is_new = request.roles.product == PUBLIC or request.records is not None
    drawn = is_new and request.missing == "protect" and bool(frame.gaps)
    return GapLevels(frame) if drawn else None


def _levels(frame: Frame, name: str) -> Integers:
    """(n,) 0 for an observed cell of a column, and from 1 the places of the different cells that are missing."""
    places, _ = frame.distinct_with_codes(name)
    missing = frame.gaps[name]
    levels = np.zeros(frame.records, dtype=np.int64)
    levels[missing] = 1 + np.unique(places[missing], return_inverse=True)[1]
    return levels


def _new_name(name: str, names: Sequence[str]) -> str:
    """A name for the category of a column's gaps that no column has."""
    new = f"gaps of {name}"
    while new in names:
        new += " "
    return new

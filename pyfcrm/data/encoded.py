"""A frame whose values are encoded numbers, and whose releases have cells again."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..types import Array, Codes, Mask
from .codes import MISSING
from .declared import numbers_among, without_codes
from .encoding import Encoding, Encodings
from .frame import Frame, FrameView


class EncodedFrame(FrameView):
    """A frame by its variables: methods get numbers, and its releases have values that the variables may have.

    Codes of missing values are gaps, in numbers and in categories. Such cells, as gaps, are what they were in a release; those of a
    category that is drawn are drawn.
    """

    def __init__(self, original: Frame, encodings: Encodings) -> None:
        super().__init__(original)
        self.encodings = encodings
        self._values: dict[str, Array] = {}

    def encoding(self, name: str) -> Encoding | None:
        """The encoding of a column; None where it has none."""
        return self.encodings.get(name)

    def missing_codes(self, name: str) -> tuple[Any, ...]:
        """See Frame.missing_codes."""
        encoding = self.encodings.get(name)
        return self.encodings.missing_levels.get(name, ()) if encoding is None else encoding.missing_codes

    def kind(self, name: str) -> str:
        """See Frame.kind: encoded columns are numbers, and declared categories are categories."""
        encoding = self.encodings.get(name)
        if encoding is None:
            return "category" if name in self.encodings.categories else self.original.kind(name)
        if encoding.form is not None:
            return "integer" if encoding.is_whole else "float"
        return "float" if encoding.as_float else self.original.kind(name)

    def categories(self, name: str) -> list[Any]:
        """See Frame.categories; the levels of a declared category in their order."""
        missing = self.encodings.missing_levels.get(name, ())
        if name not in self.encodings.categories:
            return [level for level in self.original.categories(name) if level not in missing]
        levels = self.distinct(name)[1]
        return sorted(levels, key=lambda level: (isinstance(level, str), level))

    def distinct(self, name: str, owner: str = "frame") -> tuple[Codes, list[Any]]:
        """See Frame.distinct; codes of missing values are missing."""
        places, values = self.original.distinct(name, owner)
        return without_codes(places, values, self.missing_codes(name))

    def cells(self, name: str) -> NDArray[np.object_]:
        """See Frame.cells; codes of missing values of a category are None."""
        cells = self.original.cells(name)
        if name in self.encodings.missing_levels:
            cells[self.distinct(name)[0] == MISSING] = None
        return cells

    def values(self, name: str) -> Array:
        """See Frame.values: the encoded numbers."""
        encoding = self.encodings.get(name)
        if encoding is None:
            values = self.original.values(name)
            values[np.isin(values, numbers_among(self.missing_codes(name)))] = np.nan
            return values
        if encoding.form is None:
            return encoding.numbers(self.original)
        if name not in self._values:
            self._values[name] = encoding.numbers(self.original)
        return self._values[name].copy()

    def codes(self, name: str) -> Codes:
        """See Frame.codes; codes of missing values are missing."""
        if name in self.encodings.missing_levels:
            return self.distinct(name)[0]
        codes = self.original.codes(name)
        encoding = self.encodings.get(name)
        if encoding is not None and (encoding.missing_codes or encoding.form is not None):
            return np.where(np.isnan(self.values(name)), MISSING, codes)
        return codes

    def unreadable(self, name: str) -> Mask:
        """See Frame.unreadable."""
        encoding = self.encodings.get(name)
        return self.original.unreadable(name) if encoding is None else encoding.unreadable(self.original)

    def limits(self, name: str) -> tuple[float, float]:
        """See Frame.limits: within the limits of the variable."""
        encoding = self.encodings.get(name)
        if encoding is None:
            return self.original.limits(name)
        low, high = encoding.domain.ends
        if encoding.form is not None or encoding.as_float:
            return low, high
        lowest, highest = self.original.limits(name)
        return max(low, lowest), min(high, highest)

    def decimal_places(self, name: str) -> int | None:
        """See Frame.decimal_places; None for a column whose cells are encoded."""
        encoding = self.encodings.get(name)
        if encoding is not None and encoding.form is not None:
            return None
        return self.original.decimal_places(name)

    def stored(self, columns: Sequence[str]) -> list[str]:
        """See Frame.stored."""
        return self.original.stored(columns)

    def block(self, part: Frame) -> Frame:
        """See Frame.block."""
        return EncodedFrame(self.original.block(part), self.encodings)

    def replaced(
        self, columns: Mapping[str, Array], rows: Mask, drop: Iterable[str], floats: Collection[str] = ()
    ) -> Any:
        """See Frame.replaced: encoded numbers become cells that the variables may have."""
        written = {}
        for name, values in columns.items():
            encoding = self.encodings.get(name)
            if encoding is None:
                changed = rows & ~np.isnan(values)
                written[name] = self.original.column_with(name, values, changed, as_float=name in floats)
            else:
                written[name] = encoding.column(self.original, values, rows)
        return self.original.with_columns(written, drop)

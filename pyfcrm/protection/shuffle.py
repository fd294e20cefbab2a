"""The order of the released records: that of the file, or a random one of whole units."""

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

from ..data import Frame, open_frame
from ..data.roles import PUBLIC
from ..data.units import unit_codes
from ..errors import Note
from ..files.stored_blocks import StoredBlocks
from ..rstream import RStream
from ..types import Codes, Mask, Rows
from .order_dependence import EXPLAINED, order_dependence
from .request import ProtectRequest

SHUFFLED = "the records are released in random order: the order of the file explains {explained:.0f} % of {columns} beyond the predictors"
PUBLIC_ORDER = "the records are released in random order: the product is public"
UNTESTED = "the records are released in random order, untested: the test of the order reads confidential values"


class RecordOrder:
    """The order in which the records of a file are released. Adds to the notes."""

    def __init__(self, request: ProtectRequest, original: Frame, notes: list[Note]) -> None:
        self._request = request
        self._original = original
        self._notes = notes
        self._is_random: bool | None = None

    @property
    def is_random(self) -> bool:
        """Whether the order is random; decided once, for all copies."""
        if self._is_random is None:
            self._is_random = self._decided()
        return self._is_random

    def applied(self, released: Any, stream: RStream) -> tuple[Any, Rows | None]:
        """A whole release in the order in which it leaves, and the former place of each record; None in the file's order.

        Draws: a permutation of the units, or none.
        """
        if not self.is_random:
            return released, None
        frame = open_frame("protect", released)
        units = unit_codes(frame, self._request.roles, np.arange(frame.records), whole_households=True)
        order = _random_order(frame.records, units, stream)
        return frame.taken(order), order

    def written(
        self,
        blocks: Iterable[Any],
        sink: Callable[[Any], None],
        *,
        stream: RStream,
        folder: str,
        complete: Callable[[], Mask],
    ) -> Rows | None:
        """Writes a release that is made by blocks in the order in which it leaves; returns the former place of each record.

        The blocks, arrow tables, are stored in a folder until all draws of the release were made. None is returned for the
        file's order. complete : which records (n,) of the original are released. Draws: as `applied`.
        """
        if not self.is_random:
            for block in blocks:
                sink(block)
            return None
        original = self._original
        with StoredBlocks(folder) as stored:
            for block in blocks:
                stored.add(block)
            rows = np.arange(original.records)
            if stored.records < original.records:
                rows = np.flatnonzero(complete())
            units = unit_codes(original, self._request.roles, rows, whole_households=True)
            order = _random_order(stored.records, units, stream)
            for block in stored.in_order(order):
                sink(block)
        return rows[order]

    def _decided(self) -> bool:
        """Whether the order is random, with a note where the caller left it open."""
        request = self._request
        if request.method.makes_new_file() or request.records is not None:  # whose records are in no order
            return False
        if request.options.shuffle is not None:
            return bool(request.options.shuffle)
        if request.roles.product == PUBLIC:
            self._notes.append(Note.of("chosen", PUBLIC_ORDER))
            return True
        if request.facts.privacy is not None:
            self._notes.append(Note.of("chosen", UNTESTED))
            return True
        places = np.arange(self._original.records)
        found = order_dependence(
            self._original,
            tuple(dict.fromkeys((*request.roles.independent, *request.strata))),
            request.roles.dependent,
            places,
            unit=unit_codes(self._original, request.roles, places, whole_households=True),
        )
        if found is None or found.beyond_chance <= EXPLAINED:
            return False
        self._notes.append(Note.of("chosen", SHUFFLED, [found.column], explained=found.explained))
        return True


def _random_order(n: int, units: Codes | None, stream: RStream) -> Rows:
    """A random order (n,) of records; those of a unit follow each other in the order that they had."""
    if units is None:
        return stream.sample_int(n, n) - 1
    count = int(units.max()) + 1
    return np.argsort(stream.sample_int(count, count)[units], kind="stable")

"""The order of the released records: that of the file, or a random one of whole units."""

from typing import Any

import numpy as np

from ..data import Frame, open_frame
from ..data.units import unit_codes
from ..errors import InvalidParameter, Note
from ..rstream import RStream
from ..types import Codes, Rows
from .order_dependence import EXPLAINED, order_dependence
from .request import ProtectRequest

SHUFFLED = "the records are released in random order: the order of the file explains {explained:.0f} % of {columns} beyond the predictors"
UNTESTED = "the records are released in random order, untested: the test of the order reads confidential values"
BY_BLOCKS = "must be left out where a file is read by blocks: put its records in random order first"


class RecordOrder:
    """The order in which the records of a file are released. Adds to the notes."""

    def __init__(self, request: ProtectRequest, original: Frame, notes: list[Note]) -> None:
        self._request = request
        self._original = original
        self._notes = notes
        self._is_random: bool | None = None
        if original.source is not None and request.options.shuffle:
            raise InvalidParameter("protect", "shuffle", BY_BLOCKS, True)

    def applied(self, released: Any, stream: RStream) -> tuple[Any, Rows | None]:
        """A whole release in the order in which it leaves, and the former place of each record; None in the file's order.

        Draws: a permutation of the units, or none.
        """
        if self._is_random is None:
            self._is_random = self._decided()
        if not self._is_random:
            return released, None
        frame = open_frame("protect", released)
        units = unit_codes(frame, self._request.roles, np.arange(frame.records), whole_households=True)
        order = _random_order(frame.records, units, stream)
        return frame.taken(order), order

    def _decided(self) -> bool:
        """Whether the order is random, with a note where the caller left it open."""
        request = self._request
        if request.method.makes_new_file():  # whose records are in no order
            return False
        if request.options.shuffle is not None:
            return bool(request.options.shuffle)
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

"""New ids of units and households: numbers in random order, the same for equal ids everywhere in a file."""

from typing import Any

import numpy as np

from ..data import Frame, Roles, is_numeric, open_frame, require_columns
from ..data.codes import MISSING, Coding
from ..errors import Note
from ..rstream import RStream
from ..types import Integers

REPLACED = "the ids in {columns} are replaced by numbers from 1 in random order, equal ids by equal numbers"


class NewIds:
    """The new ids of a file. Draws: one permutation for each column of ids. Adds to the notes."""

    def __init__(self, frame: Frame, roles: Roles, stream: RStream, notes: list[Note]) -> None:
        self._columns: dict[str, tuple[Coding, Integers]] = {}
        require_columns("protect", frame, roles.ids)
        for name in roles.ids:
            coding = Coding()
            for part in frame.parts("protect", [name]):
                coding.column("protect", part, name)
            self._columns[name] = coding, np.array([*stream.sample_int(len(coding.values) - 1), 0])
        notes += [Note.of("recoded", REPLACED, roles.ids)] if roles.ids else []

    def applied(self, released: Any) -> Any:
        """A release, or a block of it, with the new ids: numbers where they were numbers, else text."""
        for name, (coding, new) in self._columns.items():
            frame = open_frame("protect", released)
            codes = coding.column("protect", frame, name)
            if is_numeric(frame, name):
                ids = new[codes].astype(np.float64)
                released = frame.replaced({name: ids}, codes != MISSING, (), floats=False)
            else:
                released = frame.with_text(name, [None if code == MISSING else str(new[code]) for code in codes])
        return released

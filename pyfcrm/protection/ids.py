"""New ids of units and households: numbers in random order, the same for equal ids everywhere in a file."""

from collections.abc import Hashable, Mapping
from typing import Any

import numpy as np

from ..data import Frame, is_numeric, open_frame, require_columns
from ..data.codes import MISSING
from ..errors import Note
from ..types import Integers
from .request import ProtectRequest

REPLACED = "the ids in {columns} are replaced by numbers from 1 in random order, equal ids by equal numbers"


def with_ids(released: Any, ids: Mapping[str, Integers]) -> Any:
    """A release with these ids (N,) by column: numbers where they were numbers, else text."""
    for name, new in ids.items():
        frame = open_frame("protect", released)
        if is_numeric(frame, name):
            released = frame.replaced({name: new.astype(float)}, np.ones(frame.records, dtype=bool), ())
        else:
            released = frame.with_text(name, [str(each) for each in new])
    return released


class NewIds:
    """The new ids of a file. Draws: one permutation for each column of ids. Adds to the notes."""

    def __init__(self, request: ProtectRequest, frame: Frame, notes: list[Note]) -> None:
        self._new_ids: dict[str, dict[Hashable, int]] = {}  # by column and id
        require_columns("protect", frame, request.roles.ids)
        for name in request.roles.ids:
            ids: dict[Hashable, None] = {}  # in order of first appearance
            for part in frame.parts([name]):
                ids |= dict.fromkeys(part.distinct(name, "protect")[1])
            self._new_ids[name] = dict(zip(ids, request.stream.sample_int(len(ids)).tolist(), strict=True))
        notes.append(Note.of("recoded", REPLACED, request.roles.ids))

    def applied(self, released: Any) -> Any:
        """A release, or a block of it, with the new ids: numbers where they were numbers, else text."""
        for name, new_ids in self._new_ids.items():
            frame = open_frame("protect", released)
            codes, values = frame.distinct(name, "protect")
            new = [new_ids[value] for value in values]
            if is_numeric(frame, name):
                ids = np.array([*new, np.nan])[codes]
                released = frame.replaced({name: ids}, codes != MISSING, ())
            else:
                released = frame.with_text(name, [None if code == MISSING else str(new[code]) for code in codes])
        return released

"""Several releases of one file, drawn one after another from one stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace

from ..data.strata import NoteSummary
from ..errors import InvalidParameter, Note
from ..progress import within
from .request import ProtectRequest
from .strata import unseeded

DRAWN = (
    "{copies} copies were drawn one after another: who has them all has their mean too, so judge them together, as "
    "evaluate() does of `released.frames`"
)


def each_copy(asked: ProtectRequest, notes: list[Note]) -> Iterator[tuple[ProtectRequest, list[Note]]]:
    """What to do for each copy in turn, with the list that takes its notes; `notes` has them all in the end, each said once.

    The first is what one release from the same start would be. Raises InvalidParameter where no random number is drawn for it.
    """
    if asked.copies == 1:
        yield asked, notes
        return
    heard = list[list[Note]]()
    before = asked.stream.to_r_state()
    for k in range(asked.copies):
        heard.append([])
        course = within(asked.progress, k, asked.copies, f"copy {k + 1} of {asked.copies}")
        # A method that starts its own generator from the seed would make every copy alike.
        with unseeded(asked.stream) if k else nullcontext():
            yield replace(asked, progress=course), heard[-1]
        if k == 1 and (asked.stream.to_r_state() == before).all():
            rule = "must be 1 for a method that draws no random numbers, whose copies are all alike"
            raise InvalidParameter("protect", "copies", rule, asked.copies)
    notes += [*_said(heard), Note.of("risk", DRAWN, copies=asked.copies)]


def _said(heard: list[list[Note]]) -> list[Note]:
    """The notes of all copies: those that every copy has, once; of others, in how many and what it is in the first."""
    alike = [note for note in heard[0] if all(note in said for said in heard)]
    summary = NoteSummary(len(heard), "copies", "copy")
    for k, said in enumerate(heard):
        for note in said:
            if note not in alike:
                summary.note(k, note)
    return [*alike, *summary.texts()]

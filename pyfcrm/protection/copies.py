"""Several releases of one file, drawn one after another from one stream."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace

from ..errors import InvalidParameter, Note
from ..progress import within
from .request import ProtectRequest
from .strata import unseeded

DRAWN = (
    "{copies} copies were drawn one after another: who has them all has their mean too, so judge them together, as "
    "evaluate() does of `released.frames`"
)


def each_copy(request: ProtectRequest, notes: list[Note]) -> Iterator[tuple[ProtectRequest, list[Note]]]:
    """The request of each copy in turn, with the list for its notes; `notes` has in the end each of them once, as the first copy has it.

    The first copy is what one release from the same start would be. Raises InvalidParameter where no random number is drawn for it.
    """
    copies: list[list[Note]] = [[] for _ in range(request.copies)]
    before = request.stream.to_r_state()
    for k, own in enumerate(copies):
        progress = within(request.progress, k, request.copies, f"copy {k + 1} of {request.copies}")
        # A method that starts its own generator from the seed would make every copy alike.
        with unseeded(request.stream) if k else nullcontext():
            yield replace(request, progress=progress), own
        if k == 1 and (request.stream.to_r_state() == before).all():
            rule = "must be 1 for a method that draws no random numbers, whose copies are all alike"
            raise InvalidParameter("protect", "copies", rule, request.copies)
    first = {(note.kind, note.wording, note.columns): note for own in reversed(copies) for note in reversed(own)}
    notes += [*reversed(first.values()), Note.of("risk", DRAWN, copies=request.copies)]

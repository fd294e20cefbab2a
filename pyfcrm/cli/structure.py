"""pyfcrm structure: proposed edit rules."""

from __future__ import annotations

from ..constraints.structure import find_structure
from ..data import Roles
from ..data.source import open_data
from .options import Request, whole
from .show import document, notes, print_line


def run(request: Request) -> None:
    """Propose edit rules: sums, zeros that occur together, order relations, ratios."""
    frame = open_data("structure", request.source, None, request.separator, request.decimal)
    roles = None if request.dependent is None else Roles(request.independent or (), request.dependent)
    structure = find_structure(frame, roles)
    if request.accept is not None:
        structure = structure.accept(*(whole(number, "--accept") for number in request.accept))
    if request.json:
        document({"rows": structure.rows(), "notes": frame.notes})
        return
    for sentence in structure.describe():
        print_line(sentence)
    notes(frame.notes)

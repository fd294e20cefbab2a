"""pyfcrm audit: attacks on releases of a file by a method."""

from __future__ import annotations

from ..evaluation.audit import audit
from ..files import read_table
from .options import Request
from .show import document, notes, print_line, progress, table

DEFAULT_SEED = 1


def run(request: Request) -> None:
    """Attack releases of a random part of the records, with the other records as control."""
    method, roles = request.chosen_method(), request.roles()
    options = request.protect_options() | {"copies": request.copies, "shadows": request.shadows}
    seed = DEFAULT_SEED if request.seed is None else request.seed
    read = read_table(request.source, request.separator, request.decimal)
    with progress(f"auditing {method}") as advance:
        result = audit(read.frame, method, roles, seed, request.share, request.repeats, progress=advance, **options)
    texts = [*read.notes, *result.notes]
    if request.json:
        document(result.document() | {"notes": texts})
        return
    rows = [tuple(row.values()) for row in result.rows()]
    table(result.title, ("attack", "value", "control", "lower", "upper"), rows)
    for sentence in result.describe():
        print_line(sentence)
    notes(texts)

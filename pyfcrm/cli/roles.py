"""pyfcrm roles: proposed roles of the columns of a file."""

from __future__ import annotations

from ..data.source import open_data
from ..data.suggest_roles import suggest_roles
from .options import Request
from .show import document, notes, print_line, table

DOUBTFUL = "? a doubtful role: confirm it, or choose another one"


def run(request: Request) -> None:
    """Propose a role for each column, with the reason; doubtful ones are marked."""
    frame = open_data("suggest_roles", request.source, True, request.separator, request.decimal)
    roles = suggest_roles(frame)
    rows = roles.to_frame().to_dict("records")
    if request.json:
        document({"rows": rows, "choice": roles.choice, "notes": frame.notes})
        return
    cells = [(row["column"], row["role"], "?" if row["doubtful"] else "", row["reason"]) for row in rows]
    table(f"{request.source}: {frame.records:,} records", ("column", "role", "", "reason"), cells, left=4)
    for sentence in (DOUBTFUL if roles.doubtful else "", roles.choice):
        if sentence:
            print_line(sentence)
    notes(frame.notes)

"""pyfcrm run and pyfcrm verify."""

from __future__ import annotations

from dataclasses import asdict

from ..trust.run import run as run_plan
from ..trust.verify import verify as verify_release
from .options import Request
from .show import document, notes, print_line, progress


def run(request: Request) -> int:
    """Protect, audit and evaluate as a plan describes; nothing is released unless the verdict is pass."""
    hold = {"despite_hold": request.despite_hold, "by": request.by}
    with progress("running the plan") as advance:
        result = run_plan(request.plan, overwrite=request.overwrite, progress=advance, **hold)
    if request.json:
        hold = {"despite_hold": result.despite_hold, "by": result.by} if result.despite_hold else {}
        document({"ok": result.ok, "verdict": result.verdict.document(), **hold, "notes": list(result.notes)})
    else:
        notes(result.notes)
        for sentence in result.sentences():
            print_line(sentence)
    return int(not result.ok)


def verify(request: Request) -> int:
    """Whether a release is the one that its manifest describes; with the original, whether it is reproduced."""
    with progress("reproducing the release") as advance:
        result = verify_release(request.manifest, request.release, request.original, progress=advance)
    if request.json:
        changes = [dict(zip(("what", "then", "now"), change, strict=True)) for change in result.surroundings]
        rows = {key: [asdict(row) for row in getattr(result, key)] for key in ("checks", "differences")}
        document({"ok": result.ok, **rows, "surroundings": changes})
    else:
        for sentence in result.sentences():
            print_line(sentence)
    return int(not result.ok)

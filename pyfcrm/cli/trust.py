"""pyfcrm run, pyfcrm verify and pyfcrm qualify."""

from ..files import check_output, write_text
from ..files.atomic import PRIVATE
from ..trust.qualify import qualify as examine_installation
from ..trust.run import run as run_plan
from ..trust.verify import verify as verify_release
from .options import Request
from .show import document, notes, print_lines, progress


def run(request: Request) -> int:
    """Protect, audit and evaluate as a plan describes; nothing is released unless the verdict is pass."""
    hold = {"despite_hold": request.despite_hold, "by": request.by}
    with progress("running the plan") as advance:
        result = run_plan(request.plan, overwrite=request.overwrite, progress=advance, **hold)
    if request.json:
        hold = {"despite_hold": result.despite_hold, "by": result.by} if result.despite_hold else {}
        judged = {"verdict": result.verdict.document(), "utility": result.report.utility_document()}
        document({"ok": result.ok, **judged, **hold, "notes": list(result.notes)})
    else:
        notes(result.notes)
        print_lines(*result.sentences())
    return int(not result.ok)


def verify(request: Request) -> int:
    """Whether a release is the one that its manifest describes; with the original, whether it is reproduced."""
    files = [request.manifest, request.release, *filter(None, [request.original])]
    if request.prov is not None:
        check_output(request.prov, files, extensions=("json",))
    with progress("reproducing the release") as advance:
        result = verify_release(
            request.manifest, request.release, request.original, dossier=request.dossier, progress=advance
        )
    if request.prov is not None and result.ok:
        write_text(request.prov, result.to_prov(), mode=PRIVATE)
    if request.json:
        changes = [dict(zip(("what", "then", "now"), change, strict=True)) for change in result.surroundings]
        document({"ok": result.ok, "checks": list(map(vars, result.checks)), "surroundings": changes})
    else:
        print_lines(*result.sentences())
    return int(not result.ok)


def qualify(request: Request) -> int:
    """Examine this installation: files, random numbers, arithmetic, stored values; status 1 where something fails."""
    if request.html is not None:
        check_output(request.html, extensions=("html", "htm"))
    with progress("examining") as advance:
        qualification = examine_installation(progress=advance)
    if request.html is not None:
        write_text(request.html, qualification.page())
    if request.json:
        document(qualification.document())
    else:
        print_lines(*qualification.sentences())
    return int(not qualification.ok)

"""pyfcrm evaluate and pyfcrm report: the verdict and the measures of two files, as a table or as an HTML page."""

from dataclasses import replace
from typing import Any

from ..arguments import choice
from ..data import Frame, Roles
from ..engine import Local
from ..errors import InvalidParameter, Note
from ..evaluation.auditing.audit_result import audit_from
from ..evaluation.options import EvaluateOptions
from ..evaluation.report import UNITS, Report, pil_sentence
from ..files import check_output, write_text
from ..files.atomic import PRIVATE, PUBLIC
from ..files.manifest import file_digests, read_document
from ..interface import evaluate
from ..progress import Progress
from ..protection.protect import Protected
from .options import Request, limits_from
from .pipes import PIPE, output_file, refuse_with_pipe
from .release import open_pair, release_paths
from .show import document, notes, print_lines, progress, table

RUN = "run"  # of --audit
FROM_MANIFEST = "must be left out with --manifest, which says how the release was made"
NEEDS_MANIFEST = "needs --manifest, which states how the release was made"
OF_DOSSIER = "belongs to --dossier"
NO_DOCUMENT = "--audit takes run, or a file that `pyfcrm audit --json` wrote"
COMMON = (
    "columns",
    "measures",
    "limits",
    "independent",
    "paired",
    "variables",
)  # options of evaluate() that a page has too
COLUMNS = ("measure", "part", "value", "baseline", "excess", "better")
SEED = "the seed of the release is {seed}"


def run(request: Request) -> int:
    """Evaluate a protected file against its original: a verdict, and the measures."""
    names = [each.name for each in EvaluateOptions.declared() if each.name not in COMMON]
    more = {name: getattr(request, name) for name in names}
    with progress("judging") as advance:
        _, _, report = evaluation(request, advance, engine=Local(request.threads), **more)
    kept = report.kept
    if request.json:
        counts = None
        if kept is not None:
            pairs = {", ".join(pair): many for pair, many in kept.pairs.items()}
            counts = vars(kept) | {"share": kept.share, "pairs": pairs}
        facts = {name: getattr(report, name) for name in ("records", "columns", "guessed_seed", "notes", "all_notes")}
        judged = {"verdict": report.verdict.document(), "utility": report.utility_document()}
        document({**judged, "rows": report.rows(), "kept": counts, **facts})
    else:
        print_lines(*report.lines(), "")
        rows = [[row[name] for name in COLUMNS] for row in report.rows()]
        table(f"{report.records} records; {UNITS}; baseline: by chance", COLUMNS, rows, left=2)
        print_lines(*pil_sentence(report), *(() if kept is None else kept.sentences()))
        seed = [] if report.guessed_seed is None else [Note.of("risk", SEED, seed=report.guessed_seed)]
        notes([*report.notes, *seed])
    return _status(request, report)


def page(request: Request) -> int:
    """One self-contained HTML page on a protected file and its original."""
    from ..report import FORMS, Filing, report_page

    if request.dossier:
        return _dossier(request)
    for name in ("purpose", "recipients"):
        if getattr(request, name) is not None:
            raise InvalidParameter("report", f"--{name}", OF_DOSSIER, getattr(request, name))
    paths = release_paths(request)
    form = choice("report", "form", request.form, FORMS)
    to_pipe = request.output == PIPE
    refuse_with_pipe("report", request.output, json=request.json)
    with output_file(request.output, ".html") as output:
        target = check_output(output, [request.original, *paths, request.manifest], extensions=("html", "htm"))
        with progress("judging") as advance:
            original, released, report = evaluation(request, advance, whole=True)
            before, after = (file_digests({path: path for path in files}) for files in ([request.original], paths))
            text = report_page(original, released, report, form, filing=Filing(before, after))
        # The internal form is for its owner's eyes alone.
        write_text(target, text, mode=PRIVATE if form == "internal" else PUBLIC)
    if request.json:
        judged = {"verdict": report.verdict.document(), "utility": report.utility_document()}
        document({"report": request.output, "form": form, **judged, "notes": report.notes})
    else:
        print_lines(*report.lines(), stderr=to_pipe)
        notes(report.notes)
        print_lines(f"{request.output}: {form} report on {report.records} records", stderr=to_pipe)
    return _status(request, report)


def _dossier(request: Request) -> int:
    """The dossier of a release as a page, and as a JSON document beside it."""
    from ..trust.board.document import dossier_paths
    from ..trust.board.dossier import filed_dossier, recorded_filing

    if request.manifest is None:
        raise InvalidParameter("report", "--dossier", NEEDS_MANIFEST, "no manifest")
    if request.form != "internal":
        raise InvalidParameter("report", "--form", "must be left out with --dossier, which is internal", request.form)
    paths = release_paths(request)
    inputs = [request.original, *paths, request.manifest]
    for path in dossier_paths("report", request.output):
        check_output(path, inputs)
    filing = recorded_filing(request.original, paths, request.manifest)
    with progress("judging") as advance:
        original, released, report = evaluation(request, advance, whole=True)
        result = filed_dossier(
            original, released, report, filing, purpose=request.purpose or "", recipients=request.recipients or ""
        )
    files = result.write(request.output)
    if request.json:
        document({"files": files, "verdict": report.verdict.document(), "notes": report.notes})
    else:
        print_lines(*result.lines())
        notes(report.notes)
        print_lines(f"files: {', '.join(files)}")
    return _status(request, report)


def _status(request: Request, report: Report) -> int:
    """The exit status: 1 where --check is given and the verdict is not pass."""
    return int(request.check and not report.verdict.ok)


def evaluation(
    request: Request, progress: Progress | None, *, whole: bool | None = None, **more: Any
) -> tuple[Frame, Any, Report]:
    """The original, its release, copies of it or what its manifest describes, and the report with the verdict.

    whole : as in open_data; more : further arguments of evaluate(). Raises InvalidParameter for what a manifest has already.
    """
    for name in (
        "dependent",
        "independent",
        "identifiers",
        "weight",
        "household",
        "unit",
        "time",
        "roles",
        "method",
        "set",
    ):
        if request.manifest is not None and getattr(request, name):
            raise InvalidParameter("evaluate", f"--{name}", FROM_MANIFEST, getattr(request, name))
    if request.set and request.method is None:
        raise InvalidParameter("evaluate", "--set", "needs --method, whose parameter it is", request.set)
    limits = limits_from(request.limits, request.limit)
    original, releases, recorded = open_pair(request, "evaluate", whole=whole)
    roles = _roles(request, recorded)
    audit: Any = request.audit
    if audit is not None:
        audit = audit == RUN or audit_from(read_document(audit, "audit", NO_DOCUMENT))
    released: Any = recorded or (releases if len(releases) > 1 else releases[0])
    report = evaluate(
        original,
        released,
        request.columns,
        request.measures,
        roles=roles,
        method=None if request.method is None else request.chosen_method(),
        independent=request.independent if roles is None else None,
        variables=request.declared_variables(),
        limits=limits,
        paired=request.paired,
        audit=audit,
        progress=progress,
        **more,
    )
    return original, released, report


def _roles(request: Request, recorded: Protected | None) -> Roles | None:
    """The roles that were typed, or those of the manifest with further columns that no intruder knows."""
    if recorded is None:
        return request.chosen_roles() if request.dependent or request.roles else None
    return replace(recorded.roles, unknown=tuple(dict.fromkeys((*recorded.roles.unknown, *(request.unknown or ())))))

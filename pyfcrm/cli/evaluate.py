"""pyfcrm evaluate and pyfcrm report: the verdict and the measures of two files, as a table or as an HTML page."""

import os
from dataclasses import replace
from typing import Any

from ..arguments import choice
from ..data import Frame, Roles, SampleUniques, uniques_between
from ..engine import Local
from ..errors import InvalidParameter, Note
from ..evaluation.audit_result import audit_from
from ..evaluation.evaluate import evaluate
from ..evaluation.report import UNITS, Report
from ..files import check_output, write_text
from ..files.atomic import PRIVATE, PUBLIC
from ..files.manifest import read_json
from ..measures import MEASURES
from ..progress import Progress
from ..protection.protect import Protected
from ..trust.run import file_digests
from .options import ROLES, Request, limits_from
from .release import open_pair, release_paths
from .show import document, notes, print_lines, progress, table

FEW = 2.0
RUN = "run"  # of --audit
FROM_MANIFEST = "must be left out with --manifest, which says how the release was made"
NO_DOCUMENT = "--audit takes run, or a file that `pyfcrm audit --json` wrote"
NAMES = ("keys", "strata", "targets", "domains", "weights")


def run(request: Request) -> int:
    """Evaluate a protected file against its original: a verdict, and the measures."""
    more = {name: getattr(request, name) for name in NAMES}
    with progress("judging") as advance:
        in_memory = False if request.by_blocks else None
        original, releases, _, report = evaluation(request, advance, in_memory, request.threads, **more)
    kept = report.kept or uniques_between("evaluate", original, releases[0], request.unknown or [])
    if request.json:
        contents = {name: getattr(report, name) for name in ("records", "columns", "notes")}
        if report.guessed_seed is not None:
            contents["guessed_seed"] = report.guessed_seed
        document({"verdict": report.verdict.document(), "rows": report.rows(), "kept": unmodified(kept), **contents})
        return int(request.check and not report.verdict.ok)
    print_lines(*report.verdict.lines(), "")
    rows = [
        (
            f"{row['measure']}: {MEASURES[row['measure']].title}" if row["part"] == "total" else f"  {row['part']}",
            row["value"] if row["upper"] > FEW else f"{row['value']:.4f}",  # two decimals are for per cent
            row["baseline"],
            row["excess"],
            f"{row['lower']:g} to {row['upper']:g}, {row['better']}",
        )
        for row in report.rows()
    ]
    title = f"{report.records} records; {UNITS}; baseline: by chance"
    table(title, ("measure", "value", "baseline", "excess", "range, better"), rows)
    print_lines(*(() if kept is None else kept.sentences()))
    guessed = Note.of("risk", "the seed of the release is {seed}", seed=report.guessed_seed)
    notes([*report.notes, *([] if report.guessed_seed is None else [guessed])])
    return int(request.check and not report.verdict.ok)


def unmodified(kept: SampleUniques | None) -> dict[str, Any] | None:
    """The counts of sample uniques, for JSON."""
    if kept is None:
        return None
    counts = {name: getattr(kept, name) for name in ("columns", "unknown", "records", "alone", "together", "share")}
    return counts | {"pairs": [{"columns": pair, "unique": many} for pair, many in kept.pairs.items()]}


def page(request: Request) -> int:
    """One self-contained HTML page on a protected file and its original."""
    from ..report import FORMS, Filing, report_page

    releases = [os.fspath(path) for path in release_paths(request)]
    target = check_output(request.output, [request.original, *releases, request.manifest], extensions=("html", "htm"))
    form = choice("report", "form", request.form or "internal", FORMS)
    with progress("judging") as advance:
        original, copies, recorded, report = evaluation(request, advance, True)
        before, after = (file_digests({path: path for path in paths}) for paths in ([request.original], releases))
        frames: Any = [copy.frame for copy in copies]
        if recorded is not None:
            frames = replace(recorded, frame=frames[0], more=tuple(frames[1:]))
        text = report_page(
            original.frame, frames, report, form, unknown=tuple(request.unknown or ()),
            filing=Filing(before, after),
        )  # fmt: skip
    # The internal form is for its owner's eyes alone.
    write_text(target, text, mode=PRIVATE if form == "internal" else PUBLIC)
    if request.json:
        document({"report": request.output, "form": form, "verdict": report.verdict.document(), "notes": report.notes})
    else:
        print_lines(*report.verdict.lines())
        notes(report.notes)
        print_lines(f"{request.output}: {form} report on {report.records} records")
    return int(request.check and not report.verdict.ok)


def check_known(request: Request) -> None:
    """Raises InvalidParameter for what a manifest has already, and for parameters without a method."""
    for name in ("dependent", "independent", "identifiers", "method", "set"):
        if request.manifest is not None and getattr(request, name):
            raise InvalidParameter("evaluate", f"--{name}", FROM_MANIFEST, getattr(request, name))
    if request.set and request.method is None:
        raise InvalidParameter("evaluate", "--set", "needs --method, whose parameter it is", request.set)


def evaluation(
    request: Request,
    progress: Progress | None,
    in_memory: bool | None = None,
    threads: int | None = None,
    **more: Any,
) -> tuple[Frame, tuple[Frame, ...], Protected | None, Report]:
    """The original, the copies of the release, the release as its manifest describes it, and its report with the verdict.

    more : further arguments of evaluate().
    """
    check_known(request)
    limits = limits_from(request.limits, request.limit)
    before, after, recorded = open_pair(request, "evaluate", in_memory)
    roles = _roles(request, recorded)
    method = None if request.method is None else request.chosen_method()
    independent = request.independent if roles is None else None
    release: Any = recorded or (after if len(after) > 1 else after[0])
    audit: Any = request.audit
    if audit is not None:
        audit = audit == RUN or audit_from(read_json(audit, "audit", NO_DOCUMENT))
    report = evaluate(
        before, release, request.columns, request.measures, roles=roles, method=method, independent=independent,
        limits=limits, audit=audit, engine=Local(threads), progress=progress, **more,
    )  # fmt: skip
    return before, after, recorded, report


def _roles(request: Request, recorded: Protected | None) -> Roles | None:
    """Those typed, or those of the manifest with further columns that no intruder knows."""
    given: dict[str, Any] = {role: getattr(request, role) or () for role in ROLES}
    if recorded is None:
        return Roles(**given) if given["dependent"] else None
    return replace(recorded.roles, unknown=tuple(dict.fromkeys((*recorded.roles.unknown, *given["unknown"]))))

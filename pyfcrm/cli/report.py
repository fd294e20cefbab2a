"""pyfcrm report: an evaluation as one HTML page."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from .. import __version__
from ..arguments import choice
from ..errors import Count
from ..files import check_output, write_text
from ..files.atomic import PRIVATE, PUBLIC
from ..protection.protect import Protected
from ..trust.run import file_digests
from .options import Request
from .release import evaluation, release_paths
from .show import document, notes, print_line, progress

if TYPE_CHECKING:
    from ..report import Making

STATE_KEPT = "none: the whole state of the generator is in the manifest"


def run(request: Request) -> int:
    """One self-contained HTML page on a protected file and its original."""
    from ..report import FORMS, Filing, report_page

    releases = [os.fspath(path) for path in release_paths(request)]
    target = check_output(request.output, [request.original, *releases, request.manifest], extensions=("html", "htm"))
    form = choice("report", "form", request.form or "internal", FORMS)
    with progress("judging") as advance:
        found = evaluation(request, advance, True)
        frames = [one.frame for one in found.releases]
        report = found.report
        page = report_page(
            found.original.frame,
            frames,
            report,
            form,
            making=None if found.recorded is None else making_of(found.recorded),
            unknown=tuple(request.unknown or ()),
            audit=found.audit,
            filing=Filing(
                file_digests({request.original: request.original}),
                file_digests({path: path for path in releases}),
                version=f"pyfcrm {__version__}",
            ),
        )
    # The internal form is for its owner's eyes alone.
    write_text(target, page, mode=PRIVATE if form == "internal" else PUBLIC)
    if request.json:
        document(
            {"report": request.output, "form": form, "verdict": report.verdict.document(), "notes": list(report.notes)}
        )
        return int(request.check and not report.verdict.ok)
    for line in report.verdict.lines():
        print_line(line)
    notes(report.notes)
    columns = Count(len(report.columns))
    print_line(f"{request.output}: {form} report on {report.records} records, {columns} {columns:column|columns}")
    return int(request.check and not report.verdict.ok)


def making_of(recorded: Protected) -> Making:
    """How a release was protected, from its manifest."""
    from ..report import Making

    options = recorded.options
    facts = {
        "seed": recorded.seed if isinstance(recorded.seed, int) else STATE_KEPT,
        "constraints": "; ".join(options["constraints"] or ()),
        "missing": options["missing"],
    }
    facts = {name: value for name, value in facts.items() if value}
    return Making(recorded.method, recorded.roles, facts, tuple(recorded.notes))

"""pyfcrm report: an evaluation as one HTML page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from ..arguments import choice
from ..errors import Count
from ..evaluation.verdict import Verdict
from ..files import check_output, write_text
from ..files.atomic import PRIVATE, PUBLIC
from ..files.manifest import digest, manifest_of
from ..methods import METHODS
from ..methods.text import method_of
from .options import chosen
from .release import ReleaseRequest, evaluation
from .show import notes, progress, say

if TYPE_CHECKING:
    from ..report import Filing, Making

STATE_KEPT = "none: the whole state of the generator is in the manifest"
UNKNOWN = "known to no intruder"


@dataclass(frozen=True, kw_only=True)
class Request(ReleaseRequest):
    """What was asked for, as it was typed: each option, declared."""

    output: Annotated[str, typer.Option("--output", "-o", help="the page, .html")]
    form: Annotated[str, typer.Option(help="internal: everything; external: nothing that helps an intruder")] = (
        "internal"
    )
    title: Annotated[str, typer.Option(help="of the page")] = "A protected file, judged"


def run(request: Request) -> None:
    """One self-contained HTML page on a protected file and its original."""
    from ..report import FORMS, report_page

    releases = [os.fspath(path) for path in request.releases]
    target = check_output(request.output, [request.original, *releases, request.manifest], extensions=("html", "htm"))
    choice("report", "form", request.form, FORMS)
    making = None if request.manifest is None else read_making(request.manifest, releases[0], request.original)
    with progress("judging") as advance:
        found = evaluation(request, advance, True)
        frames = [one.frame for one in found.releases]
        report = found.report
        page = report_page(
            found.original.frame,
            frames,
            report,
            request.form,
            making=making,
            title=request.title,
            missing=request.missing,
            unknown=_unknown(request, making),
            audit=found.audit,
            filing=_filing(request, releases, report.verdict),
        )
    # The internal form is for its owner's eyes alone.
    write_text(target, page, mode=PRIVATE if request.form == "internal" else PUBLIC)
    for line in report.verdict.lines():
        say(line)
    notes(report.notes)
    columns = Count(len(report.columns))
    say(f"{request.output}: {request.form} report on {report.records} records, {columns} {columns:column|columns}")
    if request.check and not report.verdict.ok:
        raise typer.Exit(1)


def _filing(request: Request, releases: list[str], verdict: Verdict) -> Filing:
    """What a file of reports knows this one by."""
    from ..report import Filing

    original = os.path.basename(request.original), digest(request.original)
    protected = ", ".join(map(os.path.basename, releases)), ", ".join(map(digest, releases))
    return Filing(original, protected, f"Report of {date.today().isoformat()}, by pyfcrm {__version__}.", verdict)


def _unknown(request: Request, making: Making | None) -> tuple[str, ...]:
    """The columns of which it was said that no intruder knows them, here or when the release was made."""
    given = chosen(request.unknown, "--unknown") or []
    made = making.facts.get(UNKNOWN, ()) if making is not None else ()
    return tuple(dict.fromkeys([*given, *made]))


def read_making(path: str, release: str, original: str) -> Making:
    """How a release was made, from the manifest that `pyfcrm protect --manifest` wrote of it and no other."""
    from ..report import Making

    found = manifest_of(path, release, original)
    facts: dict[str, Any] = {
        name: found[name] for name in ("seed", "constraints", "missing", "pyfcrm") if found.get(name)
    }
    if found.get("state"):
        facts["seed"] = STATE_KEPT
    roles = found.get("roles") or {}
    facts |= {UNKNOWN if role == "unknown" else f"{role} columns": value for role, value in roles.items() if value}
    about = next((made.about for made in METHODS.values() if made.__name__ == found["method"]), "")
    parameters = {name: _said(value) for name, value in (found.get("parameters") or {}).items()}
    return Making(found["method"], about, parameters, facts, tuple(found.get("notes") or ()))


def _said(value: Any) -> Any:
    """A method within a method as it is called; any other parameter as it is."""
    return str(method_of("report", value)) if isinstance(value, Mapping) and "name" in value else value

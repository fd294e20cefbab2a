"""pyfcrm report: an evaluation as one HTML page."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .. import __version__
from ..arguments import choice, whole_number
from ..data import Roles
from ..errors import Count, InvalidParameter
from ..evaluation.audit import audit
from ..evaluation.audit_result import Audit
from ..evaluation.evaluate import evaluate
from ..files import check_output, read_table, write_text
from ..files.atomic import PRIVATE, PUBLIC
from ..files.manifest import digest, manifest_of
from ..files.paths import copy_paths
from ..measures import MEASURES
from ..methods import METHODS, Method
from ..methods.text import method_of
from ..progress import Progress
from ..protection.request import MOST_COPIES
from .options import (
    Columns,
    CopiesJudged,
    Decimal,
    Measures,
    Original,
    Release,
    Seed,
    Separator,
    Unknown,
    chosen,
    real,
)
from .show import notes, progress, say

if TYPE_CHECKING:
    from ..report import Filing, Making

STATE_KEPT = "none: the whole state of the generator is in the manifest"
UNKNOWN = "known to no intruder"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    original: Original
    protected: Release
    output: Annotated[str, typer.Option("--output", "-o", help="the page, .html")]
    columns: Columns = None
    measures: Measures = None
    independent: Annotated[
        str | None, typer.Option(help="the columns that explain the judged ones: adds the inference baseline")
    ] = None
    form: Annotated[str, typer.Option(help="internal: everything; external: nothing that helps an intruder")] = (
        "internal"
    )
    manifest: Annotated[
        str | None, typer.Option(help="the record that protect --manifest wrote of this very release")
    ] = None
    title: Annotated[str, typer.Option(help="of the page")] = "A protected file, judged"
    separator: Separator = None
    decimal: Decimal = None
    seed: Seed = None
    unknown: Unknown = None
    limits: Annotated[
        list[str] | None, typer.Option("--limit", help="a limit set beforehand: dr=15 (may be repeated)")
    ] = None
    audit: Annotated[
        bool, typer.Option("--audit", help="attack the method as who knows it would; needs --manifest")
    ] = False
    copies: CopiesJudged = 1

    @property
    def releases(self) -> list[str]:
        """The path of each copy."""
        copies = whole_number("report", "copies", self.copies, low=1, high=MOST_COPIES)
        return [os.fspath(path) for path in copy_paths(self.protected, copies)]


def run(request: Request) -> None:
    """One self-contained HTML page on a protected file and its original."""
    from ..report import FORMS, limits_of, report_page

    inputs = [request.original, *request.releases]
    target = check_output(request.output, [*inputs, request.manifest], extensions=("html", "htm"))
    choice("report", "form", request.form, FORMS)
    making = _making(request)
    known = _known(request)
    limits = [_limit(text) for text in request.limits or ()]
    wanted, which = chosen(request.columns, "--columns"), chosen(request.measures, "--measures")
    asked: dict[str, Any] = {
        "independent": chosen(request.independent, "--independent"),
        "seed": request.seed,
        "method": known[0] if known else None,
    }
    before, *after = (read_table(path, request.separator, request.decimal) for path in inputs)
    frames = [one.frame for one in after]
    with progress(f"judging {len(frames[0])} records") as advance:
        report = evaluate(before.frame, frames, wanted, which, progress=advance, **asked)
        filing = _filing(request, limits_of(report, limits))
        found = None if known is None else _audited(request, before.frame, *known, progress=advance)
        page = report_page(
            before.frame,
            frames,
            report,
            request.form,
            making=making,
            title=request.title,
            unknown=_unknown(request, making),
            audit=found,
            filing=filing,
        )
    write_text(
        target, page, mode=PRIVATE if request.form == "internal" else PUBLIC
    )  # the first for its owner's eyes alone
    notes([*before.notes, *after[0].notes, *report.notes])
    columns = Count(len(report.columns))
    say(f"{request.output}: {request.form} report on {report.records} records, {columns} {columns:column|columns}")


def _filing(request: Request, limits: Any) -> Filing:
    """What a file of reports knows this one by."""
    from ..report import Filing

    original = os.path.basename(request.original), digest(request.original)
    protected = ", ".join(map(os.path.basename, request.releases)), ", ".join(map(digest, request.releases))
    return Filing(original, protected, f"Report of {date.today().isoformat()}, by pyfcrm {__version__}.", limits)


def _limit(text: str) -> tuple[str, float]:
    """The measure and the number of dr=15."""
    key, _, value = text.partition("=")
    try:
        if key in MEASURES:
            return key, real(value)
    except typer.BadParameter:
        pass
    raise InvalidParameter("report", "--limit", "must be a measure and a number, such as dr=15", text)


def _making(request: Request) -> Making | None:
    """As the manifest has it, which must speak of every copy."""
    if request.manifest is None:
        return None
    made = [read_making(request.manifest, path, request.original) for path in request.releases]
    return made[0]


def _known(request: Request) -> tuple[Method, Roles, dict[str, Any]] | None:
    """Method, roles and the answers kept, as the manifest has them, where the method is to be attacked."""
    if not request.audit:
        return None
    if request.manifest is None:
        raise InvalidParameter(
            "report", "--audit", "must come with --manifest, which says how the release was made", "none"
        )
    found = manifest_of(request.manifest, request.releases[0], request.original)
    method = method_of("report", {"name": found["method"], **(found.get("parameters") or {})})
    return (
        method,
        Roles(**found["roles"]),
        {key: found[key] for key in ("missing", "weights", "preserve") if found.get(key)},
    )


def _audited(
    request: Request, frame: Any, method: Method, roles: Roles, answers: dict[str, Any], *, progress: Progress | None
) -> Audit:
    """What releases by the method tell, all copies of each together."""
    more: dict[str, Any] = {"copies": request.copies, **answers}
    return audit(frame, method, roles, request.seed, progress=progress, **more)


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

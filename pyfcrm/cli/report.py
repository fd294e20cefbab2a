"""pyfcrm report: an evaluation as one HTML page."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..arguments import choice
from ..errors import InvalidInput
from ..evaluating import evaluate
from ..files import check_output, read_table, write_text
from ..files.atomic import write_bytes
from ..methods import METHODS
from ..report import FORMS, Making, report_page
from .options import chosen
from .show import notes, progress, say

PRIVATE = 0o600
UNKNOWN = "known to no intruder"


@dataclass(frozen=True)
class Request:
    """What was asked for, as it was typed."""

    original: str
    protected: str
    output: str
    columns: str | None
    measures: str | None
    independent: str | None
    form: str
    manifest: str | None
    title: str
    missing: str
    separator: str | None
    decimal: str | None
    seed: int | None
    unknown: str | None = None


def run(request: Request) -> None:
    """Judge one file against another, and write the page: an internal one for its owner's eyes alone (mode 0600)."""
    inputs = [request.original, request.protected, request.manifest]
    target = check_output(request.output, inputs, extensions=("html", "htm"))
    choice("report", "form", request.form, FORMS)
    making = None if request.manifest is None else read_making(request.manifest)
    wanted, which = chosen(request.columns, "--columns"), chosen(request.measures, "--measures")
    explaining = chosen(request.independent, "--independent")
    before, after = (
        read_table(path, request.separator, request.decimal) for path in (request.original, request.protected)
    )
    with progress(f"judging {len(after.frame)} records") as advance:
        report = evaluate(
            before.frame,
            after.frame,
            wanted,
            which,
            missing=request.missing,
            independent=explaining,
            seed=request.seed,
            progress=advance,
        )
        page = report_page(
            before.frame,
            after.frame,
            report,
            request.form,
            making=making,
            title=request.title,
            missing=request.missing,
            unknown=_unknown(request, making),
        )
    if request.form == "internal":
        write_bytes(target, page.encode("utf-8"), mode=PRIVATE)
    else:
        write_text(target, page)
    notes([*before.notes, *after.notes, *report.notes])
    say(f"{request.output}: {request.form} report on {report.records} records, {len(report.columns)} columns")


def _unknown(request: Request, making: Making | None) -> tuple[str, ...]:
    """The columns of which it was said that no intruder knows them, here or when the release was made."""
    given = chosen(request.unknown, "--unknown") or []
    made = making.facts.get(UNKNOWN, ()) if making is not None else ()
    return tuple(dict.fromkeys([*given, *made]))


def read_making(path: str) -> Making:
    """How a release was made, from the manifest that `pyfcrm protect --manifest` wrote."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
    except OSError as error:
        raise InvalidInput(path, "the manifest could not be read", error.strerror) from error
    except ValueError as error:
        raise InvalidInput(path, "a manifest must be JSON, as pyfcrm protect --manifest writes it") from error
    if not isinstance(found, Mapping) or not isinstance(found.get("method"), str):
        raise InvalidInput(path, "a manifest must be JSON, as pyfcrm protect --manifest writes it")
    facts: dict[str, Any] = {
        name: found[name] for name in ("seed", "constraints", "missing", "pyfcrm") if found.get(name)
    }
    roles = found.get("roles") or {}
    facts |= {UNKNOWN if role == "unknown" else f"{role} columns": value for role, value in roles.items() if value}
    about = next((made.about for made in METHODS.values() if made.__name__ == found["method"]), "")
    return Making(found["method"], about, found.get("parameters") or {}, facts, tuple(found.get("notes") or ()))

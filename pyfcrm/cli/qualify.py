"""pyfcrm qualify: whether what is installed is what was built, and still gives the answers; a page to sign."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from ..files import check_output, write_text
from ..trust.qualify import Qualification, Requirement, Row, qualify
from .options import Json
from .show import complain, document, progress, say

if TYPE_CHECKING:
    from r_bridge.crosschecks.record import Record

WITH_R = "R gives the same, number by number"


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    html: Annotated[str | None, typer.Option(help="a page to sign and file")] = None
    wheel: Annotated[
        str | None, typer.Option(help="the wheel as it was handed over, to compare with; else the record installed")
    ] = None
    with_r: Annotated[
        bool | None,
        typer.Option(
            "--with-r/--without-r", help="join what `pyfcrm crosscheck` finds; as R and rpy2 are there, if not given"
        ),
    ] = None
    as_json: Json = False


def run(request: Request) -> None:
    """Examine this installation: files, random numbers, arithmetic, stored values; status 1 where the page cannot be signed."""
    if request.html is not None:
        check_output(request.html, [request.wheel], extensions=("html", "htm"))
    with progress("examining") as advance:
        found = qualify(request.wheel, progress=advance)
    if request.with_r or (request.with_r is None and shutil.which("R") and find_spec("rpy2")):
        found = _with_r(found, request.with_r is None)
    if request.html is not None:
        write_text(request.html, found.page())
    if request.as_json:
        document(found.document())
    else:
        for sentence in found.sentences():
            say(sentence)
        if request.html is not None:
            say(f"page: {request.html}")
    if not found.ok:
        raise typer.Exit(1)


def _with_r(found: Qualification, by_itself: bool) -> Qualification:
    """The cross-check joined. by_itself : nobody asked for it, so an R that cannot be asked is told of and no failure."""
    from r_bridge.to_r.session import RUnavailable

    from .crosscheck import Request as Crosscheck
    from .crosscheck import compared

    try:
        record = compared(Crosscheck())
    except RUnavailable as error:
        if not by_itself:
            raise
        complain(f"R was left out: {error}")
        return found
    files = {f"R file {file.name}": f"SHA-256 {file.sha256}" for file in record.r_files}
    around = {f"{name}, with R": text for name, text in record.versions.items() if name not in found.surroundings}
    return found.joined(_requirement(record), {**around, **files})


def _requirement(record: Record) -> Requirement:
    from r_bridge.crosschecks.page import small

    holds = {"ok": True, "FAIL": False}
    rows = tuple(
        Row(one.what, small(one.difference), small(one.tolerance), holds.get(one.verdict)) for one in record.rows
    )
    said = f"{record.described}; largest relative difference and tolerance; {record.summary.rstrip('.')}"
    return Requirement(WITH_R, rows, said, all(row.holds is not False for row in rows))

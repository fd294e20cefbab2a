"""pyfcrm verify: a release and its manifest in, whether the one is the other's out."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

import typer

from ..trust.verify import verify
from .options import Json
from .show import document, progress, say


@dataclass(frozen=True, kw_only=True)
class Request:
    """What was asked for, as it was typed: each option, declared."""

    manifest: Annotated[str, typer.Argument(metavar="MANIFEST", help="the private record of the release")]
    release: Annotated[str, typer.Option(help="the released file, wherever it lies")]
    original: Annotated[
        str | None, typer.Option(help="what it was made of: the release is then made again, and compared byte by byte")
    ] = None
    as_json: Json = False


def run(request: Request) -> None:
    """Whether a release is the one its manifest speaks of; with the original, whether it comes out again."""
    with progress("making the release again") as advance:
        found = verify(request.manifest, request.release, request.original, progress=advance)
    if request.as_json:
        differs = [dict(zip(("what", "then", "now"), one, strict=True)) for one in found.surroundings]
        shown = {"checks": [asdict(one) for one in found.checks], "differences": [asdict(d) for d in found.differences]}
        document({"ok": found.ok, **shown, "surroundings": differs})
    else:
        for sentence in found.sentences():
            say(sentence)
    if not found.ok:
        raise typer.Exit(1)

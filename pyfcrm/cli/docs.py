"""pyfcrm docs: the pages that came with the package."""

from __future__ import annotations

import webbrowser
from pathlib import Path
from typing import Annotated

import typer

from ..errors import InvalidInput
from .show import say

SITE = Path(__file__).resolve().parent.parent / "site"


def run(
    *, browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open them in a browser")] = True
) -> None:
    """The documentation that came with the package, in a browser; it needs no network."""
    first = SITE / "index.html"
    if not first.is_file():
        raise InvalidInput("docs", "the pages must have been built, which `make docs` does in a checkout", "none")
    say(first.as_uri())
    if browser:
        webbrowser.open(first.as_uri())

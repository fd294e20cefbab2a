"""pyfcrm studio: the app in a browser."""

from __future__ import annotations

from typing import Annotated

import typer

from .options import Externals, externals, whole
from .show import say


def run(
    *,
    port: Annotated[
        int | None, typer.Option(parser=whole, metavar="INTEGER", help="8765, or the next that is free, if not given")
    ] = None,
    host: Annotated[str, typer.Option(help="the address to listen on; this machine alone if not given")] = "127.0.0.1",
    browser: Annotated[bool, typer.Option("--browser/--no-browser", help="open it in a browser")] = True,
    upload_mb: Annotated[
        int, typer.Option("--upload-mb", parser=whole, metavar="INTEGER", help="the largest file that may be dropped")
    ] = 200,
    most_cells: Annotated[
        int,
        typer.Option(
            "--most-cells", parser=whole, metavar="INTEGER", help="a dropped file's records times columns at most"
        ),
    ] = 20_000_000,
    external: Externals = None,
) -> None:
    """See what protecting does, in a browser, while it runs."""
    from ..app.serving import serve

    serve(say, port, host, browser, upload_mb, most_cells, others=externals(external))

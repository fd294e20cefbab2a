"""pyfcrm docs and pyfcrm studio: pages in a browser."""

import webbrowser
from pathlib import Path

from ..errors import InvalidInput, MissingExtra
from .options import Request
from .show import print_lines

SITE = Path(__file__).resolve().parent.parent / "site"


def docs(request: Request) -> None:
    """The documentation that is installed with the package, in a browser; it needs no network."""
    first = SITE / "index.html"
    if not first.is_file():
        raise InvalidInput("docs", "the pages must have been built, which `make docs` does in a checkout", "none")
    print_lines(first.as_uri())
    if not request.no_browser:
        webbrowser.open(first.as_uri())


def studio(request: Request) -> None:
    """The studio: protection and evaluation in a browser."""
    try:
        from ..app.serve import serve
    except ModuleNotFoundError as error:
        raise MissingExtra("the studio", "app", str(error.name)) from error

    serve(print_lines, port=request.port, browser=not request.no_browser, ledger=request.ledger)

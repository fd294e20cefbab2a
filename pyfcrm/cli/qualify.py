"""pyfcrm qualify: an examination of the installation, with a page to sign."""

from __future__ import annotations

from ..files import check_output, write_text
from ..trust.qualify import qualify
from .options import Request
from .show import document, print_line, progress


def run(request: Request) -> int:
    """Examine this installation: files, random numbers, arithmetic, stored values; status 1 where something fails."""
    if request.html is not None:
        check_output(request.html, extensions=("html", "htm"))
    with progress("examining") as advance:
        result = qualify(progress=advance)
    if request.html is not None:
        write_text(request.html, result.page())
    if request.json:
        document(result.document())
    else:
        for sentence in result.sentences():
            print_line(sentence)
        if request.html is not None:
            print_line(f"page: {request.html}")
    return int(not result.ok)

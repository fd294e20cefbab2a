"""Lines for a terminal: one line each, whatever is in a file's names."""

from __future__ import annotations

import sys

from ..errors import one_line


def printable(text: str) -> str:
    """See errors.one_line."""
    return one_line(text)


def complain(text: str) -> None:
    """The one line on standard error that says what went wrong."""
    print("pyfcrm: " + printable(text), file=sys.stderr)

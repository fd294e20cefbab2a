"""Lines for a terminal: one line each, whatever is in a file's names."""

from __future__ import annotations

import sys


def printable(text: str) -> str:
    """`text` with every character that could break a line or steer a terminal written as an escape, such as \\n."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode("ascii") for c in text)


def complain(text: str) -> None:
    """The one line on standard error that says what went wrong."""
    print("pyfcrm: " + printable(text), file=sys.stderr)

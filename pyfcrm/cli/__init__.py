"""The command line: words to calls."""

from __future__ import annotations

import io
import sys
from collections.abc import Sequence

from .. import progress


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `pyfcrm` and exit: 0 done, 1 a check did not hold, 2 bad input or arguments, in one line, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal's encoding lacks is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    from .run import run

    progress.loaded()
    status = run(sys.argv[1:] if arguments is None else list(arguments))
    if status == progress.STATUS:
        progress.leave()
    sys.exit(status)

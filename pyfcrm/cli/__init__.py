"""The command line: words to calls."""

import io
import os
import sys
from collections.abc import Sequence
from contextlib import suppress


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `pyfcrm` and exit: 0 done, 1 a check did not hold, 2 bad input or arguments, in one line, 130 interrupted."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # a name that the terminal's encoding lacks is no reason to stop
            stream.reconfigure(errors="backslashreplace")
    if arguments is None:
        _keep_output()
    from .run import run

    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))


def _keep_output() -> None:
    """Give standard output to sys.stdout alone: what a library's C code prints, such as a solver, goes to standard error.

    Unchanged where a stream is closed or is no file of the system.
    """
    with suppress(OSError, ValueError, AttributeError):
        output = sys.stdout
        if output.fileno() == 1:
            output.flush()
            lines = 1 if output.line_buffering else -1
            sys.stdout = open(os.dup(1), "w", lines, output.encoding, output.errors)  # noqa: SIM115
            os.dup2(2, 1)

"""The command line: words to calls."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def main(arguments: Sequence[str] | None = None) -> None:
    """Run `pyfcrm` and exit: 0 done, 1 a check did not hold, 2 bad input or arguments, in one line, 130 interrupted."""
    from .run import run

    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))

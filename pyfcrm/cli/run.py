"""Running a command: every mistake a user can make ends in one line and an exit status."""

from __future__ import annotations

import sys

import typer

from ..errors import PyfcrmError
from .commands import app

# typer carries its own copy of click in newer versions and uses the package in older ones; this is its root either way.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    try:
        status = typer.main.get_command(app).main(arguments or ["--help"], prog_name="pyfcrm", standalone_mode=False)
    except typer.Abort:
        return _say("interrupted; nothing was written", 130)
    except KeyboardInterrupt:
        return _say("interrupted; nothing was written", 130)
    except BrokenPipeError:
        return _leave_pipe()
    except PyfcrmError as error:
        return _say(str(error), 2)
    except USAGE_ERROR as error:
        text = error.format_message() if hasattr(error, "format_message") else str(error)
        return _say(" ".join(text.split()), 2) if text else 2
    except OSError as error:
        return _say(f"{error.filename or 'file'}: {error.strerror or error}", 2)
    except MemoryError:
        return _say("not enough memory for this file", 2)
    return status if isinstance(status, int) else 0


def _say(text: str, status: int) -> int:
    print("pyfcrm: " + " ".join(text.split("\n")), file=sys.stderr)
    return status


def _leave_pipe() -> int:
    """The reader of our output has gone (`| head`); say nothing, and let Python's own flush find nothing to do."""
    import os

    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0

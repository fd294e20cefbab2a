"""Running a command: every mistake a user can make ends in one line and an exit status."""

from __future__ import annotations

import os
import sys
from contextlib import suppress
from copy import copy
from functools import cache
from typing import Any, TextIO

import typer

from ..errors import PyfcrmError
from .commands import app
from .show import complain

# typer carries its own copy of click in newer versions and uses the package in older ones; this is its root either way.
USAGE_ERROR: type[Exception] = typer.BadParameter.__mro__[2]


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    try:
        status = _invoke(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a full disk or a closed pipe can still be told
    except (KeyboardInterrupt, typer.Abort):
        return _fail("interrupted; no file was left half-written", 130)
    except BrokenPipeError:
        _drop_output(sys.stdout, sys.stderr)
        return 0  # the reader has gone (`| head`), and has what it wanted
    except PyfcrmError as error:
        return _fail(str(error), 2)
    except USAGE_ERROR as error:
        text = error.format_message() if hasattr(error, "format_message") else str(error)
        return _fail(" ".join(text.split()) or "this cannot be understood; see pyfcrm --help", 2)
    except OSError as error:
        if error.filename is None:
            _drop_output(sys.stdout)
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}", 2)
    except MemoryError:
        return _fail("not enough memory for this file", 2)
    return status


def _invoke(arguments: list[str]) -> int:
    """Not through click's main, which turns an interrupt and a closed pipe into exits of its own."""
    alone = arguments[0] if arguments and arguments[0] in {one.name for one in app.registered_commands} else None
    command = _built(alone)
    try:
        with command.make_context("pyfcrm", arguments or ["--help"]) as context:
            command.invoke(context)
    except typer.Exit as done:
        return done.exit_code
    return 0


@cache
def _built(alone: str | None) -> Any:
    """The commands, or only the one that is called: to build them all takes longer than some of them do."""
    some = copy(app)
    some.registered_commands = [one for one in app.registered_commands if alone in (None, one.name)]
    return typer.main.get_command(some)


def _fail(text: str, status: int) -> int:
    with suppress(OSError):
        complain(text)
    return status


def _drop_output(*streams: TextIO | None) -> None:
    """Lead what is left in these streams nowhere, so that Python's own flush at the end cannot fail again."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    for stream in streams:
        with suppress(OSError, ValueError, AttributeError):
            os.dup2(nowhere, stream.fileno())  # type: ignore[union-attr]
    os.close(nowhere)

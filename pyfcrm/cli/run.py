"""Running a command: every mistake a user can make ends in one line and an exit status."""

import os
import sys
from contextlib import suppress
from typing import TextIO

import click
from click.shell_completion import shell_complete

from ..errors import PyfcrmError
from .commands import app
from .show import complain

COMPLETE = "_PYFCRM_COMPLETE"  # bash_source, zsh_source or fish_source: prints the script for a shell


def run(arguments: list[str]) -> int:
    """Run one command and return its exit status."""
    try:
        status = _invoke(arguments)
        if sys.stdout is not None:
            sys.stdout.flush()  # here, where a full disk or a closed pipe can still be reported
    except (KeyboardInterrupt, click.Abort):
        return _fail("interrupted; no file was left half-written", 130)
    except BrokenPipeError:
        _drop_output(sys.stdout, sys.stderr)
        return 0  # the reader has gone (`| head`), and has what it wanted
    except PyfcrmError as error:
        return _fail(str(error), 2)
    except click.ClickException as error:
        return _fail(" ".join(error.format_message().split()) or "this cannot be understood; see pyfcrm --help", 2)
    except OSError as error:
        if error.filename is None:
            _drop_output(sys.stdout)
        return _fail(f"{error.filename or 'output'}: {error.strerror or error}", 2)
    except MemoryError:
        return _fail("not enough memory for this file", 2)
    return status


def _invoke(arguments: list[str]) -> int:
    """The status of a command. click's own main() would handle interrupts and closed pipes in its own way."""
    if COMPLETE in os.environ:
        return shell_complete(app, {}, "pyfcrm", COMPLETE, os.environ[COMPLETE])
    try:
        with app.make_context("pyfcrm", arguments or ["--help"]) as context:
            return app.invoke(context) or 0
    except click.exceptions.Exit as done:
        return done.exit_code


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

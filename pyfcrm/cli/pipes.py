"""Standard input and output in the place of files: `-`, as other commands of a shell have it.

A file that comes through a pipe is stored, in a folder of its user's alone, until the command has ended: a file is read more
than once, and a release is written whole or not at all.
"""

import os
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import click

from ..errors import InvalidParameter

PIPE = "-"
STARTS = {b"PAR1": ".parquet", b"PK\x03\x04": ".xlsx"}
"""The first bytes of a format that needs no name to be known; other text is CSV."""
TAKEN = "pyfcrm.standard input"


class InputFile(click.ParamType):
    """The path of a file, where `-` is standard input."""

    name = "file"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """The path, for standard input that of a stored copy, which ends with the command."""
        text = str(value)
        if not text:
            self.fail("must be the path of a file, or - for standard input; got ''", param, ctx)
        if text != PIPE or ctx is None:
            return text
        if TAKEN in ctx.meta:
            self.fail("only one file can come from standard input; name the other", param, ctx)
        ctx.meta[TAKEN] = True
        return _stored(ctx.with_resource(tempfile.TemporaryDirectory(prefix="pyfcrm-")))


def _stored(folder: str) -> str:
    """The path of standard input as a file of the folder."""
    source = sys.stdin.buffer
    start = source.read(4)
    path = os.path.join(folder, "standard-input" + STARTS.get(start, ".csv"))
    with open(path, "wb") as file:
        file.write(start)
        shutil.copyfileobj(source, file)
    return path


@contextmanager
def output_file(path: str, kind: str) -> Iterator[str]:
    """The path of an output; where it is `-`, a file that is copied to standard output once it is complete.

    kind : the extension of that file, with its dot.
    """
    if path != PIPE:
        yield path
        return
    with tempfile.TemporaryDirectory(prefix="pyfcrm-") as folder:
        stored = os.path.join(folder, "standard-output" + kind)
        yield stored
        with open(stored, "rb") as file:
            shutil.copyfileobj(file, sys.stdout.buffer)


def refuse_with_pipe(owner: str, output: str, **others: Any) -> None:
    """Raise InvalidParameter where the output is standard output, and an option asks for more than one text there."""
    if output != PIPE:
        return
    for name, value in others.items():
        if value:
            raise InvalidParameter(owner, f"--{name}", "must be left out where the output is -, standard output", value)

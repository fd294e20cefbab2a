"""Where the releases of a sweep over a file go: a folder that stays, or, of a file that is read by blocks, one that nobody
sees and that goes away."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ..data import Frame
from ..errors import InvalidInput, InvalidParameter
from ..files.formats import RELEASED_AS
from ..files.paths import Path, extension, path_text
from ..methods import Method
from ..protection.destination import require_target

LONGEST = 80  # letters of a method in the name of a file


@contextmanager
def places(door: Frame, output: Path | None, methods: Sequence[Method]) -> Iterator[Sequence[str | None]]:
    """The paths that the releases go to, one a method; None where they are frames in memory.

    output : a folder, made if it is not there; releases that stand in it stay whatever happens, each of them whole, and
    a folder that was made for nothing goes. None: of a file that is read by blocks a folder only its owner can read, removed
    at the end, whatever happens. Raises InvalidInput or InvalidParameter, before any work is done.
    """
    if door.path is None and output is not None:
        rule = "must be left out where a frame is protected: protect() with the frontier's seed gives a release"
        raise InvalidParameter("sweep", "output", rule, output)
    if output is None:
        if door.source is None:
            yield [None] * len(methods)
            return
        with tempfile.TemporaryDirectory(prefix="pyfcrm-") as hidden:
            yield [os.path.join(hidden, name) for name in names(methods)]
        return
    assert door.path is not None
    folder = path_text("output", output)
    made = _made(folder)
    try:
        paths = [os.path.join(folder, name) for name in names(methods, _format(door.path))]
        for path in paths:
            require_target(door.path, path, overwrite=True)
        yield paths
    finally:
        if made:
            with suppress(OSError):  # not empty: there are releases in it
                os.rmdir(folder)


def names(methods: Sequence[Method], kind: str = "parquet") -> list[str]:
    """File names in the order of the methods: 01-fcrm-c-8.parquet."""
    width = max(2, len(str(len(methods))))
    words = [re.sub(r"[^a-z0-9.]+", "-", str(method).lower())[:LONGEST].strip("-.") for method in methods]
    return [f"{k:0{width}d}-{word}.{kind}" for k, word in enumerate(words, start=1)]


def _format(path: str) -> str:
    """The extension of releases: the file's own, or another where that is only read."""
    if os.path.isdir(path):
        return "parquet"
    kind = extension(path)
    return RELEASED_AS.get(kind, kind)


def _made(folder: str) -> bool:
    """Whether the folder had to be made."""
    if os.path.isdir(folder):
        return False
    try:
        os.mkdir(folder)
    except OSError as error:
        rule = "an output must be a folder, or a new one where there is a folder to make it in"
        raise InvalidInput(folder, rule, error.strerror) from error
    return True

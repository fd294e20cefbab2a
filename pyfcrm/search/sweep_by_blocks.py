"""Where the releases of a sweep over a file go: a folder that stays, or one that nobody sees and that goes away."""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ..errors import InvalidInput
from ..files.parquet import source
from ..files.paths import Path, path_text
from ..methods import Method
from ..protection.file_by_blocks import output_path
from ..protection.methods_by_blocks import require_supported

LONGEST = 80  # letters of a method in the name of a file


@contextmanager
def places(path: Path, output: Path | None, methods: Sequence[Method]) -> Iterator[Sequence[str | None]]:
    """The paths that the releases of a Parquet file or folder go to, one a method; found good before any work is done.

    output : a folder, made if it is not there; releases that stand in it stay whatever happens, each of them whole, and
    a folder that was made for nothing goes. None: a folder only its owner can read, removed at the end, whatever
    happens. Raises InvalidInput or InvalidParameter.
    """
    for method in methods:
        require_supported(method)
    data = source("sweep", path)
    if output is None:
        with tempfile.TemporaryDirectory(prefix="pyfcrm-") as hidden:
            yield [os.path.join(hidden, name) for name in names(methods)]
        return
    folder = path_text("output", output)
    made = _made(folder)
    try:
        yield [
            output_path(os.path.join(folder, name), data.name, data.paths, overwrite=True) for name in names(methods)
        ]
    finally:
        if made:
            with suppress(OSError):  # not empty: there are releases in it
                os.rmdir(folder)


def names(methods: Sequence[Method]) -> list[str]:
    """File names in the order of the methods: 01-fcrm-c-8.parquet."""
    width = max(2, len(str(len(methods))))
    words = [re.sub(r"[^a-z0-9.]+", "-", str(method).lower())[:LONGEST].strip("-.") for method in methods]
    return [f"{k:0{width}d}-{word}.parquet" for k, word in enumerate(words, start=1)]


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

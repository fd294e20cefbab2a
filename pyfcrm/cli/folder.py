"""Output folders: found good before any work is done, made when there is something to put in."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from ..errors import InvalidInput, InvalidParameter
from ..files import check_output


def check_folder(folder: str, files: Iterable[str] = (), inputs: Iterable[str | None] = ()) -> Path:
    """The folder as a path, or one sentence on why it cannot be one.

    files : what will be written into it; inputs : files of this run, which those must not replace.
    """
    if not folder or "\0" in folder:
        raise InvalidParameter("output", "folder", "must be the path of a folder", folder)
    path = Path(folder).expanduser()
    standing = next(p for p in [path, *path.absolute().parents] if os.path.lexists(p))
    if not standing.is_dir():
        rule = "an output folder must not be a file" if standing == path else "the output folder cannot be made"
        raise InvalidInput(str(path), rule, None if standing == path else f"{standing}, which is a file")
    if not os.access(standing, os.W_OK | os.X_OK):
        raise InvalidInput(str(path), "the output folder must be one you may write to", str(standing))
    if standing == path:
        for name in files:
            check_output(path / name, inputs, extensions=None)
    return path


def make_folder(path: Path) -> None:
    """Make it, with the folders above it."""
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InvalidInput(str(path), "the output folder cannot be made", error.strerror) from error

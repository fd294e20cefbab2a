"""Atomic writes: a file is either the old one or the whole new one.

The bytes go to a temporary file in the same folder, which is synchronised with the disk and then renamed.
"""

import os
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress

from ..errors import refusing
from .paths import Path, check_new, check_output, path_text

PUBLIC = 0o666  # less the umask, as for any new file
PRIVATE = 0o600


class Pending:
    """A file that is being written to `temporary`; as a path, the one that it will have. mode : its permissions, less the umask."""

    def __init__(self, path: Path, mode: int = PUBLIC) -> None:
        self.name = path_text("output", path)
        self.target = os.path.realpath(self.name)  # a link keeps pointing at its file
        self.temporary = os.path.join(os.path.dirname(self.target), f".pyfcrm-{secrets.token_hex(8)}.tmp")
        self.has_name = False  # until its bytes are at `target`
        self._mode = mode

    def __fspath__(self) -> str:
        return self.name

    def write(self, data: bytes) -> None:
        """Write all of its bytes."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
        with refusing(self.name), os.fdopen(os.open(self.temporary, flags, self._mode), "wb") as file:
            file.write(data)


@contextmanager
def atomic_files(paths: Sequence[Path], mode: int = PUBLIC, overwrite: bool = True) -> Iterator[list[Pending]]:
    """Files to be written within; at the end each gets its name, in order; more may be added to the list.

    After an error before the first name is given, nothing has changed. If giving a name fails, the files before it stay.
    Files that are pending already are only passed on. Raises InvalidInput where a file cannot be written.
    """
    if pending := [path for path in paths if isinstance(path, Pending)]:
        yield pending
        return
    files = [Pending(path, mode) for path in paths]
    try:
        yield files
        for file in files:
            with refusing(file.name):
                _synchronise(file.temporary, os.O_RDWR)
        for file in files:
            check_new(file.name, overwrite)
        for file in files:
            with refusing(file.name):
                os.replace(file.temporary, file.target)
                file.has_name = True
        for folder in {os.path.dirname(file.target) for file in files}:
            with suppress(OSError):  # Windows cannot
                _synchronise(folder, os.O_RDONLY)
    finally:
        for file in files:
            with suppress(OSError):
                os.unlink(file.temporary)


def _synchronise(path: str, flags: int) -> None:
    """Put a file, or the names in a folder, on the disk."""
    handle = os.open(path, flags)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def write_bytes(path: Path, data: bytes, *, mode: int = PUBLIC) -> None:
    """Write `data` to `path`: the file there is either the old one or the whole new one.

    mode : permissions of the new file, less the umask; they hold from the moment it is created.
    Raises InvalidInput where the file cannot be written.
    """
    check_output(path)
    with atomic_files([path], mode) as [file]:
        file.write(data)


def write_text(path: Path, text: str, *, mode: int = PUBLIC) -> None:
    """Write `text` as UTF-8, line ends as they are; otherwise as `write_bytes`."""
    write_bytes(path, text.encode("utf-8"), mode=mode)

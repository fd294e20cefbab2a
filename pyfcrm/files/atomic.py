"""Atomic writes: a file is either the old one or the whole new one.

The bytes go to a temporary file in the same folder, which is synchronised with the disk and then renamed.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from functools import cached_property

from ..errors import InvalidInput, PyfcrmError
from .paths import Path, check_new, check_output, path_text

PUBLIC = 0o666  # less the umask, as for any new file
PRIVATE = 0o600
LEFTOVER_SECONDS = 24 * 3600
_LEFTOVER = re.compile(r"\.pyfcrm-([0-9]{1,9})-[0-9a-f]{16}\.tmp")  # with the number of the process that writes it
_FLAGS = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_NOFOLLOW", 0)


class Pending:
    """A file that is being written; as a path, the one that it will have.

    mode : its permissions, less the umask; overwrite : whether it may replace a file.
    """

    def __init__(self, path: Path, mode: int = PUBLIC, overwrite: bool = True) -> None:
        self.name = path_text("output", path)
        self.target = os.path.realpath(self.name)  # a link keeps pointing at its file
        self.folder = os.path.dirname(self.target)
        self._mode, self._overwrite = mode, overwrite

    def __fspath__(self) -> str:
        return self.name

    @cached_property
    def temporary(self) -> str:
        """The new, empty file that takes the bytes."""
        path = os.path.join(self.folder, f".pyfcrm-{os.getpid()}-{secrets.token_hex(8)}.tmp")
        os.close(os.open(path, _FLAGS, self._mode))
        return path

    def write(self, data: bytes) -> None:
        """Write all of its bytes."""
        with writing(self.name), open(self.temporary, "wb") as file:
            file.write(data)

    def synchronise(self) -> None:
        """Put its bytes on the disk."""
        with writing(self.name), open(self.temporary, "rb+") as file:
            os.fsync(file.fileno())

    def check_new(self) -> None:
        """Raises InvalidInput where a file has appeared that it must not replace."""
        check_new(self.name, self._overwrite)

    def close(self) -> None:
        """Remove the temporary file, where it has not been renamed."""
        if "temporary" in vars(self):
            with suppress(OSError):
                os.unlink(self.temporary)


@contextmanager
def writing(name: str, rule: str = "the file could not be written") -> Iterator[None]:
    """The system's errors as one sentence that names the file."""
    try:
        yield
    except OSError as error:
        if isinstance(error, PyfcrmError):
            raise
        lines = str(error).strip().splitlines()
        reason = os.strerror(error.errno) if error.errno else (lines or [type(error).__name__])[0]
        raise InvalidInput(name, rule, reason) from error


@contextmanager
def appearing(path: Path, mode: int = PUBLIC, overwrite: bool = True) -> Iterator[Pending]:
    """A file to be written; it is renamed at the end, and removed after an error. One that is pending is only passed on.

    Raises InvalidInput where the file cannot be written.
    """
    with ExitStack() as stack:
        pending = path if isinstance(path, Pending) else Pending(path, mode, overwrite)
        if pending is not path:
            stack.enter_context(renaming([pending]))
        with writing(pending.name):
            yield pending


@contextmanager
def all_appearing(paths: Sequence[Path], overwrite: bool = True) -> Iterator[Sequence[Path]]:
    """Several files to be written, renamed at the end after all are complete. Those that are pending are only passed on."""
    if isinstance(paths[0], Pending):
        yield paths
        return
    with renaming([Pending(path, overwrite=overwrite) for path in paths]) as files:
        yield files


@contextmanager
def renaming(files: list[Pending]) -> Iterator[list[Pending]]:
    """Files to be written within; at the end each gets its name, in order; more may be added to the list.

    After an error before the first name is given, nothing has changed. If giving a name fails, the files before it stay.
    """
    try:
        yield files
        for file in files:
            file.synchronise()
        for file in files:
            file.check_new()
        for file in files:
            with writing(file.name):
                os.replace(file.temporary, file.target)
        for folder in {file.folder for file in files}:
            _synchronise_folder(folder)
            remove_leftovers(folder)
    finally:
        for file in files:
            file.close()


def write_bytes(path: Path, data: bytes, *, mode: int = PUBLIC) -> None:
    """Write `data` to `path`: the file there is either the old one or the whole new one.

    mode : permissions of the new file, less the umask; they hold from the moment it is created.
    Raises InvalidInput where the file cannot be written.
    """
    check_output(path)
    with appearing(path, mode) as pending:
        pending.write(data)


def write_text(path: Path, text: str, *, mode: int = PUBLIC) -> None:
    """Write `text` as UTF-8, line ends as they are; otherwise as `write_bytes`."""
    write_bytes(path, text.encode("utf-8"), mode=mode)


def remove_leftovers(folder: str) -> None:
    """Delete temporary files in a folder that are this user's, a day old, and of a process that has ended.

    They are not opened. Where a system has no user ids, nothing is deleted.
    """
    with suppress(OSError):
        names = os.listdir(folder) if hasattr(os, "geteuid") else []
        for match in filter(None, map(_LEFTOVER.fullmatch, names)):
            path = os.path.join(folder, match[0])
            with suppress(OSError):
                status = os.lstat(path)
                ours = stat.S_ISREG(status.st_mode) and status.st_uid == os.geteuid()
                if ours and time.time() - status.st_mtime > LEFTOVER_SECONDS and _has_ended(int(match[1])):
                    os.unlink(path)


def _has_ended(process: int) -> bool:
    """Whether no process has this number."""
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return True
    except OSError:  # of another user
        return False
    return False


def _synchronise_folder(folder: str) -> None:
    """Make the renaming itself durable, where the system can (Windows cannot)."""
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)

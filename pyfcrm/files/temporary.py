"""Temporary files that are known by a lock: who holds it lives, and what nobody holds was left by a run that is dead.

The lock is flock's: the system lets it go with the process, however that ends. Where a system or a file server has no
such locks, files are written as well, and none is taken for dead.
"""

from __future__ import annotations

import os
import re
import secrets
import stat
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack, contextmanager, suppress

try:
    import fcntl
except ImportError:  # Windows
    fcntl = None  # type: ignore[assignment]

ORDINARY = ".part.tmp"
OF_MANIFEST = ".manifest.tmp"  # what becomes a manifest when its release is in place
PATIENCE, PAUSE = 30.0, 0.005  # seconds
_NAME = re.compile(r"\.pyfcrm-[0-9a-f]{16}(\.part|\.manifest)?\.tmp")
_FLAGS = getattr(os, "O_BINARY", 0) | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_CLOEXEC", 0)


class Temporary:
    """A new, locked file in `folder`. path : where it is; mode : its permissions, less the umask, from the start."""

    def __init__(self, folder: str, mode: int = 0o666, suffix: str = ORDINARY) -> None:
        while True:
            self.path = os.path.join(folder, f".pyfcrm-{secrets.token_hex(8)}{suffix}")
            # O_EXCL: never through a link that someone else put there.
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_EXCL | _FLAGS, mode)
            try:
                lock(self._handle, wait=True)
                if os.fstat(self._handle).st_nlink:  # else taken for dead before it was locked
                    return
            except BaseException:
                self.close()
                raise
            os.close(self._handle)

    def synchronise(self) -> None:
        """All bytes on the disk."""
        os.fsync(self._handle)

    def rename(self, target: str) -> None:
        """Give it its name, in place of what stands there; it stays locked."""
        if fcntl is None:  # Windows renames no open file
            self._let_go()
        os.replace(self.path, target)

    def close(self) -> None:
        """Let go of the lock, and remove the file where it still has its temporary name."""
        with suppress(OSError):
            os.unlink(self.path)
        self._let_go()

    def _let_go(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
            self._handle = -1


def lock(handle: int, wait: bool = False) -> bool:
    """Lock an open file or folder for this process; whether it could be, with `wait` within half a minute.

    Not for ever: whoever may read a folder could hold its lock.
    """
    if fcntl is None:
        return False
    until = time.monotonic() + (PATIENCE if wait else 0.0)
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= until:
                return False
            time.sleep(PAUSE)
        except OSError:  # no such locks here
            return False
        else:
            return True


@contextmanager
def alone_in(folders: Iterable[str]) -> Iterator[None]:
    """One process at a time renames files of these folders, so that a release and its manifest change together."""
    with ExitStack() as held:
        if fcntl is not None:
            for folder in sorted(set(folders)):  # in one order, so that nobody waits in a circle
                with suppress(OSError):  # a folder that may be written to, but not read
                    handle = os.open(folder, os.O_RDONLY | _FLAGS)
                    held.callback(os.close, handle)
                    lock(handle, wait=True)
        yield


@contextmanager
def dead(folder: str, manifests: bool = False) -> Iterator[list[str]]:
    """The temporary files, or manifests, that dead runs of this user left in a folder; they are locked meanwhile."""
    with ExitStack() as held:
        found = []
        for name in _names(folder):
            if name.endswith(OF_MANIFEST) != manifests or fcntl is None:
                continue
            with suppress(OSError):
                handle = os.open(os.path.join(folder, name), os.O_RDONLY | os.O_NONBLOCK | _FLAGS)
                held.callback(os.close, handle)
                about = os.fstat(handle)
                ours = stat.S_ISREG(about.st_mode) and about.st_uid == os.geteuid()
                if ours and lock(handle) and os.fstat(handle).st_nlink:
                    found.append(os.path.join(folder, name))
        yield found


def _names(folder: str) -> list[str]:
    with suppress(OSError):
        return sorted(name for name in os.listdir(folder) if _NAME.fullmatch(name))
    return []

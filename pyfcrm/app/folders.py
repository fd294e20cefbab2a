"""The private folder of a studio: its process holds a lock in it, and the folders of processes that are gone are removed."""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import IO

PREFIX = "pyfcrm-studio-"
LOCK = "lock"
ENTRANCE = "open.html"


class PrivateFolder:
    """A folder of mode 0700 in the system's temporary folder, with a lock until it is removed or the process ends."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix=PREFIX, ignore_cleanup_errors=True)
        self.path = Path(self._folder.name)
        self._lock = _locked(self.path)

    def entrance(self, page: str) -> Path:
        """A page in a file that only the owner can read: a browser's command line is public."""
        path = self.path / ENTRANCE
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8") as file:
            file.write(page)
        return path

    def remove(self) -> None:
        """Remove it with everything in it."""
        self._folder.cleanup()
        if self._lock is not None:
            self._lock.close()


def remove_abandoned() -> None:
    """Remove this user's folders of studios whose processes are gone, as after a power failure. Without effect on Windows."""
    for path in Path(tempfile.gettempdir()).glob(f"{PREFIX}*"):
        with suppress(OSError):
            if _abandoned(path):
                shutil.rmtree(path, ignore_errors=True)


def _abandoned(path: Path) -> bool:
    """Whether this user owns a folder whose lock nobody holds."""
    try:
        import fcntl
    except ImportError:  # Windows
        return False
    if path.is_symlink() or path.stat().st_uid != os.getuid():
        return False
    with open(path / LOCK, "rb") as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
    return True


def _locked(folder: Path) -> IO[bytes] | None:
    """The open lock file of a folder, which has its name only once it is locked; None where files have no locks."""
    try:
        import fcntl
    except ImportError:  # Windows
        return None
    new = folder / f"{LOCK}-new"
    lock = open(new, "xb")  # noqa: SIM115  # as long as the process
    fcntl.flock(lock, fcntl.LOCK_EX)
    new.rename(folder / LOCK)
    return lock

"""A visit: what one browser tab has, and what goes when it is closed."""

from __future__ import annotations

import secrets
import shutil
import stat
import tempfile
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput
from .limits import MOST_CELLS

UPLOAD_MB = 200
MOST_NAME = 200  # bytes of a file's name
MOST_OPEN = 2  # uploads that nobody took yet: one for each room of the page
MB = 1024**2


@dataclass(frozen=True)
class Upload:
    """A file on its way into a visit, or there. job : what the page calls it; name : what its owner calls it; path : where
    the visit put it, a name of the visit's own; size : in bytes, as announced."""

    job: str
    name: str
    path: Path
    size: int = 0


class Visit:
    """A private folder of one visit (mode 0700), removed by `end`; no two visits share anything.

    upload_mb : the largest file; the folder holds two of these at most: the file at hand, and the next one. most_cells : of
    a file, once it is read. What a visit takes is what arrived in it: a page names a job, and never a path.
    """

    def __init__(self, upload_mb: int = UPLOAD_MB, most_cells: int = MOST_CELLS) -> None:
        self.most_cells = most_cells
        self.folder = Path(tempfile.mkdtemp(prefix="pyfcrm-studio-"))
        self.most, self.most_held = upload_mb * MB, 2 * upload_mb * MB
        self._open: dict[str, Upload] = {}  # by job, the oldest first: announced, coming or there, and not taken yet
        self._coming: set[str] = set()
        self._there: set[str] = set()

    def begin(self, name: str, size: int) -> Upload:
        """A place for a file that is announced; the oldest that nobody took makes room. Raises InvalidInput, one sentence,
        where there is no place for it."""
        for old in list(self._open)[: 1 - MOST_OPEN]:
            self.drop(self._open[old])
        self.check(size)
        job = secrets.token_hex(12)
        upload = self._open[job] = Upload(job, name, self.folder / f"upload-{job}", size)
        return upload

    def check(self, more: int, so_far: int = 0) -> None:
        """Raises InvalidInput where a file of so_far + more bytes is too large, or `more` bytes are too many for the visit."""
        if so_far + more > self.most:
            raise InvalidInput("studio", f"A file may have {self.most // MB} MB at most")
        if self.held() + more > self.most_held:
            rule = f"A visit may hold {self.most_held // MB} MB on the studio's disk at most: reload the page to begin anew"
            raise InvalidInput("studio", rule)

    def held(self) -> int:
        """Bytes of all files in the folder."""
        found = 0
        for path in self.folder.rglob("*"):
            try:
                about = path.lstat()
            except FileNotFoundError:  # removed meanwhile
                continue
            found += about.st_size if stat.S_ISREG(about.st_mode) else 0
        return found

    def receive(self, job: str) -> Upload | None:
        """The upload of this job, once: from here on its bytes come. None for a job that is not waited for."""
        if job not in self._open or job in self._coming:
            return None
        self._coming.add(job)
        return self._open[job]

    def wants(self, upload: Upload) -> bool:
        """Whether its bytes are still of use."""
        return upload.job in self._open

    def arrived(self, upload: Upload) -> None:
        """All of its bytes are there."""
        self._there.add(upload.job)

    def take(self, job: str) -> Upload:
        """What arrived, once. Raises InvalidInput where nothing did."""
        upload = self._open.pop(job) if job in self._there and job in self._open else None
        if upload is None or not self.has(upload.path):
            raise InvalidInput("studio", "A file must be dropped on the page, and arrive whole")
        return upload

    def drop(self, upload: Upload) -> None:
        """Nobody takes it."""
        self._open.pop(upload.job, None)
        upload.path.unlink(missing_ok=True)

    def has(self, path: Path) -> bool:
        """Whether a path is an ordinary file directly in the visit's folder, and no link."""
        try:
            ordinary = stat.S_ISREG(path.lstat().st_mode)
        except OSError:
            return False
        return ordinary and path.resolve().parent == self.folder.resolve()

    def place(self, name: str) -> Path:
        """A new folder's file of this name, without whatever folders a browser put before it.

        Raises InvalidInput, one sentence, for a name that no file can have here.
        """
        plain = name.replace("\\", "/").rsplit("/", 1)[-1].lstrip(".") or "file"
        if len(plain.encode("utf-8", "surrogatepass")) > MOST_NAME or any(_breaks(c) for c in plain):
            shown = "".join("?" if _breaks(c) else c for c in plain)
            rule = f"a file's name must have {MOST_NAME} bytes at most, and no control characters"
            raise InvalidInput("studio", rule, shown if len(shown) <= 40 else f"{shown[:40]}…")
        return Path(tempfile.mkdtemp(dir=self.folder)) / plain

    def end(self) -> None:
        """Remove the folder and all that is in it."""
        self._open.clear()
        shutil.rmtree(self.folder, ignore_errors=True)


def _breaks(character: str) -> bool:
    """Whether a character is a control character, or half of one."""
    return ord(character) < 32 or 127 <= ord(character) < 160 or 0xD800 <= ord(character) < 0xE000

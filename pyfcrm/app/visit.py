"""A visit: what one browser tab has, what goes when it is closed, how large a file may be, and a dropped file, read as
data."""

from __future__ import annotations

import asyncio
import gc
import secrets
import shutil
import stat
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InvalidInput, PyfcrmError
from ..files import Table, read_table
from ..files.formats import size_of

SOON = 0.5  # seconds: what is on its way in a thread may end first
# A cell is 8 bytes as a number and some 100 as text in Python, and is held two or three times over while a file is read and
# protected: 20 million cells are a few GB at the most, which the machines of an office have.
MOST_CELLS = 20_000_000
BYTES = 50  # of memory for each of these cells, before Python has made text of any: 1 GB
MOST_COLUMNS = 1000  # the page has a row for each
UPLOAD_MB = 200
MOST_NAME = 200  # bytes of a file's name
MOST_OPEN = 2  # uploads that nobody took yet: one for each room of the page
MB = 1024**2


def give_back() -> None:
    """A moment from now: what nobody holds any more leaves Python, and what pyarrow keeps for later leaves the process."""
    asyncio.get_running_loop().call_later(SOON, _now)


def _now() -> None:
    gc.collect()
    pyarrow = sys.modules.get("pyarrow")
    if pyarrow is not None:
        pyarrow.default_memory_pool().release_unused()


def cells(path: Path, most_cells: int = MOST_CELLS) -> int:
    """How many cells a file has by its own account; 0 where it has none.

    Raises InvalidInput, one sentence with the limit, for a file above the limits.
    """
    size = size_of(str(path))
    check_size(path, size.rows, size.columns, most_cells)
    if size.bytes > most_cells * BYTES:
        rule = f"the studio opens files of at most {most_cells * BYTES // 10**6:,} MB in memory; `pyfcrm protect` takes larger ones"
        raise InvalidInput(path.name, rule, f"{size.bytes // 10**6:,} MB")
    return size.rows * size.columns


def check_size(path: Path, rows: int, columns: int, most_cells: int) -> None:
    """Raises InvalidInput, one sentence with the limit, for too many columns or cells."""
    if columns > MOST_COLUMNS:
        rule = f"the studio shows at most {MOST_COLUMNS:,} columns; `pyfcrm protect` takes wider files"
        raise InvalidInput(path.name, rule, f"{columns:,}")
    if rows * columns > most_cells:
        rule = (
            f"the studio opens at most {most_cells:,} cells, records times columns; `pyfcrm protect` takes larger files"
        )
        raise InvalidInput(path.name, rule, f"{rows:,} records of {columns:,} columns")


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


def taken_in(upload: Upload, visit: Visit) -> tuple[Path, Table]:
    """Where the file lies now, in a folder of its own within the visit's, and what is in it.

    Raises PyfcrmError, one sentence that names the file and no folder of this machine; the file is gone then.
    """
    own: Path | None = None
    try:
        own = visit.place(upload.name)
        upload.path.rename(own)
        cells(own, visit.most_cells)
        table = read_table(own)
        check_size(own, *table.frame.shape, visit.most_cells)
        return own, table
    except BaseException as error:
        upload.path.unlink(missing_ok=True)
        if own is not None:
            let_go(own)
            if isinstance(error, PyfcrmError):
                raise type(error)(*_without(own.parent, error)) from None
        raise


def failed(error: Exception, fault: str = "Something went wrong that should not", to: str = "for this") -> str:
    """What is said of work that ended in an error, nothing of the data; fault : where it is ours; to : what memory was for."""
    if isinstance(error, PyfcrmError):
        return str(error)
    if isinstance(error, MemoryError):
        return f"There is not enough memory {to}."
    return f"{fault} ({type(error).__name__})."


def unread(error: Exception) -> str:
    """What is said of a file that could not be read, none of its contents."""
    return failed(error, "This file could not be read", "to read this file")


def let_go(path: Path) -> None:
    """Remove a file that was taken in, with its folder."""
    shutil.rmtree(path.parent, ignore_errors=True)


def _without(folder: Path, error: PyfcrmError) -> tuple[Any, ...]:
    """What the error was made from, with the folder left out of its words."""
    pieces = error.__reduce__()[1] if isinstance(error.__reduce__(), tuple) else error.args
    return tuple(piece.replace(f"{folder}/", "") if isinstance(piece, str) else piece for piece in pieces)

"""The release ledger: a private register of earlier releases, against which the next one of an overlapping file is checked.

Records are kept as HMACs, whose key is in a second file. Whoever has both files can test guesses at the records.
"""

from __future__ import annotations

import hmac
import json
import os
import secrets
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

from ..data import Frame
from ..data.predictors import coded_predictors
from ..errors import InvalidInput
from ..files.atomic import PRIVATE, write_bytes
from ..files.paths import Path, path_text
from .request import ProtectRequest

DIGITS = 24  # of the HMAC of a record
KEY_BYTES = 32
BROKEN = "a ledger must be as pyfcrm wrote it, with its key beside it (restore both files, or begin another ledger)"
REPEATED = "{count:,} records were released before, in {earlier}: the mean of several releases by such methods is near the originals"
SOLVED = "{count:,} records differ from {earlier}, and both releases keep sums with the predictors: values of these records can be solved"
JOINED = "{columns}: unmodified in one of this release and {earlier}, and protected in the other: a join restores the originals"


@dataclass(frozen=True)
class Entry:
    """One release.

    number, time : of the release; method : as text; averages : whether the mean of several releases comes near the originals;
    keeps : whether sums with the predictors are kept; regressors : of the design, with the intercept; keys : the columns of
    `units`; dependent, unmodified : columns; units, records : HMACs of identifiers or keys, and of whole records.
    """

    number: int
    time: str
    method: str
    averages: bool
    keeps: bool
    regressors: int
    keys: Sequence[str]
    dependent: Sequence[str]
    unmodified: Sequence[str]
    units: Sequence[str]
    records: Sequence[str]

    @property
    def name(self) -> str:
        """As notes call it."""
        return f"release {self.number} of {self.time[:10]} ({self.method})"

    def conflicts(self, earlier: Entry) -> Iterator[str]:
        """What both releases together disclose."""
        by_keys = list(self.keys) == list(earlier.keys)
        pairs = [(self.units, earlier.units)] * by_keys + [(self.records, earlier.records)]
        now, before = max(((set(a), set(b)) for a, b in pairs), key=lambda pair: len(pair[0] & pair[1]))
        shared, differing, name = len(now & before), len(now ^ before), earlier.name
        if not shared:
            return
        same = {*self.dependent} & {*earlier.dependent}
        if same and self.averages and earlier.averages:
            yield REPEATED.format(count=shared, earlier=name)
        most = max(self.regressors, earlier.regressors)
        if same and self.keeps and earlier.keeps and 0 < differing <= most:
            yield SOLVED.format(count=differing, earlier=name)
        joined = ({*self.dependent} & {*earlier.unmodified}) | ({*self.unmodified} & {*earlier.dependent})
        if joined:
            yield JOINED.format(columns=", ".join(sorted(joined)), earlier=name)


@dataclass(frozen=True)
class Registration:
    """A release that is checked against a ledger, and not yet recorded. path : of the ledger; conflicts : with earlier releases."""

    path: str
    entry: Entry
    conflicts: tuple[str, ...]

    @classmethod
    def of(cls, path: Path, frame: Frame, request: ProtectRequest) -> Registration:
        """The release of a frame. Raises InvalidInput for a damaged ledger, and for a frame that is read by blocks."""
        name = path_text("ledger", path)
        if frame.source is not None:
            raise InvalidInput(name, "a ledger needs the records in memory", f"{frame.records} records by blocks")
        with _locked(name) as key:
            earlier = _read(name, key)
        entry = _entry(frame, request, key, len(earlier) + 1)
        found = tuple(conflict for one in earlier for conflict in entry.conflicts(one))
        return cls(name, entry, found)

    def record(self) -> None:
        """Add the release to the ledger."""
        with _locked(self.path) as key:
            entries = [asdict(one) for one in _read(self.path, key)]
            entries.append({**asdict(self.entry), "number": len(entries) + 1})
            _write(self.path, key, entries)


def _entry(frame: Frame, request: ProtectRequest, key: bytes, number: int) -> Entry:
    """The facts of a release."""
    roles, method = request.roles, request.method
    dropped = {*roles.dependent, *roles.identifiers}
    unmodified = [name for name in frame.names if name not in dropped]
    keys = list(roles.identifiers or roles.ids or unmodified)
    design = coded_predictors("ledger", frame, roles, request.missing).roles.independent
    return Entry(
        number,
        datetime.now(UTC).isoformat(timespec="seconds"),
        str(method),
        method.averages,
        bool(method.keeps),
        len(design) + 1,
        keys,
        list(roles.dependent),
        unmodified,
        _digests(frame, keys, key),
        _digests(frame, sorted(frame.names), key),
    )


def _digests(frame: Frame, names: Sequence[str], key: bytes) -> list[str]:
    """An HMAC of each record by some columns, equal ones numbered, in ascending order."""
    columns = [[_plain(cell) for cell in frame.cells(name).tolist()] for name in names]
    seen = Counter[str]()
    found = []
    for cells in zip(*columns, strict=True):
        text = json.dumps([names, cells])
        seen[text] += 1
        found.append(hmac.digest(key, f"{seen[text]} {text}".encode(), "sha256").hex()[:DIGITS])
    return sorted(found)


def _plain(cell: Any) -> str | float | None:
    """A cell as JSON has it: equal numbers alike, whatever their type."""
    if cell is None or cell != cell:
        return None
    return float(cell) if isinstance(cell, int | float) else str(cell)


@contextmanager
def _locked(path: str) -> Iterator[bytes]:
    """The key of a ledger, which is made where neither file exists; no other process has it meanwhile."""
    place = f"{path}.key"
    try:
        if not os.path.exists(place):
            if os.path.exists(path):
                raise InvalidInput(path, BROKEN, "no key")
            handle = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE)
            with os.fdopen(handle, "wb") as file:
                file.write(secrets.token_bytes(KEY_BYTES))
            _write(path, _key(place), [])
        with open(place, "rb") as file:
            _lock(file)
            yield _key(place)
    except OSError as error:
        raise InvalidInput(path, "a ledger must be writable, and its key too", error.strerror) from error


def _key(place: str) -> bytes:
    with open(place, "rb") as file:
        return file.read()


def _lock(file: Any) -> None:
    """An exclusive lock until the file is closed, where the system has one."""
    try:
        import fcntl
    except ImportError:  # Windows
        return
    fcntl.flock(file, fcntl.LOCK_EX)


def _read(path: str, key: bytes) -> list[Entry]:
    """The entries of a ledger. Raises InvalidInput where it is damaged or forged."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.load(file)
        if len(key) != KEY_BYTES or not hmac.compare_digest(found["hmac"], _seal(found["releases"], key)):
            raise ValueError
        return [Entry(**entry) for entry in found["releases"]]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(path, BROKEN) from error


def _write(path: str, key: bytes, entries: Sequence[Mapping[str, Any]]) -> None:
    contents = json.dumps({"releases": entries, "hmac": _seal(entries, key)}, indent=1)
    write_bytes(path, contents.encode(), mode=PRIVATE)


def _seal(entries: Any, key: bytes) -> str:
    return hmac.digest(key, json.dumps(entries, sort_keys=True).encode(), "sha256").hex()

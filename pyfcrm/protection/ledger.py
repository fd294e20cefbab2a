"""The release ledger: a private register of earlier releases, against which the next one of an overlapping file is checked.

Records are kept as HMACs, whose key is in a second file. Whoever has both files can test guesses at the records.
"""

from __future__ import annotations

import base64
import hmac
import json
import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from math import inf, isinf
from typing import Any

import numpy as np

from ..data import Frame
from ..data.predictors import coded_predictors
from ..errors import InvalidInput, Note
from ..files.atomic import PRIVATE, write_bytes
from ..files.paths import Path, path_text
from ..methods.noisy_sums import total_epsilon
from .request import ProtectRequest
from .units import joint_unit

KEY_BYTES, DIGEST_BYTES = 32, 8
BROKEN = "a ledger must be as pyfcrm wrote it, with its key beside it (restore both files, or begin another ledger)"
REPEATED = "{count:,} records were released before, in {earlier}: the mean of several releases by such methods is near the originals"
SOLVED = "{count:,} records differ from {earlier}, and both releases keep sums with the predictors: values of these records can be solved"
JOINED = "{columns}: unmodified in one of this release and {earlier}, and protected in the other: a join restores the originals"
TOTAL = "with {earlier}, the releases of these records have epsilon {epsilon:.4g} in total at delta {delta:g}"
UNBOUNDED = "of {earlier} and this release of the same records, one has no epsilon, so that there is no total"


@dataclass(frozen=True)
class Entry:
    """One release.

    number, time : of the release; method : as text; rho : its privacy budget, None for none; averages : whether the mean of
    several releases comes near the originals; keeps : whether sums with the predictors are kept; regressors : records that such
    sums can solve; keys : the columns of `units`; dependent, unmodified : columns; units, records : HMACs of identifiers or
    keys, and of whole records, in base 64.
    """

    number: int
    time: str
    method: str
    rho: float | None
    averages: bool
    keeps: bool
    regressors: int
    keys: Sequence[str]
    dependent: Sequence[str]
    unmodified: Sequence[str]
    units: str
    records: str

    @property
    def name(self) -> str:
        """As notes call it."""
        return f"release {self.number} of {self.time[:10]} ({self.method})"

    def overlap(self, earlier: Entry) -> tuple[int, tuple[int, ...]]:
        """How many records both releases have; and how many differ: by their units, and by corrected values too."""
        records, units = _compare(self.records, earlier.records), _compare(self.units, earlier.units)
        if list(self.keys) != list(earlier.keys) or not units[0]:
            return records[0], (records[1],)
        corrected = max(records[1] - units[1], 0) // 2
        return max(units[0], records[0]), (units[1], units[1] + corrected)

    def conflicts(self, earlier: Entry) -> Iterator[str]:
        """What both releases together disclose, where they have records in common."""
        shared, differing = self.overlap(earlier)
        solvable = [count for count in differing if 0 < count <= max(self.regressors, earlier.regressors)]
        if {*self.dependent} & {*earlier.dependent}:
            if self.averages and earlier.averages:
                yield REPEATED.format(count=shared, earlier=earlier.name)
            if self.keeps and earlier.keeps and solvable:
                yield SOLVED.format(count=min(solvable), earlier=earlier.name)
        if joined := ({*self.dependent} & {*earlier.unmodified}) | ({*self.unmodified} & {*earlier.dependent}):
            yield JOINED.format(columns=", ".join(sorted(joined)), earlier=earlier.name)


@dataclass(frozen=True)
class Registration:
    """A release that is checked against a ledger, and not yet recorded.

    conflicts : with earlier releases; epsilon : of all releases of these records, at the release's delta, infinite where one has
    none; notes : on both; path : of the ledger.
    """

    conflicts: tuple[str, ...]
    epsilon: float
    notes: tuple[Note, ...] = ()
    path: str = ""
    entry: Entry | None = None

    @classmethod
    def of(cls, path: Path, frame: Frame, request: ProtectRequest) -> Registration:
        """The release of a frame. Raises InvalidInput for a damaged ledger."""
        name = path_text("ledger", path)
        with _locked(name) as key:
            earlier = _read(name, key)
        entry = _entry(frame, request, key)
        shared = [one for one in earlier if entry.overlap(one)[0]]
        conflicts = tuple(conflict for one in shared for conflict in entry.conflicts(one))
        notes = [Note.of("risk", "{conflict}", conflict=one) for one in conflicts]
        budgets = [one.rho for one in [entry, *shared] if one.rho is not None]
        epsilon = inf
        privacy = request.facts.privacy
        others = ", ".join(one.name for one in shared)
        if privacy is not None and len(budgets) > len(shared):
            epsilon = total_epsilon(sum(budgets), privacy.delta)
            notes += (
                [Note.of("guarantee", TOTAL, earlier=others, epsilon=epsilon, delta=privacy.delta)] if shared else []
            )
        elif budgets:
            notes.append(Note.of("risk", UNBOUNDED, earlier=others))
        return cls(conflicts, epsilon, tuple(notes), name, entry)

    def facts(self) -> dict[str, Any]:
        """What a manifest records: the conflicts, and epsilon, None for no bound."""
        return {"conflicts": list(self.conflicts), "epsilon": None if isinf(self.epsilon) else self.epsilon}

    @classmethod
    def recorded(cls, facts: Mapping[str, Any]) -> Registration:
        """The registration of a release in the past, by what `facts` gave. Raises InvalidInput for anything else."""
        conflicts, epsilon = facts.get("conflicts"), facts.get("epsilon")
        if not isinstance(conflicts, list) or not isinstance(epsilon, int | float | None):
            raise InvalidInput("manifest", "`ledger` must have conflicts and epsilon as pyfcrm wrote them", dict(facts))
        return cls(tuple(map(str, conflicts)), inf if epsilon is None else float(epsilon))

    def record(self) -> None:
        """Add the release to the ledger."""
        assert self.entry is not None
        with _locked(self.path) as key:
            entries = _read(self.path, key)
            _write(self.path, key, [*entries, replace(self.entry, number=len(entries) + 1)])


def _entry(frame: Frame, request: ProtectRequest, key: bytes) -> Entry:
    """The facts of a release."""
    roles = request.roles
    facts = request.facts
    unit = joint_unit(request, frame)
    dropped = {*roles.dependent, *roles.identifiers}
    unmodified = [name for name in frame.names if name not in dropped]
    keys = list(roles.identifiers or roles.ids or unmodified)
    s = len(coded_predictors("ledger", frame, roles, request.options.missing).roles.independent)
    periods = 1 if unit is None else int(np.bincount(frame.codes(unit)).max())
    return Entry(
        number=0,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        method=str(request.method),
        rho=None if facts.privacy is None else facts.privacy.rho,
        averages=facts.averages,
        keeps=bool(facts.keeps),
        regressors=periods * (1 + s * periods),
        keys=keys,
        dependent=list(roles.dependent),
        unmodified=unmodified,
        units=_digests(frame, keys, key),
        records=_digests(frame, sorted(frame.names), key),
    )


def _digests(frame: Frame, names: Sequence[str], key: bytes) -> str:
    """An HMAC of each record by some columns, in ascending order; equal ones are numbered."""
    found = list[bytes]()
    for part in frame.parts():
        columns = [[_plain(cell) for cell in part.cells(name).tolist()] for name in names]
        texts = (json.dumps([names, cells]).encode() for cells in zip(*columns, strict=True))
        found += [hmac.digest(key, text, "sha256")[:DIGEST_BYTES] for text in texts]
    numbers = np.sort(np.frombuffer(b"".join(found), dtype=np.uint64))
    numbers += (np.arange(len(numbers)) - np.searchsorted(numbers, numbers)).astype(np.uint64)
    return base64.b64encode(numbers.tobytes()).decode()


def _compare(now: str, earlier: str) -> tuple[int, int]:
    """How many records two lists of HMACs share, and in how many they differ."""
    a, b = (np.frombuffer(base64.b64decode(text), dtype=np.uint64) for text in (now, earlier))
    shared = len(np.intersect1d(a, b))
    return shared, len(a) + len(b) - 2 * shared


def _plain(cell: Any) -> str | float | None:
    """A cell as JSON has it: equal numbers alike, whatever their type."""
    if cell is None or cell != cell:
        return None
    return float(cell) if isinstance(cell, int | float) else str(cell)


@contextmanager
def _locked(path: str) -> Iterator[bytes]:
    """The key of a ledger, which is written where neither file exists; a lock excludes other processes meanwhile."""
    place = f"{path}.key"
    try:
        if not os.path.exists(place):
            if os.path.exists(path):
                raise InvalidInput(path, BROKEN, "no key")
            key = secrets.token_bytes(KEY_BYTES)
            with os.fdopen(os.open(place, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb") as file:
                file.write(key)
            _write(path, key, [])
        with open(place, "rb") as file:
            with suppress(ImportError):  # Windows has no such lock
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX)
            yield file.read()
    except OSError as error:
        raise InvalidInput(path, "a ledger must be writable, and its key too", error.strerror) from error


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


def _write(path: str, key: bytes, entries: Sequence[Entry]) -> None:
    releases = [asdict(entry) for entry in entries]
    contents = json.dumps({"releases": releases, "hmac": _seal(releases, key)}, indent=1)
    write_bytes(path, contents.encode(), mode=PRIVATE)


def _seal(entries: Any, key: bytes) -> str:
    return hmac.digest(key, json.dumps(entries, sort_keys=True).encode(), "sha256").hex()

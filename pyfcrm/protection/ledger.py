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

KEY_BYTES = 32
DIGEST_BYTES = 8  # of each record's HMAC: read as one 64-bit number
BROKEN = "a ledger must be as pyfcrm wrote it, with its key beside it (restore both files, or begin another ledger)"
REPEATED = "{count:,} records were released before, in {earlier}: the mean of several releases by such methods is near the originals"
SOLVED = "{count:,} records differ from {earlier}, and both releases keep sums with the predictors: values of these records can be solved"
JOINED = "{columns}: unmodified in one of this release and {earlier}, and protected in the other: a join restores the originals"
TOTAL_IN_BRIEF = "this and earlier releases of these records have epsilon {epsilon:.4g} in total at delta {delta:g}"
TOTAL = "with {earlier}, the releases of these records have epsilon {epsilon:.4g} in total at delta {delta:g}"
UNBOUNDED_IN_BRIEF = "one of this and earlier releases of the same records has no epsilon, so that there is no total"
UNBOUNDED = "of {earlier} and this release of the same records, one has no epsilon, so that there is no total"


@dataclass(frozen=True)
class Entry:
    """One release."""

    number: int
    """Its place in the ledger, from 1; 0 before it is recorded."""
    time: str
    """The time of the release, UTC, in ISO 8601."""
    method: str
    """The method as text."""
    rho: float | None
    """The privacy budget (zero-concentrated), None for none."""
    averages: bool
    """Whether the mean of several releases comes near the originals."""
    keeps: bool
    """Whether sums of products with the predictors are preserved."""
    regressors: int
    """The number of records that such sums can solve."""
    keys: Sequence[str]
    """The columns that identify a unit: those of `units`."""
    dependent: Sequence[str]
    """The confidential columns."""
    unmodified: Sequence[str]
    """The columns that are released unchanged."""
    units: str
    """HMACs of the records by their keys, in base 64."""
    records: str
    """HMACs of the records by all columns, in base 64."""

    @property
    def name(self) -> str:
        """The release's name in notes."""
        return f"release {self.number} of {self.time[:10]} ({self.method})"

    def overlap(self, earlier: Entry) -> tuple[int, tuple[int, ...]]:
        """Number of records that both releases have, and numbers of records that may differ.

        Where the releases have units in common, two numbers: of units that one release lacks; and of these with the
        records that are in both, whose values were corrected.
        """
        shared_records, differing_records = _compare(self.records, earlier.records)
        shared_units, differing_units = _compare(self.units, earlier.units)
        if list(self.keys) != list(earlier.keys) or not shared_units:
            return shared_records, (differing_records,)
        # A corrected record differs twice: its former and its present values.
        corrected = max(differing_records - differing_units, 0) // 2
        return max(shared_units, shared_records), (differing_units, differing_units + corrected)

    def conflicts(self, earlier: Entry) -> Iterator[str]:
        """Sentences on what both releases together disclose, where they have records in common."""
        shared, differing = self.overlap(earlier)
        most_solvable = max(self.regressors, earlier.regressors)
        solvable = [count for count in differing if 0 < count <= most_solvable]
        dependent = set(self.dependent)
        dependent_earlier = set(earlier.dependent)
        if dependent & dependent_earlier:
            if self.averages and earlier.averages:
                yield REPEATED.format(count=shared, earlier=earlier.name)
            if self.keeps and earlier.keeps and solvable:
                yield SOLVED.format(count=min(solvable), earlier=earlier.name)
        protected_in_one = (dependent & set(earlier.unmodified)) | (set(self.unmodified) & dependent_earlier)
        if protected_in_one:
            yield JOINED.format(columns=", ".join(sorted(protected_in_one)), earlier=earlier.name)


@dataclass(frozen=True)
class Registration:
    """A release that is checked against a ledger, and not yet recorded."""

    conflicts: tuple[str, ...]
    """Sentences on what this and earlier releases disclose together."""
    epsilon: float
    """The total of all releases of these records, at the release's delta; infinite where one has no epsilon."""
    notes: tuple[Note, ...] = ()
    """Notes on the conflicts and the total."""
    path: str = ""
    """The ledger's path; empty of a release in the past."""
    entry: Entry | None = None
    """The entry that the ledger will record; None of a release in the past."""

    @classmethod
    def of(cls, path: Path, frame: Frame, request: ProtectRequest) -> Registration:
        """The registration of the release of a frame. Raises InvalidInput for a damaged ledger."""
        name = path_text("ledger", path)
        with _locked(name) as key:
            entries = _read(name, key)
        entry = _entry(frame, request, key)
        overlapping = [earlier for earlier in entries if entry.overlap(earlier)[0]]
        conflicts = tuple(conflict for earlier in overlapping for conflict in entry.conflicts(earlier))
        notes = [Note.of("risk", "{conflict}", conflict=conflict) for conflict in conflicts]

        epsilon = inf
        privacy = request.facts.privacy
        budgets = [release.rho for release in [entry, *overlapping] if release.rho is not None]
        all_have_budgets = len(budgets) == 1 + len(overlapping)
        names = ", ".join(earlier.name for earlier in overlapping)
        if privacy is not None and all_have_budgets:
            # Budgets of zero-concentrated differential privacy add up: Bun and Steinke (2016).
            epsilon = total_epsilon(sum(budgets), privacy.delta)
            if overlapping:
                notes.append(
                    Note.of(
                        "guarantee", TOTAL, earlier=names, epsilon=epsilon, delta=privacy.delta, brief=TOTAL_IN_BRIEF
                    )
                )
        elif budgets:
            notes.append(Note.of("risk", UNBOUNDED, earlier=names, brief=UNBOUNDED_IN_BRIEF))
        return cls(conflicts=conflicts, epsilon=epsilon, notes=tuple(notes), path=name, entry=entry)

    def facts(self) -> dict[str, Any]:
        """The manifest's record: the conflicts, and epsilon, None for no bound."""
        return {"conflicts": list(self.conflicts), "epsilon": None if isinf(self.epsilon) else self.epsilon}

    @classmethod
    def recorded(cls, facts: Mapping[str, Any]) -> Registration:
        """The registration of a release in the past, by what `facts` gave. Raises InvalidInput for anything else."""
        conflicts, epsilon = facts.get("conflicts"), facts.get("epsilon")
        if not isinstance(conflicts, list) or not isinstance(epsilon, int | float | None):
            raise InvalidInput("manifest", "`ledger` must have conflicts and epsilon as pyfcrm wrote them", dict(facts))
        total = inf if epsilon is None else float(epsilon)
        return cls(tuple(map(str, conflicts)), total)

    def record(self) -> None:
        """Add the release to the ledger."""
        assert self.entry is not None
        with _locked(self.path) as key:
            entries = _read(self.path, key)
            _write(self.path, key, [*entries, replace(self.entry, number=len(entries) + 1)])


def _entry(frame: Frame, request: ProtectRequest, key: bytes) -> Entry:
    """The entry of a release that is not recorded yet. key : of the ledger's HMACs."""
    roles = request.roles
    facts = request.facts
    protected_or_dropped = {*roles.dependent, *roles.identifiers}
    unmodified = [name for name in frame.names if name not in protected_or_dropped]
    keys = list(roles.identifiers or roles.ids or unmodified)
    s = len(coded_predictors("ledger", frame, roles, request.missing).roles.independent)
    unit = joint_unit(request, frame)
    periods = 1  # records of the largest unit
    if unit is not None:
        periods = int(np.bincount(frame.codes(unit)).max())
    return Entry(
        number=0,
        time=datetime.now(UTC).isoformat(timespec="seconds"),
        method=str(request.method),
        rho=None if facts.privacy is None else facts.privacy.rho,
        averages=facts.averages,
        keeps=bool(facts.keeps),
        regressors=periods * (1 + s * periods),  # records of a unit times the wide file's predictors, constant included
        keys=keys,
        dependent=list(roles.dependent),
        unmodified=unmodified,
        units=_digests(frame, keys, key),
        records=_digests(frame, sorted(frame.names), key),
    )


def _digests(frame: Frame, names: Sequence[str], key: bytes) -> str:
    """HMACs of the records by some columns, as 64-bit numbers in ascending order, in base 64.

    Equal records get successive numbers, so that a set of numbers counts each of them.
    """
    digests: list[bytes] = []
    for part in frame.parts():
        columns = [[_plain(cell) for cell in part.cells(name).tolist()] for name in names]
        for cells in zip(*columns, strict=True):
            text = json.dumps([names, cells]).encode()
            digests.append(hmac.digest(key, text, "sha256")[:DIGEST_BYTES])
    numbers = np.sort(np.frombuffer(b"".join(digests), dtype=np.uint64))
    repeats = np.arange(len(numbers)) - np.searchsorted(
        numbers, numbers
    )  # 0 for the first of equal ones, then 1, 2, ...
    numbers += repeats.astype(np.uint64)
    return base64.b64encode(numbers.tobytes()).decode()


def _compare(digests: str, earlier: str) -> tuple[int, int]:
    """Numbers of records that two lists of HMACs share, and that only one of them has."""
    a = np.frombuffer(base64.b64decode(digests), dtype=np.uint64)
    b = np.frombuffer(base64.b64decode(earlier), dtype=np.uint64)
    shared = len(np.intersect1d(a, b))
    return shared, len(a) + len(b) - 2 * shared


def _plain(cell: Any) -> str | float | None:
    """The cell as a value of JSON: equal numbers are alike, whatever their type."""
    if cell is None or cell != cell:  # NaN differs from itself
        return None
    return float(cell) if isinstance(cell, int | float) else str(cell)


@contextmanager
def _locked(path: str) -> Iterator[bytes]:
    """The key of a ledger, which is written where neither file exists; a lock excludes other processes meanwhile."""
    key_path = f"{path}.key"
    try:
        if not os.path.exists(key_path):
            if os.path.exists(path):
                raise InvalidInput(path, BROKEN, "no key")
            key = secrets.token_bytes(KEY_BYTES)
            with os.fdopen(os.open(key_path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, PRIVATE), "wb") as file:
                file.write(key)
            _write(path, key, [])
        with open(key_path, "rb") as file:
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
            contents = json.load(file)
        releases = contents["releases"]
        if len(key) != KEY_BYTES or not hmac.compare_digest(contents["hmac"], _seal(releases, key)):
            raise ValueError
        return [Entry(**release) for release in releases]
    except (OSError, ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidInput(path, BROKEN) from error


def _write(path: str, key: bytes, entries: Sequence[Entry]) -> None:
    """The ledger's file with these entries and their seal, written whole or not at all."""
    releases = [asdict(entry) for entry in entries]
    contents = json.dumps({"releases": releases, "hmac": _seal(releases, key)}, indent=1)
    write_bytes(path, contents.encode(), mode=PRIVATE)


def _seal(entries: Any, key: bytes) -> str:
    """HMAC of all entries: a changed ledger does not pass for one that pyfcrm wrote."""
    return hmac.digest(key, json.dumps(entries, sort_keys=True).encode(), "sha256").hex()

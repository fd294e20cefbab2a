"""A release in the ledger, and what it discloses together with an earlier one of the same records."""

from __future__ import annotations

import base64
import hmac
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np

from ...data import Frame
from ...data.predictors import coded_predictors
from ..request import ProtectRequest
from ..units import joint_unit
from .hashed_columns import EXACT, HashedColumn, Hashes, hashed_columns, mixed, plain_name
from .sketches import Sketches

DIGEST_BYTES = 8  # of a record or a unit
REPEATED = "{count:,} records were released before, in {earlier}: the mean of several releases by such methods is near the originals"
SOLVED = "{count:,} records differ from {earlier}, and both releases keep sums with the predictors: values of these records can be solved"
JOINED = "{columns}: unmodified in one of this release and {earlier}, and protected in the other: a join restores the originals"
UNCONFIRMED = ", which may have happened: its process ended before it was confirmed"


@dataclass(frozen=True)
class Entry:
    """One release."""

    number: int
    """Its place in the ledger, from 1; 0 before it is recorded."""
    time: str
    """The time of the release, UTC, in ISO 8601."""
    confirmed: bool
    """Whether the release is known to have happened; a process that ended early leaves an entry that is not confirmed."""
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
    names: Sequence[str]
    """All columns, without case."""
    dependent: Sequence[str]
    """The confidential columns, without case."""
    unmodified: Sequence[str]
    """The columns that are released unchanged, without case."""
    keys: Sequence[str]
    """The columns that identify persons or units, without case; empty where none do."""
    units: str
    """HMACs of the records by these columns, in base 64; empty without."""
    records: str
    """HMACs of the records by all columns, in base 64."""
    sketches: Sketches
    """The sketches of the columns."""

    @classmethod
    def of(cls, frame: Frame, request: ProtectRequest, key: bytes) -> Entry:
        """The entry of a release that is not recorded yet. key : of the ledger's HMACs."""
        roles = request.roles
        facts = request.facts
        protected_or_dropped = {*roles.dependent, *roles.identifiers}
        keys = [plain_name(name) for name in roles.identifiers or roles.ids]
        s = len(coded_predictors("ledger", frame, roles, request.options.missing or "refuse").roles.independent)
        unit = joint_unit(request, frame)
        periods = 1  # records of the largest unit
        if unit is not None:
            periods = int(np.bincount(frame.codes(unit)).max())
        records = np.zeros(frame.records, dtype=np.uint64)
        units = np.zeros(frame.records, dtype=np.uint64)

        def with_sums() -> Iterator[HashedColumn]:
            """The columns, whose hashes are added to those of records and units meanwhile."""
            nonlocal records, units
            for column in hashed_columns(frame, key):
                records = records + column.forms[EXACT]
                if column.name in keys:
                    units = units + column.forms[EXACT]
                yield column

        sketches = Sketches.of(with_sums(), keys, key)
        return cls(
            number=0,
            time=datetime.now(UTC).isoformat(timespec="seconds"),
            confirmed=False,
            method=str(request.method),
            rho=None if facts.privacy is None else facts.privacy.rho,
            averages=facts.averages,
            keeps=bool(facts.keeps),
            regressors=periods
            * (1 + s * periods),  # records of a unit times the wide file's predictors, constant included
            names=sorted(map(plain_name, frame.names)),
            dependent=sorted(map(plain_name, roles.dependent)),
            unmodified=sorted(plain_name(name) for name in frame.names if name not in protected_or_dropped),
            keys=sorted(keys),
            units=_digests(units, key) if keys else "",
            records=_digests(records, key),
            sketches=sketches,
        )

    @classmethod
    def from_document(cls, document: Mapping[str, Any]) -> Entry:
        """The entry as a ledger has it."""
        return cls(**{**document, "sketches": Sketches.from_document(document["sketches"])})

    def document(self) -> dict[str, Any]:
        """The entry as plain data."""
        return asdict(self)

    @property
    def name(self) -> str:
        """The release's name in notes."""
        return f"release {self.number} of {self.time[:10]} ({self.method})" + UNCONFIRMED * (not self.confirmed)

    def shares_records(self, earlier: Entry) -> bool:
        """Whether the releases may have a person, a unit or a record in common: for a guarantee one is enough."""
        same_units = bool(self.keys) and list(self.keys) == list(earlier.keys)
        if same_units and _compare(self.units, earlier.units)[0]:
            return True
        same_columns = list(self.names) == list(earlier.names)
        return (same_columns and bool(_compare(self.records, earlier.records)[0])) or self.overlap(earlier)[0] > 0

    def overlap(self, earlier: Entry) -> tuple[int, tuple[int, ...]]:
        """Number of records that both releases have, 0 where chance explains them, and numbers of records that may differ.

        Where the releases have units in common, two numbers: of units that one release lacks; and of these with the
        records that are in both, whose values were corrected.
        """
        shared = min(self.sketches.common(earlier.sketches).records, _count(self.records), _count(earlier.records))
        records, differing_records = _compare(self.records, earlier.records)
        if not shared and differing_records:
            return 0, ()
        same_columns = list(self.names) == list(earlier.names)
        if same_columns:
            shared = records or shared
        if self.keys and list(self.keys) == list(earlier.keys):
            units, differing_units = _compare(self.units, earlier.units)
            if not same_columns:
                return max(units, shared), (differing_units,)
            # A corrected record differs twice: its former and its present values.
            corrected = max(differing_records - differing_units, 0) // 2
            return max(units, shared), (differing_units, differing_units + corrected)
        # Without common ids the numbers of records show how many left at least; a corrected record differs twice.
        fewer = abs(_count(self.records) - _count(earlier.records))
        if same_columns:
            return shared, (fewer + (differing_records - fewer) // 2,)
        return shared, (fewer,)

    def renamed(self, earlier: Entry) -> Mapping[str, str]:
        """Columns of an earlier release that this one has under another name, and this name."""
        return self.sketches.common(earlier.sketches).names

    def conflicts(self, earlier: Entry) -> Iterator[str]:
        """Sentences on what both releases together disclose, where they have records in common."""
        shared, differing = self.overlap(earlier)
        most_solvable = max(self.regressors, earlier.regressors)
        solvable = [count for count in differing if 0 < count <= most_solvable]
        dependent = set(self.dependent)
        renamed = self.renamed(earlier)
        dependent_earlier = {renamed.get(name, name) for name in earlier.dependent}
        unmodified_earlier = {renamed.get(name, name) for name in earlier.unmodified}
        if dependent & dependent_earlier:
            if self.averages and earlier.averages:
                yield REPEATED.format(count=shared, earlier=earlier.name)
            if self.keeps and earlier.keeps and solvable:
                yield SOLVED.format(count=min(solvable), earlier=earlier.name)
        protected_in_one = (dependent & unmodified_earlier) | (set(self.unmodified) & dependent_earlier)
        if protected_in_one:
            yield JOINED.format(columns=", ".join(sorted(protected_in_one)), earlier=earlier.name)


def _digests(hashes: Hashes, key: bytes) -> str:
    """HMACs of hashes (n,), as 64-bit numbers in ascending order, in base 64.

    Equal records get successive numbers, so that a set of numbers counts each of them.
    """
    different, places = np.unique(mixed(hashes), return_inverse=True)
    digests = [hmac.digest(key, each.tobytes(), "sha256")[:DIGEST_BYTES] for each in different]
    numbers = np.sort(np.frombuffer(b"".join(digests), dtype=np.uint64)[places])
    # 0 for the first of equal ones, then 1, 2, ...
    repeats = np.arange(len(numbers)) - np.searchsorted(numbers, numbers)
    numbers = numbers + repeats.astype(np.uint64)
    return base64.b64encode(numbers.tobytes()).decode()


def _numbers(digests: str) -> Hashes:
    """HMACs as numbers."""
    return np.frombuffer(base64.b64decode(digests), dtype=np.uint64)


def _count(digests: str) -> int:
    """The number of HMACs."""
    return len(_numbers(digests))


def _compare(digests: str, earlier: str) -> tuple[int, int]:
    """Numbers of records that two lists of HMACs share, and that only one of them has."""
    a, b = _numbers(digests), _numbers(earlier)
    shared = len(np.intersect1d(a, b))
    return shared, len(a) + len(b) - 2 * shared

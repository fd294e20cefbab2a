"""The file that audit() works on, and its random splits: a part of the records protected, the rest held out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..data import Frame, Roles, checked, complete_records, is_numeric, open_frame, paired_rows
from ..data.check import left_out
from ..data.source import open_data
from ..data.strata import Numbering, Strata
from ..engine import Engine
from ..errors import InvalidInput, Note
from ..methods import Method
from ..progress import Progress
from ..protection.protect import protect
from ..rstream import RStream
from ..types import Array, Integers, Mask, Rows
from .attacks import Split
from .copies import mean_of

FEWEST = 20  # records in either part
POWER = 100  # records below which no attack can stand out
SAMPLE = 5000  # records at most: a random sample of a larger file
SMALL = "the file has {count} records: below {total} an audit has no power, and finding nothing means nothing"
UNATTACKED = "{count} of {total} records miss values: they are protected with the others and not attacked"
SAMPLED = "the audit works on a random sample of {count} of the {total} records"
MERGED = "strata are too small in a part of the file: the smallest are merged, {count} of {total} are left"


@dataclass(frozen=True)
class AuditRequest:
    """The arguments of audit(), checked. options : of protect(), copies among them."""

    method: Method
    roles: Roles
    stream: RStream
    share: float
    strata: tuple[str, ...]
    engine: Engine
    options: dict[str, Any]

    @property
    def least(self) -> float:
        """The fewest records of a stratum of the file whose protected part is large enough to be protected by itself."""
        return max(15, 3 * (len(self.roles.independent) + 1)) / self.share


@dataclass(frozen=True)
class AuditFile:
    """The records that are audited.

    predictors : the numeric independent columns; X (n, s), Y (n, t) : their values and those of the dependent columns;
    complete (n,) : the records that are attacked, all but those that miss values; by : the strata columns of the frame, and
    strata; None without strata.
    """

    frame: Frame
    predictors: tuple[str, ...]
    X: Array
    Y: Array
    complete: Mask
    by: tuple[str, ...]
    strata: Strata | None


def opened(frame: Any, request: AuditRequest, missing: str) -> tuple[AuditFile, tuple[Note, ...]]:
    """The records to audit, a random sample of them where there are more than SAMPLE, and the notes.

    Incomplete records are protected too where `missing` is "protect", and are not attacked.
    """
    source, roles, notes = open_data("audit", frame, whole=True), request.roles, list[Note]()
    also = (*request.strata, *roles.identifiers, *roles.unknown, *roles.independent)
    predictors = tuple(name for name in roles.independent if request.method.one_for_one or is_numeric(source, name))
    wanted = (*predictors, *roles.dependent)
    A = checked("audit", source, wanted, also=also)
    whole = complete_records("audit", A, wanted, "refuse" if missing == "refuse" else "drop")
    n, m = len(whole), int(whole.sum())
    protected = whole | (missing == "protect")
    notes += [Note.of("left_out", UNATTACKED, count=n - m, total=n)] if m < n and protected.all() else left_out(whole)
    codes = np.zeros(len(A), dtype=np.int64)
    if request.strata:
        codes = Numbering("audit", request.strata, missing).codes(source)
    rows = _sample(np.flatnonzero(protected), codes, request.stream)
    if len(rows) < protected.sum():
        notes.append(Note.of("left_out", SAMPLED, count=len(rows), total=int(protected.sum())))
    if len(rows) < n:
        source = open_frame("audit", source.reshaped({}, {}, rows))
        A, codes, whole = A[rows], codes[rows], whole[rows]
    if (attacked := int(whole.sum())) < POWER:
        notes.append(Note.of("unreliable", SMALL, count=attacked, total=POWER))
    if not predictors:
        notes.append(Note.of("left_out", "there are no independent columns: attribute hits are not judged"))
    s = len(predictors)
    file = AuditFile(source, predictors, A[:, :s], A[:, s:], whole, (), None)
    if request.strata:
        file, merger = _with_strata(file, Strata.of(request.strata, codes), request)
        notes += merger
    return file, (*source.notes, *notes)


def _sample(rows: Rows, codes: Integers, stream: RStream) -> Rows:
    """At most SAMPLE of the rows, ascending, at random and in proportion to strata. Draws: a uniform a row, or none."""
    if len(rows) <= SAMPLE:
        return rows
    order = np.lexsort((stream.runif(len(rows)), codes[rows]))
    return np.sort(rows[order[np.arange(SAMPLE) * len(rows) // SAMPLE]])


def _with_strata(file: AuditFile, strata: Strata, request: AuditRequest) -> tuple[AuditFile, list[Note]]:
    """The file with its strata; the smallest are merged where a part of one could not be protected by itself."""
    large = merged(strata, request.least)
    used = (*request.roles.independent, request.options["weights"], *" ".join(request.options["preserve"]).split())
    name = next((one for one in request.strata if one not in used), None)
    if len(large) == len(strata) or name is None:
        return replace(file, by=request.strata, strata=strata), []
    labels, order = np.empty(len(file.Y), dtype=object), [str(k) for k in range(len(large))]
    for label, rows in zip(order, large.rows, strict=True):
        labels[rows] = label
    frame = open_frame("audit", file.frame.reshaped({name: (labels, order)}, {}, None))
    note = Note.of("by_strata", MERGED, count=len(large), total=len(strata))
    return replace(file, frame=frame, by=(name,), strata=large), [note]


def merged(strata: Strata, least: float) -> Strata:
    """Strata of at least `least` records, or one: the smallest joins the next smallest."""
    groups = sorted(strata.rows, key=len)
    while len(groups) > 1 and len(groups[0]) < least:
        groups = sorted([np.sort(np.concatenate(groups[:2])), *groups[2:]], key=len)
    return Strata(strata.columns, tuple(sorted(groups, key=lambda rows: int(rows[0]))))


def _members(file: AuditFile, request: AuditRequest) -> Mask:
    """(n,) a random share of the complete records, in each stratum by itself, and of the others."""
    member, complete = np.zeros(len(file.Y), dtype=bool), file.complete
    strata = (np.arange(len(member)),) if file.strata is None else file.strata.rows
    for rows in (*(rows[complete[rows]] for rows in strata), *(rows[~complete[rows]] for rows in strata)):
        if len(rows):
            size = request.share * len(rows)
            up = request.stream.runif(1)[0] < size - np.floor(size)
            member[rows[request.stream.sample_int(len(rows), int(size) + int(up)) - 1]] = True
    if (fewest := min(int(member[complete].sum()), int((~member[complete]).sum()))) < FEWEST:
        raise InvalidInput(
            "audit", f"needs at least {FEWEST} records that are protected and {FEWEST} that are not", fewest
        )
    return member


def splits(
    file: AuditFile, request: AuditRequest, progress: Progress | None, copies: int
) -> tuple[list[Split], Split | None]:
    """One random part protected: a split for each copy of its release; and one of the copies' mean, where there are several."""
    member = _members(file, request)
    roles = _varying(file, request.roles, member)
    part = file.frame.reshaped({}, {}, np.flatnonzero(member))
    more = {"strata": file.by or None, "engine": request.engine, "progress": progress, "copies": copies}
    releases = protect(part, request.method, roles, request.stream, **request.options | more).frames
    frames = [open_frame("audit", one) for one in releases]
    mean = mean_of(frames) if copies > 1 else None
    of_each = [_split(file, request, part, member, released) for released in frames]
    return of_each, None if mean is None else _split(file, request, part, member, mean)


def _varying(file: AuditFile, roles: Roles, member: Mask) -> Roles:
    """The roles without columns that have one value in the members: such a column is released unchanged."""
    names, A = (*file.predictors, *roles.dependent), np.hstack([file.X[member], file.Y[member]])
    constant = {name for name, y in zip(names, A.T, strict=True) if np.nanmin(y) == np.nanmax(y)}
    if not constant or {*roles.dependent} <= constant:
        return roles
    independent, dependent = (
        [one for one in part if one not in constant] for part in (roles.independent, roles.dependent)
    )
    return Roles(independent, dependent, roles.identifiers, roles.unknown)


def _split(file: AuditFile, request: AuditRequest, part: Any, member: Mask, released: Frame) -> Split:
    """One release of the members."""
    roles, rows = request.roles, np.flatnonzero(member)
    for name in (*file.predictors, *roles.dependent):
        if name not in released.names or not is_numeric(released, name):
            rule = f"judges numbers: {request.method} does not release column `{name}` as numbers"
            raise InvalidInput("audit", rule)
    A = checked("audit", released, (*file.predictors, *roles.dependent))
    kept = np.flatnonzero(~np.isnan(A).any(axis=1))
    if len(kept) < FEWEST:
        raise InvalidInput("audit", f"needs at least {FEWEST} complete records in each release", len(kept))
    own, s = np.full(len(member), -1), len(file.predictors)
    if not request.method.generates:
        own = _own(open_frame("audit", part), released, rows, kept, len(member))
    whole = file.complete
    return Split(file.X[whole], file.Y[whole], member[whole], own[whole], A[kept, :s], A[kept, s:])


def _own(part: Frame, released: Frame, rows: Rows, kept: Rows, n: int) -> Integers:
    """(n,) where each original's own record stands among those `kept` of the release; -1 for none."""
    own = np.full(n, -1)
    pairs = paired_rows(part, released)
    if pairs is not None:
        place = np.full(released.records, -1)
        place[kept] = np.arange(len(kept))
        own[rows[pairs[0]]] = place[pairs[1]]
    return own

"""audit(): protect a random part of the records, attack the release, and judge the attacks with the records it never saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Any, TypeVar

import numpy as np

from ..arguments import choice, names, real_number, whole_number
from ..constraints import parsed
from ..data import Frame, Roles, as_roles, checked, complete_records, is_numeric, open_frame, paired_rows
from ..data.open import left_out
from ..data.source import open_data
from ..data.strata import Numbering, Strata, strata_names
from ..data.structure import require_structure
from ..engine import Engine, chosen, on_this_machine
from ..errors import InvalidInput, Note
from ..measures.detection import FOLDS, held_out, weaker
from ..methods import Method
from ..methods.method import require_method
from ..progress import Course, Progress, run_cancellable, tell, within
from ..protection.protect import protect
from ..protection.request import MISSING
from ..rstream import RStream, as_stream
from ..types import Array, Integers, Mask, Rows
from .attacks import ATTACKS, MEAN, Originals, Split, hits_by_kind, together
from .audit_result import Audit
from .copies import mean_of
from .evidence import Detected, Evidence, concluded
from .inference import inference_baseline

FEWEST = 20  # records in either part
Result = TypeVar("Result")


@dataclass(frozen=True)
class AuditRequest:
    """What was asked of audit(), checked. options : of protect(), copies among them."""

    method: Method
    roles: Roles
    stream: RStream
    share: float
    strata: tuple[str, ...]
    engine: Engine
    options: dict[str, Any]


@dataclass(frozen=True)
class File:
    """The complete records of a frame: door; given : the numeric independent columns; X (n, s), Y (n, t) : their values and
    those of the dependent ones; strata : None where records are not taken by strata."""

    door: Frame
    given: tuple[str, ...]
    X: Array
    Y: Array
    strata: Strata | None


def audit(
    frame: Any,
    method: Method,
    roles: Roles,
    seed: int | RStream | None = 1,
    share: float = 0.5,
    repeats: int = 3,
    *,
    strata: str | Iterable[str] | None = None,
    constraints: Any = None,
    missing: str = "refuse",
    round_integers: bool = True,
    engine: str | Engine = "local",
    copies: int = 1,
    weights: str | None = None,
    preserve: str | Iterable[str] | None = None,
    structure: Any = None,
    progress: Progress | None = None,
) -> Audit:
    """Judge a method by what its release of a random part of the records tells of those records and not of the rest.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Whose records must fit in memory.
    method : Method
        Any that releases numbers for the dependent columns, one that drops records or leaves gaps too.
    roles : Roles
        As in `protect`.
    seed : int or RStream, optional
        Starts the splits, the releases, and what is drawn to judge them; None takes the system's entropy.
    share : float
        Of the records, or of each stratum, that are protected: the members.
    repeats : int
        How many splits, each with a release of its own; values are their means.
    strata, constraints, missing, round_integers, engine : optional
        As in `protect`, for each release; "protect" and "drop" leave incomplete records out of the audit.
    copies : int
        How many releases the intruder has of the same members, as `copies` of `protect`: every attack is made on all copies
        together and on their mean, each a line of its own; detection is of the first copy.
    weights, preserve : str or iterable of str, optional
        As in `protect`, for each release: what is kept exactly is also told.
    structure : Structure or "find", optional
        As in `protect`; "find" looks at the members alone, as their release would.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.

    Returns
    -------
    Audit
        Each attack beside its control, and the alarms.

    Raises
    ------
    InvalidInput
        As `protect` does, where either part has fewer than 20 records, and for a method that releases categories.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    The attacks are those of pyfcrm.evaluation.attacks, on the dependent columns; the independent ones leave as they are, so
    that whoever is unique on those is known to be in the file without any attack. The classifier of detection has five
    folds. The alarms hold the chance of any false one at 5 per cent: 1 for detection against its control, 4 for all
    other attacks together, by permuted labels. An attack that is not made here may find more. Source: own; after El Emam,
    Mosquera and Fang (2022), Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Westfall and Young (1993).
    """
    choice("audit", "missing", missing, MISSING)
    share = real_number("audit", "share", share, above=0, below=1)
    repeats = whole_number("audit", "repeats", repeats, low=1, high=1000)
    require_structure("audit", structure)
    options = {"constraints": parsed("audit", constraints), "round_integers": round_integers, "copies": copies}
    options |= {"allow_unprotected": True}  # an attacked half is not published
    options |= {"weights": weights, "preserve": names("audit", "preserve", preserve), "structure": structure}
    with chosen("audit", engine) as runs:
        asked = _request(method, roles, seed, share, strata, engine=runs, options=options)
        file, notes = _opened(frame, asked, missing)
        originals = _run(lambda: Originals.of(file.Y), within(progress, 0, repeats + 2), "the originals")
        evidence = [
            _tried(file, originals, asked, within(progress, 1 + k, repeats + 2, f"split {k + 1} of {repeats}"))
            for k in range(repeats)
        ]
        last = within(progress, repeats + 1, repeats + 2, "permuted labels")
        made = _run(lambda: concluded(method, evidence, asked.stream, notes), last, "")
    tell(progress, 1, 1, "done")
    return made


def _request(
    method: Method, roles: Roles, seed: Any, share: float, by: Any, *, engine: Engine, options: dict[str, Any]
) -> AuditRequest:
    roles = as_roles("audit", roles)
    require_method("audit", method, "FCRM(c=8)")
    strata = strata_names("audit", by, roles)
    return AuditRequest(method, roles, as_stream(seed), share, strata, engine, options)


def _run(work: Callable[[], Result], progress: Progress | None, what: str) -> Result:
    tell(progress, 0, 1, what)
    made = run_cancellable(work, progress, Course(what))
    tell(progress, 1, 1, what)
    return made


def _opened(frame: Any, asked: AuditRequest, missing: str) -> tuple[File, tuple[Note, ...]]:
    door, roles, notes = open_data("audit", frame, whole=True), asked.roles, list[Note]()
    also = (*asked.strata, *roles.identifiers, *roles.unknown, *roles.independent)
    given = tuple(name for name in roles.independent if asked.method.one_for_one or is_numeric(door, name))
    wanted = (*given, *roles.dependent)
    A = checked("audit", door, wanted, also=also)
    whole = complete_records("audit", A, wanted, "refuse" if missing == "refuse" else "drop")
    if not whole.all():
        notes += left_out(whole)
        door, A = open_frame("audit", door.reshaped({}, {}, np.flatnonzero(whole))), A[whole]
    strata = None
    if asked.strata:
        strata = Strata.of(asked.strata, Numbering("audit", asked.strata, missing).codes(door))
    if not given:
        notes.append(Note.of("left_out", "there are no independent columns: attribute hits are not judged"))
    s = len(given)
    return File(door, given, A[:, :s], A[:, s:], strata), (*door.notes, *notes)


def _members(file: File, asked: AuditRequest) -> Mask:
    """(n,) a random share of the records, in each stratum by itself."""
    member = np.zeros(len(file.Y), dtype=bool)
    for rows in (np.arange(len(member)),) if file.strata is None else file.strata.rows:
        wanted = asked.share * len(rows)
        up = asked.stream.runif(1)[0] < wanted - np.floor(wanted)
        member[rows[asked.stream.sample_int(len(rows), int(wanted) + int(up)) - 1]] = True
    if (fewest := min(int(member.sum()), int((~member).sum()))) < FEWEST:
        raise InvalidInput(
            "audit", f"needs at least {FEWEST} records that are protected and {FEWEST} that are not", fewest
        )
    return member


def _splits(file: File, asked: AuditRequest, progress: Progress | None) -> tuple[list[Split], Split | None]:
    """One random part protected: a split for each copy of its release; and one of the copies' mean, where there are several."""
    member, roles = _members(file, asked), asked.roles
    part = file.door.reshaped({}, {}, np.flatnonzero(member))
    options = asked.options | {"strata": asked.strata or None, "engine": asked.engine, "progress": progress}
    made = protect(part, asked.method, roles, asked.stream, **options)
    doors = [open_frame("audit", one) for one in made.frames]
    copies = [_split(file, asked, part, member, released) for released in doors]
    mean = mean_of(doors) if len(doors) > 1 else None
    return copies, None if mean is None else _split(file, asked, part, member, mean)


def _split(file: File, asked: AuditRequest, part: Any, member: Mask, released: Frame) -> Split:
    """One release of the members."""
    roles, rows = asked.roles, np.flatnonzero(member)
    for name in (*file.given, *roles.dependent):
        if name not in released.names or not is_numeric(released, name):
            rule = f"judges numbers: {asked.method} does not release column `{name}` as numbers"
            raise InvalidInput("audit", rule)
    A = checked("audit", released, (*file.given, *roles.dependent))
    kept = np.flatnonzero(~np.isnan(A).any(axis=1))
    if len(kept) < FEWEST:
        raise InvalidInput("audit", f"needs at least {FEWEST} complete records in each release", len(kept))
    own, s = np.full(len(member), -1), len(file.given)
    if not asked.method.generates:
        own = _own(open_frame("audit", part), released, rows, kept, len(member))
    return Split(file.X, file.Y, member, own, A[kept, :s], A[kept, s:])


def _own(part: Frame, released: Frame, rows: Rows, kept: Rows, n: int) -> Integers:
    """(n,) where each original's own record stands among those `kept` of the release; -1 for none."""
    own = np.full(n, -1)
    pairs = paired_rows(part, released)
    if pairs is not None:
        place = np.full(released.records, -1)
        place[kept] = np.arange(len(kept))
        own[rows[pairs[0]]] = place[pairs[1]]
    return own


def _tried(file: File, originals: Originals, asked: AuditRequest, progress: Progress | None) -> Evidence:
    """One split: the release and every attack on it."""
    steps = 4 + len(ATTACKS)
    splits, mean = _splits(file, asked, within(progress, 0, steps, "protecting"))
    split, attacks = splits[0], together(splits, mean, originals)
    found = dict[str, Array]()
    for k, name in enumerate(ATTACKS):
        found |= _run(lambda: next(attacks), within(progress, 1 + k, steps), name)
    excluded, included, inferred = _run(
        lambda: _hits(split, mean, asked), within(progress, steps - 3, steps), "attribute hits"
    )
    told = within(progress, steps - 2, steps, "detection")
    detected = _run(lambda: _told_apart(split, split.released, split.Z, asked.stream), told, "")
    told, seen = within(progress, steps - 1, steps, "detection, control"), split.member
    control = _run(lambda: _told_apart(split, split.X[seen], split.Y[seen], asked.stream), told, "")
    return Evidence(split.member, found, excluded, included, inferred, detected, control)


def _hits(split: Split, mean: Split | None, asked: AuditRequest) -> list[dict[str, Array]]:
    """Hits by kind: own record excluded, included, and included in a draw from what X tells; none without X.

    mean : of several copies, which an intruder who has them all reads; its kinds come first.
    """
    if not split.X.shape[1]:
        return [{}, {}, {}]
    draw = _innocent(split, asked)
    made = hits_by_kind(split, True), hits_by_kind(split, False), hits_by_kind(draw, False)
    if mean is None:
        return list(made)
    of_mean = hits_by_kind(mean, True), hits_by_kind(mean, False), made[2]
    return [
        {f"{kind}, {MEAN}": share for kind, share in found.items()} | one
        for found, one in zip(of_mean, made, strict=True)
    ]


def _innocent(split: Split, asked: AuditRequest) -> Split:
    """The same split with a release that tells only what X does: a draw from members and others alike, see inference."""
    draw = inference_baseline(split.X, split.Y, asked.stream, on_this_machine(asked.engine))
    own = np.where(split.member, np.cumsum(split.member) - 1, -1)
    return replace(split, own=own, released=split.X[split.member], Z=draw[split.member])


def _told_apart(split: Split, X: Array, Z: Array, stream: RStream) -> Detected:
    """How a classifier tells records (X, Z) from the originals that were not protected."""
    others = np.hstack([split.X[~split.member], split.Y[~split.member]])
    released = np.hstack([X, Z])
    folds = [stream.sample_int(len(one)) % FOLDS for one in (others, released)]
    scores, classifier = held_out(others, released, folds[0], folds[1])
    return Detected(scores.original, scores.protected, folds[0], folds[1], weaker("audit", classifier))

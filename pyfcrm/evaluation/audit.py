"""audit(): protect a random part of the records, attack the release, and judge the attacks with the records it never saw."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from typing import Any, TypeVar

import numpy as np

from ..arguments import choice, names, real_number, whole_number
from ..constraints import parsed
from ..data import Roles, as_roles
from ..data.source import open_data
from ..data.strata import strata_names
from ..data.structure import require_structure
from ..engine import Engine, chosen, on_this_machine
from ..measures.detection import held_out
from ..methods import Method
from ..methods.method import require_method
from ..progress import Progress, report_progress, within
from ..protection.request import MISSING
from ..rstream import RStream, as_stream
from ..types import Array
from .attacks import ATTACKS, MEAN, SHADOWS, Originals, Split, attack, hits_by_kind, together
from .audit_digest import audit_digest
from .audit_result import Audit
from .audit_splits import AuditFile, AuditRequest, opened, splits
from .evidence import Detected, Evidence, concluded
from .references import near_records
from .shadows import Shadows

MOST_SHADOWS = 100
FOLDS = 3  # of the classifier of detection
Result = TypeVar("Result")


def audit(
    frame: Any,
    method: Method,
    roles: Roles,
    seed: int | RStream | None = 1,
    share: float = 0.5,
    repeats: int = 3,
    *,
    shadows: int = 8,
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
        Whose records must fit in memory; of more than 5,000 complete ones, a random sample of 5,000 is audited.
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
    shadows : int
        How many further releases train the attack "shadow releases"; 0 leaves it out.
    strata, constraints, missing, round_integers, engine : optional
        As in `protect`, for each release; "protect" fills incomplete records in the releases, which are not
        attacked; "drop" leaves them out.
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
    The attacks are those of pyfcrm.evaluation.attacks and shadows, on the dependent columns. The independent columns are
    released unchanged: a record that is unique on them is known to be in the file without any attack. Below 100 records an
    audit has no power, and says so. Strata that are too small in a part of the file are merged. The chance of any false
    alarm is 3 per cent over all attacks on membership and attributes together, by permuted labels. Detection, by a
    classifier with three folds, measures utility and raises no alarm. An attack that is not among these may find more. Source: own;
    after El Emam, Mosquera and Fang (2022), Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Westfall and Young (1993).
    """
    choice("audit", "missing", missing, MISSING)
    share = real_number("audit", "share", share, above=0, below=1)
    repeats = whole_number("audit", "repeats", repeats, low=1, high=1000)
    shadows = whole_number("audit", "shadows", shadows, low=0, high=MOST_SHADOWS)
    require_structure("audit", structure)
    options = {
        "constraints": parsed("audit", constraints),
        "round_integers": round_integers,
        "copies": copies,
        "missing": missing,
    }
    options |= {"allow_unprotected": True}  # an attacked half is not published
    options |= {"weights": weights, "preserve": names("audit", "preserve", preserve), "structure": structure}
    source = open_data("audit", frame, whole=True)
    with chosen("audit", engine) as runs:
        request = _request(method, roles, seed, share, strata, engine=runs, options=options)
        file, notes = opened(source, request, missing)
        originals = _run(lambda: Originals.of(file.Y[file.complete]), within(progress, 0, repeats + 3), "the originals")
        trained = _shadows(file, originals, request, within(progress, 1, repeats + 3), shadows)
        evidence = [
            _evidence(file, originals, request, within(progress, 2 + k, repeats + 3, _place(k, repeats)), trained)
            for k in range(repeats)
        ]
        digest = audit_digest(source, request.roles, method, options | {"strata": request.strata})
        said = dict.fromkeys(notes)
        more = {"notes": tuple(said), "shadows": shadows, "digest": digest}
        last = within(progress, repeats + 2, repeats + 3, "permuted labels")
        result = _run(lambda: concluded(method, evidence, request.stream, **more), last, "")
    report_progress(progress, 1, 1, "done")
    return result


def _place(k: int, repeats: int) -> str:
    """Such as "split 1 of 3"."""
    return f"split {k + 1} of {repeats}"


def _request(
    method: Method, roles: Roles, seed: Any, share: float, by: Any, *, engine: Engine, options: dict[str, Any]
) -> AuditRequest:
    """The arguments, checked."""
    roles = as_roles("audit", roles)
    require_method("audit", method, "FCRM(c=8)")
    strata = strata_names("audit", by, roles)
    return AuditRequest(method, roles, as_stream(seed), share, strata, engine, options)


def _run(work: Callable[[], Result], progress: Progress | None, what: str) -> Result:
    report_progress(progress, 0, 1, what)
    made = work()
    report_progress(progress, 1, 1, what)
    return made


def _shadows(
    file: AuditFile, originals: Originals, request: AuditRequest, progress: Progress | None, count: int
) -> Shadows | None:
    """A classifier of members from `count` releases of random parts; None for none."""
    if not count:
        return None
    releases = [
        splits(file, request, within(progress, k, count + 1, f"shadow release {k + 1} of {count}"), 1)[0][0]
        for k in range(count)
    ]
    training = within(progress, count, count + 1, "training")
    return _run(lambda: Shadows.trained(releases, originals, request.stream), training, "")


def _evidence(
    file: AuditFile, originals: Originals, request: AuditRequest, progress: Progress | None, shadows: Shadows | None
) -> Evidence:
    """One split: the release and every attack on it."""

    def every_attack(split: Split, originals: Originals) -> Iterator[tuple[str, Array]]:
        yield from attack(split, originals)
        if shadows is not None:
            yield SHADOWS, shadows.scores(originals, split.Z)

    names = (*ATTACKS, *(() if shadows is None else (SHADOWS,)))
    steps = 4 + len(names)
    copies, mean = splits(file, request, within(progress, 0, steps, "protecting"), request.options["copies"])
    split, attacks = copies[0], together(copies, mean, originals, every_attack)
    scores = dict[str, Array]()
    for k, name in enumerate(names):
        scores |= _run(lambda: next(attacks), within(progress, 1 + k, steps), name)
    excluded, included, inferred = _run(
        lambda: _hits(split, mean, request), within(progress, steps - 3, steps), "attribute hits"
    )
    part = within(progress, steps - 2, steps, "detection")
    detected = _run(lambda: _told_apart(split, split.released, split.Z, request.stream), part, "")
    part, seen = within(progress, steps - 1, steps, "detection, control"), split.member
    control = _run(lambda: _told_apart(split, split.X[seen], split.Y[seen], request.stream), part, "")
    return Evidence(split.member, scores, excluded, included, inferred, detected, control)


def _hits(split: Split, mean: Split | None, request: AuditRequest) -> list[dict[str, Array]]:
    """Hits by kind: own record excluded, included, and included in a draw from what X tells; none without X.

    mean : of several copies, which an intruder who has them all reads; its kinds come first.
    """
    if not split.X.shape[1]:
        return [{}, {}, {}]
    draw = _innocent(split, request)
    made = hits_by_kind(split, True), hits_by_kind(split, False), hits_by_kind(draw, False)
    if mean is None:
        return list(made)
    of_mean = hits_by_kind(mean, True), hits_by_kind(mean, False), made[2]
    return [
        {f"{kind}, {MEAN}": share for kind, share in found.items()} | one
        for found, one in zip(of_mean, made, strict=True)
    ]


def _innocent(split: Split, request: AuditRequest) -> Split:
    """The same split with a release that tells only what X does: a draw from members and others alike, given X."""
    draw = near_records(split.X, split.Y, request.stream, on_this_machine(request.engine))
    own = np.where(split.member, np.cumsum(split.member) - 1, -1)
    return replace(split, own=own, released=split.X[split.member], Z=draw[split.member])


def _told_apart(split: Split, X: Array, Z: Array, stream: RStream) -> Detected:
    """How a classifier tells records (X, Z) from the originals that were not protected."""
    others = np.hstack([split.X[~split.member], split.Y[~split.member]])
    released = np.hstack([X, Z])
    folds = [stream.sample_int(len(one)) % FOLDS for one in (others, released)]
    scores = held_out(others, released, folds[0], folds[1])
    return Detected(scores.original, scores.protected, folds[0], folds[1])

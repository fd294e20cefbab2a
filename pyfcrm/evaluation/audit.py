"""audit(): attacks on the release of a random part of the records, with the other records as control."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Any

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
from .attacks import ATTACKS, MEAN, SHADOWS, Originals, Split, attack, hits, together
from .audit_result import Audit, audit_digest
from .audit_splits import AuditFile, opened
from .evidence import Detected, Evidence, audit_of_splits
from .references import near_records
from .shadows import Shadows

MOST_SHADOWS = 100
FOLDS = 3  # of the classifier of detection


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
    """Attack releases of random parts of a file, with the other records as control.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Whose records must fit in memory; of more than 5,000 complete ones, a random sample of 5,000 is audited.
    method : Method
        Any that releases numbers for the dependent columns, one that drops records or leaves gaps too.
    roles : Roles
        As in `protect`.
    seed : int or RStream, optional
        Starts the splits, the releases, and the draws of the evaluation; None takes the system's entropy.
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
        As in `protect`, for each release: what is preserved exactly is also disclosed.
    structure : Structure or "find", optional
        As in `protect`; "find" searches the members only, as their release would.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.

    Returns
    -------
    Audit
        Each attack with its control, and the alarms.

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
        "allow_unprotected": True,  # an attacked half is not published
        "weights": weights,
        "preserve": names("audit", "preserve", preserve),
        "structure": structure,
    }
    source = open_data("audit", frame, whole=True)
    require_method("audit", method, "FCRM(c=8)")
    roles, stream, steps = as_roles("audit", roles), as_stream(seed), repeats + 3
    by = strata_names("audit", strata, roles)
    with chosen("audit", engine) as runs:
        file, notes = opened(source, method, roles, stream, share=share, strata=by, engine=runs, options=options)
        report_progress(progress, 0, steps, "the originals")
        originals = Originals.of(file.Y[file.complete])
        trained = _shadows(file, originals, within(progress, 1, steps), shadows)
        evidence = [
            _evidence(file, originals, within(progress, 2 + k, steps, f"split {k + 1} of {repeats}"), trained)
            for k in range(repeats)
        ]
        digest = audit_digest(source, roles, method, options | {"strata": by})
        report_progress(progress, repeats + 2, steps, "permuted labels")
        texts = tuple(dict.fromkeys(notes))
        result = audit_of_splits(method, evidence, stream, notes=texts, shadows=shadows, digest=digest)
    report_progress(progress, 1, 1, "done")
    return result


def _shadows(file: AuditFile, originals: Originals, progress: Progress | None, count: int) -> Shadows | None:
    """A classifier of members from `count` releases of random parts; None for none."""
    if not count:
        return None
    parts = (within(progress, k, count + 1, f"shadow release {k + 1} of {count}") for k in range(count))
    releases = [file.splits(part, 1)[0][0] for part in parts]
    report_progress(progress, count, count + 1, "training")
    return Shadows.trained(releases, originals, file.stream)


def _evidence(file: AuditFile, originals: Originals, progress: Progress | None, shadows: Shadows | None) -> Evidence:
    """One split: the release and every attack on it."""

    def every_attack(split: Split, originals: Originals) -> Iterator[tuple[str, Array]]:
        yield from attack(split, originals)
        if shadows is not None:
            yield SHADOWS, shadows.scores(originals, split.Z)

    names = (*ATTACKS, *(() if shadows is None else (SHADOWS,)), "attribute hits", "detection", "detection, control")
    steps = 1 + len(names)
    copies, mean = file.splits(within(progress, 0, steps, "protecting"), file.options["copies"])
    split, attacks, scores = copies[0], together(copies, mean, originals, every_attack), dict[str, Array]()
    for k, name in enumerate(names[:-3]):
        report_progress(progress, 1 + k, steps, name)
        scores |= next(attacks)
    report_progress(progress, steps - 3, steps, names[-3])
    excluded, included, inferred = _hits(split, mean, file)
    report_progress(progress, steps - 2, steps, names[-2])
    detected = _detection_scores(split, split.released, split.Z, file.stream)
    report_progress(progress, steps - 1, steps, names[-1])
    control = _detection_scores(split, split.X[split.member], split.Y[split.member], file.stream)
    report_progress(progress, steps, steps, names[-1])
    return Evidence(split.member, scores, excluded, included, inferred, detected, control)


def _hits(split: Split, mean: Split | None, file: AuditFile) -> list[dict[str, Array]]:
    """Hits by kind: own record excluded, included, and included in the control release; none without X.

    mean : of several copies, whose kinds come first.
    """
    if not split.X.shape[1]:
        return [{}, {}, {}]
    control = hits(_control_release(split, file), False)
    of_split = [hits(split, True), hits(split, False), control]
    if mean is None:
        return of_split
    of_mean = hits(mean, True), hits(mean, False), control
    return [
        {f"{kind}, {MEAN}": share for kind, share in first.items()} | then
        for first, then in zip(of_mean, of_split, strict=True)
    ]


def _control_release(split: Split, file: AuditFile) -> Split:
    """The split with a reference release, which does not use the records' own values, as control."""
    draw = near_records(split.X, split.Y, file.stream, on_this_machine(file.engine))
    own = np.where(split.member, np.cumsum(split.member) - 1, -1)
    return replace(split, own=own, released=split.X[split.member], Z=draw[split.member])


def _detection_scores(split: Split, X: Array, Z: Array, stream: RStream) -> Detected:
    """Held-out scores of a classifier that separates records (X, Z) from the originals that were not protected."""
    others = np.hstack([split.X[~split.member], split.Y[~split.member]])
    released = np.hstack([X, Z])
    folds = [stream.sample_int(len(A)) % FOLDS for A in (others, released)]
    scores = held_out(others, released, *folds)
    return Detected(scores.original, scores.protected, *folds)

"""audit(): attacks on the release of a random part of the records, with the other records as control."""

from typing import Any, Unpack

import numpy as np

from ..arguments import real_number, whole_number
from ..data import Roles, open_data
from ..engine import Engine, chosen
from ..measures.detection import WITH_FEATURES, area, held_out, held_out_with_features
from ..methods import Method
from ..methods.text import as_method
from ..progress import Progress, report_progress, within
from ..protection.request import ReleaseOptions, release_options, roles_of
from ..rstream import RStream, as_stream
from .attacks import MEAN, Originals, ShadowAttack, Split, hits, shadow_attack, together
from .audit_file import FEWEST, AuditFile, opened
from .audit_result import Audit, audit_digest
from .audit_statistics import SplitResult, area_variance, audit_of_splits
from .dependence import with_levels
from .own_record import Statistics, own_record_statistics

FOLDS = 3  # of the classifiers of detection
FEATURES = f"detection, {WITH_FEATURES}"
PERMUTATION_SEED = 1  # of own-record statistics, whose draws are apart from the others


def audit(
    frame: Any,
    method: Method,
    roles: Roles | None = None,
    seed: int | RStream | None = 1,
    share: float = 0.5,
    repeats: int = 3,
    *,
    shadows: int = 8,
    constraints: Any = None,
    engine: str | Engine = "local",
    copies: int = 1,
    progress: Progress | None = None,
    **options: Unpack[ReleaseOptions],
) -> Audit:
    """Attack releases of random parts of a file, with the other records as control.

    Parameters
    ----------
    frame : DataFrame, Table or path
        Whose records must fit in memory; of more than 5,000 complete ones, a random sample of 5,000 is audited.
    method : Method
        Any that releases the dependent columns in their type, one that drops records or leaves gaps too. Categories are
        attacked as positions of their levels.
    roles : Roles, optional
        As in `protect`; those of Steps by default.
    seed : int or RStream, optional
        Starts the splits, the releases, and the draws of the evaluation; None takes the system's entropy.
    share : float
        Of the records, or of each stratum, that are protected: the members.
    repeats : int
        How many splits, each with a release of its own; values are their means.
    shadows : int
        How many further releases train the attack "shadow releases"; 0 leaves it out.
    constraints, engine : optional
        As in `protect`, for each release.
    copies : int
        The number of releases of the same members that the intruder has, as `copies` of `protect`: every attack is made
        on all copies together, and on their mean, in separate lines. Detection is of the first copy.
    progress : callable, optional
        Called with (done, of how many, what); where it raises (Cancelled), the work stops.
    missing : {"refuse", "protect", "drop"}
        As in `protect`; "protect" fills incomplete records in the releases, which are not attacked; "drop" leaves them
        out.
    round_integers, strata : optional
        As in `protect`, for each release.
    structure : Structure or "find", optional
        As in `protect`; "find" searches the members only, as their release would.
    weights, preserve : str or iterable of str, optional
        As in `protect`, for each release: what is preserved exactly is also disclosed.
    bounds, decimals : optional
        As in `protect`, for each release.

    Returns
    -------
    Audit
        Each attack with its control, and the alarms.

    Raises
    ------
    InvalidInput
        As `protect` does, where either part has fewer than 20 records, and for a method that makes categories of numbers.
    InvalidParameter
        If an argument breaks its rule.

    Notes
    -----
    The attacks are those of pyfcrm.evaluation.attacks and shadows, on the dependent columns. The independent columns are
    released unchanged: a record that is unique on them is known to be in the file without any attack. Below 100 records
    an audit has no power, and a note reports it. Strata that are too small in a part of the file are merged. Attribute
    disclosure is tested by the statistics of `dependence_test` on the members. An alarm has a p-value of at most 1 per
    cent over all attacks on membership and attributes together, by permuted labels and records; 3.5 per cent of the clean
    releases in `benchmarks/studies/leaks.py` have one. Detection, by a
    classifier with three folds, measures utility and raises no alarm. An attack that is not among these may find more.
    Source: own; after El Emam, Mosquera and Fang (2022), Giomi, Boenisch, Wehmeyer and Tasnadi (2023), Westfall and
    Young (1993), Holm (1979).

    Examples
    --------
    >>> import pyfcrm as pf
    >>> frame = pf.datasets.accounts(100)
    >>> roles = pf.Roles(["AGE"], ["DEPOSITS", "DEBT"])
    >>> audit = pf.audit(frame, pf.FCRM(8), roles, repeats=1, shadows=0)
    >>> audit["membership"] > audit["membership_control"]  # the published form discloses who is in the file
    True
    """
    share = real_number("audit", "share", share, above=0, below=1)
    repeats = whole_number("audit", "repeats", repeats, low=1, high=1000)
    shadows = whole_number("audit", "shadows", shadows, low=0, high=100)
    method = as_method("audit", method)
    roles, stream, steps = roles_of("audit", method, roles), as_stream(seed), repeats + 3
    checked = release_options("audit", roles, constraints, options)
    checked |= {"copies": copies, "allow_unprotected": True}  # an attacked half is not published
    source = open_data("audit", frame, whole=True)
    with chosen("audit", engine) as runs:
        file, notes = opened(source, method, roles, stream, share, checked | {"engine": runs})
        report_progress(progress, 0, steps, "the originals")
        originals = Originals.of(file.Y[file.complete])
        trained = _trained(file, originals, shadows, within(progress, 1, steps)) if shadows else None
        results = [
            _result(file, originals, within(progress, 2 + k, steps, f"split {k + 1} of {repeats}"), trained)
            for k in range(repeats)
        ]
        report_progress(progress, repeats + 2, steps, "permuted labels")
        result = audit_of_splits(
            method, results, stream, shadows=shadows, notes=tuple(dict.fromkeys(notes)),
            digest=audit_digest(source, roles, method, checked),
        )  # fmt: skip
    report_progress(progress, 1, 1, "done")
    return result


def _trained(file: AuditFile, originals: Originals, shadows: int, progress: Progress | None) -> ShadowAttack:
    """The attack by shadow releases."""
    releases = [
        file.splits(within(progress, k, shadows + 1, f"shadow release {k + 1} of {shadows}"), 1)[0][0]
        for k in range(shadows)
    ]
    report_progress(progress, shadows, shadows + 1, "training")
    return shadow_attack(releases, originals, file.stream)


def _result(
    file: AuditFile, originals: Originals, progress: Progress | None, shadows: ShadowAttack | None
) -> SplitResult:
    """One split: the release and every attack on it."""
    copies, mean = file.splits(within(progress, 0, 3, "protecting"), file.options["copies"])
    report_progress(progress, 1, 3, "attacks")
    scores, split = together(copies, mean, originals, shadows), copies[0]
    found = {} if mean is None else {f"{kind}, {MEAN}": shares for kind, shares in hits(mean).items()}
    attributes = _own_record(mean or split, file)
    report_progress(progress, 2, 3, "detection")
    return SplitResult(split.member, scores, found | hits(split), attributes, _detection(split, file.stream))


def _own_record(split: Split, file: AuditFile) -> Statistics:
    """How members' released values resemble their own, beyond those of other members near in X; none without X."""
    paired = split.own >= 0
    if not split.X.shape[1] or paired.sum() < FEWEST:
        return {}
    categories = [term.column for term in file.design.levels]
    names, Y, Z = with_levels(file.confidential, categories, split.Y[paired], split.Z[split.own[paired]])
    stratum, stream = file.strata.codes[file.complete][paired], RStream(PERMUTATION_SEED)
    return own_record_statistics(split.X[paired], Y, Z, names, stream, stratum=stratum)


def _detection(split: Split, stream: RStream) -> dict[str, tuple[float, float, float]]:
    """By classifier, of the columns and of these with their features: the area under its ROC curve, that of the control, and the
    variance of the first. It separates the originals that were not protected from the release, or from protected originals."""
    member, sides = split.member, list[dict[str, tuple[float, float]]]()
    unseen = np.hstack([split.X[~member], split.Y[~member]])
    for X, Z in ((split.released, split.Z), (split.X[member], split.Y[member])):
        records = np.hstack([X, Z])
        folds = stream.sample_int(len(unseen)) % FOLDS, stream.sample_int(len(records)) % FOLDS
        further = held_out_with_features(unseen, records, *folds, X.shape[1])
        scores = {"detection": held_out(unseen, records, *folds), FEATURES: further}
        sides.append({key: (area(score, *folds), area_variance(score, *folds)) for key, score in scores.items()})
    release, control = sides
    return {key: (value, control[key][0], variance) for key, (value, variance) in release.items()}

"""One split of an audit: a release of some records, and every attack on it."""

import numpy as np

from ...measures.detection import WITH_FEATURES, area, held_out, held_out_with_features
from ...progress import Progress, report_progress, within
from ...rstream import RStream
from .attacks import MEAN, Originals, ShadowAttack, Split, hits, shadow_attack, together
from .audit_statistics import SplitResult, area_variance
from .audited_file import FEWEST, AuditFile
from .dependence import with_levels
from .own_record_statistics import Statistics, own_record_statistics

FOLDS = 3  # of the classifiers of detection
FEATURES = f"detection, {WITH_FEATURES}"
PERMUTATION_SEED = 1  # of own-record statistics, whose draws are apart from the others


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
    copies, mean = file.splits(within(progress, 0, 3, "protecting"), file.options.copies)
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

"""One split of an audit: a release of some records, and every attack on it."""

from dataclasses import replace

import numpy as np

from ...measures.detection import WITH_FEATURES, area, held_out, held_out_with_features
from ...methods.work import with_pooled_levels
from ...progress import Progress, report_progress, within
from ...rstream import RStream
from ...types import Array
from .attacker import Attacker
from .attacks import MEAN, Split, hits, shadow_attack, together
from .audit_statistics import SplitResult, area_variance
from .audited_file import FEWEST, AuditFile
from .dependence import TREES_BELOW, with_levels
from .own_record_statistics import OwnRecord, own_record_statistics
from .replicated import replicated_records

FOLDS = 3  # of the classifiers of detection
FEATURES = f"detection, {WITH_FEATURES}"
PERMUTATION_SEED = 1  # of own-record statistics, whose draws are apart from the others


def _trained(file: AuditFile, attacker: Attacker, shadows: int, progress: Progress | None) -> Attacker:
    """The intruder with an attack trained on so many shadow releases."""
    releases = list[Split]()
    for k in range(shadows):
        part = within(progress, k, shadows + 1, f"shadow release {k + 1} of {shadows}")
        (release,), _ = file.splits(part, 1)
        releases.append(release)
    report_progress(progress, shadows, shadows + 1, "training")
    return replace(attacker, shadows=shadow_attack(releases, attacker.originals, file.stream))


def _result(file: AuditFile, attacker: Attacker, progress: Progress | None) -> SplitResult:
    """Results of one split: of the release, and of every attack on it."""
    copies, mean = file.splits(within(progress, 0, 3, "protecting"), file.options.copies)
    report_progress(progress, 1, 3, "attacks")
    scores = together(copies, mean, attacker.scores)
    first_copy = copies[0]
    found = dict[str, Array]()
    if mean is None:
        attributes = _own_record(first_copy, file)
    else:
        found = {f"{kind}, {MEAN}": shares for kind, shares in hits(mean).items()}
        attributes = _own_record(mean, file)
    report_progress(progress, 2, 3, "detection")
    return SplitResult(
        member=first_copy.member,
        scores=scores,
        hits=found | hits(first_copy),
        attributes=attributes,
        detected=_detection(first_copy, file.stream),
        replicated=None if file.keys is None else replicated_records(first_copy, file.keys),
    )


def _own_record(split: Split, file: AuditFile) -> OwnRecord:
    """Statistics of how members' released values resemble their own, beyond those of other members near in X; none without X."""
    paired = split.own >= 0
    if not split.X.shape[1] or paired.sum() < FEWEST:
        return OwnRecord(statistics={}, excess={}, records=int(paired.sum()))
    categories = [term.column for term in file.design.levels]
    names, Y, Z = with_levels(file.confidential, categories, split.Y[paired], split.Z[split.own[paired]])
    stratum = file.strata.codes[file.complete][paired]
    stream = RStream(PERMUTATION_SEED)
    units = file.sampling_units
    sampling_unit = None if units is None else np.unique(units[file.complete][paired], return_inverse=True)[1]
    pooled = None if file.pooled is None else file.pooled[file.complete][paired]
    return own_record_statistics(
        with_pooled_levels(split.X[paired], pooled),
        Y,
        Z,
        names,
        stream,
        stratum=stratum,
        sampling_unit=sampling_unit,
        trees_below=TREES_BELOW,
    )


def _detection(split: Split, stream: RStream) -> dict[str, tuple[float, float, float]]:
    """Areas under the ROC curves of two classifiers, by name: that of the release, that of the control, variance of the first.

    A classifier separates originals that were not protected from the release or, as a control, from protected originals. One
    has the columns, the other also their features. Draws: a fold of each original and of each other record, for both.
    """
    member = split.member
    s = split.X.shape[1]
    unseen = np.hstack([split.X[~member], split.Y[~member]])
    release = _separated(unseen, np.hstack([split.released, split.Z]), s, stream)
    control = _separated(unseen, np.hstack([split.X[member], split.Y[member]]), s, stream)
    found = dict[str, tuple[float, float, float]]()
    for name, (value, variance) in release.items():
        value_of_control, _ = control[name]
        found[name] = (value, value_of_control, variance)
    return found


def _separated(unseen: Array, records: Array, s: int, stream: RStream) -> dict[str, tuple[float, float]]:
    """Area, and its variance, of each classifier that separates unseen originals (m, p) from records (N, p).

    s : how many of the columns are independent. Draws: a fold of each.
    """
    unseen_fold = stream.sample_int(len(unseen)) % FOLDS
    records_fold = stream.sample_int(len(records)) % FOLDS
    scores = {
        "detection": held_out(unseen, records, unseen_fold, records_fold),
        FEATURES: held_out_with_features(unseen, records, unseen_fold, records_fold, s),
    }
    found = dict[str, tuple[float, float]]()
    for name, score in scores.items():
        value = area(score, unseen_fold, records_fold)
        found[name] = (value, area_variance(score, unseen_fold, records_fold))
    return found

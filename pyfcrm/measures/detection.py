"""Detection: how often a classifier distinguishes released from original records that it was not trained on."""

import math
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..errors import Note
from ..numerics.one_thread import one_thread
from ..types import Array, Integers, Mask, Rows
from .measure import Part, Parts, arrays_measure
from .pair_features import with_features
from .propensity import EQUAL, FOLDS, LEAVES, Propensity, held_out_scores

VERBATIM_LIMIT = 0.05  # share of values released verbatim in other records, up to which two files suffice
EQUAL_VALUES = 1e-6  # difference of equal values, relative to the smallest difference of two originals
TREES = "gradient-boosted trees"
WITH_FEATURES = "with features"

NEEDS_AUDIT = Parts(math.nan, notes=(Note.of("unreliable", "detection: cannot be judged from two files; use audit"),))
"""The result for files from which a classifier learns the records that it must judge."""


def held_out(
    X: Array, Z: Array, x_fold: Rows, z_fold: Rows, *, trees: int = 100, learning_rate: float = 0.1
) -> Propensity:
    """Scores of each record from gradient-boosted trees fitted to the other folds.

    X (n, p), Z (N, p), which need no pairing; x_fold (n,), z_fold (N,). Else HistGradientBoostingClassifier's defaults:
    up to 31 leaves, a leaf of at least 20 records, or n/5 where that is fewer.
    """
    leaf = max(1, min(LEAVES, len(X) // FOLDS))
    fit = partial(boosted_trees, learning_rate=learning_rate, max_iter=trees, min_samples_leaf=leaf)
    return held_out_scores(fit, X, Z, x_fold, z_fold)


def boosted_trees(A: Array, label: Mask, **parameters: Any) -> Callable[[Array], Array]:
    """Probabilities (N,) of the label for records (N, p), by gradient-boosted trees fitted to A (n, p) and label (n,).

    parameters : of HistGradientBoostingClassifier.
    """
    from sklearn.ensemble import HistGradientBoostingClassifier

    model = HistGradientBoostingClassifier(early_stopping=False, random_state=0, **parameters)
    with one_thread():
        model.fit(A, label)

    def probabilities(B: Array) -> Array:
        """Probabilities (N,) of the label, on one thread."""
        with one_thread():
            return np.asarray(model.predict_proba(B)[:, 1])

    return probabilities


def held_out_with_features(X: Array, Z: Array, x_fold: Rows, z_fold: Rows, first: int = 0) -> Propensity:
    """Scores of each record as of held_out, from the columns and their features (see with_features).

    There are many features, so the trees are fewer and their steps larger.
    """
    x, z = with_features(X, Z, first)
    return held_out(x, z, x_fold, z_fold, trees=30, learning_rate=0.2)


@arrays_measure(
    key="detection",
    title="Detection, cross-validated AUC of a classifier of release and original, 50 is perfect",
    reading="The probability that a classifier ranks a protected record above an original one: 50 is guessing, 100 is "
    "certain. It is empty if released records contain values of other records; use the audit then.",
    kind="loss",
    identity=50.0,
    paired=True,
    source="own; after Snoke et al. (2018), Lopez-Paz and Oquab (2017)",
)
def detection(X: Array, Z: Array) -> Parts:
    """Cross-validated area under the ROC curve of a classifier of release and original, per cent; 50 is perfect.

    Parameters
    ----------
    X, Z : ndarray, shape (n, p)
        Original and protected, paired by position.

    Returns
    -------
    Parts
        In words: of one protected and one original held-out record, the probability that the protected one has the
        higher score. Ties count a half; the mean over five folds. NaN where two files do not suffice.

    Notes
    -----
    The scores are of gradient-boosted trees on the attributes. The part "with features" is of trees that also have
    pairwise ratios, differences and last digits (see pyfcrm.measures.pair_features). It is larger if a release breaks a
    relation that holds in most records, or changes habits of the last digit.

    Both copies of a record are in one fold. Otherwise the classifier would be trained on a near copy of a held-out
    record with the other label, and score below chance. Light noise, of one per cent, would seem better than perfect.
    If the release moves values from one record to another, as swapping and trees do, any training fold has them with
    the other label. The value is then too low. Then, and if it is below 50 by more than chance, two files do not
    suffice. The value is NaN, and a note refers to `audit`, which holds records out.

    References
    ----------
    Own; the idea of Snoke et al. (2018) and of Lopez-Paz and Oquab (2017), held out.
    """
    if len(X) < 2:
        wording = "detection: one record cannot be held out; 50 stands for indistinguishable"
        return Parts(50.0, notes=(Note.of("by_definition", wording),))
    if verbatim_share(X, Z) > VERBATIM_LIMIT:
        return NEEDS_AUDIT
    # Sorted, so that the order of the file has no effect; every fold spans the range of the first attribute.
    n = len(X)
    order = np.lexsort(np.hstack([X, Z]).T[::-1])
    fold = np.arange(n) % FOLDS
    x = X[order]
    z = Z[order]
    value = 100 * area(held_out(x, z, fold, fold), fold, fold)
    # The variance of the area under random scores of n and n records is (2 n + 1) / (12 n^2): Hanley and McNeil (1982).
    sd_by_chance = np.sqrt((2 * n + 1) / (12 * n**2))
    if 50 - value > 3 * 100 * sd_by_chance:
        return NEEDS_AUDIT
    further = 100 * area(held_out_with_features(x, z, fold, fold), fold, fold)
    return Parts(value, (Part(TREES, value), Part(WITH_FEATURES, further)))


def verbatim_share(X: Array, Z: Array) -> float:
    """The share of released values that are another record's original value, beyond chance.

    X, Z (n, p), paired by position. A value counts if it is not the record's own and occurs in the same attribute of
    the original, in at most 1 of 100 records (no point mass). It counts at most as often as it occurs there.
    Whole numbers recur by chance: the frequency of the values one step above and below is subtracted. A step is the
    smallest difference of two originals.
    """
    excess = 0.0
    for x, z in zip(X.T, Z.T, strict=True):
        values, counts = np.unique(x, return_counts=True)
        moved, times = np.unique(z[z != x], return_counts=True)
        rare = counts <= max(1, len(x) // 100)
        if not (len(moved) and rare.any() and len(values) > 1):
            continue
        step = float(np.diff(values).min())
        # Released values that are equal to an original one, or would be if all were one step larger or smaller.
        matches = partial(_matches, times=times, values=values[rare], counts=counts[rare], near=EQUAL_VALUES * step)
        equal = matches(moved)
        by_chance = (matches(moved + step) + matches(moved - step)) / 2
        excess += max(0.0, equal - by_chance)
    return excess / Z.size


def _matches(moved: Array, times: Integers, values: Array, counts: Integers, near: float) -> float:
    """Number of released values that occur among the originals.

    moved (m,) : the different released values, and `times` (m,) how often each occurs; values (k,) : the different originals,
    ascending, and `counts` (k,) how often each occurs, which is also the most that counts; near : difference of equal values.
    """
    place = np.minimum(np.searchsorted(values, moved - near), len(values) - 1)
    matched = np.abs(values[place] - moved) <= near
    return float(np.minimum(times, counts[place])[matched].sum())


def area(scores: Propensity, x_fold: Rows, z_fold: Rows) -> float:
    """Share of (original, protected) pairs with the larger score for the protected record, mean over folds, 0 to 1.

    Scores within 1e-12 tie and count a half: a pair counts once if the original's score is below the protected one's, or
    equal, and once more if it is below; half of the sum.
    """
    shares = []
    for k in np.unique(x_fold):
        original = np.sort(scores.original[x_fold == k])
        protected = scores.protected[z_fold == k]
        below = np.searchsorted(original, protected - EQUAL, side="left")
        upto = np.searchsorted(original, protected + EQUAL, side="right")
        shares.append(float((below + upto).sum()) / (2 * len(original) * len(protected)))
    return float(np.mean(shares))

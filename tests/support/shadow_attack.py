"""Membership inference with shadow releases: who knows the method tells members of a file from others by their values.

Random halves of a reference file are released. A classifier learns from some halves and half of the records what members look
like, and is judged on other halves and the other records. Shokri et al. (2017), with the features of Stadler et al. (2022).
"""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.metrics import roc_auc_score

TRAINING, TEST = 6, 20  # random halves


@dataclass(frozen=True)
class Advantage:
    """Of the areas under the curve of all test splits, per cent: their mean and its upper 95 per cent bound."""

    mean: float
    upper: float


def shadow_auc(release, X, Y, seed=0, training=TRAINING, test=TEST):
    """The attack on release(X, Y, seed), of half of the records X (n, s), Y (n, t), which returns (n/2, t)."""
    rng = np.random.default_rng(seed)
    n = len(Y)
    member = np.stack([rng.permutation(n) < n // 2 for _ in range(training + test)])
    views = [view(Y, release(X[m], Y[m], int(rng.integers(1, 10**6)))) for m in member]
    first = rng.permutation(n) < n // 2
    areas = np.array([_areas(views, member, known, training) for known in (first, ~first)]).mean(axis=0)
    mean = float(areas.mean())
    return Advantage(mean, mean + 1.96 * float(areas.std(ddof=1)) / np.sqrt(test))


def _areas(views, member, known, training):
    """(test,) The areas on the test splits, of records that are not `known` (n,)."""
    seen, labels = (np.concatenate([one[known] for one in of[:training]]) for of in (views, member))
    trees = HistGradientBoostingClassifier(max_iter=60, max_depth=4, min_samples_leaf=20, random_state=1)
    trees.fit(seen, labels)
    chances = [trees.predict_proba(one[~known])[:, 1] for one in views[training:]]
    return [100 * roc_auc_score(m[~known], p) for m, p in zip(member[training:], chances, strict=True)]


def view(Y, Z):
    """(n, 2 t + 3) What a release Z (N, t) shows of the records Y (n, t): by column, how many released values equal the record's
    and the log distance to the nearest; the distances of the ranks to the three nearest released records."""
    columns, ranks, released = [], [], []
    for y, z in zip(Y.T, np.sort(Z, axis=0).T, strict=True):
        first, after = np.searchsorted(z, y, "left"), np.searchsorted(z, y, "right")
        below, above = (np.abs(y - z[np.clip(at, 0, len(z) - 1)]) for at in (first - 1, after))
        near = np.where(after > first, 0.0, np.minimum(below, above))
        columns += [after - first, np.log(near + 1e-9 * y.std())]
        ranks.append((first + after) / 2)
    for z in Z.T:
        ordered = np.sort(z)
        released.append((np.searchsorted(ordered, z, "left") + np.searchsorted(ordered, z, "right")) / 2)
    far = cKDTree(np.column_stack(released)).query(np.column_stack(ranks), k=3)[0]
    return np.column_stack([*columns, far])


def shadow_file(kind, n, seed, t=5):
    """X (n, 2) and Y (n, t) of one of the kinds in SHADOW_FILES."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    return X, SHADOW_FILES[kind](X @ rng.normal(size=(2, t)) * 0.5 + rng.normal(size=(n, t)))


SHADOW_FILES = {
    "whole": lambda L: np.round(1000 * np.exp(L)),
    "cents": lambda L: np.round(1000 * np.exp(L), 2),
    "marks": lambda L: np.round(50 + 10 * L),
    "few": lambda L: np.clip(np.round(10 + 4 * L), 0, 20),
    "halves": lambda L: np.round(2 * (11 + 2 * L)) / 2,
    "even": lambda L: np.where(np.abs(L) < 0.04, 71, 2 * np.round(36 + 6 * L)),
    "counts": lambda L: np.floor(np.exp(1 + 0.7 * L)),
    "listed": lambda L: np.array([10, 13, 15, 17, 18, 20, 23, 25, 27, 28, 30, 33, 35, 37, 40, 43, 45, 50.0])[
        np.clip(np.round(8 + 4 * L), 0, 17).astype(int)
    ],
    "zeros": lambda L: np.where(L > 0.3, np.round(1000 * np.exp(L)), 0.0),
}


def by_margin(margin):
    """A release whose columns are margin(y) in random order: what the values alone reveal."""

    def release(X, Y, seed):
        rng = np.random.default_rng(seed)
        return np.column_stack([rng.permutation(margin(y)) for y in Y.T])

    return release


def leaking_margin(y, rare=3):
    """The rule of the first version, a control: smoothed whole numbers that pass over every value of fewer than 3 records, and
    keep the values of 3 and more."""
    from pyfcrm.methods.margins import quantiles

    values, counts = np.unique(y, return_counts=True)
    keep = np.isin(y, values[counts >= rare])
    own, result = set(values[counts < rare]), np.rint(quantiles(np.sort(y[~keep])))
    for i, value in enumerate(result):
        steps = (value + side * step for step in range(int(0.1 * y.std()) + 1) for side in (1, -1))
        result[i] = next((near for near in steps if near not in own), value)
    return np.sort(np.concatenate([y[keep], result]))

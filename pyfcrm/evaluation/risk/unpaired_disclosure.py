"""Values of one column that a release discloses to who knows other columns, where its records pair with no original ones.

An intruder takes the value of the released record nearest in the known columns, or predicts it by a model of the release. The
same attacks on the other originals find what such columns say about each other in any good release: only the excess counts.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ...methods.margins import point_masses
from ...numerics.location import row_blocks
from ...rstream import RStream
from ...types import Array, Codes, Mask
from .reference_releases import DRAWS, NEIGHBOURS

TOLERANCE = 0.05  # of a value, or of a standard deviation, within which a guess discloses it
CERTAINTY = 2.33  # standard errors of a difference, which chance exceeds in one of 100 columns
FOLDS = 5
TREES = 30
MIN_LEAF = 5  # records
ROUNDING = 1e-9  # of a value
TIE = 1e-9  # standard deviations by which two equal distances may differ by rounding


@dataclass(frozen=True)
class Target:
    """A column that is disclosed: a number, or a category or its codes; NaN for missing."""

    name: str
    """The column."""
    y: Array
    """The originals' values (n,)."""
    z: Array
    """The released values (N,)."""
    is_category: bool = False
    """Whether a guess discloses a value only if it is equal."""
    has_zero: bool = True
    """Whether the numbers have a natural zero; dates have none, and their spread takes the place of a value."""

    def hits(self, guesses: Array, y: Array) -> Mask:
        """Whether guesses disclose values y of the same shape."""
        if self.is_category:
            return guesses == y
        width = TOLERANCE * (np.abs(y) if self.has_zero else np.nanstd(self.y))
        return np.asarray(np.abs(guesses - y) <= width + ROUNDING * np.abs(y))


@dataclass(frozen=True)
class Guessed:
    """Values of one column that an attack finds, per cent of the records with a value."""

    column: str
    """The column."""
    attack: str
    """The way to the value, in words."""
    value: float
    """The share found from the release."""
    inference: float
    """The share found from other originals."""
    beyond: float
    """The excess, less what chance explains; may be below 0."""


def guessed(target: Target, known: Array, known_released: Array, units: Codes, stream: RStream) -> list[Guessed]:
    """What both attacks find of one column. Records without a value of it are left out.

    The inference baseline of the nearest record is the larger one of two: an original at random among the 5 nearest others, as
    for records that pair, and the nearest other. That of the model is the larger one of the model of the originals in other folds, and
    the commonest value. Where nothing predicts a value, a fold has more of those that the others have less: the model is wrong more
    often than not.

    Parameters
    ----------
    target : Target
        The column.
    known, known_released : ndarray, shape (n, q) and (N, q)
        The columns that the intruder knows, with Euclidean distances.
    units : ndarray, shape (n,)
        The unit of each original, a household where there is one: records of the same one are no others.
    stream : RStream
        Draws: n uniforms for each of DRAWS near records.

    Returns
    -------
    list of Guessed
        Empty where too few records have a value.
    """
    has_value = ~np.isnan(target.y)
    is_released = ~np.isnan(target.z)
    y, K, unit = target.y[has_value], known[has_value], units[has_value]
    # Of a larger release as many as the file has: among more records anybody's nearest one is nearer.
    z, L = target.z[is_released][: len(y)], known_released[is_released][: len(y)]
    if len(np.unique(unit)) <= NEIGHBOURS or len(z) < 2 * MIN_LEAF:
        return []
    nearest = _hits_of_nearest(target, y, K, z, L)
    random_near, nearest_other = _hits_of_others(target, y, K, unit, stream)
    by_nearest = max((random_near, nearest_other), key=lambda hits: float(hits.mean()))
    found = [_excess(target.name, "the released record nearest", nearest, by_nearest, unit)]
    # As many records in proportion as are outside a fold: a model of more records is better by itself.
    outside = np.arange(len(z)) % FOLDS > 0
    of_release = target.hits(_predictions(target, L[outside], z[outside], K), y)
    of_originals = np.empty(of_release.shape)
    fold = np.unique(unit, return_inverse=True)[1] % FOLDS
    for k in range(FOLDS):
        own = fold == k
        of_originals[:, own] = target.hits(_predictions(target, K[~own], y[~own], K[own]), y[own])
    by_model = max(of_release.astype(float), key=np.mean)
    values, counts = np.unique(y, return_counts=True)
    of_commonest = target.hits(np.full(len(y), values[counts.argmax()]), y).astype(float)
    without_values = max((*of_originals, of_commonest), key=np.mean)
    found.append(_excess(target.name, "a model of the release", by_model, without_values, unit))
    return found


def _excess(column: str, attack: str, hits: Array, baseline: Array, units: Codes) -> Guessed:
    """The excess of hits (n,) over those of a baseline (n,) at the same records, each from 0 to 1.

    Its standard error is that of a mean over whole units (n,), which are found or not together.
    """
    difference = hits - baseline
    of_units = np.bincount(np.unique(units, return_inverse=True)[1], weights=difference - difference.mean())
    error = float(np.sqrt(of_units @ of_units * len(of_units) / (len(of_units) - 1))) / len(difference)
    return Guessed(
        column=column,
        attack=attack,
        value=100 * float(hits.mean()),
        inference=100 * float(baseline.mean()),
        beyond=100 * (float(difference.mean()) - CERTAINTY * error),
    )


def _hits_of_nearest(target: Target, y: Array, K: Array, z: Array, L: Array) -> Array:
    """(n,) the share of the released records nearest to each original whose value discloses its own; equally near ones count alike."""
    shares = np.empty(len(y))
    for rows in row_blocks(len(y), len(z)):
        distance = _distances(K[rows], L)
        is_nearest = distance <= distance.min(axis=1, keepdims=True) + TIE
        is_hit = target.hits(z[None, :], y[rows, None])
        shares[rows] = (is_nearest & is_hit).sum(axis=1) / is_nearest.sum(axis=1)
    return shares


def _hits_of_others(target: Target, y: Array, K: Array, unit: Codes, stream: RStream) -> tuple[Array, Array]:
    """(n,) hits of an original at random among the 5 nearest of other units, the mean of DRAWS, and of the nearest one.

    All originals at the fifth distance are candidates, and of the nearest ones equally near count alike.
    """
    n = len(y)
    U = [stream.runif(n) for _ in range(DRAWS)]
    random_near = np.zeros(n)
    nearest = np.empty(n)
    for rows in row_blocks(n, n):
        distance = _distances(K[rows], K)
        distance[unit[rows, None] == unit[None, :]] = np.inf
        is_hit = target.hits(y[None, :], y[rows, None])
        fifth = np.partition(distance, NEIGHBOURS - 1, axis=1)[:, [NEIGHBOURS - 1]]
        is_near = distance <= fifth + TIE
        count = is_near.cumsum(axis=1)
        for u in U:
            place = np.floor(u[rows] * count[:, -1]).astype(np.int64) + 1
            chosen = (count == place[:, None]).argmax(axis=1)
            random_near[rows] += is_hit[np.arange(len(chosen)), chosen] / DRAWS
        is_nearest = distance <= distance.min(axis=1, keepdims=True) + TIE
        nearest[rows] = (is_nearest & is_hit).sum(axis=1) / is_nearest.sum(axis=1)
    return random_near, nearest


def _distances(A: Array, B: Array) -> Array:
    """Euclidean distances (a, b) of rows; exactly 0 for equal rows."""
    from scipy.spatial.distance import cdist

    return np.asarray(cdist(A, B))


def _predictions(target: Target, K: Array, values: Array, at: Array) -> Array:
    """Predictions (2, m) at the rows `at` (m, q), or (1, m) of a category, by models of values (k,) on K (k, q).

    Extremely randomised trees; for numbers also a linear regression, which finds the sums that trees only come near.
    """
    from sklearn.linear_model import LinearRegression

    if target.is_category:
        return _most_likely(K, values, at)[None, :]
    return np.array([_by_trees(K, values, at), LinearRegression().fit(K, values).predict(at)])


def _by_trees(K: Array, values: Array, at: Array) -> Array:
    """Predictions (m,) of numbers: the point mass that is most likely, or the mean of the others where none is.

    A mean over zeros and amounts would be near neither: it would be 0 only where all records of a leaf have none, and the number of such
    leaves would decide how many zeros are found.
    """
    from sklearn.ensemble import ExtraTreesRegressor

    is_mass = np.isin(values, point_masses(values)[0])
    if is_mass.all():
        return _most_likely(K, values, at)
    predicted = ExtraTreesRegressor(TREES, min_samples_leaf=MIN_LEAF, random_state=0).fit(K[~is_mass], values[~is_mass])
    guesses: Array = predicted.predict(at)
    if is_mass.any():
        mass = _most_likely(K, np.where(is_mass, values, np.inf), at)
        guesses = np.where(np.isfinite(mass), mass, guesses)
    return guesses


def _most_likely(K: Array, values: Array, at: Array) -> Array:
    """Of the values (k,) that records with K (k, q) have, the most likely one at each row of `at` (m, q)."""
    from sklearn.ensemble import ExtraTreesClassifier

    levels, codes = np.unique(values, return_inverse=True)  # a classifier takes codes with decimals for numbers
    classifier = ExtraTreesClassifier(TREES, min_samples_leaf=MIN_LEAF, random_state=0)
    return np.asarray(levels[classifier.fit(K, codes).predict(at)])

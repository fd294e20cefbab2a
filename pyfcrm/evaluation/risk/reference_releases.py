"""Reference releases: random releases that do not use a record's own confidential values."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from ...measures.measure import Parts
from ...methods.donors import Donors
from ...numerics.decimals import decimals
from ...numerics.design import design, orthogonal_to
from ...rstream import RStream
from ...types import Array, Codes, Mask, Rows, Terms
from .category_model import category_model

NEIGHBOURS = 5  # records near in X, one of which gives its values
DRAWS = 3  # reference releases of each kind by which risks are measured
CHANCE_DRAWS = 20  # of each kind by which unchanged cells are counted
UNCHANGED = 1e-3  # standard deviations within which a released value is the original's
ALONE = 1e-9  # 1 - leverage below which the other records do not determine a prediction


@dataclass(frozen=True)
class References:
    """Reference releases of a sample of records.

    X (n, s), Y (n, t) : predictors and confidential values of the sample, NaN in Y for missing; C (n, q) : codes of the
    categorical ones; releases : of each kind (DRAWS, n, t); categories : of each kind (CHANCE_DRAWS, n, q);
    expected (kinds, 1 + t + q) : see count_unchanged, of Y and C, means over CHANCE_DRAWS releases; measured : the measures of
    releases, by what they depend on, each computed at its first use.
    """

    X: Array
    Y: Array
    C: Array
    releases: tuple[Array, ...]
    categories: tuple[Array, ...]
    expected: Array
    measured: dict[Hashable, Parts] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        X: Array,
        Y: Array,
        stream: RStream,
        strata: Sequence[Rows],
        C: Array,
        *,
        terms: Terms = (),
        unit: Codes | None = None,
    ) -> References:
        """Both kinds of reference releases; the model of categories is trees.

        X : (n, s) without missing values; strata : rows of each stratum; C : (n, q);
        terms : the positions in X of the columns of each category; unit (n,) : whose records count as one, and give each other no
        values.
        """
        t, units = Y.shape[1], np.arange(len(Y)) if unit is None else unit
        near, model = list[Draw](), list[Draw]()
        for rows in strata:
            predicted, draw = regression_model(X[rows], Y[rows])
            model.append(draw)
            values = np.hstack([np.where(np.isnan(Y[rows]), predicted, Y[rows]), C[rows]])
            near.append(near_records(X[rows], values, terms, units[rows]))
        original, width = np.hstack([Y, C]), np.append(UNCHANGED * spread(Y), np.zeros(C.shape[1]))
        draw_categories = category_model(X, C, units)
        releases, expected, categories = list[Array](), list[Array](), list[Array]()
        for kind in (near, model):
            drawn = np.empty((CHANCE_DRAWS, *original.shape))
            for release in drawn:
                for rows, draw in zip(strata, kind, strict=True):
                    values = draw(stream)
                    release[rows, : values.shape[1]] = values
                if kind is model:
                    release[:, t:] = draw_categories(stream)
            counts = (count_unchanged(zip(original.T, release.T, width, strict=True), unit) for release in drawn)
            expected.append(np.mean(list(counts), axis=0))
            releases.append(drawn[:DRAWS, :, :t].copy())
            categories.append(drawn[:, :, t:].copy())
        return cls(X, Y, C, tuple(releases), tuple(categories), np.array(expected))


Draw = Callable[[RStream], Array]
"""A random draw of released values (n, t)."""
KnownReferences = dict[bytes, References]
"""References by digest of their sample, for many releases of one file."""


def near_records(X: Array, Y: Array, terms: Terms, unit: Codes) -> Draw:
    """Draws of Y (n, t) of records of other units (n,) among the nearest in X (n, s); NaN if all are of one unit.

    At least 5 of the nearest are of other units; of records at equal distance each has the same chance.
    """
    if (unit == unit[0]).all():
        return lambda stream: np.full(Y.shape, np.nan)
    donors = Donors(X, NEIGHBOURS + int(np.bincount(unit).max()) - 1, terms)

    def draw(stream: RStream) -> Array:
        chosen = donors.draw(stream)
        while (own := unit[chosen] == unit).any():
            chosen[own] = donors.draw(stream)[own]
        return Y[chosen]

    return draw


def regression_model(X: Array, Y: Array) -> tuple[Array, Draw]:
    """Predictions (n, t) of Y by (1, X) that leave out each record's own value, and draws: these plus normal residuals, rounded.

    A missing value is predicted from the records that are observed. A draw takes n t normals.
    """
    predicted, E, observed = np.empty(Y.shape), np.zeros(Y.shape), ~np.isnan(Y)
    for j, y in enumerate(Y.T):
        predicted[:, j], E[:, j] = _left_out(X, y, observed[:, j])
    pairs = np.maximum(observed.T.astype(float) @ observed, 1.0)
    values, vectors = np.linalg.eigh(E.T @ E / pairs)
    root = vectors * np.sqrt(np.maximum(values, 0.0))
    digits = [decimals(y[rows]) for y, rows in zip(Y.T, observed.T, strict=True)]

    def draw(stream: RStream) -> Array:
        release = predicted + stream.rnorm_matrix(*Y.shape) @ root.T
        for j, places in enumerate(digits):
            if places is not None:
                release[:, j] = np.round(release[:, j], places)
        return release

    return predicted, draw


def _left_out(X: Array, y: Array, rows: Mask) -> tuple[Array, Array]:
    """Predictions (n,) of y without each record's own value, and residuals (n,), 0 where y is missing."""
    center = y[rows].mean() if rows.any() else 0.0
    predicted, residuals = np.full(len(y), center), np.zeros(len(y))
    if rows.sum() > 1:
        D = design(X[rows])
        left = 1.0 - np.einsum("ij,ij->i", D.columns, D.columns)
        known, deviation = left > ALONE, y[rows] - center
        own = orthogonal_to(D, deviation[:, None])[:, 0] / np.where(known, left, 1.0)
        predicted[rows] = np.where(known, y[rows] - own, center)
        residuals[rows] = np.where(known, own, 0.0)
    return predicted, residuals


def spread(Y: Array) -> Array:
    """(t,) the standard deviation of the observed values of each column of Y (n, t) or (n,); 0 of fewer than two."""
    import pandas as pd

    return np.nan_to_num(pd.DataFrame(Y).std().to_numpy())


def count_unchanged(columns: Iterable[tuple[Array, Array, float]], unit: Codes | None = None) -> Array:
    """(1 + t,) the number of records whose observed cells are all unchanged, then the share of unchanged cells of each column.

    columns : originals (n,), released values, and the largest deviation of an unchanged cell; unit (n,) : units are counted
    in place of records, those that have such a record.
    """
    changed, observed, shares = np.array(False), np.array(False), []
    for y, z, width in columns:
        known = ~(np.isnan(y) | np.isnan(z))
        same = known & (np.abs(z - y) <= width)
        shares.append(same.sum() / max(known.sum(), 1))
        changed, observed = changed | (known & ~same), observed | known
    whole = np.flatnonzero(observed & ~changed)
    return np.array([len(whole if unit is None else np.unique(unit[whole])), *shares])

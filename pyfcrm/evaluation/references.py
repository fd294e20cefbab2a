"""Attributable risk: the risks of a release, and those of reference releases, which do not use a record's own confidential
values. What a risk measure finds in them is not caused by the release.

One reference alone is too low: near records where X determines a column, regression draws where relations are not linear.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ..data.pairs import Knowledge, Pair
from ..engine import Engine
from ..measures import MEASURES
from ..measures.measure import Parts
from ..methods.donors import Donors
from ..numerics.decimals import decimals
from ..numerics.design import design, orthogonal_to
from ..progress import Progress, within
from ..rstream import RStream
from ..types import Array, Codes, Mask, Rows, Terms
from .category_model import category_model
from .report import Attributable, measured

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


@dataclass(frozen=True)
class Sample:
    """At most SAMPLE records that pair, in proportion to strata.

    references : of them; Z (n, t) : their released values; D (n, q) : codes of their released categories; rows : their
    places in the release; groups : the rows of each stratum; weights (n,) : survey
    weights; knowledge : of an intruder who knows the method; total : how many records pair.
    """

    references: References
    Z: Array
    groups: tuple[Rows, ...]
    weights: Array | None
    knowledge: Knowledge | None
    total: int
    D: Array
    rows: Rows


def attributable_risk(
    sample: Sample,
    columns: Sequence[str],
    keys: Sequence[str],
    engine: Engine,
    progress: Progress | None = None,
    *,
    by_strata: bool = False,
) -> Attributable | None:
    """The risks of a release and their inference baselines.

    Parameters
    ----------
    sample : Sample
        Records of the release. Knowledge of the method adds linkage_informed, certain and dr_informed.
    columns : sequence of str
        The names of the confidential variables.
    keys : sequence of str
        Further risk measures; dbrl, prl and id are always measured.
    engine, progress
        As in `evaluate`.
    by_strata : bool
        Whether records are linked within strata.

    Returns
    -------
    Attributable or None
        None where no stratum has comparable cells. The baseline of a measure is the larger of its means over the releases
        of each kind of reference; for linkage_informed also what a model fitted without the record links.
    """
    by_method = () if sample.knowledge is None else ("linkage_informed", "certain", "dr_informed")
    keys = tuple(key for key in dict.fromkeys(("dbrl", "prl", "id", *keys, *by_method)) if key != "dr")
    releases = [sample.Z, *(release for kind in sample.references.releases for release in kind)]
    groups = _comparable(sample, releases, by_strata=by_strata) if sample.Z.shape[1] else ()
    if not groups:
        return None
    comparison, m = _Comparison(sample, keys, groups, engine), len(keys)
    release, *of_references = (
        comparison.risks(Z, k, within(progress, k, len(releases), "inference baseline" * bool(k)))
        for k, Z in enumerate(releases)
    )
    means = np.reshape(of_references, (-1, DRAWS, len(release))).mean(axis=1)
    baseline = means.max(axis=0)
    values, inference, near = (
        dict(zip(keys, risks[:m].tolist(), strict=True)) for risks in (release, baseline, means[0])
    )
    inference["id"], near["id"] = (float(risks[m:-1].mean()) for risks in (baseline, means[0]))
    if "linkage_informed" in inference:
        inference["linkage_informed"] = max(inference["linkage_informed"], float(release[-1]))
    for table in (values, inference, near):
        table["dr"] = 0.25 * (table["dbrl"] + table["prl"]) + 0.5 * table["id"]
    return Attributable(tuple(columns), values, inference, release[m:-1], baseline[m:-1], len(sample.Z), near["dr"])


def _comparable(sample: Sample, releases: Sequence[Array], *, by_strata: bool) -> tuple[Rows, ...]:
    """The strata, or all records, where every column has a cell in the original and in all of the releases."""
    groups = tuple(rows for rows in sample.groups if len(rows) > 1) if by_strata else ()
    observed = [~(np.isnan(sample.references.Y) | np.isnan(release)) for release in releases]
    return tuple(
        rows for rows in groups or (np.arange(len(sample.Z)),) if all(each[rows].any(axis=0).all() for each in observed)
    )


@dataclass(frozen=True)
class _Comparison:
    """How releases of a sample are compared: by which measures, in which strata."""

    sample: Sample
    keys: tuple[str, ...]
    groups: Sequence[Rows]
    engine: Engine

    def risks(self, Z: Array, number: int, progress: Progress | None) -> Array:
        """Risks of a release Z (n, t), averaged over strata by records.

        number : of a reference release; 0 for another. Returns the totals of the measures, the interval disclosure of
        each column, and what a model without the record's value links.
        """
        total, n = np.zeros(1), sum(map(len, self.groups))
        for k, rows in enumerate(self.groups):
            results = self._measured(
                self._pair(Z, rows), (number, rows.tobytes()), within(progress, k, len(self.groups))
            )
            informed = results.get("linkage_informed")
            risks = [results[key].total for key in self.keys] + [part.value for part in results["id"].parts]
            risks.append(0.0 if informed is None else informed.baseline or 0.0)
            total = total + len(rows) / n * np.array(risks)
        return total

    def _measured(self, pair: Pair, place: tuple[int, bytes], progress: Progress | None) -> Mapping[str, Parts]:
        """Measures of a stratum of a release; those of a reference release are kept for other releases of the file."""
        cache, attacks = self.sample.references.measured, () if pair.knowledge is None else pair.knowledge.attacks
        if not place[0]:
            return measured(pair, self.keys, self.engine, progress=progress)
        places = {key: (*place, key, attacks if MEASURES[key].informed else ()) for key in self.keys}
        known = {key: cache[of_key] for key, of_key in places.items() if of_key in cache}
        results = measured(replace(pair, only_totals=True), self.keys, self.engine, known, progress)
        cache |= {places[key]: parts for key, parts in results.items()}
        return results

    def _pair(self, Z: Array, rows: Rows) -> Pair:
        """A stratum; cells are compared where both files have one."""
        sample, knowledge = self.sample, self.sample.knowledge
        gaps = (np.isnan(sample.references.Y) | np.isnan(Z))[rows]
        Y, Z = (np.where(gaps, np.nan, A[rows]) for A in (sample.references.Y, Z))
        if knowledge is not None:
            knowledge = replace(knowledge, given=knowledge.given.taken(rows))
        weights = None if sample.weights is None else sample.weights[rows]
        return replace(Pair.of(Y, Z), weights=weights, knowledge=knowledge)

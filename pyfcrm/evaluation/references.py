"""Attributable risk: the risks of a release, and those of reference releases, which do not use a record's own confidential
values. What a risk measure finds in them is not caused by the release.

One reference alone is too low: near records where X determines a column, regression draws where relations are not linear.
"""

from __future__ import annotations

import pickle
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from itertools import repeat

import numpy as np

from ..data.pairs import Knowledge, Pair
from ..engine import Engine
from ..measures import MEASURES
from ..measures.measure import Parts
from ..methods.donors import Donors
from ..numerics.decimals import decimals
from ..numerics.design import design, projection
from ..progress import Progress, within
from ..rstream import RStream
from ..types import Array, Codes, Mask, Rows, Terms
from .category_model import CategoryModel
from .report import Attributable, measured

COMPONENTS = ("dbrl", "prl", "id")
BY_METHOD = ("linkage_informed", "certain", "dr_informed")
NEIGHBOURS = 5  # records near in X, one of which gives its values
DRAWS = 3  # reference releases of each kind by which risks are measured
CHANCE_DRAWS = 20  # of each kind by which unchanged cells are counted
UNCHANGED = 1e-3  # standard deviations within which a released value is the original's
ALONE = 1e-9  # 1 - leverage below which the other records do not determine a prediction


@dataclass(frozen=True)
class Unchanged:
    """Confidential cells that a release leaves unchanged.

    records : records whose observed cells are all unchanged; columns (t,) : the share of unchanged cells of each column.
    """

    records: float
    columns: Array


@dataclass(frozen=True)
class References:
    """Reference releases of a sample of records.

    X (n, s), Y (n, t) : predictors and confidential values of the sample, NaN in Y for missing; C (n, q) : codes of the
    categorical ones; releases : of each kind DRAWS releases (n, t); categories : of each kind CHANCE_DRAWS (n, q);
    expected : for each kind the unchanged cells of Y and C, a mean over CHANCE_DRAWS releases; measured : the measures of a
    release by key, by what they depend on, each computed at its first use.
    """

    X: Array
    Y: Array
    C: Array
    releases: tuple[tuple[Array, ...], ...]
    categories: tuple[tuple[Array, ...], ...]
    expected: tuple[Unchanged, ...]
    measured: dict[Hashable, dict[str, Parts]] = field(default_factory=dict, compare=False, repr=False)

    @classmethod
    def of(
        cls,
        X: Array,
        Y: Array,
        stream: RStream,
        strata: Sequence[Rows] | None = None,
        C: Array | None = None,
        *,
        terms: Terms = (),
        unit: Codes | None = None,
    ) -> References:
        """Both kinds of reference releases; the model of categories is trees.

        X : (n, s) without missing values; strata : rows of each stratum, None for one; C : (n, q), None for no categories;
        terms : the positions in X of the columns of each category; unit (n,) : whose records count as one, and give each other no
        values.
        """
        groups, t = strata or [np.arange(len(Y))], Y.shape[1]
        C = np.empty((len(Y), 0)) if C is None else C
        models = [RegressionModel.of(X[rows], Y[rows]) for rows in groups]
        values = [np.where(np.isnan(Y[r]), model.predicted, Y[r]) for r, model in zip(groups, models, strict=True)]
        units = np.arange(len(Y)) if unit is None else unit
        values = [np.hstack([part, C[rows]]) for rows, part in zip(groups, values, strict=True)]
        near = [near_records(X[r], part, stream, terms, units[r]) for r, part in zip(groups, values, strict=True)]
        original, width = np.hstack([Y, C]), np.append(UNCHANGED * spread(Y), np.zeros(C.shape[1]))

        trees = CategoryModel.of(X, C, units) if C.shape[1] else None
        releases, expected, categories = list[tuple[Array, ...]](), list[Unchanged](), list[tuple[Array, ...]]()
        for kind in ("near", "model"):
            drawn = np.empty((CHANCE_DRAWS, *original.shape))
            for release in drawn:
                for k, rows in enumerate(groups):
                    if kind == "near":
                        release[rows] = next(near[k])
                    elif t:
                        release[rows, :t] = models[k].draw(stream)
                if kind == "model" and trees is not None:
                    release[:, t:] = trees.draw(stream)
            counts = [count_unchanged(original, release, width, unit) for release in drawn]
            columns = np.mean([count.columns for count in counts], axis=0)
            expected.append(Unchanged(float(np.mean([count.records for count in counts])), columns))
            releases.append(tuple(drawn[:DRAWS, :, :t].copy()))
            categories.append(tuple(drawn[:, :, t:].copy()))
        return cls(X, Y, C, tuple(releases), tuple(categories), tuple(expected))

    @classmethod
    def shared(
        cls,
        X: Array,
        Y: Array,
        C: Array,
        stream: RStream,
        strata: Sequence[Rows],
        known: KnownReferences,
        *,
        terms: Terms = (),
        unit: Codes | None = None,
    ) -> References:
        """As `of`; from `known` where the same sample was drawn before, and kept there."""
        key = sha256(pickle.dumps((X, Y, C, strata, terms, unit))).digest()
        if key not in known:
            known[key] = cls.of(X, Y, stream, strata, C, terms=terms, unit=unit)
        return known[key]


KnownReferences = dict[bytes, References]
"""References by digest of their sample, for many releases of one file."""


def near_records(X: Array, Y: Array, stream: RStream, terms: Terms, unit: Codes) -> Iterator[Array]:
    """Endless releases: Y (n, t) of records of other units (n,) among the nearest in X (n, s); NaN if all are of one
    unit.

    At least 5 of the nearest are of other units; of records at equal distance each has the same chance.
    """
    if (unit == unit[0]).all():
        yield from repeat(np.full(Y.shape, np.nan))
    donors = Donors(X, NEIGHBOURS + int(np.bincount(unit).max()) - 1, terms)
    while True:
        chosen = donors.draw(stream)
        while (own := unit[chosen] == unit).any():
            chosen[own] = donors.draw(stream)[own]
        yield Y[chosen]


@dataclass(frozen=True)
class RegressionModel:
    """A regression of Y on (1, X) that leaves out each record's own value.

    predicted (n, t) : leave-one-out predictions; root (t, t) : a square root of the residual covariance; digits (t,) : the
    decimals of each column, None for a column without.
    """

    predicted: Array
    root: Array
    digits: tuple[int | None, ...]

    @classmethod
    def of(cls, X: Array, Y: Array) -> RegressionModel:
        """Fitted to X (n, s) and Y (n, t); a missing value is predicted from the records that are observed."""
        predicted, E, observed = np.empty(Y.shape), np.zeros(Y.shape), ~np.isnan(Y)
        for j, y in enumerate(Y.T):
            predicted[:, j], E[:, j] = _left_out(X, y, observed[:, j])
        pairs = np.maximum(observed.T.astype(float) @ observed, 1.0)
        values, vectors = np.linalg.eigh(E.T @ E / pairs)
        digits = tuple(decimals(y[rows]) for y, rows in zip(Y.T, observed.T, strict=True))
        return cls(predicted, vectors * np.sqrt(np.maximum(values, 0.0)), digits)

    def draw(self, stream: RStream) -> Array:
        """Predictions (n, t) plus normal residuals, rounded. Draws: n t normals."""
        draw = self.predicted + stream.rnorm_matrix(*self.predicted.shape) @ self.root.T
        for j, digits in enumerate(self.digits):
            draw[:, j] = draw[:, j] if digits is None else np.round(draw[:, j], digits)
        return draw


def _left_out(X: Array, y: Array, rows: Mask) -> tuple[Array, Array]:
    """Predictions (n,) of y without each record's own value, and residuals (n,), 0 where y is missing."""
    center = y[rows].mean() if rows.any() else 0.0
    predicted, residuals = np.full(len(y), center), np.zeros(len(y))
    if rows.sum() > 1:
        D = design(X[rows])
        left = 1.0 - np.einsum("ij,ij->i", D.columns, D.columns)
        known, deviation = left > ALONE, y[rows] - center
        own = (deviation - projection(D, deviation[:, None])[:, 0]) / np.where(known, left, 1.0)
        predicted[rows] = np.where(known, y[rows] - own, center)
        residuals[rows] = np.where(known, own, 0.0)
    return predicted, residuals


def spread(Y: Array) -> Array:
    """(t,) the standard deviation of the observed values of each column."""
    observed = ~np.isnan(Y)
    many = np.maximum(observed.sum(axis=0), 1)
    mean = np.where(observed, Y, 0.0).sum(axis=0) / many
    return np.asarray(np.sqrt((np.where(observed, Y - mean, 0.0) ** 2).sum(axis=0) / np.maximum(many - 1, 1)))


def count_unchanged(Y: Array, Z: Array, width: Array, unit: Codes | None = None) -> Unchanged:
    """The unchanged cells of a release Z (n, t) of Y (n, t). width : (t,) the largest deviation of an unchanged cell; unit (n,) : as
    in `count_units`."""
    observed = ~(np.isnan(Y) | np.isnan(Z))
    same = observed & (np.abs(np.where(observed, Z - Y, 0.0)) <= width)
    whole = (same | ~observed).all(axis=1) & observed.any(axis=1)
    return Unchanged(count_units(np.asarray(whole), unit), same.sum(axis=0) / np.maximum(observed.sum(axis=0), 1))


def count_units(chosen: Mask, unit: Codes | None) -> float:
    """How many records are chosen (n,); of units (n,), how many have a chosen record."""
    return float(chosen.sum() if unit is None else len(np.unique(unit[chosen])))


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
    D: Array = field(default_factory=lambda: np.empty((0, 0)))
    rows: Rows = field(default_factory=lambda: np.empty(0, dtype=np.intp))


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
    every = dict.fromkeys((*COMPONENTS, *keys, *(BY_METHOD if sample.knowledge is not None else ())))
    keys = tuple(key for key in every if key != "dr")
    groups = _comparable(sample, by_strata=by_strata) if sample.Z.shape[1] else ()
    if not groups:
        return None
    comparison = _Comparison(sample, keys, groups, engine)
    steps, means = 1 + sum(map(len, sample.references.releases)), list[Array]()
    release = comparison.risks(sample.Z, within(progress, 0, steps))
    for kind, releases in enumerate(sample.references.releases):
        parts = (within(progress, 1 + kind * DRAWS + k, steps, "inference baseline") for k in range(DRAWS))
        risks = [comparison.risks(Z, part, (kind, k)) for k, (Z, part) in enumerate(zip(releases, parts, strict=True))]
        means.append(np.mean(risks, axis=0))
    baseline, m = np.max(means, axis=0), len(keys)
    values, inference = (dict(zip(keys, risks[:m].tolist(), strict=True)) for risks in (release, baseline))
    inference["id"] = float(baseline[m:-1].mean())
    if "linkage_informed" in inference:
        inference["linkage_informed"] = max(inference["linkage_informed"], float(release[-1]))
    for table in (values, inference):
        table["dr"] = 0.25 * (table["dbrl"] + table["prl"]) + 0.5 * table["id"]
    near = dict(zip(keys, means[0].tolist(), strict=False))
    floor = 0.25 * (near["dbrl"] + near["prl"]) + 0.5 * float(means[0][m:-1].mean())
    return Attributable(tuple(columns), values, inference, release[m:-1], baseline[m:-1], len(sample.Z), floor)


def _comparable(sample: Sample, *, by_strata: bool) -> tuple[Rows, ...]:
    """The strata, or all records, where every column has a cell in both files and in all references."""
    groups = tuple(rows for rows in sample.groups if len(rows) > 1) if by_strata else ()
    references = [release for kind in sample.references.releases for release in kind]
    observed = [~(np.isnan(sample.references.Y) | np.isnan(release)) for release in (sample.Z, *references)]
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

    def risks(self, Z: Array, progress: Progress | None, place: tuple[int, int] | None = None) -> Array:
        """Risks of a release Z (n, t), averaged over strata by records.

        place : the kind and the number of a reference release. Returns the totals of the measures, the
        interval disclosure of each column, and what a model without the record's value links.
        """
        total, n = np.zeros(1), sum(map(len, self.groups))
        for k, rows in enumerate(self.groups):
            pair, part = self._pair(Z, rows), within(progress, k, len(self.groups))
            if place is None:
                results: Mapping[str, Parts] = measured(pair, self.keys, self.engine, progress=part)
            else:
                results = self._of_reference(pair, (*place, k), part)
            informed = results.get("linkage_informed")
            risks = [results[key].total for key in self.keys] + [part.value for part in results["id"].parts]
            risks.append(0.0 if informed is None else informed.baseline or 0.0)
            total = total + len(rows) / n * np.array(risks)
        return total

    def _of_reference(self, pair: Pair, place: tuple[int, ...], progress: Progress | None) -> Mapping[str, Parts]:
        """Measures of a stratum of a reference release, which are kept for other releases of the file."""
        cache, weights = self.sample.references.measured, self.sample.weights
        key = (*place, len(self.groups), b"" if weights is None else weights.tobytes())
        by_data, knowledge = cache.setdefault(key, {}), pair.knowledge
        by_method = cache.setdefault((*key, () if knowledge is None else knowledge.attacks), {})
        results = measured(replace(pair, only_totals=True), self.keys, self.engine, {**by_data, **by_method}, progress)
        for name, parts in results.items():
            (by_method if MEASURES[name].informed else by_data)[name] = parts
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

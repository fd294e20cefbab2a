"""Measuring attributable risk: the risks of a release beside those of reference releases."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.pairs import Knowledge, Pair
from ..engine import Engine
from ..measures import MEASURES
from ..measures.measure import Parts
from ..progress import Progress, within
from ..types import Array, Rows
from .attributable import Attributable
from .case import Sample
from .references import References
from .report import measured

COMPONENTS = ("dbrl", "prl", "id")
BY_METHOD = ("linkage_informed", "certain", "dr_informed")


@dataclass(frozen=True)
class _Comparison:
    """What a release of a sample is compared by: measures, knowledge of the method, strata, weights, threads."""

    references: References
    keys: tuple[str, ...]
    knowledge: Knowledge | None
    groups: Sequence[Rows]
    weights: Array | None
    engine: Engine

    def of_release(self, Z: Array, known: Mapping[str, Parts], progress: Progress | None) -> _Compared:
        """Risks of the release Z (n, t) itself. known : measures of it that are computed already."""
        return self._mean(
            lambda rows, part: measured(self._pair(Z, rows), self.keys, self.engine, known, part), progress
        )

    def of_reference(self, place: tuple[int, int], progress: Progress | None) -> _Compared:
        """Risks of one reference release. place : its kind and its number."""
        Z = self.references.releases[place[0]][place[1]]
        strata = iter(range(len(self.groups)))
        return self._mean(lambda rows, part: self._reference(Z, rows, (*place, next(strata)), part), progress)

    def _mean(
        self, measures: Callable[[Rows, Progress | None], Mapping[str, Parts]], progress: Progress | None
    ) -> _Compared:
        """A mean over strata by records. measures : of the records of a stratum."""
        total, columns = dict.fromkeys(self.keys, 0.0), np.zeros(self.references.Y.shape[1])
        n, alone = sum(map(len, self.groups)), 0.0
        for k, rows in enumerate(self.groups):
            results = measures(rows, within(progress, k, len(self.groups)))
            share = len(rows) / n
            for key in self.keys:
                total[key] += share * results[key].total
            columns += share * np.array([part.value for part in results["id"].parts])
            alone += share * _alone(results)
        return _Compared(total, columns, alone)

    def _reference(
        self, Z: Array, rows: Rows, place: tuple[int, ...], progress: Progress | None
    ) -> Mapping[str, Parts]:
        """Measures of a stratum of a reference release: what was measured for another release of the file is not again."""
        cache = self.references.measured
        weights = b"" if self.weights is None else self.weights.tobytes()
        by_data = cache.setdefault((*place, len(self.groups), weights), {})
        attacks = () if self.knowledge is None else self.knowledge.attacks
        by_method = cache.setdefault((*place, len(self.groups), weights, attacks), {})
        pair = self._pair(Z, rows)
        if pair.knowledge is not None:
            pair = replace(pair, knowledge=replace(pair.knowledge, alone=False))
        results = measured(pair, self.keys, self.engine, {**by_data, **by_method}, progress)
        for key, parts in results.items():
            (by_method if MEASURES[key].informed else by_data)[key] = parts
        return results

    def _pair(self, Z: Array, rows: Rows) -> Pair:
        Y, Z = self.references.Y[rows], Z[rows]
        gaps = np.isnan(Y) | np.isnan(Z)
        if gaps.any():  # cells are compared where both files have one
            Y, Z = np.where(gaps, np.nan, Y), np.where(gaps, np.nan, Z)
        pair = Pair.of(Y, Z)
        if self.weights is not None:
            pair = replace(pair, weights=self.weights[rows])
        if self.knowledge is None:
            return pair
        return replace(pair, knowledge=replace(self.knowledge, given=self.knowledge.given.taken(rows)))


@dataclass(frozen=True)
class _Compared:
    """total : risks by key; columns (t,) : interval disclosure; alone : per cent linked by a model without the record."""

    total: Mapping[str, float]
    columns: Array
    alone: float


def _alone(results: Mapping[str, Parts]) -> float:
    return (results["linkage_informed"].baseline or 0.0) if "linkage_informed" in results else 0.0


def _comparable(sample: Sample, *, by_strata: bool) -> tuple[Rows, ...]:
    """The strata, or all records, where every column has a cell in both files and in all references."""
    groups = tuple(rows for rows in sample.groups if len(rows) > 1) if by_strata else ()
    references = [release for kind in sample.references.releases for release in kind]
    observed = [~(np.isnan(sample.references.Y) | np.isnan(release)) for release in (sample.Z, *references)]
    return tuple(
        rows for rows in groups or (np.arange(len(sample.Z)),) if all(each[rows].any(axis=0).all() for each in observed)
    )


def attributable_risk(
    sample: Sample,
    columns: Sequence[str],
    keys: Sequence[str],
    engine: Engine,
    progress: Progress | None = None,
    *,
    by_strata: bool = False,
    known: Mapping[str, Parts] | None = None,
) -> Attributable | None:
    """The risks of a release beside their inference baselines.

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
    known : mapping of str to Parts, optional
        Measures of the release on exactly these records, which are not computed again.

    Returns
    -------
    Attributable or None
        None where no stratum has comparable cells. The baseline of a measure is the larger of its means over the releases
        of each kind of reference; for linkage_informed also what a model fitted without the record links.
    """
    wanted = tuple(dict.fromkeys((*COMPONENTS, *keys, *(BY_METHOD if sample.knowledge is not None else ()))))
    wanted = tuple(key for key in wanted if key != "dr")
    references, n = sample.references, len(sample.Z)
    groups = _comparable(sample, by_strata=by_strata)
    if not groups:
        return None
    compare = _Comparison(references, wanted, sample.knowledge, groups, sample.weights, engine)
    steps = 1 + sum(map(len, references.releases))
    release = compare.of_release(sample.Z, known or {}, within(progress, 0, steps))
    means, step = list[_Compared](), 1
    for kind, releases in enumerate(references.releases):
        compared = []
        for k in range(len(releases)):
            compared.append(compare.of_reference((kind, k), within(progress, step, steps, "inference baseline")))
            step += 1
        totals = {key: float(np.mean([one.total[key] for one in compared])) for key in wanted}
        means.append(_Compared(totals, np.mean([one.columns for one in compared], axis=0), 0.0))
    inference = {key: max(mean.total[key] for mean in means) for key in wanted}
    by_column = np.max([mean.columns for mean in means], axis=0)
    inference["id"] = float(by_column.mean())
    if "linkage_informed" in inference:
        inference["linkage_informed"] = max(inference["linkage_informed"], release.alone)
    values = dict(release.total)
    for table in (values, inference):
        table["dr"] = 0.25 * (table["dbrl"] + table["prl"]) + 0.5 * table["id"]
    return Attributable(tuple(columns), values, inference, release.columns, by_column, n)

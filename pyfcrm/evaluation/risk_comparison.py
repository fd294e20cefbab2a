"""Attributable risk measured: the risks of a release, and those of reference releases."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ..data.pairs import Pair
from ..engine import Engine
from ..measures import MEASURES
from ..measures.measure import Parts
from ..progress import Progress, within
from ..types import Array, Rows
from .case import Sample
from .report import Attributable, measured

COMPONENTS = ("dbrl", "prl", "id")
BY_METHOD = ("linkage_informed", "certain", "dr_informed")


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
    known : mapping of str to Parts, optional
        Measures of the release on exactly these records, which are not computed again.

    Returns
    -------
    Attributable or None
        None where no stratum has comparable cells. The baseline of a measure is the larger of its means over the releases
        of each kind of reference; for linkage_informed also what a model fitted without the record links.
    """
    every = dict.fromkeys((*COMPONENTS, *keys, *(BY_METHOD if sample.knowledge is not None else ())))
    keys = tuple(key for key in every if key != "dr")
    groups = _comparable(sample, by_strata=by_strata)
    if not groups:
        return None
    comparison = _Comparison(sample, keys, groups, engine)
    steps, step = 1 + sum(map(len, sample.references.releases)), 0
    release = comparison.risks(sample.Z, within(progress, 0, steps), known=known or {})
    means = list[Array]()
    for kind, releases in enumerate(sample.references.releases):
        risks = []
        for k, Z in enumerate(releases):
            step += 1
            risks.append(comparison.risks(Z, within(progress, step, steps, "inference baseline"), (kind, k)))
        means.append(np.mean(risks, axis=0))
    baseline, m = np.max(means, axis=0), len(keys)
    values, inference = (dict(zip(keys, risks[:m].tolist(), strict=True)) for risks in (release, baseline))
    inference["id"] = float(baseline[m:-1].mean())
    if "linkage_informed" in inference:
        inference["linkage_informed"] = max(inference["linkage_informed"], float(release[-1]))
    for table in (values, inference):
        table["dr"] = 0.25 * (table["dbrl"] + table["prl"]) + 0.5 * table["id"]
    return Attributable(tuple(columns), values, inference, release[m:-1], baseline[m:-1], len(sample.Z))


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

    def risks(
        self,
        Z: Array,
        progress: Progress | None,
        place: tuple[int, int] | None = None,
        known: Mapping[str, Parts] | None = None,
    ) -> Array:
        """Risks of a release Z (n, t), averaged over strata by records.

        place : the kind and the number of a reference release; known : measures that are computed already. Returns the
        totals of the measures, the interval disclosure of each column, and what a model without the record's value links.
        """
        total, n = np.zeros(1), sum(map(len, self.groups))
        for k, rows in enumerate(self.groups):
            pair, part = self._pair(Z, rows), within(progress, k, len(self.groups))
            if place is None:
                results: Mapping[str, Parts] = measured(pair, self.keys, self.engine, known, part)
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
        sample = self.sample
        Y, Z = sample.references.Y[rows], Z[rows]
        gaps = np.isnan(Y) | np.isnan(Z)
        if gaps.any():  # cells are compared where both files have one
            Y, Z = np.where(gaps, np.nan, Y), np.where(gaps, np.nan, Z)
        knowledge = sample.knowledge
        return replace(
            Pair.of(Y, Z),
            weights=None if sample.weights is None else sample.weights[rows],
            knowledge=None if knowledge is None else replace(knowledge, given=knowledge.given.taken(rows)),
        )

"""Attributable risk: the risks of a release, and those of reference releases, which do not use a record's own confidential
values. What a risk measure finds in them is not caused by the release.

One reference alone is too low: near records where X determines a column, regression draws where relations are not linear.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ...data.pairs import Knowledge, Pair
from ...engine import Engine
from ...measures import MEASURES
from ...measures.measure import Parts
from ...progress import Progress, within
from ...types import Array, Rows
from ..measuring import measured
from .reference_releases import DRAWS, References


@dataclass(frozen=True)
class Attributable:
    """Risks of a release and of its references, per cent, by measure key.

    columns : the confidential variables compared; values, inference : of the release, and the inference baseline;
    id_values, id_inference (t,) : the interval disclosure of each column; records : how many records were compared; floor : DR
    where each record has the values of another near in X.
    """

    columns: tuple[str, ...]

    values: Mapping[str, float]
    inference: Mapping[str, float]
    id_values: Array
    id_inference: Array
    records: int
    floor: float = float("nan")

    def of(self, key: str) -> float:
        """Attributable risk in percentage points.

        Parameters
        ----------
        key : str
            Of a risk measure. For dr and dr_informed it is 1/4 (DBRL - b)+ + 1/4 (PRL - b)+ + 1/2 mean_j (ID_j - b_j)+, b being
            each component's inference baseline and ( )+ the positive part; dr_informed has linkage_informed for DBRL.

        Returns
        -------
        float
            At least 0.
        """
        if key in ("dr", "dr_informed"):
            by_distance = "dbrl" if key == "dr" else "linkage_informed"
            return 0.25 * (self.of(by_distance) + self.of("prl")) + 0.5 * self.of("id")
        if key == "id":
            return float(np.maximum(self.id_values - self.id_inference, 0.0).mean())
        return max(self.values[key] - self.inference[key], 0.0)

    def row(self, key: str, part: str) -> tuple[float | None, float | None]:
        """Inference baseline and attributable risk of a measure's total, or of a column's interval disclosure.

        Parameters
        ----------
        key, part : str
            As in the rows of a report.

        Returns
        -------
        tuple of float or None
            None where there is no baseline.
        """
        if part == "total" and key in self.inference:
            return self.inference[key], self.of(key)
        if key == "id" and part in self.columns:
            j = self.columns.index(part)
            return float(self.id_inference[j]), max(float(self.id_values[j] - self.id_inference[j]), 0.0)
        return None, None


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

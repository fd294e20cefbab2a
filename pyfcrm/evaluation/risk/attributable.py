"""Attributable risk: the risks of a release beyond those of reference releases.

Reference releases do not use a record's own confidential values: what a risk measure finds in them is not caused by the
release. One kind of reference alone is too low: near records where X determines a column, regression draws where relations are not linear.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from ...data.pairs import Knowledge, Pair
from ...engine import Engine
from ...measures import INFORMED, MEASURES
from ...measures.measure import Parts
from ...progress import Progress, within
from ...types import Array, Rows
from ..measuring import measured
from .reference_releases import DRAWS, References, SampledRecords


@dataclass(frozen=True, kw_only=True)
class Attributable:
    """Risks of a release and of its references, per cent, by measure key."""

    columns: tuple[str, ...]
    """The confidential variables that were compared."""
    values: Mapping[str, float]
    """The risks of the release."""
    inference: Mapping[str, float]
    """Their inference baselines."""
    id_values: Array
    """The interval disclosure of each column (t,)."""
    id_inference: Array
    """Its inference baseline (t,)."""
    records: int
    """Number of records that were compared."""
    floor: float = float("nan")
    """DR where each record has the values of another near in X."""

    def of(self, key: str) -> float:
        """Attributable risk in percentage points.

        Parameters
        ----------
        key : str
            A risk measure's. For dr and dr_informed the attributable risk is
            1/4 (DBRL - b)+ + 1/4 (PRL - b)+ + 1/2 mean_j (ID_j - b_j)+, b being each component's inference baseline and
            ( )+ the positive part; dr_informed has linkage_informed for DBRL.

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


class ReferenceMeasures:
    """Measures of reference releases of some records, computed at their first use and remembered for other releases of the file."""

    def __init__(self) -> None:
        self._parts: dict[Hashable, Parts] = {}

    def measured(
        self, pair: Pair, keys: Sequence[str], place: tuple[int, bytes], engine: Engine, *, progress: Progress | None
    ) -> Mapping[str, Parts]:
        """Measures of a stratum of a reference release; their totals are enough.

        place : the number of the reference release, and the rows of the stratum.
        """
        attacks = () if pair.knowledge is None else pair.knowledge.attacks
        places = dict[str, Hashable]()  # by measure, the key of its remembered parts
        for key in keys:
            # Measures of an intruder who knows the method differ by method.
            places[key] = (*place, key, attacks if MEASURES[key].informed else ())
        computed = {key: self._parts[places[key]] for key in keys if places[key] in self._parts}
        results = measured(replace(pair, only_totals=True), keys, engine, computed, progress)
        for key, parts in results.items():
            self._parts[places[key]] = parts
        return results


@dataclass(frozen=True, kw_only=True)
class Sample:
    """At most SAMPLE records that pair, in proportion to strata, and their release."""

    records: SampledRecords
    """The originals."""
    references: References
    """Their reference releases."""
    measures: ReferenceMeasures = field(default_factory=ReferenceMeasures, repr=False)
    """The measures of the reference releases."""
    Z: Array
    """Their released numbers (n, t)."""
    D: Array
    """Codes of their released categories (n, q)."""
    rows: Rows
    """Their places in the release (n,)."""
    originals: Rows
    """Their places in the original (n,)."""
    knowledge: Knowledge | None = None
    """Knowledge of them of an intruder who knows the method; None where the method is not known."""
    total: int
    """Number of records of the file that pair."""


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
    if sample.Z.shape[1] == 0:
        return None
    references = [release for kind in sample.references.releases for release in kind]
    groups = _comparable(sample, [sample.Z, *references], by_strata=by_strata)
    if not groups:
        return None
    by_method = INFORMED if sample.knowledge is not None and _has_complete_records(sample, references, groups) else ()
    requested = dict.fromkeys(("dbrl", "prl", "id", *keys, *by_method))  # each once, in this order
    keys = tuple(key for key in requested if key != "dr")  # DR follows from the others
    comparison = _Comparison(sample, keys, groups, engine)
    steps = 1 + len(references)
    release = comparison.risks(sample.Z, 0, within(progress, 0, steps))
    of_references = [
        comparison.risks(Z, k, within(progress, k, steps, "inference baseline"))
        for k, Z in enumerate(references, start=1)
    ]
    of_kinds = [_mean(of_references[k : k + DRAWS]) for k in range(0, len(references), DRAWS)]
    # The baseline of each measure, and of each column's interval disclosure, is that of the kind which has most.
    id_inference = np.max([kind.id_values for kind in of_kinds], axis=0)
    totals = np.max([kind.totals for kind in of_kinds], axis=0)
    inference = dict(zip(keys, totals.tolist(), strict=True))
    inference["id"] = float(id_inference.mean())
    if "linkage_informed" in inference:
        inference["linkage_informed"] = max(inference["linkage_informed"], release.by_model)
    near_records = of_kinds[0]
    near = dict(zip(keys, near_records.totals.tolist(), strict=True))
    near["id"] = float(near_records.id_values.mean())
    return Attributable(
        columns=tuple(columns),
        values=_with_dr(dict(zip(keys, release.totals.tolist(), strict=True))),
        inference=_with_dr(inference),
        id_values=release.id_values,
        id_inference=id_inference,
        records=len(sample.Z),
        floor=_with_dr(near)["dr"],
    )


def _with_dr(risks: Mapping[str, float]) -> dict[str, float]:
    """Risks by key, and DR = 1/4 DBRL + 1/4 PRL + 1/2 ID (thesis 2.4.2)."""
    dr = 0.25 * (risks["dbrl"] + risks["prl"]) + 0.5 * risks["id"]
    return {**risks, "dr": dr}


def _comparable(sample: Sample, releases: Sequence[Array], *, by_strata: bool) -> tuple[Rows, ...]:
    """The strata, or all records, where every column has a cell in the original and in all of the releases."""
    groups: tuple[Rows, ...] = ()
    if by_strata:
        groups = tuple(rows for rows in sample.records.groups if len(rows) > 1)
    if not groups:
        groups = (np.arange(len(sample.Z)),)
    comparable = list(groups)
    for release in releases:
        observed = ~(np.isnan(sample.records.Y) | np.isnan(release))  # (n, t)
        comparable = [rows for rows in comparable if observed[rows].any(axis=0).all()]
    return tuple(comparable)


def _has_complete_records(sample: Sample, references: Sequence[Array], groups: Sequence[Rows]) -> bool:
    """Whether each stratum has a record without a gap in the original and in each release, as an informed attack needs."""
    for release in (sample.Z, *references):
        is_complete = ~(np.isnan(sample.records.Y) | np.isnan(release)).any(axis=1)
        if not all(is_complete[rows].any() for rows in groups):
            return False
    return True


@dataclass(frozen=True)
class _Risks:
    """The risks of one release, per cent."""

    totals: Array
    """The totals of the measures, in their order (m,)."""
    id_values: Array
    """The interval disclosure of each column (t,)."""
    by_model: float
    """Links by a model without the record's own value; 0 where the method is not known."""


def _mean(risks: Sequence[_Risks]) -> _Risks:
    """The mean of the risks of several releases."""
    totals = np.mean([release.totals for release in risks], axis=0)
    id_values = np.mean([release.id_values for release in risks], axis=0)
    by_model = float(np.mean([release.by_model for release in risks]))
    return _Risks(totals, id_values, by_model)


@dataclass(frozen=True)
class _Comparison:
    """Comparison of releases of a sample with the original."""

    sample: Sample
    """The records."""
    keys: tuple[str, ...]
    """The measures."""
    groups: Sequence[Rows]
    """The rows of each stratum in which records are compared."""
    engine: Engine
    """Runs the sums."""

    def risks(self, Z: Array, number: int, progress: Progress | None) -> _Risks:
        """Risks of a release Z (n, t), averaged over strata by records. number : of a reference release; 0 for another."""
        totals = np.zeros(len(self.keys))
        id_values = np.zeros(Z.shape[1])
        by_model = 0.0
        n = sum(map(len, self.groups))
        for k, rows in enumerate(self.groups):
            share = len(rows) / n
            part = within(progress, k, len(self.groups))
            pair = self._pair(Z, rows)
            if number:
                place = (number, rows.tobytes())
                results = self.sample.measures.measured(pair, self.keys, place, self.engine, progress=part)
            else:
                results = measured(pair, self.keys, self.engine, progress=part)
            totals = totals + share * np.array([results[key].total for key in self.keys])
            id_values = id_values + share * np.array([part.value for part in results["id"].parts])
            informed = results.get("linkage_informed")
            if informed is not None:
                by_model += share * (informed.baseline or 0.0)
        return _Risks(totals, id_values, by_model)

    def _pair(self, Z: Array, rows: Rows) -> Pair:
        """The pair of a stratum's rows; cells are compared where both files have one. Z : (n, t) a release."""
        records = self.sample.records
        gaps = (np.isnan(records.Y) | np.isnan(Z))[rows]
        before = np.where(gaps, np.nan, records.Y[rows])
        after = np.where(gaps, np.nan, Z[rows])
        knowledge = self.sample.knowledge
        if knowledge is not None:
            knowledge = replace(knowledge, given=knowledge.given.taken(rows))
        weights = None if records.weights is None else records.weights[rows]
        return replace(Pair.of(before, after), weights=weights, knowledge=knowledge)

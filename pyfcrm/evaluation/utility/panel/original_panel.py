"""The panel of one original: its estimates, and those of near-record releases, for all releases of it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from ....data import Frame, Roles
from ....data.preserved_totals import Contributions
from ....numerics.sampling_variance.design import SamplingDesign
from ....rstream import RStream
from ....types import Array, Codes, Mask, Rows
from ...columns import predictors
from ...risk.reference_releases import near_records
from ...systematic_sample import SAMPLE, systematic_sample
from ..sampling import sampling_design
from .among_confidential import AmongConfidential
from .estimand import MIN_RECORDS, Estimand, Estimates, Family
from .group_means import GroupMeans
from .group_quantiles import GroupQuantiles
from .group_shares import GroupShares
from .logits import Logits
from .observed_cells import ObservedCells
from .panel_columns import panel_columns
from .panel_file import PanelColumns, PanelFile, panel_file
from .regressions import Regressions
from .selection import selected
from .tables import Tables

MAX_RECORDS = 200_000  # of a longer file a sample is measured
REFERENCES = 10  # near-record releases of which the mean is the reference
OF_SHARES = ("group shares", "tables")  # families whose estimates are cells of tables


@dataclass(frozen=True, kw_only=True)
class PanelRequest:
    """What the panel of an original depends on."""

    predictors: tuple[str, ...]
    """The unmodified predictors."""
    unmodified: tuple[str, ...]
    """All columns that are released unchanged."""
    numbers: tuple[str, ...]
    """The confidential numbers."""
    categories: tuple[str, ...]
    """The confidential categories."""
    weight: str | None
    """The survey weight; None without."""
    sampling: Roles | None = None
    """The roles whose sampling design gives standard errors; None where none is known."""

    @property
    def key(self) -> Hashable:
        """The request as a key of stored panels."""
        return (self.predictors, self.unmodified, self.numbers, self.categories, self.weight, self.sampling)

    def design(self, which: str, frame: Frame, rows: Rows) -> SamplingDesign | None:
        """The sampling design of some records (n,) of a file; None without. which : the file, for errors."""
        if self.sampling is None:
            return None
        everywhere = np.ones(frame.records, dtype=bool)
        return sampling_design(f"evaluate, {which}", frame, self.sampling, everywhere).taken(rows)


@dataclass(frozen=True, kw_only=True)
class OriginalPanel:
    """The estimates of one original."""

    columns: PanelColumns
    """The columns of the panel."""
    families: tuple[tuple[Family, tuple[Estimand, ...]], ...]
    """The families, each with its chosen estimates."""
    estimates: Estimates
    """The estimates of the original, in the order of the families."""
    references: Array
    """Deviations (10, e) of near-record releases in standard errors; NaN where there are none."""
    publishable: Mask
    """The estimates (e,) of at least 30 records whose totals disclose no contribution."""
    left_out: int
    """Number of further estimates that are not measured."""
    rows: Rows
    """The original records that are measured."""
    total: int
    """Number of original records."""

    @property
    def estimands(self) -> list[Estimand]:
        """The chosen estimates."""
        return [estimand for _, chosen in self.families for estimand in chosen]

    def measure(self, file: PanelFile) -> Estimates:
        """The estimates of a file."""
        return measured(self.families, file)


def measured(families: Sequence[tuple[Family, Sequence[Estimand]]], file: PanelFile) -> Estimates:
    """The chosen estimates of families, of one file."""
    parts = [family.measure(file, chosen) for family, chosen in families if chosen]
    values = np.concatenate([np.empty(0), *(part.values for part in parts)])
    errors = np.concatenate([np.empty(0), *(part.errors for part in parts)])
    return Estimates(values, errors)


def families_of(columns: PanelColumns, records: int) -> list[Family]:
    """All families of a file of so many records."""
    return [
        GroupMeans(columns),
        GroupShares(columns),
        GroupQuantiles(columns),
        Regressions.linear(columns, records),
        Regressions.curves(columns, records),
        Logits(columns, records),
        AmongConfidential(columns, records),
        Tables(columns, records),
        ObservedCells(columns, records),
    ]


def original_panel(
    original: Frame, request: PanelRequest, units: Codes | None, strata: Codes, stream: RStream
) -> OriginalPanel:
    """The panel of an original. units, strata : (n,) of all records; units from 0, None for records of their own.

    Draws: a sample of a long file, then the near-record releases. Estimates that the original does not determine are left out.
    """
    rows = systematic_sample(strata, units, stream, MAX_RECORDS)
    columns = panel_columns(
        original,
        request.predictors,
        request.unmodified,
        request.numbers,
        request.categories,
        weight=request.weight,
    )
    design = request.design("original", original, rows)
    file = panel_file(original, columns, rows, None if units is None else units[rows], design)
    families = families_of(columns, file.n)
    listed = [family.estimands() for family in families]
    chosen = selected(listed)
    all_estimates = measured([*zip(families, chosen, strict=True)], file)
    determined = np.isfinite(all_estimates.values) & np.isfinite(all_estimates.errors) & (all_estimates.errors > 0)

    kept = list[tuple[Family, tuple[Estimand, ...]]]()
    start = 0
    for family, estimands in zip(families, chosen, strict=True):
        known = determined[start : start + len(estimands)]
        kept.append((family, tuple(e for e, is_known in zip(estimands, known, strict=True) if is_known)))
        start += len(estimands)
    estimates = Estimates(all_estimates.values[determined], all_estimates.errors[determined])
    estimands = [estimand for _, part in kept for estimand in part]
    sampled = SampledOriginal(file=file, rows=rows, strata=strata[rows])
    return OriginalPanel(
        columns=columns,
        families=tuple(kept),
        estimates=estimates,
        references=_references(original, request, kept, sampled, stream),
        publishable=_publishable(columns, estimands, estimates, file),
        left_out=sum(map(len, listed)) - sum(map(len, chosen)),
        rows=rows,
        total=original.records,
    )


@dataclass(frozen=True, kw_only=True)
class SampledOriginal:
    """The original records that are measured."""

    file: PanelFile
    """Their values (n records)."""
    rows: Rows
    """Their places in the original (n,)."""
    strata: Codes
    """The stratum of each (n,)."""


def _references(
    original: Frame,
    request: PanelRequest,
    families: Sequence[tuple[Family, Sequence[Estimand]]],
    measured_records: SampledOriginal,
    stream: RStream,
) -> Array:
    """Deviations (10, e) of near-record releases of at most 5,000 records, in standard errors of these records.

    Each record has the confidential values of another unit's record among the five nearest in the predictors and the same stratum. NaN
    for classes of fewer than 30 of the records, for estimates without an error, and where all records are of one unit.
    """
    file = measured_records.file
    sample = systematic_sample(measured_records.strata, file.clusters, stream, SAMPLE)
    strata = measured_records.strata[sample]
    part = file.taken(sample)
    X, terms = predictors(original, request.predictors, measured_records.rows[sample])
    units = np.arange(part.n) if part.clusters is None else part.clusters
    places = np.arange(part.n, dtype=float)[:, None]
    draws = []
    for stratum in np.unique(strata):
        members = np.flatnonzero(strata == stratum)
        draws.append((members, near_records(X[members], places[members], terms, units[members])))

    base = measured(families, part)
    estimands = [estimand for _, chosen in families for estimand in chosen]
    deviations = np.full((REFERENCES, len(estimands)), np.nan)
    few = np.array([estimand.records * part.n / max(file.n, 1) < MIN_RECORDS for estimand in estimands], dtype=bool)
    # In these records an estimate may have no error, such as the mean of equal values.
    unknown = few | ~(base.errors > 0)
    errors = np.where(unknown, np.nan, base.errors)
    for k in range(REFERENCES):
        donors = np.empty(part.n)
        for members, draw in draws:
            donors[members] = draw(stream)[:, 0]
        if np.isnan(donors).any():
            break
        release = part.with_confidential_of(donors.astype(np.intp), own_classes=bool(request.unmodified))
        release = replace(release, design=None, only_values=True)
        deviations[k] = (measured(families, release).values - base.values) / errors
    return deviations


def _publishable(columns: PanelColumns, estimands: Sequence[Estimand], estimates: Estimates, file: PanelFile) -> Mask:
    """The estimates (e,) of at least 30 records, whose totals break no rule of tables of magnitudes."""
    sizes = np.abs(np.nan_to_num(file.Y))
    of_file = Contributions.of(sizes)
    of_group = {"": of_file}
    for cell in columns.cells:
        members = file.classes[:, cell.column] == cell.code
        of_group[cell.label] = Contributions.of(sizes[members])
    result = np.empty(len(estimands), dtype=bool)
    for k, estimand in enumerate(estimands):
        contributions = of_group[estimand.group]
        records = contributions.records
        if estimand.family in OF_SHARES:
            records *= min(estimates.values[k], 1 - estimates.values[k])
        is_safe = not any(contributions.violated_rules(j) for j in estimand.columns)
        result[k] = records >= MIN_RECORDS and is_safe
    return result

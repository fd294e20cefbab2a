"""The utility panel of a release whose roles are known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ....data import Frame, Roles, is_numeric
from ....data.roles import plain_roles
from ....data.strata import strata_codes
from ....data.units import unit_codes
from ....rstream import RStream
from ....types import Array, Codes, Rows
from ...systematic_sample import systematic_sample
from ...verdict.examined_release import ExaminedRelease
from .estimand import Estimand, Estimates
from .original_panel import MAX_RECORDS, OriginalPanel, PanelRequest, original_panel
from .panel_file import panel_file
from .relations import relation_estimands, relation_shares
from .utility import Utility
from .utility_estimate import UtilityEstimate

SEED = 1  # of the sample and the near-record releases, so that every interface prints the same numbers
FEWEST = 30  # records of a file below which no estimate is made


def measured_utility(release: ExaminedRelease) -> Utility | None:
    """The panel of a release; None where the roles are not known, or no confidential column keeps its form."""
    request = _request(release)
    if request is None:
        return None
    # Squares of numbers beyond 1e154 are no floats: such estimates are not determined.
    with np.errstate(over="ignore", invalid="ignore"):
        return _of_request(release, request)


def _of_request(release: ExaminedRelease, request: PanelRequest) -> Utility | None:
    """The panel of these columns; None where the original determines no estimate."""
    panel = release.references.panel_of(request.key, lambda: _original_panel(release, request))
    rows = _released_rows(release, panel)
    clusters = _clusters(release, release.protected)
    design = request.design("protected", release.protected, rows)
    file = panel_file(release.protected, panel.columns, rows, None if clusters is None else clusters[rows], design)
    released = panel.measure(file)
    estimates = [
        _estimate(estimand, panel.estimates, released, k, reference=_rms(panel.references[:, k]), publishable=is_safe)
        for k, (estimand, is_safe) in enumerate(zip(panel.estimands, panel.publishable.tolist(), strict=True))
    ]
    rules = release.edit_rules
    if rules:
        estimands = relation_estimands(rules, release.original)
        of_original = relation_shares(rules, release.original, release.original)
        of_release = relation_shares(rules, release.original, release.protected)
        estimates += [
            _estimate(estimand, of_original, of_release, k, reference=np.nan, publishable=False)
            for k, estimand in enumerate(estimands)
        ]
    if not estimates:
        return None
    none = np.full((len(panel.references), len(rules)), np.nan)
    return Utility(
        estimates=tuple(estimates),
        left_out=panel.left_out,
        records=len(panel.rows),
        total=panel.total,
        references=np.hstack([panel.references, none]),
    )


def mean_utility(copies: Sequence[Utility | None]) -> Utility | None:
    """The panel of the mean estimates of copies; None where one of them has none."""
    known = [utility for utility in copies if utility is not None]
    if not known or len(known) < len(copies):
        return None
    first = known[0]
    estimates = []
    for of_copies in zip(*(utility.estimates for utility in known), strict=True):
        released = float(np.mean([estimate.released for estimate in of_copies]))
        released_se = float(np.mean([estimate.released_se for estimate in of_copies]))
        estimates.append(replace(of_copies[0], released=released, released_se=released_se))
    return replace(first, estimates=tuple(estimates))


def _request(release: ExaminedRelease) -> PanelRequest | None:
    """The columns of the panel; None where there is none."""
    roles = release.roles
    original = release.original
    protected = release.protected
    if roles is None or release.coarsened == release.confidential:
        return None
    if min(original.records, protected.records) < FEWEST:
        return None
    common = [
        name
        for name in original.names
        if name in protected.names
        and "other" not in (original.kind(name), protected.kind(name))
        and is_numeric(original, name) == is_numeric(protected, name)
    ]
    weight = release.weight if release.weight in common and release.released_weights is not None else None
    no_classes = {*roles.dependent, *roles.identifiers, *roles.ids, *roles.replicate_weights, release.weight}
    no_classes |= {*roles.design_columns} - {*roles.independent}
    return PanelRequest(
        predictors=tuple(name for name in release.predictors if name in common and name not in roles.ids),
        unmodified=tuple(name for name in common if name not in no_classes),
        numbers=tuple(name for name in release.compared_numbers if name in common),
        categories=tuple(name for name in release.categories if name in common),
        weight=weight,
        sampling=_sampling(roles, weight, common),
    )


def _sampling(roles: Roles, weight: str | None, common: Sequence[str]) -> Roles | None:
    """The roles whose sampling design gives standard errors, with this weight; None where a column of it is not in both files."""
    if not roles.has_sampling_design:
        return None
    columns = [*roles.design_columns]
    if roles.replicate_type is not None:
        columns += roles.replicate_weights
    is_whole = set(columns) <= set(common) and (weight is not None or roles.weight is None)
    return replace(plain_roles(roles), weight=weight) if is_whole else None


def _original_panel(release: ExaminedRelease, request: PanelRequest) -> OriginalPanel:
    """The panel of the original."""
    strata = strata_codes("evaluate, original", release.original, tuple(release.request.options.strata or ()), "drop")
    clusters = _clusters(release, release.original)
    return original_panel(release.original, request, clusters, strata, RStream(SEED))


def _clusters(release: ExaminedRelease, frame: Frame) -> Codes | None:
    """The household or unit (n,) of each record of a frame, from 0; None without."""
    if release.roles is None:
        return None
    return unit_codes(frame, release.roles, np.arange(frame.records), whole_households=True)


def _released_rows(release: ExaminedRelease, panel: OriginalPanel) -> Rows:
    """The released records that are measured: of a long file those of the originals that are, where records pair."""
    records = release.protected.records
    if len(panel.rows) == panel.total and records <= MAX_RECORDS:
        return np.arange(records)
    if release.rows is not None:
        old, new = release.rows
        return np.asarray(new[np.isin(old, panel.rows)])
    return systematic_sample(np.zeros(records, dtype=np.int64), None, RStream(SEED), MAX_RECORDS)


def _estimate(
    estimand: Estimand, original: Estimates, released: Estimates, k: int, *, reference: float, publishable: bool
) -> UtilityEstimate:
    """The k-th estimate of both files."""
    return UtilityEstimate(
        family=estimand.family,
        estimate=estimand.estimate,
        group=estimand.group,
        records=estimand.records,
        variables=estimand.variables,
        kind=estimand.kind,
        by=estimand.by,
        original=float(original.values[k]),
        se=float(original.errors[k]),
        released=float(released.values[k]),
        released_se=float(released.errors[k]),
        reference=reference,
        publishable=publishable,
    )


def _rms(deviations: Array) -> float:
    """Root mean square of deviations (10,); NaN of none."""
    known = deviations[np.isfinite(deviations)]
    return float(np.sqrt(np.mean(known**2))) if len(known) else np.nan

"""The tests `audit` and `dependence`: attacks that compare members with other records, and own records with others."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial

import numpy as np

from ...data.strata import Strata
from ...data.units import unit_codes
from ...numerics.chance import FALSE_ALARMS
from ...plans.limits import LIMITS
from ...rstream import RStream
from ..auditing.audit_result import Audit
from ..auditing.dependence import dependence, with_levels
from ..auditing.replicated import discrete_columns
from ..columns import MANY_LEVELS, many_level_codes
from ..encoded_files import plain_cells
from ..systematic_sample import POWER
from .examined_release import ExaminedRelease
from .outcomes import NO_METHOD, NO_ROLES, Measured, NotApplicable, NotExamined, Outcome, Remedy
from .remedies import coarser_keys, replacing_method

AS_MADE = "release exactly what the method makes"
DEPENDENCE_SEED = 1  # so that every interface prints the same p-value


def audit(release: ExaminedRelease) -> Outcome:
    """Alarms of an audit of this file, roles and method."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if release.method is None:
        return NotExamined(NO_METHOD)
    request = release.request
    if request.not_as_made is not None:  # of an audit without alarms
        return replace(request.not_as_made, remedies=[Remedy(AS_MADE)])
    outcome = alarms_of(request.audit)
    if isinstance(outcome, Measured):
        return replace(outcome, remedies=partial(replacing_method, release, release.confidential))
    return outcome


def replicated(release: ExaminedRelease) -> Outcome:
    """Members that are unique, and unique with the same values in the release, beyond non-members, by the audit's splits."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if not discrete_columns(plain_cells(release.original), release.confidential):
        return NotApplicable("no confidential column is a category, codes, a count or a date")
    outcome = audit(release)
    if isinstance(outcome, NotExamined):
        return outcome
    outcome = replicated_in(release.request.audit)
    if not isinstance(outcome, Measured):
        return outcome
    return replace(outcome, remedies=lambda: _coarser_columns(release))


def _coarser_columns(release: ExaminedRelease) -> tuple[Remedy, ...]:
    """The replicated columns to coarsen, until at most as many records are unique on them as may be replicated."""
    found = release.request.audit.replicated if isinstance(release.request.audit, Audit) else None
    if found is None:
        return ()
    [limit] = release.request.limits.get("replicated", LIMITS["replicated"].values)
    return coarser_keys(release, found.columns, limit)


def replicated_in(audit: Audit | NotExamined) -> Outcome:
    """The members that an audit found replicated beyond non-members, or the reason why there is no such audit."""
    if isinstance(audit, NotExamined):
        return audit
    found = audit.replicated
    if found is None:
        return NotExamined("the audit has no combination of such columns")
    reason = (
        f"{found.members:.1f} % of members and {found.others:.1f} % of others are unique on {', '.join(found.columns)}, and unique "
        f"with the same values in the release, p {found.p_value:.2g}"
    )
    # A difference that chance explains does not count, however large.
    points = max(found.points, 0.0) if found.p_value <= FALSE_ALARMS["replicated"] else 0.0
    return Measured((points,), reason)


def alarms_of(audit: Audit | NotExamined) -> Outcome:
    """The alarms of an audit that belongs to the release, or the reason why there is none."""
    if isinstance(audit, NotExamined):
        return audit
    if audit.records < POWER:
        return NotExamined(f"an audit of fewer than {POWER} complete records has no power")
    reason = str(audit.alarms[0]) if audit.alarms else "no attack succeeds better on members than on other records"
    return Measured((len(audit.alarms),), reason)


OF_AUDIT: Mapping[str, Callable[[Audit | NotExamined], Outcome]] = {"audit": alarms_of, "replicated": replicated_in}
"""The tests that an audit decides, each with its outcome from the audit alone."""


def own_record(release: ExaminedRelease) -> Outcome:
    """Dependence of released rows on their own originals, beyond the predictors."""
    sample = release.sample
    assert sample is not None
    assert release.roles is not None
    if len(sample.Z) < POWER:
        return NotExamined(f"fewer than {POWER} records have no power")
    names = (*release.compared_numbers, *release.categories)
    replaced = [j for j, name in enumerate(names) if release.masks_of(name) == "values"]
    if not replaced:
        return NotApplicable("by design: the method uses the record's own values")
    records = sample.records
    Y = np.hstack([records.Y, records.C])[:, replaced]
    Z = np.hstack([sample.Z, sample.D])[:, replaced]
    attributes = [names[j] for j in replaced]
    columns, Y, Z = with_levels(attributes, release.categories, Y, Z)
    if not columns:
        return NotExamined(f"no confidential variable is a number, or a category of 1 to {MANY_LEVELS} levels")
    result = dependence(
        records.unmodified,
        Y,
        Z,
        columns,
        RStream(DEPENDENCE_SEED),
        codes=many_level_codes(release.protected, release.predictors, sample.rows),
        stratum=Strata((), records.groups).codes,
        unit=unit_codes(release.protected, release.roles, sample.rows),  # from 0 within the sample
        sampling_unit=records.sampling_unit,
    )
    return Measured(
        (result.p_value,),
        result.describe(),
        lambda: [*replacing_method(release, attributes), Remedy(AS_MADE)],
    )

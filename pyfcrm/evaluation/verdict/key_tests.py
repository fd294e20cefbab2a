"""The tests `sample_uniques` and `key_risk`: records that the key variables can identify."""

from functools import partial

from ...data.replicate_weights import WithReplicates
from ...errors import Count
from ...plans.limits import LIMITS
from ..risk.key_variables import risk_by_keys
from .examined_release import ExaminedRelease
from .outcomes import NO_PAIRS, NO_ROLES, Measured, NotApplicable, NotExamined, Outcome
from .remedies import coarser_keys

HIGH_RISK = 0.1  # individual risk that counts as high


def sample_uniques(release: ExaminedRelease) -> Outcome:
    """Records that are unique on the columns released unchanged."""
    unmodified = release.unmodified
    if unmodified is None:
        return NotExamined(NO_ROLES if release.roles is None else NO_PAIRS)
    if not unmodified.columns or not unmodified.records:
        return Measured((0.0,), "no key variable is released")
    if release.weight is None:
        count = unmodified.together
        names = unmodified.columns
        columns = ", ".join(unmodified.columns[:6]) + " ..." * (len(unmodified.columns) > 6)
    else:
        # With a weight the test key_risk judges the key variables together.
        worst, count = max(unmodified.alone.items(), key=lambda item: item[1])
        names = (worst,)
        columns = f"a single key variable at most ({worst})"
    reason = f"{count:,} of {unmodified.records:,} {unmodified.what} {Count(count):is|are} unique on {columns}"
    share = 100 * count / unmodified.records
    limit = release.request.limits.get("sample_uniques", LIMITS["sample_uniques"].values)[0]
    return Measured((share,), reason, partial(coarser_keys, release, names, limit))


def key_risks(release: ExaminedRelease) -> Outcome:
    """Individual risk by sample and population frequencies of the key variables, where a weight is given."""
    unmodified = release.unmodified
    if release.weight is None:
        return NotApplicable()
    if unmodified is None:
        return NotExamined(NO_PAIRS)
    if release.weight not in release.protected.names:
        return NotExamined(f"the weight `{release.weight}` is not in the release")
    if not unmodified.columns:
        return Measured((0.0, 0.0), "no key variable is released")
    frame = WithReplicates(release.protected, release.replicate_weights)
    keys = [name for name in unmodified.columns if name in frame.names]
    household = (
        release.roles.household if release.roles and release.roles.household in release.protected.names else None
    )
    risk = risk_by_keys(frame, tuple(keys), release.weight, household).household
    high = int((risk > HIGH_RISK).sum())
    reason = f"{high:,} records have an individual risk above {HIGH_RISK:g}; {risk.sum():.1f} re-identifications are expected"
    found = (100 * high / len(risk), 100 * float(risk.mean()))
    return Measured(found, reason, partial(coarser_keys, release, keys, 0.0))

"""The tests `sample_uniques` and `key_risk`: records that the key variables can identify."""

from collections.abc import Sequence
from functools import partial

import numpy as np

from ...data import Frame, is_numeric
from ...data.pairs import key_codes
from ...data.replicate_weights import WithReplicates
from ...data.strata import Strata, strata_codes
from ...errors import Count
from ...measures.individual_risk import household_risk
from ...measures.population_uniques import by_fifths, risk_of_uniques
from ...plans.limits import LIMITS
from ...types import Array, Codes, Rows
from ..risk.key_variables import risks_by_frequencies
from ..risk.split_identifier import split_identifier
from .examined_release import ExaminedRelease
from .outcomes import NO_ROLES, Measured, NotApplicable, NotExamined, Outcome
from .remedies import coarser_keys, dropped

HIGH_RISK = 0.1  # individual risk that counts as high
SHOWN = 6  # names of columns in a reason


def sample_uniques(release: ExaminedRelease) -> Outcome:
    """Records that are unique on the columns released unchanged."""
    unmodified = release.unmodified
    if unmodified is None:
        return NotExamined(NO_ROLES if release.roles is None else release.no_pairs)
    if not unmodified.columns or not unmodified.records:
        return Measured((0.0,), "no key variable is released")
    counted = (
        f"{unmodified.together:,} of {unmodified.records:,} {unmodified.what} {Count(unmodified.together):is|are} unique on "
        f"{_first(unmodified.columns)}"
    )
    split = split_identifier(release.protected, unmodified)
    if split is not None:
        named = _listed(split.parts)
        whole = split.unique == split.records
        own = "each record has" if whole else f"{split.unique:,} of {split.records:,} records have"
        reason = f"{named} together are an identifier: {own} its own values; {counted}"
        return Measured((split.share,), reason, (dropped(f"drop {named}", *split.parts),))
    limit = release.request.limits.get("sample_uniques", LIMITS["sample_uniques"].values)[0]
    if release.weight is None:
        return Measured((unmodified.share,), counted, partial(coarser_keys, release, unmodified.columns, limit))
    # With a weight the test key_risk judges the key variables together.
    worst, count = max(unmodified.alone.items(), key=lambda item: item[1])
    of_worst = f" (`{worst}`)" if count else ""
    units = "" if unmodified.what == "records" else f" {unmodified.what}"
    reason = f"{count:,}{units} unique on one key variable alone{of_worst}; {counted}, which `key_risk` judges"
    share = 100 * count / unmodified.records
    return Measured((share,), reason, partial(coarser_keys, release, (worst,), limit))


def _first(names: tuple[str, ...]) -> str:
    """Names of columns, of many the first."""
    text = ", ".join(names[:SHOWN])
    return f"{text} ..." if len(names) > SHOWN else text


def _listed(names: Sequence[str]) -> str:
    """Names of columns as "`a`, `b` and `c`"."""
    *first, last = (f"`{name}`" for name in names)
    return f"{', '.join(first)} and {last}"


def key_risks(release: ExaminedRelease) -> Outcome:
    """Individual risk by frequencies of the key variables in sample and population, where a weight is given.

    A record's risk is the larger of what the weights of its group say, and of what a model of population uniques says.
    """
    unmodified = release.unmodified
    if release.weight is None:
        return NotApplicable()
    if unmodified is None:
        return NotExamined(release.no_pairs)
    if release.released_weights is None:
        return NotExamined(f"the weight `{release.weight}` is not in the release")
    if not unmodified.columns:
        return Measured((0.0, 0.0), "no key variable is released")
    frame = WithReplicates(release.protected, release.replicate_weights)
    keys = [name for name in unmodified.columns if name in frame.names]
    K, _ = key_codes("evaluate", frame, frame, keys)
    by_weights = risks_by_frequencies(K, release.released_weights).individual
    by_model = _risk_by_model(release, frame, keys)
    risk = np.maximum(by_weights, by_model)
    if release.roles and release.roles.household in release.protected.names:
        risk = household_risk(risk, frame.codes(release.roles.household))
    high = int((risk > HIGH_RISK).sum())
    reason = (
        f"{high:,} records have an individual risk above {HIGH_RISK:g}; {risk.sum():.1f} re-identifications are expected, "
        f"{by_model.sum():.1f} by the model of population uniques; unique on the keys: {unmodified.together:,} of "
        f"{unmodified.records:,} {unmodified.what}"
    )
    found = (100 * high / len(risk), 100 * float(risk.mean()))
    return Measured(found, reason, partial(coarser_keys, release, keys, 0.0))


def _risk_by_model(release: ExaminedRelease, frame: Frame, keys: list[str]) -> Array:
    """The risk (n,) of sample uniques on the key variables, by a model of their frequencies in the population."""
    assert release.weight is not None
    if not keys:  # only which cells are missing is released unchanged
        return np.zeros(frame.records)
    codes = list[Codes]()
    smoothed = list[Codes]()  # numbers by their fifths, so that a model of single values has enough records
    protected = release.protected
    for name in keys:
        if name not in protected.names:  # the replicate weights, as one key variable
            codes.append(frame.distinct(name)[0])
            smoothed.append(codes[-1])
            continue
        codes.append(frame.codes(name))
        # The values of the release, in which dates in text are numbers.
        smoothed.append(by_fifths(protected.values(name)) if is_numeric(protected, name) else codes[-1])
    return risk_of_uniques(codes, frame.values(release.weight), _strata_of(release), smoothed)


def _strata_of(release: ExaminedRelease) -> tuple[Rows, ...]:
    """The rows of the release in each stratum; all in one where the strata are not released."""
    strata = tuple(release.request.options.strata or ())
    protected = release.protected
    if not strata or not {*strata} <= {*protected.names}:
        return (np.arange(protected.records),)
    return Strata.of(strata, strata_codes("evaluate, protected", protected, strata, "drop")).rows

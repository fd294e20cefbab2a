"""The tests `risk` and `linkage`: what the release discloses of its own records, beyond its baseline."""

from functools import partial

import numpy as np

from ...errors import Count
from ...linkage.informed import Attack
from ...numerics.chance import beyond_chance
from ..risk.categorical_disclosure import Disclosed, Links, disclosed, links
from .examined_release import ExaminedRelease
from .group_disclosure import determined_by_others, disclosed_by_groups
from .outcomes import NO_ROLES, Measured, NotExamined, Outcome, Remedy
from .remedies import dropped, listed, replacing_method
from .unpaired_risk import unpaired_risk

PERTURB_MORE = "perturb more"
NO_CELLS = "no stratum has comparable cells"
NO_COMPLETE_RECORD = (
    "an intruder who knows the method compares complete records, of which a stratum has none: judge fewer columns"
)


def disclosure(release: ExaminedRelease) -> Outcome:
    """Disclosure of confidential values: attributable risk, groups of one value, and other columns that determine one."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    parts = list[Measured]()
    if release.masks & {"values", "perturb"}:
        outcome = attributable(release)
        if not isinstance(outcome, Measured):
            return outcome
        parts.append(outcome)
    if release.masks == {"values"} and not release.predictors:  # a whole synthetic file
        outcome = unpaired_risk(release)
        if not isinstance(outcome, Measured):
            return outcome
        parts.append(outcome)
    parts += [*_of_groups(release), *_of_others(release)]
    if not parts:
        return Measured((0.0,), "no key variable is released with a confidential column")
    worst = max(parts, key=lambda part: part.values)
    reasons = [part.reason for part in (worst, *parts) if part.reason]  # the worst first
    each_once = dict.fromkeys(reasons)
    return Measured(worst.values, "; ".join(each_once), worst.remedies)


def disclosure_of_new_file(release: ExaminedRelease) -> Outcome:
    """Disclosure of confidential values by records that pair with no original ones."""
    return unpaired_risk(release) if release.masks & {"values", "perturb"} else disclosure(release)


def _of_groups(release: ExaminedRelease) -> list[Measured]:
    """Groups of equal keys whose records all have one value of a column, the column that they disclose most; see group_disclosure."""
    found = disclosed_by_groups(release)
    if found is None:
        return []
    is_replaced = found.column in release.confidential and found.column not in release.coarsened
    if is_replaced:  # only classes of one key count
        if not found.classes:
            return []
        reason = (
            f"classes of `{found.class_key}` have one value of `{found.column}`: {found.classes:.1f} % of the records"
        )
        return [Measured((found.classes,), reason, (Remedy(f"join classes of `{found.class_key}`"),))]
    reason = (
        f"groups of equal keys have one value of `{found.column}`: {found.groups:.1f} % of the records, {found.expected:.1f} % "
        f"expected key by key; l = {found.least_values}, t = {found.distance:.2f}"
    )
    if found.classes:
        reason += f"; all in a class of `{found.class_key}` have one: {found.classes:.1f} %"
    fewer = Remedy("recode the key variables to fewer groups")
    return [Measured((found.beyond,), reason, lambda: [*replacing_method(release, [found.column]), fewer])]


def _of_others(release: ExaminedRelease) -> list[Measured]:
    """Columns that no intruder is assumed to know, or without a role, and that determine a confidential column."""
    found = determined_by_others(release)
    if found is None or not found.beyond:
        return []
    assert release.roles is not None
    by = listed(found.by)
    number = Count(len(found.by))
    remedies = [dropped(f"drop {by}", *found.by)]
    role = "in `unknown`"
    if not {*found.by} <= {*release.roles.unknown}:
        role = "without a role"
        remedies.append(Remedy(f"name {by} among the predictors if an intruder knows {number:it|them} anyway"))
    reason = (
        f"{by} {role} {number:determines|determine} `{found.column}`: {100 * found.explained:.1f} % of it explained, "
        f"{100 * found.by_predictors:.1f} % by the predictors"
    )
    return [Measured((found.beyond,), reason, remedies)]


def attributable(release: ExaminedRelease) -> Outcome:
    """Disclosure risk above that of releases without the record's own values: the larger of numbers and categories."""
    excess = 0.0
    reasons = list[str]()
    disclosing = release.compared_numbers
    if release.compared_numbers:
        risk = release.risk
        if risk is None:
            return NotExamined(NO_CELLS)
        # The risk by an intruder who knows the method, where the method states attacks.
        measure = "dr_informed" if "linkage_informed" in risk.values else "dr"
        excess = max(excess, risk.of(measure))
        reasons.append("attributable disclosure risk, percentage points")
    if release.categories:
        worst = _disclosed_category(release)
        if worst.beyond > excess:
            excess = worst.beyond
            disclosing = (worst.column,)
        reasons.append(
            f"the key variables disclose `{worst.column}` of {worst.value:.1f} % of the records, {worst.inference:.1f} % "
            "without their values"
        )
    return Measured((excess,), "; ".join(reasons), partial(replacing_method, release, disclosing))


def _disclosed_category(release: ExaminedRelease) -> Disclosed:
    """The categorical variable that the released key variables disclose most."""
    unmodified = release.unmodified
    sample = release.sample
    assert unmodified is not None
    assert sample is not None
    keys = [name for name in unmodified.columns if name in release.protected.names and name not in release.categories]
    none = np.zeros(len(sample.rows), dtype=np.int64)  # without keys all records agree
    codes = [release.protected.codes(name)[sample.rows] for name in keys]
    return disclosed(sample, release.categories, np.column_stack([none, *codes]))


def linkage(release: ExaminedRelease) -> Outcome:
    """Links by an intruder who knows the method: the attack on numbers or on categories that exceeds its baseline most."""
    attacks = list[Links]()
    perturbed = [name for name in release.compared if release.masks_of(name) == "perturb"]
    if {*perturbed} & {*release.numbers}:
        risk = release.risk
        if risk is None:
            return NotExamined(NO_CELLS)
        if "linkage_informed" not in risk.values:
            return NotExamined(NO_COMPLETE_RECORD)
        attacks.append(
            Links(
                linked=risk.values["linkage_informed"],
                baseline=risk.inference["linkage_informed"],
                certain=risk.values["certain"] * risk.records / 100,
                certain_by_chance=risk.inference["certain"] * risk.records / 100,
            )
        )
        attacks.append(_links_by_ranks(release))
    places = [j for j, name in enumerate(release.categories) if name in perturbed]
    if places:
        assert release.sample is not None
        attacks.append(links(release.sample, places))
    best = max(attacks, key=lambda attack: attack.linked - attack.baseline)
    reason = (
        f"{best.intruder} links {best.linked:.1f} % of the records, "
        f"{best.baseline:.1f} % without their values; {best.certain:,.0f} links are certain"
    )
    certain = max(beyond_chance(attack.certain, attack.certain_by_chance) for attack in attacks)
    found = (max(best.linked - best.baseline, 0.0), certain)
    return Measured(found, reason, lambda: [*replacing_method(release, perturbed), Remedy(PERTURB_MORE)])


def _links_by_ranks(release: ExaminedRelease) -> Links:
    """Links by probabilistic linkage of all compared numbers, as in `prl_numeric`; without the records' values as by predictors."""
    from ...linkage.numeric import numeric_linkage

    sample = release.sample
    assert sample is not None
    records = sample.records
    complete = ~np.isnan(records.Y).any(axis=1)
    by_predictors = Attack().baseline(records.X[complete], records.Y[complete])
    return Links(
        linked=100 * float(numeric_linkage(records.Y, sample.Z).shares().mean()),
        baseline=max(100 / len(records.Y), by_predictors),
        certain=0.0,
        certain_by_chance=0.0,
        intruder="probabilistic linkage by differences in ranks",
    )

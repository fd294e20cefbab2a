"""The tests `risk` and `linkage`: what the release discloses of its own records, beyond its baseline."""

from functools import partial

import numpy as np

from ..risk.categorical_disclosure import Disclosed, Links, disclosed, links
from .chance import beyond_chance
from .examined_release import ExaminedRelease
from .outcomes import Measured, NotExamined, Outcome, Remedy
from .remedies import replacing_method

PERTURB_MORE = "perturb more"
NO_CELLS = "no stratum has comparable cells"


def attributable(release: ExaminedRelease) -> Outcome:
    """Disclosure risk above that of releases without the record's own values: the larger of numbers and categories."""
    excess = 0.0
    reasons = list[str]()
    disclosing = release.compared_numbers
    if release.compared_numbers:
        risk = release.risk
        if risk is None:
            return NotExamined(NO_CELLS)
        excess = max(excess, risk.of("dr_informed" if "linkage_informed" in risk.values else "dr"))
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
    unmodified, sample = release.unmodified, release.sample
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
        attacks.append(
            Links(
                linked=risk.values["linkage_informed"],
                baseline=risk.inference["linkage_informed"],
                certain=risk.values["certain"] * risk.records / 100,
                certain_by_chance=risk.inference["certain"] * risk.records / 100,
            )
        )
    places = [j for j, name in enumerate(release.categories) if name in perturbed]
    if places:
        assert release.sample is not None
        attacks.append(links(release.sample, places))
    best = max(attacks, key=lambda attack: attack.linked - attack.baseline)
    reason = (
        f"an intruder who knows the method links {best.linked:.1f} % of the records, "
        f"{best.baseline:.1f} % without their values; {best.certain:,.0f} links are certain"
    )
    certain = max(beyond_chance(attack.certain, attack.certain_by_chance) for attack in attacks)
    found = (max(best.linked - best.baseline, 0.0), certain)
    return Measured(found, reason, lambda: [*replacing_method(release, perturbed), Remedy(PERTURB_MORE)])

"""The tests of a verdict: when each applies, what is counted, and how chance is taken off."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import chain
from math import floor, log10

import numpy as np
from scipy.special import pdtr, pdtrik

from ...constraints import Constraint, parsed
from ...constraints.describe import violations
from ...data import Frame, is_numeric
from ...data.blocks import Records
from ...data.preserved_totals import PreservedTotals, UnsafeTotal
from ...data.strata import Strata
from ...errors import Count
from ...methods.facts import NOT_EXAMINED
from ...plans.limits import EPSILON, Limits
from ...rstream import RStream
from ..auditing.audit_result import Audit
from ..auditing.dependence import dependence, with_levels
from ..auditing.digest import audit_digest
from ..columns import MANY_LEVELS, unit_codes
from ..risk.categorical_disclosure import Disclosed, Links, disclosed, kept_cells, links
from ..risk.key_variables import risk_by_keys
from ..risk.reference_releases import CHANCE_DRAWS, UNCHANGED, count_unchanged, spread
from ..systematic_sample import POWER
from .decision import Test, test_of
from .examined_release import ExaminedRelease
from .outcomes import Decided, Measured, NotApplicable, NotExamined, Outcome

NO_ROLES = "the roles are not known: give roles="
NO_METHOD = "the method is not known: give method="
NO_ATTACKS = "whether an intruder who knows the method links more records has not been examined"
NO_SEED = "whether the seed undoes this method has not been examined"
NO_CELLS = "no stratum has comparable cells"
POOLED = "levels of text are pooled where their totals are unsafe: make a 0/1 predictor text"
NO_PAIRS = "released records do not pair with original records"
HIGH_RISK = 0.1  # individual risk that counts as high
DEPENDENCE_SEED = 1  # so that every interface prints the same p-value
SLACK = 1.1  # of the number expected by chance, for the error of the references
CHANCE = 0.99  # quantile of a Poisson distribution that a count must not exceed


def unprotected(release: ExaminedRelease) -> Outcome:
    """Records and cells that the release leaves unchanged, beyond chance."""
    sample = release.sample
    assert sample is not None
    names = (*release.compared_numbers, *release.categories)
    numbers = ((y, z, UNCHANGED * spread(y)[0]) for y, z in release.numeric_pairs(release.compared_numbers))
    codes = ((before, after, 0.0) for before, after in zip(*(A.T for A in release.codes), strict=True))
    count, *shares = count_unchanged(chain(numbers, codes), release.units)
    # By chance: the kind of reference releases that leaves more unchanged, in each column.
    of_sample, *chance = sample.references.expected.max(axis=0)
    scale = sample.total / len(sample.Z)
    expected = scale * max(
        of_sample, 1 / CHANCE_DRAWS
    )  # a mean of 0 over the draws does not show that none is expected
    cells = [
        _cells_beyond_chance(release, name, share, by_chance)
        for name, share, by_chance in zip(names, shares, chance, strict=True)
    ]
    worst = int(np.argmax(cells))
    if release.units is None:
        total, what = sample.total, "records"
    else:
        total, what = int(release.units.max()) + 1, "units"
    reason = (
        f"{count:,.0f} of {total:,} {what} keep every confidential value, {expected:.1f} expected by chance; "
        f"of `{names[worst]}` {100 * shares[worst]:.1f} % of the cells are unchanged"
    )
    deniable = all(release.deniable(name) for name in names)
    records = 0.0 if deniable else beyond_chance(count, expected)
    return Measured((records, max(cells[worst], 0.0)), reason)


def _cells_beyond_chance(release: ExaminedRelease, name: str, share: float, chance: float) -> float:
    """The unchanged cells of a variable beyond chance, percentage points; may be below 0."""
    above = 100 * (share - SLACK * chance)
    if name not in release.categories:
        return above
    assert release.sample is not None
    deniable = release.deniable(name)
    kept = kept_cells(share, chance, release.sample.total, deniable=deniable)
    return kept if deniable else max(above, kept)


def beyond_chance(count: float, expected: float) -> float:
    """A count less the 99 % quantile of a Poisson distribution with 1.1 times the expected mean, at least 0."""
    if expected <= 0:
        return count
    mean = SLACK * expected
    quantile = float(np.ceil(pdtrik(CHANCE, mean)))
    quantile -= quantile > 0 and pdtr(quantile - 1, mean) >= CHANCE  # rounding of the inverse
    return max(count - quantile, 0.0)


def _not_comparable(release: ExaminedRelease) -> NotExamined | None:
    """The reason why confidential values cannot be compared record by record; None where they can."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if release.rows is None:
        return NotExamined(NO_PAIRS)
    if not release.compared or len(release.rows[0]) < 2:
        return NotExamined("no confidential variable is released")
    return None


def sample_uniques(release: ExaminedRelease) -> Outcome:
    """Records that are unique on the columns released unchanged."""
    unmodified = release.unmodified
    if unmodified is None:
        return NotExamined(NO_ROLES if release.roles is None else NO_PAIRS)
    if not unmodified.columns or not unmodified.records:
        return Measured((0.0,), "no key variable is released")
    if release.weight is None:
        count = unmodified.together
        columns = ", ".join(unmodified.columns[:6]) + " ..." * (len(unmodified.columns) > 6)
    else:
        # With a weight the test key_risk judges the key variables together.
        worst, count = max(unmodified.alone.items(), key=lambda item: item[1])
        columns = f"a single key variable at most ({worst})"
    reason = f"{count:,} of {unmodified.records:,} {unmodified.what} {Count(count):is|are} unique on {columns}"
    return Measured((100 * count / unmodified.records,), reason)


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
    keys = [name for name in unmodified.columns if name in release.protected.names]
    household = (
        release.roles.household if release.roles and release.roles.household in release.protected.names else None
    )
    risk = risk_by_keys(release.protected, tuple(keys), release.weight, household).household
    high = int((risk > HIGH_RISK).sum())
    reason = f"{high:,} records have an individual risk above {HIGH_RISK:g}; {risk.sum():.1f} re-identifications are expected"
    return Measured((100 * high / len(risk), 100 * float(risk.mean())), reason)


def attributable(release: ExaminedRelease) -> Outcome:
    """Disclosure risk above that of releases without the record's own values: the larger of numbers and categories."""
    excess = [0.0]
    reasons = list[str]()
    if release.compared_numbers:
        risk = release.risk
        if risk is None:
            return NotExamined(NO_CELLS)
        excess.append(risk.of("dr_informed" if "linkage_informed" in risk.values else "dr"))
        reasons.append("attributable disclosure risk, percentage points")
    if release.categories:
        worst = _disclosed_category(release)
        excess.append(worst.beyond)
        reasons.append(
            f"the key variables disclose `{worst.column}` of {worst.value:.1f} % of the records, {worst.inference:.1f} % "
            "without their values"
        )
    return Measured((max(excess),), "; ".join(reasons))


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
    return Measured((max(best.linked - best.baseline, 0.0), certain), reason)


def value_range(release: ExaminedRelease) -> Outcome:
    """Impossible values: broken signs and rules, and values outside the range rounded outward."""
    if not release.numbers and release.categories:
        return NotApplicable()
    if release.rows is None and not release.numbers:
        return NotExamined(NO_PAIRS)
    broken = np.zeros(release.protected.records, dtype=bool)
    worst, column = 0.0, ""
    for name in release.numbers:
        y = release.original.values(name)
        z = release.protected.values(name)
        y = y[np.isfinite(y)]
        if not len(y):
            continue
        smallest, largest = float(y.min()), float(y.max())
        if smallest >= 0:
            broken |= z < 0
        if largest <= 0:
            broken |= z > 0
        low, high = outward(smallest, largest)
        outside = 100 * float(((z < low) | (z > high)).sum()) / max(int((~np.isnan(z)).sum()), 1)
        worst, column = max((worst, column), (outside, name))
    count = int(broken.sum()) + _rules_broken(release)
    reason = f"{count:,} records break a sign or a rule"
    if worst:
        reason += f"; `{column}` leaves its rounded range"
    return Measured((count, worst), reason)


def outward(low: float, high: float) -> tuple[float, float]:
    """A range rounded outward to one significant digit of each end."""
    ends = []
    for value, rounding in ((low, np.floor), (high, np.ceil)):
        unit = 10.0 ** floor(log10(abs(value))) if value else 1.0
        ends.append(float(rounding(round(value / unit, 9)) * unit))
    return ends[0], ends[1]


def _rules_broken(release: ExaminedRelease) -> int:
    """Released records that break a declared or accepted rule, beyond as many as the original has."""
    common = {*release.protected.names} & {*release.original.names}
    count = 0
    for rule in parsed("evaluate", release.request.options.constraints or ()):
        if {*rule.columns} <= common:
            count += max(_violations(rule, release.protected) - _violations(rule, release.original), 0)
    return count


def _violations(rule: Constraint, frame: Frame) -> int:
    """How many records of a frame break a rule."""
    values = {name: frame.values(name) for name in rule.columns}
    return int(violations(rule, values, rule.columns, False)[0])


def totals(release: ExaminedRelease) -> Outcome:
    """Totals that the release preserves, as cells of a magnitude table."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if not release.numbers:
        return NotApplicable() if release.categories else Measured((0.0,), "no total is released")
    if release.rows is None:
        return NotExamined(NO_PAIRS)
    preserved, unsafe = _checked_totals(release)
    named = f"; unsafe: {'; '.join(map(str, unsafe[:3]))} ({POOLED})" if unsafe else ""
    return Measured((len(unsafe),), f"{preserved:,} preserved totals{named}")


def _checked_totals(release: ExaminedRelease) -> tuple[int, tuple[UnsafeTotal, ...]]:
    """How many totals are preserved, and which are unsafe: of the file, its strata, and the levels of 0/1 predictors and
    `preserve` columns."""
    assert release.rows is not None
    rows, _ = release.rows
    original, options = release.original, release.request.options
    given = [name for name in release.predictors if is_numeric(original, name)]
    columns = [original.values(name)[rows] for name in given]
    labels = list[str]()
    for name in options.preserve or ():
        if name not in original.names:
            continue
        codes = original.codes(name)[rows]
        for level in np.unique(codes[codes >= 0]):
            columns.append((codes == level).astype(float))
            labels.append(f"{name}, level {level + 1}")
    X = np.column_stack([np.empty((len(rows), 0)), *columns])
    Y, Z = (np.column_stack(side) for side in zip(*release.numeric_pairs(release.numbers), strict=True))
    known = ~(np.isnan(Y) | np.isnan(Z))
    stratum = Strata.of((), release.strata_codes).codes if options.strata else None
    preserved = PreservedTotals(Records(X), release.numbers, given, stratum, levels=labels)
    preserved.add(X, np.where(known, Y, 0.0), np.where(known, Z, 0.0))
    return preserved.checked()


def audit(release: ExaminedRelease) -> Outcome:
    """Alarms of an audit of this file, roles and method."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if release.method is None:
        return NotExamined(NO_METHOD)
    if isinstance(release.request.audit, Audit) and release.request.audit.digest != audit_digest(
        release.original, release.roles, release.method, release.request.options
    ):
        return NotExamined("the audit is of another file, roles, method or options")
    return alarms_of(release.request.audit)


def alarms_of(audit: Audit | NotExamined) -> Outcome:
    """The alarms of an audit that belongs to the release, or the reason why there is none."""
    if isinstance(audit, NotExamined):
        return audit
    if audit.records < POWER:
        return NotExamined(f"an audit of fewer than {POWER} complete records has no power")
    reason = str(audit.alarms[0]) if audit.alarms else "no attack succeeds better on members than on other records"
    return Measured((len(audit.alarms),), reason)


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
    columns, Y, Z = with_levels([names[j] for j in replaced], release.categories, Y, Z)
    if not columns:
        return NotExamined(f"no confidential variable is a number, or a category of 1 to {MANY_LEVELS} levels")
    result = dependence(
        records.X,
        Y,
        Z,
        columns,
        RStream(DEPENDENCE_SEED),
        stratum=Strata((), records.groups).codes,
        unit=unit_codes(release.protected, release.roles, sample.rows),  # from 0 within the sample
    )
    return Measured((result.p_value,), result.describe())


def seed(release: ExaminedRelease) -> Outcome:
    """Whether the release can be undone from its seed."""
    facts = release.facts
    start = release.request.seed
    if facts is None:
        return NotExamined(NO_METHOD)
    if facts.weak_generator:
        return Decided(holds=True, reason="the method draws from a generator of 32 bits, all of which can be tried")
    if facts.undone_by_seed is NOT_EXAMINED:
        return NotExamined(NO_SEED)
    if not facts.undone_by_seed:
        return NotApplicable()
    if isinstance(start, RStream) and start.fresh:
        return Decided(holds=False, reason="the release started from fresh entropy")
    if isinstance(start, RStream):
        reason = "the release started from a state of R or from a seed, which can be guessed"
        return Decided(holds=True, reason=reason)
    if start is not None:
        return Decided(holds=True, reason="the release started from an integer, which can be guessed")
    if isinstance(release.seed_search, NotExamined):
        return release.seed_search
    if release.seed_search.found is not None:
        return Decided(holds=True, reason="trying integers found the seed of the release")
    reason = f"no integer from 0 to {release.seed_search.tried - 1:,} reproduces the release"
    return Decided(holds=False, reason=reason)


def ledger(release: ExaminedRelease) -> Outcome:
    """What the release discloses together with earlier ones of a ledger, and whether their epsilon passes a stated total."""
    registration, total = release.request.registration, release.request.limits.get(EPSILON)
    if registration is None:
        if total is None:
            return NotApplicable()
        return NotExamined("a total epsilon is stated: give ledger= to protect()")
    conflicts = registration.conflicts
    if total is not None and registration.epsilon > total[0]:
        conflicts += (f"the releases of these records have epsilon {registration.epsilon:.4g} in total",)
    reason = "; ".join(conflicts) or "no earlier release of the ledger adds to what this one discloses"
    return Measured((len(conflicts),), reason)


@dataclass(frozen=True)
class Rule:
    """When a test applies and how it is made."""

    outcome: Callable[[ExaminedRelease], Outcome]
    """The computation."""
    masks: tuple[str, ...] = ("values", "perturb", "keys")
    """The kinds of methods that it applies to."""
    by_record: bool = False
    """Whether it compares confidential values record by record."""
    by_attacks: bool = False
    """Whether it makes the attacks that the method states, which must then have been examined."""


TESTS: Mapping[str, Rule] = {
    "unprotected": Rule(unprotected, ("values", "perturb"), by_record=True),
    "sample_uniques": Rule(sample_uniques),
    "key_risk": Rule(key_risks),
    "risk": Rule(attributable, ("values", "perturb"), by_record=True),
    "linkage": Rule(linkage, ("perturb",), by_record=True, by_attacks=True),
    "range": Rule(value_range),
    "totals": Rule(totals),
    "audit": Rule(audit, ("values",)),
    "dependence": Rule(own_record, ("values", "perturb"), by_record=True),
    "seed": Rule(seed),
    "ledger": Rule(ledger),
}


def run_test(key: str, release: ExaminedRelease) -> Test:
    """One of TESTS."""
    return test_from(key, _outcome(TESTS[key], release), release.request.limits)


def _outcome(rule: Rule, release: ExaminedRelease) -> Outcome:
    """The outcome of a test, whose computation is left out where it does not apply or values cannot be compared."""
    if rule.by_attacks and release.facts is not None and release.facts.attacks is NOT_EXAMINED:
        return NotExamined(NO_ATTACKS)
    if not release.masks & {*rule.masks}:
        return NotApplicable()
    if rule.by_record:
        missing = _not_comparable(release)
        if missing is not None:
            return missing
    return rule.outcome(release)


def test_from(key: str, outcome: Outcome, limits: Limits) -> Test:
    """The test of an outcome."""
    match outcome:
        case Measured(values, reason):
            return test_of(key, values, limits, reason)
        case Decided(holds, reason):
            return Test(key, "hold" if holds else "pass", reason)
        case NotExamined(reason):
            return Test(key, "not examined", reason)
        case NotApplicable(reason):
            return Test(key, "not applicable", reason)

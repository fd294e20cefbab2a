"""The tests of a verdict: when each applies, what is counted, and how chance is taken off."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import floor, log10

import numpy as np
from scipy.special import pdtr, pdtrik

from ..constraints import parsed
from ..constraints.describe import violations
from ..data import is_numeric
from ..data.preserved_totals import TotalsChecked, check_totals
from ..data.strata import Strata
from ..data.unmodified import SampleUniques
from ..plans.limits import Limits
from ..rstream import RStream
from .audit_result import audit_digest
from .case import Case, Sample
from .key_risk import key_risk
from .references import CHANCE_DRAWS, UNCHANGED, Unchanged, count_unchanged, spread
from .report import Attributable
from .verdict import Test, not_applicable, not_examined, test_of

NO_ROLES = "the roles are not known: give roles="
NO_METHOD = "the method is not known: give method="
NO_CELLS = "no stratum has comparable cells"
NO_PAIRS = "released records do not pair with original records"
HIGH_RISK = 0.1  # individual risk that counts as high
FEW_RECORDS = 100  # below which an audit has no power
SLACK, CHANCE = 1.1, 0.99  # of the number expected by chance; the quantile that a count must not exceed


@dataclass(frozen=True)
class Evidence:
    """What the tests read: the case, its sample, risks with their baselines, columns released unchanged, whether seeds
    were tried and one was found."""

    case: Case
    sample: Sample | None
    risk: Attributable | None
    unmodified: SampleUniques | None
    seeds_tried: bool
    seed_found: bool


def unprotected(evidence: Evidence, limits: Limits) -> Test:
    """Records and cells that the release leaves unchanged, beyond chance."""
    case, sample, key = evidence.case, evidence.sample, "unprotected"
    if case.masks == "keys":
        return not_applicable(key)
    if (missing := _missing(case)) is not None:
        return not_examined(key, missing)
    assert sample is not None
    scale = sample.total / len(sample.Z)
    count = _count_all(case)
    expected = [Unchanged(each.records * scale, each.columns) for each in sample.references.expected]
    records = max(scale / CHANCE_DRAWS, *(each.records for each in expected))  # draws bound a mean of 0
    above = 100 * (count.columns - SLACK * np.max([each.columns for each in expected], axis=0))
    worst = int(np.argmax(above))
    reason = (
        f"{count.records:,.0f} of {sample.total:,} records keep every confidential value, {records:.1f} expected by chance; "
        f"of `{case.numbers[worst]}` {100 * count.columns[worst]:.1f} % of the cells are unchanged"
    )
    return test_of(key, (beyond_chance(count.records, records), max(above[worst], 0.0)), limits, reason)


def beyond_chance(count: float, expected: float) -> float:
    """A count less the 99 % quantile of a Poisson distribution with 1.1 times the expected mean, at least 0."""
    if expected <= 0:
        return count
    mean = SLACK * expected
    quantile = float(np.ceil(pdtrik(CHANCE, mean)))
    quantile -= quantile > 0 and pdtr(quantile - 1, mean) >= CHANCE  # rounding of the inverse
    return max(count - quantile, 0.0)


def _missing(case: Case) -> str | None:
    """The reason why confidential values cannot be compared record by record; None where they can."""
    if case.roles is None:
        return NO_ROLES
    if case.rows is None:
        return NO_PAIRS
    if case.categories:
        return f"column `{case.categories[0]}` is categorical: its attributable disclosure is not measured"
    return None if case.numbers and len(case.rows[0]) > 1 else "no confidential variable is released"


def _count_all(case: Case) -> Unchanged:
    """The unchanged cells of all records, a column at a time."""
    assert case.rows is not None
    n = len(case.rows[0])
    changed, observed, shares = np.zeros(n, bool), np.zeros(n, bool), []
    for _, y, z in case.columns(case.numbers):
        Y, Z = y[:, None], z[:, None]
        width = UNCHANGED * spread(Y)
        shares.append(float(count_unchanged(Y, Z, width).columns[0]))
        known = ~(np.isnan(y) | np.isnan(z))
        changed |= known & ~(np.abs(z - y) <= width[0])
        observed |= known
    return Unchanged(float((observed & ~changed).sum()), np.array(shares))


def sample_uniques(evidence: Evidence, limits: Limits) -> Test:
    """Records that are unique on the columns released unchanged."""
    unmodified, case, key = evidence.unmodified, evidence.case, "sample_uniques"
    if unmodified is None:
        return not_examined(key, NO_PAIRS)
    if not unmodified.columns or not unmodified.records:
        return test_of(key, (0.0,), limits, "no key variable is released")
    alone = case.weights is not None
    name, count = max(unmodified.alone.items(), key=lambda item: item[1])
    count = count if alone else unmodified.together
    columns = name if alone else ", ".join(unmodified.columns[:6]) + (" ..." if len(unmodified.columns) > 6 else "")
    verb = "is" if count == 1 else "are"
    reason = f"{count:,} of {unmodified.records:,} records {verb} unique on {columns}"
    return test_of(key, (100 * count / unmodified.records,), limits, reason)


def key_risks(evidence: Evidence, limits: Limits) -> Test:
    """Individual risk by sample and population frequencies of the key variables, where a weight is given."""
    case, unmodified, key = evidence.case, evidence.unmodified, "key_risk"
    if case.weights is None:
        return not_applicable(key, "no weight is given")
    if unmodified is None:
        return not_examined(key, NO_PAIRS)
    if case.weights not in case.released.names:
        return not_examined(key, f"the weight `{case.weights}` is not in the release")
    if not unmodified.columns:
        return test_of(key, (0.0, 0.0), limits, "no key variable is released")
    keys = [name for name in unmodified.columns if name in case.released.names]
    risk = key_risk(case.released.frame, keys, case.weights).individual
    high = int((risk > HIGH_RISK).sum())
    reason = f"{high:,} records have an individual risk above {HIGH_RISK:g}; {risk.sum():.1f} re-identifications are expected"
    return test_of(key, (100 * high / len(risk), 100 * float(risk.mean())), limits, reason)


def attributable(evidence: Evidence, limits: Limits) -> Test:
    """Disclosure risk above that of releases without the record's own values."""
    key, case = "risk", evidence.case
    if case.masks == "keys":
        return not_applicable(key)
    if (missing := _missing(case)) is not None or evidence.risk is None:
        return not_examined(key, missing or NO_CELLS)
    known = "dr_informed" if "linkage_informed" in evidence.risk.values else "dr"
    return test_of(key, (evidence.risk.of(known),), limits, "attributable disclosure risk, percentage points")


def linkage(evidence: Evidence, limits: Limits) -> Test:
    """Links by an intruder who knows the method."""
    key, case, risk = "linkage", evidence.case, evidence.risk
    if case.masks != "perturb":
        return not_applicable(key)
    if (missing := _missing(case)) is not None or risk is None:
        return not_examined(key, missing or NO_CELLS)
    certain, expected = (table["certain"] * risk.records / 100 for table in (risk.values, risk.inference))
    reason = (
        f"an intruder who knows the method links {risk.values['linkage_informed']:.1f} % of the records, "
        f"{risk.inference['linkage_informed']:.1f} % without their values; {certain:,.0f} links are certain"
    )
    return test_of(key, (risk.of("linkage_informed"), beyond_chance(certain, expected)), limits, reason)


def value_range(evidence: Evidence, limits: Limits) -> Test:
    """Impossible values: broken signs and rules, and values outside the range rounded outward."""
    case, key = evidence.case, "range"
    if case.rows is None and not case.numbers:
        return not_examined(key, NO_PAIRS)
    broken = np.zeros(case.released.records, dtype=bool)
    worst, column = 0.0, ""
    for name in case.numbers:
        y, z = case.original.values(name), case.released.values(name)
        y, known = y[np.isfinite(y)], ~np.isnan(z)
        if not len(y):
            continue
        broken |= known & (((z < 0) & (y.min() >= 0)) | ((z > 0) & (y.max() <= 0)))
        low, high = outward(float(y.min()), float(y.max()))
        outside = 100 * float((known & ((z < low) | (z > high))).sum()) / max(int(known.sum()), 1)
        worst, column = max((worst, column), (outside, name))
    rules = _rules_broken(case)
    count = int(broken.sum()) + rules
    reason = f"{count:,} records break a sign or a rule" + (f"; `{column}` leaves its rounded range" if worst else "")
    return test_of(key, (count, worst), limits, reason)


def outward(low: float, high: float) -> tuple[float, float]:
    """A range rounded outward to one significant digit of each end."""
    ends = []
    for value, rounding in ((low, np.floor), (high, np.ceil)):
        unit = 10.0 ** floor(log10(abs(value))) if value else 1.0
        ends.append(float(rounding(round(value / unit, 9)) * unit))
    return ends[0], ends[1]


def _rules_broken(case: Case) -> int:
    """Released records that break a declared or accepted rule which the original keeps more often."""
    count = 0
    for rule in parsed("evaluate", case.options.get("constraints")):
        if set(rule.columns) <= {*case.released.names} and set(rule.columns) <= {*case.original.names}:
            released, original = (
                int(violations(rule, {name: frame.values(name) for name in rule.columns}, rule.columns, False)[0])
                for frame in (case.released, case.original)
            )
            count += max(released - original, 0)
    return count


def totals(evidence: Evidence, limits: Limits) -> Test:
    """Totals that the release preserves, as cells of a magnitude table."""
    case, key = evidence.case, "totals"
    if case.roles is None:
        return not_examined(key, NO_ROLES)
    if not case.numbers:
        return not_applicable(key) if case.categories else test_of(key, (0.0,), limits, "no total is released")
    if case.rows is None:
        return not_examined(key, NO_PAIRS)
    checked = _checked_totals(case)
    named = f"; unsafe: {'; '.join(map(str, checked.unsafe[:3]))}" if checked.unsafe else ""
    return test_of(key, (len(checked.unsafe),), limits, f"{checked.preserved:,} preserved totals{named}")


def _checked_totals(case: Case) -> TotalsChecked:
    """Preserved totals of the file, its strata, and the levels of 0/1 predictors and `preserve` columns."""
    assert case.rows is not None
    given = [name for name in case.independent if is_numeric(case.original, name)]
    columns = [case.original.values(name)[case.rows[0]] for name in given]
    labels = []
    for name in (name for name in case.options.get("preserve") or () if name in case.original.names):
        codes = case.original.codes(name)[case.rows[0]]
        for level in np.unique(codes[codes >= 0]):
            columns.append((codes == level).astype(float))
            labels.append(f"{name}, level {level + 1}")
    X = np.column_stack(columns) if columns else np.empty((len(case.rows[0]), 0))
    values = [(y, z) for _, y, z in case.columns(case.numbers)]
    Y, Z = (np.column_stack(side) for side in zip(*values, strict=True))
    known = ~(np.isnan(Y) | np.isnan(Z))
    strata = None if case.strata_codes is None else Strata.of((), case.strata_codes).rows
    return check_totals(
        X, given, np.where(known, Y, 0.0), np.where(known, Z, 0.0), case.numbers, strata=strata, levels=labels
    )


def audit(evidence: Evidence, limits: Limits) -> Test:
    """Alarms of an audit of this file, roles and method."""
    case, key = evidence.case, "audit"
    if case.masks != "values":
        return not_applicable(key)
    if case.roles is None or case.method is None:
        return not_examined(key, NO_ROLES if case.roles is None else NO_METHOD)
    if case.audit is None:
        return not_examined(key, "run evaluate(..., audit=True)")
    if case.audit.records < FEW_RECORDS:
        return not_examined(key, f"an audit of fewer than {FEW_RECORDS} complete records has no power")
    if case.audit.digest != audit_digest(case.original, case.roles, case.method, case.options):
        return not_examined(key, "the audit is of another file, roles, method or options")
    alarms = case.audit.alarms
    reason = str(alarms[0]) if alarms else "no attack succeeds better on members than on other records"
    return test_of(key, (len(alarms),), limits, reason)


def seed(evidence: Evidence, limits: Limits) -> Test:
    """Whether the release can be undone from its seed."""
    case, key = evidence.case, "seed"
    if case.method is None:
        return not_examined(key, NO_METHOD)
    if case.method.weak_generator:
        return Test(key, "hold", "the method draws from a generator of 32 bits, all of which can be tried")
    if not case.method.undone_by_seed:
        return not_applicable(key)
    if isinstance(case.seed, RStream):
        if case.seed.fresh:
            return Test(key, "pass", "the release started from fresh entropy")
        return Test(key, "hold", "the release started from a state of R or from a seed, which can be guessed")
    if case.seed is not None:
        return Test(key, "hold", "the release started from an integer, which can be guessed")
    if evidence.seed_found:
        return Test(key, "hold", "trying integers found the seed of the release")
    if not evidence.seeds_tried:
        return not_examined(key, "the seed is not known, and seeds could not be tried")
    return Test(key, "pass", "no integer from 0 to 9,999 reproduces the release")


TESTS: Sequence[Callable[[Evidence, Limits], Test]] = (
    unprotected, sample_uniques, key_risks, attributable, linkage, value_range, totals, audit, seed,
)  # fmt: skip

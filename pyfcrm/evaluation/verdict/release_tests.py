"""The tests of a verdict: when each applies, and the status of its outcome."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from ...data import Roles
from ...methods.facts import NOT_EXAMINED
from ...plans.limits import Limits
from ...plans.tables import columns_table
from .attack_tests import audit, own_record, replicated
from .decision import Test, test_of
from .disclosure_tests import disclosure, disclosure_of_new_file, linkage
from .edits import edits
from .examined_release import ExaminedRelease
from .key_tests import key_risks, sample_uniques
from .order_test import order
from .outcomes import NO_ROLES, NOT_RELEASED, Decided, Measured, NotApplicable, NotExamined, Outcome, Remedy
from .plan_changes import PlanChange
from .provenance_tests import ledger, seed
from .totals_test import totals
from .unchanged_records import unprotected
from .verbatim_records import verbatim_records

NO_ATTACKS = "whether an intruder who knows the method links more records has not been examined"

FEWER_KEYS = "recode, protect or drop key variables, or name in `unknown` those that no intruder knows"


@dataclass(frozen=True)
class Rule:
    """The conditions of a test, and the function that makes it."""

    title: str
    """The test's name in reports and in the studio."""
    outcome: Callable[[ExaminedRelease], Outcome]
    """The computation."""
    remedy: Remedy
    """The next step after a hold for which the outcome has none of its own."""
    masks: tuple[str, ...] = ("values", "perturb", "keys")
    """The kinds of methods that it applies to."""
    by_record: bool = False
    """Whether it compares confidential values record by record, where a method replaces or perturbs them."""
    of_new_file: Callable[[ExaminedRelease], Outcome] | None = None
    """The computation for a file whose records pair with no original ones."""
    by_attacks: bool = False
    """Whether it makes the attacks that the method states, which must then have been examined."""


TESTS: Mapping[str, Rule] = {
    "unprotected": Rule(
        "Unprotected records",
        unprotected,
        Remedy("choose a method that replaces every value, such as Calibrated()"),
        ("values", "perturb"),
        by_record=True,
        of_new_file=verbatim_records,
    ),
    "sample_uniques": Rule("Sample uniques", sample_uniques, Remedy(FEWER_KEYS)),
    "key_risk": Rule("Individual risk", key_risks, Remedy(FEWER_KEYS)),
    "replicated": Rule(
        "Replicated uniques",
        replicated,
        Remedy("choose a method that releases no combination of values of a record, or coarsen its columns"),
        ("values",),
    ),
    "risk": Rule(
        "Attributable risk",
        disclosure,
        Remedy(
            "choose a method that replaces every value, such as Calibrated(), with predictors that many records share"
        ),
        by_record=True,
        of_new_file=disclosure_of_new_file,
    ),
    "linkage": Rule(
        "Method-aware linkage",
        linkage,
        Remedy("choose a method that replaces every value, such as Calibrated(), or perturb more"),
        ("perturb",),
        by_record=True,
        by_attacks=True,
    ),
    "edits": Rule(
        "Permitted values and rules",
        edits,
        Remedy("declare the variables and the rules in protect(), or choose a method that keeps them"),
    ),
    "totals": Rule(
        "Preserved totals",
        totals,
        Remedy("top-code the largest values, or leave small groups out of `preserve`"),
    ),
    "order": Rule(
        "Order of records",
        order,
        Remedy(
            "shuffle: protect the file again with shuffle=True and without a seed",
            PlanChange(keep={"shuffle": True}, without_seed=True),
        ),
    ),
    "audit": Rule(
        "Audit",
        audit,
        Remedy(
            "choose a method that releases no value of another record, such as Calibrated(), and predictors "
            "that many records share"
        ),
        ("values",),
    ),
    "dependence": Rule(
        "Own-record dependence",
        own_record,
        Remedy("choose a method that replaces every value, such as Calibrated(), and release exactly what it makes"),
        ("values", "perturb"),
        by_record=True,
        of_new_file=lambda release: NotApplicable(),  # no released record has an original of its own
    ),
    "seed": Rule(
        "Guessed seed",
        seed,
        Remedy("protect the file again without a seed", PlanChange(without_seed=True)),
    ),
    "ledger": Rule(
        "Release ledger",
        ledger,
        Remedy("leave these records out, or publish only one of the releases that disclose values together"),
    ),
}


def run_test(key: str, release: ExaminedRelease) -> Test:
    """One of TESTS."""
    test = test_from(key, _outcome(TESTS[key], release), release.request.limits)
    roles = _roles_of_plan(release)
    return replace(test, remedies=tuple(remedy.planned(release.method, roles) for remedy in test.remedies))


def _roles_of_plan(release: ExaminedRelease) -> Roles:
    """The roles of a plan of the release: the columns that it does not have are dropped, also where no role says so, as in R."""
    roles = release.roles or Roles(release.predictors)
    not_released = [name for name in release.original.names if name not in release.protected.names]
    without_role = [
        name for name in not_released if not any(name in roles.columns(role) for role in columns_table(roles))
    ]
    return replace(roles, identifiers=(*roles.identifiers, *without_role))


def _outcome(rule: Rule, release: ExaminedRelease) -> Outcome:
    """The outcome of a test, whose computation is left out where it does not apply or values cannot be compared."""
    if rule.by_attacks and release.facts is not None and release.facts.attacks is NOT_EXAMINED:
        return NotExamined(NO_ATTACKS)
    if not release.masks & {*rule.masks}:
        return NotApplicable()
    if rule.of_new_file is not None and release.is_new_file:
        return rule.of_new_file(release)
    if rule.by_record and release.masks & {"values", "perturb"}:
        missing = _not_comparable(release)
        if missing is not None:
            return missing
    return rule.outcome(release)


def _not_comparable(release: ExaminedRelease) -> NotExamined | None:
    """The reason why confidential values cannot be compared record by record; None where they can."""
    if release.roles is None:
        return NotExamined(NO_ROLES)
    if release.rows is None:
        return NotExamined(release.no_pairs)
    if not release.compared or len(release.rows[0]) < 2:
        return NotExamined(NOT_RELEASED)
    return None


def test_from(key: str, outcome: Outcome, limits: Limits) -> Test:
    """The test of an outcome."""
    match outcome:
        case Measured(values, reason, remedies):
            test = test_of(key, values, limits, reason)
        case Decided(holds, reason, remedies):
            test = Test(key, "hold" if holds else "pass", reason)
        case NotExamined(reason, remedies):
            test = Test(key, "not examined", reason)
        case NotApplicable(reason):
            test = Test(key, "not applicable", reason)
            remedies = ()
    if test.status not in ("hold", "not examined"):
        return test
    steps = tuple(remedies() if callable(remedies) else remedies)
    if test.status == "hold" and not steps:
        steps = (TESTS[key].remedy,)
    return replace(test, remedies=steps)

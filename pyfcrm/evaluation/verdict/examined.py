"""The verdict of a release: all tests, and what they found for the report."""

from dataclasses import replace

from ...data.column_facts import column_facts
from ...data.replicate_weights import REPLICATE_WEIGHTS, joint_codes
from ...data.roles import RESEARCH
from ...errors import Note
from ...measures import MEASURES
from ...plans.limits import LIMITS, UTILITY
from ..auditing.audit_result import Audit
from ..report import Report
from ..systematic_sample import SAMPLE
from .decision import Test, test_of, verdict_of
from .examined_release import ExaminedRelease
from .group_disclosure import disclosed_without_roles
from .outcomes import OTHER_METHOD, Remedy
from .release_tests import TESTS, run_test
from .utility_test import utility_test

NEARLY_UNIQUE = "the weight `{columns}` is nearly unique: {count} of {total} records can be recognised by it"
REPLICATES = "the {columns_together} replicate weights identify primary sampling units: {count} different rows count as one key variable"
# The function gives the variance of an estimate from its size; Wolter (2007), chapter 7.
UNIQUE_REPLICATES = (
    "{count} of {total} {what} {count:is|are} unique on their replicate weights: release sampling strata and a generalised variance "
    "function in their place"
)
CLASSES_WITHOUT_ROLE = (
    "some classes of {columns} have one value of {target}, {share:.1f} % of the file: give predictors, key "
    "variables and confidential variables their roles"
)
AUDIT_ON_SAMPLE = "the audit is of a random sample of {count} of {total} records"
ON_SAMPLE = "inference baselines and attributable risks are of a random sample of {count} of {total} records"


def examined(report: Report, release: ExaminedRelease) -> Report:
    """The report with its verdict, attributable risks, and the sample uniques on columns released unchanged."""
    tests = [run_test(key, release) for key in TESTS]
    tests += _tests_of_measures(report, release)
    if UTILITY in release.request.limits:
        tests.append(utility_test(report.utility, release.request.limits))
    unmodified = release.unmodified
    unknown = () if unmodified is None else unmodified.unknown
    roles = release.request.roles
    product = RESEARCH if roles is None else roles.product
    verdict = verdict_of(tests, release.request.limits, unknown, product)
    audit = release.request.audit
    return replace(
        report,
        verdict=verdict,
        attributable=release.risk,
        kept=unmodified,
        all_notes=(*report.all_notes, *_notes(release)),
        audit=audit if isinstance(audit, Audit) else None,
        declared=release.request.variables,
    )


def _tests_of_measures(report: Report, release: ExaminedRelease) -> list[Test]:
    """The tests of the measures that have a limit; a measure that was not computed counts as NaN."""
    limits = release.request.limits
    tests = list[Test]()
    for key in limits:
        if key not in MEASURES:
            continue
        value = report.results[key].total if key in report.results else float("nan")
        test = test_of(key, (value,), limits, "")
        if test.status == "hold":
            test = replace(test, remedies=(Remedy(OTHER_METHOD),))
        tests.append(test)
    return tests


def _notes(release: ExaminedRelease) -> list[Note]:
    """Warnings of weights that identify records, of columns without a role that disclose others, and of a sample."""
    notes = list[Note]()
    if release.weight in release.protected.names:
        weight = column_facts(release.protected, release.weight)
        if weight.nearly_unique:  # it is no key variable of the tests
            notes.append(Note.of("risk", NEARLY_UNIQUE, [weight.name], count=weight.unique, total=weight.records))
    replicates = release.replicate_weights
    if replicates:
        different = int(joint_codes(release.protected, replicates).max()) + 1
        notes.append(Note.of("risk", REPLICATES, count=different, columns_together=len(replicates)))
    kept = release.unmodified
    if kept is not None and kept.alone.get(REPLICATE_WEIGHTS):
        unique = kept.alone[REPLICATE_WEIGHTS]
        notes.append(Note.of("risk", UNIQUE_REPLICATES, count=unique, total=kept.records, what=kept.what))
    disclosed = disclosed_without_roles(release)
    if disclosed is not None and disclosed.classes > LIMITS["risk"].values[0]:
        note = Note.of(
            "risk", CLASSES_WITHOUT_ROLE, [disclosed.class_key], target=disclosed.column, share=disclosed.classes
        )
        notes.append(note)
    sample = release.sample
    if sample is not None and sample.total > SAMPLE:
        notes.append(Note.of("approximated", ON_SAMPLE, count=len(sample.Z), total=sample.total))
    audit, total = release.request.audit, release.original.records
    if isinstance(audit, Audit) and total > SAMPLE:
        notes.append(Note.of("approximated", AUDIT_ON_SAMPLE, count=audit.records, total=total))
    return notes

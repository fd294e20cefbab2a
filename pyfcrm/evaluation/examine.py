"""The examination of one release: the evidence for the tests of a verdict, the report with its verdict, and warnings."""

from dataclasses import replace

from ..data import Frame
from ..data.column_facts import column_facts
from ..data.source import open_data
from ..errors import Note
from ..measures import MEASURES
from ..protection.protect import Protected
from .audit_file import SAMPLE
from .audit_result import Audit
from .case import Case
from .release_tests import TESTS, run_test
from .report import Report
from .request import release_request
from .verdict import Test, measure_test, verdict_of

WARNINGS = ("unprotected", "sample_uniques", "range")  # tests that need no audit and no measures
NEARLY_UNIQUE = "the weight `{columns}` is nearly unique: {count} of {total} records can be recognised by it"
ON_SAMPLE = "inference baselines and attributable risks are of a random sample of {count} of {total} records"


def examined(report: Report, case: Case) -> Report:
    """The report with its verdict, attributable risks, and the sample uniques on columns released unchanged."""
    tests = [run_test(key, case) for key in TESTS]
    values = {key: parts.total for key, parts in report.results.items()}
    tests += [measure_test(key, values.get(key), limit[0]) for key, limit in case.limits.items() if key in MEASURES]
    sample, unmodified = case.sample, case.unmodified
    verdict = verdict_of(tests, case.limits, () if unmodified is None else unmodified.unknown)
    notes = [*report.notes, *_weight_notes(case)]
    if sample is not None and sample.total > SAMPLE:
        notes.append(Note.of("approximated", ON_SAMPLE, count=len(sample.Z), total=sample.total))
    audit = case.audit if isinstance(case.audit, Audit) else None
    return replace(report, verdict=verdict, attributable=case.risk, kept=unmodified, notes=tuple(notes), audit=audit)


def _weight_notes(case: Case) -> list[Note]:
    """A warning of a weight by which records can be recognised: it is no key variable of the tests."""
    if case.weight is None or case.weight not in case.released.names:
        return []
    weight = column_facts(case.released, case.weight)
    if not weight.nearly_unique:
        return []
    return [Note.of("risk", NEARLY_UNIQUE, [weight.name], count=weight.unique, total=weight.records)]


def warnings_of(original: Frame, released: Protected) -> list[Test]:
    """The tests `unprotected`, `sample_uniques` and `range` that fail by the default limits, of copies on the first that fails."""
    failed, request = dict[str, Test](), release_request(released)
    for frame in released.frames:
        case = Case(**vars(request), original=original, released=open_data("evaluate", frame))
        for test in (run_test(key, case) for key in WARNINGS):
            if test.status == "hold":
                failed.setdefault(test.key, test)
    return list(failed.values())

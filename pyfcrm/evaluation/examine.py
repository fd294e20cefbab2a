"""The examination of one release: the evidence for the tests of a verdict, the report with its verdict, and warnings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from ..data import Frame
from ..data.check import require_columns
from ..data.column_facts import column_facts
from ..data.pairs import unchanged_columns
from ..data.source import open_data
from ..data.unmodified import SampleUniques, count_uniques, uniques_of
from ..engine import Engine, on_this_machine
from ..errors import Note
from ..measures import MEASURES
from ..plans.limits import Limits
from ..progress import Progress
from ..protection.protect import Protected
from ..rstream import RStream
from ..types import Codes, Mask
from .audit_file import SAMPLE
from .case import Case, case_of, release_facts, sample_of
from .dependence import unit_codes
from .judge import has_inference
from .references import KnownReferences, attributable_risk
from .release_tests import TESTS, Evidence, run_test
from .report import Report
from .verdict import Status, Test, verdict_of

STREAM_SEED = 1  # of all draws of a verdict, so that every interface prints the same numbers
WARNINGS = ("unprotected", "sample_uniques", "range")  # tests that need no audit and no measures
MISSING_CELLS = "missing cells"  # which confidential cells are missing, as a key variable
NEARLY_UNIQUE = "the weight `{columns}` is nearly unique: {count} of {total} records can be recognised by it"
ON_SAMPLE = "inference baselines and attributable risks are of a random sample of {count} of {total} records"


def measure_tests(report: Report, limits: Limits) -> list[Test]:
    """One test for each limit on a measure."""
    tests = []
    for key, (limit,) in ((key, value) for key, value in limits.items() if key in MEASURES):
        higher, unit = MEASURES[key].better == "higher", ("%" if MEASURES[key].upper == 100 else "",)
        if key not in report.results or (value := report[key]) != value:
            tests.append(Test(key, "not examined", "this measure was not computed", (), (limit,), unit))
            continue
        status: Status = "pass" if (value >= limit if higher else value <= limit) else "hold"
        tests.append(Test(key, status, "must be at least the limit" if higher else "", (value,), (limit,), unit))
    return tests


def examined(
    report: Report,
    case: Case,
    engine: Engine,
    progress: Progress | None,
    *,
    by_strata: bool,
    seeds_tried: bool,
    references: KnownReferences,
) -> Report:
    """The report with its verdict, attributable risks, and the sample uniques on columns released unchanged.

    by_strata : whether records were linked within strata; seeds_tried : whether integers were tried as the seed;
    references : of other releases of the same file.
    """
    known = case.roles is not None
    sample = sample_of(case, RStream(STREAM_SEED), references) if known or case.independent else None
    keys = [key for key in report.results if has_inference(MEASURES[key])]
    risk = None
    if sample is not None:
        local = on_this_machine(engine)
        risk = attributable_risk(sample, case.compared_numbers, keys, local, progress, by_strata=by_strata)
    unmodified = unmodified_columns(case) if known else None
    evidence = Evidence(case, sample, risk, unmodified, seeds_tried, report.guessed_seed is not None)
    tests = [run_test(key, evidence, case.limits) for key in TESTS] + measure_tests(report, case.limits)
    verdict = verdict_of(tests, case.limits, () if unmodified is None else unmodified.unknown)
    notes = (*report.notes, *_weight_notes(case))
    if sample is not None and sample.total > SAMPLE:
        notes = (*notes, Note.of("approximated", ON_SAMPLE, count=len(sample.Z), total=sample.total))
    return replace(report, verdict=verdict, attributable=risk, kept=unmodified, notes=notes)


def _weight_notes(case: Case) -> list[Note]:
    """A warning of a weight by which records can be recognised: it is no key variable of the tests."""
    if case.weights is None or case.weights not in case.released.names:
        return []
    weight = column_facts(case.released, case.weights)
    if not weight.nearly_unique:
        return []
    return [Note.of("risk", NEARLY_UNIQUE, [weight.name], count=weight.unique, total=weight.records)]


def unmodified_columns(case: Case) -> SampleUniques | None:
    """Sample uniques on the key variables: columns equal in both files whatever their role, those that a method of
    masks "keys" treats, and which confidential cells are missing. None where records do not pair."""
    released, roles = case.released, case.roles
    assert roles is not None
    require_columns("evaluate", case.original, roles.unknown)
    if case.method is not None and case.method.generates:
        return uniques_of(released, ())
    if case.rows is None and not case.coarsened:
        return None
    every = [name for name in released.names if name in case.original.names]
    names = every if case.rows is None else unchanged_columns(case.original, released, released.names)
    names += [name for name in case.coarsened if name not in names]
    keys = [name for name in names if name not in (*roles.unknown, case.weights)]
    pattern = _missing_pattern(case)
    if pattern is not None:
        keys.append(MISSING_CELLS)

    def codes(name: str) -> Codes:
        return pattern if name == MISSING_CELLS and pattern is not None else released.codes(name)

    unknown = tuple(name for name in names if name in roles.unknown)
    units = unit_codes(released, roles, np.arange(released.records))
    return count_uniques(codes, keys, released.records, unknown, units)


def _missing_pattern(case: Case) -> Codes | None:
    """(N,) codes of which confidential cells are missing in each released record; None where none is."""
    gaps: Sequence[Mask] = [case.released.codes(name) < 0 for name in case.confidential]
    if not any(gap.any() for gap in gaps):
        return None
    return np.unique(np.column_stack(gaps), axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)


def warnings_of(original: Frame, released: Protected) -> list[Test]:
    """The tests `unprotected`, `sample_uniques` and `range` that fail by the default limits, of copies on the first that fails."""
    failed = dict[str, Test]()
    facts, roles, references = release_facts(released, None, None, None), released.roles, KnownReferences()
    for frame in (open_data("evaluate", frame) for frame in released.frames):
        case = case_of(facts, original, frame, roles.dependent, roles.independent)
        sample = sample_of(case, RStream(STREAM_SEED), references)
        evidence = Evidence(case, sample, None, unmodified_columns(case), seeds_tried=False, seed_found=False)
        for test in (run_test(key, evidence, {}) for key in WARNINGS):
            if test.status == "hold":
                failed.setdefault(test.key, test)
    return list(failed.values())

"""Those tests of a verdict that need no audit and no measures: what `pyfcrm protect` warns of."""

from __future__ import annotations

from ..data import Frame
from ..data.source import open_data
from ..protection.protect import Protected
from ..rstream import RStream
from .case import Case, Sample
from .examine import STREAM_SEED, unmodified_columns
from .release_facts import case_options
from .release_tests import Evidence, sample_uniques, unprotected, value_range
from .verdict import Test

WARNINGS = (unprotected, sample_uniques, value_range)


def warnings_of(original: Frame, released: Protected) -> list[Test]:
    """The tests `unprotected`, `sample_uniques` and `range` that fail by the default limits, of copies on the first that fails."""
    found = dict[str, Test]()
    for frame in released.frames:
        evidence = _evidence(original, open_data("evaluate", frame), released)
        for test in (test(evidence, {}) for test in WARNINGS):
            if test.status == "hold":
                found.setdefault(test.key, test)
    return list(found.values())


def _evidence(original: Frame, after: Frame, released: Protected) -> Evidence:
    """What these tests read of one copy."""
    roles = released.roles
    confidential = tuple(name for name in roles.dependent if name in after.names)
    case = Case(
        original, after, confidential, independent=roles.independent, roles=roles, method=released.method,
        **case_options(released.options),
    )  # fmt: skip
    sample = Sample.of(case, RStream(STREAM_SEED))
    return Evidence(case, sample, None, unmodified_columns(case), seeds_tried=False, seed_found=False)

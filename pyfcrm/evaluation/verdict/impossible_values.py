"""The test `range`: impossible values, and values outside the range rounded outward."""

from math import floor, log10

import numpy as np

from ...constraints import Constraint, parsed
from ...constraints.describe import violations
from ...data import Frame
from .examined_release import ExaminedRelease
from .outcomes import NO_PAIRS, Measured, NotApplicable, NotExamined, Outcome


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

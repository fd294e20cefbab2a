"""What was measured on a release for each of its confidential variables, in words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .estimand import LARGE, RELATIONS
from .utility_estimate import UtilityEstimate

BANDS = (
    (-1.0, 1.0),
    (1.0, LARGE),
)  # standard errors: columns of classes with deviations above and up to these share a line
LEAST = 0.1  # standard errors: smaller deviations are written as this one
IN_FULL = 20.0  # standard errors from which on no decimal is given


@dataclass(frozen=True, kw_only=True)
class MeasuredVariable:
    """The estimates of a release that are about one confidential variable."""

    variable: str
    """The column."""
    estimates: int
    """Number of estimates."""
    above: float
    """Per cent of them that differ by more than 3 standard errors."""
    lines: tuple[str, ...]
    """The largest deviation of each kind of estimates, in standard errors: "medians by age: up to 3.1"; the largest first."""

    @property
    def sentence(self) -> str:
        """The lines as one sentence, which names the unit once."""
        first, *others = self.lines
        return "; ".join([f"{first} standard errors", *others])

    def row(self) -> dict[str, Any]:
        """The facts as plain data."""
        return {
            "variable": self.variable,
            "estimates": self.estimates,
            "above": self.above,
            "lines": list(self.lines),
        }


def measured_variables(estimates: Sequence[UtilityEstimate]) -> tuple[MeasuredVariable, ...]:
    """What was measured for each variable, in the order in which the estimates name them. Relations are left out."""
    of_variable: dict[str, list[UtilityEstimate]] = {}
    for estimate in estimates:
        if estimate.family != RELATIONS:
            for name in dict.fromkeys(estimate.variables):
                of_variable.setdefault(name, []).append(estimate)
    return tuple(
        MeasuredVariable(
            variable=name,
            estimates=len(own),
            above=100 * sum(abs(estimate.z) > LARGE for estimate in own) / len(own),
            lines=_lines(own),
        )
        for name, own in of_variable.items()
    )


def _lines(estimates: Sequence[UtilityEstimate]) -> tuple[str, ...]:
    """A line for each kind of estimates and column of classes; columns with deviations of at most 1, or of 1 to 3, share a line."""
    largest = dict[tuple[str, str], float]()
    for estimate in estimates:
        key = (estimate.kind, estimate.by)
        largest[key] = max(largest.get(key, 0.0), abs(estimate.z))
    lines = list[tuple[float, str]]()
    for kind in dict.fromkeys(kind for kind, _ in largest):
        of_kind = {by: value for (own, by), value in largest.items() if own == kind}
        for low, high in BANDS:
            columns = [by for by, value in of_kind.items() if low < value <= high]
            if columns:
                within = max(of_kind[by] for by in columns)
                lines.append((within, f"{_place(kind, columns)}: within {deviation_text(within)}"))
        for by, value in of_kind.items():
            if value > LARGE:
                lines.append((value, f"{_place(kind, [by])}: up to {deviation_text(value)}"))
    lines.sort(key=lambda line: -line[0])
    return tuple(text for _, text in lines)


def _place(kind: str, columns: Sequence[str]) -> str:
    """A kind of estimates with its columns of classes, such as "means by region and age"."""
    named = [name for name in columns if name]
    if not named:
        return kind
    last = named[-1]
    before = ", ".join(named[:-1])
    return f"{kind} by {before} and {last}" if before else f"{kind} by {last}"


def deviation_text(value: float) -> str:
    """A deviation, rounded up to a tenth so that nothing is nearer than it says; a large one to whole numbers."""
    if value >= IN_FULL:
        return f"{math.ceil(value):,}" if math.isfinite(value) else "more than 1e308"
    return f"{max(math.ceil(round(10 * value, 9)) / 10, LEAST):.1f}"

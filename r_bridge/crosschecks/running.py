"""Running a cross-check, and its verdicts."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pyfcrm.errors import PyfcrmError

from ..errors import RUnavailable
from .case import Case, Line, Results, Row
from .difference import largest_relative_difference, same_bits
from .ground import Ground


def judge(case: Case, ground: Ground) -> list[Row]:
    """One row a line. Where R does not cover the data a row is skipped, with R's reason; where only Python fails, FAIL."""
    unfair = case.unfair(ground)
    if unfair is not None:
        return [_unjudged(case, line, "skipped", unfair) for line in case.lines]
    python, refused = _attempt(case.python, ground)
    r, uncovered = _attempt(case.r, ground)
    if uncovered is not None:
        return [_unjudged(case, line, "skipped", f"R does not cover this: {uncovered}") for line in case.lines]
    if refused is not None:
        return [_unjudged(case, line, "FAIL", f"Python refused what R computed: {refused}") for line in case.lines]
    return [_compared(case, line, python[line.name], r[line.name]) for line in case.lines]


def _attempt(compute: Callable[[Ground], Results], ground: Ground) -> tuple[Results, str | None]:
    try:
        return compute(ground), None
    except RUnavailable:
        raise
    except (PyfcrmError, ArithmeticError, np.linalg.LinAlgError) as error:
        return {}, " ".join(str(error).split())


def _compared(case: Case, line: Line, python: Any, r: Any) -> Row:
    difference = largest_relative_difference(python, r, line.nothing)
    held = same_bits(python, r) if line.tolerance == 0 else difference <= line.tolerance
    return Row(
        f"{case.family}: {line.name}", _shown(python), _shown(r), difference if np.isfinite(difference) else None,
        line.tolerance, line.reason, "ok" if held else "FAIL",
    )  # fmt: skip


def _unjudged(case: Case, line: Line, verdict: str, reason: str) -> Row:
    return Row(f"{case.family}: {line.name}", None, None, None, line.tolerance, reason, verdict)


def _shown(value: Any) -> float | None:
    values = np.asarray(value, dtype=np.float64)
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None

"""The verdicts of a case: results agree, differ, were not computed, or are not decided by these data."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyfcrm.errors import PyfcrmError

from ..to_r.session import REnded
from .case import Case, Line, Problem, Results, Row, embedded, largest_relative_difference, same_bits

OK, FAIL, SKIPPED, NOT_RUN = "ok", "FAIL", "skipped", "FAIL: did not run"
UNDECIDED = 1e-6  # a larger bound would not detect a fault
VARIANTS, SAFETY = 4, 10  # changes of the data within rounding; factor on the largest change of a result
REFUSED = 1e-3  # a smaller difference is not decided if R refuses data that are changed within rounding
EMPTY = "nothing to compare: neither side has a number"


def judge(case: Case, problem: Problem) -> list[Row]:
    """One row a line. "ok" and "FAIL" compared numbers; "FAIL: did not run" could not.

    A line is skipped in two cases only. First, its difference is within a bound that follows from the condition of the data
    (`_bounded`). Second, the comparison is not defined on these data, or R refuses them, and the same line agrees on the
    simulated data (`_set_aside`). An agency's R file that stops did not run, whatever the data.
    """
    reason = case.incomparable(problem) if case.incomparable else None
    if reason is not None:
        return _set_aside(case, problem, f"not compared: {reason}")
    python, refused = _attempt(case.python, problem)
    r, stopped = _attempt(case.r, problem)
    if refused is not None and stopped is not None:
        return _set_aside(case, problem, f"both refuse these data. Python: {refused}. R: {stopped}")
    if stopped is not None and case.option == "--ipso-r" and problem.ipso_path is not None:
        return [_without_numbers(case, line, NOT_RUN, f"the R file stopped: {stopped}") for line in case.lines]
    if stopped is not None:
        return _set_aside(case, problem, f"R does not cover these data: {stopped}")
    if refused is not None:
        return [_without_numbers(case, line, FAIL, f"Python refused what R computed: {refused}") for line in case.lines]
    rows = [_compared(case, line, python[line.name], r[line.name]) for line in case.lines]
    if any(row.reason == EMPTY for row in rows):
        others = _set_aside(case, problem, EMPTY)
        rows = [other if row.reason == EMPTY else row for row, other in zip(rows, others, strict=True)]
    return rows if case.exact or all(row.verdict != FAIL for row in rows) else _within_rounding(case, problem, rows, r)


def _set_aside(case: Case, problem: Problem, reason: str) -> list[Row]:
    """Rows without numbers: skipped if the same lines agree on the simulated data, else not run."""
    control = {}
    if not problem.simulated:
        control = {row.what: row for row in judge(case, embedded(problem.seed, problem.ipso_path))}
    rows = []
    for line in case.lines:
        row = control.get(f"{case.family}: {line.name}")
        if row is not None and row.verdict == OK:
            limits = f"on the simulated data the difference is {row.difference:.1g}, the bound {row.tolerance:.1g}"
            rows.append(_without_numbers(case, line, SKIPPED, f"{reason}; {limits}"))
        else:
            rows.append(_without_numbers(case, line, NOT_RUN, reason))
    return rows


def _within_rounding(case: Case, problem: Problem, rows: list[Row], r: Results) -> list[Row]:
    """The rows, their differences compared with the changes of the project's own R results for data changed within rounding."""
    own = replace(problem, ipso_path=None)
    base = r if problem.ipso_path is None else _attempt(case.r, own)[0]
    changed: list[Results] = []
    judged = rows
    for variant in range(VARIANTS):
        changed.append(_attempt(case.perturbed_r, own, variant)[0])
        judged = [_bounded(row, line, base, changed) for row, line in zip(rows, case.lines, strict=True)]
        if all(new is row or new.verdict == SKIPPED for row, new in zip(rows, judged, strict=True)):
            break  # further variants would only increase the bounds
    return judged


def _bounded(row: Row, line: Line, base: Results, changed: Sequence[Results]) -> Row:
    """The row; if it failed, its verdict by a bound that follows from the condition of the data.

    base : R's results; changed : R's results for data changed within rounding, empty if it refuses them.
    The bound is ten times the largest change. Above 1e-6, four changes are a weak estimate of the largest one: a difference
    within ten times the bound is not decided, and skipped.
    """
    if row.verdict != FAIL or line.tolerance == 0 or row.difference is None:
        return row
    if not (base and all(changed)):
        if row.difference > REFUSED:
            return row
        reason = "not decided: R refuses these data after changes within rounding; not judged are differences up to"
        return replace(row, tolerance=REFUSED, reason=f"{reason} {REFUSED:g}", verdict=SKIPPED)
    negligible = line.negligible / SAFETY  # so that a smaller change allows no larger difference than a negligible one
    change = max(largest_relative_difference(base[line.name], other[line.name], negligible) for other in changed)
    bound = max(SAFETY * change, line.tolerance)
    if bound > UNDECIDED:
        bound *= SAFETY
    within = row.difference <= bound
    if within and bound > UNDECIDED:
        reason = f"not decided: rounding of these data changes R's own value by {change:.1g}; the bound is {bound:.1g}"
        return replace(row, tolerance=bound, reason=reason, verdict=SKIPPED)
    reason = (
        f"{line.reason}; ten times the change of R's own value, {change:.1g}, after changes of the data within rounding"
    )
    return replace(row, tolerance=bound, reason=reason, verdict=OK if within else FAIL)


def _attempt(compute: Callable[..., Results], *arguments: Any) -> tuple[Results, str | None]:
    try:
        return compute(*arguments), None
    except REnded:  # then no verdict is possible
        raise
    except (PyfcrmError, ArithmeticError, np.linalg.LinAlgError) as error:
        return {}, " ".join(str(error).split())


def _compared(case: Case, line: Line, python: Any, r: Any) -> Row:
    if _empty(python) and _empty(r) and np.shape(python) == np.shape(r):
        return _without_numbers(case, line, SKIPPED, EMPTY)
    difference = largest_relative_difference(python, r, line.negligible)
    agrees = same_bits(python, r) if line.tolerance == 0 else difference <= line.tolerance
    return Row(
        f"{case.family}: {line.name}", _mean(python), _mean(r), difference if np.isfinite(difference) else None,
        line.tolerance, line.reason, OK if agrees else FAIL,
    )  # fmt: skip


def _empty(value: Any) -> bool:
    return bool(np.isnan(np.asarray(value, dtype=np.float64)).all())


def _without_numbers(case: Case, line: Line, verdict: str, reason: str) -> Row:
    return Row(f"{case.family}: {line.name}", None, None, None, line.tolerance, reason, verdict)


def _mean(value: Any) -> float | None:
    values = np.asarray(value, dtype=np.float64)
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None


def nothing_compared(rows: Mapping[str, Sequence[Row]]) -> list[str]:
    """The names of those groups of rows of which none was compared."""
    return [name for name, group in rows.items() if all(row.verdict in (SKIPPED, NOT_RUN) for row in group)]

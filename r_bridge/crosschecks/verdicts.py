"""The verdicts of a case: results agree, differ, were not computed, or are not decided by these data."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pyfcrm.errors import InvalidInput, PyfcrmError
from pyfcrm.numerics.design import RANK_TOL

from ..to_r.session import REnded
from .case import Case, Line, Problem, Results, Row, largest_relative_difference, same_bits

OK = "ok"
FAIL = "FAIL"
NOT_RUN = "FAIL: did not run"
UNDECIDED = "undecided"
SKIPPED = "skipped"
ROUNDING = 1e-12  # times the condition number of the data: the largest difference that rounding of the data explains
LARGEST_BOUND = 1e-6  # a larger bound would not detect a fault
OPEN_RANK = 0.1 / RANK_TOL  # of a worse condition, rounding decides which columns both sides drop as collinear
EMPTY = "nothing to compare: neither side has a number"
UNSTABLE = "R gives another result at its second call with the same arguments from the same stream"


def judge(case: Case, problem: Problem) -> list[Row]:
    """One row a line.

    R computes each result twice; unequal bits are "FAIL". On the built-in data a line is "ok" within its tolerance, else "FAIL";
    what was not compared is "FAIL: did not run". On a user's file, too, differences within the tolerance are "ok". Beyond it
    the data decide (`_explained`), never the stability of R's code:

    - "ok": within the bound, 1e-12 times the condition number of the data, at most 1e-6;
    - "undecided": beyond the bound, but within what rounding of the data explains;
    - "FAIL": all other differences;
    - "skipped": a comparison that is not defined on these data, or that both sides or our R code refuse, if the same line
      agrees on all built-in data. An agency's R file that stops did not run, whatever the data.
    """
    reason = case.incomparable(problem) if case.incomparable else None
    if reason is not None:
        return _set_aside(case, problem, f"not compared: {reason}")
    python, python_error = _attempt(case.python, problem)
    r, r_error = _attempt(case.r, problem)
    second, second_error = _attempt(case.r, problem.repeated)
    if (r_error is None) != (second_error is None):
        return [
            _without_numbers(case, problem, line, FAIL, f"{UNSTABLE}: {r_error or second_error}") for line in case.lines
        ]
    if r_error is not None:
        return _without_r(case, problem, python_error, r_error)
    if python_error is not None:
        refusal = f"Python refused what R computed: {python_error}"
        return [_without_numbers(case, problem, line, FAIL, refusal) for line in case.lines]
    rows = []
    undefined = None  # rows of the whole case as not defined, made once if they are needed
    for line in case.lines:
        row = _compared(case, problem, line, python[line.name], r[line.name])
        if not same_bits(r[line.name], second[line.name]):
            row = replace(row, verdict=FAIL, reason=UNSTABLE)
        elif row.reason == EMPTY:
            if undefined is None:
                undefined = {other.what: other for other in _set_aside(case, problem, EMPTY)}
            row = undefined[row.what]
        rows.append(row)
    return rows


def _without_r(case: Case, problem: Problem, python_error: BaseException | None, r_error: BaseException) -> list[Row]:
    """Rows of a case that R did not compute."""
    is_agency_file = case.option == "--ipso-r" and problem.ipso_path is not None
    if is_agency_file and isinstance(r_error, InvalidInput):
        reason = f"the result of the R file: {r_error}"
        return [_without_numbers(case, problem, line, FAIL, reason) for line in case.lines]
    if is_agency_file and python_error is None:
        reason = f"the R file stopped: {r_error}"
        return [_without_numbers(case, problem, line, NOT_RUN, reason) for line in case.lines]
    if python_error is not None:
        return _set_aside(case, problem, f"both refuse these data. Python: {python_error}. R: {r_error}")
    return _set_aside(case, problem, f"R does not cover these data: {r_error}")


def _set_aside(case: Case, problem: Problem, reason: str) -> list[Row]:
    """Rows without numbers: skipped on a user's file if the same lines agree on all built-in data, else not run."""
    agreeing = set() if problem.built_in else _agreeing_lines(case, problem)
    rows = []
    for line in case.lines:
        if line.name in agreeing:
            note = f"{reason}; on the built-in data this row agrees within {line.tolerance:g}"
            rows.append(_without_numbers(case, problem, line, SKIPPED, note))
        else:
            rows.append(_without_numbers(case, problem, line, NOT_RUN, reason))
    return rows


def _agreeing_lines(case: Case, problem: Problem) -> set[str]:
    """The names of the lines that agree on all built-in data."""
    names = {line.name for line in case.lines}
    for other in problem.controls:
        agreeing = {row.what for row in judge(case, other) if row.verdict == OK}
        names = {name for name in names if f"{case.family}: {name}" in agreeing}
    return names


def _attempt(compute: Callable[[Problem], Results], problem: Problem) -> tuple[Results, BaseException | None]:
    """The results, or the error by which a side refuses the data."""
    try:
        return compute(problem), None
    except REnded:  # then no verdict is possible
        raise
    except (PyfcrmError, ArithmeticError, np.linalg.LinAlgError) as error:
        return {}, error


def _compared(case: Case, problem: Problem, line: Line, python: Any, r: Any) -> Row:
    """The row of two results."""
    if _empty(python) and _empty(r) and np.shape(python) == np.shape(r):
        return _without_numbers(case, problem, line, SKIPPED, EMPTY)
    difference = largest_relative_difference(python, r, line.negligible)
    row = Row(
        what=f"{case.family}: {line.name}",
        data=problem.name,
        python=_mean(python),
        r=_mean(r),
        difference=difference if np.isfinite(difference) else None,
        tolerance=line.tolerance,
        reason=line.reason,
        verdict=OK,
    )
    agrees = same_bits(python, r) if line.tolerance == 0 else difference <= line.tolerance
    if agrees:
        return row
    if problem.built_in or row.difference is None:
        return replace(row, verdict=FAIL)
    distance = float(np.nanmax(np.abs(np.asarray(python) - np.asarray(r))))
    return _explained(case, problem, line, row, distance)


def _explained(case: Case, problem: Problem, line: Line, row: Row, distance: float) -> Row:
    """The row of a user's file that differs by more than its tolerance, with its verdict by the condition of the data.

    distance : the largest difference, in the unit of the result. The condition number does not bound results that
    count records, nor variances of correlations near 1: their lines state how far rounding can change them.
    """
    difference = row.difference
    assert difference is not None
    if line.tolerance > 0 and not case.exact:
        rounding = ROUNDING * problem.condition
        if problem.condition > OPEN_RANK:
            rounding = np.inf
        source = f"1e-12 times the condition number of these data, {problem.condition:.1g}"
        bound = max(line.tolerance, min(rounding, LARGEST_BOUND))
        row = replace(row, tolerance=bound, reason=f"{line.reason}; {source}, at most {LARGEST_BOUND:g}")
        if difference <= bound:
            return row
        if difference <= rounding:
            reason = f"not decided: rounding explains {rounding:.1g}, {source}"
            return replace(row, verdict=UNDECIDED, reason=reason)
    if line.rounding is not None and distance <= line.rounding(problem):
        reason = "not decided: ties, or correlations near 1, in these data, or few records in a stratum: rounding can change it so far"
        return replace(row, verdict=UNDECIDED, reason=reason)
    return replace(row, verdict=FAIL)


def _empty(value: Any) -> bool:
    """True if a result has no number."""
    return bool(np.isnan(np.asarray(value, dtype=np.float64)).all())


def _without_numbers(case: Case, problem: Problem, line: Line, verdict: str, reason: str) -> Row:
    """A row whose results were not compared, with the reason on one line."""
    return Row(
        what=f"{case.family}: {line.name}",
        data=problem.name,
        python=None,
        r=None,
        difference=None,
        tolerance=line.tolerance,
        reason=" ".join(reason.split()),
        verdict=verdict,
    )


def _mean(value: Any) -> float | None:
    """The mean of the finite numbers of a result; None without any."""
    values = np.asarray(value, dtype=np.float64)
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None

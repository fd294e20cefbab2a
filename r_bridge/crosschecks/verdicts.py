"""The verdicts of a case: what agrees, what differs, what did not run, and what these data leave open."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from pyfcrm.errors import PyfcrmError

from ..to_r.session import REnded
from .case import Case, Line, Problem, Results, Row, embedded, largest_relative_difference, same_bits

OK, FAIL, SKIPPED, NOT_RUN = "ok", "FAIL", "skipped", "FAIL: did not run"
UNDECIDED = 1e-6  # a bound above it would let a fault through
WAYS, SAFETY = 4, 10  # in which the data are moved; on the largest movement seen
REFUSED = 1e-3  # left open where R refuses the data that moved by their last digits
EMPTY = "nothing to compare: neither side has a number"


def judge(case: Case, ground: Problem) -> list[Row]:
    """One row a line. "ok" and "FAIL" compared numbers; "FAIL: did not run" could not.

    A line that these data do not decide is skipped in two cases only. Its difference is within a bound from the data's
    own condition (`_bounded`). Or the comparison has no meaning on these data, or R refuses them, and then the same line
    agrees on the simulated data (`_set_aside`). An agency's R file that stops did not run, whatever the data.
    """
    reason = case.unfair(ground)
    if reason is not None:
        return _set_aside(case, ground, f"not compared: {reason}")
    python, refused = _attempt(case.python, ground)
    r, stopped = _attempt(case.r, ground)
    if refused is not None and stopped is not None:
        return _set_aside(case, ground, f"both refuse these data. Python: {refused}. R: {stopped}")
    if stopped is not None and case.option == "--ipso-r" and ground.ipso_path is not None:
        return [_without_numbers(case, line, NOT_RUN, f"the R file stopped: {stopped}") for line in case.lines]
    if stopped is not None:
        return _set_aside(case, ground, f"R does not cover these data: {stopped}")
    if refused is not None:
        return [_without_numbers(case, line, FAIL, f"Python refused what R computed: {refused}") for line in case.lines]
    rows = [_compared(case, line, python[line.name], r[line.name]) for line in case.lines]
    rows = _without_empty(case, ground, rows)
    if case.moved is None or all(row.verdict != FAIL for row in rows):
        return rows
    return _within_movement(case, ground, rows, r)


def _set_aside(case: Case, ground: Problem, reason: str) -> list[Row]:
    """Rows without numbers on these data: skipped where the same lines agree on the simulated data, else not run."""
    control = {}
    if not ground.simulated:
        control = {row.what: row for row in judge(case, embedded(ground.seed, ground.ipso_path))}
    rows = []
    for line in case.lines:
        found = control.get(f"{case.family}: {line.name}")
        if found is not None and found.verdict == OK:
            limits = f"on the simulated data the difference is {found.difference:.1g}, the bound {found.tolerance:.1g}"
            rows.append(_without_numbers(case, line, SKIPPED, f"{reason}; {limits}"))
        else:
            rows.append(_without_numbers(case, line, NOT_RUN, reason))
    return rows


def _without_empty(case: Case, ground: Problem, rows: list[Row]) -> list[Row]:
    """The rows; those where neither side has a number are set aside."""
    if all(row.reason != EMPTY for row in rows):
        return rows
    aside = _set_aside(case, ground, EMPTY)
    return [other if row.reason == EMPTY else row for row, other in zip(rows, aside, strict=True)]


def _within_movement(case: Case, ground: Problem, rows: list[Row], r: Results) -> list[Row]:
    """The rows, their differences measured against what the project's own R code moves by when the data move."""
    assert case.moved is not None
    own = replace(ground, ipso_path=None)
    base = r if ground.ipso_path is None else _attempt(case.r, own)[0]
    others: list[Results] = []
    judged = rows
    for way in range(WAYS):
        others.append(_attempt(case.moved, own, way)[0])
        judged = [_bounded(row, line, base, others) for row, line in zip(rows, case.lines, strict=True)]
        if all(now is row or now.verdict == SKIPPED for row, now in zip(rows, judged, strict=True)):
            break  # further ways would only widen the bounds
    return judged


def _bounded(row: Row, line: Line, base: Results, others: Sequence[Results]) -> Row:
    """The row, or where it failed what a bound from the data's own condition makes of it.

    base : what R gives; others : what it gives where the data move, empty where it refuses them.
    The bound is ten times the largest movement. Above 1e-6 four movements say little of the largest: what holds within
    ten times the bound is not decided, and skipped.
    """
    if row.verdict != FAIL or line.tolerance == 0 or row.difference is None:
        return row
    if not (base and all(others)):
        if row.difference > REFUSED:
            return row
        words = "not decided: R refuses these data where they move by their last digits; a difference up to"
        return replace(row, tolerance=REFUSED, reason=f"{words} {REFUSED:g} is left open", verdict=SKIPPED)
    nothing = line.nothing / SAFETY  # so that what moves by less cannot differ by more than nothing
    moves = max(largest_relative_difference(base[line.name], moved[line.name], nothing) for moved in others)
    bound = max(SAFETY * moves, line.tolerance)
    if bound > UNDECIDED:
        bound *= SAFETY
    held = row.difference <= bound
    if held and bound > UNDECIDED:
        words = "not decided: these data leave R's own value open by"
        return replace(row, tolerance=bound, reason=f"{words} {moves:.1g}; the bound is {bound:.1g}", verdict=SKIPPED)
    words = (
        f"{line.reason}; ten times what R's own value moves by, {moves:.1g}, where its data move by their last digits"
    )
    return replace(row, tolerance=bound, reason=words, verdict=OK if held else FAIL)


def _attempt(compute: Callable[..., Results], *arguments: Any) -> tuple[Results, str | None]:
    try:
        return compute(*arguments), None
    except REnded:  # no answer is not an answer
        raise
    except (PyfcrmError, ArithmeticError, np.linalg.LinAlgError) as error:
        return {}, " ".join(str(error).split())


def _compared(case: Case, line: Line, python: Any, r: Any) -> Row:
    if _empty(python) and _empty(r) and np.shape(python) == np.shape(r):
        return _without_numbers(case, line, SKIPPED, EMPTY)
    difference = largest_relative_difference(python, r, line.nothing)
    held = same_bits(python, r) if line.tolerance == 0 else difference <= line.tolerance
    return Row(
        f"{case.family}: {line.name}", _shown(python), _shown(r), difference if np.isfinite(difference) else None,
        line.tolerance, line.reason, OK if held else FAIL,
    )  # fmt: skip


def _empty(value: Any) -> bool:
    return bool(np.isnan(np.asarray(value, dtype=np.float64)).all())


def _without_numbers(case: Case, line: Line, verdict: str, reason: str) -> Row:
    return Row(f"{case.family}: {line.name}", None, None, None, line.tolerance, reason, verdict)


def _shown(value: Any) -> float | None:
    values = np.asarray(value, dtype=np.float64)
    finite = values[np.isfinite(values)]
    return float(finite.mean()) if finite.size else None


def nothing_compared(rows: Mapping[str, Sequence[Row]]) -> list[str]:
    """The names of those groups of rows of which none was compared."""
    return [name for name, group in rows.items() if all(row.verdict in (SKIPPED, NOT_RUN) for row in group)]

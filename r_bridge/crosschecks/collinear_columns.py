"""Releases of files with a predictor and a dependent column that are sums of others."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial

from .agency import CASES as BY_THE_THESIS
from .agency import REQUESTS
from .case import Case, Line, Problem, Results
from .hard_files import collinear
from .synthesis import ON_ARRAYS


def _line_on_collinear(line: Line) -> Line:
    """The line of a case on the problem with collinear columns, with the effect of rounding on that problem."""
    rounding = line.rounding
    if rounding is not None:
        rounding = partial(_rounding_on_collinear, rounding)
    return replace(line, name=f"collinear columns, {line.name}", rounding=rounding)


def _rounding_on_collinear(rounding: Callable[[Problem], float], problem: Problem) -> float:
    return rounding(collinear(problem))


def _on_collinear(case: Case) -> Case:
    """The case on the problem with collinear columns.

    Never by an agency's file: the thesis's listing is not for such columns, r_scripts/ipso.R is.
    """

    def renamed(results: Results) -> Results:
        """Results under the names of these lines."""
        return {f"collinear columns, {name}": value for name, value in results.items()}

    return replace(
        case,
        python=lambda problem: renamed(case.python(collinear(problem))),
        r=lambda problem: renamed(case.r(collinear(problem))),
        lines=tuple(_line_on_collinear(line) for line in case.lines),
        option="",
    )


# Of the thesis's variant the first request of each kind: all records, columns in order.
FIRST_REQUESTS = BY_THE_THESIS[:: len(REQUESTS)]
CASES = tuple(map(_on_collinear, (*ON_ARRAYS, *FIRST_REQUESTS)))

"""Releases of files with a predictor and a dependent column that are sums of others."""

from dataclasses import replace

from .agency import CASES as BY_THE_THESIS
from .agency import REQUESTS
from .case import Case, Results
from .hard_files import collinear
from .synthesis import ON_ARRAYS


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
        lines=tuple(replace(line, name=f"collinear columns, {line.name}") for line in case.lines),
        option="",
    )


# Of the thesis's variant the first request of each kind: all records, columns in order.
FIRST_REQUESTS = BY_THE_THESIS[:: len(REQUESTS)]
CASES = tuple(map(_on_collinear, (*ON_ARRAYS, *FIRST_REQUESTS)))

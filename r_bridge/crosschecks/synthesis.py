"""Releases of methods on arrays, and of protect() on a file with categories.

Of protect(): as it is, with survey weights, by strata and within levels.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfcrm.methods import Method
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..columns import Columns
from ..frames import from_frame
from ..to_r import reference
from ..to_r.reference import Release
from .case import Case, Line, Problem, Results, single
from .fits import CLUSTERS
from .rounding import open_cuts, open_ranks
from .syntheses import (
    CALIBRATED,
    EXACT_NORMAL,
    FLEXIBLE,
    FUZZY_OF_STRATA,
    HYBRIDS,
    IPSO_KINDS,
    NORMAL,
    PERMUTED,
    RANKED,
    SYNTHESES,
    TREES,
    Synthesis,
)  # fmt: skip

if TYPE_CHECKING:
    import pandas as pd

    from pyfcrm import Roles

RELEASE = "release"
STATE = ".Random.seed, after the draws"
CATEGORIES = "; categories by model.matrix with contr.treatment in R"
FLEXIBLE_RECORDS = 176  # one dependent column with nine predictors has 11 sums, a sixteenth of it
# Columns of `survey`.
WEIGHT = "survey weight"
STRATUM = "stratum"
DISTRICT = "district"


def _of_arrays(synthesis: Synthesis) -> Case:
    """A release of X and Y, and the end of its stream."""

    def results(release: Release) -> Results:
        """A release and the state after it, by line."""
        return {
            f"{synthesis.label}{RELEASE}": release.Z,
            f"{synthesis.label}{STATE}": release.stream.to_r_state(),
        }

    def python(problem: Problem) -> Results:
        """The release of the method."""
        stream = RStream(problem.seed)
        return results(Release(synthesis.method.protect(problem.X, problem.Y, stream), stream))

    def r(problem: Problem) -> Results:
        """The release of the reference implementation."""
        return results(synthesis.r(problem.X, problem.Y, problem.seed))

    def order(problem: Problem) -> float:
        """Infinite if rounding can change the ranks by which values are placed, else 0."""
        wrapped = synthesis.method.wrapped
        assert wrapped is not None
        return open_ranks(wrapped.protect(problem.X, problem.Y, RStream(problem.seed)), problem.condition)

    by_ranks = order if synthesis is RANKED else None
    lines = (
        Line(f"{synthesis.label}{RELEASE}", synthesis.tolerance, synthesis.reason, rounding=by_ranks),
        Line(f"{synthesis.label}{STATE}", 0.0, "as many numbers drawn"),
    )
    return Case(synthesis.family, python, r, lines)


def survey(problem: Problem) -> pd.DataFrame:
    """The file with a category, and with survey weights, strata of unequal size and districts of which one is small.

    In the stratum "east" the last dependent column and the first independent one have one value.
    """
    frame = problem.mixed.copy()
    records = np.arange(len(frame))
    golden = (records + 1) * 0.6180339887498949 % 1  # fractions spread evenly over 0 to 1
    strata = np.select([records % 25 < 7, records % 25 < 15], ["east", "north"], "west").astype(object)
    districts = np.array(["b", "b", "a", "b", "c", "a", "b"], dtype=object)[records % 7]
    for name in (frame.columns[0], frame.columns[-1]):
        if frame[name].dtype.kind == "f":
            frame.loc[strata == "east", name] = frame[name].iloc[0]
    frame[WEIGHT] = np.round(20 + 80 * golden, 1)
    frame[STRATUM] = strata
    frame[DISTRICT] = districts
    return frame


def _roles(problem: Problem) -> Roles:
    """The columns of the file with a category."""
    from pyfcrm import Roles

    names = [str(name) for name in problem.mixed]
    t = problem.Y.shape[1]
    return Roles(names[:-t], names[-t:])


def protected_values(method: Method, frame: pd.DataFrame, roles: Roles, seed: int, **options: Any) -> Array:
    """The release of a file by pf.protect(), in its order; no value is rounded or bounded, and no rule is looked for.

    options : of protect().
    """
    from pyfcrm import protect

    released = protect(
        frame,
        method,
        roles,
        seed=seed,
        variables="numbers",
        structure=None,
        shuffle=False,
        allow_unprotected=True,
        **options,
    )
    assert released.frame is not None
    values: Array = released.frame[list(roles.dependent)].to_numpy(dtype=np.float64)
    return values


def predictor_table(frame: pd.DataFrame, roles: Roles) -> Columns:
    """The predictors of a file, for R."""
    return from_frame(frame[list(roles.independent)])


def design_matrix(frame: pd.DataFrame, roles: Roles) -> Array:
    """The predictors of a file as numbers (n, s), categories as 0 and 1."""
    from pyfcrm.data import open_frame
    from pyfcrm.data.predictors import coded_predictors

    opened = open_frame("crosscheck", frame)
    coded = coded_predictors("crosscheck", opened, roles)
    return coded.frame(opened).matrix(coded.roles.independent)


def _with_category(synthesis: Synthesis) -> Case:
    """A release by protect() of the file with a category."""

    def python(problem: Problem) -> Array:
        """The release (n, t) by pf.protect()."""
        return protected_values(synthesis.method, problem.mixed, _roles(problem), problem.seed)

    def r(problem: Problem) -> Array:
        """The release (n, t) of the reference implementation, with the table of predictors."""
        return synthesis.r(predictor_table(problem.mixed, _roles(problem)), problem.Y, problem.seed).Z

    name = f"{synthesis.family}, {synthesis.label}with a category"
    return single("protect()", Line(name, synthesis.tolerance, synthesis.reason + CATEGORIES), python, r)


def _with_options(synthesis: Synthesis, label: str, function: str, **options: str) -> Case:
    """A release by protect() with options, which in R is that of a function around the synthesis.

    options : of protect(), of weights, strata and preserve, each with the name of its column.
    """

    def python(problem: Problem) -> Array:
        """The release (n, t) by pf.protect() with the options."""
        return protected_values(
            synthesis.method, survey(problem), _roles_with(problem, options), problem.seed, **options
        )

    def r(problem: Problem) -> Array:
        """The release (n, t) of the R function around the synthesis: w are the weights, strata and column its groups."""
        frame = survey(problem)
        roles = _roles_with(problem, options)
        arguments: dict[str, Any] = {"synthesis": synthesis.function, **synthesis.arguments}
        if "weights" in options:
            arguments["w"] = frame[options["weights"]].to_numpy()
        elif function != "with_weights":
            arguments["w"] = None
        if "strata" in options:
            arguments["strata"] = from_frame(frame[[options["strata"]]])
        if "preserve" in options:
            arguments["column"] = frame[options["preserve"]].tolist()
        Y = frame[list(roles.dependent)].to_numpy(dtype=np.float64)
        return reference.synthesis(function, predictor_table(frame, roles), Y, problem.seed, **arguments).Z

    name = f"{synthesis.family}, {synthesis.label}{label}"
    few = _few_records_in_clusters if synthesis is FUZZY_OF_STRATA else None
    line = Line(name, synthesis.tolerance, synthesis.reason + CATEGORIES, rounding=few)
    return single("protect()", line, python, r, incomparable=lambda problem: _too_small(problem, options))


def _roles_with(problem: Problem, options: Mapping[str, str]) -> Roles:
    """The roles, where levels are preserved of one number that predicts another: all sums need ten records each in a level."""
    from pyfcrm import Roles

    roles = _roles(problem)
    return Roles(roles.independent[:1], roles.dependent[:1]) if "preserve" in options else roles


def _few_records_in_clusters(problem: Problem) -> float:
    """Infinite if a stratum has fewer than three records for each column in each cluster, else 0.

    Then weighted fits are nearly singular, and rounding is amplified in each round.
    """
    columns = 1 + design_matrix(problem.mixed, _roles(problem)).shape[1]
    smallest = int(survey(problem)[STRATUM].value_counts().min())
    return float("inf") if smallest < 3 * CLUSTERS * columns else 0.0


def _too_small(problem: Problem, options: Mapping[str, str]) -> str | None:
    """The reason if weights, strata or levels are not defined on so few records, else None."""
    frame = survey(problem)
    roles = _roles_with(problem, options)
    n, t = len(problem.Y), len(roles.dependent)
    s = design_matrix(frame, roles).shape[1]
    columns = (1 + s) * (2 if "weights" in options else 1)
    smallest = int(frame[STRATUM].value_counts().min()) if "strata" in options else n
    levels = frame[DISTRICT].nunique() if "preserve" in options else 1
    # Calibrated and EGADP need 1 + s + 2t records, and protect() at most one sum for three values.
    if smallest < max(columns + 2 * t, 3 * columns * levels):
        return f"{smallest} records are too few for {columns * levels} columns of a design and {t} dependent ones"
    return None


def _few_sums(problem: Problem) -> tuple[Array, Array]:
    """Predictors (n, 2), one in five bands by record and one of many values, and one dependent column (n, 1).

    Their flexible basis has at most 9 columns: more than a sixteenth as many sums as records would be limited, which R is not.
    """
    bands = 20.0 + 5 * (np.arange(len(problem.X)) % 5)
    return np.column_stack([bands, problem.X[:, 0]]), problem.Y[:, :1]


def _on_flexible_basis(synthesis: Synthesis) -> Case:
    """A release (n, 1) on the flexible basis, which the reference implementation makes by model.matrix and ns."""

    def python(problem: Problem) -> Array:
        X, Y = _few_sums(problem)
        return synthesis.method.protect(X, Y, RStream(problem.seed))

    def r(problem: Problem) -> Array:
        X, Y = _few_sums(problem)
        return synthesis.r(X, Y, problem.seed).Z

    return single(
        synthesis.family,
        Line(f"{synthesis.label}{RELEASE}", synthesis.tolerance, synthesis.reason),
        python,
        r,
        incomparable=_too_few_for_a_basis,
    )


def _too_few_for_a_basis(problem: Problem) -> str | None:
    """The reason if the columns of the flexible basis would be limited, else None."""
    n = len(problem.X)
    return f"{n} records are too few for nine columns of a flexible basis" if n < FLEXIBLE_RECORDS else None


def _first_column(problem: Problem) -> tuple[Array, Array]:
    """The first dependent column (n, 1), and all other columns (n, s + t - 1) as its predictors.

    Of predictors that are unmodified, cuts that part the originals equally well and in the same way part the release in the same way.
    """
    return np.column_stack([problem.X, problem.Y[:, 1:]]), problem.Y[:, :1]


def _of_trees(synthesis: Synthesis) -> Case:
    """A release (n, 1) by a tree."""

    def python(problem: Problem) -> Array:
        X, Y = _first_column(problem)
        return synthesis.method.protect(X, Y, RStream(problem.seed))

    def r(problem: Problem) -> Array:
        X, Y = _first_column(problem)
        return synthesis.r(X, Y, problem.seed).Z

    return single(
        synthesis.family,
        Line(
            f"{synthesis.label}{RELEASE}",
            synthesis.tolerance,
            synthesis.reason,
            rounding=lambda problem: open_cuts(synthesis.method, *_first_column(problem), problem.seed),
        ),
        python,
        r,
    )


WEIGHTED = (*IPSO_KINDS.values(), NORMAL, EXACT_NORMAL, HYBRIDS[1], CALIBRATED[0])
BY_STRATA = (
    FUZZY_OF_STRATA,
    *IPSO_KINDS.values(),
    NORMAL,
    EXACT_NORMAL,
    *HYBRIDS,
    PERMUTED,
    CALIBRATED[0],
    CALIBRATED[2],
)
BOTH = (IPSO_KINDS["C"], NORMAL, EXACT_NORMAL, CALIBRATED[0])
ON_ARRAYS = tuple(map(_of_arrays, SYNTHESES))
CASES = (
    *ON_ARRAYS,
    single(
        "protect()",
        Line("design of the predictors, model.matrix", 0.0, "numbers unchanged, categories as 0 and 1"),
        lambda problem: design_matrix(problem.mixed, _roles(problem)),
        lambda problem: reference.predictors(predictor_table(problem.mixed, _roles(problem)), problem.Y),
    ),
    *map(_with_category, SYNTHESES),
    *map(_on_flexible_basis, FLEXIBLE),
    _of_trees(TREES),
    *(_with_options(each, "with survey weights", "with_weights", weights=WEIGHT) for each in WEIGHTED),
    *(_with_options(each, "by strata", "by_strata", strata=STRATUM) for each in BY_STRATA),
    *(
        _with_options(each, "with survey weights, by strata", "by_strata", strata=STRATUM, weights=WEIGHT)
        for each in BOTH
    ),
    *(_with_options(each, "within levels", "within_levels", preserve=DISTRICT) for each in (IPSO_KINDS["B"], NORMAL)),
    *(
        _with_options(each, "with survey weights, within levels", "within_levels", weights=WEIGHT, preserve=DISTRICT)
        for each in (IPSO_KINDS["C"], EXACT_NORMAL)
    ),
)

"""Releases of methods on arrays, and of protect() on a file with categories: as it is, with survey weights, by strata and within levels."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfcrm.methods import IPSO, Method
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..columns import Columns
from ..frames import from_frame
from ..to_r import reference
from ..to_r.reference import KINDS, Release
from .case import Case, Line, Problem, Results, other_seed, single
from .syntheses import (
    ALGEBRA,
    CALIBRATED,
    EXACT_NORMAL,
    FUZZY,
    HYBRIDS,
    IPSO_KINDS,
    NORMAL,
    PERMUTED,
    SYNTHESES,
    Synthesis,
)  # fmt: skip

if TYPE_CHECKING:
    import pandas as pd

    from pyfcrm import Roles

Reference = Callable[[Problem, int], Release]
RELEASE, STATE, PREDICTORS = "release", ".Random.seed, after the draws", "predictors"
CATEGORIES = "; categories by model.matrix with contr.treatment in R"
WEIGHT, STRATUM, DISTRICT = "survey weight", "stratum", "district"
DRAWN = {STATE: (0.0, "as many numbers drawn")}
THESIS = {
    RELEASE: (1e-10, ALGEBRA),
    STATE: (0.0, "as many normals drawn: B's block before C's, for every kind"),
    PREDICTORS: (0.0, "unmodified: the same bits in the same records"),
}


def _case(
    family: str,
    label: str,
    method: Method,
    r: Reference,
    lines: Mapping[str, tuple[float, str]],
    *,
    seed_number: int = 0,
    option: str = "",
) -> Case:
    """A release and the end of its stream, by one of several seeds. With an agency's R file no seed is the one its scripts may set."""

    def results(release: Release) -> Results:
        values = {RELEASE: release.Z, STATE: release.stream.to_r_state(), PREDICTORS: release.X}
        return {label + name: values[name] for name in lines}

    def seed(problem: Problem) -> int:
        return other_seed(problem.seed, seed_number + (problem.ipso_path is not None))

    def python(problem: Problem) -> Results:
        stream = RStream(seed(problem))
        return results(Release(method.protect(problem.X, problem.Y, stream), stream, problem.X))

    def reference_results(problem: Problem) -> Results:
        return results(r(problem, seed(problem)))

    return Case(
        family,
        python,
        reference_results,
        tuple(Line(label + name, *line) for name, line in lines.items()),
        option=option,
    )


def survey(problem: Problem) -> pd.DataFrame:
    """The file with a category, and with survey weights, strata of unequal size and districts of which one is small.

    In the stratum "east" the last dependent column and the first independent one have one value.
    """
    frame = problem.mixed.copy()
    records = np.arange(len(frame))
    golden = (records + 1) * 0.6180339887498949 % 1  # fractions spread evenly over 0 to 1
    strata = np.array(["west", "north", "west", "east", "north"], dtype=object)[records % 5]
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


def _protected(method: Method, frame: pd.DataFrame, roles: Roles, seed: int, **options: Any) -> Array:
    """The release of a file by pf.protect(); no value is rounded or bounded. options : of protect()."""
    from pyfcrm import protect

    released = protect(
        frame,
        method,
        roles,
        seed=seed,
        decimals=None,
        bounds=None,
        round_integers=False,
        allow_unprotected=True,
        **options,
    )
    assert released.frame is not None
    values: Array = released.frame[list(roles.dependent)].to_numpy(dtype=np.float64)
    return values


def _predictors(frame: pd.DataFrame, roles: Roles) -> Columns:
    return from_frame(frame[list(roles.independent)])


def _design(frame: pd.DataFrame, roles: Roles) -> Array:
    """(n, s) the predictors as numbers, categories as 0 and 1."""
    from pyfcrm.data import open_frame
    from pyfcrm.data.predictors import coded_predictors

    opened = open_frame("crosscheck", frame)
    coded = coded_predictors("crosscheck", opened, roles)
    return coded.frame(opened).matrix(coded.roles.independent)


def _with_category(synthesis: Synthesis) -> Case:
    """A release by protect() of the file with a category."""

    def python(problem: Problem) -> Array:
        return _protected(synthesis.method, problem.mixed, _roles(problem), problem.seed)

    def r(problem: Problem) -> Array:
        return synthesis.r(_predictors(problem.mixed, _roles(problem)), problem.Y, problem.seed).Z

    name = f"{synthesis.family}, {synthesis.label}with a category"
    return single("protect()", Line(name, synthesis.tolerance, synthesis.reason + CATEGORIES), python, r)


def _with_options(synthesis: Synthesis, label: str, function: str, **options: str) -> Case:
    """A release by protect() with options, which in R is that of a function around the synthesis.

    options : of protect(), of weights, strata and preserve, each with the name of its column.
    """

    def python(problem: Problem) -> Array:
        return _protected(synthesis.method, survey(problem), _roles(problem), problem.seed, **options)

    def r(problem: Problem) -> Array:
        frame = survey(problem)
        roles = _roles(problem)
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
        return reference.synthesis(function, _predictors(frame, roles), Y, problem.seed, **arguments).Z

    name = f"{synthesis.family}, {synthesis.label}{label}"
    line = Line(name, synthesis.tolerance, synthesis.reason + CATEGORIES)
    return single("protect()", line, python, r, incomparable=lambda problem: _too_small(problem, options))


def _too_small(problem: Problem, options: Mapping[str, str]) -> str | None:
    """The reason if weights, strata or levels are not defined on so few records, else None."""
    frame = survey(problem)
    roles = _roles(problem)
    n, t = problem.Y.shape
    s = _design(frame, roles).shape[1]
    columns = (1 + s) * (2 if "weights" in options else 1)
    smallest = int(frame[STRATUM].value_counts().min()) if "strata" in options else n
    levels = frame[DISTRICT].nunique() if "preserve" in options else 1
    # Calibrated and EGADP need 1 + s + 2t records, and protect() at most one sum for three values.
    if smallest < max(columns + 2 * t, 3 * columns * levels):
        return f"{smallest} records are too few for {columns * levels} columns of a design and {t} dependent ones"
    return None


def _by_r(synthesis: Synthesis, problem: Problem, seed: int) -> Release:
    return synthesis.r(problem.X, problem.Y, seed)


def _thesis(problem: Problem, seed: int, kind: str) -> Release:
    return reference.ipso(problem.X, problem.Y, kind, seed, problem.ipso_path)


WEIGHTED = (*IPSO_KINDS.values(), NORMAL, EXACT_NORMAL, HYBRIDS[1], CALIBRATED[0])
BY_STRATA = (FUZZY, *IPSO_KINDS.values(), NORMAL, EXACT_NORMAL, *HYBRIDS, PERMUTED, CALIBRATED[0], CALIBRATED[2])
BOTH = (IPSO_KINDS["C"], NORMAL, EXACT_NORMAL, CALIBRATED[0])
CASES = (
    *(
        _case(
            synthesis.family,
            synthesis.label,
            synthesis.method,
            partial(_by_r, synthesis),
            {RELEASE: (synthesis.tolerance, synthesis.reason)} | DRAWN,
        )
        for synthesis in SYNTHESES
    ),
    *(
        _case(
            "IPSO",
            f"{kind}, thesis, {seed}",
            IPSO(kind, "thesis"),
            partial(_thesis, kind=kind),
            THESIS,
            seed_number=k,
            option="--ipso-r",
        )
        for kind in KINDS
        for k, seed in enumerate(("", "another seed, "))
    ),
    single(
        "protect()",
        Line("design of the predictors, model.matrix", 0.0, "numbers unchanged, categories as 0 and 1"),
        lambda problem: _design(problem.mixed, _roles(problem)),
        lambda problem: reference.predictors(_predictors(problem.mixed, _roles(problem)), problem.Y),
    ),
    *map(_with_category, SYNTHESES),
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

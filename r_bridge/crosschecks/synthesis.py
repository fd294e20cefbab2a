"""GADP, EGADP, hybrids and permutation; and protect() and evaluate() as a user calls them, on a file with a category."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from pyfcrm.methods import EGADP, FCRM, GADP, IPSO, Hybrid, Method, Permutation
from pyfcrm.rstream import RStream
from pyfcrm.types import Array

from ..columns import Columns
from ..frames import from_frame
from ..to_r import reference
from .case import COUNTED, ROUNDING, Case, Line, Problem, Results, by_rounding, single, twin
from .fits import ALGEBRA, CLUSTERS, FEW, RELEASED

if TYPE_CHECKING:
    import pandas as pd

Reference = Callable[[Any, Array, int], reference.Release]
ALPHA, K, ROUNDS = 0.3, 10, 3
CODED = ALGEBRA + "; categories by model.matrix with contr.treatment there"
SYNTHESIS: dict[str, tuple[Method, Reference]] = {
    "GADP": (GADP(), partial(reference.regression_synthesis, "gadp")),
    "EGADP": (EGADP(), partial(reference.regression_synthesis, "egadp")),
    "Hybrid, linear": (Hybrid("linear", ALPHA), partial(reference.regression_synthesis, "hybrid_linear", alpha=ALPHA)),
    "Hybrid, regression": (
        Hybrid("regression", ALPHA),
        partial(reference.regression_synthesis, "hybrid_regression", alpha=ALPHA),
    ),
}
# Of files with a category; what each promises with numbers alone stands in the rows of its own family.
PROTECTED: dict[str, tuple[Method, Reference]] = SYNTHESIS | {
    f"IPSO-{kind}": (IPSO(kind), lambda X, Y, seed, kind=kind: reference.ipso_burridge(X, Y, kind, seed))
    for kind in "ABC"
}


def _released(method: Method, ground: Problem) -> Array:
    return method.protect(ground.X, ground.Y, RStream(ground.seed))


def _case(name: str, method: Method, r: Reference, tolerance: float, reason: str) -> Case:
    line = Line("release", tolerance, reason)
    return single(name, line, partial(_released, method), lambda g: r(g.X, g.Y, g.seed).Z)


def roles(ground: Problem) -> tuple[list[str], list[str]]:
    """The independent and the dependent columns of the mixed file."""
    names = [str(name) for name in ground.mixed]
    return names[: -ground.Y.shape[1]], names[-ground.Y.shape[1] :]


def _protected(method: Method, ground: Problem) -> Array:
    """By pf.protect(), of the mixed file; no value is rounded or bounded."""
    from pyfcrm import Roles, protect

    independent, dependent = roles(ground)
    released = protect(
        ground.mixed, method, Roles(independent, dependent), seed=ground.seed, decimals=None, bounds=None, round_integers=False,
        allow_unprotected=True,
    )  # fmt: skip
    assert released.frame is not None
    values: Array = released.frame[dependent].to_numpy(dtype=np.float64)
    return values


def _with_category(ground: Problem, r: Reference) -> Array:
    return r(_predictors(ground.mixed, roles(ground)[0]), ground.Y, ground.seed).Z


def _predictors(frame: pd.DataFrame, names: list[str]) -> Columns:
    return from_frame(frame[names])


def _fcrm(X: Columns, Y: Array, seed: int) -> reference.Release:
    return reference.fcrm_protect(X, Y, CLUSTERS, seed, max_iter=ROUNDS)


def _design(ground: Problem) -> Array:
    from pyfcrm import Roles
    from pyfcrm.data import open_frame
    from pyfcrm.data.predictors import coded_predictors

    frame = open_frame("crosscheck", ground.mixed)
    coded = coded_predictors("crosscheck", frame, Roles(*roles(ground)))
    return coded.frame(frame).matrix(coded.roles.independent)


def _with_category_case(name: str, method: Method, r: Reference) -> Case:
    line = Line(f"{name}, with a category", 1e-10, CODED)
    return single("protect()", line, partial(_protected, method), partial(_with_category, r=r))


SYNTHESIS_CASES = (
    *(_case(name, method, r, 1e-10, ALGEBRA) for name, (method, r) in SYNTHESIS.items()),
    _case("Permutation", Permutation(K), lambda X, Y, seed: reference.permutation(Y, K, seed), 1e-12, ROUNDING),
    single(
        "protect()",
        Line("design of the predictors, model.matrix", 0.0, "numbers as they are, categories as 0 and 1"),
        _design,
        lambda g: reference.predictors(_predictors(g.mixed, roles(g)[0]), g.Y),
        moves=False,
    ),
    *(_with_category_case(name, method, r) for name, (method, r) in PROTECTED.items()),
    single(
        "protect()",
        Line("FCRM, with a category", RELEASED, FEW + "; categories by model.matrix there"),
        partial(_protected, FCRM(c=CLUSTERS, max_iter=ROUNDS)),
        partial(_with_category, r=_fcrm),
    ),
)
PARTS = {"pil": (1e-8, 1e-9), "dbrl": (1e-12, 0.0), "prl": (1e-12, 0.0), "id": (1e-12, 0.0)}


def _evaluated(ground: Problem) -> Results:
    """By pf.evaluate(), of frames."""
    import pandas as pd

    from pyfcrm import evaluate

    names = [f"y{k}" for k in range(1, ground.Y.shape[1] + 1)]
    report = evaluate(pd.DataFrame(ground.Y, columns=names), pd.DataFrame(ground.near, columns=names), columns=names)
    return {key: report[key] for key in (*PARTS, "dr", "score")}


def _evaluated_r(ground: Problem) -> Results:
    found = {key: float(twin(ground, key, "near")["value"]) for key in PARTS}
    dr = reference.dr(found["dbrl"], found["prl"], found["id"])
    return found | {"dr": dr, "score": reference.score(found["pil"], dr)}


EVALUATE_CASES = (
    Case(
        "evaluate()",
        _evaluated,
        _evaluated_r,
        (
            *(Line(key, tolerance, COUNTED, nothing) for key, (tolerance, nothing) in PARTS.items()),
            Line("dr", 1e-12, COUNTED),
            Line("score", 1e-8, "as PIL, half of it", 1e-9),
        ),
        moved=by_rounding(_evaluated_r),
    ),
)

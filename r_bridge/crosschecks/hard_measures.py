"""Measures of files with ties within rounding, constant columns, many zeros, and likelihoods at a boundary."""

from collections.abc import Callable
from typing import Any

import numpy as np

from pyfcrm.linkage.agreement import Comparison
from pyfcrm.linkage.pairs import Pairs
from pyfcrm.linkage.probabilistic import fitted
from pyfcrm.measures import MEASURES
from pyfcrm.types import Array

from ..to_r import reference
from .case import COUNTED, Case, Line, Problem, Results
from .hard_files import at_boundary, constant_columns, many_zeros, near_ties
from .measures import NEGLIGIBLE, PIL_PARTS, PIL_REASON, REFERENCES

Files = tuple[Array, Array]
CLAMPED = "as many iterations of EM from the same start, to the same clamp and limit; sums in another order"
STOPPED = "counted: identical, as no change of an estimate is within rounding of 1e-10 on this file"
# Linkage and intervals, by line: the measure, and the files.
COUNTS: dict[str, tuple[str, Callable[[Problem], Files]]] = {
    "DBRL, distances that differ by 1e-13 to 1e-10": ("dbrl", lambda problem: near_ties(len(problem.Y))),
    "DBRL, constant columns": ("dbrl", constant_columns),
    "DBRL, many zeros": ("dbrl", many_zeros),
    "PRL, exact, constant columns": ("prl", constant_columns),
    "PRL, tolerance, constant columns": ("prl_tolerance", constant_columns),
    "PRL, exact, likelihood at a boundary": ("prl", lambda problem: at_boundary()),
    "ID, sd, constant columns": ("id", constant_columns),
    "ID, rank, constant columns": ("id_rank", constant_columns),
    "ID, rank, many zeros": ("id_rank", many_zeros),
}
LOSSES = {"constant columns": constant_columns, "many zeros": many_zeros}


def _losses(total: Callable[[Array, Array], Any], problem: Problem) -> Results:
    """PIL and its parts on each of LOSSES, by line. total : gives them for two files."""
    results: dict[str, float] = {}
    for label, files in LOSSES.items():
        results |= {f"{part}, {label}": value for part, value in total(*files(problem)).items()}
    return results


def _pil(X: Array, Z: Array) -> dict[str, float]:
    """PIL and its parts; of one column, those of pairs are NaN."""
    measured = MEASURES["pil"](X, Z)
    parts = {part.name: part.value for part in measured.parts}
    return dict.fromkeys(PIL_PARTS, np.nan) | parts | {"value": measured.total}


def _pil_r(X: Array, Z: Array) -> dict[str, float]:
    """The same by R."""
    result = reference.pil(X, Z)
    return dict(zip(PIL_PARTS, result["parts"], strict=True)) | {"value": result["value"]}


def _boundary(problem: Problem) -> Results:
    """The estimates, their number of iterations and the weights of the patterns, in the order of their numbers."""
    X, Z = at_boundary()
    n, p = X.shape
    patterns = Pairs(Comparison(X, Z, np.zeros(p))).count()
    fit, weights = fitted(patterns, p, n)
    return {"iterations": float(fit.iterations), "weights of patterns": weights, "m, u": np.append(fit.m, fit.u)}


def _boundary_r(problem: Problem) -> Results:
    """The same by R."""
    fit = reference.prl(*at_boundary())
    return {
        "iterations": fit["iterations"],
        "weights of patterns": fit["weights"],
        "m, u": np.append(fit["m"], fit["u"]),
    }


CASES = (
    Case(
        "unusual files",
        lambda problem: {name: MEASURES[key](*files(problem)).total for name, (key, files) in COUNTS.items()},
        lambda problem: {name: REFERENCES[key](*files(problem))["value"] for name, (key, files) in COUNTS.items()},
        tuple(Line(name, 1e-12, COUNTED) for name in COUNTS),
        exact=True,
    ),
    Case(
        "PIL",
        lambda problem: _losses(_pil, problem),
        lambda problem: _losses(_pil_r, problem),
        tuple(
            Line(f"{part}, {label}", 1e-8, PIL_REASON, NEGLIGIBLE) for label in LOSSES for part in ("value", *PIL_PARTS)
        ),
    ),
    Case(
        "PRL",
        lambda problem: {f"boundary, {name}": value for name, value in _boundary(problem).items()},
        lambda problem: {f"boundary, {name}": value for name, value in _boundary_r(problem).items()},
        (
            Line("boundary, iterations", 0.0, STOPPED),
            Line("boundary, weights of patterns", 1e-8, CLAMPED),
            Line("boundary, m, u", 1e-11, CLAMPED),
        ),
    ),
)

"""Measures of two releases: PIL, DBRL, PRL, interval disclosure, their values by chance, ties, and evaluate()."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pyfcrm.data.pairs import Pair
from pyfcrm.engine import Local
from pyfcrm.linkage.agreement import EXACT, WITHIN, Agreement
from pyfcrm.linkage.linker import Linker
from pyfcrm.measures import MEASURES
from pyfcrm.types import Array

from ..to_r import reference
from .case import COUNTED, FCRM_RELEASE, RELEASES, ROUNDING, Case, Line, Problem, Results, perturb

PIL_PARTS = ("mean", "variance", "covariance", "correlation", "quantiles")
PIL_REASON = (
    "the same closed forms; moments in raw units in R, in units of the original's sd in Python; 1e-9 % is negligible"
)
NEGLIGIBLE = 1e-9  # per cent. IPSO-C preserves means and covariances: their losses are rounding
REFERENCES: dict[str, Callable[[Array, Array], reference.Result]] = {
    "pil": reference.pil,
    "dbrl": reference.dbrl,
    "prl": reference.prl,
    "prl_tolerance": partial(reference.prl, agreement="tolerance"),
    "id": reference.interval_disclosure,
    "id_rank": reference.interval_disclosure_rank,
}
# A figure of a measure: key of the measure, release, and "value", "baseline" or a part.
Figure = tuple[str, str, str]
PIL = {f"{part}, {release}": ("pil", release, part) for release in RELEASES for part in ("value", *PIL_PARTS)}
DBRL = {release: ("dbrl", release, "value") for release in RELEASES}
ID = {
    f"{unit}, {release}": (key, release, "value") for unit, key in (("sd", "id"), ("rank", "id_rank")) for release in RELEASES
}  # fmt: skip
BASELINES = {
    name: (key, FCRM_RELEASE, "baseline")
    for name, key in (("DBRL", "dbrl"), ("PRL", "prl"), ("ID, sd", "id"), ("ID, rank", "id_rank"))
}
# Bounds of equal distances, around the 1e-12 of both sides; and initial prevalences of EM, relative to the usual one: by variant.
EQUAL_DISTANCES = (2.5e-13, 5e-13, 2e-12, 4e-12)
PREVALENCES = (0.5, 0.8, 1.25, 2.0)


def _reference(problem: Problem, key: str, release: str) -> reference.Result:
    result: reference.Result = problem.result(
        (key, release), lambda: REFERENCES[key](problem.Y, problem.release(release))
    )
    return result


def _python_figure(problem: Problem, key: str, release: str, figure: str) -> float | None:
    measured = MEASURES[key](problem.Y, problem.release(release))
    parts = {part.name: part.value for part in measured.parts}
    return {"value": measured.total, "baseline": measured.baseline, **parts}.get(figure, float("nan"))


def _r_figure(problem: Problem, key: str, release: str, figure: str) -> float:
    result = _reference(problem, key, release)
    value: float = result["parts"][PIL_PARTS.index(figure)] if figure in PIL_PARTS else result[figure]
    return value


def _results(figure: Callable[..., Any], figures: Mapping[str, Figure], problem: Problem) -> Results:
    return {name: figure(problem, *where) for name, where in figures.items()}


def _case(family: str, figures: Mapping[str, Figure], **options: Any) -> Case:
    lines = tuple(Line(name, 1e-12, COUNTED) for name in figures)
    return Case(
        family, partial(_results, _python_figure, figures), partial(_results, _r_figure, figures), lines, **options
    )


def _centred(problem: Problem) -> Problem:
    """Y and the releases minus Y's first record: PIL is the same, and keeps its digits in spite of a large offset."""
    first = problem.Y[0]
    return replace(problem, Y=problem.Y - first, results={name: problem.release(name) - first for name in RELEASES})


def _linked_otherwise(r: Callable[[Problem], Results], problem: Problem, variant: int) -> Results:
    """R's results for changed data and another bound of equal distances: links decided by last digits then differ."""
    changed = perturb(problem, variant)
    for release in RELEASES:
        changed.results["dbrl", release] = reference.dbrl(
            changed.Y, changed.release(release), tie=EQUAL_DISTANCES[variant]
        )
    return r(changed)


_pil_r, _dbrl_r = (partial(_results, _r_figure, figures) for figures in (PIL, DBRL))
_MEASURE_CASES = (
    Case(
        "PIL",
        lambda problem: _results(_python_figure, PIL, _centred(problem)),
        lambda problem: _pil_r(_centred(problem)),
        tuple(Line(name, 1e-8, PIL_REASON, NEGLIGIBLE) for name in PIL),
        perturbed=lambda problem, variant: _pil_r(perturb(_centred(problem), variant)),
    ),
    _case("DBRL", DBRL, perturbed=partial(_linked_otherwise, _dbrl_r)),
    _case("ID", ID, exact=True),
    _case("baselines", BASELINES, exact=True),
)

RULES: dict[str, Agreement] = {"exact": EXACT, "tolerance": WITHIN}
ESTIMATES = ("m", "u", "prevalence")
EM_ROUNDS = {"": 100_000, ", 20 rounds": 20}
FIXED_POINT = "the same EM from the same start, stopped at a change of 1e-10, where the two may be a round apart"


def _prl(fit: Callable[[Array, Array, str, int], Mapping[str, Any]], problem: Problem) -> Results:
    results: dict[str, Any] = {}
    for rule in RULES:
        X, Z = problem.coarse if rule == "exact" else (problem.Y, problem.release(FCRM_RELEASE))
        for label, rounds in EM_ROUNDS.items():
            estimates = fit(X, Z, rule, rounds)
            results |= {f"{rule}, {name}{label}": np.atleast_1d(estimates[name]) for name in ("value", *ESTIMATES)}
    return results


def _prl_python(X: Array, Z: Array, rule: str, rounds: int) -> Mapping[str, Any]:
    linkage = Linker(Pair.of(X, Z), Local()).probabilistic(RULES[rule], most=rounds)
    return vars(linkage) | {"value": 100 * linkage.share.mean()}


def _prl_from(problem: Problem, variant: int) -> Results:
    """R's results from another initial prevalence: where EM hardly changes, its end depends on its start and on rounding."""
    return _prl(partial(reference.prl, prevalence=PREVALENCES[variant] / len(problem.Y)), problem)


def _prl_lines(rule: str) -> tuple[Line, ...]:
    few = (Line(f"{rule}, {name}, 20 rounds", 1e-10, ROUNDING) for name in ESTIMATES)
    last = (Line(f"{rule}, {name}", 1e-8, FIXED_POINT) for name in ESTIMATES)
    return Line(f"{rule}, value", 1e-12, COUNTED), *few, *last


_PRL_CASES = (
    Case(
        "PRL",
        partial(_prl, _prl_python),
        partial(_prl, reference.prl),
        tuple(line for rule in RULES for line in _prl_lines(rule)),
        perturbed=_prl_from,
    ),
)


def _reversed(problem: Problem) -> tuple[Array, Array]:
    X, Z = problem.coarse
    return X[::-1], Z[::-1]


def _flat(problem: Problem) -> tuple[Array, Array]:
    """The first two columns and the last. In the file simulated here from seed 1, EM ends with m near 1 in two of them."""
    columns = sorted({0, min(1, problem.Y.shape[1] - 1), problem.Y.shape[1] - 1})
    return problem.Y[:, columns], problem.release(FCRM_RELEASE)[:, columns]


TIED = {
    "DBRL, coarse values": ("dbrl", lambda problem: problem.coarse),
    "DBRL, records in reverse order": ("dbrl", _reversed),
    "PRL, exact, coarse values": ("prl", lambda problem: problem.coarse),
    "PRL, exact, records in reverse order": ("prl", _reversed),
    "PRL, tolerance, coarse values": ("prl_tolerance", lambda problem: problem.coarse),
    "PRL, tolerance, flat likelihood": ("prl_tolerance", _flat),
    "ID, rank, coarse values": ("id_rank", lambda problem: problem.coarse),
}
_TIES_CASES = (
    Case(
        "linkage ties",
        lambda problem: {name: MEASURES[key](*files(problem)).total for name, (key, files) in TIED.items()},
        lambda problem: {name: REFERENCES[key](*files(problem))["value"] for name, (key, files) in TIED.items()},
        tuple(Line(name, 1e-12, COUNTED) for name in TIED),
        exact=True,
    ),
)
EVALUATED = (
    *(Line(key, 1e-12, COUNTED) for key in ("dbrl", "prl", "id", "dr", "dr, by chance")),
    Line("pil", 1e-8, PIL_REASON, NEGLIGIBLE),
    Line("score", 1e-8, "half of PIL, compared as PIL", NEGLIGIBLE),
)


def _evaluated(release: str, problem: Problem) -> Results:
    """Of the report of pf.evaluate() on two frames."""
    import pandas as pd

    from pyfcrm import evaluate

    names = [f"y{k}" for k in range(1, problem.Y.shape[1] + 1)]
    original, protected = (pd.DataFrame(A, columns=names) for A in (problem.Y, problem.release(release)))
    report = evaluate(original, protected, columns=names)
    return {key: result.total for key, result in report.results.items()} | {
        "dr, by chance": report.results["dr"].baseline
    }


def _evaluated_r(release: str, problem: Problem) -> Results:
    values = {key: _r_figure(problem, key, release, "value") for key in ("dbrl", "prl", "id", "pil")}
    chance = [_r_figure(problem, key, release, "baseline") for key in ("dbrl", "prl", "id")]
    dr = reference.dr(values["dbrl"], values["prl"], values["id"])
    return values | {"dr": dr, "dr, by chance": reference.dr(*chance), "score": reference.score(values["pil"], dr)}


def _of_release(compute: Callable[[str, Problem], Results], release: str, problem: Problem) -> Results:
    return {f"{name}, {release}": value for name, value in compute(release, problem).items()}


_EVALUATE_CASES = tuple(
    Case(
        "evaluate()",
        partial(_of_release, _evaluated, release),
        partial(_of_release, _evaluated_r, release),
        tuple(replace(line, name=f"{line.name}, {release}") for line in EVALUATED),
        perturbed=partial(_linked_otherwise, partial(_of_release, _evaluated_r, release)),
    )
    for release in RELEASES
)
CASES = (*_MEASURE_CASES, *_PRL_CASES, *_TIES_CASES, *_EVALUATE_CASES)

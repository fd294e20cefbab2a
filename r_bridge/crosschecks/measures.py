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
from .case import COUNTED, FCRM_RELEASE, RELEASES, ROUNDING, Case, Line, Problem, Results
from .rounding import correlation_rounding, flat_likelihood, open_links

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
    f"{unit}, {release}": (key, release, "value")
    for unit, key in (("sd", "id"), ("rank", "id_rank"))
    for release in RELEASES
}
BASELINES = {
    name: (key, FCRM_RELEASE, "baseline")
    for name, key in (("DBRL", "dbrl"), ("PRL", "prl"), ("ID, sd", "id"), ("ID, rank", "id_rank"))
}


def _reference(problem: Problem, key: str, release: str) -> reference.Result:
    """R's results of a measure of a release, computed once for several rows."""
    result: reference.Result = problem.r_result(
        (key, release), lambda: REFERENCES[key](problem.Y, problem.release(release))
    )
    return result


def _python_figure(problem: Problem, key: str, release: str, figure: str) -> float | None:
    """A figure by Python; NaN for a part that does not exist, as for pairs of one column."""
    measured = MEASURES[key](problem.Y, problem.release(release))
    parts = {part.name: part.value for part in measured.parts}
    return {"value": measured.total, "baseline": measured.baseline, **parts}.get(figure, float("nan"))


def _r_figure(problem: Problem, key: str, release: str, figure: str) -> float:
    """A figure by R."""
    result = _reference(problem, key, release)
    value: float = result["parts"][PIL_PARTS.index(figure)] if figure in PIL_PARTS else result[figure]
    return value


def _results(figure: Callable[..., Any], figures: Mapping[str, Figure], problem: Problem) -> Results:
    """The figures by line. figure : _python_figure or _r_figure."""
    return {name: figure(problem, *where) for name, where in figures.items()}


def _case(family: str, lines: tuple[Line, ...], figures: Mapping[str, Figure], **options: Any) -> Case:
    """The case of some figures. options : of Case."""
    return Case(
        family,
        partial(_results, _python_figure, figures),
        partial(_results, _r_figure, figures),
        lines,
        **options,
    )


def _distance_ties(release: str, problem: Problem) -> float:
    """Per cent of the records whose link by distance depends on rounding."""
    return open_links(problem.Y, problem.release(release), problem.condition)


def _agreement_ties(release: str, problem: Problem) -> float:
    """100 where rounding determines the end of EM, else 0."""
    return flat_likelihood(problem.Y, problem.release(release), EXACT)


def _centred(problem: Problem) -> Problem:
    """Y and the releases minus Y's first record: PIL is the same, and keeps its digits in spite of a large offset."""
    first = problem.Y[0]
    releases = {name: problem.release(name) - first for name in RELEASES}
    return replace(problem, Y=problem.Y - first, releases=releases, r_results={})


def _correlation_rounding(problem: Problem) -> float:
    """The change of the loss of correlations by rounding, per cent."""
    return correlation_rounding(problem.Y)


def _pil_line(name: str) -> Line:
    """A figure of PIL. Its value is a mean that contains the loss of correlations."""
    part = PIL[name][2]
    rounding = _correlation_rounding if part in ("value", "correlation") else None
    return Line(name, 1e-8, PIL_REASON, NEGLIGIBLE, rounding)


_MEASURE_CASES = (
    Case(
        "PIL",
        lambda problem: _results(_python_figure, PIL, _centred(problem)),
        lambda problem: _results(_r_figure, PIL, _centred(problem)),
        tuple(_pil_line(name) for name in PIL),
    ),
    _case(
        "DBRL",
        tuple(Line(release, 1e-12, COUNTED, rounding=partial(_distance_ties, release)) for release in DBRL),
        DBRL,
    ),
    _case("ID", tuple(Line(name, 1e-12, COUNTED) for name in ID), ID, exact=True),
    _case("baselines", tuple(Line(name, 1e-12, COUNTED) for name in BASELINES), BASELINES, exact=True),
)

RULES: dict[str, Agreement] = {"exact": EXACT, "tolerance": WITHIN}
ESTIMATES = ("m", "u", "prevalence")
EM_ROUNDS = {"": 100_000, ", 20 rounds": 20}
FIXED_POINT = "the same EM from the same start; stopped at a change of 1e-10, it is up to 1e-6 from its end"
FLAT = 1e-6  # of a probability: what EM, stopped at a change of 1e-10, leaves open where it converges slowly


def _linked_files(rule: str, problem: Problem) -> tuple[Array, Array]:
    """Original and release: in coarse steps where values must be equal to agree."""
    return problem.coarse if rule == "exact" else (problem.Y, problem.release(FCRM_RELEASE))


def _end_of_em(rule: str, problem: Problem) -> float:
    """100 where rounding determines the end of EM, else 0."""
    return flat_likelihood(*_linked_files(rule, problem), RULES[rule])


def _prl(fit: Callable[[Array, Array, str, int], Mapping[str, Any]], problem: Problem) -> Results:
    """The share linked and the estimates, by rule and iterations of EM. fit : by one side."""
    results: dict[str, Any] = {}
    for rule in RULES:
        X, Z = _linked_files(rule, problem)
        for label, rounds in EM_ROUNDS.items():
            estimates = fit(X, Z, rule, rounds)
            results |= {f"{rule}, {name}{label}": np.atleast_1d(estimates[name]) for name in ("value", *ESTIMATES)}
    return results


def _prl_python(X: Array, Z: Array, rule: str, rounds: int) -> Mapping[str, Any]:
    """The estimates and the share linked, by Python; as reference.prl."""
    linkage = Linker(Pair.of(X, Z), Local()).probabilistic(RULES[rule], most=rounds)
    return vars(linkage) | {"value": 100 * linkage.share.mean()}


def _prl_lines(rule: str) -> tuple[Line, ...]:
    """After 20 rounds, where rounding is not yet amplified, all results; and at the end of EM."""
    ties = partial(_end_of_em, rule)
    return (
        Line(f"{rule}, value", 1e-12, COUNTED, rounding=ties),
        Line(f"{rule}, value, 20 rounds", 1e-12, COUNTED),
        *(Line(f"{rule}, {name}, 20 rounds", 1e-10, ROUNDING) for name in ESTIMATES),
        *(Line(f"{rule}, {name}", 1e-8, FIXED_POINT, FLAT, ties) for name in ESTIMATES),
    )


_PRL_CASES = (
    Case(
        "PRL",
        partial(_prl, _prl_python),
        partial(_prl, reference.prl),
        tuple(line for rule in RULES for line in _prl_lines(rule)),
    ),
)


def _reversed(problem: Problem) -> tuple[Array, Array]:
    """The two coarse files with their records in reverse order."""
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


def _evaluated_lines(release: str) -> tuple[Line, ...]:
    """The figures of the report of pf.evaluate(). DR and the score are at most as far apart as the shares in them."""

    def linkage(problem: Problem) -> float:
        """The change that rounding can make in one of the shares linked."""
        return max(_distance_ties(release, problem), _agreement_ties(release, problem))

    def any_part(problem: Problem) -> float:
        """The same, or in PIL."""
        return max(linkage(problem), _correlation_rounding(problem))

    lines = (
        Line("dbrl", 1e-12, COUNTED, rounding=partial(_distance_ties, release)),
        Line("prl", 1e-12, COUNTED, rounding=partial(_agreement_ties, release)),
        Line("id", 1e-12, COUNTED),
        Line("dr", 1e-12, COUNTED, rounding=linkage),
        Line("dr, by chance", 1e-12, COUNTED),
        Line("pil", 1e-8, PIL_REASON, NEGLIGIBLE, _correlation_rounding),
        Line("score", 1e-8, "half of PIL, compared as PIL", NEGLIGIBLE, any_part),
    )
    return tuple(replace(line, name=f"{line.name}, {release}") for line in lines)


def _evaluated(release: str, problem: Problem) -> Results:
    """The figures of the report of pf.evaluate() on two frames."""
    import pandas as pd

    from pyfcrm import evaluate

    names = [f"y{k}" for k in range(1, problem.Y.shape[1] + 1)]
    original = pd.DataFrame(problem.Y, columns=names)
    protected = pd.DataFrame(problem.release(release), columns=names)
    report = evaluate(original, protected, columns=names)
    totals = {key: result.total for key, result in report.results.items()}
    return totals | {"dr, by chance": report.results["dr"].baseline}


def _evaluated_r(release: str, problem: Problem) -> Results:
    """The same figures by R."""
    values = {key: _r_figure(problem, key, release, "value") for key in ("dbrl", "prl", "id", "pil")}
    chance = [_r_figure(problem, key, release, "baseline") for key in ("dbrl", "prl", "id")]
    dr = reference.dr(values["dbrl"], values["prl"], values["id"])
    return values | {"dr": dr, "dr, by chance": reference.dr(*chance), "score": reference.score(values["pil"], dr)}


def _of_release(compute: Callable[[str, Problem], Results], release: str, problem: Problem) -> Results:
    """Results of a release, under the names of its lines."""
    return {f"{name}, {release}": value for name, value in compute(release, problem).items()}


_EVALUATE_CASES = tuple(
    Case(
        "evaluate()",
        partial(_of_release, _evaluated, release),
        partial(_of_release, _evaluated_r, release),
        _evaluated_lines(release),
    )
    for release in RELEASES
)
CASES = (*_MEASURE_CASES, *_PRL_CASES, *_TIES_CASES, *_EVALUATE_CASES)

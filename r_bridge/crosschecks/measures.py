"""The measures of two releases on both sides: PIL, DBRL, PRL, interval disclosure, ties, DR and score, and
what chance alone discloses."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from pyfcrm.linkage.agreement import EXACT, WITHIN, Agreement
from pyfcrm.linkage.probabilistic import EMFit, probabilistic_linkage
from pyfcrm.measures.dbrl import dbrl
from pyfcrm.measures.interval import interval_disclosure, interval_disclosure_rank
from pyfcrm.measures.measure import Parts
from pyfcrm.measures.pil import pil
from pyfcrm.measures.prl import prl, prl_tolerance
from pyfcrm.measures.score import disclosure_risk, score
from pyfcrm.types import Array

from ..to_r import reference
from .case import COUNTED, OF, ROUNDING, Case, Line, Problem, Results, nudged, twin

PARTS = ("mean", "variance", "covariance", "correlation", "quantiles")
REASON = "the same closed forms; moments of raw units there, of units of the original's sd here; 1e-9 % is none"
FIXED_POINT = "the same EM from the same start, stopped at a change of 1e-10, where the two may be a round apart"
ESTIMATES, FEW_ROUNDS, FEW, MOST = ("m", "u", "prevalence"), 20, ", 20 rounds", 100_000
RULES: dict[str, Agreement] = {"exact": EXACT, "tolerance": WITHIN}
UNITS = {"sd": ("id", interval_disclosure), "rank": ("id_rank", interval_disclosure_rank)}
PAIRS = {f"{unit}, {words}": (unit, release) for unit in UNITS for words, release in OF.items()}
TIES_NAMES = ("DBRL, coarse values", "DBRL, file turned round", "PRL, exact, coarse values", "PRL, tolerance, coarse values",
         "PRL, exact, file turned round", "ID, rank, coarse values", "PRL, tolerance, flat likelihood")  # fmt: skip
OURS: dict[str, Callable[[Array, Array], Parts]] = {
    "DBRL": dbrl,
    "PRL": prl,
    "ID, sd": interval_disclosure,
    "ID, rank": interval_disclosure_rank,
}
BEGUN = (0.5, 0.8, 1.25, 2.0)  # times the usual prevalence, by the way that data are moved
EQUAL = (2.5e-13, 5e-13, 2e-12, 4e-12)  # around the 1e-12 of both sides, by the way that data are moved
TWINS = {"DBRL": "dbrl", "PRL": "prl", "ID, sd": "id", "ID, rank": "id_rank"}


def _level(ground: Problem) -> Problem:
    """Y and the releases less Y's first record: PIL is the same, and beside a large offset keeps its digits."""
    first = ground.Y[0]
    other = replace(ground, Y=ground.Y - first, kept={})
    other.__dict__.update(released=ground.released - first, near=ground.near - first)
    return other


def _pil_python(ground: Problem) -> Results:
    results: dict[str, float] = {}
    for words, release in OF.items():
        found = pil(ground.Y, getattr(ground, release))
        named = {part.name: part.value for part in found.parts}
        results[f"total, {words}"] = found.total
        results |= {f"{part}, {words}": named.get(part, float("nan")) for part in PARTS}
    return results


def _pil_r(ground: Problem) -> Results:
    results: dict[str, float] = {}
    for words, release in OF.items():
        found = twin(ground, "pil", release)
        results[f"total, {words}"] = found["value"]
        results |= {f"{part}, {words}": value for part, value in zip(PARTS, found["parts"].tolist(), strict=True)}
    return results


NEGLIGIBLE = 1e-9  # per cent. IPSO-C loses no means or covariances: its values are 0 but for rounding


PIL_CASES = (
    Case(
        "PIL",
        lambda ground: _pil_python(_level(ground)),
        lambda ground: _pil_r(_level(ground)),
        tuple(Line(f"{part}, {words}", 1e-8, REASON, NEGLIGIBLE) for words in OF for part in ("total", *PARTS)),
        moved=lambda ground, way: _pil_r(nudged(_level(ground), way)),
    ),
)


def _value(ground: Problem, measure: str, release: str) -> float:
    return float(twin(ground, measure, release)["value"])


def tied_otherwise(r: Callable[[Problem], Results]) -> Callable[[Problem, int], Results]:
    """A case's `moved`: its R side on nudged data, and by another bound up to which distances are equal. Where that changes
    who is linked, distances differ by their last digits."""

    def moved(ground: Problem, way: int) -> Results:
        other = nudged(ground, way)
        for release in OF.values():
            other.kept["dbrl", release] = reference.dbrl(other.Y, getattr(other, release), EQUAL[way])
        return r(other)

    return moved


def _of_releases(
    family: str,
    python: Callable[[Problem, str], float],
    r: Callable[[Problem, str], float],
    tolerance: float = 1e-12,
    reason: str = COUNTED,
    nothing: float = 0.0,
) -> Case:
    """A number of each release. python, r : computed from the attribute of Problem that holds the release."""

    def each(compute: Callable[[Problem, str], float], ground: Problem) -> Results:
        return {words: compute(ground, release) for words, release in OF.items()}

    lines = tuple(Line(words, tolerance, reason, nothing) for words in OF)
    return Case(family, partial(each, python), partial(each, r), lines, moved=tied_otherwise(partial(each, r)))


DBRL_CASES = (
    _of_releases(
        "DBRL", lambda g, release: dbrl(g.Y, getattr(g, release)).total, lambda g, release: _value(g, "dbrl", release)
    ),
)


def _files(ground: Problem, rule: str) -> tuple[Array, Array]:
    return ground.coarse if rule == "exact" else (ground.Y, ground.near)


def _prl_python(ground: Problem) -> Results:
    results: dict[str, Any] = {}
    for rule, agreement in RULES.items():
        X, Z = _files(ground, rule)
        found = probabilistic_linkage(X, Z, agreement)
        results |= {f"{rule}, links": 100 * float(found.share.mean())} | _estimates(rule, "", found)
        results |= _estimates(rule, FEW, probabilistic_linkage(X, Z, agreement, most=FEW_ROUNDS))
    return results


def _prl_begun_elsewhere(ground: Problem, way: int) -> Results:
    """Where EM hardly moves any more it stops somewhere on its way: where, depends on where it began, and on rounding."""
    return _prl_r(ground, BEGUN[way])


def _prl_r(ground: Problem, begun: float = 1.0) -> Results:
    results: dict[str, Any] = {}
    for rule in RULES:
        X, Z = _files(ground, rule)
        for words, most in (("", MOST), (FEW, FEW_ROUNDS)):
            found = reference.prl(X, Z, rule, most, begun / len(X))
            results |= {f"{rule}, {part}{words}": np.atleast_1d(found[part]) for part in ESTIMATES}
            results.setdefault(f"{rule}, links", found["value"])
    return results


def _estimates(rule: str, words: str, fit: EMFit) -> dict[str, Any]:
    return {f"{rule}, {part}{words}": np.atleast_1d(getattr(fit, part)) for part in ESTIMATES}


def _lines(rule: str) -> tuple[Line, ...]:
    few = (Line(f"{rule}, {part}{FEW}", 1e-10, ROUNDING) for part in ESTIMATES)
    last = (Line(f"{rule}, {part}", 1e-8, FIXED_POINT) for part in ESTIMATES)
    return Line(f"{rule}, links", 1e-12, COUNTED), *few, *last


PRL_CASES = (
    Case(
        "PRL", _prl_python, _prl_r, tuple(line for rule in RULES for line in _lines(rule)), moved=_prl_begun_elsewhere
    ),
)


def _interval_python(ground: Problem) -> Results:
    return {name: UNITS[unit][1](ground.Y, getattr(ground, release)).total for name, (unit, release) in PAIRS.items()}


def _interval_r(ground: Problem) -> Results:
    return {name: _value(ground, UNITS[unit][0], release) for name, (unit, release) in PAIRS.items()}


INTERVAL_CASES = (Case("ID", _interval_python, _interval_r, tuple(Line(name, 1e-12, COUNTED) for name in PAIRS)),)


def _flat(ground: Problem) -> tuple[Array, Array]:
    """The first two columns and the last: in the file simulated here from seed 1, EM ends with m next to 1 in two of them."""
    columns = sorted({0, min(1, ground.Y.shape[1] - 1), ground.Y.shape[1] - 1})
    return ground.Y[:, columns], ground.near[:, columns]


def _ties_python(ground: Problem) -> Results:
    X, Z = ground.coarse
    values = (dbrl(X, Z), dbrl(X[::-1], Z[::-1]), prl(X, Z), prl_tolerance(X, Z), prl(X[::-1], Z[::-1]),
              interval_disclosure_rank(X, Z), prl_tolerance(*_flat(ground)))  # fmt: skip
    return dict(zip(TIES_NAMES, (value.total for value in values), strict=True))


def _ties_r(ground: Problem) -> Results:
    X, Z = ground.coarse
    dbrl_, exact = reference.dbrl(X, Z), reference.prl(X, Z)
    # Turned round or not, the same links: R's one value stands against both of Python's.
    values = (dbrl_, dbrl_, exact, reference.prl(X, Z, "tolerance"), exact, reference.interval_disclosure_rank(X, Z),
              reference.prl(*_flat(ground), "tolerance"))  # fmt: skip
    return dict(zip(TIES_NAMES, (value["value"] for value in values), strict=True))


TIES_CASES = (Case("linkage ties", _ties_python, _ties_r, tuple(Line(name, 1e-12, COUNTED) for name in TIES_NAMES)),)


def _dr(ground: Problem, release: str) -> Parts:
    Z = getattr(ground, release)
    return disclosure_risk(dbrl(ground.Y, Z), prl(ground.Y, Z), interval_disclosure(ground.Y, Z))


def _dr_of_twins(ground: Problem, release: str) -> float:
    return reference.dr(*(_value(ground, measure, release) for measure in ("dbrl", "prl", "id")))


SCORE_CASES = (
    _of_releases("DR", lambda g, release: _dr(g, release).total, _dr_of_twins),
    _of_releases(
        "SCORE",
        lambda g, release: score(pil(g.Y, getattr(g, release)), _dr(g, release)).total,
        lambda g, release: reference.score(_value(g, "pil", release), _dr_of_twins(g, release)),
        1e-8,
        "as PIL, half of it",
        NEGLIGIBLE,
    ),
)


def _baseline_python(ground: Problem) -> Results:
    found = {name: ours(ground.Y, ground.near) for name, ours in OURS.items()}
    risk = disclosure_risk(found["DBRL"], found["PRL"], found["ID, sd"])
    return {name: parts.baseline for name, parts in found.items()} | {"DR": risk.baseline}


def _baseline_r(ground: Problem) -> Results:
    found = {name: float(twin(ground, measure, "near")["baseline"]) for name, measure in TWINS.items()}
    return found | {"DR": reference.dr(found["DBRL"], found["PRL"], found["ID, sd"])}


BASELINE_CASES = (
    Case("baselines", _baseline_python, _baseline_r, tuple(Line(name, 1e-12, COUNTED) for name in (*OURS, "DR"))),
)

"""Probabilistic record linkage: exact agreement on coarse values, agreement within a tolerance, and the estimates."""

from __future__ import annotations

from typing import Any

from pyfcrm.linkage.agreement import Agreement, Exact, Tolerance
from pyfcrm.linkage.probabilistic import probabilistic_linkage

from .. import reference
from .case import COUNTED, Case, Line, Results
from .ground import Array, Ground

FIXED_POINT = "the same EM from the same start, stopped at a change of 1e-10, where the two may be a round apart"
RULES: dict[str, Agreement] = {"exact": Exact(), "tolerance": Tolerance()}


def _files(ground: Ground, rule: str) -> tuple[Array, Array]:
    return ground.coarse if rule == "exact" else (ground.Y, ground.near)


def _python(ground: Ground) -> Results:
    results: dict[str, Any] = {}
    for rule, agreement in RULES.items():
        found = probabilistic_linkage(*_files(ground, rule), agreement)
        results |= {f"{rule}, links": 100 * float(found.share.mean()), f"{rule}, prevalence": found.prevalence}
        results |= {f"{rule}, m": found.m, f"{rule}, u": found.u}
    return results


def _r(ground: Ground) -> Results:
    results: dict[str, Any] = {}
    for rule in RULES:
        found = reference.prl(*_files(ground, rule), agreement=rule)
        results |= {f"{rule}, links": found["value"], f"{rule}, prevalence": found["prevalence"]}
        results |= {f"{rule}, {part}": _vector(found[part]) for part in "mu"}
    return results


def _vector(value: Any) -> Any:
    return [value] if isinstance(value, float) else value


def _lines(rule: str) -> tuple[Line, ...]:
    estimates = (Line(f"{rule}, {part}", 1e-8, FIXED_POINT) for part in ("m", "u", "prevalence"))
    return Line(f"{rule}, links", 1e-12, COUNTED), *estimates


CASES = (Case("PRL", _python, _r, tuple(line for rule in RULES for line in _lines(rule))),)

"""The methods that recommend() tries by default."""

import re
from typing import Any

from ..arguments import items
from ..errors import InvalidParameter
from ..methods import (
    ARF,
    FCRM,
    IPSO,
    PRAM,
    Calibrated,
    Hybrid,
    Method,
    Microaggregation,
    Noise,
    Procedure,
    RankSwapping,
    Sequential,
    Shuffling,
)
from ..methods.method import NO_ROLES


def default_grid(independent: int, *, numbers: bool) -> tuple[list[Method], list[Method]]:
    """The methods to try first, by what they are worth for analyses, and those to try where none of these passes.

    independent : how many columns explain the others; numbers : whether a dependent column is one. Left out: what changes
    records rather than values (sampling, recoding, suppression, top and bottom coding), and methods that lose much more than
    another of the list, or nearly the same (GADP, EGADP, IPSO-A, plain draws of FCRM).
    """
    if not numbers:
        return [*(Sequential(min_leaf=k) for k in (20, 40, 80)), ARF(), PRAM()], []
    first: list[Method] = [Calibrated(), Calibrated(IPSO("C"))]
    others: list[Method] = [IPSO("C"), Sequential(), ARF(), *(RankSwapping(p) for p in (5, 10, 15, 25, 40))]
    others += [Noise("uncorrelated", amount) for amount in (10, 25, 50, 100, 150)]
    others += [*(Microaggregation(k) for k in (3, 5, 10, 20, 30)), Hybrid("microaggregation", k=10)]
    if not independent:
        return first, others
    others += [
        Shuffling(),
        *(Hybrid("regression", alpha) for alpha in (0.2, 0.4, 0.6)),
        *(FCRM(c) for c in (2, 3, 4, 6, 8)),
    ]
    return [*first, Calibrated(FCRM(None, release="model"))], others


def checked_methods(owner: str, name: str, methods: Any, unsuited: str = "") -> list[Procedure]:
    """The methods as a list. Raises InvalidParameter for other objects, and for methods whose `masks` is `unsuited`."""
    listed: list[Any] = [methods] if isinstance(methods, Procedure) else list(items(methods) or ())
    suited = [isinstance(method, Procedure) and method.facts(NO_ROLES).masks != unsuited for method in listed]
    if not listed or not all(suited):
        rule = "must hold at least one method such as FCRM(c=8), and only methods"
        if unsuited:
            rule += " that replace values"
        raise InvalidParameter(owner, name, rule, methods)
    return listed


def family(method: Procedure) -> str:
    """One text for all methods that differ by the values of numbers only."""
    return re.sub(r"\d[\d.]*", "", str(method))

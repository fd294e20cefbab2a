"""The methods that recommend() tries: the default grid, cheap ones first, and parameter values between those tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
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
    RankSwapping,
    Sequential,
    Shuffling,
)


def default_grid(independent: int, *, numbers: bool) -> tuple[list[Method], list[Method]]:
    """The methods to try first, by what they are worth for analyses, and those to try where none of these passes.

    independent : how many columns explain the others; numbers : whether a dependent column is one. Left out: what changes
    records rather than values (sampling, recoding, suppression, top and bottom coding), and methods that lose much more than
    another of the list, or nearly the same (GADP, EGADP, IPSO-A, plain draws of FCRM).
    """
    if not numbers:
        return [*(Sequential(min_leaf=k) for k in (5, 15, 40)), ARF(), PRAM()], []
    first: list[Method] = [Calibrated(IPSO("C")), Calibrated(Sequential())]
    others: list[Method] = [IPSO("C"), Sequential(), ARF(), *(RankSwapping(p) for p in (5, 15, 40))]
    others += [Noise("uncorrelated", amount) for amount in (10, 50, 150)]
    others += [*(Microaggregation(k) for k in (3, 10, 30)), Hybrid("microaggregation", k=10)]
    if not independent:
        return first, others
    others += [Shuffling(), *(Hybrid("regression", alpha) for alpha in (0.2, 0.4, 0.6)), *(FCRM(c) for c in (2, 4, 8))]
    return [Calibrated(FCRM(None, release="model")), *first], others


def checked_methods(owner: str, name: str, methods: Any, unsuited: str = "") -> list[Method]:
    """The methods as a list. Raises InvalidParameter for other objects, and for methods whose `masks` is `unsuited`."""
    listed: list[Any] = [methods] if isinstance(methods, Method) else list(items(methods) or ())
    if not listed or not all(isinstance(method, Method) and method.masks != unsuited for method in listed):
        rule = "must hold at least one method such as FCRM(c=8), and only methods" + " that replace values" * bool(
            unsuited
        )
        raise InvalidParameter(owner, name, rule, methods)
    return listed


def tuning_value(method: Method) -> float | None:
    """The value of a method's tuning parameter, of a wrapped method its own; None without one."""
    if method.wrapped is not None:
        return tuning_value(method.wrapped)
    value = None if method.dial is None else getattr(method, method.dial.name)
    return None if value is None else float(value)  # None: FCRM(c=None) selects it itself


def with_parameter(method: Method, value: float) -> Method:
    """The method with its tuning parameter at `value`, rounded and kept within its range."""
    if method.wrapped is not None:
        return replace(method, **{"method": with_parameter(method.wrapped, value)})
    parameter = method.dial
    assert parameter is not None
    assert parameter.dial is not None
    low, high = parameter.dial
    value = min(max(value, low), high)
    return replace(method, **{parameter.name: round(value) if parameter.kind == "whole" else float(f"{value:.3g}")})


def family(method: Method) -> str:
    """One text for all methods that differ by their tuning parameter only."""
    return str(method) if tuning_value(method) is None else str(with_parameter(method, 1.0))


def midpoints(method: Method, others: Iterable[Method]) -> list[Method]:
    """The method halfway to its neighbours among `others`, by the tuning parameter.

    Beyond the last neighbour, a half more or less. Methods among `others` are left out.
    """
    current = tuning_value(method)
    if current is None:
        return []
    known = [other for other in others if family(other) == family(method)]
    places = sorted({value for other in known if (value := tuning_value(other)) is not None})
    below, above = [v for v in places if v < current], [v for v in places if v > current]
    targets = [
        (current + below[-1]) / 2 if below else current / 1.5,
        (current + above[0]) / 2 if above else current * 1.5,
    ]
    methods = [with_parameter(method, value) for value in targets]
    return [new for k, new in enumerate(methods) if new not in (method, *known, *methods[:k])]

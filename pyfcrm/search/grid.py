"""Which methods recommend() looks at, and how it looks nearer: the default grid, cheap first, and turning the dials."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from ..arguments import items
from ..errors import InvalidParameter
from ..methods import (
    EGADP,
    FCRM,
    GADP,
    IPSO,
    Calibrated,
    Hybrid,
    Method,
    Microaggregation,
    Noise,
    Permutation,
    RankSwapping,
    Sequential,
    Shuffling,
)


def default_grid(independent: int) -> list[Method]:
    """The families that apply to `independent` columns that explain the others: first methods that replace every value,
    the cheap and promising before others.

    Left out: what changes records rather than numbers (sampling, recoding, suppression, top and bottom coding), and
    Dummy, which keeps nothing on purpose.
    """
    ranks: list[Method] = [RankSwapping(p) for p in (5, 15, 40)]
    ranks += [Noise("uncorrelated", amount) for amount in (10, 50, 150)]
    ranks += [Noise("correlated", 50), Noise("linear", 50), Permutation(30)]
    groups: list[Method] = [Microaggregation(k) for k in (3, 10, 30)]
    groups += [Hybrid("microaggregation", k=10)]
    if not independent:
        return [IPSO("C"), Calibrated(IPSO("C")), EGADP(), Sequential(), *ranks, *groups]
    synthetic: list[Method] = [EGADP(), IPSO("A"), GADP(), Shuffling()]
    drawn: list[Method] = [FCRM(c, release="draw") for c in (2, 4, 8)]
    return [
        IPSO("C"),
        Calibrated(IPSO("C")),
        *synthetic,
        *drawn,
        *(Calibrated(method) for method in drawn[:2]),
        Calibrated(FCRM(None, release="model")),
        Sequential(),
        *(Hybrid("regression", alpha) for alpha in (0.2, 0.4, 0.6)),
        *ranks,
        *(FCRM(c) for c in (2, 4, 8)),
        *groups,
    ]


def checked_candidates(candidates: Iterable[Method] | Method) -> list[Method]:
    """The candidates asked for, as a list without repetitions; InvalidParameter for what is no such method."""
    listed: list[Any] = [candidates] if isinstance(candidates, Method) else list(items(candidates) or ())
    if not listed or not all(isinstance(m, Method) and (m.one_for_one or m.generates) for m in listed):
        rule = "must hold at least one method such as FCRM(c=8), and only methods that replace numbers one for one or generate"
        raise InvalidParameter("recommend", "candidates", rule, candidates)
    return [method for k, method in enumerate(listed) if method not in listed[:k]]


def dial(method: Method) -> float | None:
    """Where a method's dial stands, a calibrated one's being that of what it calibrates; None without one."""
    if method.wrapped is not None:
        return dial(method.wrapped)
    value = None if method.dial is None else getattr(method, method.dial.name)
    return None if value is None else float(value)  # None: FCRM(c=None) turns it itself


def turned(method: Method, value: float) -> Method:
    """The same method with its dial at `value`, rounded and kept within its ends."""
    if method.wrapped is not None:
        return replace(method, **{"method": turned(method.wrapped, value)})
    parameter = method.dial
    assert parameter is not None
    assert parameter.dial is not None
    low, high = parameter.dial
    value = min(max(value, low), high)
    return replace(method, **{parameter.name: round(value) if parameter.kind == "whole" else float(f"{value:.3g}")})


def family(method: Method) -> str:
    """The same for methods that differ by their dial only."""
    return str(method) if dial(method) is None else str(turned(method, 1.0))


def between(method: Method, others: Iterable[Method]) -> list[Method]:
    """Two settings nearer to this method than its neighbours among `others`: halfway down and halfway up.

    Past the last neighbour, a half more or less. Settings that are there already are left out.
    """
    here = dial(method)
    if here is None:
        return []
    known = [other for other in others if dial(other) is not None and turned(other, here) == turned(method, here)]
    places = sorted({value for other in known if (value := dial(other)) is not None})
    below, above = [v for v in places if v < here], [v for v in places if v > here]
    wanted = [(here + below[-1]) / 2 if below else here / 1.5, (here + above[0]) / 2 if above else here * 1.5]
    found = [turned(method, value) for value in wanted]
    return [one for k, one in enumerate(found) if one not in known and one != method and one not in found[:k]]

"""Which methods recommend() looks at, and how it looks nearer: the default grid, cheap first, and the dials."""

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
from ..methods.method import FrameMethod

# The parameter by which each family trades information loss for risk, and where it ends.
DIALS: dict[type[Method], tuple[str, float, float]] = {
    FCRM: ("c", 1, 40),
    Noise: ("amount", 0.1, 1000),
    RankSwapping: ("p", 0.1, 100),
    Microaggregation: ("k", 2, 1000),
    Permutation: ("k", 2, 100_000),
    Hybrid: ("alpha", 0.0, 1.0),
}
WHOLE = {"c", "k"}


def default_grid(independent: int) -> list[Method]:
    """The families that apply to `independent` columns that explain the others, the cheap and promising first.

    Left out: what changes records rather than numbers (sampling, recoding, suppression, top and bottom coding), and
    Dummy, which keeps nothing on purpose.
    """
    ranks: list[Method] = [RankSwapping(p) for p in (5, 15, 40)]
    ranks += [Noise("uncorrelated", amount) for amount in (10, 50, 150)]
    ranks += [Noise("correlated", 50), Noise("linear", 50), Permutation(30)]
    groups: list[Method] = [Microaggregation(k) for k in (3, 10, 30)]
    if not independent:
        return [
            IPSO("C"),
            EGADP(),
            *ranks,
            Calibrated(IPSO("C")),
            *groups,
            Hybrid("microaggregation", k=10),
            Sequential(),
        ]
    synthetic: list[Method] = [IPSO("C"), IPSO("A"), EGADP(), GADP(), Shuffling()]
    drawn: list[Method] = [FCRM(c, release="draw") for c in (2, 4, 8)]
    return [
        *synthetic,
        Calibrated(IPSO("C")),
        *(Hybrid("regression", alpha) for alpha in (0.2, 0.4, 0.6)),
        *drawn,
        *(Calibrated(method) for method in drawn[:2]),
        *ranks,
        *(FCRM(c) for c in (2, 4, 8)),
        *groups,
        Hybrid("microaggregation", k=10),
        Sequential(),
    ]


def checked_candidates(candidates: Iterable[Method] | Method) -> list[Method]:
    """The candidates asked for, as a list without repetitions; InvalidParameter for what is no such method."""
    listed: list[Any] = [candidates] if isinstance(candidates, Method) else list(items(candidates) or ())
    if not listed or not all(isinstance(m, Method) and not isinstance(m, FrameMethod) for m in listed):
        rule = "must hold at least one method such as FCRM(c=8), and only methods that replace numbers one for one"
        raise InvalidParameter("recommend", "candidates", rule, candidates)
    return [method for k, method in enumerate(listed) if method not in listed[:k]]


def dial(method: Method) -> float | None:
    """Where a method's dial stands, a calibrated one's being the dial of what it calibrates; None without one."""
    if isinstance(method, Calibrated):
        return dial(method.method)
    if type(method) not in DIALS or (isinstance(method, Hybrid) and method.kind == "microaggregation"):
        return None
    return float(getattr(method, DIALS[type(method)][0]))


def turned(method: Method, value: float) -> Method:
    """The same method with its dial at `value`, rounded and kept within its ends."""
    if isinstance(method, Calibrated):
        return replace(method, method=turned(method.method, value))
    name, low, high = DIALS[type(method)]
    value = min(max(value, low), high)
    return replace(method, **{name: round(value) if name in WHOLE else float(f"{value:.3g}")})


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

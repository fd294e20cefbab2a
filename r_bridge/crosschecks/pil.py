"""Probabilistic information loss and its five parts, of two releases."""

from __future__ import annotations

from pyfcrm.measures.pil import pil

from .case import Case, Line, Results
from .ground import Ground
from .twins import OF, twin

PARTS = ("mean", "variance", "covariance", "correlation", "quantiles")
REASON = "the same closed forms; moments of raw units there, of units of the original's sd here; below 1e-10 % is none"


def _python(ground: Ground) -> Results:
    results: dict[str, float] = {}
    for words, release in OF.items():
        found = pil(ground.Y, getattr(ground, release))
        named = {part.name: part.value for part in found.parts}
        results[f"total, {words}"] = found.total
        results |= {f"{part}, {words}": named.get(part, float("nan")) for part in PARTS}
    return results


def _r(ground: Ground) -> Results:
    results: dict[str, float] = {}
    for words, release in OF.items():
        found = twin(ground, "pil", release)
        results[f"total, {words}"] = found["value"]
        results |= {f"{part}, {words}": value for part, value in zip(PARTS, found["parts"].tolist(), strict=True)}
    return results


NEGLIGIBLE = 1e-10  # per cent. IPSO-C loses no means or covariances: both values are 0 but for rounding
NAMES = tuple(f"{part}, {words}" for words in OF for part in ("total", *PARTS))
CASES = (Case("PIL", _python, _r, tuple(Line(name, 1e-8, REASON, NEGLIGIBLE) for name in NAMES)),)

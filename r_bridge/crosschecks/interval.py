"""Interval disclosure by standard deviations and by ranks, of two releases."""

from __future__ import annotations

from pyfcrm.measures.interval_disclosure import interval_disclosure, interval_disclosure_rank

from .case import COUNTED, Case, Line, Results
from .ground import Ground
from .twins import OF, twin

UNITS = {"sd": ("id", interval_disclosure), "rank": ("id_rank", interval_disclosure_rank)}
PAIRS = {f"{unit}, {words}": (unit, release) for unit in UNITS for words, release in OF.items()}


def _python(ground: Ground) -> Results:
    return {name: UNITS[unit][1](ground.Y, getattr(ground, release)).total for name, (unit, release) in PAIRS.items()}


def _r(ground: Ground) -> Results:
    return {name: twin(ground, UNITS[unit][0], release)["value"] for name, (unit, release) in PAIRS.items()}


CASES = (Case("ID", _python, _r, tuple(Line(name, 1e-12, COUNTED) for name in PAIRS)),)

"""Disclosure risk and score, each side from its own parts."""

from __future__ import annotations

from pyfcrm.measures.dbrl import dbrl
from pyfcrm.measures.interval_disclosure import interval_disclosure
from pyfcrm.measures.measure import Parts
from pyfcrm.measures.pil import pil
from pyfcrm.measures.prl import prl
from pyfcrm.measures.score import disclosure_risk, score

from .. import reference
from .case import COUNTED, Case, Line, Results
from .ground import Ground
from .pil import NEGLIGIBLE
from .twins import OF, twin


def _dr(ground: Ground, release: str) -> Parts:
    Z = getattr(ground, release)
    return disclosure_risk(dbrl(ground.Y, Z), prl(ground.Y, Z), interval_disclosure(ground.Y, Z))


def _dr_of_twins(ground: Ground, release: str) -> float:
    return reference.dr(*(float(twin(ground, measure, release)["value"]) for measure in ("dbrl", "prl", "id")))


def _risk_python(ground: Ground) -> Results:
    return {words: _dr(ground, release).total for words, release in OF.items()}


def _risk_r(ground: Ground) -> Results:
    return {words: _dr_of_twins(ground, release) for words, release in OF.items()}


def _score_python(ground: Ground) -> Results:
    losses = {words: pil(ground.Y, getattr(ground, release)) for words, release in OF.items()}
    return {words: score(losses[words], _dr(ground, release)).total for words, release in OF.items()}


def _score_r(ground: Ground) -> Results:
    losses = {words: float(twin(ground, "pil", release)["value"]) for words, release in OF.items()}
    return {words: reference.score(losses[words], _dr_of_twins(ground, release)) for words, release in OF.items()}


CASES = (
    Case("DR", _risk_python, _risk_r, tuple(Line(words, 1e-12, COUNTED) for words in OF)),
    Case("SCORE", _score_python, _score_r, tuple(Line(words, 1e-8, "as PIL, half of it", NEGLIGIBLE) for words in OF)),
)

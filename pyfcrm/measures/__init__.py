"""The measures, by key. A new measure is a new file and one line here."""

from __future__ import annotations

from . import dbrl, interval_disclosure, pil, prl, score
from .measure import Aggregate, Measure

MEASURES: dict[str, Measure | Aggregate] = {
    "pil": pil.PIL,
    "dbrl": dbrl.DBRL,
    "prl": prl.PRL,
    "id": interval_disclosure.ID,
    "dr": score.DR,
    "score": score.SCORE,
    "id_rank": interval_disclosure.ID_RANK,
    "prl_tolerance": prl.PRL_TOLERANCE,
}

DEFAULT = ("pil", "dbrl", "prl", "id", "dr", "score")

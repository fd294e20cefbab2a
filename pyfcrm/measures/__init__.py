"""The measures, by key. A new measure is a new file and one line here."""

from __future__ import annotations

from . import (
    alc,
    attribution,
    cm3,
    correlation,
    dbrl,
    detection,
    drisk,
    il1,
    informed,
    interval,
    keys,
    pil,
    prl,
    propensity,
    rapid,
    score,
    um,
)
from .measure import AnyMeasure

MEASURES: dict[str, AnyMeasure] = {
    "pil": pil.PIL,
    "dbrl": dbrl.DBRL,
    "prl": prl.PRL,
    "id": interval.ID,
    "dr": score.DR,
    "score": score.SCORE,
    "linkage_informed": informed.LINKAGE_INFORMED,
    "certain": informed.CERTAIN,
    "dr_informed": informed.DR_INFORMED,
    "id_rank": interval.ID_RANK,
    "prl_tolerance": prl.PRL_TOLERANCE,
    "dbrl_mahalanobis": dbrl.DBRL_MAHALANOBIS,
    "dbrl_supervised": dbrl.DBRL_SUPERVISED,
    "dbrl_subsets": dbrl.DBRL_SUBSETS,
    "um": um.UM,
    "cm3": cm3.CM3,
    "pmse": propensity.PMSE,
    "specks": propensity.SPECKS,
    "detection": detection.DETECTION,
    "correlation_difference": correlation.CORRELATION_DIFFERENCE,
    "il1": il1.IL1,
    "il1s": il1.IL1S,
    "eigen": correlation.EIGEN,
    "drisk": drisk.DRISK,
    "reissued": drisk.REISSUED,
    "uniques": keys.UNIQUES,
    "k_anonymity": keys.K_ANONYMITY,
    "rep_u": attribution.REP_U,
    "disco": attribution.DISCO,
    "dcap": attribution.DCAP,
    "tcap": attribution.TCAP,
    "rapid": rapid.RAPID,
    "alc": alc.ALC,
}

DEFAULT = ("pil", "dbrl", "prl", "id", "dr", "score")
INFORMED = tuple(key for key, measure in MEASURES.items() if measure.facts.informed)
"""Beside the others wherever the method is known."""

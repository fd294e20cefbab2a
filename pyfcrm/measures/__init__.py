"""The measures, by key. A new measure is a new file and one line here."""

from __future__ import annotations

from . import (
    cm3,
    correlation_difference,
    dbrl,
    dbrl_mahalanobis,
    dbrl_subsets,
    dbrl_supervised,
    detection,
    drisk,
    eigen,
    il1,
    interval_disclosure,
    k_anonymity,
    pil,
    pmse,
    prl,
    reissued,
    score,
    specks,
    um,
    uniques,
)
from .measure import Aggregate, KeyMeasure, Measure

MEASURES: dict[str, Measure | KeyMeasure | Aggregate] = {
    "pil": pil.PIL,
    "dbrl": dbrl.DBRL,
    "prl": prl.PRL,
    "id": interval_disclosure.ID,
    "dr": score.DR,
    "score": score.SCORE,
    "id_rank": interval_disclosure.ID_RANK,
    "prl_tolerance": prl.PRL_TOLERANCE,
    "dbrl_mahalanobis": dbrl_mahalanobis.DBRL_MAHALANOBIS,
    "dbrl_supervised": dbrl_supervised.DBRL_SUPERVISED,
    "dbrl_subsets": dbrl_subsets.DBRL_SUBSETS,
    "um": um.UM,
    "cm3": cm3.CM3,
    "pmse": pmse.PMSE,
    "specks": specks.SPECKS,
    "detection": detection.DETECTION,
    "correlation_difference": correlation_difference.CORRELATION_DIFFERENCE,
    "il1": il1.IL1,
    "il1s": il1.IL1S,
    "eigen": eigen.EIGEN,
    "drisk": drisk.DRISK,
    "reissued": reissued.REISSUED,
    "uniques": uniques.UNIQUES,
    "k_anonymity": k_anonymity.K_ANONYMITY,
}

DEFAULT = ("pil", "dbrl", "prl", "id", "dr", "score")

"""Every cross-check between Python and R, one family a file. A new family is a new file and one line here."""

from __future__ import annotations

from . import fits, measures, streams, synthesis
from . import sdcmicro as sdcmicro_family
from .case import Case, Problem, Row, embedded, from_file
from .verdicts import judge

CASES: tuple[Case, ...] = (
    *streams.CASES,
    *fits.FCM_CASES,
    *fits.FCRM_CASES,
    *fits.IPSO_CASES,
    *synthesis.SYNTHESIS_CASES,
    *measures.PIL_CASES,
    *measures.DBRL_CASES,
    *measures.PRL_CASES,
    *measures.INTERVAL_CASES,
    *measures.BASELINE_CASES,
    *measures.SCORE_CASES,
    *measures.TIES_CASES,
    *synthesis.EVALUATE_CASES,
)
SDCMICRO_CASES: tuple[Case, ...] = sdcmicro_family.CASES

__all__ = ["CASES", "SDCMICRO_CASES", "Case", "Problem", "Row", "embedded", "from_file", "judge"]

"""Every cross-check between Python and R, one family a file. A new family is a new file and one line here."""

from __future__ import annotations

from . import conversion, fits, measures, synthesis
from . import sdcmicro as sdcmicro_family
from .case import Case, Problem, Row, embedded, from_file
from .verdicts import judge

CASES: tuple[Case, ...] = (
    *conversion.STREAM_CASES,
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
    *measures.QUANTILES_CASES,
    *measures.TIES_CASES,
    *synthesis.EVALUATE_CASES,
    *conversion.CONVERSION_CASES,
)
SDCMICRO_CASES: tuple[Case, ...] = sdcmicro_family.CASES

__all__ = ["CASES", "SDCMICRO_CASES", "Case", "Problem", "Row", "embedded", "from_file", "judge"]

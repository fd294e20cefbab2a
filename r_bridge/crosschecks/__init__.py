"""Every cross-check between Python and R, one family a file. A new family is a new file and one line here."""

from __future__ import annotations

from . import baselines, conversion, dbrl, fcm, fcrm, interval, ipso, linkage_ties, pil, prl, quantiles, score, streams
from . import sdcmicro as sdcmicro_family
from .case import Case, Row
from .ground import Ground, embedded, from_file
from .running import judge

CASES: tuple[Case, ...] = (
    *streams.CASES,
    *fcm.CASES,
    *fcrm.CASES,
    *ipso.CASES,
    *pil.CASES,
    *dbrl.CASES,
    *prl.CASES,
    *interval.CASES,
    *baselines.CASES,
    *score.CASES,
    *quantiles.CASES,
    *linkage_ties.CASES,
    *conversion.CASES,
)
SDCMICRO_CASES: tuple[Case, ...] = sdcmicro_family.CASES

__all__ = ["CASES", "SDCMICRO_CASES", "Case", "Ground", "Row", "embedded", "from_file", "judge"]

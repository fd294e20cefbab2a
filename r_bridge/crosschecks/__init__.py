"""Every cross-check between Python and R, a family to a file. A new family is a new file and one line here."""

from . import agency, fits, measures, streams, synthesis
from . import sdcmicro as sdcmicro_family
from .case import Case, Problem, Row, built_in, embedded, from_file
from .verdicts import judge

CASES: tuple[Case, ...] = (
    *streams.CASES,
    *fits.CASES,
    *synthesis.CASES,
    *agency.CASES,
    *measures.CASES,
)
SDCMICRO_CASES: tuple[Case, ...] = sdcmicro_family.CASES

__all__ = ["CASES", "SDCMICRO_CASES", "Case", "Problem", "Row", "built_in", "embedded", "from_file", "judge"]

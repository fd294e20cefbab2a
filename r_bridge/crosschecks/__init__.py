"""Every cross-check between Python and R, a family to a file. A new family is a new file and one line here."""

from . import agency, categories, collinear_columns, fits, hard_measures, measures, streams, synthesis
from . import sdcmicro as sdcmicro_family
from .case import Case, Problem, Row, built_in, embedded, from_file
from .verdicts import judge

CASES: tuple[Case, ...] = (
    *streams.CASES,
    *fits.CASES,
    *synthesis.CASES,
    *agency.CASES,
    *collinear_columns.CASES,
    *categories.CASES,
    *measures.CASES,
    *hard_measures.CASES,
)
SDCMICRO_CASES: tuple[Case, ...] = sdcmicro_family.CASES

__all__ = ["CASES", "SDCMICRO_CASES", "Case", "Problem", "Row", "built_in", "embedded", "from_file", "judge"]

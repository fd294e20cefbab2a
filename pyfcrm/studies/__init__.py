"""The thesis's and the paper's experiments, each a declared grid, and one beyond them; a new one is a new file and a line here."""

from . import linkage, permutation, thesis
from .families import KEY as BEYOND
from .study import Measured, Row, SideBySide, Study, rmse, run

STUDIES: dict[str, Study] = {
    study.key: study for study in (thesis.EXAMPLE_STUDY, thesis.S1_STUDY, thesis.S2_STUDY, thesis.S3_STUDY)
}
TABLES: dict[str, SideBySide] = {study.key: study for study in (permutation.STUDY, linkage.STUDY)}

__all__ = ["BEYOND", "STUDIES", "TABLES", "Measured", "Row", "SideBySide", "Study", "rmse", "run"]

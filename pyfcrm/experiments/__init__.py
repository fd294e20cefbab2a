"""The thesis's and the paper's experiments, each a declared grid, and one beyond them; a new one is a new file and a line here."""

from . import example, linkage_study, permutation_study, s1, s2, s3
from .beyond_study import KEY as BEYOND
from .side_by_side import Row, SideBySide
from .study import Measured, Study, rmse, run

STUDIES: dict[str, Study] = {study.key: study for study in (example.STUDY, s1.STUDY, s2.STUDY, s3.STUDY)}
TABLES: dict[str, SideBySide] = {study.key: study for study in (permutation_study.STUDY, linkage_study.STUDY)}

__all__ = ["BEYOND", "STUDIES", "TABLES", "Measured", "Row", "SideBySide", "Study", "rmse", "run"]

"""The thesis's and the paper's experiments, each a declared grid; a new one is a new file and one line here."""

from . import example, s1, s2, s3
from .study import Measured, Study, rmse, run

STUDIES: dict[str, Study] = {study.key: study for study in (example.STUDY, s1.STUDY, s2.STUDY, s3.STUDY)}

__all__ = ["STUDIES", "Measured", "Study", "rmse", "run"]

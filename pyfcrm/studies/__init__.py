"""The experiments of the thesis and the papers, and the calibration of the dependence test; a new one is a new file and a name here."""

from . import dependence, linkage, permutation, thesis
from .study import Setting, Study

STUDIES: dict[str, Study] = {
    study.key: study for study in (*thesis.STUDIES, permutation.STUDY, linkage.STUDY, dependence.STUDY)
}

__all__ = ["STUDIES", "Setting", "Study"]

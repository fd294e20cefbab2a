"""The experiments of the thesis and the papers, and one beyond them; a new one is a new file and a line here."""

from dataclasses import replace

from . import answers, family_study, linkage, permutation, thesis
from .study import Figure, Outcome, Sheet, Study

_GRIDS = (thesis.EXAMPLE_STUDY, thesis.S1_STUDY, thesis.S2_STUDY, thesis.S3_STUDY)
STUDIES: dict[str, Study] = {
    study.key: study for study in (*_GRIDS, permutation.STUDY, linkage.STUDY, family_study.STUDY, answers.STUDY)
}
# An earlier name, by which its files are called where it is asked for so.
STUDIES["beyond"] = replace(family_study.STUDY, key="beyond")

__all__ = ["STUDIES", "Figure", "Outcome", "Sheet", "Study"]

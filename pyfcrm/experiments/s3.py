"""Experiment S3: every Census attribute in turn, predicted from the next N (thesis 5, table 8)."""

from __future__ import annotations

from ..datasets import CENSUS_COLUMNS
from ..methods import FCRM
from .printed import TABLE_8
from .study import Case, Setting, Study


def cases(count: int) -> tuple[Case, ...]:
    """Each of the 13 attributes as the only dependent one, with the `count` attributes after it, going round."""
    p = len(CENSUS_COLUMNS)
    return tuple(
        Case(tuple(CENSUS_COLUMNS[(j + k) % p] for k in range(1, count + 1)), (CENSUS_COLUMNS[j],)) for j in range(p)
    )


STUDY = Study(
    key="s3",
    title="S3: Census, each attribute in turn on the N after it, mean of the 13",
    data="census",
    settings=tuple(Setting(f"c={c} N={n}", FCRM(c), cases(n), printed, n) for (c, n), printed in TABLE_8.items()),
    seeds=(1,),
    horizontal="number of independent attributes N",
    remarks=(
        "Not a target: the printed table goes on to N = 19, more columns than the file has, so its data were not these. "
        "The thesis does not say which attributes come next; here they go round in file order.",
    ),
)

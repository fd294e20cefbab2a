"""Measures against values that sdcMicro 5.8.0 gave on releases that sdcMicro 5.8.0 made.

Grade: close, 1e-9 relative: the same formulas, summed in another order. The files are beside the repository, made by
../shared/golden/make_sdcmicro.R; without them, or without the Census file, these tests are skipped and say so.
"""

from functools import cache

import numpy as np
import pandas as pd
import pytest
from support.data import CENSUS_PATH, SHARED, census_columns

from pyfcrm.measures.correlation import correlation_difference, eigen
from pyfcrm.measures.drisk import drisk
from pyfcrm.measures.il1 import il1, il1s

FOLDER = SHARED / "golden" / "sdcmicro"
RTOL = 1e-9
FOUR = (2, 5, 10, 4)  # AGI PTOTVAL PEARNVAL FEDTAX

pytestmark = [
    pytest.mark.census,
    pytest.mark.skipif(
        not ((FOLDER / "measures.csv").is_file() and CENSUS_PATH.is_file()),
        reason=f"needs sdcMicro's values in {FOLDER} and the Census file at {CENSUS_PATH}",
    ),
]
CASES = (
    "mdav_k3_four", "mdav_k5_four", "mdav_k10_four", "onedims_k3_four", "onedims_k10_four", "pca_k3_four",
    "rankswap_P05_seed1_four", "rankswap_P15_seed1_four", "argus_rankswap_15_seed1_four", "additive_10_seed1_four",
    "correlated2_d10_seed1_four",
)  # fmt: skip


@cache
def values():
    table = pd.read_csv(FOLDER / "measures.csv")
    return {(case, name): value for case, name, value in zip(table.case, table.measure, table.value, strict=True)}


def release(case):
    return pd.read_csv(FOLDER / f"{case}.csv.gz").to_numpy(dtype=float)


def part(result, name):
    return next(line.value for line in result.parts if line.name == name)


@pytest.mark.parametrize("case", CASES)
def test_measures_are_sdcmicros(case):
    """dRisk is a share there, per cent here; IL_correl is a part of correlation_difference here."""
    X, Z = census_columns(*FOUR), release(case)
    risk = drisk(X, Z)
    ours = {
        "dRisk(k=0.05)": part(risk, "k = 0.05") / 100,
        "dRisk(k=0.01)": part(risk, "k = 0.01") / 100,
        "dUtility(IL1)": il1(X, Z).total,
        "dUtility(IL1s)": il1s(X, Z).total,
        "dUtility(eigen)": eigen(X, Z).total,
        "IL_correl": part(correlation_difference(X, Z), "inverse correlations, Mlodak"),
    }
    assert ours == pytest.approx({name: values()[case, name] for name in ours}, rel=RTOL)


def test_every_case_there_is_was_looked_at():
    assert {case for case, _ in values()} == set(CASES)


def test_sdcmicro_drisk_says_nothing_of_thirteen_attributes_and_ours_does():
    """MDAV with k = 3 on all 13: the total is near 0, as sdcMicro has it; each attribute alone is not."""
    result = drisk(census_columns(*range(1, 14)), release("mdav_k3_census13"))
    assert result.total < 1
    alone = [line.value for line in result.parts if line.attribute is not None]
    assert min(alone) > 5
    assert all(line.value > line.baseline for line in result.parts if line.attribute is not None)


def test_eigenvalues_of_all_thirteen_are_collinear_and_ours_says_so():
    """v5 = v8 + v10: sdcMicro divides by an eigenvalue that is rounding. The literal formula is many times ours."""
    X, Z = census_columns(*range(1, 14)), release("mdav_k3_census13")
    # MDAV's means keep the identity up to rounding; a little noise is what other methods leave.
    Z = Z + np.random.default_rng(0).normal(size=Z.shape) * Z.std(axis=0) / 100
    e, e_ = (np.linalg.eigvalsh(np.corrcoef(A.T)) for A in (X, Z))
    result = eigen(X, Z)
    assert result.notes == ("eigen: 1 of 13 eigenvalues of the original is 0 and is left out",)
    assert np.sum(np.abs(e - e_) / np.abs(e)) > 1e6 * result.total

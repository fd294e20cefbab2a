"""sdcMicro 5.8.0's own microaggregation of the Census file, from ../shared/golden/sdcmicro (made by its R script there).

Close: 1e-9 relative, as R adds in another order; the means are of the same records, so they agree to a last digit.
"""

import numpy as np
import pandas as pd
import pytest
from support.data import CENSUS_PATH, SHARED

from pyfcrm.datasets import census
from pyfcrm.methods import Microaggregation
from pyfcrm.methods.grouping.univariate import first_component, ranked_groups
from pyfcrm.methods.microaggregation import group_means
from pyfcrm.rstream import RStream

GOLDEN = SHARED / "golden" / "sdcmicro"
RTOL = 1e-9
pytestmark = [
    pytest.mark.census,
    pytest.mark.skipif(not (GOLDEN.is_dir() and CENSUS_PATH.is_file()), reason=f"needs {GOLDEN} and {CENSUS_PATH}"),
]


def golden(case):
    """The original columns and what sdcMicro made of them."""
    result = pd.read_csv(GOLDEN / f"{case}.csv.gz")
    return census(CENSUS_PATH)[list(result.columns)].to_numpy(dtype=float), result.to_numpy(dtype=float)


def released(Y, **settings):
    return Microaggregation(**settings).protect(np.empty((len(Y), 0)), Y, RStream(1))


def partition(Z):
    """Which records leave with equal values, as labels in order of appearance."""
    return pd.factorize(pd.Series(list(map(tuple, Z))))[0]


@pytest.mark.parametrize(("k", "which"), [(3, "four"), (5, "four"), (10, "four"), (3, "census13"), (5, "census13")])
def test_mdav(k, which):
    Y, expected = golden(f"mdav_k{k}_{which}")
    Z = released(Y, k=k)
    np.testing.assert_array_equal(partition(Z), partition(expected))
    np.testing.assert_allclose(Z, expected, rtol=RTOL)


@pytest.mark.parametrize("k", [3, 10])
def test_onedims_is_individual_ranking(k):
    Y, expected = golden(f"onedims_k{k}_four")
    np.testing.assert_allclose(released(Y, k=k, kind="individual"), expected, rtol=RTOL)


def test_pca():
    """Up to the score's sign, which no one defines: one of the two directions must give sdcMicro's values."""
    Y, expected = golden("pca_k3_four")
    np.testing.assert_allclose(released(Y, k=3, kind="pca"), expected, rtol=RTOL)
    score = first_component(Y)
    other = group_means(Y, ranked_groups(-score, 3))  # 1080 is a multiple of 3, so this one agrees too
    np.testing.assert_allclose(other, expected, rtol=RTOL)

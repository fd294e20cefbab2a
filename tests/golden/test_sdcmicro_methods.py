"""sdcMicro 5.8.0's own noise, normal data, rank swapping and shuffling of the Census file, after set.seed(1).

The values are in ../shared/golden/sdcmicro, made by the R script there. Swapped and shuffled values are the file's own,
so identical; the others are close, 1e-9 relative: R sums means and factors in another order.
"""

import numpy as np
import pandas as pd
import pytest
from support.data import CENSUS_PATH, SHARED

from pyfcrm import Noise, RankSwapping, RStream, Shuffling
from pyfcrm.datasets import census

GOLDEN = SHARED / "golden" / "sdcmicro"
RTOL = 1e-9
pytestmark = [
    pytest.mark.census,
    pytest.mark.skipif(not (GOLDEN.is_dir() and CENSUS_PATH.is_file()), reason=f"needs {GOLDEN} and {CENSUS_PATH}"),
]


def golden(case):
    """The original columns and what sdcMicro made of them."""
    result = pd.read_csv(GOLDEN / f"{case}.csv.gz")
    return columns(*result.columns), result.to_numpy(dtype=float)


def columns(*names):
    return census(CENSUS_PATH)[list(names)].to_numpy(dtype=float)


def test_additive_is_uncorrelated_noise():
    Y, expected = golden("additive_10_seed1_four")
    Z = Noise("uncorrelated", 10).protect(Y[:, :0], Y, RStream(1))
    np.testing.assert_allclose(Z, expected, rtol=RTOL)


def test_correlated2():
    """delta = 0.1 is an amount of 10."""
    Y, expected = golden("correlated2_d10_seed1_four")
    Z = Noise("correlated2", 10).protect(Y[:, :0], Y, RStream(1))
    np.testing.assert_allclose(Z, expected, rtol=RTOL)


def test_data_gen():
    Y, expected = golden("datagen_seed1_four")
    Z = RStream(1).rnorm_matrix(*Y.shape) @ np.linalg.cholesky(np.cov(Y, rowvar=False)).T + Y.mean(axis=0)
    np.testing.assert_allclose(Z, expected, rtol=RTOL)


@pytest.mark.parametrize("p", [5, 15])
def test_rank_swap(p):
    """P = 0.05 and 0.15, no top or bottom groups. Identical: the columns are full of ties, whose order matters."""
    Y, expected = golden(f"rankswap_P{p:02d}_seed1_four")
    Z = RankSwapping(p, "sdcmicro").protect(Y[:, :0], Y, RStream(1))
    np.testing.assert_array_equal(Z, expected)


def test_argus_rank_swap():
    """perc = 15. Identical."""
    Y, expected = golden("argus_rankswap_15_seed1_four")
    Z = RankSwapping(15).protect(Y[:, :0], Y, RStream(1))
    np.testing.assert_array_equal(Z, expected)


def test_shuffle():
    """FEDTAX + STATETAX ~ AGI + PTOTVAL, "ds". Identical."""
    Y, expected = golden("shuffle_ds_seed1_FEDTAX_STATETAX")
    Z = Shuffling().protect(columns("AGI", "PTOTVAL"), Y, RStream(1))
    np.testing.assert_array_equal(Z, expected)

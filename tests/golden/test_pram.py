"""PRAM against sdcMicro 5.8.0: `pram(data, c("job", "flag", "cat"), pd = 0.8, alpha = 0.5)` after `set.seed(1)`. Identical."""

from pathlib import Path

import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.methods import PRAM

STORED = pd.read_csv(Path(__file__).with_name("sdcmicro_pram.csv"), dtype=str)
COLUMNS = ["job", "flag", "cat"]


@pytest.fixture(scope="module")
def released():
    return pf.protect(STORED[COLUMNS], PRAM(), pf.Roles([], COLUMNS), seed=1).frame


@pytest.mark.parametrize("name", COLUMNS)
def test_each_cell_is_that_of_sdcmicro(released, name):
    pd.testing.assert_series_equal(released[name], STORED[f"{name}_pram"], check_names=False)

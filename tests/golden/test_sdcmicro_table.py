"""The table of the page "Calls of sdcMicro", run as it stands.

Oracle: sdcMicro 5.8.0's stored files (../shared/golden/sdcmicro). Identical where the table says so, close, 1e-9, where it
says equal: R sums in another order.
"""

import re

import numpy as np
import pandas as pd
import pytest
from support.data import CENSUS_PATH, REPOSITORY, SHARED

import pyfcrm as pf
from pyfcrm.datasets import census

GOLDEN = SHARED / "golden" / "sdcmicro"
PAGE = (REPOSITORY / "docs" / "sdcmicro.md").read_text(encoding="utf-8")
TEXT = re.sub(r"## For sdcMicro users.*?(?=\n## )", "", PAGE, flags=re.DOTALL)  # without the calls of a script
ROWS = {
    cells[0]: cells[1:]
    for line in TEXT.splitlines()
    if line.startswith("| `")
    for cells in [line.strip("| ").split(" | ")]
    if len(cells) == 3  # the table of methods; others are of calls and slots
}
STORED = {
    '`microaggregation(method="mdav", aggr=3)`': "mdav_k3_four",
    '`microaggregation(method="onedims", aggr=3)`': "onedims_k3_four",
    '`microaggregation(method="pca", aggr=3)`': "pca_k3_four",
    "`rankSwap(P=0.05, TopPercent=0, BottomPercent=0)`": "rankswap_P05_seed1_four",
    "`argus_rankswap(perc=15)`": "argus_rankswap_15_seed1_four",
    '`addNoise(method="additive", noise=10)`': "additive_10_seed1_four",
    '`addNoise(method="correlated2", delta=0.1)`': "correlated2_d10_seed1_four",
    '`shuffle(method="ds")`': "shuffle_ds_seed1_FEDTAX_STATETAX",
}


def ours_of(code):
    return eval(code, {name: getattr(pf, name) for name in pf.__all__})  # our own page


def test_every_method_of_the_table_is_one_of_ours():
    methods = [re.sub("`", "", ours) for ours, _ in ROWS.values() if re.match(r"`[A-Z]\w+\(", ours)]
    assert len(methods) >= 10
    assert set(STORED) <= set(ROWS)
    for code in methods:
        assert hasattr(ours_of(code), "about"), code


@pytest.mark.census
@pytest.mark.skipif(not (GOLDEN.is_dir() and CENSUS_PATH.is_file()), reason=f"needs {SHARED}")
@pytest.mark.parametrize("call", STORED)
def test_the_table_holds(call):
    ours, words = ROWS[call]
    method = ours_of(ours.strip("`"))
    result = pd.read_csv(GOLDEN / f"{STORED[call]}.csv.gz")
    original, expected = census(CENSUS_PATH), result.to_numpy(dtype=float)
    Y = original[list(result.columns)].to_numpy(dtype=float)
    X = original[["AGI", "PTOTVAL"]].to_numpy(dtype=float) if "shuffle" in call else Y[:, :0]
    Z = method.protect(X, Y, pf.RStream(1))
    if words.startswith("identical"):
        np.testing.assert_array_equal(Z, expected)
    else:
        np.testing.assert_allclose(Z, expected, rtol=1e-9)

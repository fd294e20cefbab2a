"""Local suppression empties at most as many cells as sdcMicro 5.8.0 does. Oracle: its counts on files simulated here."""

import json

import numpy as np
import pytest

from pyfcrm.data.agreeing import agreeing
from pyfcrm.data.codes import factorized
from pyfcrm.methods.suppression import emptied

from .make_suppression import STORED, K, simulated_keys


@pytest.mark.slow
@pytest.mark.parametrize("k", K)
def test_no_file_loses_more_cells_than_with_sdcmicro(k):
    theirs = json.loads(STORED.read_text())["cells"]
    for file, keys in enumerate(simulated_keys()):
        codes = np.column_stack([factorized(keys[name])[0] for name in keys])
        released = emptied(codes, k, [range(codes.shape[1])], np.ones(codes.shape[1]))
        assert agreeing(released).min() >= k
        assert ((released < 0) & (codes >= 0)).sum() <= theirs[f"{file} {k}"]

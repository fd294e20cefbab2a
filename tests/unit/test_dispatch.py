"""When compiled kernels are taken in place of their plain twins. Oracle: results with and without kernels, identical."""

import os
import subprocess
import sys

import pytest

import pyfcrm as pf
from pyfcrm.engine import dispatch


@pytest.mark.slow
@pytest.mark.parametrize("digits", [-3, 2])
def test_the_first_call_gives_what_later_ones_give(monkeypatch, digits):
    """Measures of linkage by plain code, and by kernels: identical, with values that often agree and that hardly do."""
    frame = pf.datasets.census_like(n=200, seed=1).round(digits)
    roles = pf.Roles(["AGI"], ["FEDTAX", "TAXINC", "WSALVAL"])
    after = pf.protect(frame, pf.Noise(amount=5), roles, 1, variables="numbers").frame.round(digits)
    results = []
    for kernels in (False, True):
        monkeypatch.setattr(dispatch, "compiled", lambda _, seconds, kernels=kernels: kernels)
        results.append(pf.evaluate(frame, after, roles.dependent, ["dbrl", "prl", "prl_tolerance", "dr"]).to_frame())
    assert results[0].equals(results[1])


@pytest.mark.process
def test_evaluation_after_a_fit_compiles_the_acceleration_of_em_only(tmp_path):
    """A fresh interpreter with nothing on disk, numba loaded: no other kernels of linkage are imported."""
    code = (
        "import numba, sys, pyfcrm as pf; f = pf.datasets.census_like(n=1080, seed=1);"
        " g = pf.protect(f, pf.Noise(), pf.Roles([], ['AGI', 'FEDTAX']), 1).frame;"
        " pf.evaluate(f, g, ['AGI', 'FEDTAX']); print([m for m in sys.modules if 'pyfcrm' in m and 'kernel' in m])"
    )
    at = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    done = subprocess.run([sys.executable, "-c", code], env=at, capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "['pyfcrm.linkage.em_kernels']"


@pytest.mark.process
def test_small_work_loads_no_compiler():
    """Oracle: the modules of a new process. A first release of 1,000 records needs no compilation, which would take longer than 2 s."""
    code = (
        "import sys, numpy as np, pyfcrm as pf; frame = pf.datasets.census_like(n=1000, seed=1);"
        "pf.protect(frame, pf.FCRM(8), pf.Roles(['AGI', 'FEDTAX'], ['TAXINC', 'WSALVAL']), 1);"
        "Y = np.random.default_rng(0).normal(size=(5000, 13));"
        "pf.Microaggregation(3, 'individual').protect(Y[:, :0], Y, pf.RStream(1)); print('numba' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout == "False\n"

"""When compiled kernels are taken in place of their plain twins: by what both cost, and with no other consequence.

Oracle: prices counted by hand; and results with and without kernels, identical.
"""

import os
import subprocess
import sys

import pytest

import pyfcrm as pf
from pyfcrm.engine import dispatch

KERNELS = "linkage/no_kernels"  # never loaded


@pytest.fixture
def fresh(monkeypatch, tmp_path):
    """A package that has taken nothing yet and has nothing on disk; the folder its kernels would stand in."""
    monkeypatch.setattr(dispatch, "_taken", {})
    monkeypatch.setattr(dispatch, "PACKAGE", tmp_path)
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    (tmp_path / "linkage").mkdir()
    (tmp_path / f"{KERNELS}.py").write_text("")
    return tmp_path / "linkage"


@pytest.mark.slow
@pytest.mark.parametrize("digits", [-3, 2])
def test_the_first_call_gives_what_later_ones_give(monkeypatch, digits):
    """Measures of linkage by plain code, and by kernels: identical, with values that often agree and that hardly do."""
    frame = pf.datasets.census_like(n=200, seed=1).round(digits)
    roles = pf.Roles(["AGI"], ["FEDTAX", "TAXINC", "WSALVAL"])
    after = pf.protect(frame, pf.Noise(amount=5), roles, 1).frame.round(digits)
    made = []
    for kernels in (False, True):
        monkeypatch.setattr(dispatch, "compiled", lambda _, seconds, kernels=kernels: kernels)
        made.append(pf.evaluate(frame, after, roles.dependent, ["dbrl", "prl", "prl_tolerance", "dr"]).to_frame())
    assert made[0].equals(made[1])


def test_evaluation_after_a_fit_compiles_the_acceleration_of_em_only(tmp_path):
    """A fresh interpreter with nothing on disk, numba loaded: no other kernels of linkage are imported."""
    code = (
        "import numba, sys, pyfcrm as pf; f = pf.datasets.census_like(n=1080, seed=1);"
        " g = pf.protect(f, pf.Noise(), pf.Roles([], ['AGI', 'FEDTAX']), 1).frame;"
        " pf.evaluate(f, g, ['AGI', 'FEDTAX']); print([m for m in sys.modules if 'pyfcrm' in m and 'kernel' in m])"
    )
    at = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    script = f"import pyfcrm.engine.dispatch as w; w.cached = lambda source: False; {code}"
    done = subprocess.run(
        [sys.executable, "-c", script], env=at, capture_output=True, text=True, timeout=120, check=True
    )
    assert done.stdout.strip() == "['pyfcrm.engine.kernel', 'pyfcrm.linkage.em_kernels']"

"""Long work reports progress and can be cancelled between its steps.

Oracle: by hand; what is left in the folder; the same result with and without a callback (identical).
"""

import os
import signal
import subprocess
import sys
import time

import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.progress import compiling


@pytest.mark.slow
def test_nothing_changes_with_a_callback():
    frame = pf.datasets.census_like(n=200, seed=1)
    roles = pf.Roles(["AGI"], ["FEDTAX", "TAXINC"])
    steps = []
    for method in (pf.RankSwapping(10), pf.FCRM(2), pf.Sampling(0.5), pf.Calibrated(pf.IPSO("A"))):
        alone = pf.protect(frame, method, roles, 1)
        reported = pf.protect(frame, method, roles, 1, progress=lambda *step: steps.append(step))
        pd.testing.assert_frame_equal(alone.frame, reported.frame, check_exact=True)
        assert steps[0][2] == str(method)
        assert (steps[-1][0] == steps[-1][1], steps[-1][2]) == (True, "done")
        steps.clear()
    plain = pf.evaluate(frame, reported.frame, roles.dependent)
    report = pf.evaluate(frame, reported.frame, roles.dependent, progress=lambda *step: steps.append(step))
    assert report.rows() == plain.rows()
    names = list(dict.fromkeys(label for _, _, label in steps))
    assert names == [f"measuring {key}" for key in ("pil", "dbrl", "prl", "id", "dr", "score")] + ["done"]


def test_ctrl_c_ends_the_command_line_with_nothing_left(tmp_path):
    """Minutes of V-MDAV: status 130, one line, no file."""
    pf.datasets.census_like(n=30_000, seed=1).to_csv(tmp_path / "in.csv", index=False)
    words = (
        "protect in.csv -o out.csv --method microaggregation --set k=3 --set kind=vmdav --dependent AGI,FEDTAX,TAXINC"
    )
    started = subprocess.Popen(
        [sys.executable, "-m", "pyfcrm", *words.split()],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    time.sleep(6)  # to load, read and begin
    if started.poll() is not None:
        pytest.skip("the machine was too quick")
    started.send_signal(signal.SIGINT)
    _, error = started.communicate(timeout=60)
    assert started.returncode == 130
    assert b"interrupted; no file was left half-written" in error
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_a_compilation_is_known_while_it_lasts():
    """Defect: a first run stood still for seconds, and nothing said why. Oracle: numba's own events. Identical."""
    from numba import njit
    from numba.core import event

    import pyfcrm.engine.compile  # noqa: F401

    seen = []

    class Listener(event.Listener):
        def on_start(self, event):
            seen.append(bool(compiling))

        def on_end(self, event):
            pass

    with event.install_listener("numba:compile", Listener()):
        njit(lambda x: x + 1)(1)
    assert seen[0]
    assert not compiling

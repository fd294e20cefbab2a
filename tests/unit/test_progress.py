"""Long work reports progress and can be cancelled between its steps.

Oracle: by hand; what is left in the folder; the same result with and without a callback (identical).
"""

import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass

import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import Cancelled
from pyfcrm.methods import Method
from pyfcrm.progress import compiling


@dataclass(frozen=True)
class Stepping(Method):
    """A method that reports three steps and a note."""

    def protect(self, X, Y, stream, run):
        for done in range(3):
            run.tracker.step(done, 3)
        run.note("three steps")
        return Y


def test_steps_of_a_method_are_reported_and_it_stops_at_the_next_one():
    frame, roles = pf.datasets.census_like(n=50, seed=1), pf.Roles([], ["AGI"])
    steps = []

    def progress(done, total, label):
        steps.append((done, total, label))

    released = pf.protect(frame, Stepping(), roles, 1, progress=progress, allow_unprotected=True)
    assert list(dict.fromkeys(steps)) == [
        (0, 1, "Stepping()"), (0, 3, "Stepping()"), (1, 3, "Stepping()"), (2, 3, "Stepping()"), (1, 1, "done"),
    ]  # fmt: skip
    assert "three steps" in released.notes

    def stop(done, total, label):
        if done == 1:
            raise Cancelled

    with pytest.raises(Cancelled):
        pf.protect(frame, Stepping(), roles, 1, progress=stop, allow_unprotected=True)


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

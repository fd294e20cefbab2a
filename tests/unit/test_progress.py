"""Long work is told of and can be stopped within a second, in methods and measures that say nothing themselves.

Oracle: the clock, with a margin for a busy machine; what is left in the folder; and the same result with and without a
callback (identical).
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import dataclass
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.engine.compile import compiled
from pyfcrm.errors import Cancelled
from pyfcrm.methods import Method
from pyfcrm.progress import ProgressTracker, run_cancellable, still, within

SOON = 20.0  # seconds: a beat and the patience are two, what is stopped takes a minute, a machine may be busy


def workers() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name == "pyfcrm work"]


def stop_at(call: int):
    """A callback that cancels at its so many-th call."""
    calls: list[tuple[int, int, str]] = []

    def progress(done: int, most: int, what: str) -> None:
        calls.append((done, most, what))
        if len(calls) == call:
            raise Cancelled

    return progress, calls


@dataclass(frozen=True)
class Slow(Method):
    """A method that says nothing for a minute."""

    def protect(self, X, Y, stream, note=print):
        end = time.monotonic() + 60
        while time.monotonic() < end:
            time.sleep(0.01)
        return Y


def test_a_silent_method_is_stopped_soon_and_its_thread_ends():
    frame = pf.datasets.census_like(n=50, seed=1)
    progress, calls = stop_at(4)
    start = time.monotonic()
    with pytest.raises(Cancelled):
        pf.protect(frame, Slow(), pf.Roles([], ["AGI"]), 1, progress=progress)
    assert time.monotonic() - start < SOON
    assert len(calls) == 4
    assert set(calls) == {(0, 1, "Slow()")}
    assert not workers()


@dataclass(frozen=True)
class Stepping(Method):
    """A method that says how far it is."""

    def protect(self, X, Y, stream, note=print):
        for done in range(3):
            ProgressTracker.of(note).step(done, 3)
            time.sleep(0.5)
        note("three steps")
        return Y


def test_steps_of_a_method_are_told():
    frame = pf.datasets.census_like(n=50, seed=1)
    said: list[tuple[int, int, str]] = []
    made = pf.protect(
        frame, Stepping(), pf.Roles([], ["AGI"]), 1, progress=lambda *step: said.append(step), allow_unprotected=True
    )
    assert list(dict.fromkeys(said)) == [
        (0, 1, "Stepping()"), (0, 3, "Stepping()"), (1, 3, "Stepping()"), (2, 3, "Stepping()"), (1, 1, "done"),
    ]  # fmt: skip
    assert "three steps" in made.notes
    ProgressTracker.of(lambda text: None).step(1, 2)  # a note that is only a function does not hear it


@compiled
def long_kernel(steps: int) -> int:
    """Seconds of compiled work for 2e9 steps, each of which needs the one before."""
    x = np.uint32(1)
    for _ in range(steps):
        x = np.uint32(x * np.uint32(1664525) + np.uint32(1013904223))
    return int(x)


def test_a_compiled_kernel_lets_others_run_and_is_left_soon():
    """Were the interpreter held, the callback would first be called when the kernel has ended."""
    long_kernel(1)  # compile
    began, heard = time.monotonic(), list[float]()

    def progress(done: int, most: int, what: str) -> None:
        heard.append(time.monotonic())
        raise Cancelled

    work, ended = (lambda: long_kernel(3_000_000_000)), list[float]()

    def timed() -> int:
        made = work()
        ended.append(time.monotonic())
        return made

    with pytest.raises(Cancelled):
        run_cancellable(timed, progress, ProgressTracker("counting"))
    left = time.monotonic()
    for thread in workers():
        thread.join(120)  # the kernel runs to its end, for nothing
    assert len(heard) == 1
    assert left - began < SOON
    assert not ended  # Cancelled came first
    assert not workers()


def test_nothing_changes_with_a_callback():
    frame = pf.datasets.census_like(n=200, seed=1)
    roles = pf.Roles(["AGI"], ["FEDTAX", "TAXINC"])
    said: list[tuple[int, int, str]] = []
    for method in (pf.RankSwapping(10), pf.FCRM(2), pf.Sampling(0.5), pf.Calibrated(pf.IPSO("A"))):
        alone = pf.protect(frame, method, roles, 1)
        told = pf.protect(frame, method, roles, 1, progress=lambda *step: said.append(step))
        pd.testing.assert_frame_equal(alone.frame, told.frame, check_exact=True)
        assert said[0][2] == str(method)
        assert (said[-1][0] == said[-1][1], said[-1][2]) == (True, "done")
        said.clear()
    alone = pf.evaluate(frame, told.frame, roles.dependent)
    judged = pf.evaluate(frame, told.frame, roles.dependent, progress=lambda *step: said.append(step))
    assert judged.rows() == alone.rows()
    names = list(dict.fromkeys(what for _, _, what in said))
    assert names == [f"measuring {key}" for key in ("pil", "dbrl", "prl", "id", "dr", "score")] + ["done"]


def test_errors_come_back_as_they_are_with_numpy_as_it_was():
    with pytest.raises(ZeroDivisionError, match="in there"):
        run_cancellable(
            lambda: (_ for _ in ()).throw(ZeroDivisionError("in there")), lambda *step: None, ProgressTracker("")
        )
    with np.errstate(over="raise"), pytest.raises(FloatingPointError):
        run_cancellable(lambda: np.float64(1e308) * 10, lambda *step: None, ProgressTracker(""))
    assert run_cancellable(lambda: 3, None, ProgressTracker("")) == 3


def test_courses_of_parts():
    """Worked by hand, in thousandths of a task."""
    said: list[tuple[int, int, str]] = []
    inner = within(lambda *step: said.append(step), 1, 4, "second")
    assert inner is not None
    inner(0, 2, "begins")
    inner(1, 2, "")
    inner(9, 2, "ends")
    same = still(lambda *step: said.append(step), 3, 7, "going on")
    assert same is not None
    same(5, 6, "unheard")
    assert said == [
        (1000, 4000, "second: begins"),
        (1500, 4000, "second"),
        (2000, 4000, "second: ends"),
        (3, 7, "going on"),
    ]
    assert within(None, 0, 1) is None
    assert still(None, 0, 1, "") is None


def test_ctrl_c_ends_the_command_line_soon_with_nothing_left(tmp_path: Path):
    """VMDAV-like work of minutes: status 130, one line, no file; half a second is given to begin."""
    pf.datasets.census_like(n=30_000, seed=1).to_csv(tmp_path / "in.csv", index=False)
    words = [
        "protect",
        "in.csv",
        "-o",
        "out.csv",
        "--method",
        "microaggregation",
        "--set",
        "k=3",
        "--set",
        "kind=vmdav",
    ]
    started = subprocess.Popen(
        [sys.executable, "-m", "pyfcrm", *words, "--dependent", "AGI,FEDTAX,TAXINC"],
        cwd=tmp_path,
        stderr=subprocess.PIPE,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    time.sleep(6)  # to load, read and begin
    if started.poll() is not None:
        pytest.skip("the machine was too quick")
    started.send_signal(signal.SIGINT)
    start = time.monotonic()
    _, error = started.communicate(timeout=60)
    assert started.returncode == 130
    assert b"interrupted; no file was left half-written" in error
    assert time.monotonic() - start < 2 * SOON
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]


def test_records_at_risk_are_told_of_too():
    frame = pf.datasets.census_like(n=60, seed=1)[["AGI", "FEDTAX"]]
    said: list[tuple[int, int, str]] = []
    told = pf.records_at_risk(frame, frame + 1, progress=lambda *step: said.append(step))
    pd.testing.assert_frame_equal(told.to_frame(), pf.records_at_risk(frame, frame + 1).to_frame())
    assert [step[:2] for step in dict.fromkeys(said)] == [(0, 2), (1, 2), (2, 2)]


def test_while_a_kernel_is_compiled_progress_says_so():
    """Defect: a first run stood still for seconds, and nothing said why. Oracle: numba's own events. Identical."""
    pytest.importorskip("rich", reason="needs the extra cli")
    from numba import njit
    from numba.core import event

    from pyfcrm.cli.show import COMPILING, _Now
    from pyfcrm.progress import is_compiling

    shown = SimpleNamespace(fields={"now": "measuring pil"})
    seen = []

    class Looking(event.Listener):
        def on_start(self, event):
            seen.append((is_compiling(), str(_Now().render(shown))))

        def on_end(self, event):
            pass

    with event.install_listener("numba:compile", Looking()):
        njit(lambda x: x + 1)(1)
    assert seen[0] == (True, f"measuring pil ({COMPILING})")
    assert not is_compiling()
    assert str(_Now().render(shown)) == "measuring pil"

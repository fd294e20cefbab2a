"""Methods with long loops tell of their steps, and can be stopped between them; telling changes nothing.

Oracle: by hand, and the same release without anyone who listens. Grade: identical.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import pyfcrm as pf
from pyfcrm.engine import Local, dispatch
from pyfcrm.engine.threads import Watched
from pyfcrm.errors import Cancelled
from pyfcrm.methods.grouping import mdav_groups, mdav_kernels
from pyfcrm.methods.method import Run
from pyfcrm.progress import ProgressTracker

N, T = 400, 3
X, Y = pf.RStream(1).rnorm_matrix(N, 2), np.exp(pf.RStream(2).rnorm_matrix(N, T))
COLUMNS = [(j, T) for j in range(T)]
BY_COLUMN = [
    pf.RankSwapping(10),
    pf.RankSwapping(10, "sdcmicro"),
    pf.Permutation(5),
    *(pf.Noise(kind, 20) for kind in ("uncorrelated", "correlated", "linear", "nonlinear", "laplace", "correlated2")),
    pf.Noise("multiplicative", 20),
]
IN_PARTS = [
    pf.Microaggregation(4, "individual"),
    pf.Microaggregation(4),
    pf.Microaggregation(4, "vmdav"),
    pf.Microaggregation(4, "optimal"),
    pf.Microaggregation(4, "pca"),
    pf.Hybrid("microaggregation", k=20),
    pf.Calibrated(pf.IPSO("B")),
    pf.Calibrated(pf.FCRM(2)),
    pf.Calibrated(pf.RankSwapping(10), margins="original"),
]


class Listener(ProgressTracker):
    """A tracker that keeps what it is told."""

    def __init__(self) -> None:
        self.steps = list[tuple[int, int]]()
        super().__init__("", progress=lambda done, most, _: self.steps.append((done, most)))

    def check(self) -> None:
        """Steps only: how often it is asked between them depends on the clock."""


@pytest.mark.parametrize("method", [*BY_COLUMN, *IN_PARTS], ids=str)
def test_steps_never_go_back_and_change_nothing(method):
    heard, heard_notes, notes = Listener(), list[str](), list[str]()
    told = method.protect(X, Y, pf.RStream(3), Run(heard_notes.append, heard))
    np.testing.assert_array_equal(told, method.protect(X, Y, pf.RStream(3), Run(notes.append)))
    assert heard_notes == notes
    shares = [done / most for done, most in heard.steps]
    assert shares == sorted(shares)
    in_one_go = str(method).startswith("Calibrated(method=IPSO")  # the first half
    assert shares[0] == (0.5 if in_one_go else 0)
    assert shares[-1] <= 1
    if method in BY_COLUMN:
        assert heard.steps == COLUMNS
    elif str(method) != "Microaggregation(k=4, kind=pca)":  # one stroke
        assert len(set(shares)) > 2 or str(method) == "Microaggregation(k=4)"  # compiled, so few are one stroke


@pytest.mark.parametrize("at_once", [1, 2, 7, 10**9])
@pytest.mark.parametrize("whole", [False, True])
def test_mdav_in_strokes_makes_the_same_groups(monkeypatch, at_once, whole):
    """Oracle: the plain twin, which makes all groups at once; whole numbers tie and never leave the mean in doubt."""
    A = np.rint(3 * Y) if whole else Y
    plain = mdav_groups(A, 3).tolist()
    monkeypatch.setattr(dispatch, "compiled", lambda *_: True)
    monkeypatch.setattr(mdav_kernels, "AT_ONCE", at_once)
    steps = list[tuple[int, int]]()
    assert mdav_groups(A, 3, on_step=lambda *one: steps.append(one)).tolist() == plain
    done = [records for records, _ in steps]
    assert done == sorted(set(done))
    assert {n for _, n in steps} == {N}
    assert all(records % 3 == 0 for records in done)
    # Two groups in a turn, so a stroke may end one group late; the last leaves up to 5 records for the last group.
    strokes = np.diff([*done, N])
    assert max(strokes[:-1], default=0) <= 3 * (at_once + 1)
    assert strokes[-1] <= 3 * (at_once + 1) + 5
    assert len(strokes) >= N // (3 * (at_once + 1) + 5)


def test_a_course_that_is_to_end_ends_all_its_parts():
    """At the next step, and between two blocks of records, whichever comes first; before that at none."""
    tracker, done = ProgressTracker("sums"), list[int]()
    part = tracker.part(0, 2).part(1, 3)

    class Sum:
        def part(self, block: int) -> int:
            done.append(block)
            if block == 2:
                tracker.cancelled.set()
            return block

        def add(self, a: int, b: int) -> int:
            return a + b

    part.check()
    assert Watched(Local(1), part).total(Sum(), [0, 1]) == 1
    with pytest.raises(Cancelled):
        Watched(Local(1), part).total(Sum(), [2, 3, 4])
    assert done == [0, 1, 2]
    with pytest.raises(Cancelled):
        part.step(1, 2)


@pytest.mark.parametrize("threads", [1, 3])
def test_whoever_is_told_is_asked_between_blocks_too(threads):
    """Long passes over a file can be left in the middle; the callback is called in the thread of whoever called."""
    told, me = list[tuple[int, int, str]](), threading.get_ident()

    def progress(done: int, most: int, what: str) -> None:
        assert threading.get_ident() == me
        told.append((done, most, what))
        if len(told) == 3:
            raise Cancelled

    class Slow:
        def part(self, block: int) -> int:
            time.sleep(0.1)
            return 1

        def add(self, a: int, b: int) -> int:
            return a + b

    engine = Watched(Local(threads), ProgressTracker("sums", 0, 2, progress=progress), 2)
    begun = time.monotonic()
    with pytest.raises(Cancelled):
        engine.total(Slow(), range(1000))
    assert told == [(0, 2, "sums")] * 3
    assert time.monotonic() - begun < 15  # three beats, where the pass would take half a minute


@pytest.mark.slow
@pytest.mark.parametrize("method", [pf.Microaggregation(3), pf.Microaggregation(3, "vmdav")], ids=str)
def test_long_work_is_left_between_steps(method):
    """Oracle: this process's own time. MDAV of so many records takes several seconds, the others more; the first steps come soon."""
    frame = pf.datasets.census_like(n=60_000, seed=1)
    told = list[float]()

    def stop(done: int, most: int, what: str) -> None:
        if 0 < done < most:
            told.append(time.process_time())
            raise Cancelled

    with pytest.raises(Cancelled):
        pf.protect(frame, method, pf.Roles([], ["AGI", "FEDTAX", "TAXINC", "WSALVAL", "PEARNVAL"]), 1, progress=stop)
    assert time.process_time() - told[0] < 3  # a second's patience, of two threads
    for thread in threading.enumerate():
        if thread.name == "pyfcrm work":
            thread.join(3)
            assert not thread.is_alive()

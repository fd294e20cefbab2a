"""Methods with long loops tell of their steps, and can be stopped between them; telling changes nothing.

Oracle: by hand, and the same release without anyone who listens. Grade: identical.
"""

from __future__ import annotations

import threading
import time

import numpy as np
import pytest

import pyfcrm as pf
from pyfcrm.errors import Cancelled
from pyfcrm.methods.grouping import mdav, mdav_groups, mdav_kernels
from pyfcrm.progress import ignore, part, step

N, T = 400, 3
X, Y = pf.RStream(1).rnorm_matrix(N, 2), np.exp(pf.RStream(2).rnorm_matrix(N, T))
COLUMNS = [(j, T) for j in range(T)]
BY_COLUMN = [
    pf.RankSwapping(10),
    pf.RankSwapping(10, "sdcmicro"),
    pf.Permutation(5),
    *(pf.Noise(kind, 20) for kind in ("uncorrelated", "correlated", "linear", "nonlinear", "laplace", "correlated2")),
    pf.Noise("multiplicative", 20),
    pf.Microaggregation(4, "individual"),
]
IN_PARTS = [
    pf.Microaggregation(4),
    pf.Microaggregation(4, "vmdav"),
    pf.Microaggregation(4, "optimal"),
    pf.Microaggregation(4, "pca"),
    pf.Hybrid("microaggregation", k=20),
    pf.Calibrated(pf.IPSO("B")),
    pf.Calibrated(pf.FCRM(2)),
    pf.Calibrated(pf.RankSwapping(10), margins="original"),
]


class Listener:
    """A note that is told of steps too."""

    def __init__(self) -> None:
        self.steps, self.notes = list[tuple[int, int]](), list[str]()

    def __call__(self, text: str) -> None:
        self.notes.append(text)

    def step(self, done: int, most: int) -> None:
        self.steps.append((done, most))


@pytest.mark.parametrize("method", [*BY_COLUMN, *IN_PARTS], ids=str)
def test_steps_never_go_back_and_change_nothing(method):
    heard, notes = Listener(), list[str]()
    told = method.protect(X, Y, pf.RStream(3), heard)
    np.testing.assert_array_equal(told, method.protect(X, Y, pf.RStream(3), notes.append))
    assert heard.notes == notes
    shares = [done / most for done, most in heard.steps]
    assert shares == sorted(shares)
    in_one_go = str(method).startswith(("Hybrid", "Calibrated(method=IPSO"))  # the first half
    assert shares[0] == (0.5 if in_one_go else 0)
    assert shares[-1] <= 1
    if method in BY_COLUMN:
        assert heard.steps == COLUMNS
    elif str(method) != "Microaggregation(k=4, kind=pca)":  # one stroke
        assert len(set(shares)) > 2 or str(method) == "Microaggregation(k=4)"  # short, so by the plain twin at once


@pytest.mark.parametrize("at_once", [1, 2, 7, 10**9])
@pytest.mark.parametrize("whole", [False, True])
def test_mdav_in_strokes_makes_the_same_groups(monkeypatch, at_once, whole):
    """Oracle: the plain twin, which makes all groups at once; whole numbers tie and never leave the mean in doubt."""
    A = np.rint(3 * Y) if whole else Y
    plain = mdav_groups(A, 3).tolist()
    monkeypatch.setattr(mdav, "PLAIN", 0)
    monkeypatch.setattr(mdav_kernels, "AT_ONCE", at_once)
    steps = list[tuple[int, int]]()
    assert mdav_groups(A, 3, told=lambda *one: steps.append(one)).tolist() == plain
    done = [records for records, _ in steps]
    assert done == sorted(set(done))
    assert {n for _, n in steps} == {N}
    assert all(records % 3 == 0 for records in done)
    # Two groups in a turn, so a stroke may end one group late; the last leaves up to 5 records for the last group.
    strokes = np.diff([*done, N])
    assert max(strokes[:-1], default=0) <= 3 * (at_once + 1)
    assert strokes[-1] <= 3 * (at_once + 1) + 5
    assert len(strokes) >= N // (3 * (at_once + 1) + 5)


def test_mdav_of_a_file_cut_into_parts_counts_all_records(monkeypatch):
    monkeypatch.setattr(mdav, "PLAIN", 0)
    monkeypatch.setattr(mdav, "MOST_AT_ONCE", 100)
    monkeypatch.setattr(mdav, "PART", 100)
    steps = list[tuple[int, int]]()
    mdav_groups(Y, 3, told=lambda *one: steps.append(one))
    done = [records for records, _ in steps]
    assert done == sorted(done)
    assert {0, 100, 200, 300} <= set(done)
    assert {n for _, n in steps} == {N}


def test_parts_of_a_course():
    """By hand, in thousandths; a note that is only a function stays one."""
    heard = Listener()
    second = part(heard, 1, 2)
    step(second, 1, 4)
    step(part(second, 1, 2), 0, 5)
    second("said")
    assert heard.steps == [(1250, 2000), (1500, 2000)]
    assert heard.notes == ["said"]
    assert part(ignore, 0, 2) is ignore


@pytest.mark.parametrize(
    "method", [pf.Microaggregation(3), pf.Microaggregation(3, "vmdav"), pf.Hybrid("microaggregation", k=3)], ids=str
)
def test_long_work_is_left_between_steps(method):
    """Oracle: the clock. MDAV of so many records takes several seconds, the others more; the first steps come soon."""
    frame = pf.datasets.census_like(n=60_000, seed=1)
    told = list[float]()

    def stop(done: int, most: int, what: str) -> None:
        if 0 < done < most:
            told.append(time.monotonic())
            raise Cancelled

    with pytest.raises(Cancelled):
        pf.protect(frame, method, pf.Roles([], ["AGI", "FEDTAX", "TAXINC", "WSALVAL", "PEARNVAL"]), 1, progress=stop)
    assert time.monotonic() - told[0] < 3  # a second's patience, and a margin for a busy machine
    for thread in threading.enumerate():
        if thread.name == "pyfcrm work":
            thread.join(3)
            assert not thread.is_alive()

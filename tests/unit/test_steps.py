"""Methods with long loops tell of their steps, and can be stopped between them; telling changes nothing.

Oracle: by hand, and the same release without anyone who listens. Grade: identical.
"""

import numpy as np
import pytest

import pyfcrm as pf
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

    def __init__(self):
        self.steps = list[tuple[int, int]]()
        super().__init__("", progress=lambda done, most, _: self.steps.append((done, most)))

    def check(self):
        """Steps only: how often it is asked between them depends on the clock."""


@pytest.mark.slow
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

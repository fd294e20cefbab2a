"""Sums over small blocks against the methods in memory. Oracle: method.protect on the same arrays and stream.

Grade: close, 1e-8 of an attribute's sd: a triangular factor made of blocks' factors has the whole's to rounding, which
the regressors' condition (below 1e6 here) multiplies.
"""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.blocks import protect_arrays

import pyfcrm as pf
from pyfcrm.engine import Local, kernel
from pyfcrm.methods.method import Run

METHODS = [
    *(pf.IPSO(kind, variant) for kind in "ABC" for variant in ("burridge", "thesis")),
    *(pf.Noise(kind) for kind in ("uncorrelated", "laplace", "multiplicative", "correlated2")),
    pf.FCRM(2, joint=True, max_iter=4),
    pf.FCRM(3, max_iter=3, m=2),
    pf.FCRM(1),
]


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kernel, "MIN_ROWS", 256)  # rows in a block


def file(seed: int, n: int, s: int, t: int, twice: bool) -> tuple[np.ndarray, np.ndarray]:
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, s)) * 10.0 ** random.integers(-3, 6, size=s)
    Y = random.lognormal(size=(n, t)) * 10.0 ** random.integers(-2, 5, size=t)
    if twice and s > 1:
        X[:, 1] = 2 * X[:, 0] - 1
    if twice and t > 1:
        Y[:, 1] = 3 * Y[:, 0]
    return X, Y


def both(
    method: pf.methods.Method, X: np.ndarray, Y: np.ndarray
) -> tuple[np.ndarray, np.ndarray, list[str], list[str]]:
    mine, theirs, heard, told = pf.RStream(1), pf.RStream(1), list[str](), list[str]()
    made = protect_arrays(method, X, Y, mine, heard.append, Local(2))
    known = method.protect(X, Y, theirs, Run(told.append))
    assert (mine.to_r_state() == theirs.to_r_state()).all()
    return made, known, heard, told


@settings(max_examples=15)
@given(
    seed=st.integers(0, 10**6),
    n=st.integers(40, 1500),
    s=st.integers(0, 3),
    t=st.integers(1, 3),
    twice=st.booleans(),
)
def test_blocks_give_what_memory_gives(seed, n, s, t, twice):
    X, Y = file(seed, n, s, t, twice)
    for method in METHODS:
        made, known, heard, told = both(method, X, Y)
        assert float((np.abs(made - known) / Y.std(axis=0)).max()) < 1e-8, method
        assert heard == told

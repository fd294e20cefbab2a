"""Rank swapping on the paths of long files: compiled sorts, attributes side by side.

Oracles: the plain twins, on short files for which the thresholds are lowered. All identical, to the bit.
"""

import os

import numpy as np
import pytest
from support import swaps

from pyfcrm import RankSwapping, RStream
from pyfcrm.numerics import sorting
from pyfcrm.rstream import taus88


@pytest.fixture(params=[1, 5], ids="{} threads".format)
def threads(request, monkeypatch):
    """As if every file were long, and the machine had so many processors."""
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(request.param)), raising=False)
    monkeypatch.setattr(sorting, "COMPILED_WHEN_LOADED", 0)
    monkeypatch.setattr("pyfcrm.engine.engines.IN_THREADS", 0)


def columns(n, layout="C"):
    """Without ties, with ties, zeros of both signs, constant, extremes, and one outlier beside values very close."""
    rng = np.random.default_rng(n)
    return np.array(
        np.column_stack(
            [
                rng.normal(size=n) * 1e6,
                rng.integers(-2, 3, size=n),
                rng.choice([0.0, -0.0, 5e-324, -5e-324], size=n),
                np.full(n, 0.1),
                rng.choice([1e100, -1e100, 1e-100], size=n),
                np.where(np.arange(n) == n // 2, -1e99, 1 + rng.integers(0, n, size=n) * 2.0**-52),
            ]
        ),
        order=layout,
    )


def released(method, Y, seed=1):
    stream, notes = RStream(seed), []
    Z = method.protect(np.empty((len(Y), 0)), Y, stream, notes.append)
    return Z, notes, stream


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize(("n", "p"), [(1, 5), (2, 5), (3, 100), (60, 5), (251, 15), (251, 100)])
def test_argus_is_the_twin_s(threads, n, p, layout):
    """And as many uniforms are taken, column after column."""
    Y, stream = columns(n, layout), RStream(7)
    expected = np.empty_like(Y)
    for j, y in enumerate(Y.T):
        partner = swaps.argus_partners(n, max(1, int(n * p / 100 + 1e-9)), lambda: stream.runif(1)[0])
        order = swaps.argus_order(y.tolist())
        expected[order, j] = y[order][partner]
    Z, _, used = released(RankSwapping(p), Y, 7)
    assert Z.tobytes() == expected.tobytes()
    assert used.runif(1) == stream.runif(1)
    assert Z.flags.c_contiguous == Y.flags.c_contiguous  # sums over a release depend on its layout


@pytest.mark.parametrize("layout", ["C", "F"])
@pytest.mark.parametrize(("n", "p"), [(1, 5), (2, 5), (3, 100), (60, 5), (251, 15), (251, 100)])
def test_sdcmicro_is_the_twin_s(threads, n, p, layout):
    Y, words = columns(n, layout), swaps.words(*taus88.seeded(7))
    expected = np.empty_like(Y)
    for j, y in enumerate(Y.T):
        order = np.array(sorted(range(n), key=lambda i, y=y: -y[i]))
        expected[order, j] = y[order][swaps.sdcmicro_partners(n, p / 100, words)]
    Z = released(RankSwapping(p, "sdcmicro"), Y, 7)[0]
    assert Z.tobytes() == expected.tobytes()

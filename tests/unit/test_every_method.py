"""One table of methods and the properties that each of them has, by group of methods. Identical unless a test says otherwise.

Promises on any data are in tests/property, parameters and interfaces of all methods in tests/contract.
"""

import numpy as np
import pytest
from support.data import cloud

from pyfcrm import (
    EGADP,
    GADP,
    IPSO,
    Calibrated,
    Dummy,
    Hybrid,
    Microaggregation,
    Noise,
    Permutation,
    RankSwapping,
    RStream,
    Sequential,
    Shuffling,
)
from pyfcrm.errors import InvalidParameter

X, Y = cloud(60, 2, 3, seed=4)
NOISE = [Noise(kind, 50) for kind in ("uncorrelated", "correlated", "linear", "nonlinear", "laplace", "correlated2")]
GROUPS = [Microaggregation(3, kind) for kind in ("mdav", "vmdav", "zscores", "pca", "individual", "optimal")]
WITHOUT_X = [
    *NOISE, Noise("multiplicative", 50), *GROUPS, RankSwapping(15), RankSwapping(15, "sdcmicro"), Permutation(5), Dummy(),
]  # fmt: skip
REGRESSIONS = [*(IPSO(k, v) for k in "BC" for v in ("burridge", "thesis")), GADP(), EGADP(), Hybrid("regression", 0.3)]
DRAWS = [  # uniforms for each record and column, and blocks of normals
    *((method, 0, 0) for method in (*GROUPS, IPSO("A"))),
    *((method, 0, 1) for method in (IPSO("B"), IPSO("C"), GADP(), EGADP(), Shuffling())),
    *((Hybrid("regression", alpha), 0, 1) for alpha in (0, 0.5, 1)),
    *((IPSO(kind, "thesis"), 0, 2) for kind in "ABC"),
    *((method, 0, 1) for method in NOISE if method.kind != "laplace"),
    *((method, 1, 0) for method in (Sequential(), Dummy(), Noise("laplace", 50))),
]


@pytest.mark.parametrize("method", WITHOUT_X, ids=str)
def test_x_has_no_influence(method):
    np.testing.assert_array_equal(method.protect(X, Y, RStream(1)), method.protect(X[:, :0], Y, RStream(1)))


@pytest.mark.parametrize("method", [*WITHOUT_X, *REGRESSIONS, Shuffling(), Sequential(), Calibrated(IPSO())], ids=str)
def test_most_records_get_other_values(method):
    assert (method.protect(X, Y, RStream(1)) != Y).any(axis=1).mean() > 0.5


@pytest.mark.parametrize(
    "method", [*NOISE, *GROUPS, IPSO(), GADP(), EGADP(), Permutation(5), Shuffling(), Sequential()], ids=str
)
def test_a_constant_column_stays(method):
    """Close, 1e-12: regressions compute it."""
    A, B = np.column_stack([X, np.full(60, 3.0)]), np.column_stack([Y, np.full(60, 0.1)])
    np.testing.assert_allclose(method.protect(A, B, RStream(1))[:, 3], 0.1, rtol=1e-12)


@pytest.mark.parametrize(("method", "uniforms", "normals"), DRAWS, ids=str)
def test_how_many_numbers_are_drawn(method, uniforms, normals):
    """Oracle: a stream that drew as many. No global generator is used."""
    stream, other = RStream(3), RStream(3)
    np.random.seed(0)
    Z = method.protect(X, Y, stream)
    other.runif(uniforms * Y.size)
    other.rnorm(normals * Y.size)
    np.testing.assert_array_equal(stream.to_r_state(), other.to_r_state())
    np.random.seed(1)
    np.testing.assert_array_equal(method.protect(X, Y, RStream(3)), Z)


@pytest.mark.parametrize("method", [*WITHOUT_X, Shuffling(), Sequential()], ids=str)
@pytest.mark.parametrize("n", [1, 2, 3, 9])
def test_few_records(method, n):
    """A release, or a refusal in one sentence that names the method, by groups of 3 with fewer records."""
    if isinstance(method, Microaggregation) and n < 3:
        with pytest.raises(InvalidParameter, match=r"^Microaggregation: `k` must be at most the number of records"):
            method.protect(X[:n], Y[:n], RStream(1))
        return
    Z = method.protect(X[:n], Y[:n], RStream(1))
    assert np.isfinite(Z).all()
    assert Z.shape == (n, 3)

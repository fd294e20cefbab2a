"""IPSO's promises on any data: ties, collinear columns of either side, unlike units, few records."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from pyfcrm import IPSO, RStream


@st.composite
def files(draw):
    """X (n, s), Y (n, t) of whole numbers with ties, some columns being sums of others, in units from 1e-6 to 1e6."""
    n, s, t = draw(st.integers(3, 25)), draw(st.integers(0, 4)), draw(st.integers(1, 4))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    A = np.rint(rng.normal(size=(n, s + t)) * draw(st.sampled_from([1, 3, 100])))
    for j in range(1, s + t):
        kind = draw(st.integers(0, 5))
        if kind == 0:
            A[:, j] = A[:, :j].sum(axis=1)
        elif kind == 1:
            A[:, j] = 2 * A[:, j - 1] + 1
    units = 10.0 ** np.array(draw(st.lists(st.integers(-6, 6), min_size=s + t, max_size=s + t)))
    return A[:, :s] * units[:s], A[:, s:] * units[s:]


def scaled(A, like):
    sd = like.std(axis=0)
    varies = sd > 1e-12 * np.abs(like).max(axis=0)  # the mean of a constant is rounded
    return (A - like.mean(axis=0)) / np.where(varies, sd, 1)


@given(files(), st.integers(0, 99))
def test_c_keeps_means_and_all_covariances(file, seed):
    """Oracle: the promise, of Y alone and jointly with X. Close, 1e-10 in units of the original's sd."""
    X, Y = file
    Z = IPSO("C").protect(X, Y, RStream(seed))
    before, after = (np.column_stack([scaled(X, X), scaled(A, Y)]) for A in (Y, Z))
    np.testing.assert_allclose(after.mean(axis=0), np.zeros(before.shape[1]), atol=1e-10)
    np.testing.assert_allclose(after.T @ after / len(Y), before.T @ before / len(Y), rtol=0, atol=1e-10)


@given(files(), st.integers(0, 99))
def test_b_keeps_means_and_covariances_with_x(file, seed):
    X, Y = file
    Z = IPSO("B").protect(X, Y, RStream(seed))
    x, y, z = scaled(X, X), scaled(Y, Y), scaled(Z, Y)
    np.testing.assert_allclose(z.mean(axis=0), y.mean(axis=0), rtol=0, atol=1e-10)
    np.testing.assert_allclose(x.T @ z / len(Y), x.T @ y / len(Y), rtol=0, atol=1e-10)


@given(files())
def test_a_is_least_squares(file):
    """Oracle: numpy's lstsq on standardised columns. Close, 1e-10 in units of the sd."""
    X, Y = file
    A = np.column_stack([np.ones(len(X)), scaled(X, X)])
    y = scaled(Y, Y)
    fitted = A @ np.linalg.lstsq(A, y, rcond=1e-10)[0]
    np.testing.assert_allclose(scaled(IPSO("A").protect(X, Y, RStream(1)), Y), fitted, rtol=0, atol=1e-10)

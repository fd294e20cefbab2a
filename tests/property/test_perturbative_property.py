"""What each perturbative method promises, on any data: ties, constants, collinear columns, n = 2, no independent ones,
units from 1e-12 to 1e12. Margins and windows are identical; moments close, 1e-9 in units of the original's sd.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.moments import assert_moments_kept, standardised

from pyfcrm import EGADP, GADP, Dummy, Hybrid, Noise, Permutation, RankSwapping, RStream, Shuffling
from pyfcrm.errors import InvalidInput, InvalidParameter

ATOL = 1e-9
NOISE = ["uncorrelated", "correlated", "linear", "nonlinear", "laplace", "multiplicative", "correlated2"]
METHODS = [
    *(Noise(kind) for kind in NOISE),
    RankSwapping(15),
    RankSwapping(40, "sdcmicro"),
    Shuffling(),
    Permutation(1),
    Permutation(3),
    Permutation(1000),
    GADP(),
    EGADP(),
    Hybrid("linear", 0.3),
    Hybrid("regression", 0.3),
    Hybrid("microaggregation", k=2),
    Dummy(),
]
methods = pytest.mark.parametrize("method", METHODS, ids=str)
amounts = st.sampled_from([0.1, 10.0, 100.0, 5000.0])
seeds = st.integers(0, 2**31 - 1)


@st.composite
def files(draw, least=2, most=25):
    """X (n, s), s from 0, and Y (n, t): whole numbers with ties, some columns constant or made of others, any units."""
    n, s, t = draw(st.integers(least, most)), draw(st.integers(0, 2)), draw(st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    A = rng.normal(size=(n, s + t)) * draw(st.sampled_from([1, 3, 100]))
    A = np.rint(A) if draw(st.booleans()) else A
    for j in range(s + t):
        kind = draw(st.integers(0, 7))
        if kind == 0:
            A[:, j] = 0.1
        elif kind == 1 and j:
            A[:, j] = A[:, :j].sum(axis=1)
        elif kind == 2 and j:
            A[:, j] = 2 * A[:, j - 1] + 1
    units = 10.0 ** np.array(draw(st.lists(st.integers(-12, 12), min_size=s + t, max_size=s + t)))
    return A[:, :s] * units[:s], A[:, s:] * units[s:]


def protected(method, X, Y, seed=1):
    """The release, or None where the method says in one sentence that there are too few records."""
    text = None
    try:
        return method.protect(X, Y, RStream(seed))
    except (InvalidInput, InvalidParameter) as error:
        text = str(error)
    assert "records" in text
    assert "\n" not in text
    return None


@methods
@given(file=files(least=1), seed=seeds)
def test_one_seed_one_release_and_the_input_is_left_alone(method, file, seed):
    X, Y = file
    x, y = X.copy(), Y.copy()
    Z = protected(method, X, Y, seed)
    np.testing.assert_array_equal(X, x)
    np.testing.assert_array_equal(Y, y)
    if Z is not None:
        assert Z.shape == Y.shape
        assert np.isfinite(Z).all()
        np.testing.assert_array_equal(protected(method, X, Y, seed), Z)


@given(file=files(), p=st.floats(0.01, 100), kind=st.integers(0, 3), amount=amounts, seed=seeds)
def test_margins_are_kept(file, p, kind, amount, seed):
    """Rank swapping in both forms, shuffling, and noise with a non-linear transformation. Identical."""
    methods = RankSwapping(p), RankSwapping(p, "sdcmicro"), Shuffling(), Noise("nonlinear", amount)
    X, Y = file
    np.testing.assert_array_equal(np.sort(methods[kind].protect(X, Y, RStream(seed)), axis=0), np.sort(Y, axis=0))


@given(file=files(), p=st.floats(0.01, 100), form=st.sampled_from(["argus", "sdcmicro"]), seed=seeds)
def test_swapped_values_are_within_the_window(file, p, form, seed):
    """Of equal values any rank may have been taken, so the nearest ranks of two values are compared."""
    X, Y = file
    Z = RankSwapping(p, form).protect(X, Y, RStream(seed))
    window = max(1, int(len(Y) * p / 100 + 1e-9)) if form == "argus" else max(0, np.ceil(len(Y) * p / 100 + 1e-5) - 1)
    for y, z in zip(Y.T, Z.T, strict=True):
        ordered = np.sort(y)
        first, last = (np.searchsorted(ordered, [y, z], side=side) for side in ("left", "right"))
        apart = np.maximum(first[0] - (last[1] - 1), first[1] - (last[0] - 1))
        assert apart.max() <= window


@pytest.mark.parametrize("method", [Noise("correlated", 50), Noise("linear", 50), GADP()], ids=str)
@given(file=files(), seed=seeds)
def test_noise_of_the_covariance_keeps_exact_linear_relations(method, file, seed):
    """The release's deviations lie in the space of the original's: each row's part outside it is 0."""
    _, Y = file
    y, z = standardised(Y, Y), standardised(method.protect(Y[:, :0], Y, RStream(seed)), Y)
    _, s, V = np.linalg.svd(y, full_matrices=True)
    null = V[int((s > 1e-8 * np.sqrt(len(Y))).sum()) :]
    np.testing.assert_allclose(z @ null.T, 0, atol=1e-8)


@pytest.mark.parametrize(
    "method", [EGADP(), Hybrid("regression", 0.0), Hybrid("regression", 0.7), Hybrid("regression", 1)], ids=str
)
@given(file=files(), seed=seeds)
def test_means_and_all_covariances_are_kept(method, file, seed):
    X, Y = file
    Z = protected(method, X, Y, seed)
    if Z is not None:
        assert_moments_kept(X, Y, Z, ATOL)


@given(file=files(), k=st.integers(1, 30), seed=seeds)
def test_permuted_values_stay_in_their_block(file, k, seed):
    """A value's rank in the release lies in the block of a rank that its original value had."""
    X, Y = file
    Z = Permutation(k).protect(X, Y, RStream(seed))
    n, last = len(Y), max(len(Y) // k - 1, 0)
    for y, z in zip(Y.T, Z.T, strict=True):
        if (y == y[0]).all():
            np.testing.assert_array_equal(z, y)
            continue
        first, after = np.searchsorted(np.sort(y), y, side="left"), np.searchsorted(np.sort(y), y, side="right") - 1
        low = np.searchsorted(np.sort(z), z, side="left")
        high = np.searchsorted(np.sort(z), z, side="right") - 1
        block = np.minimum(np.arange(n) // k, last)
        assert (block[high] >= block[first]).all()
        assert (block[low] <= block[after]).all()

"""What must hold of detection and of the inference baseline for any file."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from pyfcrm import RStream
from pyfcrm.evaluation.inference import inference_baseline
from pyfcrm.measures.detection import detection, folds

values = st.floats(-1e6, 1e6, allow_nan=False, width=32)


@st.composite
def two_blocks(draw):
    n, s, t = draw(st.integers(2, 25)), draw(st.integers(0, 3)), draw(st.integers(1, 3))
    return draw(arrays(np.float64, (n, s), elements=values)), draw(arrays(np.float64, (n, t), elements=values))


@given(two_blocks(), st.integers(0, 24), st.integers(1, 100))
@settings(max_examples=60)
def test_a_record_decides_nothing_of_its_own_draw(blocks, place, seed):
    """Half-units added, so that no column is of whole numbers. Close: rounding of a solve, over values up to 1e6."""
    X, Y = blocks
    i = place % len(X)
    Y = Y + 0.37
    other = Y.copy()
    other[i] += 12.5
    one, two = (inference_baseline(X, A, RStream(seed)) for A in (Y, other))
    assert np.isfinite(one).all()
    # A leverage near 1 divides by what rounding left of 1 - h: 1e-9 at the least.
    Q = np.linalg.qr(np.column_stack([np.ones(len(X)), X - X.mean(axis=0)]))[0]
    if (Q[i] ** 2).sum() < 0.99:
        np.testing.assert_allclose(one[i], two[i], rtol=0, atol=1e-6 * (1 + np.abs(one).max()))


@given(two_blocks())
@settings(max_examples=25)
def test_an_unchanged_release_is_not_told_apart(blocks):
    """Identical: equal rows have equal scores, whatever the classifier."""
    _, Y = blocks
    assert detection(Y, Y.copy()).total == 50.0


@given(two_blocks(), st.randoms(use_true_random=False))
@settings(max_examples=60)
def test_folds_follow_the_values_and_not_the_file(blocks, random):
    """Identical: the same records in another order are the same rows in the same folds."""
    _, Y = blocks
    order = list(range(len(Y)))
    random.shuffle(order)
    for one, two in zip(folds(Y, Y + 1), folds(Y[order], Y[order] + 1), strict=True):
        np.testing.assert_array_equal(one, two)

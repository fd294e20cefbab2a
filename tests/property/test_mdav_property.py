"""MDAV compiled: on any finite file, in blocks of any size, the groups of its plain twin. All identical."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from pyfcrm.methods.grouping.mdav import mdav_labels, space
from pyfcrm.methods.grouping.mdav_kernels import mdav_compiled


@st.composite
def files(draw):
    """Few values and many ties, or any; records repeated; constant and distant attributes; then units far apart."""
    n, p = draw(st.integers(1, 60)), draw(st.integers(1, 6))
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    cells = draw(st.sampled_from(["ties", "tenths", "normal", "skewed", "drawn"]))
    if cells == "drawn":
        values = st.lists(st.floats(-1e6, 1e6), min_size=n * p, max_size=n * p)
        A = np.array(draw(values)).reshape(n, p)
    else:
        A = {
            "ties": lambda: rng.integers(-2, 3, size=(n, p)).astype(float),
            "tenths": lambda: rng.integers(0, 12, size=(n, p)) / 10,
            "normal": lambda: rng.normal(size=(n, p)),
            "skewed": lambda: rng.standard_cauchy(size=(n, p)) ** 3,
        }[cells]()
    A[np.abs(A) < 1e-9] = 0.0
    if draw(st.booleans()):
        A = A[rng.integers(0, max(1, n // 3), size=n)]  # each record about three times
    if draw(st.booleans()):
        A[:, draw(st.integers(0, p - 1))] = 0.1
    A = A + draw(st.sampled_from([0.0, 0.1, 1e7]))
    if draw(st.booleans()):
        A = A * 10.0 ** rng.integers(-40, 41, size=p)
    return A, draw(st.integers(1, n)) if draw(st.booleans()) else draw(st.integers(1, min(n, 4)))


@pytest.mark.parametrize("scale", ["variance", None])
@given(data=files(), size=st.sampled_from([1, 2, 3, 5, 16, 128]))
def test_groups_are_those_of_the_plain_twin(scale, data, size):
    A, k = data
    S = space(A, scale)
    labels = mdav_compiled(S.columns, S.weights, k, size=size)
    assert labels.tolist() == mdav_labels(S.columns, S.weights, k).tolist()

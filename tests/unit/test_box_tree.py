"""The compiled tree behind donors: against all distances, and the donors against those from scipy's tree."""

import numpy as np
import pytest

from pyfcrm import RStream
from pyfcrm.methods import donors
from pyfcrm.numerics.box_tree import box_tree

rng = np.random.default_rng(0)
TABLES = {
    "normal": rng.normal(size=(700, 5)),
    "one column": rng.normal(size=(100, 1)),
    "a leaf": rng.normal(size=(20, 3)),
    "two leaves": rng.normal(size=(33, 3)),
    "lattice": np.array(np.meshgrid(*[range(5)] * 4), dtype=float).reshape(4, -1).T,
    "equal rows": np.ones((70, 2)),
}


@pytest.mark.slow
@pytest.mark.parametrize("k", [1, 7, 20])
@pytest.mark.parametrize("name", TABLES)
def test_the_nearest_are_those_of_all_distances(name, k):
    """Oracle: all distances, sorted with ties by row. Identical rows; distances close, the same sum of squares."""
    A = TABLES[name]
    squares = ((A[:, None] - A) ** 2).sum(axis=2)
    expected = np.argsort(squares, axis=1, kind="stable")[:, :k]
    distances, near = box_tree(A).nearest(A, k)
    np.testing.assert_array_equal(near, expected)
    np.testing.assert_allclose(distances**2, np.take_along_axis(squares, expected, axis=1), rtol=1e-12, atol=0)


@pytest.mark.parametrize(
    "X",
    [
        rng.normal(size=(400, 4)),
        rng.integers(0, 3, size=(300, 4)).astype(float),
        np.column_stack([rng.integers(0, 2, size=(300, 4)), rng.normal(size=300)]),
    ],
    ids=["continuous", "lattice with repeats", "mixed"],
)
def test_long_files_have_the_same_donors(X, monkeypatch):
    """Identical: from the compiled tree and from scipy's, in turn and side by side; ties are ordered alike by both."""
    monkeypatch.setattr(donors, "MANY", 10**9)
    plain = donors.donors_near("FCRM", X, 6, RStream(1))
    monkeypatch.setattr(donors, "MANY", 1)
    np.testing.assert_array_equal(donors.donors_near("FCRM", X, 6, RStream(1)), plain)
    monkeypatch.setattr("pyfcrm.engine.engines.IN_THREADS", 1)
    np.testing.assert_array_equal(donors.donors_near("FCRM", X, 6, RStream(1)), plain)

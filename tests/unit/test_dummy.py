"""Dummy files: rounded ranges by hand, and nothing else of the data."""

import numpy as np
import pytest

from pyfcrm import Dummy, RStream
from pyfcrm.methods.dummy import rounded_range


@pytest.mark.parametrize(
    ("values", "bounds"),
    [
        ([3.0, 47.0], (0, 50)),  # a range of 44: by tens
        ([103.0, 147.0], (100, 150)),
        ([-7.0, 212.0], (-100, 300)),
        ([0.0, 99999.0], (0, 100000)),
        ([1.0, 5.0], (1, 5)),
        ([0.0, 1.0], (0, 1)),
        ([37.0, 37.0], (30, 40)),  # one value: by its own size
        ([-37.0, -37.0], (-40, -30)),
        ([5.0, 5.0], (5, 6)),
        ([0.0, 0.0], (0, 0)),
        ([0.12, 0.34], (0.1, 0.4)),
        ([1.2e-12, 3.4e-12], (1e-12, 4e-12)),
        ([1.2e12, 3.4e12], (1e12, 4e12)),
    ],
)
def test_rounded_range(values, bounds):
    """By hand. Close: 1e-12, multiples of a tenth are rounded."""
    assert rounded_range(np.array(values)) == pytest.approx(bounds, rel=1e-12)


def test_values_are_uniforms_within_the_bounds():
    """Oracle: R's stream by columns, scaled by hand. Whole attributes reach both bounds and stay whole."""
    rng = np.random.default_rng(0)
    Y = np.column_stack([rng.uniform(3, 47, 500), rng.integers(1, 6, 500)])
    Z = Dummy().protect(Y[:, :0], Y, RStream(1))
    U = RStream(1).runif_matrix(500, 2)
    np.testing.assert_allclose(Z[:, 0], 50 * U[:, 0], rtol=1e-14)
    assert Z[:, 1].tolist() == [1 + int(5 * u) for u in U[:, 1]]
    assert set(Z[:, 1]) == {1, 2, 3, 4, 5}

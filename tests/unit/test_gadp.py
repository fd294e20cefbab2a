"""GADP and EGADP against their formulas, and what sdcMicro's egadp loses."""

import numpy as np
from support.data import cloud
from support.moments import residuals, standardised

from pyfcrm import EGADP, GADP, IPSO, RStream

X, Y = cloud(80, 2, 3, seed=7)


def fitted(X, Y):
    return (
        np.column_stack([np.ones(len(X)), X]) @ np.linalg.lstsq(np.column_stack([np.ones(len(X)), X]), Y, rcond=None)[0]
    )


def test_gadp_is_the_prediction_plus_normals_of_the_residuals_covariance():
    """Oracle: xB by lstsq, S = R'R/n, noise times S's Cholesky factor. Close: 1e-9, as S is a square."""
    R = Y - fitted(X, Y)
    T = np.linalg.cholesky(R.T @ R / len(Y)).T
    expected = fitted(X, Y) + RStream(1).rnorm_matrix(*Y.shape) @ T
    np.testing.assert_allclose(GADP().protect(X, Y, RStream(1)), expected, rtol=1e-9)


def test_egadp_is_ipso_c_as_the_thesis_codes_it_with_the_second_block_of_normals():
    """Identical but for the studentised noise there, which no projection sees: close, 1e-9."""
    stream = RStream(1)
    expected = IPSO("C", "thesis").protect(X, Y, RStream(1))
    stream.rnorm_matrix(*Y.shape)
    np.testing.assert_allclose(EGADP().protect(X, Y, stream), expected, rtol=1e-9)


def test_egadp_s_noise_knows_nothing_of_the_residuals():
    """The promise that sets it apart from IPSO-C: released and original residuals do not correlate in the file."""
    released = EGADP().protect(X, Y, RStream(1))
    noise = standardised(released, Y) - (standardised(Y, Y) - residuals(X, Y))
    np.testing.assert_allclose(noise.T @ residuals(X, Y) / len(Y), 0, atol=1e-12)
    burridge = standardised(IPSO("C").protect(X, Y, RStream(1)), Y) - (standardised(Y, Y) - residuals(X, Y))
    assert np.abs(burridge.T @ residuals(X, Y) / len(Y)).max() > 1e-3


def test_a_dependent_attribute_that_x_explains_is_noted():
    notes = []
    Z = GADP().protect(X, np.column_stack([Y[:, 0], X[:, 0]]), RStream(1), notes.append)
    np.testing.assert_allclose(Z[:, 1], X[:, 0], rtol=1e-10)
    assert notes == ["the residuals of the 2 dependent attributes have rank 1: a factor of that rank was used"]

"""GADP and EGADP against their formulas, and what sdcMicro's egadp loses."""

import numpy as np
import pytest
from support.data import cloud
from support.moments import assert_moments_kept, cross, residuals, standardised

from pyfcrm import EGADP, GADP, IPSO, RStream
from pyfcrm.errors import InvalidInput
from pyfcrm.methods.method import Run
from pyfcrm.methods.shuffling import eigen_normals

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


def test_sdcmicro_s_egadp_loses_its_noise():
    """sdcMicro multiplies residuals of noise by inverse covariances where it means inverse roots and roots.

    Oracle: that formula, V's residuals times cov(V)^-1 cov(R)^-1. In units of thousands its noise is gone and the
    release is the prediction; ours has the residuals' covariance exactly.
    """
    A = Y * 1000
    V = RStream(1).rnorm_matrix(*A.shape) * A.std(axis=0)
    both = np.column_stack([X, A])
    e = (V - fitted(both, V)) @ np.linalg.inv(np.cov(V - fitted(both, V), rowvar=False))
    theirs = fitted(X, A) + e @ np.linalg.inv(np.cov(A - fitted(X, A), rowvar=False))
    lost = np.diag(cross(theirs, theirs)) / np.diag(cross(A, A))
    predicted = np.diag(cross(fitted(X, A), fitted(X, A))) / np.diag(cross(A, A))
    np.testing.assert_allclose(lost, predicted, rtol=1e-4)
    assert (predicted < 0.95).any()
    ours = EGADP().protect(X, A, RStream(1))
    np.testing.assert_allclose(np.diag(cross(ours, ours)), np.diag(cross(A, A)), rtol=1e-10)


@pytest.mark.parametrize(("s", "t"), [(0, 1), (2, 3), (1, 2)])
def test_egadp_needs_1_s_2t_records(s, t):
    needed = 1 + s + 2 * t
    assert_moments_kept(X[:needed, :s], Y[:needed, :t], EGADP().protect(X[:needed, :s], Y[:needed, :t], RStream(1)))
    with pytest.raises(
        InvalidInput, match=rf"^EGADP: needs at least {needed} records for these attributes; got {needed - 1}"
    ):
        EGADP().protect(X[: needed - 1, :s], Y[: needed - 1, :t], RStream(1))


def test_a_dependent_attribute_that_x_explains_is_noted():
    notes = []
    Z = GADP().protect(X, np.column_stack([Y[:, 0], X[:, 0]]), RStream(1), Run(notes.append))
    np.testing.assert_allclose(Z[:, 1], X[:, 0], rtol=1e-10)
    assert notes == ["the residuals of the 2 dependent attributes have rank 1: a factor of that rank was used"]


def test_eigen_normals_have_the_covariance():
    """Oracle: E'E of the map, found by sending unit normals through it; and whether the matrix was a covariance."""
    S = np.array([[2.0, 1, 0], [1, 3, -1], [0, -1, 1]])
    e, proper = eigen_normals(2000, S, RStream(1))
    z = RStream(1).rnorm_matrix(2000, 3)
    A = np.linalg.lstsq(z, e, rcond=None)[0]
    np.testing.assert_allclose(A.T @ A, S, atol=1e-12)
    assert proper
    assert not eigen_normals(10, np.array([[1.0, 2], [2, 1]]), RStream(1))[1]

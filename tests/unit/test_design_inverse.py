"""The thesis's generalised inverse, and fits that do not depend on it. Oracle: A A^- A = A; a step by hand."""

import numpy as np
import pytest
from support.data import S1_DEPENDENT, S1_WITH_V5, census_columns, cloud, membership, requires_census
from support.thesis_inverse import fitted, thesis_inverse

from pyfcrm import fcrm


def test_the_first_independent_rows_and_columns_by_hand():
    """Rows 1 and 3, columns 2 and 3 of this matrix; the second row is twice the first. Identical."""
    A = np.array([[0.0, 2, 0], [0, 4, 0], [0, 6, 5]])
    np.testing.assert_allclose(thesis_inverse(A), [[0, 0, 0], [0.5, 0, 0], [-0.6, 0, 0.2]], rtol=1e-15)


def test_fitted_values_do_not_depend_on_the_generalised_inverse():
    """Two exactly collinear columns: against the thesis's inverse (2.6) and against X without them.

    Close: five iterations from one start; X'DX loses half of the digits that an orthogonal basis keeps.
    """
    X, Y = cloud(80, 3, 1, seed=121)
    redundant, U = np.column_stack([X, X[:, 0] - 2 * X[:, 1], np.full(80, 7.0)]), membership(80, 3, 5)
    plain, more = (fcrm(A, Y, 3, tol=0, max_iter=5, initial=U) for A in (X, redundant))
    assert more.rank == 4
    assert "the regressors have rank 4 of 6: a generalised inverse was used" in more.notes
    np.testing.assert_allclose(more.fitted, plain.fitted, rtol=1e-9)
    np.testing.assert_allclose(more.fitted, fitted(redundant, Y, U, 1.5, 5), rtol=0, atol=1e-6 * Y.std())


@requires_census
@pytest.mark.census
def test_nor_on_the_census_file():
    """v5 = v8 + v10: the singularity both texts describe, in S1 with v5."""
    X, y = census_columns(*S1_WITH_V5), census_columns(S1_DEPENDENT[0])
    U = membership(len(X), 4, 5)
    fit = fcrm(X, y, 4, tol=0, max_iter=5, initial=U)
    assert fit.rank == 4
    np.testing.assert_allclose(fit.fitted, fitted(X, y, U, 1.5, 5), rtol=0, atol=1e-6 * y.std())

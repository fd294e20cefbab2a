"""IPSO's thesis variant against R from the same seed: the independent r_scripts/ipso.R, and the thesis's own listing.

Oracle: R, run now. Grade: close, 1e-10 of each column's largest value (a covariance solved there, a QR here); the
stream afterwards: identical.
"""

import numpy as np
import pytest
from support.data import (
    LISTING,
    REPOSITORY,
    S1_DEPENDENT,
    S1_INDEPENDENT,
    S1_WITH_V5,
    S2_DEPENDENT,
    S2_INDEPENDENT,
    census_columns,
    cloud,
    requires_census,
)
from support.r import requires_r, run_r

from pyfcrm import IPSO, RStream

pytestmark = [pytest.mark.r, requires_r]

OURS = REPOSITORY / "r_scripts" / "ipso.R"
SOURCES = pytest.mark.parametrize(
    "source",
    [
        pytest.param(OURS, id="independent"),
        pytest.param(LISTING, id="listing", marks=pytest.mark.skipif(not LISTING.is_file(), reason="no listing here")),
    ],
)
RUN = """
source(arguments[1])
Y <- matrix(inputs$Y, inputs$n); X <- matrix(inputs$X, inputs$n)
data <- setNames(data.frame(Y, X), paste0("V", seq_len(ncol(Y) + ncol(X))))
for (kind in 1:3) {
  set.seed(inputs$seed)
  released <- IPSOabc(data, seq_len(ncol(Y)), ncol(Y) + seq_len(ncol(X)), kind)
  emit(as.matrix(released)[, seq_len(ncol(Y))]); emit(.Random.seed)
}
"""


def compare(source, X, Y, seed):
    emitted = run_r(RUN, source, inputs={"X": X, "Y": Y, "n": len(Y), "seed": seed})
    for kind, released, state in zip("ABC", emitted[0::2], emitted[1::2], strict=True):
        stream = RStream(seed)
        Z = IPSO(kind, "thesis").protect(X, Y, stream)
        largest = np.abs(Y).max(axis=0)
        np.testing.assert_allclose(Z / largest, released.reshape(Y.T.shape).T / largest, rtol=0, atol=1e-10)
        np.testing.assert_array_equal(stream.to_r_state(), np.where(np.isnan(state), -(2.0**31), state))


@SOURCES
@pytest.mark.parametrize(("s", "t", "seed"), [(2, 4, -5), (1, 1, 2**31 - 1)])
def test_simulated(source, s, t, seed):
    compare(source, *cloud(80, s, t, seed=s + t), seed)


def test_collinear_independent_columns():
    """The thesis's listing stops there; the independent code does not."""
    X, Y = cloud(80, 3, 2, seed=9)
    compare(OURS, np.column_stack([X, X[:, 0] + X[:, 1]]), Y, 4)


@requires_census
@pytest.mark.census
@SOURCES
def test_s1(source):
    compare(source, census_columns(*S1_INDEPENDENT), census_columns(*S1_DEPENDENT), 1)


@requires_census
@pytest.mark.census
@pytest.mark.parametrize(
    ("independent", "dependent"), [(S1_WITH_V5, S1_DEPENDENT), (S2_INDEPENDENT, S2_DEPENDENT)], ids=["S1", "S2"]
)
def test_the_singular_scenarios(independent, dependent):
    """v5 = v8 + v10 among the independent: the independent code, which can."""
    compare(OURS, census_columns(*independent), census_columns(*dependent), 1)

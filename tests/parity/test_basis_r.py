"""The flexible basis against R's model.matrix and splines::ns.

Oracle: R, run now. Grade: close, 1e-8 of a column's norm: the projection of each column of one design on the other one.
"""

import numpy as np
import pytest
from support.r import requires_r, run_r

from pyfcrm.data.blocks import Sample
from pyfcrm.engine import Local
from pyfcrm.methods.basis import flexible_basis

pytestmark = [pytest.mark.r, requires_r]
N = 900
DESIGNS = """
age <- inputs$age; hours <- inputs$hours; amount <- inputs$amount
library(splines)
quartiles <- function(x) unique(quantile(x, 1:3 / 4, type = 1))
inner <- function(x) setdiff(quartiles(x), range(x))
share <- rank(amount) / length(amount)
emit(model.matrix(~ factor(age)))
emit(model.matrix(~ ns(hours, knots = inner(hours))))
emit(model.matrix(~ amount + ns(share, knots = inner(share))))
emit(model.matrix(~ factor(age) + ns(hours, knots = inner(hours)) + amount + ns(share, knots = inner(share))))
"""


def distance(A, B):
    """The largest part of a column of norm 1 of either that the other does not span."""
    A, B = (M / np.linalg.norm(M, axis=0) for M in (A, B))
    both = ((A, B), (B, A))
    return max(np.linalg.norm(b - a @ np.linalg.lstsq(a, b, rcond=1e-12)[0], axis=0).max() for a, b in both)


@pytest.mark.parametrize("ties", [False, True])
def test_columns_span_those_of_r(ties):
    random = np.random.default_rng(5)
    age = 20.0 + 5 * random.integers(0, 11, size=N)
    hours = random.gamma(5, 8, size=N)
    amount = random.lognormal(0, 3, size=N)
    if ties:  # half of the hours are 40, so that two quartiles are one
        share = random.random(N)
        others = np.where(share < 0.8, random.uniform(0, 40, size=N), random.uniform(40, 80, size=N))
        hours = np.where(share < 0.5, 40.0, np.round(others))
        amount = np.round(amount, 1)
    X = np.column_stack([age, hours, amount])
    Y = X @ [[1.0], [2.0], [0.01]] + random.normal(size=(N, 1)) + 100
    emitted = run_r(DESIGNS, inputs={"age": age, "hours": hours, "amount": amount})
    for columns, of_r in zip(([0], [1], [2], [0, 1, 2]), emitted, strict=True):
        x = np.ascontiguousarray(X[:, columns])
        basis = flexible_basis(Sample.of(x, Y, Local(1)))
        mine = np.column_stack([np.ones(N), basis.design(x)])
        theirs = of_r.reshape(-1, N).T
        assert mine.shape == theirs.shape
        assert distance(mine, theirs) < 1e-8

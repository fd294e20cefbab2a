"""Methods that sum give one release wherever the records lie: in memory, on disk, or on a cluster.

Oracle: method.protect on the same arrays and stream. Grade: identical, since the blocks and the arithmetic are the same;
notes, refusals and the stream's next place too.
"""

import pickle

import cloudpickle
import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import pyfcrm as pf
from pyfcrm.data.blocks import Records, Sample, pieces
from pyfcrm.engine import Local, engines
from pyfcrm.errors import PyfcrmError
from pyfcrm.methods.noise import JOINT, SEPARATE
from pyfcrm.methods.work import Run, SumWork

METHODS = [
    *(pf.IPSO(kind, variant) for kind in "ABC" for variant in ("burridge", "thesis")),
    pf.GADP(),
    pf.EGADP(),
    *(pf.IPSO(kind, basis="flexible") for kind in "AC"),
    pf.GADP(basis="flexible"),
    *(pf.Hybrid(kind, alpha) for kind in ("linear", "regression") for alpha in (0, 0.3, 1)),
    *(pf.Noise(kind, amount) for kind in (*SEPARATE, *JOINT) for amount in (0.5, 60)),
]


class Sending:
    """A cluster's contract: blocks are handed over once, kernels and what is small go as bytes."""

    def hold(self, blocks):
        return [np.array(block) for block in blocks]

    def total(self, part, blocks, *add):
        part, blocks = pickle.loads(cloudpickle.dumps((part, list(blocks))))
        return Local(1).total(part, blocks, *add)


@pytest.fixture
def small_blocks(monkeypatch):
    monkeypatch.setattr(engines, "MIN_ROWS", 256)  # rows in a block


@st.composite
def files(draw):
    """Few records and some blocks; heaps of zeros, ties, negatives, constant and collinear columns, exact fits."""
    n = draw(st.one_of(st.integers(1, 20), st.integers(500, 530), st.integers(600, 1500)))
    s, t = draw(st.integers(0, 3)), draw(st.integers(1, 3))
    random = np.random.default_rng(draw(st.integers(0, 10**6)))
    A = random.normal(size=(n, s + t))
    A[:, s:] += A[:, :s] @ random.normal(size=(s, t))
    for j in range(s + t):
        what = draw(st.sampled_from(["as it is", "skewed", "heap", "whole", "constant", "twice", "nearly", "far off"]))
        if what == "skewed":
            A[:, j] = np.exp(2 * A[:, j])
        elif what == "heap":
            A[random.random(n) < 0.9, j] = 0
        elif what == "whole":
            A[:, j] = np.rint(2 * A[:, j])
        elif what == "constant":
            A[:, j] = 0.1
        elif what == "twice" and j:
            A[:, j] = 2 * A[:, j - 1] - 1
        elif what == "nearly" and j:
            A[:, j] = A[:, j - 1] + 10.0 ** -draw(st.integers(2, 9)) * A[:, j]
        elif what == "far off":
            A[:, j] = 1e6 + 1e-2 * A[:, j]
    A *= 10.0 ** random.integers(-6, 7, size=s + t)
    return A[:, :s], A[:, s:]


def outcome(data):
    """The refusal, or the release."""
    try:
        return None, data()
    except PyfcrmError as error:
        return str(error), None


def by_blocks(method, rows, s, t, engine, stream, note):
    sample = Sample(engine, pieces(rows, engine), rows, s, t)
    released = method.numbers().of_sample(sample, Run(stream, note))
    return np.vstack(list(released.blocks(pieces(rows, Local()))))


def assert_one_release(method, X, Y, engines):
    theirs, result = pf.RStream(1), list[str]()
    refused, known = outcome(lambda: method.numbers().release(X, Y, Run(theirs, result.append, engine=Local(1))))
    disk = Records.empty(len(X), X.shape[1] + Y.shape[1], on_disk=True)
    disk.A[:] = np.hstack([X, Y])
    for engine in engines:
        for rows in (Records(np.hstack([X, Y])), disk):
            mine, notes = pf.RStream(1), list[str]()
            text, output = outcome(
                lambda r=rows, e=engine, m=mine, h=notes: by_blocks(method, r, X.shape[1], Y.shape[1], e, m, h.append)
            )
            assert text == refused
            np.testing.assert_array_equal(output, known)
            assert notes == result
            assert (mine.to_r_state() == theirs.to_r_state()).all()


@pytest.mark.usefixtures("small_blocks")
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(method=st.sampled_from(METHODS), file=files())
def test_memory_disk_and_what_is_sent_give_one_release(method, file):
    assert_one_release(method, *file, [Local(2), Sending()])


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.slow
def test_so_does_dask(cluster):
    random = np.random.default_rng(4)
    X = random.lognormal(size=(1500, 2))
    Y = np.column_stack([X @ [1, 2] + random.normal(size=1500), random.lognormal(size=1500), X[:, 0] * 3])
    X = np.column_stack([X, random.integers(0, 6, size=1500)])
    for method in (pf.IPSO(), pf.IPSO("B", "thesis"), pf.IPSO(basis="flexible"), pf.Hybrid(), pf.Noise("correlated")):
        assert_one_release(method, X, Y, [cluster])


def test_a_method_declares_whether_it_goes_by_blocks():
    assert all(isinstance(method.numbers(), SumWork) for method in METHODS)
    assert not isinstance(pf.Hybrid("microaggregation").numbers(), SumWork)


def test_columns_of_one_kind_are_kept_to_the_condition_of_the_file():
    """The promises hold where regressors are nearly collinear and residuals of unlike size: means, covariances with X
    and within Y. Oracle: the promise of IPSO-C, EGADP and the regression hybrid; close, 1e-10 of the sd's product."""
    random = np.random.default_rng(8)
    n = 3000
    x = random.normal(size=(n, 3))
    X = np.column_stack([x[:, 0], x[:, 0] + 1e-7 * x[:, 1], x[:, 2] + 1e4])
    Y = np.column_stack([X[:, 0] + 1e-6 * random.normal(size=n), random.lognormal(size=n), random.normal(size=n)])
    Y[:, 2] = Y[:, 1] + 1e-7 * Y[:, 2]
    before = np.column_stack([x[:, :1], X, Y])
    for method in (pf.IPSO("C"), pf.IPSO("C", "thesis"), pf.EGADP(), pf.Hybrid("regression", 0.4)):
        after = np.column_stack([x[:, :1], X, method.protect(X, Y, pf.RStream(2))])
        np.testing.assert_allclose(after.mean(axis=0), before.mean(axis=0), atol=1e-9)
        np.testing.assert_allclose(np.corrcoef(after.T), np.corrcoef(before.T), rtol=0, atol=1e-10)
        np.testing.assert_allclose(after.std(axis=0), before.std(axis=0), rtol=1e-10)

"""FCRM of records in memory, on disk and on a cluster: one release, the same notes, the same refusals.

Three oracles, each with its grade. The loop with its membership kept, on the same regressors: identical, on any file; that
is FCRM.protect in memory where these are radial. Records on disk, for a cluster: identical. FCRM.protect in memory with
linear regressors: close, 1e-8 of an attribute's sd, since they are one QR of all records there and a product with a
triangular factor on disk; a few iterations multiply that rounding, which is why files that a line fits exactly, whose
memberships are shares of rounding, are not compared so.
"""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from support.samples import on_disk, released

import pyfcrm as pf
from pyfcrm.engine import kernel
from pyfcrm.fuzzy.partition import RecomputedMembership
from pyfcrm.methods.method import Run


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    monkeypatch.setattr(kernel, "MIN_ROWS", 256)  # rows in a block


@pytest.fixture
def untrusted(monkeypatch):
    """The clusters whose sums were not trusted, as they are met on disk."""
    met = []
    real = RecomputedMembership.weighted

    def weighted(self, i):
        met.append(i)
        return real(self, i)

    monkeypatch.setattr(RecomputedMembership, "weighted", weighted)
    return met


def file(kind, seed, n, s, t):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, s)) * 10.0 ** random.integers(-3, 5, size=s)
    Y = random.lognormal(size=(n, t)) * 10.0 ** random.integers(-2, 5, size=t)
    if kind == "ties":
        X, Y = random.integers(0, 3, (n, s)) * 1.0, random.integers(0, 4, (n, t)) * 1.0
    if kind == "heap":
        there = random.random(n) < 0.7
        X[there], Y[there] = 0, 0
    if kind == "collinear" and s > 1:
        X[:, 1] = 2 * X[:, 0] - 1
    if kind == "constant":
        X[:, :1] = 7
    if kind == "exact":
        Y = np.outer(X.sum(axis=1) + 1, np.arange(t))
    return X, Y


@st.composite
def files(draw, kinds, least=1):
    n, s, t = draw(st.integers(least, 900)), draw(st.integers(0, 3)), draw(st.integers(1, 2))
    return file(draw(st.sampled_from(kinds)), draw(st.integers(0, 10**6)), n, s, t)


@st.composite
def methods(draw, most, rounds=5, bases=("linear", "rbf")):
    """Any FCRM that predicts. most : clusters; rounds : iterations at most."""
    return pf.FCRM(
        draw(st.integers(1, most)),
        m=draw(st.sampled_from([1.2, 1.5, 1.7, 2, 3])),
        tol=draw(st.sampled_from([0, 1e-5, 0.1])),
        max_iter=draw(st.integers(1, rounds)),
        intercept=draw(st.booleans()),
        joint=draw(st.booleans()),
        basis=draw(st.sampled_from(bases)),
    )


def refusal_of(work):
    """The refusal, if it is one."""
    try:
        work()
    except pf.errors.PyfcrmError as error:
        return str(error)
    return None


@given(st.data(), files(("plain", "collinear", "constant"), least=40))
def test_disk_gives_what_memory_gives(data, xy):
    X, Y = xy
    method = data.draw(methods(4, 3, ("linear",)))
    mine, theirs, notes = pf.RStream(1), pf.RStream(1), list[str]()
    assume(refusal_of(lambda: method.protect(X, Y, pf.RStream(1))) is None)
    known = method.protect(X, Y, theirs, Run(notes.append))
    release, messages = released(method, on_disk(X, Y), mine)
    sd = np.where(Y.std(axis=0) > 0, Y.std(axis=0), 1.0)
    assert float((np.abs(release - known) / sd).max()) < 1e-8
    assert messages == notes
    assert (mine.to_r_state() == theirs.to_r_state()).all()


def test_clusters_too_small_to_trust(untrusted):
    """More coefficients than records in a cluster: the sums are given up for the triangular factor of the records."""
    random = np.random.default_rng(3)
    X, Y = random.normal(size=(700, 3)), random.lognormal(size=(700, 1))
    X[:, 2] = (np.arange(700) < 3) * random.normal(size=700)  # varies in three records only
    method = pf.FCRM(3, max_iter=6, m=1.2)
    known = method.protect(X, Y, pf.RStream(1))
    release, _ = released(method, on_disk(X, Y), pf.RStream(1))
    assert untrusted
    assert float(np.abs(release - known).max() / Y.std()) < 1e-8

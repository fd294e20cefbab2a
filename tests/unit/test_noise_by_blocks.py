"""Noise with the file's covariance over blocks, on an engine that holds blocks and sends kernels (as a cluster does).

Oracle: the method in memory, same stream. Grade: close, 1e-10 sd; identical ranks for the nonlinear kind.
"""

from __future__ import annotations

import pickle
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest

import pyfcrm as pf
from pyfcrm.data.records import DiskColumns
from pyfcrm.engine import Local
from pyfcrm.methods.noise_by_blocks import TOGETHER
from pyfcrm.protection.file_by_blocks import protect_arrays

N = 40_000  # some blocks


class Sending:
    """A cluster's contract: blocks are handed over once, kernels and what is small go as bytes."""

    def hold(self, blocks: Iterable[Any]) -> list[Any]:
        return [np.array(block) for block in blocks]

    def total(self, kernel: Any, blocks: Iterable[Any]) -> Any:
        return Local(1).total(pickle.loads(pickle.dumps(kernel)), list(blocks))


def correlated_columns(t: int, collinear: bool = False, constant: bool = False) -> np.ndarray:
    random = np.random.default_rng(3)
    Y = random.lognormal(size=(N, t)) @ random.normal(size=(t, t)) * np.geomspace(1, 1e6, t)
    if collinear:
        Y[:, 1] = 2 * Y[:, 0] + 1
    if constant:
        Y[:, 2] = 5.0
    return Y


@pytest.mark.parametrize("options", [{}, {"collinear": True}, {"constant": True}], ids=str)
@pytest.mark.parametrize("kind", TOGETHER)
@pytest.mark.parametrize("engine", [Local(2), Sending()], ids=["threads", "sending"])
def test_equal_to_memory(kind, options, engine):
    X, Y = np.empty((N, 0)), correlated_columns(4, **options)
    mine, theirs = pf.RStream(4), pf.RStream(4)
    said: list[str] = []
    heard: list[str] = []
    made = protect_arrays(pf.Noise(kind, 30), X, Y, mine, said.append, engine)
    known = pf.Noise(kind, 30).protect(X, Y, theirs, heard.append)
    unit = np.where(Y.std(axis=0) > 0, Y.std(axis=0), 1.0)
    assert np.abs((made - known) / unit).max() < 1e-10
    assert said == heard
    assert (mine.to_r_state() == theirs.to_r_state()).all()


def test_linear_keeps_means_and_covariances():
    """The promise itself; close, 1e-9 of the variances."""
    Y = correlated_columns(3)
    made = protect_arrays(pf.Noise("linear", 50), np.empty((N, 0)), Y, pf.RStream(1), lambda text: None, Local())
    np.testing.assert_allclose(made.mean(axis=0), Y.mean(axis=0), rtol=1e-9)
    np.testing.assert_allclose(np.corrcoef(made.T), np.corrcoef(Y.T), atol=1e-9)
    np.testing.assert_allclose(made.std(axis=0), Y.std(axis=0), rtol=1e-9)
    assert np.abs(made - Y).min() > 0


def test_columns_are_read_by_rows():
    """Oracle: the array. Identical, of either type."""
    random = np.random.default_rng(1)
    for kind, A in ((np.float64, random.normal(size=(1000, 3))), (np.int32, random.integers(-9, 9, size=(1000, 3)))):
        kept = DiskColumns(1000, 3, kind=kind)
        for j in (2, 0, 1):
            kept.write(j, A[:, j])
        np.testing.assert_array_equal(kept.read(slice(17, 923)), A[17:923])
        np.testing.assert_array_equal(kept.read(slice(5, 5)), np.empty((0, 3)))
        kept.close()

"""Data for the tests: simulated files, and the Census file where it is at hand."""

from __future__ import annotations

import os
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from pyfcrm.datasets import CENSUS_COLUMNS, census

REPOSITORY = Path(__file__).resolve().parents[2]
SHARED = REPOSITORY.parent / "shared"  # beside the repository, not in it
CENSUS_PATH = Path(os.environ.get("PYFCRM_CENSUS") or SHARED / "data" / "census.csv")
LISTING = SHARED / "reference" / "ipso_original.R"  # the thesis's own R code

S1_DEPENDENT, S1_INDEPENDENT = (1, 3, 4, 6, 7, 9, 11, 12, 13), (2, 8, 10)
S1_WITH_V5 = (2, 5, 8, 10)  # v5 = v8 + v10 exactly
S2_DEPENDENT, S2_INDEPENDENT = (4, 7, 12, 13), (1, 2, 3, 5, 6, 8, 9, 10, 11)

requires_census = pytest.mark.skipif(
    not CENSUS_PATH.is_file(), reason=f"needs the Census file, at $PYFCRM_CENSUS or {CENSUS_PATH}"
)


@cache
def _census():
    return census(CENSUS_PATH)


def census_columns(*numbers):
    """(1080, len(numbers)) attributes v1, v2, ...: the columns in file order."""
    return _census()[[CENSUS_COLUMNS[number - 1] for number in numbers]].to_numpy(dtype=float)


def cloud(n, s, t, seed):
    """X (n, s) and Y (n, t) that depends on it, with noise, skewness and unlike scales."""
    rng = np.random.default_rng(seed)
    X = rng.gamma(2.0, size=(n, s)) * 10.0 ** np.arange(s)
    Y = 5 + (X / 10.0 ** np.arange(s)) @ rng.normal(size=(s, t)) + rng.normal(size=(n, t))
    return X, Y * 10.0 ** (np.arange(t) % 3)


def membership(n, c, seed):
    """A random (n, c) membership, rows summing to 1."""
    u = np.random.default_rng(seed).random((n, c))
    return u / u.sum(axis=1, keepdims=True)


def frame(n=60, seed=0):
    """Two independent and two dependent columns, an identifier and a bystander; `whole` is int64."""
    X, Y = cloud(n, 2, 2, seed)
    return pd.DataFrame(
        {
            "id": np.arange(1000, 1000 + n),
            "a": X[:, 0],
            "b": X[:, 1],
            "y": Y[:, 0],
            "whole": np.rint(Y[:, 1] * 10).astype(np.int64),
            "word": ["red", "green", "blue"] * (n // 3) + ["red"] * (n % 3),
        }
    )


@dataclass(frozen=True)
class Lines:
    """A switching regression: which line each record came from, and the lines (c, s+1), intercept first."""

    X: np.ndarray
    y: np.ndarray
    labels: np.ndarray
    lines: np.ndarray


def switching(n, lines, noise, seed):
    """n records, each from one of the lines at random, with normal noise of that standard deviation."""
    rng = np.random.default_rng(seed)
    coef = np.array(lines)
    X = rng.uniform(0, 10, size=(n, coef.shape[1] - 1))
    labels = rng.integers(len(coef), size=n)
    y = coef[labels, 0] + (X * coef[labels, 1:]).sum(axis=1) + noise * rng.normal(size=n)
    return Lines(X, y, labels, coef)

"""What R made of a small simulated file (tests/golden/make.R), met here without R.

Draws are identical. Everything else is close: the same formulas, summed and solved in another order, so 1e-10
relative for one solve, 1e-8 for FCRM, whose rounds amplify rounding (3 were run), and for PIL, whose small losses are
differences.
"""

import csv
import hashlib
import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from support.data import REPOSITORY

from pyfcrm import FCRM, IPSO, RStream, fcm, fcrm
from pyfcrm.fuzzy.fcm import random_membership
from pyfcrm.measures import MEASURES
from pyfcrm.numerics.moments import bandwidth, quantiles, unit_density

VALUES = Path(__file__).parent / "values"
EXACT, PLAIN, AMPLIFIED = 0.0, 1e-10, 1e-8
GRID = np.arange(1, 20) / 20
JUDGED = ("pil", "dbrl", "prl", "prl_tolerance", "id", "id_rank", "dr", "score")


@cache
def table(name):
    with (VALUES / name).open(newline="") as file:
        header, *rows = csv.reader(file)
    return {key: np.array(column, dtype=float) for key, column in zip(header, zip(*rows, strict=True), strict=True)}


@cache
def values():
    with (VALUES / "values.csv").open(newline="") as file:
        return {row["name"]: float(row["value"]) for row in csv.DictReader(file)}


def series(prefix, count):
    return np.array([values()[f"{prefix}{k}"] for k in range(1, count + 1)])


def release(name):
    return np.column_stack([column for key, column in table("releases.csv").items() if key.rpartition("_")[0] == name])


def data():
    columns = np.column_stack(list(table("data.csv").values()))
    return columns[:, :3], columns[:, 3:]


def total(key, X, Z):
    measure = MEASURES[key]
    return measure(*(total(part, X, Z) for part in measure.components)) if measure.components else measure(X, Z)


def test_draws_are_identical():
    stream = RStream(1)
    stream.rnorm(10)
    state = stream.to_r_state()
    drawn = {
        "runif": RStream(1).runif(4), "rnorm": RStream(1).rnorm(4), "sample": RStream(1).sample(6),
        "sample_int": RStream(1).sample_int(10**6, 4), "sample_replacing": RStream(1).sample_int(6, 8, replace=True),
        "sample_hashed": RStream(1).sample_int(10**9, 4), "state": state[[0, 1, 2, 3, 4, 625]],
    }  # fmt: skip
    for name, ours in drawn.items():
        np.testing.assert_array_equal(ours, series(name, len(ours)), err_msg=name)


@pytest.mark.parametrize("variant", ["thesis", "burridge"])
@pytest.mark.parametrize("kind", ["A", "B", "C"])
def test_ipso(kind, variant):
    X, Y = data()
    Z = IPSO(kind, variant).protect(X, Y, RStream(1))
    np.testing.assert_allclose(Z, release(f"ipso_{variant}_{kind}"), rtol=PLAIN)


def test_fcrm_release():
    X, Y = data()
    Z = FCRM(c=2, max_iter=3).protect(X, Y, RStream(1))
    np.testing.assert_allclose(Z, release("fcrm"), rtol=AMPLIFIED)


def test_memberships():
    X, Y = data()
    start = random_membership(len(X), 3, RStream(1))
    np.testing.assert_allclose(start, release("start"), rtol=1e-14)  # a sum of three, in another order
    clusters = fcm(np.column_stack([X, Y]), 3, tol=0, max_iter=3, initial=start)
    np.testing.assert_allclose(clusters.membership, release("fcm"), rtol=PLAIN)
    models = fcrm(X, Y, 3, tol=0, max_iter=3, initial=start)
    np.testing.assert_allclose(models.membership, release("fcrm_membership"), rtol=AMPLIFIED)


@pytest.mark.parametrize(
    ("name", "original", "protected"),
    [("fcrm", None, "fcrm"), ("ipso_thesis_C", None, "ipso_thesis_C"), ("coarse", "coarse_original", "coarse_release")],
)
def test_measures(name, original, protected):
    """The coarse pair is full of exact agreements and ties. IPSO-C loses no moments: below 1e-10 per cent is 0."""
    X = data()[1] if original is None else release(original)
    found = {key: total(key, X, release(protected)) for key in JUDGED}
    ours = {key: parts.total for key, parts in found.items()}
    ours |= {f"pil_{part.name}": part.value for part in found["pil"].parts}
    ours |= {f"{key}_baseline": found[key].baseline for key in ("id", "id_rank")}
    expected = {key.removeprefix(f"{name}."): value for key, value in values().items() if key.startswith(f"{name}.")}
    assert set(expected) == set(ours)
    for key, value in expected.items():
        rtol = AMPLIFIED if key.startswith(("pil", "score")) else 1e-12
        np.testing.assert_allclose(ours[key], value, rtol=rtol, atol=1e-10, err_msg=key)


@pytest.mark.parametrize("j", [0, 1, 2])
def test_quantiles_bandwidth_and_density(j):
    y = np.sort(data()[1][:, j])
    w = np.ones(len(y))
    Q, h = quantiles(y, GRID, w), bandwidth(y, w)
    np.testing.assert_allclose(Q, series(f"quantile_V{j + 4}_", 19), rtol=1e-14)
    np.testing.assert_allclose(h, values()[f"nrd0_V{j + 4}"], rtol=1e-13)
    np.testing.assert_allclose(unit_density(Q, y, w, h) / h, series(f"density_V{j + 4}_", 19), rtol=1e-12)


def test_manifest_belongs_to_the_scripts():
    """Identical: a changed script means values that nobody made; `make golden` makes them again."""
    manifest = json.loads((VALUES / "manifest.json").read_text())
    assert "tests/golden/make.R" in manifest["md5"]
    now = {path: hashlib.md5((REPOSITORY / path).read_bytes()).hexdigest() for path in manifest["md5"]}
    assert now == manifest["md5"], "run: make golden"
    assert manifest["R"].startswith("R version ")
    assert manifest["packages"]["base"]

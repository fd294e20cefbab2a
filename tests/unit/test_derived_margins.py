"""A derived column's margin: what its targets are, by hand, and how near swaps bring it, by numpy."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.methods.margins import smooth_margin

ROLES = pf.Roles(["size", "income"], ["part", "rest", "loss", "total", "left", "other"])


def ledger(n, seed):
    """Parts in cents, one of them 0 in six of ten records and one of both signs; their total; what income leaves of one of them."""
    rng = np.random.default_rng(seed)
    size = rng.normal(size=n)
    part = np.round(np.exp(4 + size + 0.5 * rng.normal(size=n)), 2)
    rest = np.where(rng.random(n) < 0.6, 0.0, np.round(np.exp(4 + size + rng.normal(size=n)), 2))
    loss = np.round(40 * np.exp(0.7 * size) * rng.normal(0.4, 1, size=n), 2)
    income = np.round(np.exp(5 + size), 2)
    named = {"part": part, "rest": rest, "loss": loss, "total": np.round(part + rest - loss, 2)}
    return pd.DataFrame(
        {"size": size, "income": income, **named, "left": np.round(income - part, 2), "other": rng.gamma(2, size=n)}
    )


def quantiles_off(a, b):
    """The largest distance of 19 quantiles, in a's standard errors, by Woodruff: half of what ranks two errors apart have between them."""
    p, n = np.arange(1, 20) / 20, len(a)
    error = np.sqrt(p * (1 - p) / n)
    width = (np.quantile(a, np.minimum(p + error, 1)) - np.quantile(a, np.maximum(p - error, 0))) / 2
    return float((np.abs(np.quantile(a, p) - np.quantile(b, p)) / (width + 0.01 * a.std())).max())


@pytest.mark.slow(3)
@pytest.mark.parametrize("margins", ["original", "smooth"])
@pytest.mark.parametrize("release", [pf.IPSO("C"), pf.FCRM(2, release="model")], ids=str)
def test_a_derived_column_has_its_margin_nearly(release, margins):
    """Identical: identities to the cent, and margins of what is not derived. Close, by numpy: quantiles of what is derived lie
    within a standard error (by what follows from its parts alone, several), and correlations within 1e-4. Smooth margins with
    drawn tails are further from the original themselves: what is derived is as near as these."""
    frame, method = ledger(800, 1), pf.Calibrated(release, margins=margins, basis="linear")
    output = pf.protect(frame, method, ROLES, seed=1, structure="find")
    Z, plain = output.frame, pf.protect(frame, method, ROLES, seed=1).frame
    np.testing.assert_array_equal(Z["total"], np.round(Z["part"] + Z["rest"] - Z["loss"], 2))
    np.testing.assert_array_equal(Z["left"], np.round(Z["income"] - Z["part"], 2))
    for name in ("rest", "loss", "other"):
        np.testing.assert_array_equal(np.sort(Z[name]), np.sort(plain[name]))
        if margins == "original":
            np.testing.assert_array_equal(np.sort(Z[name]), np.sort(frame[name]))
    for name in ("total", "left"):
        allowed = 1.0
        if margins == "smooth":
            drawn = [smooth_margin(frame[name].to_numpy(), pf.RStream(seed)) for seed in (1, 2, 3)]
            allowed = max(1.0, *(quantiles_off(frame[name], margin) for margin in drawn))
        assert quantiles_off(frame[name], Z[name]) < allowed
    assert np.abs(Z[[*ROLES.dependent]].corr() - frame[[*ROLES.dependent]].corr()).to_numpy().max() < 1e-4


@pytest.mark.slow(3)
def test_long_files_come_home_all_the_same(monkeypatch):
    """Close: 1e-6 of a correlation of 10^4 records, by numpy, whether in turns or, as on longer files, in one; and the margin."""
    frame = ledger(10_000, 2)
    for few in (30, 10_000):
        monkeypatch.setattr("pyfcrm.methods.swaps.derived_margins.MIN_PER_TURN", few)
        Z = pf.protect(
            frame, pf.Calibrated(pf.IPSO("C"), margins="original", basis="linear"), ROLES, seed=1, structure="find"
        ).frame
        assert np.abs(Z.corr() - frame.corr()).to_numpy().max() < 1e-6
        assert max(quantiles_off(frame[name], Z[name]) for name in ("total", "left")) < 2

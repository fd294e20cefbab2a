"""Columns whose numbers lie on a grid, such as ages in twelfths of a year, are released on it. Known truth: the grid is made here."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

N = 400
RNG = np.random.default_rng(5)
AGES = RNG.integers(12 * 18, 12 * 70, N) / 12
GRIDS = {
    "twelfths, written with 3 decimals": (np.round(AGES, 3), 1 / 12),
    "twelfths": (AGES, 1 / 12),
    "days in years": (RNG.integers(7000, 25000, N) / 365.25, 1 / 365.25),
    "thirds with 5 decimals": (np.round(RNG.integers(20, 200, N) / 3, 5), 1 / 3),
    "quarters": (RNG.integers(20, 200, N) / 4, 0.25),
    "nickels": (RNG.integers(20, 2000, N) / 20, 0.05),
    "fives": (RNG.integers(4, 200, N) * 5, 5),
    "fifties": (RNG.integers(10, 200, N) * 50.0, 50),
}
OFF_ANY_GRID = {
    "whole": RNG.integers(1, 500, N),
    "cents": np.round(RNG.lognormal(5, 1, N), 2),
    "floats": RNG.normal(0, 1, N),
    "seventh of a column that is whole otherwise": np.append(RNG.integers(1, 500, N - 9), np.full(9, 0.142857)),
    "all end in .7": RNG.integers(10, 500, N) + 0.7,
}


def distance_from(values, grid):
    """The distance of values from the multiples of a grid, as a share of it."""
    multiples = np.asarray(values, dtype=float) / grid
    return np.abs(multiples - np.rint(multiples))


@pytest.mark.parametrize("name", GRIDS)
def test_released_numbers_lie_on_the_grid(name):
    """Within what the written decimals leave. The defect: ages in twelfths were released with any third decimal."""
    values, grid = GRIDS[name]
    x = np.random.default_rng(1).normal(np.asarray(values, dtype=float), np.std(values))
    frame = pd.DataFrame({"x": np.round(x), "y": values})
    assert pf.describe(frame)["y"].multiple_of == pytest.approx(grid, rel=1e-12)
    for method in (pf.Calibrated(pf.IPSO("C")), pf.IPSO("C"), pf.Sequential()):
        released = pf.protect(frame, method, pf.Roles(["x"], ["y"]), seed=1, allow_unprotected=True).frame["y"]
        assert distance_from(released, grid).max() < max(0.0006 / grid, 1e-9)
        assert released.mean() == pytest.approx(frame["y"].mean(), abs=frame["y"].std() / 5)


def test_ten_values_off_the_grid_do_not_switch_it_off_and_eleven_do():
    """As for every rule: 99 per cent of the records, and all but 10."""
    values = np.random.default_rng(2).integers(4, 2000, 2000) * 5
    for exceptions, grid in ((10, 5), (11, None)):
        changed = values.copy()
        changed[:exceptions] += 1
        assert pf.describe(pd.DataFrame({"y": changed}))["y"].multiple_of == grid


@pytest.mark.parametrize("name", OFF_ANY_GRID)
def test_other_columns_have_no_grid(name):
    assert pf.describe(pd.DataFrame({"y": OFF_ANY_GRID[name]}))["y"].multiple_of is None


def test_declared_decimals_switch_the_grid_off_and_a_description_keeps_it():
    values, _ = GRIDS["twelfths, written with 3 decimals"]
    frame = pd.DataFrame({"x": np.round(values), "y": values})
    described = pf.describe(frame)
    from_description = pf.Variables.from_toml(described.to_toml())
    assert pf.describe(frame, variables=from_description)["y"].multiple_of == described["y"].multiple_of
    declared = {"y": pf.Variable(decimals=3)}
    assert pf.describe(frame, variables=declared)["y"].multiple_of is None
    method = pf.Calibrated(pf.IPSO("C"))
    released = pf.protect(frame, method, pf.Roles(["x"], ["y"]), seed=1, variables=declared, allow_unprotected=True)
    assert distance_from(released.frame["y"], 1 / 12).max() > 0.1


def test_values_of_an_order_stay_in_order_rather_than_on_a_grid():
    """Multiples of constrained columns could break the constraint."""
    rng = np.random.default_rng(3)
    low = np.round(rng.lognormal(5, 0.5, N))
    high = np.ceil(low / 5 + rng.integers(0, 4, N)) * 5
    frame = pd.DataFrame({"x": np.round(low + rng.normal(0, 20, N)), "low": low, "high": high.astype(int)})
    roles = pf.Roles(["x"], ["low", "high"])
    release = pf.protect(
        frame, pf.Calibrated(pf.IPSO("C")), roles, seed=1, constraints="low <= high", allow_unprotected=True
    )
    assert (release.frame["low"] <= release.frame["high"]).all()


@pytest.mark.parametrize("written", [9, 17])
def test_single_precision_adds_no_decimals(written):
    """Amounts in cents that were stored in single precision, then printed with 9 digits or all of them."""
    cents = np.round(np.random.default_rng(4).lognormal(3, 0.7, N), 2).astype(np.float32)
    values = [float(f"{float(value):.{written}g}") for value in cents]
    frame = pd.DataFrame({"x": np.round(values), "y": values})
    assert pf.describe(frame)["y"].decimals == 2
    released = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), pf.Roles(["x"], ["y"]), seed=1, allow_unprotected=True)
    y = released.frame["y"]
    assert np.abs(y.round(2) - y).max() < 1e-5  # a point mass keeps the file's own float

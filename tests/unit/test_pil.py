"""PIL against loops from the formulas, against R 4.2.2, and by hand where a variance or a covariance is 0."""

import math

import numpy as np
import pytest
from support import brute

from pyfcrm.measures.pil import pil
from pyfcrm.numerics.moments import bandwidth, quantiles, unit_density

PARTS = ("mean", "variance", "covariance", "correlation", "quantiles")
# Close: sums in another order, of moments up to the fourth.
RTOL = 1e-9
X8 = np.array([2.5, 2.5, 3, 7.1, 7.1, 7.2, 11, 40])
GRID = np.arange(1, 20) / 20


def parts_of(X, Z):
    return {part.name: part.value for part in pil(np.asarray(X, float), np.asarray(Z, float)).parts}


@pytest.mark.parametrize(("n", "p"), [(5, 1), (12, 2), (40, 3), (150, 5)])
def test_equals_the_loops(n, p):
    rng = np.random.default_rng(n)
    X = np.round(rng.gamma(2.0, 3.0, (n, p)) + rng.normal(size=(n, 1)), 1)
    Z = X * rng.uniform(0.95, 1.05, (n, p)) + rng.normal(size=p) / n
    made, expected = parts_of(X, Z), brute.pil(X, Z)
    assert list(made) == list(expected)
    assert made == pytest.approx(expected, rel=RTOL, abs=1e-9)
    assert pil(X, Z).total == pytest.approx(np.mean(list(expected.values())), rel=RTOL)


def test_equals_r():
    """Oracle: the table's formulas typed into R 4.2.2 with quantile(), bw.nrd0(), dnorm() and cor(). Close."""
    X = np.column_stack([X8, [1, 4, 2, 8, 5, 7, 3, 9], [100, 90, 110, 95, 130, 70, 85, 101]])
    Z = X.copy()
    Z[:, 0] = X[:, 0] * 1.1 + 0.3
    Z[:, 1] = X[[1, 0, 3, 2, 5, 4, 7, 6], 1] + 1
    Z[:, 2] = X[::-1, 2] * 0.9
    r = [61.833868592760886, 17.585299033694977, 78.286084451265253, 84.527726005008859, 53.109570232436212]
    assert parts_of(X, Z) == pytest.approx(dict(zip(PARTS, r, strict=True)), rel=RTOL)


def test_the_records_need_no_pairing_nor_the_same_number():
    """Oracle: the loops, which take moments of each file by itself. Close."""
    rng = np.random.default_rng(3)
    X, Z = rng.gamma(2.0, size=(60, 2)), rng.gamma(2.1, size=(23, 2))
    assert parts_of(X, Z) == pytest.approx(brute.pil(X, Z), rel=RTOL)


def test_mean_by_hand():
    """m2 of 1 .. 5 is 2, so a shift by 1 is 1/sqrt(2/5) standard errors. Close."""
    X = np.arange(1.0, 6.0)[:, None]
    made = parts_of(X, X + 1)
    assert made["mean"] == pytest.approx(100 * math.erf(1 / math.sqrt(0.4) / math.sqrt(2)), rel=1e-12)
    assert made["variance"] == 0


def test_one_attribute_has_three_parts_and_their_mean():
    X = np.arange(1.0, 9.0)[:, None]
    made = pil(X, X * 1.5)
    assert [part.name for part in made.parts] == ["mean", "variance", "quantiles"]
    assert made.total == pytest.approx(np.mean([part.value for part in made.parts]), rel=1e-15)


def test_uncorrelated_originals():
    """m11 = 0: Var r is m22/(n m20 m02), here 1/4 from the four corners of a square. Close."""
    X = np.array([[-1.0, -1], [-1, 1], [1, -1], [1, 1]])
    Z = X @ np.array([[1.0, 0.6], [0, 0.8]])  # r = 0.6
    assert parts_of(X, Z)["correlation"] == pytest.approx(100 * math.erf(0.6 * 2 / math.sqrt(2)), rel=1e-12)


def test_no_variance_equal_is_kept_unequal_is_lost():
    """Var = 0 for every statistic of a constant or two-valued column: 0 or 100 each, from the rule. Identical."""
    X = np.array([[5.0, -1], [5, 1], [5, -1], [5, 1]])
    same = parts_of(X, X[::-1])
    assert [same[name] for name in PARTS[:4]] == [0, 0, 0, 0]
    moved = parts_of(X, X * [1, 3] + [1, 0])
    # Means: 5 -> 6 is lost, 0 -> 0 kept. Variances: 0 -> 0 kept, 1 -> 9 lost.
    assert [moved[name] for name in PARTS[:4]] == [50, 50, 0, 0]
    varied = parts_of(X, X + np.array([[-1, 0], [1, 0], [-1, 0], [1, 0]]))
    # The constant becomes 4 6 4 6: mean kept, one variance of two lost, covariance and correlation with it lost.
    assert [varied[name] for name in PARTS[:4]] == [0, 50, 100, 100]


def test_a_constant_is_kept_up_to_rounding_only():
    """Rule: equal up to rounding is kept, and one part in a hundred million is no rounding. Identical."""
    X = np.full((6, 1), 0.3)
    assert parts_of(X, np.full((6, 1), 0.1 * 3))["mean"] == 0
    assert parts_of(X, X * (1 + 1e-8))["mean"] == 100
    Z = X.copy()
    Z[0] *= 1 + 1e-8
    assert parts_of(X, Z)["variance"] == 100


def test_collinear_columns():
    """r = 1 has Var 0 in the table: kept if still 1, lost otherwise. Identical."""
    x = np.array([1.0, 2, 4, 8, 9])
    X = np.column_stack([x, 3 * x + 1])
    assert parts_of(X, X[::-1] * 2)["correlation"] == 0
    assert parts_of(X, X * [1, -1])["correlation"] == 100


@pytest.mark.parametrize("scale", [1e-90, 1e-30, 1e30, 1e90])
def test_units_do_not_matter(scale):
    """Oracle: the same files in other units. Close: scaling rounds."""
    rng = np.random.default_rng(9)
    X, Z = rng.normal(size=(2, 30, 3))
    assert parts_of(X * scale, Z * scale) == pytest.approx(parts_of(X, Z), rel=RTOL)
    assert parts_of(X * scale + 5 * scale, Z * scale + 5 * scale) == pytest.approx(parts_of(X, Z), rel=RTOL)


def test_files_of_wildly_different_scale():
    """A file 1e180 times larger has lost every moment and every quantile but the middle ones. By definition."""
    x = np.column_stack([np.arange(1.0, 8.0), [3.0, 1, 4, 1, 5, 9, 2]])
    made = parts_of(x * 1e-90, x * 1e90)
    assert [made[name] for name in ("mean", "variance", "covariance", "quantiles")] == [100] * 4
    assert made["correlation"] == pytest.approx(0, abs=1e-9)


def test_quantiles_bandwidth_and_density_are_r_s():
    """Oracle: R 4.2.2, quantile(x, 1:19/20), bw.nrd0(x), mean(dnorm((Q - x)/h))/h. Close, last digits."""
    Q = quantiles(X8, GRID)
    expected = [2.5, 2.5, 2.525, 2.7, 2.875, 3.41, 4.845, 6.28, 7.1, 7.1, 7.1, 7.12, 7.155, 7.19]
    assert pytest.approx([*expected, 8.15, 9.48, 10.81, 19.7, 29.85], rel=1e-14) == Q
    h = bandwidth(X8)
    assert h == pytest.approx(2.3374491814904164, rel=1e-14)
    f = unit_density(Q, X8, h) / h
    assert f[[0, 6, 17, 18]] == pytest.approx(
        [7.2528302048092796e-02, 8.1720977981965912e-02, 2.0968717242155103e-05, 1.7161959637646925e-06], rel=1e-12
    )


@pytest.mark.parametrize(
    ("x", "h"),
    [([1, 1, 1, 1, 9], 2.3337454992375779), ([-3] * 6, 1.8868332206832641), ([0] * 6, 0.62894440689442133)],
)
def test_bandwidth_falls_back_as_r_does(x, h):
    """Oracle: R 4.2.2, bw.nrd0. Close, last digits."""
    assert bandwidth(np.array(x, float)) == pytest.approx(h, rel=1e-14)


def test_a_quantile_far_from_every_record_loses_nothing():
    """f underflows to 0 between 4 and 1e200, so Var is infinite and the loss 0; no warning. Identical."""
    x = np.array([1.0, 2, 3, 4, 1e200])
    assert unit_density(np.array([9e199]), x, bandwidth(x)) == 0
    assert np.isfinite(pil(x[:, None], x[:, None] * 1.5).total)

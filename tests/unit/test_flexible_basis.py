"""The flexible basis of predictors: which columns stand beside them, and which sums a release then preserves.

Oracles: the definition of natural cubic splines, group means and regressions by numpy, counts. R's splines::ns is compared in
tests/parity/test_basis_r.py.
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data.blocks import Sample
from pyfcrm.engine import Local
from pyfcrm.methods.basis import flexible_basis

N = 1_200
FLEXIBLE = [pf.IPSO("C", basis="flexible"), pf.EGADP(basis="flexible")]


def file(n=N, seed=1):
    """Age in bands, hours, a skewed amount and a category; confidential columns that are curved in them."""
    random = np.random.default_rng(seed)
    age = 20.0 + 5 * random.integers(0, 9, size=n)
    hours = np.round(random.gamma(9, 4, size=n), 1)
    amount = random.lognormal(0, 2.5, size=n)
    region = (random.random(n) < 0.3).astype(float)
    wage = 10 - ((age - 40) / 10) ** 2 + np.abs(hours - 36) / 9 + region + random.normal(size=n)
    tax = 0.2 * wage + np.log(amount) + random.normal(size=n)
    return np.column_stack([age, hours, amount, region]), np.column_stack([wage, tax])


def basis_of(X, Y, **options):
    notes = []
    return flexible_basis(Sample.of(X, Y, Local(1)), note=notes.append, **options), notes


def spans(A, B):
    """How far the columns of B are from the span of (1, A): the largest residual's norm, over that of the column."""
    A = np.column_stack([np.ones(len(A)), A])
    A = A / np.linalg.norm(A, axis=0)
    B = B / np.linalg.norm(B, axis=0)
    return np.linalg.norm(B - A @ np.linalg.lstsq(A, B, rcond=1e-13)[0], axis=0).max()


def test_few_values_have_a_column_each():
    """Identical span: with age in nine bands, the indicators of all bands."""
    X, Y = file()
    design = basis_of(X[:, :1], Y)[0].design(X[:, :1])
    assert design.shape[1] == 8
    assert spans(design, (X[:, :1] == np.unique(X[:, 0])).astype(float)) < 1e-10


def test_rare_values_share_a_column_and_stay_linear():
    """A value of nine records is pooled with the two smallest others; the predictor itself remains.

    Sums with the predictor would separate a pool of two values, and disclose the total of the rare one.
    """
    X, Y = file()
    x = X[:, :1].copy()
    x[:9] = 100.0
    counts = pd.Series(x[:, 0]).value_counts()
    pooled = counts.index[-3:]
    assert 100.0 in pooled
    alone = sorted(set(counts.index) - set(pooled))
    design = basis_of(x, Y)[0].design(x)
    assert design.shape[1] == 1 + len(alone)
    assert spans(design, np.column_stack([x, x == alone])) < 1e-10
    assert min(spans(design, x == value) for value in pooled) > 0.1


def test_a_value_whose_total_discloses_a_contribution_is_pooled():
    X, Y = file()
    Y = np.abs(Y)
    Y[np.flatnonzero(X[:, 0] == 40)[0], 0] = 1e6  # dominates the total of its band
    design = basis_of(X[:, :1], Y)[0].design(X[:, :1])
    assert spans(design, (X[:, :1] == 40).astype(float)) > 0.1


def test_many_values_have_a_natural_spline_on_quartiles():
    """Close, rounding: twice differentiable, cubic between the quartiles of type 1, linear at the ends."""
    X, Y = file()
    x = X[:, 1]
    basis = basis_of(X[:, 1:2], Y)[0]
    knots = np.array([x.min(), *np.quantile(x, [0.25, 0.5, 0.75], method="inverted_cdf"), x.max()])
    np.testing.assert_array_equal(basis.curves[0].knots, knots)
    # Hastie, Tibshirani and Friedman (2009), 5.4: a basis of natural cubic splines by truncated powers.
    cubes = np.maximum(x[:, None] - knots, 0) ** 3
    slopes = (cubes[:, :-1] - cubes[:, -1:]) / (knots[-1] - knots[:-1])
    natural = np.column_stack([x, slopes[:, :-1] - slopes[:, -1:]])
    assert basis.design(X[:, 1:2]).shape[1] == 4
    assert spans(basis.design(X[:, 1:2]), natural) < 1e-10
    assert spans(natural, basis.design(X[:, 1:2])) < 1e-10


def test_a_far_maximum_has_splines_of_ranks_beside_itself():
    X, Y = file()
    amount = X[:, 2:3]
    assert amount.max() - np.median(amount) > 10 * np.ptp(np.quantile(amount, [0.25, 0.75]))
    design = basis_of(amount, Y)[0].design(amount)
    ranks = pd.Series(amount[:, 0]).rank().to_numpy()[:, None] / N
    assert design.shape[1] == 5
    assert spans(design, np.column_stack([amount, ranks])) < 1e-10


def test_two_values_and_columns_of_categories_stay():
    X, Y = file()
    basis, _ = basis_of(X[:, [3]], Y)
    assert basis.curves == ()
    basis, _ = basis_of(X[:, :1], Y, terms=[[0]])
    assert basis.curves == ()


@pytest.mark.parametrize("method", FLEXIBLE, ids=str)
def test_means_of_bands_and_curves_are_kept(method):
    """Close, 1e-9 of an sd: group means by age, and the regression on a natural spline of hours."""
    X, Y = file()
    Z = method.protect(X, Y, pf.RStream(1))
    sd = Y.std(axis=0)
    for age in np.unique(X[:, 0]):
        rows = X[:, 0] == age
        np.testing.assert_allclose(Z[rows].mean(axis=0) / sd, Y[rows].mean(axis=0) / sd, atol=1e-9)
    curve = basis_of(X[:, 1:2], Y)[0].design(X[:, 1:2])
    A = np.column_stack([np.ones(N), curve])
    fits = [A @ np.linalg.lstsq(A, values, rcond=None)[0] for values in (Y, Z)]
    np.testing.assert_allclose(fits[1] / sd, fits[0] / sd, atol=1e-8)
    linear = type(method)().protect(X, Y, pf.RStream(1))
    apart = [abs((linear - Y)[X[:, 0] == age].mean(axis=0) / sd).max() for age in np.unique(X[:, 0])]
    assert max(apart) > 0.3  # by the linear basis


def test_the_linear_basis_is_the_default():
    X, Y = file(200)
    for kind in "ABC":
        by_default = pf.IPSO(kind).protect(X, Y, pf.RStream(1))
        np.testing.assert_array_equal(pf.IPSO(kind, basis="linear").protect(X, Y, pf.RStream(1)), by_default)


@pytest.mark.parametrize("n", [120, 240, 400])
def test_at_most_a_sixteenth_as_many_sums_as_records(n):
    """The count t (1 + s) + t (t + 1) / 2; with numbers alone a tenth.

    The columns that explain least go first, X last and only for swaps.
    """
    X, Y = file(n)
    basis, notes = basis_of(X, Y, limits_x=True)
    t = Y.shape[1]
    columns = len(basis.own) + len(basis.chosen)
    sums = t * (1 + columns) + t * (t + 1) // 2
    assert sums <= n / (16 if basis.chosen else 10) < sums + t
    assert any("left out" in note for note in notes)
    assert basis.own == (0, 1, 2, 3) or not basis.chosen
    warned = [note for note in notes if note.severity == "warning"]
    assert bool(warned) == (len(basis.own) < 4)
    of_a_method, _ = basis_of(X, Y)
    assert of_a_method.own == (0, 1, 2, 3)  # what is asked for stays
    assert of_a_method.chosen == basis.chosen


def test_what_explains_is_kept():
    """Of two predictors in twelve classes, where 16 of 22 columns may stay, the one that explains keeps its classes."""
    random = np.random.default_rng(3)
    X = random.permutation(np.repeat(np.arange(12.0), 30))[:, None]
    X = np.column_stack([X, random.permutation(X)])[:288]
    steps = np.array([0, 5, 1, 4, 0, 9, 2, 8, 1, 7, 3, 6])
    Y = 20 + steps[X[:, 1].astype(int)][:, None] + random.normal(size=(288, 1))
    basis, notes = basis_of(X, Y, private=True)
    assert any("left out" in note for note in notes)
    assert len(basis.own) + len(basis.chosen) == 16
    last_first = spans(basis.design(X), X[:, [1]] == np.unique(X[:, 1]))
    design = basis_of(X, Y)[0].design(X)
    assert design.shape[1] == 16
    assert spans(design, X[:, [1]] == np.unique(X[:, 1])) < last_first
    before = (
        Y
        - np.column_stack([np.ones(288), design])
        @ np.linalg.lstsq(np.column_stack([np.ones(288), design]), Y, rcond=None)[0]
    )
    assert before.std() < 1.1  # the noise has sd 1


def test_nothing_confidential_decides_with_epsilon():
    """Identical columns whatever Y is, also where some are left out."""
    X, Y = file(320)
    other = np.roll(Y, 7, axis=0) * [1, -50]
    mine = basis_of(X, Y, private=True)[0].design(X)
    np.testing.assert_array_equal(mine, basis_of(X, other, private=True)[0].design(X))
    assert not np.array_equal(mine, basis_of(X, Y)[0].design(X))


@pytest.mark.parametrize("wrapped", [pf.IPSO("C"), pf.Sequential(min_leaf=20)], ids=str)
def test_swaps_restore_means_of_bands(wrapped):
    """Band means within .05 standard errors, where the linear basis is off by several; close, the swaps' gap."""
    X, Y = file()
    apart = {}
    for basis in ("linear", "flexible"):
        Z = pf.Calibrated(wrapped, basis=basis).protect(X, Y, pf.RStream(4))
        bands = [X[:, 0] == age for age in np.unique(X[:, 0])]
        apart[basis] = max(
            float(np.abs((Z - Y)[rows].mean(axis=0) / (Y[rows].std(axis=0) / np.sqrt(rows.sum()))).max())
            for rows in bands
        )
    assert apart["flexible"] < 0.05
    assert apart["linear"] > 0.5


def test_a_method_that_calibrated_wraps_gets_its_basis():
    """Identical: the wrapped method's own release on the flexible basis, unless it has a basis of its own."""
    assert pf.IPSO("C").on_basis("flexible") == pf.IPSO("C", basis="flexible")
    assert pf.IPSO("C", basis="linear").on_basis("flexible") == pf.IPSO("C", basis="linear")
    assert pf.FCRM(None, release="model").on_basis("flexible").basis == "flexible"
    for method in (pf.FCRM(3, basis="rbf"), pf.Sequential(), pf.Noise()):
        assert method.on_basis("flexible") is method
    X, Y = file(400)
    calibrated = pf.Calibrated(pf.IPSO("C"), margins=None, basis="flexible").protect(X, Y, pf.RStream(4))
    alone = pf.IPSO("C", basis="flexible").protect(X, Y, pf.RStream(4))
    np.testing.assert_allclose(calibrated, alone, atol=1e-8)


def test_the_model_of_fcrm_draws_from_the_basis():
    X, Y = file()
    linear = pf.FCRM(1, release="model").protect(X, Y, pf.RStream(4))
    flexible = pf.FCRM(1, release="model", basis="flexible").protect(X, Y, pf.RStream(4))
    bands = X[:, :1] == np.unique(X[:, 0])
    apart = [np.abs(bands.T @ (Z - Y)).max() for Z in (linear, flexible)]
    assert apart[1] < apart[0] / 2


def test_weights_and_domains_are_kept_beside_the_basis():
    """Weighted totals, domain totals and band means at once; IPSO-C keeps all exactly, 1e-9 of a standard error."""
    X, Y = file()
    frame = pd.DataFrame(np.column_stack([X, Y]), columns=["age", "hours", "amount", "region", "wage", "tax"])
    frame["w"] = np.tile([1.0, 2.0, 5.0], N // 3)
    roles = pf.Roles(["age", "hours", "amount", "region"], ["wage", "tax"])
    released = pf.protect(
        frame, pf.IPSO("C", basis="flexible"), roles, seed=1, weights="w", preserve=["region"], shuffle=False,
        structure=None, variables="numbers",
    ).frame  # fmt: skip
    wage, before = released["wage"], frame["wage"]
    assert abs((frame["w"] * (wage - before)).sum() / (frame["w"] * before).sum()) < 1e-9
    for name in ("region", "age"):
        means = [column.groupby(frame[name]).mean() for column in (wage, before)]
        np.testing.assert_allclose(*means, rtol=1e-9)


@pytest.mark.parametrize("wrapped", [pf.IPSO("C"), pf.Sequential(min_leaf=20), pf.FCRM(2, release="model")], ids=str)
def test_who_has_a_point_mass_is_drawn_given_the_predictors(wrapped):
    """Zeros of a semicontinuous column: their number is kept, rules hold in all records, shares follow the predictors.

    Oracles: wages are zero where hours are, and taxes only where wages are not; 4 standard errors for the shares.
    """
    random = np.random.default_rng(2)
    age = 20.0 + 5 * random.integers(0, 9, size=N)
    hours = random.choice([0.0, 20.0, 40.0], size=N)
    wage = np.where(hours == 0, 0.0, np.round(random.lognormal(3, 0.4, size=N) * hours))
    taxed = (wage > 0) & (random.random(N) < (age - 10) / 60)
    tax = np.where(taxed, np.round(0.2 * wage + random.normal(20, 5, size=N) ** 2), 0.0)
    X = np.column_stack([age, hours])
    Y = np.column_stack([wage, tax])
    Z = pf.Calibrated(wrapped, basis="flexible").protect(X, Y, pf.RStream(1))
    assert ((Z == 0).sum(axis=0) == (Y == 0).sum(axis=0)).all()
    assert not Z[hours == 0].any()
    assert (Z[hours > 0, 0] > 0).all()
    assert not ((Z[:, 1] > 0) & (Z[:, 0] == 0)).any()
    for years in np.unique(age):
        rows = (age == years) & (hours > 0)
        shares = [np.mean(A[rows, 1] == 0) for A in (Y, Z)]
        assert abs(shares[0] - shares[1]) < 4 * np.sqrt(0.5 * 0.5 / rows.sum())
    assert (Z[:, 1] != Y[:, 1]).any()

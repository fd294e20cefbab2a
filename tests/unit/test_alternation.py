"""The alternation of calibration, its placing by a table, and the moments borne by few records."""

import numpy as np
import pytest
from support.data import cloud
from support.moments import assert_moments_kept

from pyfcrm import IPSO, Calibrated, RStream
from pyfcrm.methods.calibrated import HOLDS, alternated
from pyfcrm.methods.moments_map import moments_of
from pyfcrm.methods.placing_kernels import table_placed
from pyfcrm.numerics.sorting import placed_by_rank

rng = np.random.default_rng(0)
COLUMNS = {
    "normal": rng.normal(size=20_000),
    "heavy": rng.lognormal(sigma=2, size=20_000),
    "few values": rng.integers(0, 5, size=20_000).astype(float),
}


@pytest.mark.parametrize("name", COLUMNS)
def test_a_table_places_nearly_by_rank(name):
    """Oracle: argsort. Identical multiset at bin edges; close inside: bins near 0 are 1/32768 sd wide, 1 in 512 farther out.

    So the map is monotone, hands out wanted values only, and is within 0.001 sd, root mean square, of ranks, where
    values are not tied; tied ones share a wanted value instead of dividing theirs.
    """
    column = COLUMNS[name] - COLUMNS[name].mean()
    wanted = np.sort(column * (1 + np.abs(column) / np.abs(column).max()))
    sd, placed = column.std(), column.copy()
    moved = table_placed(placed, wanted, sd)
    order = np.argsort(column, kind="stable")
    assert (np.diff(placed[order]) >= 0).all()
    assert np.isin(placed, wanted).all()
    assert moved == pytest.approx(np.sqrt(np.mean((placed - column) ** 2)), rel=1e-12)  # one sum, another order
    if name != "few values":
        assert np.sqrt(np.mean((placed[order] - wanted) ** 2)) < 1e-3 * sd


def test_a_table_of_lone_values_is_exact():
    """Identical: one value to a bin, of either sign and with zero, takes the wanted one of its rank."""
    column = np.array([0.0, -1.0, 5.0, 2.5, -7.0, 100.0])
    wanted = np.arange(6.0)
    table_placed(column, wanted, 1.0)
    np.testing.assert_array_equal(column, [2, 1, 4, 3, 0, 5])


def test_long_files_come_as_near(monkeypatch):
    """Placing by a table first leaves both sets met as well: margins to HOLDS, ranks by a last sort. Identical multiset."""
    X, Y = cloud(6000, 2, 3, 1)
    Y = np.sign(Y) * np.abs(Y) ** 1.3
    moments, targets = moments_of(X, Y), np.sort(Y, axis=0)
    Z = IPSO("C").protect(X, Y, RStream(1))
    _, by_sorts = alternated(moments, targets, Z, 30)
    monkeypatch.setattr("pyfcrm.methods.calibrated.BY_TABLE", 1)
    made, by_table = alternated(moments, targets, Z, 30)
    assert max(by_sorts, by_table) < HOLDS
    np.testing.assert_allclose(np.sort(made, axis=0), targets, rtol=0, atol=1e-12 * np.abs(targets).max())
    assert_moments_kept(X, Y, Calibrated(IPSO("C")).protect(X, Y, RStream(1)))


def nearly_there(n, s, t, seed):
    X, Y = cloud(n, s, t, seed)
    Z, _ = alternated(moments_of(X, Y), np.sort(Y, axis=0), IPSO("C").protect(X, Y, RStream(1)), 30)
    return X, Y, placed_by_rank(Y, Z)


def test_few_records_can_bear_the_moments():
    """Moments to 1e-10 on standardised data (sums of squares less those of the others); the others identical."""
    X, Y, Z = nearly_there(600, 2, 3, 2)
    made = moments_of(X, Y).given_by_few(Z, 120)
    assert_moments_kept(X, Y, made)
    np.testing.assert_array_equal(made[120:], Z[120:])
    assert (made[:120] != Z[:120]).all()


def test_all_records_are_the_map_itself():
    """Oracle: given_to. Close: the same Procrustes problem, S by way of cross-products."""
    X, Y, Z = nearly_there(300, 2, 2, 3)
    moments = moments_of(X, Y)
    np.testing.assert_allclose(
        moments.given_by_few(Z, 300), moments.given_to(Z)[0], rtol=0, atol=1e-9 * Y.std(axis=0).max()
    )


def test_what_few_records_cannot_bear_is_refused():
    """Too few for the regression; a column of X that is 0 in the few; a sum of columns that the others do not keep."""
    X, Y, Z = nearly_there(300, 2, 3, 4)
    assert moments_of(X, Y).given_by_few(Z, 6) is None
    rare = np.column_stack([X, np.arange(300) > 295])
    assert moments_of(rare, Y).given_by_few(Z, 100) is None
    summed = np.column_stack([Y[:, :2], Y[:, 0] + Y[:, 1]])
    assert moments_of(X, summed).given_by_few(placed_by_rank(summed, Z), 100) is None


def test_original_margins_keep_observed_values_in_most_records():
    """Identical values in four fifths of the records; all in none of the smooth ones; said in the notes."""
    X, Y = cloud(500, 2, 3, 5)
    said = []
    Z = Calibrated(IPSO("C"), margins="original").protect(X, Y, RStream(1), said.append)
    observed = np.column_stack([np.isin(z, y) for z, y in zip(Z.T, Y.T, strict=True)])
    assert observed.all(axis=1).sum() == 400
    assert "the moments were reached by moving 100 of 500 records; the others have observed values" in said
    assert_moments_kept(X, Y, Z)


def test_where_few_cannot_all_do():
    """y3 = y1 + y2, which ranks do not keep: every record is moved, and the sum holds."""
    X, Y = cloud(200, 2, 2, 6)
    Y = np.column_stack([Y, Y.sum(axis=1)])
    said = []
    Z = Calibrated(IPSO("C"), margins="original").protect(X, Y, RStream(1), said.append)
    assert not any("by moving" in text for text in said)
    np.testing.assert_allclose(Z[:, 2], Z[:, 0] + Z[:, 1], rtol=0, atol=1e-9 * Y.std())

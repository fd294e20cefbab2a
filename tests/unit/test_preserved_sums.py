"""Preserved sums, counted by group: Calibrated chooses at most a tenth of the records, with levels a sixteenth; `totals` holds
above a fifth.

Oracles: the count t (1 + s) + t (t + 1) / 2 by hand; correlations by numpy. A sum that swaps restore is close, within 1e-3 of a
correlation; one that they leave out is statistical, about 1 / sqrt(n).
"""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.methods.work import Run
from pyfcrm.numerics.kept_sums import kept_levels

T = 3
PREDICTORS = ["a", "b", "c", "d"]
COLUMNS = ["x", "y", "z"]
TERMS = [[3]]  # the last predictor is the level of a category
RESTORED = 1e-3


def arrays(n, seed=0):
    """Four predictors, the last of 0 and 1, of which the first explains most; three columns."""
    random = np.random.default_rng(seed)
    X = random.uniform(-1, 1, size=(n, 4))
    X[:, 3] = X[:, 3] > 0.2
    Y = X @ np.array([[4.0, 3, 2], [1.0, 1, 1], [0.5, 0.4, 0.3], [0.1, 0.1, 0.1]]) + random.uniform(-1, 1, size=(n, T))
    return X, Y


def frame(n):
    X, Y = arrays(n)
    table = pd.DataFrame(np.hstack([X, Y]).round(3), columns=PREDICTORS + COLUMNS)
    return table.assign(stratum=np.repeat(["p", "q"], [n // 4, n - n // 4]), weight=np.linspace(1, 3, n))


def released(X, Y, method, **options):
    notes = []
    calibrated = pf.Calibrated(method, **options)
    return calibrated.release(X, Y, Run(pf.RStream(1), notes.append, terms=TERMS)), notes


def standardised(A, like):
    return (A - like.mean(axis=0)) / like.std(axis=0)


def restored(X, Y, Z):
    """Whether the correlations with each predictor (s,) are the original's, and whether those among the columns are."""
    y = standardised(Y, Y)
    z = standardised(Z, Y)
    with_x = np.abs(standardised(X, X).T @ (z - y)).max(axis=1) / len(X)
    among = np.abs(np.triu(z.T @ z - y.T @ y, 1)).max() / len(X)
    return with_x < RESTORED, bool(among < RESTORED)


@pytest.mark.parametrize("basis", ["linear", "flexible"])
@pytest.mark.parametrize("method", [pf.IPSO("C"), pf.EGADP()], ids=str)
@pytest.mark.parametrize("n", [80, 100, 120, 150, 180])
def test_at_most_a_tenth_as_many_sums_as_records(n, method, basis):
    """By hand: 3 columns have 9 sums, 3 more with each predictor. With 90, 120, 150, 180 records 0, 1, 2, 3 predictors stay.

    With 80 records two of the three covariances stay.
    """
    X, Y = arrays(n)
    Z, notes = released(X, Y, method, basis=basis)
    of_predictors, covariances = restored(X, Y, Z)
    most = n // 10
    assert covariances == (most >= 9)
    assert of_predictors.sum() == max(0, (most - 9) // 3)
    assert not of_predictors[3]  # the level of a category goes first
    warned = [note for note in notes if note.severity == "warning"]
    assert len(warned) == (n < 180) + (n < 90)
    assert any(note.count == 4 - 1 - of_predictors.sum() for note in warned) == (n < 180)


@pytest.mark.parametrize(("n", "columns"), [(336, 4), (400, 4)])
def test_all_sums_are_restored_where_they_are_few(n, columns):
    """21 sums, one of them with a level: a sixteenth of 336 records."""
    X, Y = arrays(n)
    Z, notes = released(X, Y, pf.IPSO("C"))
    of_predictors, covariances = restored(X, Y, Z)
    assert of_predictors.sum() == columns
    assert covariances
    assert not [note for note in notes if note.severity == "warning" or "average" in note]


def test_means_and_margins_remain_where_covariances_are_too_many():
    X, Y = arrays(80)
    Z, _ = released(X, Y, pf.IPSO("C"))
    np.testing.assert_allclose(Z.mean(axis=0), Y.mean(axis=0), rtol=0, atol=1e-9)
    correlation = np.corrcoef(np.hstack([X, Z]), rowvar=False)[0, 4]
    assert correlation == pytest.approx(np.corrcoef(X[:, 0], Y[:, 0])[0, 1], abs=0.1)  # on average


@pytest.mark.parametrize(("n", "count"), [(60, 0), (70, 1), (80, 2), (90, 3)])
def test_the_largest_covariances_remain_one_by_one(n, count):
    """By hand: 3 means and 3 variances, and n / 10 - 6 covariances, of the largest correlations."""
    X, Y = arrays(n)
    Z, notes = released(X, Y, pf.IPSO("C"))
    size = np.abs(np.corrcoef(Y, rowvar=False))[np.triu_indices(T, 1)]
    gaps = np.abs(np.corrcoef(Z, rowvar=False) - np.corrcoef(Y, rowvar=False))[np.triu_indices(T, 1)]
    largest = np.argsort(-size)[:count]
    assert (gaps[largest] < RESTORED).all()
    assert np.delete(gaps, largest).max(initial=0.0) > 5 * RESTORED or count == 3
    assert sum(f"{3 - count} of 3 covariances" in note for note in notes) == (count < 3)


@pytest.mark.parametrize("n", [180, 300])
def test_levels_are_left_out_of_which_a_sixteenth_has_no_room(n):
    """By hand: 18 sums with three numbers are a tenth of 180 records; 21 with a level too are more than a sixteenth of 300."""
    X, Y = arrays(n)
    of_predictors, covariances = restored(X, Y, released(X, Y, pf.IPSO("C"))[0])
    assert of_predictors.tolist() == [True, True, True, False]
    assert covariances


@pytest.mark.parametrize(("n", "kept"), [(120, True), (100, False)])
def test_collinear_predictors_count_once(n, kept):
    """Identical rule: three copies of one predictor have its sums, 12 of 120 records. The defect: copies of one left out remained."""
    X, Y = arrays(n)
    copies = np.column_stack([X[:, 0], 2 * X[:, 0], -X[:, 0]])
    of_predictors, _ = restored(copies, Y, released(copies, Y, pf.IPSO("C"))[0])
    assert (of_predictors == kept).all()


def test_what_the_user_asks_for_remains():
    """A linear map keeps all moments, identical up to rounding; weighted sums are restored on a small file too."""
    X, Y = arrays(80)
    for method in (pf.IPSO("C"), pf.Noise()):
        of_predictors, covariances = restored(X, Y, released(X, Y, method, margins=None)[0])
        assert of_predictors.all()
        assert covariances
    table = frame(120)
    roles = pf.Roles(PREDICTORS, COLUMNS)
    weighted = pf.protect(table, pf.Calibrated(pf.IPSO("C")), roles, seed=1, weights="weight", shuffle=False)
    of_predictors, covariances = restored(
        X=table[PREDICTORS].to_numpy(), Y=table[COLUMNS].to_numpy(), Z=weighted.frame[COLUMNS].to_numpy()
    )
    assert covariances


def test_the_method_that_is_moved_preserves_its_sums_on_average():
    for basis in (None, "flexible"):
        assert pf.IPSO("B", basis=basis).on_average() == pf.GADP(basis=basis)
        assert pf.IPSO("C", basis=basis).on_average() == pf.GADP(basis=basis)
        assert pf.EGADP(basis=basis).on_average() == pf.GADP(basis=basis)
        assert pf.IPSO("A", basis=basis).on_average() == pf.GADP(basis=basis)
    for method in (pf.GADP(), pf.FCRM(2), pf.Sequential()):
        assert method.on_average() is method


def test_strata_have_their_own_limit():
    """A stratum of 60 records has 21 sums, more than a tenth; the other one, of 180, has 3 predictors' sums."""
    table = frame(240)
    roles = pf.Roles(PREDICTORS, COLUMNS)
    result = pf.protect(table, pf.Calibrated(pf.IPSO("C")), roles, seed=1, strata="stratum", shuffle=False)
    for level, expected in (("p", 0), ("q", 3)):
        rows = table["stratum"] == level
        parts = [part.loc[rows, names].to_numpy() for part, names in ((table, PREDICTORS), (table, COLUMNS))]
        of_predictors, covariances = restored(*parts, result.frame.loc[rows, COLUMNS].to_numpy())
        assert of_predictors.sum() == expected
        assert covariances == (level == "q")


def totals_of(table, release, **options):
    return pf.evaluate(table, release, measures="pil", **options).verdict["totals"]


@pytest.mark.parametrize(
    ("method", "n", "held"),
    [
        (pf.IPSO("C"), 100, True),  # 21 sums
        (pf.IPSO("C"), 110, False),
        (pf.EGADP(), 100, True),
        (pf.IPSO("A"), 70, True),  # 15 sums
        (pf.IPSO("A"), 80, False),
        (pf.Calibrated(pf.IPSO("C"), margins=None), 100, True),
        (pf.Calibrated(pf.IPSO("C")), 60, False),
        (pf.Calibrated(pf.IPSO("A")), 60, False),
        (pf.Calibrated(pf.Hybrid("linear")), 70, True),  # 15 sums, of a method that has no other form
        (pf.Calibrated(pf.Hybrid("linear")), 80, False),
        (pf.GADP(), 60, False),
    ],
    ids=str,
)
def test_a_file_with_many_preserved_sums_is_held(method, n, held):
    """By hand: more than a fifth of the records, of methods that preserve sums exactly. A held release has a next step."""
    table = frame(n)
    test = totals_of(table, pf.protect(table, method, pf.Roles(PREDICTORS, COLUMNS), seed=pf.RStream(2)))
    assert ("sums of the file" in test.reason) == held
    if held:
        assert test.status == "hold"
        assert "fewer predictors" in test.remedy


def test_strata_with_many_preserved_sums_are_held():
    """By hand: 21 sums of 100 and of 300 records."""
    table = frame(400)
    roles = pf.Roles(PREDICTORS, COLUMNS)
    test = totals_of(table, pf.protect(table, pf.IPSO("C"), roles, seed=pf.RStream(2), strata="stratum"))
    assert test.found == (1,)
    assert "21 sums of stratum 1 with 100 records" in test.reason
    calibrated = pf.protect(table, pf.Calibrated(pf.IPSO("C")), roles, seed=pf.RStream(2), strata="stratum")
    assert totals_of(table, calibrated).status == "pass"


def regions(sizes, seed=3):
    """Two predictors and two columns, whose slopes differ between regions of these sizes."""
    random = np.random.default_rng(seed)
    n = sum(sizes)
    region = np.repeat(list("pqrs")[: len(sizes)], sizes)
    X = random.normal(size=(n, 2))
    slope = 1 + np.searchsorted(np.unique(region), region)
    Y = slope[:, None] * X + random.normal(size=(n, 2))
    columns = {"region": region, "weight": random.uniform(1, 9, size=n)}
    return pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "x": Y[:, 0], "y": Y[:, 1], **columns})


def slope_gap(table, released, level):
    """The largest difference of slopes within a region, by numpy."""
    rows = (table["region"] == level).to_numpy()
    A = np.column_stack([np.ones(rows.sum()), table.loc[rows, ["a", "b"]]])
    fits = [np.linalg.lstsq(A, part.loc[rows, ["x", "y"]].to_numpy(), rcond=None)[0] for part in (table, released)]
    return np.abs(fits[0] - fits[1])[1:].max()


ROLES = pf.Roles(["a", "b"], ["x", "y"])


@pytest.mark.parametrize("method", [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C"), margins=None)], ids=str)
def test_small_levels_keep_means_only(method):
    """By hand: 2 columns have 6 sums in a level, with squares and products 9: at least 90 records. Exact for both methods."""
    table = regions([400, 95, 45, 48])
    result = pf.protect(table, method, ROLES, seed=1, preserve="region", shuffle=False, allow_unprotected=True)
    means = [part.groupby("region")[["x", "y"]].mean() for part in (table, result.frame)]
    np.testing.assert_allclose(means[1], means[0], atol=1e-9)
    gaps = {level: slope_gap(table, result.frame, level) for level in "pqrs"}
    cross = not isinstance(method, pf.IPSO)
    assert gaps["p"] < 1e-9
    assert gaps["q"] < 1e-9
    if cross:
        assert min(gaps["r"], gaps["s"]) > 1e-3
        assert any("only means are kept: r, s" in note for note in result.notes)
    else:
        # Six sums without squares: 60 records.
        assert min(gaps["r"], gaps["s"]) > 1e-3


def test_sums_of_a_small_level_do_not_follow_from_those_of_the_others():
    """By hand: the smallest of 50 records has few; with it alone its sums were the file's less the others', so 100 join it."""
    codes = np.repeat([0, 1, 2], [400, 100, 50])
    X = np.random.default_rng(1).normal(size=(550, 2))
    kept = kept_levels(X, None, np.eye(3)[codes], 2, cross=True)
    assert kept.means_only.tolist() == [False, True, True]
    alone = kept_levels(X[:500], None, np.eye(2)[codes[:500]], 2, cross=True)
    assert not alone.means_only.any()
    assert not kept_levels(X, None, np.eye(3)[codes], 2, cross=True, times=10.0).means_only.any()


def test_levels_with_means_only_are_counted_as_such():
    """By hand: 2 sums of 45 records are no fifth; 9 were. A level with fewer than ten records for its two means remains, and is held."""
    result = pf.protect(regions([400, 45]), pf.Calibrated(pf.IPSO("C")), ROLES, seed=pf.RStream(1), preserve="region")
    assert totals_of(regions([400, 45]), result).status == "pass"
    table = regions([60, 9])
    result = pf.protect(table, pf.Calibrated(pf.IPSO("C")), ROLES, seed=pf.RStream(1), preserve="region")
    test = totals_of(table, result)
    assert test.status == "hold"
    assert "2 sums of region, level 2 with 9 records" in test.reason


def test_the_sums_of_a_file_are_counted_with_those_of_levels():
    """By hand: of 60 records 9 sums of the file and 4 means of the regions; 13 are more than a fifth."""
    table = regions([20, 20, 20])
    result = pf.protect(table, pf.Calibrated(pf.IPSO("C")), ROLES, seed=pf.RStream(1), preserve="region")
    assert "13 sums of the file with 60 records" in totals_of(table, result).reason


@pytest.mark.parametrize(("n", "kept"), [(190, True), (170, False)])
def test_sums_of_a_weight_given_by_its_role_are_at_most_a_tenth(n, kept):
    """By hand: 12 sums of two columns with 5 regressors and 6 of squares and products. A weight that is asked for remains."""
    table = regions([n])
    by_role = pf.Roles(["a", "b"], ["x", "y"], weight="weight")
    ways = [(by_role, {}), (ROLES, {"weights": "weight"})]
    errors = []
    for roles, options in ways:
        result = pf.protect(
            table,
            pf.Calibrated(pf.IPSO("C"), margins="original"),
            roles,
            seed=1,
            shuffle=False,
            allow_unprotected=True,
            **options,
        )
        weighted = [np.average(part["x"], weights=table["weight"]) for part in (table, result.frame)]
        errors.append(abs(weighted[0] - weighted[1]) / table["x"].std())
        is_note = any("are not kept: they are more than a tenth" in note for note in result.notes)
        assert is_note == (roles is by_role and not kept)
    assert (errors[0] < RESTORED) == kept
    assert errors[1] < RESTORED

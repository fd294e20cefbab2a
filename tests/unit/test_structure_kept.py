"""protect(structure=...): what was accepted holds in the release. Identical, on files made here."""

import numpy as np
import pandas as pd
import pytest
from support.blocks import by_blocks

import pyfcrm as pf
from pyfcrm.constraints.accepted import accepted
from pyfcrm.constraints.reporting import reported
from pyfcrm.errors import InvalidParameter

ENTERPRISES = pf.Roles(
    ["EMPLOYEES", "AGE", "ASSETS"], ["TURNOVER", "PURCHASES", "PAYROLL", "SURPLUS", "EXPORTS", "INVESTMENT"]
)
METHODS = [
    pf.IPSO("C"),
    pf.FCRM(None, release="model"),
    pf.Calibrated(pf.FCRM(2, release="model"), margins="original"),
    pf.RankSwapping(10),
]


def zeros(n=600):
    """Sales, cost and tax are zero together; margin is what sales leave of cost, price is nobody's."""
    rng = np.random.default_rng(1)
    size = rng.normal(size=n)
    none = rng.random(n) < 0.35
    sales = np.where(none, 0, np.rint(np.exp(6 + size + 0.3 * rng.normal(size=n))) + 1)
    cost = np.where(none, 0, np.rint(sales * rng.uniform(0.4, 0.8, n)) + 1)
    tax = np.where(none, 0, np.rint(np.exp(3 + size)) + 1)
    frame = pd.DataFrame({"sales": sales, "cost": cost, "margin": sales - cost, "tax": tax}).astype(int)
    return frame.assign(size=size, part=np.arange(n) % 2)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_identities_are_derived_and_orders_kept(method):
    frame = pf.datasets.enterprises(600)
    found = pf.find_structure(frame, ENTERPRISES)
    release = pf.protect(frame, method, ENTERPRISES, seed=1, structure=found)
    Z = release.frame
    assert (Z["TURNOVER"] == Z["PURCHASES"] + Z["PAYROLL"] + Z["SURPLUS"]).all()
    assert (Z["EXPORTS"] <= Z["TURNOVER"]).all()
    assert release.method == method
    assert any("TURNOVER derived from other columns" in note for note in release.notes)
    assert (Z.dtypes == frame.dtypes).all()


@pytest.mark.parametrize("method", [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C"))], ids=str)
def test_signs_orders_and_decimals_are_kept_by_find(method):
    """In cents, quarters and whole numbers stored as floats, with a predictor that has all digits. Identical."""
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    total = np.round(np.exp(4 + 0.8 * x + 0.5 * rng.normal(size=300)), 2)
    values = {"part": np.floor(total * rng.random(300) * 4) / 4, "total": total, "count": np.floor(total / 3)}
    frame, roles = pd.DataFrame({"x": x, "sex": "f", **values}), pf.Roles(["x", "sex"], list(values))
    rules = ["count >= x", "part + count <= 3*total", "total >= 1.234567*x"]
    variables = dict.fromkeys(values, pf.Variable(bounds="none"))
    Z = pf.protect(frame, method, roles, seed=1, structure="find", constraints=rules, variables=variables).frame
    assert (Z[["part", "total", "count"]] >= 0).all().all()
    assert (Z["part"] <= Z["total"]).all()
    assert (Z["count"] >= x).all()
    for name, digits in {"part": 2, "total": 2, "count": 0}.items():
        assert (Z[name].round(digits) == Z[name]).all()


def habits(n=500):
    """Earnings, often the wage and often in hundreds; a tax of 4.37 % of the wage but for rounding; a total in tens, of two sums."""
    rng = np.random.default_rng(5)
    x, often = rng.normal(size=n), rng.random(n) < [[0.8], [0.7]]
    wage = np.rint(np.exp(8 + 0.4 * x + 0.4 * rng.normal(size=n)))
    wage = np.where(often[1], 100 * np.rint(wage / 100), wage)
    earned = np.where(often[0], wage, np.floor(wage * rng.random(n)))
    rent = np.rint(rng.lognormal(6, 0.5, n))
    total = 10 * np.rint((wage + rent) / 10)
    return pd.DataFrame(
        {"x": x, "wage": wage, "earned": earned, "tax": np.rint(0.0437 * wage), "rent": rent, "total": total}
    )


@pytest.mark.parametrize("method", [pf.FCRM(2, release="model"), pf.Calibrated(pf.IPSO("C"))], ids=str)
def test_habits_of_reporting_are_kept(method):
    """By hand: the shares of the original. The defect: a release had equal values in a tenth of the records at most."""
    frame, roles = habits(), pf.Roles(["x"], ["wage", "earned", "tax", "rent", "total"])
    found = pf.find_structure(frame, roles)
    assert [one.columns for one in found.of_kind("often")] == [("tax", "wage"), ("earned", "wage")]
    assert [one.columns for one in found.of_kind("rounded")] == [("total", "wage", "rent")]
    releases = [pf.protect(frame, method, roles, seed=seed, structure="find").frame for seed in (1, 2, 3)]
    Z = pd.concat(releases, ignore_index=True)  # the share of one release of 500 records has a standard error of 0.018
    frame = pd.concat([frame] * 3, ignore_index=True)
    assert abs((Z["earned"] == Z["wage"]).mean() - (frame["earned"] == frame["wage"]).mean()) < 0.02
    assert abs((Z["wage"] % 100 == 0).mean() - (frame["wage"] % 100 == 0).mean()) < 0.08
    assert ((Z["tax"] - 0.0437 * Z["wage"]).abs() <= 1).mean() > 0.95
    assert (Z["total"] == 10 * np.rint((Z["wage"] + Z["rent"]) / 10)).mean() > 0.95
    assert (Z["earned"] != frame["earned"]).mean() > 0.5


def test_equal_values_are_as_frequent_as_among_records_near_in_the_other_column():
    """By hand: earned equals wage in 9 of 10 records with small wages, in 2 of 10 with large ones."""
    rng = np.random.default_rng(4)
    wage = np.rint(rng.lognormal(8, 0.5, 1000))
    equal = rng.random(1000) < np.where(wage < np.median(wage), 0.9, 0.2)
    frame = pd.DataFrame({"x": wage * rng.lognormal(0, 0.3, 1000), "wage": wage})
    frame["earned"] = np.where(equal, wage, np.rint(wage * rng.uniform(0.7, 1, 1000)))
    roles = pf.Roles(["x"], ["wage", "earned"])
    Z = pf.protect(frame, pf.Calibrated(pf.IPSO("C")), roles, seed=1, structure="find").frame
    for side in (Z["wage"] < np.median(wage), Z["wage"] > np.median(wage)):
        expected = 0.9 if side[Z["wage"].idxmin()] else 0.2
        assert abs((Z["earned"] == Z["wage"])[side].mean() - expected) < 0.08


def test_a_record_s_own_value_decides_no_habit():
    """Identical: the originals in another order give the same values."""
    frame = habits().drop(columns="tax")
    rules = pf.find_structure(frame.drop(columns=["total", "rent"])).of_kind("often", "round")
    other = frame.sample(frac=1, random_state=1)
    released = [{name: frame[name].to_numpy() * 1.5 for name in frame} for _ in range(2)]
    for original, values in zip((frame, other), released, strict=True):
        reported(rules, {name: original[name].to_numpy() for name in frame}, values, pf.RStream(1))
    pd.testing.assert_frame_equal(*map(pd.DataFrame, released))
    assert (released[0]["wage"] != frame["wage"] * 1.5).any()


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS[1:], ids=str)
@pytest.mark.parametrize("strata", [None, ["part"]])
def test_columns_are_zero_together(method, strata):
    frame, roles = zeros(), pf.Roles(["size"], ["sales", "cost", "margin", "tax"])
    found = pf.find_structure(frame, roles).of_kind("identity", "zero_together")
    Z = pf.protect(frame, method, roles, seed=1, structure=found, strata=strata).frame
    assert ((Z["sales"] == 0) == (Z["tax"] == 0)).all()
    assert (Z["sales"] == Z["cost"] + Z["margin"]).all()


@pytest.mark.slow
def test_nested_totals_are_solved_for_columns_that_are_drawn():
    rng = np.random.default_rng(3)
    v = np.rint(rng.lognormal(5, 1, size=(400, 4)))
    frame = pd.DataFrame(v, columns=["a", "b", "c", "x"]).assign(ab=v[:, 0] + v[:, 1], abc=v[:, :3].sum(axis=1))
    roles = pf.Roles(["x"], ["a", "b", "c", "ab", "abc"])
    kept = accepted(pf.find_structure(frame, roles), roles)
    derived = kept.derived
    assert len(derived) == 2
    assert not {name for parts in derived.values() for name in parts} & set(derived)
    Z = pf.protect(frame, pf.IPSO("C"), roles, seed=1, structure="find").frame
    np.testing.assert_allclose(Z["ab"], Z["a"] + Z["b"], rtol=1e-9)
    np.testing.assert_allclose(Z["abc"], Z["ab"] + Z["c"], rtol=1e-9)


@pytest.mark.slow
def test_a_search_judges_releases_that_keep_it(tmp_path):
    """By sweep, of a frame and of a file, and by recommend. Oracle: protect() with the same structure, then evaluate(). Identical."""
    frame, candidates = pf.datasets.enterprises(120), [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C"))]
    frame.to_csv(tmp_path / "in.csv", index=False)
    found = pf.find_structure(frame, ENTERPRISES).exact
    expected = []
    for method in candidates:
        release = pf.protect(frame, method, ENTERPRISES, seed=1, structure=found)
        assert (release.frame["TURNOVER"] == release.frame[["PURCHASES", "PAYROLL", "SURPLUS"]].sum(axis=1)).all()
        expected.append(pf.evaluate(frame, release.frame, roles=ENTERPRISES)["pil"])
    for value, structure in ((frame, found), (tmp_path / "in.csv", "find")):
        swept = pf.sweep(value, ENTERPRISES, candidates, seed=1, structure=structure)
        assert [one["pil"] for one in swept.candidates] == expected
    searched = pf.recommend(frame, ENTERPRISES, seed=1, candidates=candidates[:1], structure="find").nearest[0]
    assert any("TURNOVER" in note for note in searched.notes)
    for work in (pf.sweep, pf.recommend):
        more = {"methods": candidates} if work is pf.sweep else {}
        with pytest.raises(InvalidParameter, match=f"{work.__name__}: `structure` must be a result of find_structure"):
            work(frame, ENTERPRISES, structure="guess", **more)


@pytest.mark.slow
def test_a_file_that_is_read_by_blocks_goes_by_strata(tmp_path):
    """Its own sentence: IPSO works by blocks, and the columns derived from its release do not."""
    pf.datasets.enterprises(200).assign(part=lambda f: f.index % 2).to_parquet(tmp_path / "in.parquet")
    source = by_blocks(tmp_path / "in.parquet")
    with pytest.raises(InvalidParameter, match=r"`structure` must be left out where a file is read by blocks.*'find'"):
        pf.protect(source, pf.IPSO("C"), ENTERPRISES, output=tmp_path / "out.parquet", structure="find")
    release = pf.protect(
        source, pf.IPSO("C"), ENTERPRISES, output=tmp_path / "out.parquet", structure="find", strata="part"
    )
    Z = pd.read_parquet(release.path)
    assert (Z["TURNOVER"] == Z[["PURCHASES", "PAYROLL", "SURPLUS"]].sum(axis=1)).all()


def test_probabilities_that_sum_to_one_stay_probabilities_and_sum_to_one():
    """The defect, in `modeldata::hpc_cv`: drawn ones above 1 made the derived one negative, which was cut at 0, and broke the sum."""
    rng = np.random.default_rng(4)
    shares = np.exp(2.5 * rng.normal(size=(800, 3)))
    shares /= shares.sum(axis=1, keepdims=True)
    frame = pd.DataFrame(shares, columns=["a", "b", "c"])
    frame["class"] = np.array(["a", "b", "c"])[shares.argmax(axis=1)]
    released = pf.protect(frame, pf.Calibrated(), pf.Roles(["class"], ["a", "b", "c"]))
    new = released.frame[["a", "b", "c"]]
    assert (abs(new.sum(axis=1) - 1) < 1e-9).all()
    assert (new >= 0).all(axis=None)
    assert pf.evaluate(frame, released).verdict["edits"].status == "pass"

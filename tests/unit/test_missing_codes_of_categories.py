"""Codes of missing values of categories are gaps: for methods, in memory, by blocks and under Dask, and for what judges a release.

Oracle: the same file with empty cells in place of the codes. Grade: identical, if not said otherwise.
"""

import numpy as np
import pandas as pd
import pytest
from support.blocks import by_blocks, in_folder

import pyfcrm as pf
from pyfcrm.errors import InvalidInput

DECLARED = {"region": pf.Variable(missing_codes=[9]), "owner": pf.Variable("category", missing_codes=[9, -8])}


def people(n=600):
    """By kind of missing cell a file with a category in text, "9" for missing, and one in numbers, 9 and -8 for missing."""
    rng = np.random.default_rng(0)
    owner = rng.integers(1, 4, n)
    frame = pd.DataFrame({"age": rng.integers(20, 70, n), "owner": owner})
    frame["region"] = np.array(["north", "south", "west"])[rng.integers(0, 3, n)]
    frame["wage"] = np.exp(5 + 0.01 * frame["age"] + 0.2 * owner + rng.normal(0, 0.3, n)).round(2)
    of_codes = frame.copy()
    of_codes.loc[::11, "owner"] = 9
    of_codes.loc[::17, "owner"] = -8
    of_codes.loc[::13, "region"] = "9"
    return {"code": of_codes, "gap": with_gaps(of_codes)}


def with_gaps(frame):
    """The file with empty cells in place of the codes."""
    gaps = frame.assign(owner=frame["owner"].astype("Int64").mask(frame["owner"].isin([9, -8])))
    return gaps.assign(region=gaps["region"].mask(gaps["region"] == "9"))


def protected(files, kind, method, roles, **options):
    """The release of the file with codes, or of that with gaps."""
    declared = DECLARED if kind == "code" else {"owner": pf.Variable("category")}
    return pf.protect(files[kind], method, roles, seed=1, variables=declared, **options)


@pytest.mark.parametrize("method", [pf.IPSO("C"), pf.Calibrated(pf.IPSO("C")), pf.ARF(trees=5)], ids=str)
def test_predictors_with_codes_are_predictors_with_gaps(method):
    files = people()
    roles = pf.Roles(["age", "region", "owner"], ["wage"])
    by_code = protected(files, "code", method, roles)
    by_gap = protected(files, "gap", method, roles, missing="protect")
    assert by_code.options.missing == "protect"
    pd.testing.assert_series_equal(by_code.frame["wage"], by_gap.frame["wage"])
    assert set(by_code.frame["owner"]) == {1, 2, 3, 9, -8}


@pytest.mark.parametrize("engine", ["local", pytest.param("dask", marks=pytest.mark.slow)])
def test_codes_are_gaps_in_files_read_by_blocks(tmp_path, engine):
    pytest.importorskip("dask" if engine == "dask" else "pyarrow")
    files = people(2000)
    roles = pf.Roles(["age", "region"], ["wage"])
    released = {}
    for kind, frame in files.items():
        folder = in_folder(frame.drop(columns="owner"), tmp_path / kind)
        declared = {"region": DECLARED["region"]} if kind == "code" else None
        output = tmp_path / f"{kind}.parquet"
        pf.protect(
            by_blocks(folder), pf.IPSO("C"), roles, seed=1, variables=declared, missing="drop",
            engine=engine, output=output,
        )  # fmt: skip
        released[kind] = pd.read_parquet(output)
    pd.testing.assert_frame_equal(released["code"], released["gap"])
    assert "9" not in set(released["code"]["region"])
    assert len(released["code"]) < 2000


def test_incomplete_records_are_refused_or_dropped():
    files = people()
    roles = pf.Roles(["age"], ["wage", "owner"])
    for kind in files:
        with pytest.raises(InvalidInput, match="87 of 600 records"):
            protected(files, kind, pf.ARF(trees=5), roles, missing="refuse")
    dropped = [protected(files, kind, pf.ARF(trees=5), roles, missing="drop").frame for kind in files]
    assert set(dropped[0]["owner"]) == {1, 2, 3}
    pd.testing.assert_series_equal(dropped[0]["owner"], dropped[1]["owner"], check_dtype=False)


def test_a_confidential_category_is_drawn_with_its_codes():
    """Oracle: the counts of the original. Grade: statistical, four standard errors of a count."""
    files = people(3000)
    released = protected(files, "code", pf.Calibrated(pf.IPSO("C")), pf.Roles(["age"], ["wage", "owner"]))
    before, after = (frame["owner"].value_counts().sort_index() for frame in (files["code"], released.frame))
    assert set(after.index) == set(before.index)
    assert ((after - before).abs() < 4 * np.sqrt(before)).all()


def test_cells_with_codes_stay_under_pram():
    files = people()
    released = protected(files, "code", pf.PRAM(), pf.Roles([], ["region"]), shuffle=False, allow_unprotected=True)
    is_code = files["code"]["region"] == "9"
    assert ((released.frame["region"] == "9") == is_code).all()
    assert (released.frame["region"] != files["code"]["region"])[~is_code].any()


def test_recoded_categories_have_gaps_where_numbers_have_gaps_too():
    frame = people()["code"]
    frame.loc[::7, "wage"] = np.nan
    recoding = pf.Recoding({"wage": 3, "region": {"north": "coast", "west": "coast", "south": "inland"}})
    released = pf.protect(frame, recoding, pf.Roles([], ["wage", "region"]), variables=DECLARED, allow_unprotected=True)
    assert set(released.frame["region"].dropna()) == {"coast", "inland"}


def test_a_generator_sees_gaps():
    seen = []

    class Generator:
        """Gives the records back."""

        def fit(self, frame):
            seen.append(frame)

        def sample(self, n):
            return seen[0]

        def __deepcopy__(self, memo):
            return self

    files = people()
    released = protected(files, "code", pf.External(Generator()), pf.Roles(["age"], ["wage"]), allow_unprotected=True)
    is_code = files["code"]["region"] == "9"
    pd.testing.assert_series_equal(seen[0]["region"].isna(), is_code)
    assert (released.frame["region"] == "9").sum() == is_code.sum()


@pytest.fixture(scope="module")
def pairs():
    """By kind of missing cell, original and release, without the link to what protect() declares."""
    files = people()
    roles = pf.Roles(["age", "region"], ["wage", "owner"])
    released = protected(files, "code", pf.Calibrated(pf.IPSO("C")), roles).frame
    return {"code": (files["code"], released), "gap": (files["gap"], with_gaps(released))}


def judged(pair, kind, function):
    declared = DECLARED if kind == "code" else {"owner": pf.Variable("category")}
    return function(*pair[kind], variables=declared)


def test_analyses_and_changes_are_those_of_gaps(pairs):
    functions = [
        lambda old, new, **more: pf.analyse(old, new, "wage ~ age + region + owner", **more).to_frame(),
        lambda old, new, **more: pf.variable_changes(old, new, **more).to_frame(),
    ]
    for function in functions:
        of_kinds = [judged(pairs, kind, function) for kind in pairs]
        pd.testing.assert_frame_equal(*of_kinds)


@pytest.mark.slow
def test_measures_and_verdict_are_those_of_gaps(pairs):
    roles = pf.Roles(["age", "region"], ["wage", "owner"])
    reports = [
        judged(pairs, kind, lambda old, new, **more: pf.evaluate(old, new, roles=roles, **more)) for kind in pairs
    ]
    pd.testing.assert_frame_equal(reports[0].to_frame(), reports[1].to_frame())
    assert reports[0].verdict == reports[1].verdict

"""Columns released unchanged: counts, words, and what evaluate() says of it.

Oracle: brute force over all pairs of records in plain Python. Grade: identical.
"""

from itertools import combinations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.data.unmodified import count_uniques
from pyfcrm.errors import InvalidInput

GAPS = (None, np.nan, pd.NA, pd.NaT)


def alike(a, b):
    missing = [any(x is g for g in GAPS) or x != x for x in (a, b)]
    return all(missing) or (not any(missing) and a == b)


def brute(frame, names):
    rows = list(zip(*(frame[name].tolist() for name in names), strict=True))
    same = [sum(all(map(alike, one, other)) for other in rows) for one in rows]
    return same.count(1)


def frame(n=90):
    rng = np.random.default_rng(6)
    return pd.DataFrame(
        {
            "town": pd.Series(rng.choice(["a", "b", "c"], n)).mask(rng.random(n) < 0.2),
            "day": pd.Series(pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 40, n), "D")).mask(
                rng.random(n) < 0.1
            ),
            "flag": rng.random(n) < 0.3,
            "grade": pd.Categorical(rng.choice(["low", "high"], n)),
            "size": pd.array(rng.integers(1, 30, n), dtype="Int64"),
            "x": np.where(rng.random(n) < 0.5, rng.integers(-1, 2, n) * 0.0, rng.normal(size=n).round(1)),
            "y": rng.normal(size=n),
            "z": rng.normal(size=n),
        }
    )


def counted(data, names):
    opened = open_frame("x", data)
    return count_uniques(opened.codes, names, opened.records)


@pytest.mark.slow
@pytest.mark.parametrize("library", ["pandas", "polars", "arrow"])
def test_counts_are_those_of_all_pairs_of_records(library):
    data = frame()
    if library == "polars":
        data = pytest.importorskip("polars").from_pandas(frame())
    if library == "arrow":
        data = pytest.importorskip("pyarrow").Table.from_pandas(frame(), preserve_index=False)
    names = ["town", "day", "flag", "grade", "size", "x"]
    kept = counted(data, names)
    assert dict(kept.alone) == {name: brute(frame(), [name]) for name in names}
    assert dict(kept.pairs) == {pair: brute(frame(), list(pair)) for pair in combinations(names, 2)}
    assert kept.together == brute(frame(), names)
    assert kept.share == 100 * kept.together / 90


@pytest.mark.parametrize("cells", [[[1], [1], [2]], [{"a": 1}, {"a": 1}, {"a": 2}]])
def test_cells_that_are_lists_count_too(cells):
    """In pandas and polars; nested columns of Arrow are refused."""
    for frame in (pd.DataFrame({"cell": cells}), pl.DataFrame({"cell": cells})):
        assert counted(frame, ["cell"]).together == 1
    with pytest.raises(InvalidInput, match="nested"):
        counted(pa.table({"cell": cells}), ["cell"])


def test_evaluate_with_roles_counts_what_leaves_and_judges_what_does_not():
    data = frame()
    roles = pf.Roles(["x"], ["y", "z"], ["day"], unknown="size")
    report = pf.evaluate(data, pf.protect(data, pf.Noise("uncorrelated", 20), roles, seed=1).frame, roles=roles)
    assert report.columns == ("y", "z")
    assert report.kept is not None
    assert report.kept.columns == ("town", "flag", "grade", "x")
    assert report.kept.unknown == ("size",)
    assert report.kept.together == brute(data, ["town", "flag", "grade", "x"])
    assert "No intruder is assumed to know size: released unchanged, and not counted here." in report.kept.sentences()
    assert pf.evaluate(data, data, ["y"]).kept is None


@pytest.mark.slow
def test_files_have_the_counts_of_their_frames(tmp_path):
    data = pf.datasets.survey(700, 2)
    roles = pf.Roles(["age", "hours"], ["wage", "rent", "tax"], ["name"], unknown=["weight"])
    released = pf.protect(data, pf.IPSO("C"), roles, seed=1).frame
    data.to_parquet(tmp_path / "in.parquet", index=False)
    pf.protect(tmp_path / "in.parquet", pf.IPSO("C"), roles, seed=1, output=tmp_path / "out.parquet")
    by_file = pf.evaluate(tmp_path / "in.parquet", tmp_path / "out.parquet", roles=roles, measures="pil").kept
    assert by_file == pf.evaluate(data, released, roles=roles, measures="pil").kept


def test_columns_of_objects_in_polars_are_counted():
    """Oracle: by hand; polars itself panics at ranks of objects. Identical."""
    pl = pytest.importorskip("polars")
    objects = pl.Series("o", [(1, 2), (1, 2), {3}, None], dtype=pl.Object)
    frame = pl.DataFrame([objects, pl.Series("l", [[1], [1], [2], None]), pl.Series("y", [1.0, 2.0, 4.0, 7.0])])
    released = pf.protect(frame, pf.Noise(amount=10), pf.Roles([], ["y"]), seed=1, variables="numbers").frame
    kept = pf.evaluate(frame, released, roles=pf.Roles([], ["y"]), paired=True).kept
    assert kept is not None
    assert dict(kept.alone) == {"o": 2, "l": 2}


def test_a_record_without_an_id_is_a_unit_of_its_own():
    """Oracle: the same files with an id of its own in each such record. The defect: all of them were one unit."""
    original = pf.datasets.survey(300)[["age", "size", "region", "wage"]].fillna({"region": "none"})
    original["home"] = (np.arange(300) // 3).astype(float)
    released = original.assign(wage=original["wage"].sample(frac=1, random_state=1).to_numpy())
    roles = pf.Roles(["age", "size", "region"], ["wage"], household="home")
    found = []
    for ids in (np.nan, 1000 + np.arange(60)):
        files = [original.copy(), released.assign(home=released["home"].sample(frac=1, random_state=2).to_numpy())]
        for file in files:
            file.loc[::5, "home"] = ids
        found.append(pf.evaluate(*files, roles=roles, measures="pil").verdict["sample_uniques"].reason)
    assert found[0] == found[1]

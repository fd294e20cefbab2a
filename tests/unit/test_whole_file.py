"""Whole files with another number of records than the original: ARF(records=)."""

from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter

SIZES = (150, 400, 1000)
LIBRARIES = {"pandas": lambda frame: frame, "polars": pl.from_pandas, "arrow": pa.Table.from_pandas}


def people(n: int = 400) -> pd.DataFrame:
    """Records with a total, gaps where there is no job, and a weight in tenths."""
    rng = np.random.default_rng(3)
    job = rng.integers(0, 3, n)
    wage = np.exp(6 + 0.3 * job + 0.4 * rng.normal(size=n)).round()
    rent = (0.3 * wage + 20 + 10 * rng.random(n)).round()
    frame = pd.DataFrame(
        {"job": np.array(["none", "blue", "white"])[job], "wage": wage, "rent": rent, "total": wage + rent}
    )
    frame["age"] = rng.integers(18, 80, n)
    frame.loc[rng.random(n) < 0.1, "age"] = -9
    frame["PERWT"] = np.round(80 + 40 * rng.random(n), 1)
    return frame


VARIABLES = {"age": pf.Variable(missing_codes=[-9])}


def roles(frame: Any) -> pf.Roles:
    return pf.Roles(dependent=list(people(30).columns), product="public")


@pytest.mark.parametrize("records", SIZES)
@pytest.mark.parametrize("library", LIBRARIES)
def test_a_release_has_as_many_records_as_asked(library: str, records: int) -> None:
    """Oracle: types, rule, codes and levels of the original. Grade: identical."""
    frame = people()
    source = LIBRARIES[library](frame)
    released = pf.protect(source, pf.ARF(trees=5, records=records), roles(source), variables=VARIABLES).frame
    assert type(released) is type(source)
    if library != "pandas":
        assert released.schema == source.schema
        released = released.to_pandas()
    assert released.dtypes.astype(str).tolist() == frame.dtypes.astype(str).tolist()
    assert released.index.tolist() == list(range(records))
    assert (released["total"] == released["wage"] + released["rent"]).all()
    assert {*released["job"]} == {*frame["job"]}
    assert ((released["age"] == -9) | released["age"].between(10, 90)).all()
    assert not released.duplicated().any()


def test_distributions_and_the_sum_of_weights_stay() -> None:
    """Oracle: the original's shares, means and sum. Grade: statistical, four standard errors of both files."""
    frame, records = people(1000), 3000
    released = pf.protect(frame, pf.ARF(records=records), roles(frame), seed=2, variables=VARIABLES).frame
    error = np.sqrt(1 / len(frame) + 1 / records)
    for level in ("none", "blue", "white"):
        assert abs((released["job"] == level).mean() - (frame["job"] == level).mean()) < 4 * error / 2
    assert abs((released["age"] == -9).mean() - 0.1) < 4 * error * 0.3
    assert abs(released["wage"].mean() - frame["wage"].mean()) < 4 * error * frame["wage"].std()
    assert released["PERWT"].sum() == pytest.approx(frame["PERWT"].sum(), rel=0.01)
    assert (released["PERWT"] > 0).all()


def test_as_many_records_as_the_original_are_the_same_release() -> None:
    """Oracle: the method without the parameter. Grade: identical."""
    frame = people()
    own, asked = (
        pf.protect(frame, method, roles(frame), seed=4, variables=VARIABLES).frame
        for method in (pf.ARF(trees=5), pf.ARF(trees=5, records=len(frame)))
    )
    order = list(own.columns)
    assert sorted(map(tuple, own[order].to_numpy().tolist())) == sorted(map(tuple, asked[order].to_numpy().tolist()))


@pytest.mark.parametrize("records", [200, 900])
def test_it_is_evaluated(records: int) -> None:
    """Oracle: tests of records that pair are not applicable, and utility is that of the distributions. Grade: identical."""
    frame = people()
    released = pf.protect(frame, pf.ARF(trees=5, records=records), roles(frame), seed=4, variables=VARIABLES)
    report = pf.evaluate(frame, released)
    tests = {test.key: test.status for test in report.verdict.tests}
    assert tests["linkage"] == tests["dependence"] == "not applicable"
    assert tests["edits"] == tests["sample_uniques"] == "pass"
    assert released.rows == (None,)
    assert report.utility is not None
    assert report.utility.summary.estimates > 10


def test_the_audit_releases_as_many_records_in_proportion() -> None:
    """Oracle: half of the members release half as many. Grade: identical."""
    assert pf.ARF(records=900).of_part(0.5) == pf.ARF(records=450)
    assert pf.ARF().of_part(0.5) == pf.ARF()


@pytest.mark.parametrize(
    ("changes", "word"),
    [
        ({"independent": ["job"], "dependent": ["wage", "rent"]}, "`job`"),
        ({"dependent": ["wage", "rent"]}, "`job`"),
        (
            {"dependent": ["wage", "rent", "total", "age", "PERWT"], "household": "job"},
            "together",
        ),
    ],
)
def test_columns_that_belong_to_original_records_are_refused(changes: dict[str, Any], word: str) -> None:
    """Oracle: only a file of which everything is drawn has no number of records of its own. Grade: identical."""
    with pytest.raises((InvalidInput, InvalidParameter), match=word):
        pf.protect(people(), pf.ARF(records=50), pf.Roles(**changes))


def test_no_method_takes_its_release_record_by_record() -> None:
    """Oracle: a wrapped method, or a step, has a record for each original one. Grade: identical."""
    with pytest.raises(InvalidParameter, match="one for one"):
        pf.Calibrated(pf.ARF(records=50))
    with pytest.raises(InvalidParameter, match="records="):
        pf.Steps([(pf.ARF(records=50), pf.Roles(dependent=["wage"]))])

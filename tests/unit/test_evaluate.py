"""evaluate(): which records and columns are judged, and how the report reads. The measures have tests of their own."""

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from support.data import frame as make_frame
from support.measured import judge

from pyfcrm import FCRM, IPSO, Roles, evaluate, protect
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.measures import DEFAULT, MEASURES
from pyfcrm.measures.pil import pil

ROLES = Roles(independent=["a", "b"], dependent=["y", "whole"], identifiers="id")


def released(frame=None, seed=1):
    frame = make_frame() if frame is None else frame
    return frame, protect(frame, IPSO("C"), ROLES, seed=seed).frame


def same(a, b):
    pd.testing.assert_frame_equal(a.to_frame(), b.to_frame())


def test_a_report_is_of_the_arrays_in_the_columns():
    """Oracle: judge on arrays, and the measure itself. Identical."""
    before, after = (frame.drop(columns="word") for frame in released())  # without groups
    report = evaluate(before, after, columns=ROLES.dependent)
    X, Z = (np.ascontiguousarray(f[["y", "whole"]].to_numpy(dtype=float)) for f in (before, after))
    same(report, judge(X, Z, ("y", "whole")))
    assert report["pil"] == pil(X, Z).total
    assert all(row["baseline"] is None and row["excess"] is None for row in report.rows() if row["measure"] == "pil")
    with pytest.raises(InvalidInput, match=r"^Report: no measure is called `pli`; did you mean .*`pil`"):
        report["pli"]
    assert report.keys() == list(DEFAULT) == ["pil", "dbrl", "prl", "id", "dr", "score"]
    assert (report.columns, report.records) == (("y", "whole"), 60)
    assert all(type(report[key]) is float for key in report.keys())  # noqa: SIM118


@pytest.mark.parametrize("key", [k for k, m in MEASURES.items() if m.kind == "risk" and m.paired])
def test_every_disclosure_row_has_a_baseline_and_an_excess(key):
    """Parts too. Identical: excess is value less baseline, what pairing records at random would give."""
    frame = evaluate(*released(), columns=ROLES.dependent, measures=key).to_frame()
    assert frame["baseline"].notna().all()
    np.testing.assert_array_equal(frame["excess"], frame["value"] - frame["baseline"])
    assert frame["baseline"].between(0, 100, inclusive="left").all()


def test_an_unchanged_file():
    """By hand: nothing lost, every record with different values linked, every value inside its interval."""
    frame = make_frame()
    report = evaluate(frame, frame, columns=["y", "a"])
    assert [report[key] for key in DEFAULT] == [0, 100, 100, 100, 100, 50]


@pytest.mark.slow
@pytest.mark.parametrize("index", ["numbers", "text", "several levels"])
def test_records_pair_by_index_whatever_their_order(index):
    """Oracle: the same frames in order. Identical: records are put in the protected file's order, so sums may differ
    in the last digit; close, 1e-12."""
    before, after = (frame.drop(columns="word") for frame in released())
    labels = {
        "numbers": pd.RangeIndex(60),
        "text": pd.Index([f"r{k}" for k in range(60)]),
        "several levels": pd.MultiIndex.from_product([range(6), range(10)]),
    }[index]
    before, after = before.set_index(labels), after.set_index(labels)
    shuffled = after.sample(frac=1, random_state=1)
    expected = evaluate(before, after, columns=ROLES.dependent).to_frame()
    for b, a in ((before, shuffled), (before.sample(frac=1, random_state=2), shuffled)):
        pd.testing.assert_frame_equal(evaluate(b, a, columns=ROLES.dependent).to_frame(), expected, rtol=1e-12)


def test_a_subset_is_judged_against_its_own_records():
    before, after = released()
    some = after.sample(n=20, random_state=1)
    report = evaluate(before, some, columns="y")
    assert report.records == 20
    alone = evaluate(before.loc[some.index].reset_index(), some.reset_index(), columns="y")
    for key in ("dbrl", "prl", "id", "dr"):
        assert report[key] == alone[key]


def test_a_sample_loses_what_a_sample_loses():
    """Information loss is about the whole original. Oracle: PIL of the two columns, in the original's order. Identical."""
    before, after = released()
    some = after.sample(n=20, random_state=1)
    expected = pil(before[["y"]].to_numpy(), some.sort_index()[["y"]].to_numpy()).total
    assert evaluate(before, some, columns="y")["pil"] == expected
    assert evaluate(before, before.head(20).sample(frac=1, random_state=1), columns="y")["pil"] > 1


@pytest.mark.slow
def test_libraries_may_differ():
    before, after = released()
    expected = evaluate(before, after, columns=ROLES.dependent)
    for make in (pl.from_pandas, pa.Table.from_pandas):
        same(evaluate(make(before), after, columns=ROLES.dependent), expected)
        same(evaluate(make(before), make(after), columns=ROLES.dependent), expected)


@pytest.mark.parametrize("take", [lambda f: f.head(30), lambda f: f.set_index(f.index + 1000)])
def test_what_cannot_be_paired_has_no_linkage(take):
    """Fewer records by position, or an index of strangers: loss is judged, disclosure refused by name."""
    before, after = released()
    with pytest.raises(
        InvalidInput, match=r"^evaluate: records must pair, by index or by position .*, for dbrl, prl, id"
    ):
        evaluate(before, take(after), columns="y")
    report = evaluate(before, take(after), columns="y", measures="pil")
    assert report["pil"] == pil(before[["y"]].to_numpy(), take(after)[["y"]].to_numpy()).total


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({"columns": "Y"}, "^evaluate, original: no column is called `Y`; did you mean `y`"),
        ({"columns": "id"}, "^evaluate, protected: no column is called `id`"),
        ({"columns": "word", "measures": "pil"}, "^evaluate, original: column `word` must hold numbers"),
        ({"measures": "pill"}, "^evaluate: no measure is called `pill`; did you mean `pil`"),
        ({"protected": [1, 2]}, "^evaluate: needs a data frame"),
        ({"columns": 3.5}, "^evaluate: `columns` must be a column name or a list of them"),
        ({"columns": ["y", "y"]}, "^evaluate: `columns` must name a column once"),
    ],
)
def test_refused(changed, message):
    before, after = released()
    with pytest.raises((InvalidInput, InvalidParameter), match=message):
        evaluate(**({"original": before, "protected": after, "columns": "y"} | changed))


@pytest.mark.slow
def test_more_clusters_lose_less_and_disclose_more():
    """What the dial of FCRM is for. Grade: statistical, on one file with far more and far fewer clusters."""
    frame = make_frame(300)
    few, many = (evaluate(frame, protect(frame, FCRM(c), ROLES, seed=1).frame, ROLES.dependent) for c in (2, 20))
    assert many["pil"] < few["pil"]
    assert many["dr"] > few["dr"]


def test_a_risk_that_pairs_no_records_has_itself_for_a_baseline():
    """Pairing at random changes nothing in it, so chance gives the same and the excess is 0. Identical."""
    before, after = released()
    report = evaluate(before, after, ROLES.dependent, ["cm3", "reissued", "uniques", "k_anonymity"], keys=["word"])
    frame = report.to_frame()
    totals = frame[frame["part"] == "total"]
    assert (totals["baseline"] == totals["value"]).all()
    assert (totals["excess"] == 0).all()

"""Uniques and k-anonymity: loops, cases by hand, and columns of any type from any frame library."""

import datetime

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import pyfcrm as pf
from pyfcrm.data import open_frame
from pyfcrm.data.pairs import key_codes

FRAME = {
    "region": ["north", "south", "south", None, "north", "south"],
    "age": [30, 40, 40, 40, 30, 50],
    "born": [datetime.date(2000, 1, k) for k in (1, 2, 2, 2, 1, 3)],
}


@pytest.mark.parametrize("library", [pd.DataFrame, pl.DataFrame, pa.table])
def test_any_type_from_any_library(library):
    """Record 4, its region missing, agrees with records 2 and 3: sizes 2 3 3 3 2 1. By hand."""
    frame = library(FRAME)
    report = pf.evaluate(frame, frame, measures=["uniques", "k_anonymity"], keys=["region", "age", "born"])
    assert report["uniques"] == pytest.approx(100 / 6)
    assert report["k_anonymity"] == 1
    assert report.records == 6
    by_region = pf.evaluate(frame, frame, measures="k_anonymity", keys="region")
    assert by_region["k_anonymity"] == 3


def test_codes_are_joint_and_numbers_equal_across_types():
    """1 and 1.0 are one value, "1" is another; the files may be of two libraries. Identical."""
    before, after = pd.DataFrame({"x": [1, 2]}), pl.DataFrame({"x": [2.0, None, 3.0]})
    K, L = key_codes("evaluate", open_frame("t", before), open_frame("t", after), ["x"])
    assert K.ravel().tolist() == [0, 1]
    assert L.ravel().tolist() == [1, -1, 2]
    K, L = key_codes("t", open_frame("t", before), open_frame("t", pd.DataFrame({"x": ["1"]})), ["x"])
    assert L[0, 0] not in K


def test_records_in_small_groups_by_hand():
    """Groups of 1, 2, 3, 4 and 5 records: one of 15 is unique, 3 are in groups of fewer than 3, 10 in those of fewer than 5."""
    original = pd.DataFrame({"g": [k for k in range(1, 6) for _ in range(k)]})
    released = original.assign(g=1)
    report = pf.evaluate(original, released, measures=["uniques"], keys=["g"])
    found = {part.name: part.value for part in report.results["uniques"].parts}
    assert found == pytest.approx({
        "unique, released": 0, "fewer than 3 alike, released": 0, "fewer than 5 alike, released": 0,
        "unique, original": 100 / 15, "fewer than 3 alike, original": 300 / 15, "fewer than 5 alike, original": 1000 / 15,
    })  # fmt: skip

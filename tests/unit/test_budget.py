"""Budgets of readers: limits hold before and while a file is read. Oracle: the numbers that the files were made with. Identical."""

from __future__ import annotations

import re

import numpy as np
import openpyxl
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pyreadstat
import pytest

from pyfcrm.engine.memory import group_limits, machine_memory, memory
from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table
from pyfcrm.files.budget import Budget

pytestmark = pytest.mark.usefixtures("in_this_process")

RULE = "files of at most {} are read"
FRAME = pd.DataFrame({"a": range(200), "b": [f"t{k}" for k in range(200)]})
WRITERS = {
    "csv": lambda path: FRAME.to_csv(path, index=False),
    "parquet": FRAME.to_parquet,
    "xlsx": lambda path: FRAME.to_excel(path, index=False),
    "sav": lambda path: pyreadstat.write_sav(FRAME, str(path)),
    "dta": lambda path: pyreadstat.write_dta(FRAME, str(path)),
    "xpt": lambda path: pyreadstat.write_xport(FRAME, str(path)),
}


@pytest.mark.parametrize("kind", WRITERS)
def test_cells_are_limited_in_every_format(tmp_path, kind):
    """200 records of 2 columns: 402 cells with the names are enough, 399 are not, nor is one column."""
    path = tmp_path / f"in.{kind}"
    WRITERS[kind](path)
    assert len(open_table(path, budget=Budget(rule=RULE, columns=2, cells=402)).frame) == 200
    for limits in ({"columns": 2, "cells": 399}, {"columns": 1, "cells": 402}):
        with pytest.raises(InvalidInput, match=r"files of at most .* are read; got [\d,]+ records of 2 columns"):
            open_table(path, budget=Budget(rule=RULE, **limits))


@pytest.mark.parametrize("cell", ["1", '"1"'], ids=["plain", "quoted"])
def test_records_of_a_csv_file_are_counted_while_it_is_read(tmp_path, cell):
    """Three million records, of which 100,000 may be: reading ends long before the last."""
    path = tmp_path / "tall.csv"
    path.write_text("a\n" + f"{cell}\n" * 3_000_000, encoding="utf-8")
    with pytest.raises(InvalidInput, match="files of at most") as refused:
        open_table(path, budget=Budget(rule=RULE, columns=10, cells=100_000))
    known = int(re.search(r"got ([\d,]+) records", str(refused.value))[1].replace(",", ""))
    assert 100_000 < known < 2_500_000


def test_a_text_that_records_share_counts_for_each(tmp_path):
    """20,000 references to a text of 100 kB: a file of some kB, 2 GB in memory, of which a small part is read."""
    path = tmp_path / "dict.parquet"
    texts = pa.DictionaryArray.from_arrays(pa.array(np.zeros(20_000, np.int32)), pa.array(["x" * 100_000]))
    pq.write_table(pa.table({"t": texts.cast(pa.large_string())}), path, compression="zstd")
    assert path.stat().st_size < 50_000
    with pytest.raises(InvalidInput, match="files of at most 20 MB in memory are read") as refused:
        open_table(path, budget=Budget(rule=RULE, values=20_000_000))
    assert int(re.search(r"got ([\d,]+) MB", str(refused.value))[1].replace(",", "")) < 400


def test_a_category_counts_in_each_record(tmp_path):
    """By hand: 2,000 records of three texts of 100,000 bytes, stored as a dictionary and read as one, are 200 MB. The defect: each
    text counted once, so that the file was opened, and its evaluation took several times as much memory as the studio allows."""
    codes = pa.array(np.arange(2000, dtype=np.int32) % 3)
    texts = pa.DictionaryArray.from_arrays(codes, pa.array([letter * 100_000 for letter in "abc"]))
    path = tmp_path / "a.parquet"
    pq.write_table(pa.table({"t": texts}), path)
    assert path.stat().st_size < 50_000
    with pytest.raises(InvalidInput, match="files of at most 100 MB in memory are read; got "):
        open_table(path, budget=Budget(rule=RULE, values=100_000_000))
    assert len(open_table(path, budget=Budget(rule=RULE, values=210_000_000)).frame) == 2000


def test_parts_of_a_workbook_are_added_before_it_is_read(tmp_path):
    path = tmp_path / "in.xlsx"
    openpyxl.Workbook().save(path)
    with pytest.raises(InvalidInput, match="files of at most 0 MB in memory are read"):
        open_table(path, budget=Budget(rule=RULE, values=100))


@pytest.mark.parametrize("budget", [None, Budget()])
def test_a_footer_that_counts_records_of_no_group(tmp_path, budget):
    """One sentence: an error of pyarrow before. 0x28 is 20 in the footer's numbers."""
    path = tmp_path / "in.parquet"
    with pq.ParquetWriter(path, pa.schema({"a": pa.int64()})):
        pass
    data = path.read_bytes()
    assert data.count(b"\x16\x00\x19\x0c") == 1
    path.write_bytes(data.replace(b"\x16\x00\x19\x0c", b"\x16\x28\x19\x0c"))
    with pytest.raises(InvalidInput, match="must have the 20 records that it counts: write the file anew; got 0"):
        open_table(path, budget=budget)


def test_limits_of_control_groups(tmp_path):
    """Both versions; the groups around count; "max" is no limit; other controllers have none."""
    groups, folder = tmp_path / "groups", tmp_path / "sys"
    groups.write_text("4:cpu,memory:/a/b\n3:cpu:/c\n0::/x/y\n", encoding="utf-8")
    for name, text in {
        "memory/a/b/memory.limit_in_bytes": "7000\n",
        "memory/a/memory.limit_in_bytes": "5000\n",
        "x/y/memory.max": "max\n",
        "x/memory.max": "6000\n",
    }.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    assert sorted(group_limits(groups, folder)) == [5000, 6000, 7000]
    assert list(group_limits(tmp_path / "none", folder)) == []
    assert 0 < memory() <= machine_memory()

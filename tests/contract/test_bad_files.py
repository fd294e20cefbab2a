"""A file that is no table is refused in one line that says what is wrong and where.

Oracle: each file was spoilt by hand in one known way. Grade: identical (the words that matter are in the line).
"""

import os

import numpy as np
import pandas as pd
import pytest
from support.cli import pyfcrm

from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table, write_table

BAD = {
    "empty": (b"", ["empty"]),
    "only blanks": (b" \n\n \r\n", ["empty"]),
    "only a mark": (b"\xef\xbb\xbf", ["empty"]),
    "header only": (b"a,b\n", ["no records"]),
    "header only, no line end": (b"a,b", ["no records"]),
    "duplicate names": (b"a,b,a\n1,2,3\n", ["'a'", "columns 1 and 3"]),
    "duplicate names after trimming": (b"a, a\n1,2\n", ["'a'", "columns 1 and 2"]),
    "blank name": (b"a,,c\n1,2,3\n", ["column 2"]),
    "R's row names": (b'"","a"\n"1",2\n', ["column 1", "row.names = FALSE"]),
    "short row": (b"a,b\n1,2\n3\n", ["1 cell on line 3", "2"]),
    "long row": (b"a,b\n1,2\n3,4,5\n", ["3 cells on line 3"]),
    "ragged after a blank line": (b"a,b\n\n1,2\n3\n", ["line 4"]),
    "ragged after lines in quotes": (b'a,b\n"x\ny\nz",2\n3\n', ["line 5"]),
    "ragged, one column": (b"a\n1,x\n", ["2 cells on line 2"]),
    "open quote": (b'a,b\n1,2\n"3,4\n5,6\n', ["line 3", "quote"]),
    "carriage returns alone": (b"a,b\r1,2\r", ["line 1", "carriage return"]),
    "a carriage return within a line": (b'a,b\r\n"x\ry",2\r\n1\r,2\r\n', ["line 3", "carriage return"]),
    "a cell of 10 MB": (b"a,b\n1,2\n1," + b"x" * 10_000_000 + b"\n", ["at most 4 MB"]),
    "text after a quote": (b'a,b\n"1"x,2\n', ["line 2", "quote"]),
    "zero byte": (b"a,b\n1,\x002\n", ["byte 7"]),
    "control characters": (b"a,b\n\x01\x02,\xff\xfe\n", ["byte 8"]),
    "utf-16 without its mark": ("a,b\n1,2\n".encode("utf-16-le"), ["zero byte", "UTF-8", "`encoding`"]),
}


def refused(path):
    with pytest.raises(InvalidInput) as caught:
        open_table(path)
    message = str(caught.value)
    assert message.startswith(f"{path}: ")
    assert "\n" not in message
    return message


@pytest.mark.parametrize("case", BAD)
def test_bad_csv(tmp_path, case):
    content, words = BAD[case]
    path = tmp_path / "bad.csv"
    path.write_bytes(content)
    message = refused(path)
    assert all(word in message for word in words), message


@pytest.mark.slow
def test_paths_that_hold_no_table(tmp_path):
    assert "no such file" in refused(tmp_path / "none.csv")
    assert "folder" in refused(tmp_path)
    (tmp_path / "d.csv").mkdir()
    assert "folder" in refused(tmp_path / "d.csv")
    (tmp_path / "t.xls").write_bytes(b"PK")
    assert "must be one of .csv" in refused(tmp_path / "t.xls")
    (tmp_path / "t.xlsx").write_bytes(b"PK")
    assert "readable as .xlsx" in refused(tmp_path / "t.xlsx")
    for name, words in {"t.dat": ".parquet", "t": "no extension"}.items():
        (tmp_path / name).write_bytes(b"1")
        assert words in refused(tmp_path / name)
    os.mkfifo(tmp_path / "pipe.csv")
    assert "pipe" in refused(tmp_path / "pipe.csv")
    (tmp_path / "dangling.csv").symlink_to(tmp_path / "gone")
    assert "no such file" in refused(tmp_path / "dangling.csv")


def test_an_unreadable_file(tmp_path, monkeypatch):
    (tmp_path / "t.csv").write_text("a\n1\n")

    def refuse(*_, **__):  # root can read everything, so the system's answer is played
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr("builtins.open", refuse)
    message = refused(tmp_path / "t.csv")
    monkeypatch.undo()
    assert "Permission denied" in message


@pytest.mark.parametrize("keep", [0, 3, 4, 100, -1, -5, -40])
def test_cut_parquet(tmp_path, keep):
    write_table(pd.DataFrame({"a": np.arange(100), "b": np.arange(100) / 7}), tmp_path / "whole.parquet")
    data = (tmp_path / "whole.parquet").read_bytes()
    (tmp_path / "cut.parquet").write_bytes(data[:keep])
    assert ("empty" if keep == 0 else "Parquet") in refused(tmp_path / "cut.parquet")


def test_parquet_without_records_or_with_doubled_names(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    pq.write_table(pa.table({"a": pa.array([], pa.int64())}), tmp_path / "t.parquet")
    assert "no records" in refused(tmp_path / "t.parquet")
    pq.write_table(pa.table([pa.array([1]), pa.array([2])], names=["a", "a"]), tmp_path / "t.parquet")
    assert "columns 1 and 2" in refused(tmp_path / "t.parquet")
    (tmp_path / "t.parquet").write_text("a,b\n1,2\n")
    assert "readable as Parquet" in refused(tmp_path / "t.parquet")


def test_parquet_with_a_text_that_is_no_utf_8(tmp_path, monkeypatch):
    """Also in a column without a role: no release is written, and each command refuses the file in the same words."""
    frame = pd.DataFrame({"a": np.arange(40.0), "c": np.sqrt(np.arange(40)), "id": ["one name", *"abc" * 13]})
    write_table(frame, tmp_path / "in.parquet")
    data = (tmp_path / "in.parquet").read_bytes()
    (tmp_path / "in.parquet").write_bytes(data.replace(b"one name", b"one na\xece"))
    assert "column `id` must have valid values" in refused(tmp_path / "in.parquet")
    monkeypatch.chdir(tmp_path)
    roles = ["--independent", "a", "--dependent", "c"]
    ran = pyfcrm("protect", "in.parquet", "-o", "out.parquet", "--method", "ipso", *roles)
    assert ran.status == 2
    assert "UTF8" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["in.parquet"]

"""Reading and writing tables. Oracles: files and tables written out by hand; every comparison is identical."""

import os
import stat
from contextlib import suppress

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.files import open_table, write_bytes, write_table, write_text
from pyfcrm.files.atomic import PRIVATE
from pyfcrm.files.manifest import json_value
from pyfcrm.files.reading import Reading


def put(folder, content, name="in.csv"):
    path = folder / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def column(folder, *cells, decimal=None):
    return open_table(put(folder, "v;w\n" + "".join(f"{cell};x\n" for cell in cells)), Reading(decimal=decimal)).frame[
        "v"
    ]


@pytest.mark.parametrize(
    ("cells", "values"),
    [
        (["1", "-2", "+3"], np.array([1, -2, 3])),
        ([" 1", "2 "], np.array([1, 2])),
        (["9223372036854775807"], np.array([2**63 - 1])),
        (["1", "2.5"], np.array([1.0, 2.5])),
        (["1.0", "NA", "3"], np.array([1.0, np.nan, 3.0])),
        (["1.5", "", "NaN", "nan", "null", "NULL", "N/A", "."], np.array([1.5] + [np.nan] * 7)),
        (["1e300", "5e-324", ".5", "1."], np.array([1e300, 5e-324, 0.5, 1.0])),
        (["0.1", "inf", "-Infinity", "INF"], np.array([0.1, np.inf, -np.inf, np.inf])),
        (["0", "-0.0"], np.array([0.0, -0.0])),
    ],
)
def test_numeric_columns(tmp_path, cells, values):
    found = column(tmp_path, *cells).to_numpy()
    assert found.dtype == values.dtype
    assert found.tobytes() == values.tobytes()


@pytest.mark.parametrize(
    ("text", "separator", "decimal", "first"),
    [
        ("a,b\n1,2\n", ",", ".", [1, 2]),
        ("a;b\n1,5;2\n", ";", ",", [1.5, 2]),
        ("a\tb\n1,5\t2\n", "\t", ",", [1.5, 2]),
        ("a|b\n1.5|2\n", "|", ".", [1.5, 2]),
        ('"a,x";b\n1;2\n', ";", ".", [1, 2]),
        ("a, then;b, then;c\n1;2;3\n4;5;6\n", ";", ".", [1, 2, 3]),
        ('a,b\n"1,5",2\n', ",", ".", ["1,5", 2]),
        ("a;b\n1,5;2.5\n", ";", ".", ["1,5", 2.5]),
        ("a;b\n1,234,567;2\n", ";", ".", ["1,234,567", 2]),
        ("v\n1\n2\n", ",", ".", [1]),
    ],
)
def test_separator_and_decimal_mark_are_found(tmp_path, text, separator, decimal, first):
    table = open_table(put(tmp_path, text))
    assert (table.separator, table.decimal) == (separator, decimal)
    assert table.frame.iloc[0].tolist() == first


def test_separator_and_decimal_mark_are_obeyed(tmp_path):
    table = open_table(put(tmp_path, "a b\n1,5 2\n"), Reading(separator=" ", decimal=","))
    assert table.frame.to_dict("list") == {"a": [1.5], "b": [2]}
    assert open_table(put(tmp_path, "a;b\n1,5;2\n"), Reading(decimal=".")).frame["a"].tolist() == ["1,5"]


@pytest.mark.parametrize(
    ("data", "encoding", "name"),
    [
        ("año,b\n1,2\n".encode(), "utf-8", "año"),
        (b"\xef\xbb\xbfa\xc3\xb1o,b\n1,2\n", "utf-8-sig", "año"),
        ("año,b\n1,2\n".encode("latin-1"), "cp1252", "año"),
        ("a€o,b\n1,2\n".encode("cp1252"), "cp1252", "a€o"),
        (b"a\x81,b\n1,2\n", "latin-1", "a\x81"),
    ],
)
def test_encodings(tmp_path, data, encoding, name):
    source = put(tmp_path, data)
    table = open_table(source)
    assert (table.encoding, table.frame.columns[0]) == (encoding, name)
    assert bool(table.notes) == (not encoding.startswith("utf-8"))
    write_table(table.frame, tmp_path / "out.csv", table)
    assert (tmp_path / "out.csv").read_bytes() == data


def test_whole_numbers_stay_whole_and_new_missing_cells_look_like_the_old(tmp_path):
    table = open_table(put(tmp_path, "a,b,c\n1,1,1.0\nNA,2,2.5\n3,3,3\n"))
    assert [str(t) for t in table.frame.dtypes] == ["Int64", "int64", "float64"]
    frame = table.frame.assign(a=[np.nan, 2.0, 4.0], b=[1.0, 2.5, np.nan], c=[1.0, 2.0, 3.5])
    write_table(frame, tmp_path / "out.csv", table, replaced=["a", "b", "c"])
    assert (tmp_path / "out.csv").read_text() == "a,b,c\nNA,1,1.0\n2,2.5,2.0\n4,,3.5\n"


def test_what_a_text_encoding_lacks_is_refused(tmp_path):
    table = open_table(put(tmp_path, "ñ,b\n1,x\n".encode("latin-1")))
    with pytest.raises(InvalidInput, match="cp1252"):
        write_table(table.frame.assign(b=["\u4e2d"]), tmp_path / "out.csv", table)
    with pytest.raises(InvalidInput, match="zero character"):
        write_table(table.frame.assign(b=["\0"]), tmp_path / "out.csv", table)
    assert not (tmp_path / "out.csv").exists()


class TestParquet:
    def source(self, folder):
        table = pa.table(
            {
                "id": pa.array(["007", "x", None]),
                "n": pa.array([2**60 + 1, None, 3], pa.int64()),
                "x": pa.array([1.5, float("nan"), None]),
                "day": pa.array([1, 2, 3], pa.date32()),
                "kind": pa.array(["secret", "b", "a"]).dictionary_encode(),
                "small": pa.array([1, 2, 3], pa.int16()),
            },
            metadata={"author": "someone", "pandas": "{}"},
        )
        path = folder / "in.parquet"
        pq.write_table(table, path)
        return path

    def test_untouched_columns_keep_types_and_values(self, tmp_path):
        table = open_table(self.source(tmp_path))
        write_table(table.frame, tmp_path / "out.pq", table)
        before, after = pq.read_table(tmp_path / "in.parquet"), pq.read_table(tmp_path / "out.pq")
        for name in ["id", "n", "day", "small"]:
            assert after.column(name).equals(before.column(name))
        assert after.column("kind").to_pylist() == ["secret", "b", "a"]
        assert str(after.column("x").to_pylist()) == "[1.5, nan, None]"

    def test_integers_with_gaps_stay_integers(self, tmp_path):
        table = open_table(self.source(tmp_path))
        assert str(table.frame["n"].dtype) == "Int64"
        assert table.frame["n"].tolist() == [2**60 + 1, pd.NA, 3]
        frame = table.frame.assign(n=pd.array([2**60 + 3, None, 5], dtype="Int64"))
        write_table(frame, tmp_path / "out.parquet", table, replaced=["n"])
        n = pq.read_table(tmp_path / "out.parquet").column("n")
        assert (str(n.type), n.to_pylist()) == ("int64", [2**60 + 3, None, 5])
        small = pa.table({"u": pa.array([1, None], pa.uint8())})
        pq.write_table(small, tmp_path / "in.parquet")
        assert str(open_table(tmp_path / "in.parquet").frame["u"].dtype) == "UInt8"

    def test_the_release_says_nothing_about_the_source(self, tmp_path):
        """Only Arrow's own schema key is there; unused categories and dropped columns are gone from the bytes."""
        table = open_table(self.source(tmp_path))
        frame = table.frame.iloc[1:].drop(columns="id").assign(small=[5.0, 2.5])
        write_table(frame, tmp_path / "out.parquet", table, replaced=["small"])
        assert set(pq.read_metadata(tmp_path / "out.parquet").metadata or {}) <= {b"ARROW:schema"}
        assert pq.read_schema(tmp_path / "out.parquet").metadata is None
        data = (tmp_path / "out.parquet").read_bytes()
        assert not any(word in data for word in [b"secret", b"pandas", b"someone", b"007"])
        back = open_table(tmp_path / "out.parquet").frame
        assert back["small"].tolist() == [5.0, 2.5]
        assert back["kind"].tolist() == ["b", "a"]

    def test_dates_and_times_that_python_has_no_type_for(self, tmp_path):
        """Text, or refused with the column; tracebacks before. Oracle: Arrow's own text."""
        days, late = pa.array([1, 4_000_000, -1_000_000], pa.int32()).cast(pa.date32()), [1, 86_399_999_999_999, None]
        for array in (days, pa.array(late, pa.time64("ns"))):
            pq.write_table(pa.table({"a": [1.0, 2.0, 3.0], "odd": array}), tmp_path / "in.parquet")
            frame = open_table(tmp_path / "in.parquet").frame
            assert frame["odd"].fillna("").tolist() == [text or "" for text in array.cast("string").to_pylist()]
        for zone in ("No/Where", "+99:59"):
            moments = pa.array([1, 2, 3], pa.timestamp("ms", zone))
            pq.write_table(pa.table({"a": [1.0, 2.0, 3.0], "odd": moments}), tmp_path / "in.parquet")
            with pytest.raises(InvalidInput, match="column `odd` must have values that can be converted"):
                open_table(tmp_path / "in.parquet")


ODD = {
    "date32": pa.array([1, 4_000_000] * 30, pa.int32()).cast(pa.date32()),
    "date64": pa.array([1, 2**55] * 30, pa.int64()).cast(pa.date64()),
    "timestamp": pa.array([1, 2**60] * 30, pa.timestamp("ms")),
    "zone": pa.array([1, 2] * 30, pa.timestamp("ms", "No/Where")),
    "duration": pa.array([1, 2**62] * 30, pa.duration("s")),
    "time": pa.array([1, 86_399_999_999_999] * 30, pa.time64("ns")),
    "dictionary": pa.array([1, 4_000_000] * 30, pa.int32()).cast(pa.date32()).dictionary_encode(),
    "view": pa.array(["a", "b"] * 30, pa.string_view()),
    "no UTF-8": pa.array([b"\xff", b"a"] * 30).view(pa.string()),
    "list": pa.array([[1], [2]] * 30),
}


@pytest.mark.parametrize("kind", ODD)
def test_arrow_columns_of_extreme_values_are_used_or_refused_by_name(tmp_path, kind):
    """As strata, as keys, released and written; 106 tracebacks before."""
    numbers = np.random.default_rng(1).normal(size=(60, 2))
    table = pa.table({"x": numbers[:, 0], "y": numbers[:, 1], "odd": ODD[kind]})
    try:
        pq.write_table(table, tmp_path / "in.parquet")
    except pa.ArrowNotImplementedError:
        pytest.skip(f"this pyarrow writes no {kind} to Parquet")
    roles = pf.Roles(["x"], ["y"])
    for work in (
        lambda: pf.protect(table, pf.IPSO(), roles, seed=1, strata="odd"),
        lambda: pf.key_risk(table, ["odd"]),
        lambda: pf.protect(table, pf.LocalSuppression(2, keys=["odd"]), roles, seed=1),
        lambda: pf.evaluate(tmp_path / "in.parquet", tmp_path / "in.parquet", columns=["y"]),
        lambda: pf.protect_file(tmp_path / "in.parquet", tmp_path / "out.csv", pf.IPSO(), roles, 1),
    ):
        message = "column `odd`"
        with suppress(InvalidInput):
            try:
                work()
            except InvalidInput as error:
                message = str(error)
                raise
        assert "column `odd`" in message


class TestOutputs:
    @pytest.mark.parametrize("failing", ["fsync", "replace"])
    @pytest.mark.parametrize("error", [OSError(28, "No space left on device"), KeyboardInterrupt()])
    def test_nothing_half_written_remains(self, tmp_path, monkeypatch, failing, error):
        (tmp_path / "out.txt").write_text("old")

        def fail(*_):
            raise error

        monkeypatch.setattr(os, failing, fail)
        expected = KeyboardInterrupt if isinstance(error, KeyboardInterrupt) else InvalidInput
        with pytest.raises(expected):
            write_bytes(tmp_path / "out.txt", b"new")
        monkeypatch.undo()
        assert os.listdir(tmp_path) == ["out.txt"]
        assert (tmp_path / "out.txt").read_text() == "old"

    def test_a_link_keeps_pointing_at_its_file(self, tmp_path):
        (tmp_path / "real.txt").write_text("old")
        (tmp_path / "link.txt").symlink_to(tmp_path / "real.txt")
        write_text(tmp_path / "link.txt", "new\n")
        assert (tmp_path / "link.txt").is_symlink()
        assert (tmp_path / "real.txt").read_text() == "new\n"

    def test_permissions_hold_from_the_start(self, tmp_path, monkeypatch):
        """A manifest is 0600 before a byte is in it; a release is 0666 less the umask."""
        seen = []
        real = os.fsync

        def spy(handle):
            if stat.S_ISREG(os.fstat(handle).st_mode):
                seen.append(stat.S_IMODE(os.fstat(handle).st_mode))
            real(handle)

        monkeypatch.setattr(os, "fsync", spy)
        before = os.umask(0o002)
        try:
            (tmp_path / "m.json").write_text("readable by all")
            write_bytes(tmp_path / "m.json", b"{}", mode=PRIVATE)
            write_table(pd.DataFrame({"a": [1]}), tmp_path / "out.csv")
        finally:
            os.umask(before)
        assert seen == [0o600, 0o664]
        assert stat.S_IMODE((tmp_path / "m.json").stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "out.csv").stat().st_mode) == 0o664
        assert json_value({"seed": np.int64(1), "share": float("nan"), "rows": np.arange(2)}) == {
            "seed": 1,
            "share": None,
            "rows": [0, 1],
        }

"""How files are read and written back: marks of missing values, thousands, encodings, sheets. Oracle: what was written into the
file, and its own cells. Grade: identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter

ROLES = pf.Roles(["age"], ["wage"])
METHOD = pf.IPSO("C")


def table(n=60):
    rng = np.random.default_rng(2)
    age = rng.integers(18, 80, n)
    return pd.DataFrame({"age": age, "wage": (1000 + 30 * age + rng.normal(0, 400, n)).round(2)}).astype(str)


def with_marks(n=60):
    frame = table(n)
    frame.loc[::10, "wage"] = ":"
    frame.loc[5::10, "wage"] = ".."
    frame["town"] = ["a", ":", "b", "NA"] * (n // 4)
    return frame


def lines(path):
    return path.read_text().splitlines()


def test_marks_are_missing_and_return_in_the_release(tmp_path):
    frame = with_marks()
    frame.to_csv(tmp_path / "in.csv", index=False)
    assert str(pf.read_table(tmp_path / "in.csv")["wage"].dtype) != "float64"
    read = pf.read_table(tmp_path / "in.csv", missing_marks=[":", ".."])
    assert read["wage"].dtype == "float64"
    assert read["wage"].isna().sum() == 12
    assert read["town"].isna().equals(frame["town"] == ":")
    pf.protect_file(
        tmp_path / "in.csv", tmp_path / "out.csv", METHOD, ROLES, 1, missing_marks=[":", ".."], missing="protect"
    )
    out = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    gaps = frame["wage"].isin([":", ".."])
    assert out["wage"][gaps].equals(frame["wage"][gaps])
    assert not out["wage"][~gaps].isin([":", ".."]).any()
    assert out["town"].equals(frame["town"])


def test_the_manifest_has_the_marks_and_reproduces_the_release(tmp_path):
    with_marks().to_csv(tmp_path / "in.csv", index=False)
    manifest = tmp_path / "m.json"
    options = {"missing_marks": [":", ".."], "missing": "protect", "manifest": manifest}
    pf.protect_file(tmp_path / "in.csv", tmp_path / "out.csv", METHOD, ROLES, 1, **options)
    assert pf.verify(manifest, release=tmp_path / "out.csv", original=tmp_path / "in.csv").ok


def test_marks_of_a_workbook_return_too(tmp_path):
    frame = with_marks()
    for name in ("age", "wage"):
        frame[name] = [cell if cell in (":", "..") else float(cell) for cell in frame[name]]
    frame["wage"] = frame["wage"].astype(object)
    with pd.ExcelWriter(tmp_path / "in.xlsx") as book:
        pd.DataFrame({"title": ["a cover"]}).to_excel(book, sheet_name="cover", index=False)
        frame.to_excel(book, sheet_name="data", index=False)
    for sheet in ("data", 2):
        read = pf.read_table(tmp_path / "in.xlsx", sheet=sheet, missing_marks=[":", ".."])
        assert read["wage"].isna().sum() == 12
    options = {"missing_marks": [":", ".."], "sheet": "data", "missing": "protect"}
    pf.protect_file(tmp_path / "in.xlsx", tmp_path / "out.csv", METHOD, ROLES, 1, **options)
    out = pd.read_csv(tmp_path / "out.csv", dtype=str, keep_default_na=False)
    gaps = frame["wage"].isin([":", ".."])
    assert out["wage"][gaps].equals(frame["wage"][gaps].astype("str"))
    assert out["town"].equals(frame["town"])


def test_sheets_that_do_not_exist_are_refused(tmp_path):
    with pd.ExcelWriter(tmp_path / "in.xlsx") as book:
        pd.DataFrame({"title": []}).to_excel(book, sheet_name="cover", index=False)
        table().to_excel(book, sheet_name="data", index=False)
    with pytest.raises(InvalidInput, match="sheet"):
        pf.read_table(tmp_path / "in.xlsx")
    with pytest.raises(InvalidInput, match="data"):
        pf.read_table(tmp_path / "in.xlsx", sheet="dta")
    with pytest.raises(InvalidInput, match="from 1 to 2"):
        pf.read_table(tmp_path / "in.xlsx", sheet=3)


def test_na_is_missing_in_text_where_numbers_have_it(tmp_path):
    path = tmp_path / "in.csv"
    path.write_text("x,town\n1,NA\nNA,a\n3,b\n")
    with pytest.warns(UserWarning, match="town"):
        assert pf.read_table(path)["town"].isna().tolist() == [True, False, False]
    assert pf.read_table(path, missing_marks=[])["town"].tolist() == ["NA", "a", "b"]
    path.write_text("x,town\n1,NA\n2,a\n3,b\n")
    assert pf.read_table(path)["town"].tolist() == ["NA", "a", "b"]


@pytest.mark.parametrize(
    ("thousands", "decimal", "cell"), [(",", None, "1,234.50"), (".", None, "1.234,50"), (" ", ",", "1 234,50")]
)
def test_thousands_are_read_and_written(tmp_path, thousands, decimal, cell):
    frame = table()
    marks = {",": thousands, ".": decimal or ("." if thousands == "," else ",")}
    frame["wage"] = ["".join(marks.get(c, c) for c in f"{float(wage):,.2f}") for wage in frame["wage"]]
    frame.loc[0, "wage"] = cell
    frame.to_csv(tmp_path / "in.csv", index=False, sep=";")
    options = {"thousands": thousands, "decimal": decimal}
    read = pf.read_table(tmp_path / "in.csv", **options)
    assert read["wage"][0] == 1234.5
    pf.protect_file(tmp_path / "in.csv", tmp_path / "out.csv", METHOD, ROLES, 1, **options)
    out = pf.read_table(tmp_path / "out.csv", **options)
    assert out["wage"].dtype == "float64"
    assert all(
        thousands in line
        for line, wage in zip(lines(tmp_path / "out.csv")[1:], out["wage"], strict=True)
        if wage >= 1000
    )


def test_the_line_that_names_the_separator_is_kept(tmp_path):
    text = "sep=;\r\n" + table().to_csv(index=False, sep=";", lineterminator="\r\n")
    (tmp_path / "in.csv").write_bytes(text.encode())
    assert [*pf.read_table(tmp_path / "in.csv")] == ["age", "wage"]
    pf.protect_file(tmp_path / "in.csv", tmp_path / "out.csv", METHOD, ROLES, 1)
    assert (tmp_path / "out.csv").read_bytes().startswith(b"sep=;\r\nage;wage\r\n")
    (tmp_path / "in.csv").write_text("sep=;\na;b\n1;2\n1;2;3\n")
    with pytest.raises(InvalidInput, match="line 4"):
        pf.read_table(tmp_path / "in.csv")


def test_utf_16_is_read_and_written(tmp_path):
    frame = table().assign(town="é")
    (tmp_path / "in.txt").write_bytes(frame.to_csv(index=False, sep="\t").encode("utf-16"))
    assert pf.read_table(tmp_path / "in.txt")["town"].unique().tolist() == ["é"]
    pf.protect_file(tmp_path / "in.txt", tmp_path / "out.txt", METHOD, ROLES, 1)
    assert (tmp_path / "out.txt").read_bytes().decode("utf-16").startswith("age\twage\ttown\n")


def test_a_stated_encoding_decides(tmp_path):
    (tmp_path / "in.csv").write_bytes("a,b\n1,Ž\n".encode("iso8859-2"))
    assert pf.read_table(tmp_path / "in.csv", encoding="iso8859-2")["b"].tolist() == ["Ž"]
    with pytest.raises(InvalidInput, match="utf-8"):
        pf.read_table(tmp_path / "in.csv", encoding="utf-8")
    with pytest.raises(InvalidParameter, match="encoding"):
        pf.read_table(tmp_path / "in.csv", encoding="nothing")


@pytest.mark.parametrize(
    "options",
    [{"missing_marks": [1]}, {"thousands": "_"}, {"thousands": ",", "decimal": ","}, {"sheet": 0}, {"separator": "ab"}],
)
def test_arguments_that_are_none_of_these_are_refused(tmp_path, options):
    (tmp_path / "in.csv").write_text("a\n1\n")
    with pytest.raises(InvalidParameter, match=next(iter(options))):
        pf.read_table(tmp_path / "in.csv", **options)

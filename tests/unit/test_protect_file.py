"""protect_file(): the same bytes as the command line, and cells that no spreadsheet runs.

Oracles: `pyfcrm protect` on the same file; cells written out by hand. Grade: identical.
"""

import csv

import pandas as pd
import pytest
from support.cli import people, pyfcrm

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.files import open_table, write_table

ROLES = pf.Roles(independent=["a", "b"], dependent=["c", "d"], identifiers=["id"])
WORDS = ["--method", "ipso", "--independent", "a,b", "--dependent", "c,d", "--identifiers", "id", "--seed", "1"]


@pytest.mark.parametrize("kind", ["csv", "parquet", "sav"])
@pytest.mark.slow
def test_the_same_bytes_as_the_command_line(tmp_path, kind):
    source, ours, theirs = (tmp_path / f"{name}.{kind}" for name in ("in", "ours", "theirs"))
    people().drop(columns=[] if kind != "sav" else ["note"]).to_csv(tmp_path / "people.csv", index=False)
    table = open_table(tmp_path / "people.csv")
    write_table(table.frame, source)
    release = pf.protect_file(source, ours, pf.IPSO("C"), ROLES, seed=1)
    ran = pyfcrm("protect", str(source), "-o", str(theirs), *WORDS)
    assert ran.status == 0, ran
    assert release.seed == 1
    assert ours.read_bytes() == theirs.read_bytes()


def test_no_cell_of_text_starts_a_formula(tmp_path):
    cells = ["=1+1", "+cmd", "-2+3", "@SUM(A1)", "\t=1", 'a "quoted" one', '=HYPERLINK("x","y")', "plain"]
    frame = pd.DataFrame({"=name": cells, "x": [-1.5, 2, -3, 4, 5, 6, 7, 8]})
    write_table(frame, tmp_path / "in.csv")
    table = open_table(tmp_path / "in.csv")
    write_table(table.frame, tmp_path / "out.csv", table, disarm=True)
    with open(tmp_path / "out.csv", encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["'=name", "x"]
    assert [row[0] for row in rows[1:]] == ["'" + cell for cell in cells[:5]] + [cells[5], "'" + cells[6], "plain"]
    assert [float(row[1]) for row in rows[1:]] == frame["x"].tolist()  # numbers are no formulas
    write_table(table.frame, tmp_path / "same.csv", table)
    assert (tmp_path / "same.csv").read_bytes() == (tmp_path / "in.csv").read_bytes()


def test_bad_input_leaves_nothing_behind(tmp_path):
    people().to_csv(tmp_path / "in.csv", index=False)
    with pytest.raises(InvalidInput, match="must not replace"):
        pf.protect_file(tmp_path / "in.csv", tmp_path / "in.csv", pf.IPSO("C"), ROLES, seed=1)
    with pytest.raises((InvalidInput, InvalidParameter)):
        pf.protect_file(tmp_path / "in.csv", tmp_path / "out.csv", pf.FCRM(c=10**6), ROLES, seed=1)
    assert [path.name for path in tmp_path.iterdir()] == ["in.csv"]

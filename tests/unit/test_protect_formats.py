"""protect() and sweep() of files of every format, into every format. Oracle: the frame that was read. Identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter
from pyfcrm.files import open_table, write_table

pytestmark = pytest.mark.usefixtures("in_this_process")
ROLES = pf.Roles(["x"], ["y", "whole"], ["id"])
METHOD = pf.IPSO("C")
INTO = ("csv", "tsv", "parquet", "sav", "dta", "xpt")


def frame(n=60):
    """Numbers that every format holds to the last bit, and words."""
    rng = np.random.default_rng(3)
    data = pd.DataFrame(np.round(64 * rng.normal(size=(n, 2))) / 64, columns=["x", "y"])
    return data.assign(whole=rng.integers(0, 100, n), word=rng.choice(["a", "b"], n), id=np.arange(n))


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    where = tmp_path_factory.mktemp("formats")
    for kind in INTO:
        write_table(frame(), where / f"in.{kind}")
    return where


@pytest.mark.parametrize(("one", "other"), [("csv", kind) for kind in INTO] + [(kind, "csv") for kind in INTO[1:]])
@pytest.mark.slow
def test_every_pair_of_formats(one, other, folder, tmp_path):
    value, output = folder / f"in.{one}", tmp_path / f"out.{other}"
    release = pf.protect(value, METHOD, ROLES, 1, output=output)
    known = pf.protect(open_table(value).frame, METHOD, ROLES, 1)
    assert release.path == str(output)
    assert release.notes == known.notes
    written = open_table(output).frame
    assert list(written) == ["x", "y", "whole", "word"]
    np.testing.assert_allclose(written[["x", "y", "whole"]], known.frame[["x", "y", "whole"]], rtol=1e-14)
    assert written["word"].tolist() == known.frame["word"].tolist()
    same = tmp_path / f"same.{other}"
    through_file = pf.protect_file(value, same, METHOD, ROLES, 1)
    assert same.read_bytes() == output.read_bytes()
    assert through_file.notes == release.notes


def test_too_large_for_memory_goes_by_blocks_by_itself(folder, tmp_path, monkeypatch):
    known = pf.protect(frame(), METHOD, ROLES, 1)
    monkeypatch.setattr("pyfcrm.data.frame.memory", lambda: 10_000)
    for verb, name in ((pf.protect, "a.parquet"), (pf.protect_file, "b.parquet")):
        options = {"method": METHOD, "roles": ROLES, "seed": 1, "output": tmp_path / name}
        result = verb(folder / "in.parquet", **options)
        text = result.notes[0]
        assert text == "60 records are too many for the memory of this machine: the file is read by blocks"
        assert (text.kind, text.count) == ("by_blocks", 60)
        assert result.notes[1:] == known.notes
        np.testing.assert_allclose(pd.read_parquet(result.path)["y"], known.frame["y"], rtol=1e-10, atol=1e-10)
    with pytest.raises(InvalidInput, match=r"an output's extension must be one of \.parquet, \.pq"):
        pf.protect(folder / "in.parquet", METHOD, ROLES, 1, output=tmp_path / "out.csv")
    with pytest.raises(InvalidParameter, match="must give numbers for numbers where a file is read by blocks"):
        pf.protect(folder / "in.parquet", pf.Sampling(0.5), ROLES, 1, output=tmp_path / "out.parquet")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.parquet", "b.parquet"]


def test_files_are_refused_before_they_are_read(folder, tmp_path, monkeypatch):
    (tmp_path / "there.csv").write_text("an earlier one")
    for module in ("pyfcrm.data.frame.open_table", "pyfcrm.data.frame.source_of"):
        monkeypatch.delattr(module)
    for kind, output, text in (
        ("csv", None, "`output` must be the path of a file where a file is protected"),
        ("csv", tmp_path / "there.csv", "an output must be a new file"),
        ("parquet", folder / "in.parquet", "must not replace another file"),
        ("sav", tmp_path / "out.xlsx", "an output's extension must be one of"),
    ):
        with pytest.raises((InvalidInput, InvalidParameter), match=text):
            pf.protect(folder / f"in.{kind}", METHOD, ROLES, 1, output=output)
    with pytest.raises(InvalidParameter, match="`output` must be left out where a frame is protected"):
        pf.protect(frame(), METHOD, ROLES, 1, output=tmp_path / "out.csv")

"""The one opener of frames and files. Oracle: the frame that was written. Identical."""

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf
from pyfcrm.data import open_data

pytestmark = pytest.mark.usefixtures("in_this_process")
COLUMNS = ["x", "y"]


def released(seed):
    """Numbers that every format holds, to the last bit."""
    rng = np.random.default_rng(seed)
    values = np.round(64 * rng.normal(size=(60, 2))) / 64
    return pd.DataFrame(values, columns=COLUMNS).assign(word=rng.choice(["a", "b"], 60))


def write(frame, path):
    if path.suffix == ".csv":
        frame.to_csv(path, index=False)
    elif path.suffix == ".parquet":
        frame.to_parquet(path)
    elif path.suffix == ".dta":
        frame.to_stata(path, write_index=False)
    else:
        import pyreadstat

        {".sav": pyreadstat.write_sav, ".xpt": pyreadstat.write_xport}[path.suffix](frame, str(path))


@pytest.fixture(scope="module")
def both(tmp_path_factory):
    """By format, the original and the release; and their frames."""
    folder, frames = tmp_path_factory.mktemp("formats"), (released(1), released(2))
    values = {"frame": frames}
    for kind in ("csv", "parquet", "dta", "sav", "xpt"):
        values[kind] = tuple(folder / f"{name}.{kind}" for name in ("a", "b"))
        for frame, path in zip(frames, values[kind], strict=True):
            write(frame, path)
    return values


KINDS = ("frame", "csv", "parquet", "dta", "sav", "xpt")


@pytest.mark.parametrize(("one", "other"), list(zip(KINDS, (*KINDS[1:], "frame"), strict=True)))
@pytest.mark.slow
def test_an_original_and_a_release_in_two_formats(one, other, both):
    options = {"measures": ["pil", "id", "dbrl", "uniques"], "keys": "word", "columns": COLUMNS}
    assert pf.evaluate(both[one][0], both[other][1], **options) == pf.evaluate(*both["frame"], **options)


@pytest.mark.parametrize("verb", [pf.records_at_risk, pf.variable_changes])
def test_the_other_looks_at_a_release_take_files_too(verb, both):
    known = verb(*both["frame"], COLUMNS).to_frame()
    pd.testing.assert_frame_equal(verb(both["csv"][0], both["parquet"][1], COLUMNS).to_frame(), known)


def test_a_file_is_read_by_blocks_where_it_is_too_large(both, monkeypatch):
    path = both["parquet"][0]
    assert (open_data("evaluate", path).source, open_data("evaluate", path).notes) == (None, ())
    monkeypatch.setattr("pyfcrm.data.frame.memory", lambda: 10_000)
    opened = open_data("evaluate", path)
    assert opened.notes == ("60 records are too many for the memory of this machine: the file is read by blocks",)
    assert opened.source.n == 60
    np.testing.assert_array_equal(opened.values("x"), both["frame"][0]["x"])
    assert open_data("evaluate", opened) is opened
    odd = pd.DataFrame({"beyond_floats": [1.0], "source": [2.0]})
    assert open_data("evaluate", odd).frame is odd
    options = ["pil", "id"]
    report = pf.evaluate(*both["parquet"], COLUMNS, options)
    assert report.rows() == pf.evaluate(*both["frame"], COLUMNS, options).rows()
    assert opened.notes[0] in report.notes

"""SPSS, Stata and SAS files tell no time, so that one seed gives one file.

Oracles: pyreadstat, which reads the time of writing back; two writes more than a second apart; the same file with another
time put in by hand. Grade: identical.
"""

import datetime as dt
import re
import time
from pathlib import Path

import pandas as pd
import pyreadstat
import pytest
from support.cli import people, pyfcrm

from pyfcrm.errors import InvalidInput
from pyfcrm.files.labelled import FORMATS, labelled_bytes
from pyfcrm.files.labelled_time import timeless

pytestmark = pytest.mark.usefixtures("in_this_process")
WRITERS = [kind for kind, family in FORMATS.items() if family.writer]

EPOCH = dt.datetime(1970, 1, 1)
READERS = {"sav": "read_sav", "zsav": "read_sav", "dta": "read_dta", "xpt": "read_xport"}
# Another time in each format's own words, 31 December 2001, 23:59:58; a file's label must not be taken for one.
OTHER = {
    "sav": (rb"\d\d \w{3} \d\d\d\d:\d\d:\d\d", b"31 Dec 0123:59:58"),
    "zsav": (rb"\d\d \w{3} \d\d\d\d:\d\d:\d\d", b"31 Dec 0123:59:58"),
    "dta": (rb"\d\d \w{3} \d{4} \d\d:\d\d(?=</timestamp>)", b"31 Dec 2001 23:59"),
    "xpt": (rb"\d\d[A-Z]{3}\d\d:\d\d:\d\d:\d\d", b"31DEC01:23:59:58"),
}
LABEL = "</label><timestamp>\x1101 Jan 2000 00:00"


def written(kind, path, **more):
    """What pyreadstat writes by itself."""
    more |= {"file_label": LABEL[:40]}
    frame = people(30).drop(columns="note").rename(columns=str.upper)
    getattr(pyreadstat, FORMATS[kind].writer)(
        frame, str(path), **more, **({"compress": True} if kind == "zsav" else {})
    )
    return path.read_bytes()


@pytest.mark.parametrize("kind", WRITERS)
def test_another_time_gives_the_same_file(tmp_path, kind):
    now = written(kind, tmp_path / f"now.{kind}")
    pattern, text = OTHER[kind]
    other, count = re.subn(pattern, text, now)
    assert (count >= 1, other != now) == (True, True)
    assert timeless("x", kind, other) == timeless("x", kind, now)
    (tmp_path / f"fixed.{kind}").write_bytes(timeless("x", kind, now))
    before, result = getattr(pyreadstat, READERS[kind])(str(tmp_path / f"now.{kind}"))
    after, about = getattr(pyreadstat, READERS[kind])(str(tmp_path / f"fixed.{kind}"))
    assert abs(result.creation_time - dt.datetime.now()) < dt.timedelta(days=2)
    assert (about.creation_time, about.modification_time) == (EPOCH, EPOCH)
    pd.testing.assert_frame_equal(after, before)
    assert about.file_label == result.file_label
    assert about.column_names_to_labels == result.column_names_to_labels


@pytest.mark.slow
def test_one_seed_gives_one_file(tmp_path, monkeypatch):
    """From the command line, in every format that is written, runs more than a second apart."""
    monkeypatch.chdir(tmp_path)
    people().drop(columns="note").to_csv("in.csv", index=False)
    kinds = [*WRITERS, "parquet", "csv"]
    for name in ("one", "two"):
        for kind in kinds:
            words = ["--method", "ipso", "--independent", "a,b", "--dependent", "c,d", "--seed", "1"]
            ran = pyfcrm("protect", "in.csv", "-o", f"{name}.{kind}", *words)
            assert ran.status == 0, ran
        time.sleep(1.1)
    for kind in kinds:
        assert Path(f"one.{kind}").read_bytes() == Path(f"two.{kind}").read_bytes(), kind


@pytest.mark.parametrize("kind", WRITERS)
def test_a_file_whose_time_is_elsewhere_is_refused(kind):
    with pytest.raises(InvalidInput, match="must write a"):
        timeless("x", kind, b"<release>118</release><label>" + b"no such file " * 100)


def test_nothing_is_left_of_what_is_written_first(tmp_path, monkeypatch):
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    frame = people().drop(columns="note")
    for kind in WRITERS:
        assert labelled_bytes(f"x.{kind}", frame, None, {}, False)
    assert list(tmp_path.iterdir()) == []

"""evaluate() of two Parquet files. Oracle: the same frames judged in memory. Grade: close, 1e-9 per cent: sums by
blocks come in another order; counts and links are the same."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.blocks import DEPENDENT, ROLES, in_folder, simulated

import pyfcrm as pf
from pyfcrm.data import blocks
from pyfcrm.linkage import nearest_by_blocks, patterns_by_blocks
from pyfcrm.measures import MEASURES

pytest.importorskip("pyarrow")
N = 20_000  # some blocks


@pytest.fixture(scope="module")
def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    before = simulated(N)
    return before, pf.protect(before, pf.IPSO("B"), ROLES, 1).frame


@pytest.fixture(scope="module")
def paths(frames, tmp_path_factory) -> tuple[Path, Path]:
    folder = tmp_path_factory.mktemp("judged")
    frames[1].to_parquet(folder / "after.parquet", row_group_size=700)
    return in_folder(frames[0], folder / "before"), folder / "after.parquet"


def test_equal_to_memory(frames, paths):
    made, known = pf.evaluate(*paths, DEPENDENT), pf.evaluate(*frames, DEPENDENT)
    pd.testing.assert_frame_equal(made.to_frame(), known.to_frame(), rtol=0, atol=1e-9)
    assert (made.notes, made.columns, made.records) == (known.notes, known.columns, known.records)


def test_other_measures(frames, paths):
    asked = ["cm3", "il1"]
    made, known = pf.evaluate(*paths, DEPENDENT, asked), pf.evaluate(*frames, DEPENDENT, asked)
    pd.testing.assert_frame_equal(made.to_frame(), known.to_frame(), rtol=0, atol=1e-9)


def test_complete_records_only(frames, tmp_path):
    before, after = (frame.copy() for frame in frames)
    before.loc[5, "FEDTAX"], after.loc[11_000, "TAXINC"] = np.nan, np.nan
    before.to_parquet(tmp_path / "before.parquet")
    after.to_parquet(tmp_path / "after.parquet")
    paths = tmp_path / "before.parquet", tmp_path / "after.parquet"
    with pytest.raises(pf.errors.InvalidInput, match=r"values are missing.*record 6"):
        pf.evaluate(*paths, DEPENDENT)
    made = pf.evaluate(*paths, DEPENDENT, ["pil", "id"], missing="complete")
    known = pf.evaluate(before, after, DEPENDENT, ["pil", "id"], missing="complete")
    assert made["pil"] == pytest.approx(known["pil"], abs=1e-9)
    assert made["id"] == pytest.approx(known["id"], abs=1e-9)
    assert (made.notes, made.records) == (known.notes, known.records)


@pytest.mark.parametrize("method", [pf.IPSO("B"), pf.FCRM(5), pf.Noise(amount=1)], ids=str)
def test_linkage_by_blocks_is_that_of_memory(method, frames, paths, tmp_path, monkeypatch):
    """On a machine of 4 MB, eight blocks, integer columns (values that agree): the same report, with two notes more."""
    before = simulated(N, floats=False)
    after = pf.protect(before, method, ROLES, 1).frame
    before.to_parquet(tmp_path / "before.parquet")
    after.to_parquet(tmp_path / "after.parquet")
    monkeypatch.setattr("pyfcrm.measures.prl.MOST_RECORDS", 1000)  # every pair within 0.1 sd takes long
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)
    monkeypatch.setattr(nearest_by_blocks, "VALUES", N * 3 // 7)
    monkeypatch.setattr(patterns_by_blocks, "VALUES", N * 3 // 7)
    made = pf.evaluate(tmp_path / "before.parquet", tmp_path / "after.parquet", DEPENDENT)
    known = pf.evaluate(before, after, DEPENDENT)
    pd.testing.assert_frame_equal(made.to_frame(), known.to_frame(), rtol=0, atol=1e-9)
    assert set(known.notes) <= set(made.notes)
    more = [note.split(" blocks of records, ")[0] for note in made.notes if note not in known.notes]
    assert [text.rsplit(" ", 1)[0] for text in more] == ["dbrl: linked by", "prl: linked by"]
    assert more[0] == "dbrl: linked by 8"


def test_too_large_for_what_is_not_additive(paths, monkeypatch):
    """On a machine of 4 MB: the default measures are there, others say what to do."""
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)
    with pytest.raises(pf.errors.InvalidInput, match=r"`cm3` needs both files in memory.*judge strata"):
        pf.evaluate(*paths, DEPENDENT, ["cm3"])
    assert pf.evaluate(*paths, DEPENDENT)["pil"] > 0


def test_refused(frames, paths, tmp_path):
    frames[0].iloc[:100].to_parquet(tmp_path / "short.parquet")
    with pytest.raises(pf.errors.InvalidInput, match="as many in both; got 20000 and 100"):
        pf.evaluate(paths[0], tmp_path / "short.parquet")
    with pytest.raises(pf.errors.InvalidParameter, match="two frames or two paths"):
        pf.evaluate(paths[0], frames[1])
    with pytest.raises(pf.errors.InvalidParameter, match="measures of numeric attributes"):
        pf.evaluate(*paths, DEPENDENT, ["uniques"])
    with pytest.raises(pf.errors.InvalidInput, match="no column is called"):
        pf.evaluate(*paths, "FEDTAXX")


@pytest.mark.parametrize("when", ["measuring id", "measuring dbrl: two blocks of records at a time"])
def test_cancelled(when, paths, monkeypatch):
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)

    def stop(done: int, total: int, what: str) -> None:
        assert 0 <= done <= total
        if what == when:
            raise pf.errors.Cancelled

    with pytest.raises(pf.errors.Cancelled, match="was cancelled"):
        pf.evaluate(*paths, DEPENDENT, progress=stop)


@pytest.mark.parametrize("key", ["drisk", "dbrl"])
def test_a_measure_of_all_records_at_once_is_left_soon(key, paths, monkeypatch):
    """Oracle: the clock, with a margin for a busy machine; the measure itself would say nothing for a minute."""

    def slow(X: object, Z: object, engine: object = None) -> None:
        end = time.monotonic() + 60
        while time.monotonic() < end:
            time.sleep(0.01)

    monkeypatch.setitem(MEASURES, key, replace(MEASURES[key], compute=slow))
    heard = list[float]()

    def stop(done: int, total: int, what: str) -> None:
        if what == f"measuring {key}":
            heard.append(time.monotonic())
        if len(heard) == 4:
            raise pf.errors.Cancelled

    with pytest.raises(pf.errors.Cancelled):
        pf.evaluate(*paths, DEPENDENT, ["pil", key], progress=stop)
    assert time.monotonic() - heard[-1] < 3


def test_nothing_changes_with_a_callback(paths):
    """Identical, whoever listens; the course never goes back once the files are read."""
    said = list[tuple[int, int, str]]()
    asked = ["pil", "id", "dbrl", "eigen"]
    made = pf.evaluate(*paths, DEPENDENT, asked, progress=lambda *step: said.append(step))
    assert made.rows() == pf.evaluate(*paths, DEPENDENT, asked).rows()
    shares = [done / most for done, most, what in said if what.startswith("measuring")]
    assert shares == sorted(shares)
    assert {what for _, _, what in said} >= {f"measuring {key}" for key in asked}

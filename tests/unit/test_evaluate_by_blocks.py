"""evaluate() of Parquet files that are read by blocks. Oracle: the same frames judged in memory. Identical: the same blocks,
columns and links, wherever the records lie."""

import numpy as np
import pytest
from support.blocks import DEPENDENT, ROLES, in_folder, simulated

import pyfcrm as pf
from pyfcrm.data import blocks, source
from pyfcrm.data.source import open_data
from pyfcrm.linkage import by_blocks as linking

N = 20_000  # some blocks


@pytest.fixture(scope="module")
def frames():
    before = simulated(N)
    return before, pf.protect(before, pf.IPSO("B"), ROLES, 1).frame


@pytest.fixture(scope="module")
def paths(frames, tmp_path_factory):
    folder = tmp_path_factory.mktemp("judged")
    frames[1].to_parquet(folder / "after.parquet", row_group_size=700)
    return in_folder(frames[0], folder / "before"), folder / "after.parquet"


def by_blocks(paths):
    """Both files opened so that no column is in memory for longer than it is looked at."""
    return [open_data("evaluate", path, whole=False) for path in paths]


@pytest.mark.slow
def test_equal_to_memory(frames, paths):
    made, known = pf.evaluate(*by_blocks(paths), DEPENDENT), pf.evaluate(*frames, DEPENDENT)
    assert made == known
    assert pf.evaluate(*paths, DEPENDENT, "pil") == pf.evaluate(*frames, DEPENDENT, "pil")


@pytest.mark.slow
def test_a_file_beside_a_frame(frames, paths):
    known = pf.evaluate(*frames, DEPENDENT, ["pil", "id"])
    assert pf.evaluate(frames[0], by_blocks(paths)[1], DEPENDENT, ["pil", "id"]) == known
    assert pf.evaluate(paths[0], frames[1], DEPENDENT, ["pil", "id"]) == known


@pytest.mark.slow
def test_missing_values(frames, tmp_path):
    """Oracle: memory. Identical."""
    before, after = (frame.copy() for frame in frames)
    before.loc[5, "FEDTAX"], after.loc[11_000, "TAXINC"] = np.nan, np.nan
    before.to_parquet(tmp_path / "before.parquet")
    after.to_parquet(tmp_path / "after.parquet")
    paths = tmp_path / "before.parquet", tmp_path / "after.parquet"
    measures = ["pil", "id", "dbrl"]
    made, known = (pf.evaluate(*both, DEPENDENT, measures) for both in (by_blocks(paths), (before, after)))
    assert made == known
    assert made.records == N


@pytest.mark.slow
@pytest.mark.parametrize("method", [pf.IPSO("B"), pf.Noise(amount=1)], ids=str)
def test_linkage_by_blocks_is_that_of_memory(method, frames, paths, tmp_path, monkeypatch):
    """On a machine of 4 MB, eight blocks, integer columns (values that agree): the same report, with three notes more."""
    before = simulated(N, floats=False)
    after = pf.protect(before, method, ROLES, 1).frame
    before.to_parquet(tmp_path / "before.parquet")
    after.to_parquet(tmp_path / "after.parquet")
    monkeypatch.setattr("pyfcrm.measures.prl.MOST_RECORDS", 1000)  # every pair within 0.1 sd takes long
    known = pf.evaluate(before, after, DEPENDENT)
    monkeypatch.setattr(source, "memory", lambda: 4_000_000)
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)
    monkeypatch.setattr(linking, "BLOCK_VALUES", N * 3 // 7)
    made = pf.evaluate(tmp_path / "before.parquet", tmp_path / "after.parquet", DEPENDENT)
    assert made.rows() == known.rows()
    assert set(known.notes) <= set(made.notes)
    read = "20,000 records are too many for the memory of this machine: the file is read by blocks"
    assert read in made.notes
    more = [note for note in made.notes if note not in known.notes and note != read]
    more = [note.split(" blocks of records, ")[0] for note in more]
    assert [text.rsplit(" ", 1)[0] for text in more] == ["dbrl: linked by", "prl: linked by"]
    assert more[0] == "dbrl: linked by 8"
    alike = pf.evaluate(before, after, DEPENDENT)  # as large, but in memory already
    assert (alike.rows(), alike.notes) == (made.rows(), tuple(note for note in made.notes if note != read))


@pytest.mark.slow
def test_too_large_for_what_is_not_additive(frames, paths, monkeypatch):
    """On a machine of 4 MB: the default measures are there, others say what to do; a frame is in memory already."""
    monkeypatch.setattr(source, "memory", lambda: 4_000_000)
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)
    with pytest.raises(pf.errors.InvalidInput, match=r'`cm3` needs both files in memory.*"prl".*judge strata'):
        pf.evaluate(*paths, DEPENDENT, ["cm3"])
    assert pf.evaluate(*frames, DEPENDENT, ["cm3"])["cm3"] > 0
    assert pf.evaluate(*paths, DEPENDENT)["pil"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("when", ["measuring id", "measuring dbrl: two blocks of records at a time"])
def test_cancelled(when, paths, monkeypatch):
    monkeypatch.setattr(source, "memory", lambda: 4_000_000)
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)

    def stop(done, total, what):
        assert 0 <= done <= total
        if what == when:
            raise pf.errors.Cancelled

    with pytest.raises(pf.errors.Cancelled, match="was cancelled"):
        pf.evaluate(*paths, DEPENDENT, progress=stop)

"""evaluate() of Parquet files that are read by blocks. Oracle: the same frames judged in memory. Identical: the same blocks,
columns and links, wherever the records lie."""

import pytest
from support.blocks import DEPENDENT, ROLES, in_folder, simulated

import pyfcrm as pf
from pyfcrm.data import blocks, open_data

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
    result, known = pf.evaluate(*by_blocks(paths), DEPENDENT), pf.evaluate(*frames, DEPENDENT)
    assert result == known
    assert pf.evaluate(*paths, DEPENDENT, "pil") == pf.evaluate(*frames, DEPENDENT, "pil")


@pytest.mark.slow
def test_too_large_for_what_is_not_additive(frames, paths, monkeypatch):
    """On a machine of 4 MB: the default measures are there, others say what to do; a frame is in memory already."""
    monkeypatch.setattr("pyfcrm.data.frame.memory", lambda: 4_000_000)
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)
    with pytest.raises(
        pf.errors.InvalidInput, match=r"`cm3` needs both files in memory.* prl .*judge the strata separately"
    ):
        pf.evaluate(*paths, DEPENDENT, ["cm3"])
    assert pf.evaluate(*frames, DEPENDENT, ["cm3"])["cm3"] > 0
    assert pf.evaluate(*paths, DEPENDENT)["pil"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("when", ["measuring id", "measuring dbrl: pairs of records"])
def test_cancelled(when, paths, monkeypatch):
    monkeypatch.setattr("pyfcrm.data.frame.memory", lambda: 4_000_000)
    monkeypatch.setattr(blocks, "memory", lambda: 4_000_000)

    def stop(done, total, what):
        assert 0 <= done <= total
        if what == when:
            raise pf.errors.Cancelled

    with pytest.raises(pf.errors.Cancelled, match="was cancelled"):
        pf.evaluate(*paths, DEPENDENT, progress=stop)

"""evaluate() of Parquet files that are read by blocks. Oracle: the same frames judged in memory. Identical: the same blocks,
columns and links, wherever the records lie."""

import pytest
from support.blocks import DEPENDENT, ROLES, in_folder, simulated
from support.business_file import business_file

import pyfcrm as pf
from pyfcrm.data import blocks, open_data
from pyfcrm.evaluation.options import AuditOptions

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


@pytest.mark.slow
@pytest.mark.parametrize(("n", "audited"), [(400, 400), (6000, 5000)])
def test_an_audit_of_a_file_read_by_blocks(tmp_path, monkeypatch, n, audited):
    """Oracle: the audit of the frame, where all records are audited. Of more, a random sample is, and a note says so."""
    short = AuditOptions(repeats=1, shadows=0)
    monkeypatch.setattr("pyfcrm.evaluation.requested_audit.AuditOptions", lambda: short)
    frame = business_file(n)
    frame.to_parquet(tmp_path / "in.parquet", row_group_size=150)
    roles = pf.Roles(["region", "size"], ["wage", "debt"])
    original = open_data("evaluate", tmp_path / "in.parquet", whole=False)
    output = tmp_path / "out.parquet"
    released = pf.protect(original, pf.IPSO("C"), roles, output=output, shuffle=False)
    report = pf.evaluate(original, released, measures="pil", audit=True)
    assert report.audit.records == audited
    assert report.verdict["audit"].status in ("pass", "hold")
    assert any("the audit is of a random sample of 5000 of 6000" in note for note in report.notes) == (n > audited)
    if n == audited:
        known = pf.audit(frame, pf.IPSO("C"), roles, repeats=1, shadows=0)
        assert report.audit.to_frame().equals(known.to_frame())

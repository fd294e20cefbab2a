"""sweep() of Parquet files and on engines. Oracle: sweep of the same frame in memory, same seed. Grade: close, 1e-9 per
cent (sums come in the blocks' order); notes and what is left behind: identical."""

import os

import pandas as pd
import pytest
from support.blocks import ROLES, by_blocks, in_folder, simulated

import pyfcrm as pf
from pyfcrm.engine import Local, engines

N = 1_000  # some blocks
METHODS = [pf.FCRM(3, joint=True, max_iter=5), pf.IPSO("C"), pf.Noise("linear")]


@pytest.fixture(scope="module", autouse=True)
def exact_agreement_only():
    """PRL's second part looks at every pair, which takes long, and is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "MIN_ROWS", 256)
        patch.setattr("pyfcrm.measures.prl.MOST_RECORDS", 500)
        patch.setattr("pyfcrm.measures.informed.MOST_RECORDS", 500)
        yield


@pytest.fixture(scope="module")
def frame():
    return simulated(N)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    return in_folder(frame, tmp_path_factory.mktemp("swept") / "in")


@pytest.fixture(scope="module")
def known(frame):
    return pf.sweep(frame, ROLES, METHODS, seed=3)


@pytest.fixture
def hidden(tmp_path, monkeypatch):
    """Where temporary folders are made."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def same(result, known):
    pd.testing.assert_frame_equal(result.to_frame(), known.to_frame(), rtol=0, atol=1e-9)
    assert [c.notes for c in result.candidates] == [c.notes for c in known.candidates]
    assert result.seed == known.seed


@pytest.mark.slow
def test_equal_to_memory_and_leaves_nothing(folder, known, hidden):
    result = pf.sweep(by_blocks(folder), ROLES, METHODS, seed=3)
    same(result, known)
    assert not os.listdir(hidden)


@pytest.mark.slow
def test_incomplete_records(frame, tmp_path):
    frame = frame.copy()
    frame.loc[[0, 728], ["AGI", "FEDTAX"]] = None
    frame.to_parquet(tmp_path / "in.parquet")
    with pytest.raises(pf.errors.InvalidInput, match="values are missing"):
        pf.sweep(by_blocks(tmp_path / "in.parquet"), ROLES, METHODS[1], seed=3)
    with pytest.raises(pf.errors.InvalidInput, match="cannot be filled while a file is read by blocks"):
        pf.sweep(by_blocks(tmp_path / "in.parquet"), ROLES, METHODS[1], seed=3, missing="protect")
    with pytest.raises(pf.errors.InvalidInput, match="records must pair"):  # a file has no index
        pf.sweep(by_blocks(tmp_path / "in.parquet"), ROLES, METHODS[1], seed=3, missing="drop")


@pytest.mark.slow
def test_engines(frame, folder, known):
    """Identical to the default's: results do not depend on the number of threads."""
    same(pf.sweep(frame, ROLES, METHODS, seed=3, engine=Local(1)), known)
    pd.testing.assert_frame_equal(
        pf.sweep(by_blocks(folder), ROLES, METHODS[:1], seed=3, engine=Local(1)).to_frame(),
        pf.sweep(by_blocks(folder), ROLES, METHODS[:1], seed=3, engine=Local(3)).to_frame(),
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("how", "when"),
    [(pf.errors.Cancelled, "Noise(kind=linear): measuring id"), (KeyboardInterrupt, "IPSO(kind=C): reading")],
)
def test_stopped(how, when, folder, hidden):
    """Nothing is left."""

    def stop(done, most, what):
        if what == when:
            raise how

    with pytest.raises(how):
        pf.sweep(by_blocks(folder), ROLES, METHODS[1:], seed=3, progress=stop)
    assert not os.listdir(hidden)

"""sweep() of Parquet files and on engines. Oracle: sweep of the same frame in memory, same seed. Grade: close, 1e-9 per
cent (sums come in the blocks' order); notes, names of files and what is left behind: identical."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pandas as pd
import pytest
from support.blocks import DEPENDENT, ROLES, by_blocks, in_folder, simulated

import pyfcrm as pf
from pyfcrm.engine import Local
from pyfcrm.search.releases import names

pytest.importorskip("pyarrow")
N = 20_000  # some blocks
METHODS = [pf.FCRM(3, joint=True, max_iter=5), pf.IPSO("C"), pf.Noise("linear")]
FILES = ["01-fcrm-c-3-max-iter-5-joint-true.parquet", "02-ipso-kind-c.parquet", "03-noise-kind-linear.parquet"]


@pytest.fixture(scope="module", autouse=True)
def exact_agreement_only():
    """PRL's second part looks at every pair, which takes long, and is not what is tested here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pyfcrm.measures.prl.MOST_RECORDS", 1000)
        patch.setattr("pyfcrm.measures.informed.MOST_RECORDS", 1000)
        yield


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return simulated(N)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory) -> Path:
    return in_folder(frame, tmp_path_factory.mktemp("swept") / "in")


@pytest.fixture(scope="module")
def known(frame) -> pf.Frontier:
    return pf.sweep(frame, ROLES, METHODS, seed=3)


@pytest.fixture
def hidden(tmp_path, monkeypatch) -> Path:
    """Where temporary folders are made."""
    place = tmp_path / "tmp"
    place.mkdir()
    monkeypatch.setattr("tempfile.tempdir", str(place))
    return place


def same(made: pf.Frontier, known: pf.Frontier) -> None:
    pd.testing.assert_frame_equal(made.to_frame(), known.to_frame(), rtol=0, atol=1e-9)
    assert [c.notes for c in made.candidates] == [c.notes for c in known.candidates]
    assert made.seed == known.seed


@pytest.mark.slow
def test_equal_to_memory_and_leaves_nothing(folder, known, hidden):
    made = pf.sweep(by_blocks(folder), ROLES, METHODS, seed=3)
    same(made, known)
    assert not os.listdir(hidden)
    assert [c.release for c in made.candidates] == [None] * 3


@pytest.mark.slow
def test_releases_are_kept(frame, folder, known, hidden, tmp_path):
    """The folder is made; its files are those of protect(), to the last bit."""
    made = pf.sweep(by_blocks(str(folder)), ROLES, METHODS, seed=3, output=tmp_path / "out")
    same(made, known)
    assert sorted(os.listdir(tmp_path / "out")) == FILES
    assert [c.release for c in made.candidates] == [str(tmp_path / "out" / name) for name in FILES]
    assert not os.listdir(hidden)
    one = pf.protect(by_blocks(folder), METHODS[1], ROLES, made.seed, output=tmp_path / "one.parquet")
    pd.testing.assert_frame_equal(pd.read_parquet(one.path), pd.read_parquet(made.candidates[1].release))


@pytest.mark.slow
def test_incomplete_records(frame, tmp_path):
    frame = frame.copy()
    frame.loc[[0, 12_345], ["AGI", "FEDTAX"]] = None
    frame.to_parquet(tmp_path / "in.parquet")
    with pytest.raises(pf.errors.InvalidInput, match="values are missing"):
        pf.sweep(by_blocks(tmp_path / "in.parquet"), ROLES, METHODS[1], seed=3)
    made = pf.sweep(by_blocks(tmp_path / "in.parquet"), ROLES, METHODS[1], seed=3, missing="drop")
    same(made, pf.sweep(frame, ROLES, METHODS[1], seed=3, missing="drop"))


@pytest.mark.slow
def test_engines(frame, folder, known):
    """Identical to the default's: results do not depend on the number of threads."""
    same(pf.sweep(frame, ROLES, METHODS, seed=3, engine=Local(1)), known)
    pd.testing.assert_frame_equal(
        pf.sweep(by_blocks(folder), ROLES, METHODS[:1], seed=3, engine=Local(1)).to_frame(),
        pf.sweep(by_blocks(folder), ROLES, METHODS[:1], seed=3, engine=Local(3)).to_frame(),
    )


@pytest.mark.slow
def test_progress(folder):
    """Each candidate has its half of the way; its stages (reading, passes, writing, measures) are told one by one."""
    said = []
    pf.sweep(by_blocks(folder), ROLES, METHODS[1:], seed=3, progress=lambda *step: said.append(step))
    assert said[-1] == (2, 2, "done")
    first = [(done, most) for done, most, what in said if what.startswith("IPSO(kind=C)")]
    second = [(done, most) for done, most, what in said if what.startswith("Noise(kind=linear)")]
    assert [*first, *second] == [step[:2] for step in said[:-1]]
    assert all(0 <= 2 * done <= most for done, most in first)
    assert all(most <= 2 * done <= 2 * most for done, most in second)


@pytest.mark.slow
@pytest.mark.parametrize("how", [pf.errors.Cancelled, KeyboardInterrupt])
@pytest.mark.parametrize("when", ["IPSO(kind=C): reading", "Noise(kind=linear): measuring id"])
def test_stopped(how, when, folder, hidden, tmp_path):
    """Without a folder nothing is left; with one, the releases that were whole, and no folder where there were none."""

    def stop(done: int, most: int, what: str) -> None:
        if what == when:
            raise how

    for output in (None, tmp_path / "out"):
        with pytest.raises(how):
            pf.sweep(by_blocks(folder), ROLES, METHODS[1:], seed=3, output=output, progress=stop)
    assert not os.listdir(hidden)
    out = sorted(os.listdir(tmp_path / "out")) if (tmp_path / "out").exists() else None
    whole = [name.replace("02", "01").replace("03", "02") for name in FILES[1:]]
    assert out == (None if "reading" in when else whole)


def test_interrupted_for_real(folder, tmp_path):
    """A process of its own, a real SIGINT in the middle of a fit: nothing in its temporary folder."""
    code = f"""
import pyfcrm as pf
from pyfcrm.data.source import open_data
def tell(done, total, what):
    print(what, flush=True)
roles = pf.Roles({list(ROLES.independent)}, {DEPENDENT})
try:
    pf.sweep(open_data("sweep", {str(folder)!r}, whole=False), roles, pf.FCRM(3, tol=0, max_iter=100000), 1, progress=tell)
except KeyboardInterrupt:
    print("stopped")
"""
    environment = os.environ | {"TMPDIR": str(tmp_path)}
    process = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    seen = 0
    for line in process.stdout:
        seen += "reading" not in line
        if seen == 3:
            break
    assert os.listdir(tmp_path)
    process.send_signal(signal.SIGINT)
    said, _ = process.communicate(timeout=30)
    assert said.splitlines()[-1] == "stopped"
    assert not os.listdir(tmp_path)


@pytest.mark.parametrize(
    ("changed", "error", "said"),
    [
        ({"methods": [pf.IPSO("C"), pf.RankSwapping(5)]}, pf.errors.InvalidParameter, "must work block by block"),
        ({"frame": "no.parquet"}, pf.errors.InvalidInput, "no.parquet: there is no such file"),
        ({"output": "no/such/folder"}, pf.errors.InvalidInput, "an output must be a folder, or a new one"),
        ({"roles": pf.Roles(["AFNLWGT"], ["FEDTAXX"])}, pf.errors.InvalidInput, "did you mean `FEDTAX`"),
        ({"engine": 3}, pf.errors.InvalidParameter, "^sweep: `engine` must be one of"),
    ],
)
def test_refused(changed, error, said, folder, hidden, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    asked = {"frame": by_blocks(folder), "roles": ROLES, "methods": METHODS, "seed": 1, "output": "out"} | changed
    with pytest.raises(error, match=said):
        pf.sweep(**asked)
    assert os.listdir(tmp_path) == ["tmp"]
    assert not os.listdir(hidden)


def test_a_frame_is_swept_into_no_folder(frame, tmp_path):
    with pytest.raises(pf.errors.InvalidParameter, match=r"^sweep: `output` must be left out where a frame"):
        pf.sweep(frame, ROLES, METHODS, seed=1, output=tmp_path)


def test_not_into_the_folder_it_reads(folder):
    with pytest.raises(pf.errors.InvalidInput, match="must not lie in the folder"):
        pf.sweep(by_blocks(folder), ROLES, METHODS, seed=1, output=folder)


def test_names():
    """By hand."""
    assert names([pf.FCRM(8), pf.IPSO("C", "thesis"), pf.Noise(amount=2.5)]) == [
        "01-fcrm-c-8.parquet",
        "02-ipso-kind-c-variant-thesis.parquet",
        "03-noise-kind-uncorrelated-amount-2.5.parquet",
    ]
    assert names([pf.FCRM(2)] * 100)[99] == "100-fcrm-c-2.parquet"

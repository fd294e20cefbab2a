"""protect() of Parquet files and folders, block by block. Oracle: the same frame protected in memory, same seed.

Grade: close, 1e-10 of an attribute's sd. Noise and fuzzy memberships are the same to the bit; regressions are solved
from triangular factors of blocks, so sums come in another order.
"""

import os
import signal
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from support.blocks import DEPENDENT, ROLES, by_blocks, furthest, in_folder, protect_arrays, simulated

import pyfcrm as pf
from pyfcrm.data.blocks import draws
from pyfcrm.engine import Local, engines, row_blocks
from pyfcrm.fuzzy.partition import Partition
from pyfcrm.methods.noise import JOINT

N = 1_500  # some blocks of 256
METHODS = [
    *(pf.FCRM(3, joint=True, max_iter=9), pf.FCRM(3, max_iter=5), pf.FCRM(2, joint=True, intercept=False, max_iter=9)),
    pf.FCRM(2, joint=True, basis="rbf", max_iter=9),
    *(pf.IPSO("C"), pf.Noise("correlated"), pf.Hybrid("regression", 0.3)),  # others: property/test_summed_methods.py
]


@pytest.fixture(autouse=True, scope="module")
def small_blocks():
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "MIN_ROWS", 256)
        yield


@pytest.fixture(scope="module")
def frame():
    return simulated(N)


@pytest.fixture(scope="module")
def folder(frame, tmp_path_factory):
    return in_folder(frame, tmp_path_factory.mktemp("blocks") / "in")


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_equal_to_memory(method, frame, folder, tmp_path):
    mine, theirs = pf.RStream(7), pf.RStream(7)
    release = pf.protect(by_blocks(str(folder)), method, ROLES, mine, output=tmp_path / "out.parquet")
    known = pf.protect(frame, method, ROLES, theirs)
    written = pd.read_parquet(release.path)
    assert furthest(written, known.frame, DEPENDENT) < 1e-10
    assert release.notes == known.notes
    assert (mine.to_r_state() == theirs.to_r_state()).all()  # and the stream goes on from the same place
    others = [c for c in written if c not in DEPENDENT]
    pd.testing.assert_frame_equal(written[others], known.frame[others])


def test_integers_and_gaps(tmp_path):
    """Whole-number columns stay so, incomplete records are left out; identical."""
    frame = simulated(N, floats=False)
    frame.loc[[0, 77, N - 1], "AGI"] = np.nan
    frame.to_parquet(tmp_path / "in.parquet", row_group_size=300)
    release = pf.protect(
        by_blocks(tmp_path / "in.parquet"), pf.IPSO("C"), ROLES, 3, missing="drop", output=tmp_path / "out.pq"
    )
    known = pf.protect(frame, pf.IPSO("C"), ROLES, 3, missing="drop")
    pd.testing.assert_frame_equal(pd.read_parquet(release.path), known.frame.reset_index(drop=True))
    with pytest.raises(pf.errors.InvalidInput, match="cannot be filled while a file is read by blocks"):
        pf.protect(
            by_blocks(tmp_path / "in.parquet"), pf.IPSO("C"), ROLES, 3, missing="protect", output=tmp_path / "no.pq"
        )
    assert release.notes == known.notes


@pytest.mark.slow
def test_collinear_columns(tmp_path):
    """Independent and dependent columns that repeat others: ranks and notes as in memory; close, 1e-9 (twice the
    regressors' condition; noise with the file's covariance keeps the identity)."""
    frame = simulated(N)
    frame["AGI2"], frame["TAX2"] = 2 * frame["AGI"] + 1, 3 * frame["TAXINC"]
    frame.to_parquet(tmp_path / "in.parquet")
    roles = pf.Roles(["AFNLWGT", "AGI", "AGI2"], [*DEPENDENT, "TAX2"], ["id"])
    for method in (pf.IPSO("C"), pf.FCRM(2, joint=True, max_iter=5), *map(pf.Noise, JOINT)):
        release = pf.protect(
            by_blocks(tmp_path / "in.parquet"), method, roles, 3, output=tmp_path / "out.parquet", overwrite=True
        )
        known = pf.protect(frame, method, roles, 3)
        assert furthest(pd.read_parquet(release.path), known.frame, [*DEPENDENT, "TAX2"]) < 1e-9
        assert release.notes == known.notes


def test_draws_by_block_are_the_matrix_drawn_by_columns():
    """Oracle: the matrix drawn at once. Identical."""
    for kind in ("normal", "uniform"):
        mine, theirs = pf.RStream(5), pf.RStream(5)
        whole = theirs.rnorm_matrix(N, 3) if kind == "normal" else theirs.runif_matrix(N, 3)
        result = draws(mine, N, 3, kind)
        assert len(result) == len(row_blocks(N)) > 1
        assert (np.vstack([draw() for draw in result]) == whole).all()
        assert (mine.to_r_state() == theirs.to_r_state()).all()


@pytest.mark.parametrize("when", ["reading", "FCRM(c=3, joint=True)", "writing"])
@pytest.mark.parametrize("how", [pf.errors.Cancelled, KeyboardInterrupt])
def test_cancelled_leaves_nothing(when, how, folder, tmp_path):
    out = tmp_path / "out.parquet"
    out.write_bytes(b"what stood there")

    def stop(done, total, what):
        assert 0 <= done <= total
        if what == when:
            raise how

    with pytest.raises(how):
        pf.protect(by_blocks(folder), pf.FCRM(3, joint=True), ROLES, 1, output=out, overwrite=True, progress=stop)
    assert os.listdir(tmp_path) == ["out.parquet"]
    assert out.read_bytes() == b"what stood there"


@pytest.mark.parametrize("method", [pf.Calibrated(pf.IPSO("C")), pf.FCRM(2, max_iter=5, release="draw")], ids=str)
@pytest.mark.slow
def test_what_compares_records_goes_by_strata_as_its_refusal_says(method, frame, folder, tmp_path):
    """Identical to the frame's: each stratum is in memory, whatever the blocks of the file."""
    options = {
        "frame": by_blocks(folder),
        "method": method,
        "roles": ROLES,
        "seed": 5,
        "output": tmp_path / "out.parquet",
    }
    with pytest.raises(pf.errors.InvalidParameter, match=r"give strata="):
        pf.protect(**options)
    release = pf.protect(**options, strata=["region"])
    known = pf.protect(frame, method, ROLES, 5, strata=["region"])
    pd.testing.assert_frame_equal(pd.read_parquet(release.path), known.frame, check_exact=True)
    assert release.notes == known.notes


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "independent", "error", "refusal"),
    [
        (pf.FCRM(10, m=400), ["AGI"], pf.errors.InvalidParameter, "FCRM: `m` must be at most 300 for 10 clusters; got 400.0"),
        (
            pf.FCRM(2, intercept=False), [], pf.errors.InvalidInput,
            "FCRM: needs an intercept or at least one independent column; got neither",
        ),
        (pf.FCRM(81), ["AGI"], pf.errors.InvalidParameter, "FCRM: `c` must be at most the number of records, 80; got 81"),
        (
            pf.FCRM(2, basis="rbf"), [], pf.errors.InvalidInput,
            'FCRM: basis="rbf" needs at least one independent column; got none',
        ),
    ],
)  # fmt: skip
def test_a_file_is_refused_as_its_frame_is(method, independent, error, refusal, tmp_path):
    """Identical, in memory and from disk; before, the first two files were released."""
    frame = simulated(80)
    frame.to_parquet(tmp_path / "in.parquet")
    roles = pf.Roles(independent, ["FEDTAX"])
    for value, output in ((frame, None), (by_blocks(tmp_path / "in.parquet"), tmp_path / "out.parquet")):
        with pytest.raises(error) as refused:
            pf.protect(value, method, roles, 1, output=output)
        assert str(refused.value) == refusal
    assert os.listdir(tmp_path) == ["in.parquet"]


@pytest.mark.process
def test_an_interrupt_ends_the_work_and_leaves_no_file(folder, tmp_path):
    """Defect: a process interrupted while threads started did not end. A process of its own, a real SIGINT."""
    code = f"""
import pyfcrm as pf
from pyfcrm.data import open_data
roles = pf.Roles({list(ROLES.independent)}, {DEPENDENT})
frame = open_data("protect", {str(folder)!r}, whole=False)
try:
    method = pf.FCRM(3, tol=0, max_iter=10_000)
    pf.protect(frame, method, roles, 1, output="out.parquet", progress=lambda done, total, what: print(what, flush=True))
except KeyboardInterrupt:
    print("stopped")
"""
    process = subprocess.Popen([sys.executable, "-c", code], cwd=tmp_path, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    next(line for line in process.stdout if line.startswith("FCRM"))
    process.send_signal(signal.SIGINT)
    assert process.communicate(timeout=60)[0].splitlines()[-1] == "stopped"
    assert not os.listdir(tmp_path)


def test_clusters_too_small_to_trust(monkeypatch):
    """More coefficients than records in a cluster: the sums are given up for the triangular factor of the records. Close, 1e-8."""
    untrusted, weighted = [], Partition.weighted
    monkeypatch.setattr(Partition, "weighted", lambda self, i: untrusted.append(i) or weighted(self, i))
    random = np.random.default_rng(3)
    X, Y = random.normal(size=(700, 3)), random.lognormal(size=(700, 1))
    X[:, 2] = (np.arange(700) < 3) * random.normal(size=700)  # varies in three records only
    method = pf.FCRM(3, max_iter=6, m=1.2)
    known = method.protect(X, Y, pf.RStream(1))
    release = protect_arrays(method, X, Y, pf.RStream(1), list[str]().append, Local(2), on_disk=True)
    assert untrusted
    assert float(np.abs(release - known).max() / Y.std()) < 1e-8

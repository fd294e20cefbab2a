"""Local(1) is one thread wherever threads are: in methods, measures, baselines. Results do not depend on how many.

Oracle: the only place that starts threads, engine/engines.py, watched; the same work on three threads. Grade: identical.
"""

import ast
import threading

import pandas as pd
import pytest
from support.data import REPOSITORY

import pyfcrm as pf
from pyfcrm.engine import Local, dispatch, engines

ROLES = pf.Roles(["AGI", "POTHVAL"], ["FEDTAX", "TAXINC", "WSALVAL"])
METHODS = [
    pf.RankSwapping(5),
    pf.Microaggregation(4, "individual"),
    pf.FCRM(2, release="draw", donors=5, joint=True),
    pf.FCRM(2, basis="rbf"),
    pf.Calibrated(pf.RankSwapping(5), margins="original"),
]


@pytest.fixture
def pools(monkeypatch):
    """The threads that were started; short files count as long ones."""
    started = list[threading.Thread]()

    class Watched(threading.Thread):
        def start(self):
            started.append(self)
            super().start()

    monkeypatch.setattr(engines, "Thread", Watched)
    monkeypatch.setattr(engines, "IN_THREADS", 0)
    monkeypatch.setattr(engines, "MIN_ROWS", 512)
    monkeypatch.setattr(dispatch, "compiled", lambda kernels, seconds: True)
    return started


@pytest.fixture(scope="module")
def frame():
    return pf.datasets.census_like(n=2_000, seed=1)


@pytest.mark.slow
@pytest.mark.parametrize("method", METHODS, ids=str)
def test_a_method_on_one_thread_and_on_three(method, frame, pools):
    alone = pf.protect(frame, method, ROLES, 1, engine=Local(1), allow_unprotected=True)
    assert pools == []
    watched = pf.protect(frame, method, ROLES, 1, engine=Local(1), allow_unprotected=True, progress=lambda *step: None)
    assert pools == []
    together = pf.protect(frame, method, ROLES, 1, engine=Local(3), allow_unprotected=True)
    assert pools
    for other in (watched, together):
        pd.testing.assert_frame_equal(alone.frame, other.frame, check_exact=True)
        assert alone.notes == other.notes


def test_files_by_blocks_on_one_thread_and_on_three(frame, pools, tmp_path, monkeypatch):
    """Linked two blocks at a time, as files that memory does not hold are."""
    from pyfcrm.linkage import linker

    monkeypatch.setattr(linker, "small", lambda n, p: False)
    paths = [tmp_path / name for name in ("in.parquet", "out.parquet")]
    for path, noise in zip(paths, (0, 3), strict=True):
        frame.assign(FEDTAX=frame["FEDTAX"] + noise).to_parquet(path)
    alone = pf.evaluate(*paths, ROLES.dependent, ["dbrl", "pil"], engine=Local(1))
    assert pools == []
    together = pf.evaluate(*paths, ROLES.dependent, ["dbrl", "pil"], engine=Local(3))
    assert pools
    assert alone.rows() == together.rows()


@pytest.mark.slow
def test_only_the_engine_starts_threads():
    """Identical: the import is there or it is not."""

    def imports_pool(path):
        imports = [n for n in ast.walk(ast.parse(path.read_text(encoding="utf-8"))) if isinstance(n, ast.ImportFrom)]
        return any(
            (node.module or "").startswith("concurrent") or "Thread" in [name.name for name in node.names]
            for node in imports
        )

    package = REPOSITORY / "pyfcrm"
    found = {path.relative_to(package).as_posix() for path in package.rglob("*.py") if imports_pool(path)}
    assert {path for path in found if not path.startswith("app/")} == {"engine/engines.py"}

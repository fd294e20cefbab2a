"""Fifty visits of the studio at once, each with a file of its own: all are served, and nobody is shown what is another's.

Oracle: `protect` of that visit's file, with its seed. Identical. Run by `make trust`. Nothing here depends on time: all
visits are open before the first file is dropped, and each answer is waited for as long as it takes.
"""

from __future__ import annotations

import io
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pandas as pd
import pytest
from support.browser import studio_process
from support.cli import people
from support.studio_visit import Visitor

import pyfcrm as pf

VISITS, WAVE, PATIENCE = 50, 10, 600.0
WHEN = "come again when one has ended."
FULL = f"import pyfcrm.app.guard\npyfcrm.app.guard.MOST_VISITS = {VISITS}"
ROLES = {
    "id": "identifier",
    "a": "independent",
    "b": "independent",
    "c": "dependent",
    "d": "dependent",
    "note": "leave",
}


def own(k: int) -> pd.DataFrame:
    """The file of visit k: records, values and a text that no other has."""
    return people(40 + k, seed=1 + k).assign(note=f"of visit {k:02d} alone")


def form(k: int) -> dict[str, object]:
    """What its page says with everything chosen, and Run pressed."""
    said: dict[str, object] = {"method": "ipso", "seed": str(k), "missing": "refuse", "constraints": "", "strata": []}
    said |= {"further": [], "calibrate": False, "run:shiny.action": 1}
    for place, role in enumerate(ROLES.values()):
        said |= {f"role_1_{place}": role, f"unknown_1_{place}": False}
    return {f"workbench-{name}": value for name, value in said.items()}


def work(k: int, visitor: Visitor) -> bytes:
    """Drop the file, protect it, and take the release away."""
    visitor.upload(f"file-{k}.csv", own(k).to_csv(index=False).encode())
    visitor.hear(f"file-{k}.csv: {40 + k} records")
    visitor.send({"method": "update", "data": form(k)})
    begun = time.monotonic()
    while time.monotonic() < begun + PATIENCE:
        status, said = taken(f"http://{visitor.netloc}/session/{visitor.session}/download/workbench-results-release")
        if status == 200:
            return said
        assert (status, said) == (404, b"There is nothing to take away yet.")
        assert visitor.is_sound()
        time.sleep(0.2)
    raise TimeoutError(f"visit {k} has no release")


def taken(address: str) -> tuple[int, bytes]:
    """Status and body."""
    try:
        with urllib.request.urlopen(address, timeout=PATIENCE) as answer:
            return answer.status, answer.read()
    except urllib.error.HTTPError as error:
        return error.code, error.read()


@contextmanager
def all_open(address: str) -> Iterator[list[Visitor]]:
    """Fifty visits, begun in waves, that end together."""
    with ExitStack() as stack, ThreadPoolExecutor(WAVE) as pool:
        begin: Callable[[int], Visitor] = lambda k: Visitor(address, patience=PATIENCE)  # noqa: E731
        found = []
        for visitor in pool.map(begin, range(VISITS)):
            found.append(stack.enter_context(visitor))
        yield found


def test_fifty_visits_at_once(tmp_path: Path) -> None:
    pytest.importorskip("shiny", reason="needs the extra app")
    roles = pf.Roles(["a", "b"], ["c", "d"], ["id"])
    with studio_process(before=FULL, temporary=tmp_path) as address:
        with all_open(address) as visitors, ThreadPoolExecutor(VISITS) as pool:
            assert all(visitor.is_sound() for visitor in visitors)
            assert taken(address) == (503, f"The studio has {VISITS} visits, and takes no more: {WHEN}".encode())
            for k, release in enumerate(pool.map(work, range(VISITS), visitors)):
                known = pf.protect(own(k), pf.IPSO(), roles, seed=k).frame
                pd.testing.assert_frame_equal(pd.read_csv(io.BytesIO(release)), known, check_exact=True)
            for k, visitor in enumerate(visitors):
                heard = "".join(visitor.said)
                assert not any(f"of visit {j:02d}" in heard or f"file-{j}." in heard for j in range(VISITS) if j != k)
        ends = time.monotonic() + PATIENCE
        while any(tmp_path.glob("pyfcrm-studio-*")):
            assert time.monotonic() < ends, "a visit's folder is left"
            time.sleep(0.5)
        assert taken(address)[0] == 200
    assert "Traceback" not in (tmp_path / "log").read_text()

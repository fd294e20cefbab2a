"""The release ledger. Oracle: conflicts that are known from how two releases of a file were made."""

from __future__ import annotations

import json
import stat
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import pyfcrm as pf

ROLES = pf.Roles(["age", "hours"], ["wage", "rent"], ["name"])


@pytest.fixture(scope="module")
def frame() -> pd.DataFrame:
    return pf.datasets.survey(n=120)


def protected(frame: pd.DataFrame, method: pf.methods.Method, ledger: Path, roles: pf.Roles = ROLES) -> pf.Protected:
    return pf.protect(frame, method, roles, ledger=ledger, allow_unprotected=True)


@pytest.mark.slow
def test_repeated_releases(frame, tmp_path):
    """Noise twice averages; IPSO twice does not. Both files are private, and hold no value or name."""
    path = tmp_path / "ledger.json"
    assert protected(frame, pf.Noise(amount=20), path).conflicts == ()
    again = protected(frame[::-1], pf.RankSwapping(10), path)
    assert "release 1" in again.conflicts[0]
    assert again.conflicts[0] in again.notes
    verdict = pf.evaluate(frame[::-1], again).verdict["ledger"]
    assert (verdict.status, verdict.found) == ("hold", (1.0,))
    safe = protected(frame, pf.IPSO("C"), path)
    assert safe.conflicts == ()
    assert pf.evaluate(frame, safe).verdict["ledger"].status == "pass"
    assert protected(frame, pf.IPSO("C"), path).conflicts == ()
    for file in (path, tmp_path / "ledger.json.key"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert frame["name"][0] not in path.read_text()
    assert len(json.loads(path.read_text())["releases"]) == 4


def test_vintages(frame, tmp_path):
    """Three regressors solve three records, not four."""
    few, many = tmp_path / "few.json", tmp_path / "many.json"
    for path, k in ((few, 3), (many, 4)):
        protected(frame, pf.IPSO("C"), path)
        found = protected(frame[k:], pf.IPSO("C"), path).conflicts
        assert [f"{k} records differ" in one for one in found] == [True] * (k == 3)
    assert protected(frame[60:].assign(name=np.arange(60)), pf.Noise(amount=20), few).conflicts == ()


def test_complementary_roles(frame, tmp_path):
    """Wage protected, rent not, then the reverse: without identifiers too."""
    roles = [pf.Roles(["age"], [name]) for name in ("wage", "rent")]
    path = tmp_path / "ledger.json"
    protected(frame, pf.IPSO("C"), path, roles[0])
    [found] = protected(frame, pf.IPSO("C"), path, roles[1]).conflicts
    assert found.startswith("rent, wage:")


def test_what_is_forged_or_missing_is_refused(frame, tmp_path):
    """One sentence, and nothing is released."""
    path = tmp_path / "ledger.json"
    protected(frame, pf.Noise(amount=20), path)
    whole = path.read_text()
    for damaged in (whole.replace('"number": 1', '"number": 2'), whole[:-40], "", "[]"):
        path.write_text(damaged)
        with pytest.raises(pf.errors.InvalidInput, match="as pyfcrm wrote it"):
            protected(frame, pf.Noise(amount=20), path)
    path.write_text(whole)
    (tmp_path / "ledger.json.key").unlink()
    with pytest.raises(pf.errors.InvalidInput, match="key beside it"):
        protected(frame, pf.Noise(amount=20), path)


@pytest.mark.slow
def test_a_file_and_a_plan(frame, tmp_path):
    """A plan that is on hold records nothing."""
    source, path = tmp_path / "in.csv", tmp_path / "ledger.json"
    frame.to_csv(source, index=False)
    pf.protect_file(source, tmp_path / "out.csv", pf.Noise(amount=20), ROLES, ledger=path)
    plan = pf.Plan(
        input={"file": str(source)}, roles=ROLES, method=pf.Noise(amount=10),
        output={"release": str(tmp_path / "again.csv"), "ledger": str(path)},
    )  # fmt: skip
    assert pf.run(plan).verdict["ledger"].status == "hold"
    assert len(json.loads(path.read_text())["releases"]) == 1
    pf.run(plan, despite_hold="a trial", by="me")
    assert len(json.loads(path.read_text())["releases"]) == 2

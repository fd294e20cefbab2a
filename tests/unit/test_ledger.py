"""The release ledger. Oracle: conflicts that are known from how two releases of a file were made; budgets by an integral."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.protection.ledger import Entry
from pyfcrm.trust.verify import recorded_release

ROLES = pf.Roles(["age", "hours"], ["wage", "rent"], ["name"])
PRIVATE = pf.IPSO("C", epsilon=1, delta=1e-6, clip={"wage": (0, 8000), "rent": (0, 3000)})


@pytest.fixture(scope="module")
def frame():
    return pf.datasets.survey(n=120)


def protected(frame, method, ledger, roles=ROLES, **options):
    return pf.protect(frame, method, roles, ledger=ledger, allow_unprotected=True, **options)


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
    for _ in range(2):
        safe = protected(frame, pf.IPSO("C"), path)
        assert safe.conflicts == ()
    assert pf.evaluate(frame, safe).verdict["ledger"].status == "pass"
    for file in (path, tmp_path / "ledger.json.key"):
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert frame["name"][0] not in path.read_text()
    assert len(json.loads(path.read_text())["releases"]) == 4


@pytest.mark.slow
def test_a_manifest_records_the_conflicts(frame, tmp_path):
    """Defect: a release of a file with a manifest was evaluated as if there were no ledger."""
    source, ledger = tmp_path / "in.csv", tmp_path / "ledger.json"
    frame.to_csv(source, index=False)
    for k in (1, 2):
        output, manifest = tmp_path / f"out{k}.csv", tmp_path / f"manifest{k}.json"
        pf.protect_file(
            source, output, pf.Noise(amount=20), ROLES, manifest=manifest, ledger=ledger, allow_unprotected=True
        )
        release = recorded_release(str(manifest), [output])
        verdict = pf.evaluate(source, replace(release, path=str(output)), measures="pil").verdict
        assert verdict["ledger"].status == ("pass" if k == 1 else "hold")
    whole = manifest.read_text()
    for forged in ({"conflicts": 5, "epsilon": None}, {"conflicts": [], "epsilon": "x"}, {}):
        manifest.write_text(json.dumps(json.loads(whole) | {"ledger": forged}))
        with pytest.raises(pf.errors.InvalidInput, match="as pyfcrm wrote them"):
            recorded_release(str(manifest), [output])


@pytest.mark.parametrize("identifiers", ["name", ()])
def test_vintages(frame, tmp_path, identifiers):
    """Three regressors solve three records that left or were corrected, not four."""
    roles = pf.Roles(["age", "hours"], ["wage", "rent"], identifiers)
    for k in (3, 4):
        for what, other in {"left": frame[k:], "corrected": frame.assign(wage=frame.wage + (frame.index < k))}.items():
            path = tmp_path / f"{k}{what}.json"
            protected(frame, pf.IPSO("C"), path, roles)
            found = protected(other, pf.IPSO("C"), path, roles).conflicts
            assert [f"{k} records differ" in one for one in found] == [True] * (k == 3), (k, what)
    assert protected(frame[60:].assign(name=np.arange(60)), pf.Noise(amount=20), path).conflicts == ()


def test_vintages_of_units(tmp_path):
    """Two units of four periods leave: the wide design has more regressors than that."""
    panel = pd.DataFrame({"id": np.repeat(np.arange(60), 4), "year": np.tile(np.arange(4), 60)})
    panel["x"], panel["y"] = np.random.default_rng(1).normal(size=(2, 240))
    roles, path = pf.Roles("x", "y", unit="id", time="year"), tmp_path / "ledger.json"
    protected(panel, pf.IPSO("C"), path, roles)
    assert "8 records differ" in protected(panel[8:], pf.IPSO("C"), path, roles).conflicts[0]


def test_complementary_roles(frame, tmp_path):
    """Wage protected, rent not, then the reverse: without identifiers too."""
    roles = [pf.Roles(["age"], [name]) for name in ("wage", "rent")]
    path = tmp_path / "ledger.json"
    protected(frame, pf.IPSO("C"), path, roles[0])
    [found] = protected(frame, pf.IPSO("C"), path, roles[1]).conflicts
    assert found.startswith("rent, wage:")


@pytest.mark.slow
def test_budgets_add_up(frame, tmp_path):
    """Two of epsilon 1 are one Gaussian mechanism of twice the rho (close: rtol 1e-6 of an integral); parts of a file do not add."""
    path = tmp_path / "ledger.json"
    totals = [protected(part, PRIVATE, path).registration.epsilon for part in (frame[:60], frame[60:], frame[:60])]
    assert totals[:2] == pytest.approx([1, 1])
    mu, epsilon = 2 * PRIVATE.facts(pf.Roles()).privacy.rho ** 0.5, totals[2]
    edge = epsilon / mu + mu / 2
    delta = quad(lambda x: norm.pdf(x - mu) - np.exp(epsilon) * norm.pdf(x), edge, edge + 40)[0]
    assert delta == pytest.approx(1e-6, rel=1e-5)
    assert 1 < epsilon < 2
    last = protected(frame, PRIVATE, path)
    assert any("in total" in note for note in last.notes)
    for total, status in ((2.5, "pass"), (1.5, "hold")):
        verdict = pf.evaluate(frame, last, limits={"epsilon": total}).verdict
        assert verdict["ledger"].status == status
        assert f"Limits changed: epsilon {total}" in verdict.headline
    plain = protected(frame, pf.IPSO("C"), path)
    assert any("no total" in note for note in plain.notes)
    assert pf.evaluate(frame, plain, limits={"epsilon": 20}).verdict["ledger"].status == "hold"
    without = pf.protect(frame, PRIVATE, ROLES)
    assert pf.evaluate(frame, without, limits={"epsilon": 20}).verdict["ledger"].status == "not examined"


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


@pytest.mark.process
@pytest.mark.slow
def test_processes_at_once_lose_no_release(frame, tmp_path):
    """Two processes record three releases each, numbered in turn."""
    path = tmp_path / "ledger.json"
    script = "import sys, pyfcrm as pf\nfor _ in range(3): pf.protect(pf.datasets.survey(n=60), pf.GADP(), "
    script += "pf.Roles('age', 'wage', 'name'), missing='drop', ledger=sys.argv[1])"
    running = [subprocess.Popen([sys.executable, "-c", script, str(path)]) for _ in range(2)]
    assert [process.wait(120) for process in running] == [0] * 2
    numbers = [entry["number"] for entry in json.loads(path.read_text())["releases"]]
    assert all(b == a + 1 for a, b in pairwise([0, *numbers]))
    assert len(numbers) == 6


@pytest.mark.slow
def test_a_file_by_blocks_and_a_plan(frame, tmp_path):
    """A file that is read by blocks is found again, whatever its format. A plan that is on hold records nothing."""
    source, path = tmp_path / "in.csv", tmp_path / "ledger.json"
    frame.to_csv(source, index=False)
    frame.to_parquet(tmp_path / "in.parquet")
    blocks = open_data("test", str(tmp_path / "in.parquet"), False)
    assert blocks.source is not None
    pf.protect_file(blocks, tmp_path / "out.parquet", pf.Noise(amount=20), ROLES, ledger=path)
    plan = pf.Plan(
        input={"file": str(source)}, roles=ROLES, method=pf.Noise(amount=10),
        output={"release": str(tmp_path / "again.csv"), "ledger": str(path)},
    )  # fmt: skip
    assert pf.run(plan).verdict["ledger"].status == "hold"
    assert len(json.loads(path.read_text())["releases"]) == 1
    pf.run(plan, despite_hold="a trial", by="me")
    first, second = json.loads(path.read_text())["releases"]
    assert [first[what] for what in ("units", "records")] == [second[what] for what in ("units", "records")]


def entry(**facts):
    """A release of the ledger that keeps sums and does not average, of 3 regressors, unless stated otherwise."""
    known = {"number": 1, "time": "2026-01-01", "method": "M", "rho": None, "averages": False, "keeps": True, "regressors": 3,
             "keys": (), "dependent": ["y"], "unmodified": ["x"], "units": "", "records": ""}  # fmt: skip
    return Entry(**known | facts)


@pytest.mark.parametrize(
    ("own", "earlier", "kinds"),
    [
        ({}, {}, ["solved"]),
        ({"keeps": False}, {}, []),
        ({"averages": True}, {}, ["solved"]),
        ({}, {"averages": True}, ["solved"]),
        ({"averages": True}, {"averages": True}, ["repeated", "solved"]),
        ({"regressors": 2}, {"regressors": 2}, []),
        ({"regressors": 2}, {"regressors": 3}, ["solved"]),
        ({"regressors": 5}, {}, ["solved"]),  # by either count; the smaller is named
        ({"dependent": ["z"]}, {}, []),
        ({"dependent": ["x"], "unmodified": []}, {}, ["joined"]),
        ({"dependent": ["z"], "unmodified": ["y"]}, {}, ["joined"]),
    ],
    ids=str,
)
def test_conflicts_by_hand(monkeypatch, own, earlier, kinds):
    """Of 40 common records 3 differ by their units, and 5 with corrected values: at most as many as regressors can be solved.

    Means of releases are near the originals only where both are of methods that average. Identical.
    """
    monkeypatch.setattr(Entry, "overlap", lambda self, other: (40, (5, 3)))
    starts = {"repeated": "40 records were released before", "solved": "3 records differ from", "joined": "x:"}
    if own.get("unmodified") == ["y"]:
        starts["joined"] = "y:"
    found = list(entry(number=2, **own).conflicts(entry(**earlier)))
    assert len(found) == len(kinds)
    assert all(one.startswith(starts[kind]) for one, kind in zip(found, kinds, strict=True)), found

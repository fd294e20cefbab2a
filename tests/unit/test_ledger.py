"""The release ledger. Oracle: conflicts that are known from how two releases of a file were made; budgets by an integral."""

from __future__ import annotations

import json
import stat
import subprocess
import sys
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.integrate import quad
from scipy.stats import norm

import pyfcrm as pf
from pyfcrm.data import open_data
from pyfcrm.errors import InvalidInput
from pyfcrm.protection.ledger.entry import Entry
from pyfcrm.protection.ledger.file import locked, write
from pyfcrm.protection.ledger.hashed_columns import hashed_columns
from pyfcrm.protection.ledger.sketches import Sketches
from pyfcrm.protection.options import Options
from pyfcrm.protection.request import protect_request
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
    known = {"number": 1, "time": "2026-01-01", "confirmed": True, "method": "M", "rho": None, "averages": False, "keeps": True,
             "regressors": 3, "names": (), "keys": (), "dependent": ["y"], "unmodified": ["x"], "units": "", "records": "",
             "sketches": None}  # fmt: skip
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
    monkeypatch.setattr(Entry, "renamed", lambda self, other: {})
    starts = {"repeated": "40 records were released before", "solved": "3 records differ from", "joined": "x:"}
    if own.get("unmodified") == ["y"]:
        starts["joined"] = "y:"
    found = list(entry(number=2, **own).conflicts(entry(**earlier)))
    assert len(found) == len(kinds)
    assert all(one.startswith(starts[kind]) for one, kind in zip(found, kinds, strict=True)), found


def sketches(frame, identifiers=()):
    """The sketches of a frame under a fixed key."""
    key = b"k" * 32
    return Sketches.of(hashed_columns(open_data("test", frame), key), identifiers, key)


def enterprises(n=400, seed=1):
    """Amounts rounded to hundreds and thousands, with a group and a region that many records share."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame({"region": rng.choice(list("ABCD"), n), "size": rng.integers(1, 6, n)})
    frame["wage"] = np.exp(7.2 + 0.15 * frame["size"] + 0.4 * rng.normal(size=n)).round(-2)
    frame["debt"] = np.exp(9 + 0.8 * rng.normal(size=n)).round(-3)
    return frame


FILE = enterprises()
DISGUISES = {
    "one more column": FILE.assign(rent=np.arange(400) * 7.0),
    "one column less": FILE.drop(columns="debt"),
    "lower case, blanks": FILE.assign(region=" " + FILE.region.str.lower()),
    "numbers as text": FILE.assign(size=FILE["size"].astype(str), wage=FILE.wage.astype(str)),
    "names in upper case": FILE.rename(columns=str.upper),
    "another order": FILE.sample(frac=1, random_state=1),
    "wages revised by .1 %, size as text": FILE.assign(wage=FILE.wage * 1.001, size=FILE["size"].astype(str)),
    "only three columns, revised": FILE[["region", "size", "wage"]].assign(wage=FILE.wage * 1.001),
    "half of the records": FILE[::2],
    "other names": FILE.set_axis(["land", "staff", "pay", "liabilities"], axis=1),
    "names exchanged": FILE.rename(columns={"wage": "debt", "debt": "wage"}),
    "other names, three columns, revised": FILE[["region", "size", "wage"]]
    .assign(wage=FILE.wage * 1.001)
    .set_axis(["land", "staff", "pay"], axis=1),
    "other names and units": FILE.assign(wage=FILE.wage * 1.17, debt=FILE.debt / 1000 + 5).set_axis(
        ["land", "staff", "pay", "liabilities"], axis=1
    ),
    "one name and unit": FILE.assign(wage=FILE.wage * 1.17).rename(columns={"wage": "pay"}),
    "other names, half of the records": FILE[::2].set_axis(["land", "staff", "pay", "liabilities"], axis=1),
}


@pytest.mark.parametrize("disguise", DISGUISES)
def test_what_does_not_hide_an_overlap(disguise):
    """Statistical: the estimate of common records is near their number (within a fifth, the seed is fixed)."""
    other = DISGUISES[disguise]
    assert sketches(other).common(sketches(FILE)).records == pytest.approx(len(other), rel=0.2)


@pytest.mark.slow
@pytest.mark.parametrize("n", [60, 400, 3000])
def test_unrelated_files_of_a_survey_do_not_overlap(n):
    """Statistical: none of 21 pairs of files (one in a thousand is expected), numbered records included."""
    for seed in range(3):
        one, other = enterprises(n, 2 * seed + 1), enterprises(n, 2 * seed + 2)
        files = pf.datasets.survey(n, seed=2 * seed + 1), pf.datasets.survey(n, seed=2 * seed + 2)
        assert not sketches(one).common(sketches(other)).records
        assert not sketches(one.assign(number=range(n))).common(sketches(other.assign(number=range(n)))).records
        numbered = [sketches(each.assign(number=range(n)), ["number"]) for each in (one, other)]
        assert not numbered[0].common(numbered[1]).records
        assert not sketches(files[0], ["name"]).common(sketches(files[1], ["name"])).records
        columns = ["region", "stratum", "age", "size"]
        assert not sketches(files[0][columns]).common(sketches(files[1][columns])).records
        other_names = other.set_axis(["land", "staff", "pay", "liabilities"], axis=1)
        assert not sketches(one).common(sketches(other_names)).records
        assert not sketches(files[0]).common(sketches(files[1].add_prefix("new "))).records
        in_other_units = other_names.assign(
            pay=other_names["pay"] * 1.17, liabilities=other_names["liabilities"] / 1000
        )
        assert not sketches(one).common(sketches(in_other_units)).records


def test_a_few_persons_in_common():
    """Five of 400 persons are in both files, by their ids. Identical."""
    other = pd.concat([FILE.assign(id=range(400))[:5], enterprises(seed=9).assign(id=range(400, 800))])
    assert sketches(other, ["id"]).common(sketches(FILE.assign(id=range(400)), ["id"])).records == 5


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", ["one more column", "region in lower case", "other names", "other names and units", "nothing"]
)
def test_complementary_roles_in_other_files(tmp_path, change):
    """Wage protected, then debt: one join restores both. Defect: any change of the second file hid it."""
    path = tmp_path / "ledger.json"
    other = {"one more column": FILE.assign(rent=FILE.debt * 0.1), "region in lower case": FILE.assign(region=FILE.region.str.lower()),
             "other names": FILE.set_axis(["land", "staff", "pay", "liabilities"], axis=1), "nothing": FILE,
             "other names and units": DISGUISES["other names and units"]}[change]  # fmt: skip
    names = list(other)
    pf.protect(FILE, pf.IPSO("C"), pf.Roles(["region", "size"], "wage"), ledger=path)
    [found] = pf.protect(other, pf.IPSO("C"), pf.Roles(names[:2], names[3]), ledger=path).conflicts
    assert found.startswith(f"{', '.join(sorted(names[2:4]))}:")


@pytest.mark.slow
def test_noise_on_revised_wages_averages(tmp_path):
    """Defect: wages revised by .1 per cent, with sizes as text, were another file."""
    path = tmp_path / "ledger.json"
    files = (
        FILE[["region", "size", "wage"]],
        DISGUISES["wages revised by .1 %, size as text"][["region", "size", "wage"]],
    )
    first, second = (protected(each, pf.Noise(amount=50), path, pf.Roles(["region", "size"], "wage")) for each in files)
    assert first.conflicts == ()
    assert "records were released before, in release 1" in second.conflicts[0]


@pytest.mark.process
@pytest.mark.slow
def test_of_eight_releases_at_once_seven_learn_of_another(tmp_path):
    """Defect: all eight were compared with the same ledger. The entries of a manifest and of the ledger agree."""
    path, source = tmp_path / "ledger.json", tmp_path / "in.csv"
    FILE.to_csv(source, index=False)
    script = (
        "import sys, pyfcrm as pf\n"
        "pf.protect_file(sys.argv[1], sys.argv[2] + '.csv', pf.Noise(amount=50), pf.Roles(['region', 'size'], ['wage', 'debt']),"
        " manifest=sys.argv[2] + '.json', ledger=sys.argv[3])"
    )
    outputs = [tmp_path / f"out{k}" for k in range(8)]
    running = [subprocess.Popen([sys.executable, "-c", script, str(source), str(out), str(path)]) for out in outputs]
    assert [process.wait(300) for process in running] == [0] * 8
    releases = json.loads(path.read_text())["releases"]
    assert [(each["number"], each["confirmed"]) for each in releases] == [(k, True) for k in range(1, 9)]
    conflicts = [len(json.loads(out.with_suffix(".json").read_text())["ledger"]["conflicts"]) for out in outputs]
    assert sorted(conflicts) == list(range(8))


@pytest.mark.slow
def test_no_release_without_its_entry(tmp_path, monkeypatch):
    """A disk that is full for the ledger leaves no release; one that is full for the release, no entry."""
    path, source = tmp_path / "ledger.json", tmp_path / "in.csv"
    FILE.to_csv(source, index=False)
    roles = pf.Roles(["region", "size"], ["wage", "debt"])
    pf.protect_file(source, tmp_path / "first.csv", pf.Noise(amount=50), roles, ledger=path)

    def full(*arguments, **options):
        raise InvalidInput("disk", "must have room", "full")

    with monkeypatch.context() as patched:
        patched.setattr("pyfcrm.protection.ledger.file.write_bytes", full)
        for release in (
            lambda: pf.protect_file(source, tmp_path / "out.csv", pf.Noise(amount=50), roles, ledger=path),
            lambda: pf.protect(source, pf.Noise(amount=50), roles, output=tmp_path / "out.csv", ledger=path),
            lambda: pf.protect(FILE, pf.Noise(amount=50), roles, ledger=path),
        ):
            with pytest.raises(InvalidInput, match="must have room"):
                release()
    assert not (tmp_path / "out.csv").exists()
    with monkeypatch.context() as patched:
        patched.setattr("pyfcrm.files.atomic.os.replace", lambda *names: full())
        patched.setattr(
            "pyfcrm.protection.ledger.file.write_bytes", lambda path, data, mode: Path(path).write_bytes(data)
        )
        with pytest.raises(InvalidInput, match="must have room"):
            pf.protect_file(source, tmp_path / "out.csv", pf.Noise(amount=50), roles, ledger=path)
    assert len(json.loads(path.read_text())["releases"]) == 1


def test_a_release_that_may_have_happened_counts(tmp_path):
    """A process that died between its entry and the confirmation: the next release has it as a conflict, in these words."""
    path = tmp_path / "ledger.json"
    roles = pf.Roles(["region", "size"], "wage")
    request = protect_request(pf.Noise(amount=50), roles, 1, Options(), None)
    with locked(str(path)) as key:
        entry = Entry.of(open_data("test", FILE), request, key)
        write(str(path), key, [replace(entry, number=1)])
    [found] = pf.protect(FILE, pf.Noise(amount=50), roles, ledger=path).conflicts
    assert "may have happened" in found


@pytest.mark.parametrize("clash", ["input", "output", "manifest", "key of another ledger"])
def test_a_ledger_is_no_other_file_of_the_run(tmp_path, clash):
    """Defect: a release that was its own ledger was left without an entry. Nothing is written."""
    source, output, manifest = tmp_path / "in.csv", tmp_path / "out.csv", tmp_path / "manifest.json"
    FILE.to_csv(source, index=False)
    ledger = {"input": source, "output": output, "manifest": manifest, "key of another ledger": tmp_path / "x.key"}
    before = sorted(tmp_path.iterdir())
    with pytest.raises(InvalidInput, match=r"another file of this run|name must not end with"):
        pf.protect_file(
            source, output, pf.Noise(amount=50), pf.Roles(["region", "size"], "wage"), manifest=manifest, ledger=ledger[clash],
            overwrite=True,
        )  # fmt: skip
    assert sorted(tmp_path.iterdir()) == before

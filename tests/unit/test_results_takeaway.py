"""What may be taken away of a trial: its bytes, its names, and what it must not tell.

Oracles: protect_file() on the same file; what was put in (values, seed, folder) looked for in what comes out. Grade:
identical.
"""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pandas as pd
import pytest

pytest.importorskip("shiny", reason="needs the extra app")

from support.cli import people
from support.trials import ROLES, embedded_trials, file_source, odd_file, trial

import pyfcrm as pf
from pyfcrm.app.visit import Visit
from pyfcrm.app.workbench.bench import Source, Trial
from pyfcrm.app.workbench.results.later import before_and_after, risk
from pyfcrm.app.workbench.results.tables import measures, provenance, verdict_html
from pyfcrm.app.workbench.results.takeaway import release_bytes, report_bytes, sayings
from pyfcrm.errors import InvalidInput
from pyfcrm.evaluation.verdict import Test, Verdict
from pyfcrm.files import write_table
from pyfcrm.protection.file import protect_file

SEED = 271_828_182
STATES = ("pass", "hold", "not examined")
PLAIN = pf.Roles(["a", "b"], ["c", "d"], ["id"])


@pytest.fixture
def visit():
    one = Visit()
    yield one
    one.end()


DECIDED = ("a court order", "A. Person")


def dropped(folder: Path, kind: str = "csv") -> Trial:
    people().to_csv(folder / "people.csv", index=False)
    path = folder / f"people.{kind}"
    if kind != "csv":
        write_table(people().drop(columns="note"), path)
    return replace(trial(file_source(path), pf.Noise("laplace", 12.5), PLAIN, seed=SEED), despite=DECIDED)


@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_the_release_is_what_protect_file_writes(kind: str, tmp_path: Path, visit: Visit) -> None:
    one = dropped(tmp_path, kind)
    protect_file(tmp_path / f"people.{kind}", tmp_path / f"o.{kind}", one.method, PLAIN, SEED, disarm=True)
    assert release_bytes(one, visit) == (tmp_path / f"o.{kind}").read_bytes()
    assert list(visit.folder.iterdir()) == []


@pytest.mark.slow
def test_labels_stay_in_an_spss_file(tmp_path: Path, visit: Visit) -> None:
    import pyreadstat

    frame = people().drop(columns=["note", "id"]).assign(sex=[1.0, 2.0] * (len(people()) // 2))
    labels = {"variable_value_labels": {"sex": {1.0: "woman", 2.0: "man"}}, "column_labels": {"c": "wage"}}
    pyreadstat.write_sav(frame, tmp_path / "people.sav", **labels)
    one = trial(file_source(tmp_path / "people.sav"), pf.IPSO("C"), pf.Roles(["a", "b"], ["c", "d"]))
    (tmp_path / "out.sav").write_bytes(release_bytes(replace(one, despite=DECIDED), visit))
    released, about = pyreadstat.read_sav(tmp_path / "out.sav")
    assert about.variable_value_labels == {"sex": {1.0: "woman", 2.0: "man"}}
    assert about.column_names_to_labels["c"] == "wage"
    assert not released["c"].equals(frame["c"])


def test_a_release_that_cannot_be_written_names_no_folder(tmp_path: Path, visit: Visit) -> None:
    frame = people().rename(columns={"c": "a name that Stata cannot take"})
    frame.to_csv(tmp_path / "x.csv", index=False)
    source = file_source(tmp_path / "x.csv")
    one = trial(source, pf.GADP(), pf.Roles("a", "d"), judged=())
    renamed = Source("x.dta", source.path, source.table)
    with pytest.raises(InvalidInput) as caught:
        release_bytes(Trial(1, renamed, one.method, one.released, one.report, despite=DECIDED), visit)
    assert str(caught.value).startswith("x-protected.dta: every column's name")
    assert str(visit.folder) not in str(caught.value)


@pytest.mark.slow
def test_the_outside_report_and_the_release_tell_nothing_that_helps(tmp_path: Path, visit: Visit) -> None:
    """Searched for: the seed, the parameter, original values with decimals, folders; the inside report has them."""
    one = dropped(tmp_path)
    outside = report_bytes(one, "external").decode()
    inside = report_bytes(one, "internal", (one,)).decode()
    for secret in (str(SEED), "12.5", "amount"):
        assert secret not in outside
        assert secret in inside
    release = release_bytes(one, visit).decode()
    for text in (outside, release):
        assert str(SEED) not in text
        assert str(tmp_path) not in text
        assert str(visit.folder) not in text
    assert "pyfcrm-studio" not in inside
    original = [f"{value!r}" for value in people()["c"] if len(f"{value!r}") > 5]
    assert original
    assert not any(value in outside or value in release for value in original)


@pytest.mark.slow
def test_the_inside_report_has_the_map_of_all_that_was_tried() -> None:
    trials = embedded_trials()
    page = report_bytes(trials[1], "internal", trials).decode()
    assert page.count("<img") == 4
    assert "Everything tried on this file" in page
    assert all(one.name in page for one in trials)
    assert "Everything tried" not in report_bytes(trials[1], "external", trials).decode()
    assert not re.search(r"""(src|href)=["'](?!data:)""", page)


def with_verdict(one: Trial, status: str) -> Trial:
    return replace(one, report=replace(one.report, verdict=Verdict((Test("range", status),))), despite=("", ""))  # type: ignore[arg-type]


@pytest.mark.parametrize("status", ["hold", "not examined"])
@pytest.mark.slow
def test_without_a_pass_a_release_needs_a_reason_and_a_name(status: str, tmp_path: Path, visit: Visit) -> None:
    """Both stand in both reports, with the verdict."""
    one = with_verdict(dropped(tmp_path), status)
    for despite in (("", ""), ("a court order", ""), ("", "A. Person")):
        with pytest.raises(InvalidInput, match="a reason and a name"):
            release_bytes(replace(one, despite=despite), visit)
    assert release_bytes(replace(one, despite=DECIDED), visit) == release_bytes(with_verdict(one, "pass"), visit)
    inside, outside = (report_bytes(replace(one, despite=DECIDED), form).decode() for form in ("internal", "external"))
    for page in (inside, outside):
        assert f"Verdict: {status.upper()}." in page
        assert 'class="verdict pass"' not in page
    assert all(word in inside and word in outside for word in DECIDED)


def test_only_a_pass_is_green(tmp_path: Path) -> None:
    """Oracle: the class that the style sheet colours."""
    one = dropped(tmp_path)
    green = {status: "green" in verdict_html(with_verdict(one, status).report.verdict) for status in STATES}
    assert green == {"pass": True, "hold": False, "not examined": False}
    assert "green" not in verdict_html(pf.Report({}, (), 0).verdict)


def test_cells_that_were_disarmed_are_counted(tmp_path: Path, visit: Visit) -> None:
    path = odd_file(tmp_path)
    one = trial(file_source(path), pf.IPSO("C"), ROLES, judged=())
    assert (pd.read_csv(path)["remark"] == "=1+1").sum() == 3
    assert sayings(one) == [
        "3 cells of text begin like a formula: an apostrophe in front keeps a spreadsheet from running it"
    ]
    assert release_bytes(replace(one, despite=DECIDED), visit).decode().count("'=1+1") == 3
    frame = pd.DataFrame({"-x": [k - 2.5 for k in range(60)], "y": range(60)})
    frame.to_csv(tmp_path / "y.csv", index=False)
    assert sayings(trial(file_source(tmp_path / "y.csv"), pf.Dummy(), pf.Roles((), "y"), judged=()))[0].startswith(
        "1 cell"
    )
    assert sayings(trial(file_source(tmp_path / "y.csv"), pf.Dummy(), pf.Roles("-x", "y", ()), judged=())) != []


@pytest.mark.slow
def test_pictures_and_records_at_risk() -> None:
    one = embedded_trials()[0]
    told: list[int] = []
    page = before_and_after(one, lambda done, most, what: told.append(done))
    assert len(re.findall(r'<img alt="[^"]{20,}" src="data:image/png;base64,', page)) == 3
    found = pf.records_at_risk(one.source.table.frame, one.released.frame, one.report.columns, method=one.method)
    page = risk(one, lambda done, most, what: told.append(done))
    assert f"{int(found.linked.sum())} of 1,000 records" in page
    assert page.count("<tr>") == 1 + min(50, int(found.linked.sum()))
    assert told


@pytest.mark.slow
def test_an_odd_name_cannot_write_into_the_page(tmp_path: Path) -> None:
    wild = "<img src=x onerror=alert(1)>"
    frame = people().rename(columns={"c": wild})
    frame.to_csv(tmp_path / "x.csv", index=False)
    one = trial(file_source(tmp_path / "x.csv"), pf.IPSO("C"), pf.Roles(["a", "b"], [wild, "d"]))
    texts = [
        measures(one),
        provenance(one),
        before_and_after(one, lambda *_: None),
        report_bytes(one, "internal", (one,)).decode(),
    ]
    for text in texts:
        assert "<img src=x" not in text
        assert "&lt;img src=x" in text or wild not in text

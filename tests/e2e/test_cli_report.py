"""pyfcrm report: one page, alone, in two forms.

Oracles: the numbers of pf.evaluate on the same frames, as they stand in the page; the values of the original, which the
external form must not hold; html.parser, for what a page refers to. Grade: identical.
"""

from __future__ import annotations

import json
import os
import re
import stat
from hashlib import sha256
from html.parser import HTMLParser
from pathlib import Path

import pandas as pd
import pytest
from support.cli import households, people, pyfcrm

import pyfcrm as pf
from pyfcrm.measures import MEASURES


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    frame = people()
    frame.to_csv("in.csv", index=False)
    words = ["--method", "fcrm", "--set", "c=3", "--independent", "a,b", "--dependent", "c,d", "--seed", "4242"]
    ran = pyfcrm("protect", "in.csv", "-o", "out.csv", *words, "--manifest", "private.json")
    assert ran.status == 0, ran
    return tmp_path


def page(*words):
    ran = pyfcrm("report", "in.csv", "out.csv", "-o", "page.html", "--columns", "c,d", *words)
    assert ran.status == 0, ran
    return Path("page.html").read_text(encoding="utf-8")


@pytest.mark.slow
def test_copies_are_reported_together(folder):
    """Oracle: pf.evaluate of the three files; the manifest that speaks of each of them, and of no fourth. Identical."""
    words = ["--method", "gadp", "--independent", "a,b", "--dependent", "c,d", "--seed", "1", "--copies", "3"]
    ran = pyfcrm("protect", "in.csv", "-o", "new.csv", *words, "--manifest", "copies.json")
    assert ran.status == 0, ran
    words = ["report", "in.csv", "new.csv", "-o", "page.html", "--columns", "c,d", "--copies", "3"]
    ran = pyfcrm(*words, "--manifest", "copies.json", "--measures", "dbrl,pil")
    assert ran.status == 0, ran
    text = Path("page.html").read_text(encoding="utf-8")
    files = [f"new-{k}.csv" for k in (1, 2, 3)]
    expected = pf.evaluate("in.csv", files, ["c", "d"], ["dbrl", "pil"])
    for line in expected.rows():
        assert f"{line['value']:.2f}" in text, line
    for words_in in ("their mean", "3 copies evaluated together", "new-1.csv, new-2.csv, new-3.csv"):
        assert words_in in text
    for file in files:
        assert sha256(Path(file).read_bytes()).hexdigest() in text
    Path("new-3.csv").write_bytes(Path("new-1.csv").read_bytes() + b"\n")
    ran = pyfcrm(*words, "--manifest", "copies.json")
    assert ran.status == 2
    assert "new-3.csv is not the release of the manifest" in ran.err


class Addresses(HTMLParser):
    """Everything that a page would fetch or run."""

    def __init__(self):
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag, attrs):
        if tag in ("script", "link", "iframe", "object", "embed", "base", "form"):
            self.found.append(tag)
        names = ("src", "href", "srcset", "action", "data", "background")
        fetched = [(name, value or "") for name, value in attrs if name in names or name.startswith("on")]
        self.found += [
            f"{name}={value}" for name, value in fetched if not value.startswith(("data:image/png;base64,", "#"))
        ]


@pytest.mark.slow
@pytest.mark.parametrize("form", ["internal", "external"])
def test_the_page_stands_alone(form):
    text = page("--form", form, "--manifest", "private.json")
    seen = Addresses()
    seen.feed(text)
    assert seen.found == []
    assert "http" not in text
    assert "@import" not in text
    assert "url(" not in text


@pytest.mark.slow
def test_the_internal_form_has_the_numbers_the_seed_and_the_records():
    text = page("--manifest", "private.json")
    judged = pf.evaluate(pd.read_csv("in.csv"), pd.read_csv("out.csv"), ["c", "d"])
    for key in judged.keys():  # noqa: SIM118
        assert f">{judged[key]:,.2f}<" in text
        assert MEASURES[key].reading.split(":")[0] in text
    assert ">4242<" in text
    assert "Records at risk" in text
    assert text.count("data:image/png") == 1  # the distributions
    assert "must not leave the agency" in text
    assert stat.S_IMODE(Path("page.html").stat().st_mode) == 0o600


def test_the_external_form_holds_nothing_that_helps_an_intruder():
    text = page("--form", "external", "--manifest", "private.json")
    frame, release = pd.read_csv("in.csv"), pd.read_csv("out.csv")
    judged = pf.evaluate(frame, release, ["c", "d"])
    text = re.sub(r"[0-9a-f]{64}", "", text)  # the release's digest
    shown = set(re.findall(r"-?[\d,]+\.\d+", text))
    for key in ("pil", "dbrl", "prl", "id", "dr", "score"):
        assert f"{judged[key]:,.2f}" not in shown
    ends = {
        f"{value:,.2f}" for name in ("c", "d") for file in (frame, release) for value in file[name].agg(["min", "max"])
    }
    assert not ends & shown
    for word in ("4242", "seed", "in.csv", "out.csv", "data:image", "record<", "c=3", "linked"):
        assert word not in text


def test_a_dossier_is_written_with_its_document_and_verified():
    """Oracle: the reason of a hold in the manifest, hashlib; verify after one changed byte."""
    manifest = json.loads(Path("private.json").read_text(encoding="utf-8"))
    manifest["release"] = {"despite_hold": "a court order", "by": "A. Person"}
    Path("private.json").write_text(json.dumps(manifest), encoding="utf-8")
    words = ["report", "in.csv", "out.csv", "-o", "board.html", "--dossier", "--measures", "pil"]
    ran = pyfcrm(*words, "--manifest", "private.json", "--purpose", "a course")
    assert ran.status == 0, ran
    assert ran.out.splitlines()[-1] == "files: board.html, board.json"
    facts = json.loads(Path("board.json").read_text(encoding="utf-8"))["dossier"]
    assert facts["purpose"]["purpose"] == "a course"
    assert facts["decision"]["despite"] == {"reason": "a court order", "by": "A. Person"}
    assert facts["files"]["release"]["sha256"] == sha256(Path("out.csv").read_bytes()).hexdigest()
    text = Path("board.html").read_text(encoding="utf-8")
    assert "4242" not in re.sub(r"[0-9a-f]{64}", "", text)
    assert os.getcwd() not in text
    seen = Addresses()
    seen.feed(text)
    assert seen.found == []
    verify = ["verify", "private.json", "--release", "out.csv", "--dossier", "board.json"]
    assert pyfcrm(*verify).status == 0
    Path("board.html").write_text(text.replace("a course", "a cause"), encoding="utf-8")
    ran = pyfcrm(*verify)
    assert ran.status == 1
    assert "board.html is not the page of the dossier" in ran.out


@pytest.mark.parametrize(
    ("words", "rule"),
    [
        (["--dossier"], "needs --manifest"),
        (["--dossier", "--manifest", "private.json", "--form", "external"], "must be left out with --dossier"),
        (["--manifest", "private.json", "--purpose", "a course"], "belongs to --dossier"),
        (["--dossier", "--manifest", "private.json", "-o", "page.txt"], "extension must be one of .html, .json"),
        (["--dossier", "--manifest", "private.json", "-o", "private.html"], "must not replace another file"),
    ],
)
def test_a_dossier_that_cannot_be_made_is_refused_in_one_line(words, rule):
    ran = pyfcrm("report", "in.csv", "out.csv", "-o", "page.html", *words)
    assert (ran.status, ran.out) == (2, "")
    assert rule in ran.err
    assert len(ran.err.splitlines()) == 1


@pytest.mark.slow
def test_it_is_filed_by_digests_and_shows_the_verdict():
    """Oracle: hashlib, and pf.evaluate. Identical. The external form has neither the original's digest nor a quantity."""
    both = [sha256(Path(name).read_bytes()).hexdigest() for name in ("in.csv", "out.csv")]
    verdict = pf.evaluate("in.csv", "out.csv", ["c", "d"], limits={"dr": 0.5}).verdict
    inside = page("--limit", "dr=0.5")
    assert all(
        one in inside for one in (*both, "in.csv", "out.csv", "Signature", verdict.headline, verdict["dr"].found_text)
    )
    outside = page("--form", "external", "--limit", "dr=0.5")
    assert both[1] in outside
    assert verdict.headline in outside
    assert not [one for one in (both[0], "Signature", verdict["dr"].found_text) if one in outside]


@pytest.mark.slow
def test_the_verdict_comes_first_and_check_gates(folder):
    """Oracle: pf.evaluate with audit=True of the release, as its manifest describes it. The audit is in the page."""
    households().to_csv("in.csv", index=False)
    words = ["--method", "calibrated", "--set", "method={ipso:kind=C}", "--independent", "a,b", "--dependent", "c,d"]
    words += ["--identifiers", "id", "--manifest", "private.json", "--overwrite", "--seed", "1"]
    assert pyfcrm("protect", "in.csv", "-o", "out.csv", *words).status == 0
    words = ["report", "in.csv", "out.csv", "-o", "page.html", "--manifest", "private.json", "--check"]
    ran = pyfcrm(*words, "--audit", "run")
    frame, roles = pf.read_table("in.csv"), pf.Roles(["a", "b"], ["c", "d"], ["id"])
    release, method = pf.read_table("out.csv"), pf.Calibrated(pf.IPSO("C"))
    report = pf.evaluate(frame, release, roles=roles, method=method, audit=True)
    expected = report.verdict
    assert expected.ok
    assert (ran.status, ran.out.splitlines()[:-1]) == (0, report.lines())
    text = Path("page.html").read_text(encoding="utf-8")
    assert text.index(expected.headline) < text.index("<h2>3 Utility</h2>") < text.index("<h2>6 Audit</h2>")
    ran = pyfcrm(*words)
    assert (ran.status, ran.out.splitlines()[0]) == (1, "Verdict: NOT EXAMINED.")
    assert "shadow releases" not in Path("page.html").read_text(encoding="utf-8")

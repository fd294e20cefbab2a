"""--json of the commands that write files or print tables, and shell completion. Oracles: the declarations, the files."""

import json

import pandas as pd
import pytest
from support.cli import pyfcrm
from support.studio import people

from pyfcrm.cli.commands import COMMANDS
from pyfcrm.cli.run import run
from pyfcrm.measures import MEASURES
from pyfcrm.methods import METHODS

ROLES = ("--independent", "a,b", "--dependent", "c,d", "--identifiers", "id", "--seed", "1")


def document(*words):
    """What a command prints: one JSON document."""
    ran = pyfcrm(*words, "--json")
    assert (ran.status, ran.err) == (0, "")
    return json.loads(ran.out)


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people(60).to_csv("in.csv", index=False)
    return tmp_path


@pytest.mark.slow(3)
def test_files_are_written_as_well(folder):
    """protect, sweep and report: the document names what was written."""
    protect = document("protect", "in.csv", "-o", "out.csv", "--method", "ipso", *ROLES)
    assert "out.csv" in json.dumps(protect)
    assert len(pd.read_csv("out.csv")) == 60
    sweep = document("sweep", "in.csv", "-o", "sweep", "--candidates", "ipso:kind=A|C", *ROLES)
    assert [row["parameters"] for row in sweep["candidates"]] == ["kind=A", "kind=C"]
    report = document("report", "in.csv", "out.csv", "-o", "page.html", "--columns", "c,d")
    assert report["verdict"]["status"] in ("hold", "not examined")
    assert (folder / "page.html").is_file()


def test_tables_are_the_declarations():
    assert len(document("methods")["methods"]) == len(METHODS)
    assert "kind" in json.dumps(document("methods", "ipso"))
    assert len(document("measures")["measures"]) == len(MEASURES)


def test_a_shell_completes_commands(monkeypatch, capsysbinary):
    monkeypatch.setenv("_PYFCRM_COMPLETE", "bash_complete")
    monkeypatch.setenv("COMP_WORDS", "pyfcrm ")
    monkeypatch.setenv("COMP_CWORD", "1")
    assert run([]) == 0
    assert {line.split(",")[1] for line in capsysbinary.readouterr().out.decode().split()} == set(COMMANDS)

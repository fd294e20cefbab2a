"""Standard input and output in the place of files, and roles that are proposed. Oracle: the same command with files. Grade: identical."""

import os
import pty
import subprocess
import sys

import pytest

import pyfcrm as pf

pytestmark = [pytest.mark.process, pytest.mark.slow(10)]
PROTECT = [
    "--method",
    "ipso",
    "--seed",
    "1",
    "--dependent",
    "wage,rent",
    "--independent",
    "age,hours",
    "--missing",
    "drop",
]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("pipes")
    frame = pf.datasets.survey(300)
    frame.to_csv(folder / "in.csv", index=False)
    frame.to_parquet(folder / "in.parquet")
    return folder


def shell(folder, *words, data=b"", **more):
    """A command with bytes on standard input: status, standard output, standard error."""
    command = [sys.executable, "-m", "pyfcrm", *words]
    done = subprocess.run(command, cwd=folder, input=data, capture_output=True, timeout=300, check=False, **more)
    return done.returncode, done.stdout, done.stderr.decode()


@pytest.mark.parametrize("name", ["in.csv", "in.parquet"])
def test_a_release_through_pipes_is_that_of_files(folder, name):
    data = (folder / name).read_bytes()
    status, released, told = shell(folder, "protect", "-", "-o", "-", *PROTECT, data=data)
    assert status == 0, told
    shell(folder, "protect", name, "-o", "out.csv", *PROTECT, "--overwrite")
    assert released == (folder / "out.csv").read_bytes()
    assert "300 records" in told


def test_a_proposal_reads_standard_input(folder):
    status, table, told = shell(folder, "roles", "-", data=(folder / "in.csv").read_bytes())
    assert status == 0, told
    assert b"identifiers" in table


def test_a_report_goes_to_standard_output(folder):
    words = ["report", "in.csv", "-", "-o", "-", "--dependent", "wage,rent", "--independent", "age,hours"]
    status, page, told = shell(folder, *words, data=(folder / "in.csv").read_bytes())
    assert status == 0, told
    assert page.startswith(b"<!DOCTYPE html>")
    assert page.rstrip().endswith(b"</html>")
    assert "Verdict" in told


@pytest.mark.parametrize(
    "words",
    [
        ["evaluate", "in.csv", ""],
        ["evaluate", "", "in.csv"],
        ["records-at-risk", "in.csv", ""],
        ["analyse", "in.csv", "", "wage ~ age"],
        ["dependence", "", ""],
        ["describe", ""],
        ["evaluate", "-", "-"],
        ["run", ""],
        ["protect", "in.csv", "-o", "", *PROTECT],
        ["protect", "in.csv", "-o", "-", "--json", *PROTECT],
        ["protect", "in.csv", "-o", "-", "--copies", "2", *PROTECT],
        ["protect", "in.csv", "-o", "new.csv", "--method", "ipso"],
    ],
    ids=" ".join,
)
def test_a_mistake_is_one_line_of_status_2(folder, words):
    status, out, told = shell(folder, *words)
    assert status == 2
    assert not out
    assert told.splitlines()[-1].startswith("pyfcrm: ")
    assert "Traceback" not in told
    assert not (folder / "new.csv").exists()


def test_proposed_roles_are_accepted_by_a_word(folder):
    words = ["protect", "in.csv", "-o", "proposed.csv", "--method", "calibrated", "--missing", "protect"]
    status, _, told = shell(folder, *words, "--yes")
    assert status == 0, told
    assert "identifiers" in told
    assert b"name" not in (folder / "proposed.csv").read_bytes().splitlines()[0].split(b",")


@pytest.mark.parametrize(("answer", "status"), [(b"y\n", 0), (b"n\n", 130)])
def test_a_terminal_is_asked(folder, answer, status):
    outer, inner = pty.openpty()
    command = [sys.executable, "-m", "pyfcrm", "protect", "in.csv", "-o", "asked.csv", "--method", "ipso"]
    process = subprocess.Popen(
        [*command, "--missing", "drop", "--overwrite"],
        cwd=folder,
        stdin=inner,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    os.write(outer, answer)
    _, told = process.communicate(timeout=300)
    os.close(outer)
    os.close(inner)
    assert process.returncode == status, told
    assert b"Protect the file with these roles?" in told

"""The inference baseline: the same report from R, from Python and from the command line, with a seed or R's own numbers.

Oracle: each for the others. Grade: identical, to the last bit.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from support.cli import pyfcrm
from support.r_package import r_with_fcrm, requires_r_package
from support.three_doors import R_SIDE, as_r, hand_over, mixed, quoted, same_bits

import pyfcrm as pf

pytestmark = [pytest.mark.r, requires_r_package]

FILE = mixed()
GIVEN, JUDGED = FILE.roles.independent, FILE.roles.dependent


def from_python(seed: int | pf.RStream) -> pf.Report:
    made = pf.protect(FILE.frame, pf.IPSO("C"), FILE.roles, seed=3, missing="protect").frame
    return pf.evaluate(FILE.frame, made, JUDGED, independent=GIVEN, seed=seed)


def values(report: pf.Report) -> np.ndarray:
    return np.array([row["value"] for row in report.rows()])


@pytest.fixture(scope="module")
def from_r(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What R says with a seed, with its own numbers, without a baseline, and of what is refused."""
    folder = tmp_path_factory.mktemp("inference-for-r")
    hand_over(FILE, folder / "mixed")
    given, judged, names = (f"c({', '.join(map(as_r, one))})" for one in (GIVEN, JUDGED, FILE.roles.identifiers))
    lines = [
        R_SIDE,
        'df <- read(file.path(commandArgs(TRUE)[1], "mixed"))',
        "at <- function(name) file.path(commandArgs(TRUE)[1], name)",
        'keep <- function(x, name) { out <- file(at(name), "wb"); writeBin(x, out, endian = "little"); close(out) }',
        f"made <- suppressMessages(protect(df, ipso('C'), {given}, {judged}, {names}, seed = 3, missing = 'protect'))",
        f"judge <- function(...) evaluate(df, made, {judged}, ...)",
        f"report <- judge(independent = {given}, seed = 7)",
        'keep(as.data.frame(report)$value, "seeded")',
        'writeLines(as.data.frame(report)$part, at("parts"))',
        'writeLines(c(capture.output(print(report)), "", capture.output(summary(report))), at("printed"))',
        "set.seed(11); before <- .Random.seed; plain <- judge(); same <- identical(before, .Random.seed)",
        'writeLines(c(as.character(same), capture.output(print(plain))), at("plain"))',
        f'keep(as.data.frame(judge(independent = {given}))$value, "continued")',
        'keep(.Random.seed, "state")',
        "said <- function(...) tryCatch(judge(...), error = conditionMessage)",
        f"writeLines(c(said(independent = 'hour', seed = 1), said(independent = {judged}, seed = 1)), at('refused'))",
    ]
    r_with_fcrm("\n".join(lines) + "\n", folder)
    return folder


def test_a_seed(from_r: Path) -> None:
    report = from_python(7)
    assert same_bits(values(report), np.fromfile(from_r / "seeded", dtype="<f8"))
    assert (from_r / "parts").read_text(encoding="utf-8").splitlines() == [row["part"] for row in report.rows()]


def test_without_a_seed_r_goes_on_from_where_it_stands(from_r: Path) -> None:
    stream = pf.RStream(11)
    assert same_bits(values(from_python(stream)), np.fromfile(from_r / "continued", dtype="<f8"))
    np.testing.assert_array_equal(np.fromfile(from_r / "state", dtype="<i4"), stream.to_r_state())


def test_it_is_shown_and_only_where_it_was_asked_for(from_r: Path) -> None:
    """By hand: value and baseline with two decimals; their difference beside them; not listed again among the parts."""
    report, printed = from_python(7), (from_r / "printed").read_text(encoding="utf-8")
    row = next(line.split() for line in printed.splitlines() if line.split()[:1] == ["dbrl"])
    chance = report.results["dbrl"].baseline
    shown = (report["dbrl"], chance, report.inference["dbrl"], report.leak("dbrl"))
    assert row[1:5] == [f"{value:.2f}" for value in shown]
    assert "inference baseline" not in printed
    same, *plain = (from_r / "plain").read_text(encoding="utf-8").splitlines()
    assert same == "TRUE"  # nothing was drawn
    assert "inference" not in "\n".join(plain)


def test_what_is_refused(from_r: Path) -> None:
    unknown, twice = (from_r / "refused").read_text(encoding="utf-8").splitlines()
    assert "hours" in unknown  # the near name
    assert "must not be judged too" in twice


def test_the_command_line_says_the_same(tmp_path: Path) -> None:
    made = pf.protect(FILE.frame, pf.IPSO("C"), FILE.roles, seed=3, missing="protect").frame
    for name, frame in (("in.csv", FILE.frame), ("out.csv", made)):
        frame.to_csv(tmp_path / name, index=False)
    words = ["evaluate", tmp_path / "in.csv", tmp_path / "out.csv", f"--columns={quoted(JUDGED)}"]
    ran = pyfcrm(*words, f"--independent={quoted(GIVEN)}", "--seed=7", "--json")
    assert ran.status == 0, ran
    assert json.loads(ran.out)["rows"] == from_python(7).rows()

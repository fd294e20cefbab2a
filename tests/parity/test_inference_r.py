"""The inference baseline: the same report from R, from Python and from the command line.

Oracle: each for the others. Grade: identical, to the last bit.
"""

import json

import numpy as np
import pytest
from support.cli import pyfcrm
from support.interfaces import R_SIDE, mixed, quoted, write_for_r
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf
from r_bridge.from_r.words import literal_in_r

pytestmark = [pytest.mark.r, requires_r_package]

FILE = mixed()
GIVEN, JUDGED = FILE.roles.independent, FILE.roles.dependent


def released():
    return pf.protect(FILE.frame, pf.IPSO("C"), FILE.roles, seed=3, missing="protect")


@pytest.fixture(scope="module")
def from_r(tmp_path_factory):
    """What R says with the baseline and of what is refused."""
    folder = tmp_path_factory.mktemp("inference-for-r")
    write_for_r(FILE, folder / "mixed")
    value, judged, names = (
        f"c({', '.join(map(literal_in_r, one))})" for one in (GIVEN, JUDGED, FILE.roles.identifiers)
    )
    lines = [
        R_SIDE,
        'df <- read(file.path(commandArgs(TRUE)[1], "mixed"))',
        "at <- function(name) file.path(commandArgs(TRUE)[1], name)",
        f"released <- suppressMessages(protect(df, ipso('C'), {value}, {judged}, {names}, seed = 3, missing = 'protect'))",
        f"judge <- function(...) evaluate(df, released, {judged}, ...)",
        f"set.seed(11); before <- .Random.seed; report <- judge(independent = {value})",
        "stopifnot(identical(before, .Random.seed))",
        "rows <- as.data.frame(report)",
        'writeBin(c(rows$value, rows$inference, rows$attributable), at("values"), endian = "little")',
        'writeLines(rows$part, at("parts"))',
        "message <- function(...) tryCatch(judge(...), error = conditionMessage)",
        f"writeLines(c(message(independent = 'hour'), message(independent = {judged})), at('refused'))",
    ]
    r_with_fcrm("\n".join(lines) + "\n", folder)
    return folder


def test_r_gives_what_python_gives(from_r):
    """And draws nothing from R's stream."""
    table = pf.evaluate(FILE.frame, released(), JUDGED, independent=GIVEN).to_frame()
    values = table[["value", "inference", "attributable"]].to_numpy(dtype=float).T.ravel()
    np.testing.assert_array_equal(np.fromfile(from_r / "values", dtype="<f8"), values)
    assert (from_r / "parts").read_text(encoding="utf-8").splitlines() == table["part"].tolist()


def test_what_is_refused(from_r):
    unknown, twice = (from_r / "refused").read_text(encoding="utf-8").splitlines()
    assert "hours" in unknown  # the near name
    assert "already independent" in twice


def test_the_command_line_says_the_same(tmp_path):
    release = released().frame
    for name, frame in (("in.csv", FILE.frame), ("out.csv", release)):
        frame.to_csv(tmp_path / name, index=False)
    words = ["evaluate", tmp_path / "in.csv", tmp_path / "out.csv", f"--columns={quoted(JUDGED)}"]
    ran = pyfcrm(*words, f"--independent={quoted(GIVEN)}", "--json")
    assert ran.status == 0, ran
    assert json.loads(ran.out)["rows"] == pf.evaluate(FILE.frame, release, JUDGED, independent=GIVEN).rows()

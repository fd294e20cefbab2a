"""One file, by strata: the same release and the same report from R, from Python and from the command line.

Oracle: each for the others. Grade: identical, to the last bit. The file has text, a factor, gaps and decimals.
"""

import numpy as np
import pytest
from support.interfaces import R_SIDE, as_numbers, mixed, r_call, rows_of, same_bits, write_for_r
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf
from pyfcrm.errors import flagged
from pyfcrm.methods import METHODS
from r_bridge.from_r.words import literal_in_r

pytestmark = [pytest.mark.r, requires_r_package]

FILE = mixed()
BY = ["region", "word"]
GIVEN = {
    "ipso": {"kind": "C"},
    "rankswapping": {"p": 20, "form": "sdcmicro"},
    "microaggregation": {"k": 3},
    "sampling": {"fraction": 0.5},
}


def released(method, seed=3):
    kind = METHODS[method](**GIVEN[method])
    return pf.protect(FILE.frame, kind, FILE.roles, seed=seed, missing="protect", strata=BY, allow_unprotected=True)


@pytest.fixture(scope="module")
def from_r(tmp_path_factory):
    """Every release by R, and the report on the first, with how R refuses a dependent stratum."""
    folder = tmp_path_factory.mktemp("strata-for-r")
    write_for_r(FILE, folder / "mixed")
    roles = ", ".join(
        f"c({', '.join(map(literal_in_r, names))})"
        for names in (FILE.roles.independent, FILE.roles.dependent, FILE.roles.identifiers)
    )
    by, dependent = (f"c({', '.join(map(literal_in_r, names))})" for names in (BY, FILE.roles.dependent))
    lines = [R_SIDE, 'df <- read(file.path(commandArgs(TRUE)[1], "mixed"))']
    for name, value in GIVEN.items():
        lines += [
            f"released <- suppressMessages(protect(df, {r_call(name, value)}, {roles}, seed = 3, missing = 'protect',"
            f" allow_unprotected = TRUE, strata = {by}))",
            f'out <- file(file.path(commandArgs(TRUE)[1], "{name}"), "wb"); write_numbers(released, {dependent}, out); close(out)',
        ]
    lines += [
        f"released <- suppressMessages(protect(df, {r_call('ipso', GIVEN['ipso'])}, {roles}, seed = 3,"
        f" missing = 'protect', strata = {by}, allow_unprotected = TRUE))",
        f"report <- evaluate(df, released, {dependent}, strata = {by})",
        "rows <- as.data.frame(report)",
        'out <- file(file.path(commandArgs(TRUE)[1], "report"), "wb")',
        "writeBin(rows$value, out, endian = 'little'); close(out)",
        'writeLines(attr(report, "notes"), file.path(commandArgs(TRUE)[1], "notes"))',
        f"message <- tryCatch(protect(df, ipso('C'), {roles}, strata = 'tax'), error = conditionMessage)",
        'writeLines(message, file.path(commandArgs(TRUE)[1], "refused"))',
    ]
    r_with_fcrm("\n".join(lines) + "\n", folder)
    return folder


@pytest.mark.parametrize("method", GIVEN)
def test_r_gives_what_python_gives(method, from_r):
    theirs = np.fromfile(from_r / method, dtype="<f8")
    ours = released(method)
    assert same_bits(as_numbers(ours.frame, FILE.roles.dependent, rows_of(ours)), theirs[1:])


def test_r_reports_what_python_reports(from_r):
    report = pf.evaluate(FILE.frame, released("ipso"), FILE.roles.dependent, strata=BY)
    values = np.array([row["value"] for row in report.rows()])
    assert same_bits(values, np.fromfile(from_r / "report", dtype="<f8"))
    assert (from_r / "notes").read_text(encoding="utf-8").splitlines() == [flagged(note) for note in report.notes]
    assert "must not name a dependent column" in (from_r / "refused").read_text()


def test_r_sweeps_and_recommends_by_strata(tmp_path):
    """Oracle: pf.sweep and pf.recommend of the same file. Identical."""
    frame = pf.datasets.enterprises(200).assign(part=np.arange(200) % 2)
    frame.to_csv(tmp_path / "in.csv", index=False)
    r_with_fcrm(
        f"""
        df <- read.csv(file.path("{tmp_path}", "in.csv"))
        swept <- sweep_methods(df, list(ipso("C")), PAYROLL + PURCHASES ~ AGE + EMPLOYEES, seed = 1, strata = "part")
        found <- recommend(df, "AGE", "PAYROLL", seed = 1, candidates = ipso("C"), strata = "part")
        writeBin(c(swept$table$pil, swept$table$dr, found$table$pil), file.path("{tmp_path}", "out"))
        """
    )
    roles = pf.Roles(["AGE", "EMPLOYEES"], ["PAYROLL", "PURCHASES"])
    one = pf.sweep(frame, roles, pf.IPSO("C"), seed=1, strata="part").candidates[0]
    alone = pf.Roles(["AGE"], ["PAYROLL"])
    found = pf.recommend(frame, alone, seed=1, candidates=pf.IPSO("C"), strata="part")
    theirs = np.fromfile(tmp_path / "out", dtype="<f8")
    assert same_bits(np.array([one["pil"], one["dr"], *(each["pil"] for each in found.candidates)]), theirs)

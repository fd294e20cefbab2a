"""The script in R that replays a release, run by R; and protect_file() of the R package.

Oracles: the bytes of the studio's own download; R's own reading of the literals, as raw doubles. Grade: identical.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path

import numpy as np
import pytest
from support.r import RSCRIPT
from support.r_package import environment, r_with_fcrm, requires_r_package
from support.replays import METHODS, download, replay, replays
from support.trials import ODD, ROLES, file_source, odd_file, trial

import pyfcrm as pf
from pyfcrm.app.scripts import r as in_r
from pyfcrm.app.scripts import r_script, release_name

pytestmark = [pytest.mark.r, requires_r_package]

RUN_ALL = """
for (folder in list.dirs(commandArgs(TRUE)[1], recursive = FALSE)) {
  setwd(folder)
  commandArgs <- function(trailingOnly = FALSE) character() # the scripts' own arguments
  suppressMessages(source("replay.R", local = new.env(), encoding = "UTF-8"))
  rm(commandArgs)
}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> dict:
    return replays(tmp_path_factory.mktemp("originals"))


@pytest.fixture(scope="module")
def ran(made: dict, tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """By trial, the folder that its script ran in: one R for all."""
    root = tmp_path_factory.mktemp("replays")
    folders = {name: root / f"{k:02d}" for k, name in enumerate(made)}
    for name, folder in folders.items():
        folder.mkdir()
        one = made[name]
        if one.source.path is not None:
            os.link(one.source.path, folder / one.source.name)
        (folder / "replay.R").write_text(r_script(replay(one)), encoding="ascii")
    r_with_fcrm(RUN_ALL, root)
    return folders


@pytest.mark.parametrize(
    "name", [*METHODS, "gaps", "answers", "accounts", "example", "census_like", "no seed", "no seed, accounts"]
)
def test_the_script_gives_the_studios_file(name: str, made: dict, ran: dict[str, Path]) -> None:
    one, folder = made[name], ran[name]
    assert (folder / release_name(one.source.name)).read_bytes() == download(one)
    expected = {"replay.R", release_name(one.source.name)} | ({one.source.name} if one.source.path else set())
    assert {path.name for path in folder.iterdir()} == expected  # no `pwned`, no original left behind


def test_it_runs_by_itself_on_a_path(tmp_path: Path) -> None:
    """From another folder, with the file's path, which has an accent, as its argument; or beside the file."""
    (tmp_path / "there").mkdir()
    (tmp_path / "here").mkdir()
    path = odd_file(tmp_path / "there", "año 2.csv")
    one = trial(file_source(path), pf.FCRM(c=2), ROLES, judged=())
    script = tmp_path / "replay.R"
    script.write_text(r_script(replay(one)), encoding="ascii")
    assert RSCRIPT is not None
    for words, folder, locale in (([str(path)], tmp_path / "here", "C"), ([], tmp_path / "there", "C.UTF-8")):
        done = subprocess.run(
            [RSCRIPT, "--no-save", "--no-init-file", str(script), *words],
            cwd=folder, env=environment({"LC_ALL": locale}), capture_output=True, timeout=300, check=False,
        )  # fmt: skip
        assert done.returncode == 0, done.stderr.decode()
        assert (folder / "año 2-protected.csv").read_bytes() == download(one)


def test_r_reads_every_number_exactly() -> None:
    """Short decimals, as people type them, and numbers of any bits."""
    rng = np.random.default_rng(1)
    short = np.round(rng.normal(0, 10.0 ** rng.integers(-6, 9, 1500)), 3)
    anything = rng.integers(0, 2**63 - 2**52, 1500).view(np.float64)
    numbers = np.concatenate([short, anything, rng.random(1500), [0.0, 5e-324, 1.7976931348623157e308, 2.0**53, 1e23]])
    numbers = numbers[np.isfinite(numbers)]
    code = ", ".join(in_r.number(float(x)) for x in numbers)
    out = r_with_fcrm(f"cat(format(as.hexmode(as.integer(writeBin(c({code}), raw())))), sep = '')", attach=False)
    theirs = np.frombuffer(bytes.fromhex(out.strip()), dtype="<f8")
    assert theirs.tobytes() == numbers.astype("<f8").tobytes()
    assert sum("0x" in in_r.number(float(x)) for x in short) < 5  # short ones stay readable


def test_texts_arrive_as_they_are() -> None:
    texts = [*ODD, "\\u0041", "\U0001f600 \x01\x7f\u202e", "'\"`\n\r\t\\", "NA", "'; quit(status = 3); '"]
    code = f"x <- c({', '.join(map(in_r.text, texts))}); cat(as.character(charToRaw(paste(x, collapse = '\\001|'))))"
    out = r_with_fcrm(code, env={"LC_ALL": "C"}, attach=False)
    assert bytes.fromhex(out.replace(" ", "")).decode() == "\1|".join(texts)


def test_what_protect_file_of_r_refuses_and_says(tmp_path: Path) -> None:
    path, out = odd_file(tmp_path), tmp_path / "out.csv"
    code = """
    paths <- commandArgs(TRUE)
    kind <- function(code) tryCatch({ code; "none" }, fcrm_error = function(e) class(e)[1])
    noted <- character()
    withCallingHandlers(
      invisible(protect_file(paths[1], paths[2], fcrm(c = 2), "age", names(read.csv(paths[1], check.names = FALSE))[4], seed = 1)),
      fcrm_note = function(m) { noted <<- c(noted, conditionMessage(m)); invokeRestart("muffleMessage") }
    )
    set.seed(3)
    said <- tryCatch(protect_file(paths[1], paths[2], ipso("C"), "age", "x", seed = 1), fcrm_error = conditionMessage)
    text <- function() protect_file(paths[1], paths[2], ipso("C"), "age", "remark2", identifiers = NULL, overwrite = TRUE)
    one <- suppressMessages(kind(text()))
    state <- .Random.seed
    set.seed(3)
    cat(paste(c(
      length(noted) > 0, identical(state, .Random.seed),
      one, kind(protect_file(paths[1], paths[1], gadp(), "age", "x", seed = 1)),
      kind(protect_file(5, paths[2], gadp(), "age", "x", seed = 1)),
      kind(protect_file(paths[1], paths[2], "gadp", "age", "x", seed = 1)),
      kind(dataset_file("exemple", paths[2])), grepl("must be a new file", said),
      kind(protect_file(paths[1], paths[2], gadp(), "age", "x", seed = 1, overwrite = "yes"))
    ), collapse = "|"))
    """
    found = r_with_fcrm(code, path, out).split("|")
    assert found == [
        "TRUE", "TRUE", "fcrm_invalid_input", "fcrm_invalid_input", "fcrm_invalid_parameter", "fcrm_invalid_parameter",
        "fcrm_invalid_input", "TRUE", "fcrm_invalid_parameter",
    ]  # fmt: skip


def test_seed_null_goes_on_from_rs_own_numbers(tmp_path: Path) -> None:
    """set.seed(1) and seed = NULL give what seed = 1 gives, and R's state moves on."""
    path = odd_file(tmp_path)
    code = f"""
    paths <- commandArgs(TRUE)
    suppressMessages(protect_file(paths[1], paths[2], noise(), "age", {in_r.text(ODD[0])}, seed = 1))
    set.seed(1); before <- .Random.seed
    suppressMessages(protect_file(paths[1], paths[3], noise(), "age", {in_r.text(ODD[0])}))
    cat(!identical(before, .Random.seed))
    """
    assert r_with_fcrm(code, path, tmp_path / "a.csv", tmp_path / "b.csv") == "TRUE"
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()
    assert json.dumps(ODD[0]) not in (tmp_path / "a.csv").read_text()  # and the name is quoted as CSV quotes

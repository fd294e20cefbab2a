"""The R package as an R user has it: driven by Rscript, each script in a session of its own.

Oracle: Python's own results, R's own generators, and the values themselves. Grade: identical, unless a test says so.
"""

import json
import re
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest
from support.generate import COMMAND
from support.r_package import r_with_fcrm, requires_r_package

import pyfcrm as pf
from pyfcrm.methods import METHODS, Method
from r_bridge.from_r.words import call_in_r

pytestmark = [pytest.mark.r, requires_r_package]

NOWHERE = {"RETICULATE_PYTHON": "/nowhere/python3"}
HOUSEHOLDS = """
n <- 90; k <- seq_len(n)
df <- data.frame(name = sprintf("p%02d", k), age = as.integer(20 + (k * 37) %% 60), hours = 10 + (k * 53) %% 41 + k / 8)
df$wage <- 900 + 12 * df$age + 30 * df$hours + 0.25 * ((k * 7919) %% 1000)
df$tax <- as.integer(round(0.2 * df$wage) + (k * 31) %% 17)
"""
ROLES = pf.Roles(["age", "hours"], ["wage", "tax"], ["name"])


def households():
    """The same frame; its sums are of numbers with few binary digits, so they are exact in both languages."""
    k = np.arange(1, 91)
    age, hours = 20 + (k * 37) % 60, 10 + (k * 53) % 41 + k / 8
    wage = 900 + 12 * age + 30 * hours + 0.25 * ((k * 7919) % 1000)
    tax = (np.rint(0.2 * wage) + (k * 31) % 17).astype(np.int64)
    return pd.DataFrame({"name": [f"p{i:02d}" for i in k], "age": age, "hours": hours, "wage": wage, "tax": tax})


def doubles(path):
    return np.fromfile(path, dtype="<f8")


def test_the_interface_loads_neither_rpy2_nor_matplotlib():
    """reticulate's Python must not start a second R, nor load what a call does not use."""
    code = "import r_bridge.from_r.calls, sys; print([m for m in ('rpy2', 'matplotlib', 'polars') if m in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120, check=True)
    assert done.stdout.strip() == "[]"


def test_every_kind_of_column_crosses_and_comes_back(tmp_path):
    """R's bytes through Python's Column and back: `identical` in R, in a locale without letters beyond ASCII."""
    (tmp_path / "echo.py").write_text(
        "from r_bridge.columns import from_bytes, to_bytes\n"
        "def back(fives):\n"
        "    columns = [to_bytes(from_bytes(packed)) for packed in fives]\n"
        "    return [[name, kind, bytearray(data), bytearray(labels), extra] for name, kind, data, labels, extra in columns]\n"
    )
    script = r"""
    df <- data.frame(d = c(1.5, NA, NaN, -Inf), i = c(1L, NA, -5L, 0L), l = c(TRUE, NA, FALSE, TRUE))
    df$s <- c("plain", NA, "", "\u00e9\u0151\U1F600 \"q\"\n")
    df$f <- factor(c("b", NA, "\u00e9", "b"), levels = c("\u00e9", "b", "unused"))
    df$o <- factor(c("lo", NA, "hi", "lo"), levels = c("lo", "hi"), ordered = TRUE)
    df$day <- as.Date(c("1969-12-31", NA, "2024-02-29", "0001-01-01"))
    df$whole_day <- structure(c(1L, NA, 3L, 4L), class = "Date")
    df$utc <- as.POSIXct(c(0, NA, 1.25, -1e9), origin = "1970-01-01", tz = "UTC")
    df$local <- structure(c(0, 1, NA, 4), class = c("POSIXct", "POSIXt"))
    df$blank <- structure(c(0, 1, NA, 4), class = c("POSIXct", "POSIXt"), tzone = "")
    bits <- function(x) writeBin(x, raw())
    for (some in list(df, df[2, ], df[0, ])) {
      back <- fcrm:::frame_from_bytes(reticulate::import("echo")$back(fcrm:::bytes_from_frame(some)))
      row.names(some) <- NULL
      stopifnot(identical(back, some), identical(bits(back$d), bits(some$d)))
    }
    names(df)[1:2] <- c("a; quit()", "b `c`")
    stopifnot(identical(fcrm:::frame_from_bytes(reticulate::import("echo")$back(fcrm:::bytes_from_frame(df))), df))
    cat("same")
    """
    path = {"PYTHONPATH": str(tmp_path), "LC_ALL": "C"}
    assert r_with_fcrm(script, env=path) == "same"


@pytest.mark.parametrize("name", METHODS)
def test_a_constructor_has_the_parameters_of_its_method(name, constructors):
    """R's formals against what is declared: same names, order and defaults (as R writes them)."""
    kind = METHODS[name]
    name = kind.r_name or name
    assert name in constructors, f"no constructor `{name}`: run {COMMAND}"
    words = {True: "TRUE", False: "FALSE", None: "NULL"}
    theirs = {key: text for key, text in constructors[name].items() if key != "..."}  # for what it masks
    ours = kind.declared()
    assert list(theirs) == [one.name for one in ours]
    for one in ours:
        parameter, default, text = one.name, one.default, theirs[one.name]
        if one.required:
            assert text == "", parameter
        elif isinstance(default, bool) or default is None:
            assert text == words[default], parameter
        elif isinstance(default, str):
            assert text == json.dumps(default), parameter
        elif isinstance(default, Method):
            assert text == call_in_r(default), parameter
        else:
            assert float(text) == default, parameter


@pytest.fixture(scope="module")
def constructors():
    out = r_with_fcrm(
        """
        for (name in getNamespaceExports("fcrm")) {
          f <- formals(getExportedValue("fcrm", name))
          cat(name, paste0(names(f), "=", vapply(f, function(x) paste(deparse(x), collapse = ""), ""), recycle0 = TRUE), sep = "\\t")
          cat("\\n")
        }
        """
    )
    lines = [line.split("\t") for line in out.splitlines()]
    return {name: dict(pair.split("=", 1) for pair in pairs if pair) for name, *pairs in lines}


def test_reports_and_frontiers_have_pythons_numbers(tmp_path):
    script = (
        HOUSEHOLDS
        + """
    write <- function(x, name) writeBin(as.double(x), file.path(commandArgs(TRUE)[1], name), endian = "little")
    roles <- list(c("age", "hours"), c("wage", "tax"))
    released <- suppressMessages(protect(df, ipso("C"), roles[[1]], roles[[2]], "name", seed = 3))
    report <- as.data.frame(evaluate(df, released, roles[[2]]))
    write(c(report$value, report$baseline, report$excess, report$lower, report$upper), "report")
    stopifnot(!any(is.nan(report$baseline)), anyNA(report$baseline))
    methods <- list(fcrm(c = 2), fcrm(c = 4, m = 2), ipso("A"), ipso("C", "thesis"), noise("laplace", 30))
    frontier <- sweep_methods(df, methods, roles[[1]], roles[[2]], seed = 3)
    table <- as.data.frame(frontier)
    write(unlist(table[-(1:2)]), "frontier")
    cat(paste(table$method, table$parameters), format(best(frontier, list(risk = 100), 90)), sep = "\\n")
    """
    )
    lines = r_with_fcrm(script, tmp_path).splitlines()
    frame = households()
    released = pf.protect(frame, pf.IPSO("C"), ROLES, seed=3)
    rows = pf.evaluate(frame, released, ROLES.dependent).to_frame()
    ours = rows[["value", "baseline", "excess", "lower", "upper"]].to_numpy(dtype=float).T.ravel()
    # identical where there is a number; np.testing treats NaN as equal to R's NA
    np.testing.assert_array_equal(doubles(tmp_path / "report"), ours)
    methods = [pf.FCRM(2), pf.FCRM(4, m=2), pf.IPSO("A"), pf.IPSO("C", "thesis"), pf.Noise("laplace", 30)]
    frontier = pf.sweep(frame, ROLES, methods, seed=3)
    table = frontier.to_frame()
    np.testing.assert_array_equal(doubles(tmp_path / "frontier"), table.iloc[:, 2:].to_numpy(dtype=float).T.ravel())
    assert lines[:-1] == (table["method"] + " " + table["parameters"]).tolist()
    best = frontier.best({"risk": 100}, 90).method
    assert lines[-1].startswith(type(best).__name__.lower())


def test_r_and_python_hand_one_stream_to_each_other(tmp_path):
    """seed = NULL: R's state goes in, the release is Python's from that state, and Python's state comes back."""
    script = (
        HOUSEHOLDS
        + """
    write <- function(x, name) writeBin(x, file.path(commandArgs(TRUE)[1], name), endian = "little")
    set.seed(8); runif(5)
    write(.Random.seed, "before")
    for (method in list(noise("correlated"), fcrm(c = 3), rankswapping(9, "sdcmicro"))) {
      released <- suppressMessages(protect(df, method, c("age", "hours"), c("wage", "tax"), "name"))
      write(as.double(c(released$wage, released$tax)), paste0("released", length(dir(commandArgs(TRUE)[1]))))
    }
    write(.Random.seed, "after")
    """
    )
    r_with_fcrm(script, tmp_path)
    stream = pf.RStream.from_r_state(np.fromfile(tmp_path / "before", dtype="<i4"))
    for k, method in enumerate([pf.Noise("correlated"), pf.FCRM(3), pf.RankSwapping(9, "sdcmicro")], 1):
        frame = pf.protect(households(), method, ROLES, seed=stream).frame
        np.testing.assert_array_equal(doubles(tmp_path / f"released{k}"), frame[["wage", "tax"]].to_numpy().T.ravel())
    np.testing.assert_array_equal(np.fromfile(tmp_path / "after", dtype="<i4"), stream.to_r_state())


def in_r_words(message):
    """Python's refusal as R has it: of the function that was called, a word in R's own quotes."""
    rule, got, value = message.partition("; got ")
    rule = rule.replace("RStream:", "protect:").replace("Roles:", "protect:")
    for ours, theirs in {
        "Sequential()": "sequential_trees()",
        "ARF()": "arf()",
        "PRAM()": "pram()",
        'missing="': 'missing = "',
    }.items():
        rule = rule.replace(ours, theirs)
    rule = re.sub(r"'(\w)'", r'"\1"', rule)
    rule = re.sub("^(FCRM|IPSO|Noise|LocalSuppression):", lambda found: found[0].lower(), rule)
    value = value.replace("IPSO(kind=C)", 'ipso(kind = "C")')
    return rule + got + value.replace("'", '"')


def test_errors_have_pythons_sentences():
    """Class and message of each, against what Python raises for the same mistake, its owner and value in R's words."""
    script = (
        HOUSEHOLDS
        + """
    say <- function(code) cat(tryCatch(code, error = function(e) paste(class(e)[1], conditionMessage(e), sep = "|")), "\\n", sep = "")
    go <- function(m, x = c("age", "hours"), y = c("wage", "tax"), i = "name", ...) say(protect(df, m, x, y, i, ...))
    go(fcrm(c = 0), seed = 1); go(fcrm(c = 91), seed = 1); go(ipso("D"), seed = 1); go(ipso(), seed = 2^31)
    go(ipso(), y = "wagge", seed = 1); go(ipso(), y = "age", seed = 1); go(ipso(), y = "name", i = NULL, seed = 1)
    go(ipso(), i = "nam", seed = 1); go(noise(amount = -1), seed = 1); go(localsuppression(2, "wge"), seed = 1)
    go(localsuppression(2, "name"), seed = 1); df$hours[4] <- NA; go(ipso(), seed = 1); df$hours <- 1; go(ipso(), seed = 1)
    """
    )
    lines = r_with_fcrm(script).splitlines()
    frame, ours = households(), []
    gap, flat = frame.copy(), frame.assign(hours=1.0)
    gap.loc[3, "hours"] = np.nan
    two = ["age", "hours"]
    cases = [
        (frame, lambda: pf.FCRM(0), ROLES, 1), (frame, lambda: pf.FCRM(91), ROLES, 1),
        (frame, lambda: pf.IPSO("D"), ROLES, 1), (frame, pf.IPSO, ROLES, 2**31),
        (frame, pf.IPSO, pf.Roles(two, "wagge", "name"), 1), (frame, pf.IPSO, lambda: pf.Roles(two, "age", "name"), 1),
        (frame, pf.IPSO, pf.Roles(two, "name"), 1), (frame, pf.IPSO, pf.Roles(two, ["wage", "tax"], "nam"), 1),
        (frame, lambda: pf.Noise(amount=-1), ROLES, 1), (frame, lambda: pf.LocalSuppression(2, "wge"), ROLES, 1),
        (frame, lambda: pf.LocalSuppression(2, "name"), ROLES, 1), (gap, pf.IPSO, ROLES, 1), (flat, pf.IPSO, ROLES, 1),
    ]  # fmt: skip
    kinds = {pf.errors.InvalidInput: "fcrm_invalid_input", pf.errors.InvalidParameter: "fcrm_invalid_parameter"}
    for data, method, roles, seed in cases:
        with pytest.raises(pf.errors.PyfcrmError) as caught:
            pf.protect(data, method(), roles() if callable(roles) else roles, seed=seed)
        ours.append(f"{kinds[caught.type]}|{in_r_words(str(caught.value))}")
    assert lines == ours


def test_names_beyond_ascii_cross_in_any_locale(tmp_path):
    script = (
        HOUSEHOLDS
        + r"""
    names(df)[3:4] <- c("\u00f3ra", "b\u00e9r, Ft")
    released <- suppressMessages(protect(df, localsuppression(2, names(df)[3]), "age", names(df)[4], "name", seed = 1))
    stopifnot(anyNA(released[["\u00f3ra"]]), identical(names(released), names(df)[-1]))
    released <- suppressMessages(protect(df, ipso(), names(df)[3], names(df)[4], "name", seed = 1))
    message <- tryCatch(protect(df, ipso(), "\u00f3r", "age", seed = 1), error = conditionMessage)
    stopifnot(grepl("did you mean `\u00f3ra`", message, fixed = TRUE))
    writeBin(released[[3]], file.path(commandArgs(TRUE)[1], "released"), endian = "little")
    """
    )
    ours = pf.protect(households(), pf.IPSO(), pf.Roles("hours", "wage", "name"), seed=1).frame["wage"]
    r_with_fcrm(script, tmp_path, env={"LC_ALL": "C"})
    np.testing.assert_array_equal(doubles(tmp_path / "released"), ours)


def test_results_live_on_where_there_is_no_python(tmp_path):
    """Saved in one session; in a new one, with no Python, they print, plot and answer as before."""
    show = """
    for (x in everything[-1]) { print(x); print(summary(x)); print(head(as.data.frame(x), 3)); print(notes(x)) }
    print(best(everything$frontier, list(risk = 100), 90)); print(everything$report$dr); print(everything$report["pil"])
    pdf(NULL); plot(everything$report); plot(everything$frontier)
    """
    make = (
        HOUSEHOLDS
        + """
    released <- suppressMessages(protect(df, ipso("C"), c("age", "hours"), c("wage", "tax"), seed = 3))
    frontier <- sweep_methods(df, list(fcrm(c = 2), ipso("A"), ipso("C")), c("age", "hours"), c("wage", "tax"), seed = 3)
    everything <- list(released = released, report = evaluate(df, released, c("wage", "tax")), frontier = frontier)
    saveRDS(everything, file.path(commandArgs(TRUE)[1], "everything.rds"))
    """
    )
    read = 'everything <- readRDS(file.path(commandArgs(TRUE)[1], "everything.rds"))\n'
    after = '\nstopifnot(!"reticulate" %in% loadedNamespaces())\n'
    first = r_with_fcrm(make + show, tmp_path)
    assert "Probabilistic information loss" in first
    assert r_with_fcrm(read + show + after, tmp_path, env=NOWHERE) == first


def test_a_release_and_its_file_hold_no_seed(tmp_path):
    """A seed of unlikely bytes is not among the bytes of the saved release, as an integer, a double or text."""
    seed = 1_987_654_321
    script = (
        HOUSEHOLDS
        + f"""
    released <- suppressMessages(protect(df, fcrm(c = 2), c("age", "hours"), c("wage", "tax"), "name", seed = {seed}))
    writeBin(serialize(released, NULL, xdr = FALSE), file.path(commandArgs(TRUE)[1], "release"))
    writeBin(serialize({seed}, NULL, xdr = FALSE), file.path(commandArgs(TRUE)[1], "seed"))
    stopifnot(!any(grepl("{seed}", c(notes(released), capture.output(str(released))))))
    """
    )
    r_with_fcrm(script, tmp_path)
    release = (tmp_path / "release").read_bytes()
    marks = [np.int32(seed).tobytes(), np.float64(seed).tobytes(), str(seed).encode()]
    assert marks[1] in (tmp_path / "seed").read_bytes()  # so it would be found
    assert not any(mark in release for mark in marks)


def test_attaching_the_package_starts_nothing():
    script = (
        'stopifnot(!"reticulate" %in% loadedNamespaces()); m <- fcrm(c = 8); print(m); cat(reticulate::py_available())'
    )
    assert r_with_fcrm(script, fresh=True).splitlines() == ["fcrm(c = 8)", "FALSE"]


@pytest.mark.parametrize("where", ["unset", "another"])
def test_without_python_the_message_says_what_to_do(where, tmp_path):
    bare = tmp_path / "bin" / "python3"  # a Python that runs, and has no pyfcrm
    bare.parent.mkdir()
    bare.write_text(f'#!/bin/sh\nexec {sys.executable} -I -S "$@"\n')
    bare.chmod(0o755)
    python = {"unset": "", "another": str(bare)}[where]
    env = {
        "RETICULATE_PYTHON": python,
        "WORKON_HOME": str(tmp_path / "none"),
        "HOME": str(tmp_path),
        "PATH": "/usr/bin:/bin",
    }
    script = (
        ('if (Sys.getenv("RETICULATE_PYTHON") == "") Sys.unsetenv("RETICULATE_PYTHON")\n' + HOUSEHOLDS)
        + """
    cat(pyfcrm_available(), "\\n")
    e <- tryCatch(protect(df, ipso(), "age", "wage", seed = 1), error = identity)
    cat(class(e), "\\n", conditionMessage(e), "\\n", sep = " ")
    """
    )
    available, classes, message = (line.strip() for line in r_with_fcrm(script, env=env).splitlines())
    assert available == "FALSE"
    assert classes == "fcrm_missing_python fcrm_error error condition"
    assert 'fcrm::install_pyfcrm("path/to/pyfcrm")' in message
    assert "RETICULATE_PYTHON" in message
    assert ("unset" in message and python in message) == (where != "unset")


def test_a_million_records_cross_quickly():
    """R's side of the conversion, 10^6 x 13, both ways. Limit: 3 s, where it takes 0.3 s on two idle cores."""
    script = """
    df <- as.data.frame(matrix(runif(13e6), 1e6))
    took <- system.time(back <- fcrm:::frame_from_bytes(fcrm:::bytes_from_frame(df)))[["elapsed"]]
    stopifnot(identical(back, df))
    cat(took)
    """
    assert float(r_with_fcrm(script)) < 3

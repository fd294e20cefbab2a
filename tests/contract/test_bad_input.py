"""Bad input ends in one clear line, from the command line and from Python.

Oracle: the contract (exit status 2, one line on standard error that begins "pyfcrm: " and names what and where,
nothing on standard output, every file as it was; in Python InvalidInput or InvalidParameter). Each file is spoilt
by hand in one known way. Grade: identical (the words that matter are in the line).
"""

import os
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.cli import people, pyfcrm, pyfcrm_process, refused

import pyfcrm as pf
from pyfcrm.errors import InvalidInput, InvalidParameter

DEFAULTS = {"--method": "fcrm", "--set": "c=2", "--independent": "a,b", "--dependent": "c,d", "--seed": "1"}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    return tmp_path


def protect(source="in.csv", output="out.csv", *more, **changed):
    """The words of a protect command that is right but for what is changed; None leaves an option out."""
    options = {**DEFAULTS, **{f"--{name}": value for name, value in changed.items()}}
    words = ["protect", source, "-o", output]
    for name, value in options.items():
        words += [] if value is None else [name, value]
    return [*words, *more]


def line(folder, words):
    return refused(folder, lambda: pyfcrm(*words))


def spoilt(column, record, value):
    frame = people()
    frame[column] = frame[column].astype(object)
    frame.loc[record - 1, column] = value
    return frame


def constant(column):
    return people().assign(**{column: 7})


# What is in the file; the words that say what and where; what Python makes of the same frame.
DATA = {
    "text in a dependent column": (spoilt("c", 7, "12 euro"), ["`c`", "'12 euro'", "record 7"], InvalidInput),
    "text after missing values": (
        spoilt("c", 7, "12 euro").assign(c=lambda f: ["NA", "", *f["c"][2:]]), ["`c`", "'12 euro'", "record 7"], InvalidInput,
    ),
    "infinity": (spoilt("c", 3, np.inf), ["`c`", "finite", "inf", "record 3"], InvalidInput),
    "a missing value": (spoilt("c", 5, np.nan), ["missing", "`c` 1"], InvalidInput),
    "missing values in two columns": (
        spoilt("c", 5, np.nan).assign(a=[np.nan, np.nan, *people()["a"][2:]]), ["missing", "`a` 2, `c` 1"], InvalidInput,
    ),
    "a constant dependent column": (constant("c"), ["`c`", "vary", "7 in every record"], InvalidInput),
    "a value too large": (spoilt("c", 2, 1e300), ["`c`", "1e+100", "1e+300", "record 2"], InvalidInput),
    "fewer records than c": (people(1), ["`c`", "number of records, 1", "got 2"], InvalidParameter),
    "a column of nothing": (people().assign(c=np.nan), ["`c`"], InvalidInput),
}  # fmt: skip


@pytest.mark.parametrize("case", DATA)
def test_data_from_the_command_line(folder, case):
    frame, words, _ = DATA[case]
    frame.to_csv("in.csv", index=False, na_rep="NA")
    message = line(folder, protect())
    assert all(word in message for word in words), message


@pytest.mark.parametrize("case", DATA)
def test_data_from_python(case):
    frame, words, kind = DATA[case]
    roles = pf.Roles(independent=["a", "b"], dependent=["c", "d"])
    before = frame.copy(deep=True)
    for call in (pf.protect, pf.sweep):
        with pytest.raises(kind) as caught:
            call(frame, roles=roles, seed=1, **{"methods" if call is pf.sweep else "method": pf.FCRM(c=2)})
        assert all(word in str(caught.value) for word in words), caught.value
        assert "\n" not in str(caught.value)
    pd.testing.assert_frame_equal(frame, before)


@pytest.mark.parametrize(
    ("function", "methods"),
    [(pf.audit, {"method": pf.Dummy()}), (pf.sweep, {"methods": pf.Dummy()}), (pf.recommend, {})],
)
def test_a_misspelt_option_of_protect(function, methods):
    """Python itself refuses it: each option is an argument of the function."""
    with pytest.raises(TypeError, match="stratas"):
        function(people(), roles=pf.Roles("a", "c"), stratas="b", **methods)


# The file's bytes, and the words that must be in the line. More of these are in test_bad_files.py.
FILES = {
    "empty": (b"", ["in.csv", "empty"]),
    "header only": (b"id,a,b,c,d,note\n", ["in.csv", "no records"]),
    "duplicate names": (b"a,b,c,d,a\n1,2,3,4,5\n", ["in.csv", "'a'", "columns 1 and 5"]),
    "short line": (b"a,b,c,d\n1,2,3\n", ["in.csv", "line 2"]),
    "not text": (b"PK\x03\x04\0zip", ["in.csv", "must be text in UTF-8"]),
}


@pytest.mark.parametrize("case", FILES)
def test_files(folder, case):
    content, words = FILES[case]
    Path("in.csv").write_bytes(content)
    people().to_csv("good.csv", index=False)
    common = ["--independent", "a,b", "--dependent", "c,d"]
    for command in (
        protect(),
        ["evaluate", "in.csv", "good.csv"],
        ["evaluate", "good.csv", "in.csv"],
        ["sweep", "in.csv", "-o", "map", *common, "--candidates", "fcrm:c=2"],
    ):
        message = line(folder, command)
        assert all(word in message for word in words), message


HUGE = "9" * 5000
WORDS = {
    "missing file": (protect("none.csv"), ["none.csv", "no such file"]),
    "a folder for the input": (protect("."), [".", "folder"]),
    "unknown extension of the input": (protect("in.json"), ["in.json", ".csv", "got .json"]),
    "unknown column, near name": (protect(dependent="c,dd"), ["`dd`", "did you mean `d`"]),
    "unknown column, other case": (protect(independent="A,b"), ["`A`", "did you mean `a`"]),
    "text column": (protect(dependent="note"), ["`note`", "--method sequential", "categories"]),
    "same column in both roles": (protect(dependent="a,c"), ["dependent", "already independent", "'a'"]),
    "column given twice": (protect(dependent="c,d,c"), ["once", "'c'"]),
    "nothing to protect": (protect(dependent=""), ["dependent", "at least one"]),
    "trailing comma": (protect(independent="a,"), ["--independent", "'a,'"]),
    "quote left open": (protect(dependent='"c,d'), ["--dependent", "double quotes"]),
    "c is no whole number": (protect(set="c=2.5"), ["`c`", "whole", "got 2.5"]),
    "c above the records": (protect(set="c=41"), ["`c`", "40", "got 41"]),
    "c is a word": (protect(set="c=many"), ["`c`", "got 'many'"]),
    "c is huge": (protect(set=f"c={HUGE}"), ["`c`"]),
    "c in Python's notation": (protect(set="c=1_0"), ["`c`", "'1_0'"]),
    "unknown parameter": (protect(set="c=2,max_itre=9"), ["`max_itre`", "did you mean `max_iter`"]),
    "missing parameter": (protect(set=None), ["FCRM", "`c` must be given"]),
    "parameter given twice": (protect("in.csv", "out.csv", "--set", "c=3"), ["`c`", "once"]),
    "--set without =": (protect(set="c"), ["--set", "name=value", "'c'"]),
    "--set without a value": (protect(set="c="), ["--set", "name=value", "'c='"]),
    "unknown method": (protect(method="frcm"), ["`frcm`", "did you mean `fcrm`"]),
    "seed of 2^31": (protect(seed="2147483648"), ["`seed`", "2147483647", "got 2147483648"]),
    "seed of 1.5": (protect(seed="1.5"), ["`seed`", "whole number", "1.5"]),
    "bad --missing word": (protect(missing="complete"), ["missing", "'refuse', 'protect', 'drop'", "'complete'"]),
    "bad separator": (protect(separator="ab"), ["separator", "'ab'"]),
    "wrong separator": (protect(separator=";"), ["`a`", "`id,a,b,c,d,note`"]),
    "bad decimal mark": (protect(decimal=";"), ["decimal", "';'"]),
    "output is the input": (protect(output="in.csv"), ["in.csv", "replace"]),
    "output is the input, by a symbolic link": (protect(output="link.csv"), ["link.csv", "replace"]),
    "output is the input, by a hard link": (protect(output="hard.csv"), ["hard.csv", "replace"]),
    "output in no folder": (protect(output="none/out.csv"), ["none/out.csv", "folder must exist"]),
    "output in a file": (protect(output="in.csv/out.csv"), ["in.csv/out.csv", "folder must exist"]),
    "output is a folder": (protect(output="sub.csv"), ["sub.csv", "this is a folder"]),
    "output without extension": (protect(output="out"), ["out", "extension", "no extension"]),
    "output's name too long": (protect(output="x" * 300 + ".csv"), ["could not be written", "too long"]),
    "manifest is the output": (protect(manifest="out.csv"), ["out.csv", "replace"]),
    "manifest is the input": (protect(manifest="./in.csv"), ["in.csv", "replace"]),
    "no such command": (["protekt", "in.csv"], ["protekt"]),
    "no such option": (["evaluate", "in.csv", "in.csv", "--colour"], ["--colour"]),
    "an option left out": (protect(method=None), ["--method"]),
    "evaluate: unknown column": (["evaluate", "in.csv", "in.csv", "--columns", "cc"], ["original", "`cc`", "`c`"]),
    "evaluate: column not in the second": (
        ["evaluate", "in.csv", "short.csv", "--columns", "b"], ["protected", "`b`", "there are `a`, `c`"]),
    "evaluate: no columns": (["evaluate", "in.csv", "in.csv", "--columns", ""], ["--columns", "at least one"]),
    "evaluate: nothing in common": (["evaluate", "in.csv", "other.csv"], ["numeric column", "both"]),
    "evaluate: other records": (["evaluate", "in.csv", "short.csv"], ["pair", "40", "39"]),
    "evaluate: unknown measure": (["evaluate", "in.csv", "in.csv", "--measures", "pill"], ["`pill`", "`pil`"]),
    "reproduce: unknown study": (["reproduce", "s9"], ["`s9`", "`example`"]),
    "reproduce: no seeds": (["reproduce", "example", "--seeds", "0"], ["`seeds`", "got 0"]),
    "reproduce: no such Census file": (["reproduce", "s1", "--census", "none.csv"], ["none.csv", "no such file"]),
    "reproduce: another file": (["reproduce", "s1", "--census", "in.csv"], ["in.csv", "AFNLWGT"]),
    "reproduce: folder is a file": (["reproduce", "example", "-o", "in.csv"], ["in.csv", "must not be a file"]),
    "reproduce: its table would replace the Census file": (
        ["reproduce", "s1", "--census", "s1.csv", "-o", "."], ["s1.csv", "replace"]),
    "demo: bad seed": (["demo", "--seed", "4294967296", "-o", "demo"], ["`seed`", "4294967296"]),
}  # fmt: skip


def furnish(folder):
    """What some of the commands stumble over."""
    (folder / "sub").mkdir()
    (folder / "sub.csv").mkdir()
    (folder / "link.csv").symlink_to("in.csv")
    os.link(folder / "in.csv", folder / "hard.csv")
    people()[["a", "c"]].iloc[1:].to_csv(folder / "short.csv", index=False)
    (folder / "other.csv").write_text("x,y\n1,2\n")
    (folder / "s1.csv").write_text("x,y\n1,2\n")
    (folder / "in.json").write_text("{}")


@pytest.mark.parametrize("case", WORDS)
def test_words(folder, case):
    furnish(folder)
    command, words = WORDS[case]
    message = line(folder, command)
    assert all(word in message for word in words), message


CANDIDATES = {
    "": ["--candidates", "method"],
    "fcrm": ["`c` must be given"],
    "fcrm:c": ["--candidates", "name=value", "'c'"],
    "fcrm:c=9..2": ["`c`", "range", "'9..2'"],
    "fcrm:c=1..99999999999999": ["`c`", "range"],
    "fcrm:c=1..40:max_iter=1..40": ["at most 1000"],
    "fcrm:c=2|": ["`c`", "got ''"],
    "fcrm:c=2:c=3": ["`c`", "once"],
    "fcrm:c=2;ipso": ["`c`", "'2;ipso'"],
    "ipso:kind=A|Z": ["`kind`", "'Z'"],
}


@pytest.mark.parametrize("candidates", CANDIDATES)
def test_candidates(folder, candidates):
    command = ["sweep", "in.csv", "-o", "map", "--independent", "a,b", "--dependent", "c,d", "--candidates", candidates]
    message = line(folder, command)
    assert all(word in message for word in CANDIDATES[candidates]), message


FRAME, ROLES = people(), pf.Roles(independent=["a", "b"], dependent=["c", "d"])
CALLS = {
    "no frame": (lambda: pf.protect([[1.0]], pf.IPSO(), ROLES), InvalidInput, ["data frame", "list"]),
    "no method": (lambda: pf.protect(FRAME, "fcmr", ROLES), InvalidInput, ["method", "fcmr", "fcrm"]),
    "a method's class": (lambda: pf.protect(FRAME, pf.FCRM, ROLES), InvalidParameter, ["method"]),
    "no roles": (lambda: pf.protect(FRAME, pf.IPSO(), ["c"]), InvalidParameter, ["Roles", "list"]),
    "duplicate columns": (
        lambda: pf.protect(pd.concat([FRAME, FRAME[["a"]]], axis=1), pf.IPSO(), ROLES), InvalidInput, ["'a'", "rename them"]),
    "no records": (lambda: pf.protect(FRAME.iloc[:0], pf.IPSO(), ROLES), InvalidInput, ["at least one record"]),
    "seed of 1.5": (lambda: pf.protect(FRAME, pf.IPSO(), ROLES, seed=1.5), InvalidParameter, ["`seed`", "1.5"]),
    "bad engine": (lambda: pf.protect(FRAME, pf.IPSO(), ROLES, engine="cloud"), InvalidParameter, ["'cloud'"]),
    "no candidates": (lambda: pf.sweep(FRAME, ROLES, []), InvalidParameter, ["at least one method"]),
}  # fmt: skip


@pytest.mark.parametrize("case", CALLS)
def test_calls_from_python(case):
    call, kind, words = CALLS[case]
    with pytest.raises(kind) as caught:
        call()
    message = str(caught.value)
    assert "\n" not in message
    assert all(word in message for word in words), message


REAL = [
    "unknown column, near name",
    "no such command",
]


@pytest.mark.process
@pytest.mark.parametrize("case", REAL)
def test_in_a_process_of_its_own(folder, case):
    """The same line and status as in this process, and no traceback."""
    command, words = WORDS[case]
    message = refused(folder, lambda: pyfcrm_process(*command, cwd=folder))
    assert message == line(folder, command)
    assert all(word in message for word in words), message


def test_an_output_folder_that_may_not_be_written_to(folder, monkeypatch):
    """The system's answer is played: root may write anywhere."""
    monkeypatch.setattr(os, "access", lambda *_, **__: False)
    assert "may write to" in line(folder, protect())
    assert "may write to" in line(folder, ["demo", "-o", "new"])


def test_a_file_that_ends_before_it_is_written(folder, monkeypatch):
    """The operating system's own errors come as one line too."""

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    assert "No space left on device" in line(folder, protect())


MISSING = people().assign(c=[np.nan, *people()["c"][1:]], d=pd.array([1, None, *people()["d"][2:]], dtype="Int64"))


@pytest.mark.parametrize("command", ["protect", "sweep"])
def test_missing_values_are_counted_and_refused(folder, command):
    MISSING.to_csv("in.csv", index=False)
    words = {
        "protect": protect(),
        "sweep": ["sweep", "in.csv", "-o", "m", "--independent", "a", "--dependent", "c,d", "--candidates", "ipso"],
    }[command]
    message = line(folder, words)
    assert message.endswith("`c` 1, `d` 1")


@pytest.mark.parametrize(("missing", "left"), [("protect", 40), ("drop", 38)])
def test_incomplete_records(folder, missing, left):
    """Protected like the others, gaps staying gaps; or left out, and their number is said."""
    MISSING.to_csv("in.csv", index=False)
    ran = pyfcrm(*protect(missing=missing))
    assert ran.status == 0
    assert "note: 2 of 40 records have missing values in c, d" in ran.err
    before, after = (pd.read_csv(name, dtype=str) for name in ("in.csv", "out.csv"))
    assert len(after) == left
    if missing == "protect":
        assert after[["c", "d"]].isna().equals(before[["c", "d"]].isna())
        assert not (after["c"] == before["c"]).any()
    else:
        assert after["c"].notna().all()
    assert not after["d"].str.contains(".", regex=False, na=False).any()

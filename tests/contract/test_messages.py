"""The exact texts of messages, kept here so that a change of wording is seen and meant.

Oracle: the texts below, each read once against the house rule (owner, rule, value; plain, one line). Grade: identical.
"""

from __future__ import annotations

from pathlib import Path

import pytest
from support.cli import people, pyfcrm

FCRM = ["--method", "fcrm", "--set", "c=2", "--seed", "1"]
IPSO = ["--method", "ipso", "--seed", "1"]
BASE = ["protect", "in.csv", "-o", "out.csv"]
GAPS = "a,c,d\n1,2,5\n2,NA,6\n3,4,\n4,5.5,9\n7,NA,1\n"

# By what is wrong: files beside in.csv, the command, the line.
MESSAGES: dict[str, tuple[dict[str, str], list[str], str]] = {
    "no file": (
        {}, ["evaluate", "none.csv", "in.csv"],
        "none.csv: there is no such file",
    ),
    "empty": (
        {"t.csv": ""}, ["evaluate", "t.csv", "in.csv"],
        "t.csv: the file is empty",
    ),
    "header only": (
        {"t.csv": "a,b\n"}, ["evaluate", "t.csv", "in.csv"],
        "t.csv: the file has a header but no records",
    ),
    "ragged": (
        {"t.csv": "a,b\n1,2\n3\n"}, ["evaluate", "t.csv", "in.csv"],
        "t.csv: every line must have as many cells as the header, 2; got 1 cell on line 3",
    ),
    "duplicate names": (
        {"t.csv": "a,b,a\n1,2,3\n"}, ["evaluate", "t.csv", "in.csv"],
        "t.csv: column names must differ; got 'a' in columns 1 and 3",
    ),
    "extension": (
        {}, ["evaluate", "in.json", "in.csv"],
        "in.json: the extension must be one of .csv, .txt, .tsv, .parquet, .pq, .sav, .zsav, .por, .dta, .xpt, .sas7bdat, .xlsx; "
        "got .json",
    ),
    "unknown column": (
        {}, [*BASE, *FCRM, "--dependent", "cc"],
        "protect: no column is called `cc`; did you mean `c`",
    ),
    "text": (
        {"t.csv": "a,c\n1,2\n2,1\n3,ten\n"}, ["protect", "t.csv", "-o", "out.csv", *IPSO, "--dependent", "c"],
        "protect: column `c` must hold numbers; got 'ten' in record 3",
    ),
    "infinity": (
        {"t.csv": "c\n1\ninf\n3\n"}, ["protect", "t.csv", "-o", "out.csv", *IPSO, "--dependent", "c"],
        "protect: values of column `c` must be finite; got inf in record 2",
    ),
    "too large": (
        {"t.csv": "c\n1\n1e300\n-1e200\n"}, ["protect", "t.csv", "-o", "out.csv", *IPSO, "--dependent", "c"],
        "protect: values of column `c` must not exceed 1e+100 in magnitude; got 1e+300 in record 2 (2 such values)",
    ),
    "too small": (
        {"t.csv": "c\n1\n1e-300\n"}, ["protect", "t.csv", "-o", "out.csv", *IPSO, "--dependent", "c"],
        "protect: values of column `c` must be 0 or at least 1e-100 in magnitude; got 1e-300 in record 2",
    ),
    "constant": (
        {"t.csv": "c\n1\n1\n"}, ["protect", "t.csv", "-o", "out.csv", *IPSO, "--dependent", "c"],
        "protect: column `c` must vary (leave it out of the roles); got 1 in every record",
    ),
    "missing values": (
        {"t.csv": GAPS}, ["protect", "t.csv", "-o", "out.csv", *IPSO, "--dependent", "c,d"],
        'protect: values are missing (missing="protect" protects these records too, missing="drop" leaves them out of the '
        "release); got 3 of 5 records: `c` 2, `d` 1",
    ),
    "two roles": (
        {}, [*BASE, *IPSO, "--independent", "a", "--dependent", "a"],
        "Roles: `dependent` must not name a column that is already independent; got 'a'",
    ),
    "more classes than anything": (
        {}, [*BASE, "--method", "recoding", "--set", "breaks=2147483648", "--dependent", "c"],
        "Recoding: `breaks` must be a whole number from 1 to 10000; got 2147483648",
    ),
    "a count beyond R's": (
        {}, [*BASE, "--method", "permutation", "--set", "k=1e30", "--dependent", "c"],
        "Permutation: `k` must be a whole number from 1 to 2147483647; got 1e+30",
    ),
    "a very long word": (
        {}, [*BASE, "--method", "ipso", "--set", "kind=" + "a" * 1000, "--dependent", "c"],
        f"IPSO: `kind` must be one of 'A', 'B', 'C'; got '{'a' * 100}'... (1000 characters)",
    ),
    "whole numbers that doubles cannot carry": (
        {"t.csv": "c,i\n1,9007199254740993\n2,1\n4,2\n"},
        ["protect", "t.csv", "-o", "out.sav", *IPSO, "--dependent", "c"],
        "out.sav: whole numbers in a .sav file must be at most 2^53 in magnitude, which its numbers can carry; "
        "got 1 larger ones in column `i`",
    ),
    "nothing to protect": (
        {}, [*BASE, *IPSO, "--dependent", ""],
        "--dependent: `names` must name at least one (or leave the option out); got ''",
    ),
    "names between commas": (
        {}, [*BASE, *IPSO, "--dependent", "c,,d"],
        "--dependent: `names` must stand between commas, as in a,b (a name with a comma in double quotes: \"a, b\",c); got 'c,,d'",
    ),
    "c of 0": (
        {}, [*BASE, "--method", "fcrm", "--set", "c=0", "--dependent", "c"],
        "FCRM: `c` must be a whole number, at least 1; got 0",
    ),
    "m of 1": (
        {}, [*BASE, *FCRM, "--set", "m=1", "--dependent", "c"],
        "FCRM: `m` must be a finite number above 1; got 1",
    ),
    "no c": (
        {}, [*BASE, "--method", "fcrm", "--dependent", "c"],
        "FCRM: `c` must be given, as c=value; got no setting",
    ),
    "more clusters than records": (
        {}, [*BASE, "--method", "fcrm", "--set", "c=99", "--dependent", "c"],
        "FCRM: `c` must be at most the number of records, 40; got 99",
    ),
    "unknown parameter": (
        {}, [*BASE, *FCRM, "--set", "max_itr=3", "--dependent", "c"],
        "FCRM: no parameter is called `max_itr`; did you mean `max_iter`",
    ),
    "unknown method": (
        {}, [*BASE, "--method", "frcm", "--dependent", "c"],
        "--method: no method is called `frcm`; did you mean `fcrm`",
    ),
    "setting": (
        {}, [*BASE, "--method", "fcrm", "--set", "c", "--dependent", "c"],
        "--set: `setting` must be name=value; got 'c'",
    ),
    "seed too large": (
        {}, [*BASE, "--method", "ipso", "--seed", "2147483648", "--dependent", "c"],
        "RStream: `seed` must be one of R's integers, from -2147483647 to 2147483647 (-2147483648 is R's NA); got 2147483648",
    ),
    "seed of 1.5": (
        {}, [*BASE, "--method", "ipso", "--seed", "1.5", "--dependent", "c"],
        "Invalid value for '--seed': must be a whole number; got '1.5'",
    ),
    "missing word": (
        {}, [*BASE, *IPSO, "--dependent", "c", "--missing", "complete"],
        "protect: `missing` must be one of 'refuse', 'protect', 'drop'; got 'complete'",
    ),
    "output is the input": (
        {}, ["protect", "in.csv", "-o", "./in.csv", *IPSO, "--dependent", "c"],
        "./in.csv: an output must not replace another file of this run; got in.csv",
    ),
    "output's extension": (
        {}, ["protect", "in.csv", "-o", "out.xlsx", *IPSO, "--dependent", "c"],
        "out.xlsx: an output's extension must be one of .csv, .txt, .tsv, .parquet, .pq, .sav, .zsav, .por, .dta, .xpt; "
        "got .xlsx (workbooks are only read; take .csv)",
    ),
    "candidate's range": (
        {}, ["sweep", "in.csv", "-o", "m", "--dependent", "c", "--candidates", "fcrm:c=9..2"],
        "--candidates: `c` must be a range of whole numbers such as 2..15; got '9..2'",
    ),
    "unknown measure": (
        {}, ["evaluate", "in.csv", "in.csv", "--measures", "pill"],
        "evaluate: no measure is called `pill`; did you mean `pil`",
    ),
    "unpaired": (
        {"t.csv": "a,c\n1,2\n2,5\n"}, ["evaluate", "in.csv", "t.csv"],
        "evaluate: records must pair, by index or by position, for dbrl, prl, id, dr, score; "
        "got 40 original and 2 protected records that do not",
    ),
    "no Census file": (
        {}, ["reproduce", "s1", "--census", "none.csv"],
        "datasets.census: the path must be a CSV file that exists; got none.csv",
    ),
    "folder": (
        {}, ["demo", "-o", "in.csv"],
        "in.csv: an output folder must not be a file",
    ),
    "output that exists": (
        {"out.csv": "there"}, [*BASE, *IPSO, "--dependent", "c"],
        "out.csv: an output must be a new file (overwrite=True, --overwrite on the command line, replaces one)",
    ),
    "manifest of another release": (
        {"out.csv": "a,c\n1,2\n", "m.json": '{"method": "IPSO", "sha256": {"output": "' + "0" * 64 + '"}}'},
        ["report", "in.csv", "out.csv", "-o", "page.html", "--manifest", "m.json"],
        "m.json: the manifest is of another release than out.csv: its SHA-256 must be 0000000000000000...; "
        "got 6d9aaef6bd626718...",
    ),
    "manifest without digests": (
        {"out.csv": "a,c\n1,2\n", "m.json": '{"method": "IPSO", "seed": 1}'},
        ["report", "in.csv", "out.csv", "-o", "page.html", "--manifest", "m.json"],
        "m.json: a manifest must hold the SHA-256 of its release (protect again to have one)",
    ),
}  # fmt: skip


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)


@pytest.mark.parametrize("case", MESSAGES)
def test_messages(case: str) -> None:
    files, words, text = MESSAGES[case]
    for name, content in files.items():
        Path(name).write_text(content)
    ran = pyfcrm(*words)
    assert (ran.status, ran.err) == (2, f"pyfcrm: {text}\n")


def test_what_a_release_says_of_its_random_numbers() -> None:
    """One line each, on standard error: a seed that can be guessed, a generator too weak, a state nobody kept."""
    noise, swaps = ["--method", "noise", "--dependent", "c"], ["--method", "rankswapping", "--set", "p=15"]
    seeded = pyfcrm(*BASE, *noise, "--seed", "1").err.splitlines()
    assert (
        "WARNING: whoever guesses the seed can undo this release: begin one that goes out from fresh entropy, not from a seed"
        in seeded
    )
    weak = pyfcrm(
        *BASE, *swaps, "--set", "form=sdcmicro", "--dependent", "c", "--manifest", "m.json", "--overwrite"
    ).err.splitlines()
    assert (
        "WARNING: RankSwapping(p=15, form=sdcmicro) draws from a generator of 32 bits whatever the seed: trying all of "
        "its seeds undoes this release" in weak
    )
    assert pyfcrm(*BASE, *noise, "--overwrite").err.splitlines()[-1] == (
        "note: no record of the random state was kept: this release cannot be reproduced (--manifest FILE keeps one)"
    )


def test_what_a_release_says() -> None:
    """One line on standard output, notes on standard error, and not the seed."""
    ran = pyfcrm(
        *BASE, "--method", "fcrm", "--set", "c=1", "--independent", "a", "--dependent", "c,d", "--seed", "271828"
    )
    assert ran.status == 0
    assert ran.out == "out.csv: 40 records, 2 columns protected with FCRM(c=1)\n"
    assert ran.err == (
        "WARNING: each record's cluster is chosen by its own dependent values: look at its record linkage before release\n"
        "WARNING: sample_uniques 100 % (limit 5): 40 of 40 records are unique on id, a, b, note\n"
        "WARNING: range 0; 2.5 % (limit 0; 1): 0 records break a sign or a rule; `c` leaves its rounded range\n"
        "note: rounded, being integer columns: d\n"
        "note: columns that are not numbers pass through untouched: id, note\n"
    )

"""pyfcrm protect, from file to file.

Oracles: pf.protect on the same frame; and the bytes of the file that came in, for all that is not protected.
Grade: identical, bytes and numbers.
"""

import csv
import hashlib
import io
import json
import platform
from datetime import datetime, timedelta
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from support.cli import households, people, pyfcrm, pyfcrm_process, refused

import pyfcrm as pf

METHODS = {"fcrm": pf.FCRM(c=3), "ipso": pf.IPSO()}
ROLES = pf.Roles(independent=["a", "b"], dependent=["c", "d"], identifiers=["id"])
COMMON = ["--independent", "a,b", "--dependent", "c,d", "--identifiers", "id", "--seed", "1"]


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    return tmp_path


def words(method, *more):
    return ["--method", method, *(["--set", "c=3"] if method == "fcrm" else []), *COMMON, *more]


def write(name):
    people().to_parquet(name, index=False) if name.endswith("parquet") else people().to_csv(name, index=False)


def read(name):
    return pd.read_parquet(name) if name.endswith("parquet") else pd.read_csv(name)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize("source", ["in.csv", "in.parquet"])
@pytest.mark.parametrize("output", ["out.csv", "out.parquet"])
def test_the_same_numbers_as_from_python(method, source, output):
    write(source)
    ran = pyfcrm("protect", source, "-o", output, *words(method))
    assert ran.status == 0, ran
    expected = pf.protect(people(), METHODS[method], ROLES, seed=1).frame
    found = read(output)
    assert list(found.columns) == ["a", "b", "c", "d", "note"]
    assert str(found["d"].dtype) == "int64"
    for name in found.columns:
        assert found[name].tolist() == expected[name].tolist()
    assert not np.array_equal(found["c"], people()["c"])


@pytest.mark.process
def test_the_same_seed_gives_the_same_bytes_in_another_process(folder):
    for output in ("one.csv", "two.csv", "one.parquet", "two.parquet"):
        assert pyfcrm_process("protect", "in.csv", "-o", output, *words("ipso"), cwd=folder).status == 0
    pyfcrm("protect", "in.csv", "-o", "three.csv", *words("ipso"))
    assert Path("one.csv").read_bytes() == Path("two.csv").read_bytes() == Path("three.csv").read_bytes()
    assert Path("one.parquet").read_bytes() == Path("two.parquet").read_bytes()


def text(separator, decimal, newline):
    """The people in a dialect, with quotes, spaces and signs that a rewriting would lose."""
    out = io.StringIO()
    writer = csv.writer(out, delimiter=separator, lineterminator=newline)
    writer.writerow(["id", "b", "día", "c", "a", "d", "zip"])
    frame = people()
    for k, row in enumerate(frame.itertuples(index=False)):
        a, b, c = (f"{v:.3f}".replace(".", decimal) for v in (row.a, row.b, row.c))
        writer.writerow([row.id, b, f'x{separator} "{k}"' if k % 2 else " y ", c, "+" + a, row.d, f"0{k:04d}"])
    return out.getvalue()


DIALECTS = {
    "commas": (",", ".", "\n", "utf-8"),
    "semicolons and decimal commas": (";", ",", "\n", "utf-8"),
    "semicolons and points": (";", ".", "\r\n", "utf-8"),
    "tabs": ("\t", ".", "\n", "utf-8"),
    "tabs and decimal commas": ("\t", ",", "\r\n", "utf-8"),
    "bars": ("|", ".", "\n", "utf-8"),
    "byte order mark": (",", ".", "\r\n", "utf-8-sig"),
    "CR LF": (",", ".", "\r\n", "utf-8"),
    "Latin 1": (";", ",", "\n", "cp1252"),
}


@pytest.mark.parametrize("dialect", DIALECTS)
def test_the_dialect_and_the_text_of_unmodified_cells_stay(dialect):
    separator, decimal, newline, encoding = DIALECTS[dialect]
    Path("in.csv").write_bytes(text(separator, decimal, newline).encode(encoding))
    ran = pyfcrm("protect", "in.csv", "-o", "out.csv", *words("ipso"))
    assert ran.status == 0, ran
    before, after = (Path(n).read_bytes().decode(encoding).split(newline) for n in ("in.csv", "out.csv"))
    assert (Path("out.csv").read_bytes()[:3] == b"\xef\xbb\xbf") == (encoding == "utf-8-sig")
    assert after[0] == separator.join(["b", "día", "c", "a", "d", "zip"])
    assert len(before) == len(after)
    released = pf.protect(people(), pf.IPSO(), ROLES, seed=1).frame
    for k, (old, new) in enumerate(zip(before[1:-1], after[1:-1], strict=True)):
        [cells] = csv.reader([old], delimiter=separator)
        c = repr(float(released["c"][k])).replace(".", decimal)
        # The line as it came, its own text around the two cells that are new, less the first.
        expected = old.replace(f"{separator}{cells[3]}{separator}", f"{separator}{c}{separator}", 1)
        expected = expected.replace(
            f"{separator}{cells[5]}{separator}0", f"{separator}{released['d'][k]}{separator}0", 1
        )
        assert new == expected.partition(separator)[2]


def test_a_name_cannot_steer_the_terminal():
    Path("in.csv").write_text('"x\x1b[31m\r",y\n1,2\n2,5\n3,1\n4,4\n')
    ran = pyfcrm("protect", "in.csv", "-o", "out.csv", "--method", "ipso", "--dependent", "z", "--independent", "y")
    assert ran.status == 2
    assert ran.err.rstrip("\n").isprintable()
    assert "\\x1b[31m" in ran.err


@pytest.mark.process
def test_a_terminal_that_lacks_a_letter(folder):
    ran = pyfcrm_process(
        "protect", "in.csv", "-o", "ü.csv", *words("ipso"), cwd=folder, env={"PYTHONIOENCODING": "ascii"}
    )
    assert ran.status == 0
    assert ran.out == "\\xfc.csv: 40 records, 2 columns protected with IPSO(kind=C)\n"


def test_the_manifest_says_what_was_done():
    assert pyfcrm("protect", "in.csv", "-o", "out.csv", *words("fcrm", "--manifest", "m.json")).status == 0
    manifest = json.loads(Path("m.json").read_text())
    assert manifest["pyfcrm"] == pf.__version__
    assert (manifest["method"]["name"], manifest["method"]["c"]) == ("fcrm", 3)
    assert "do not publish" in manifest["warning"]
    for name in ("in", "out"):
        assert manifest["sha256"][f"{name}put"] == hashlib.sha256(Path(f"{name}.csv").read_bytes()).hexdigest()
    assert manifest["versions"]["numpy"] == np.__version__
    assert datetime.fromisoformat(manifest["time"]).utcoffset() == timedelta(0)
    assert manifest["platform"] == platform.platform()


@pytest.mark.parametrize("there", ["out.csv", "m.json"])
def test_what_exists_is_refused_before_any_work_is_done(folder, monkeypatch, there):
    Path(there).write_text("an earlier one")
    options = ["protect", "in.csv", "-o", "out.csv", *words("ipso", "--manifest", "m.json")]
    with monkeypatch.context() as without:
        without.delattr("pyfcrm.plans.file.run_request")  # nothing is protected
        assert refused(folder, lambda: pyfcrm(*options)).startswith(f"{there}: an output must be a new file")
    assert pyfcrm(*options, "--overwrite").status == 0
    assert len(pd.read_csv("out.csv")) == 40
    assert json.loads(Path("m.json").read_text())["method"]["name"] == "ipso"


def test_formulas_are_disarmed_when_asked():
    """An apostrophe before text that a spreadsheet would run, in text alone. Oracle: by hand."""
    Path("in.csv").write_text('a,c,t\n1,-2,=1+1\n2,3,plain\n3,-5,@x\n4,1,"+y,z"\n')
    common = [
        "protect",
        "in.csv",
        "-o",
        "out.csv",
        "--method",
        "top_bottom_coding",
        "--set",
        "top=2",
        "--dependent",
        "c",
    ]
    assert pyfcrm(*common).status == 0
    assert Path("out.csv").read_text() == 'a,c,t\n1,-2,=1+1\n2,2,plain\n3,-5,@x\n4,1,"+y,z"\n'
    Path("out.csv").unlink()
    assert pyfcrm(*common, "--disarm").status == 0
    assert Path("out.csv").read_text() == "a,c,t\n1,-2,'=1+1\n2,2,plain\n3,-5,'@x\n4,1,\"'+y,z\"\n"


def test_tests_of_the_verdict_that_fail_already_are_warnings():
    """Oracle: pf.evaluate of the release. Of a file whose records share their key variables nothing is warned of."""
    words = ["--method", "ipso", "--independent", "a,b", "--dependent", "c,d", "--identifiers", "id"]
    frame = households()
    frame["d"] = (frame["d"] - 300).clip(lower=0)  # IPSO releases values below 0
    frame.assign(note=range(len(frame))).to_csv("unique.csv", index=False)
    frame.to_csv("shared.csv", index=False)
    for name, keys in (("unique", ["sample_uniques", "edits"]), ("shared", ["edits"])):
        ran = pyfcrm("protect", f"{name}.csv", "-o", f"{name}-release.csv", *words)
        assert ran.status == 0, ran
        roles = pf.Roles(["a", "b"], ["c", "d"], ["id"])
        verdict = pf.evaluate(f"{name}.csv", f"{name}-release.csv", roles=roles).verdict
        warned = [line.split()[1] for line in ran.err.splitlines() if line.startswith("WARNING: ") and "limit" in line]
        assert warned == keys
        assert all(verdict[key].status == "hold" and verdict[key].reason in ran.err for key in keys)
    calibrated = ["--method", "calibrated", "--set", "method={ipso:kind=C}", *words[2:]]
    ran = pyfcrm("protect", "shared.csv", "-o", "new.csv", *calibrated)
    assert "WARNING" not in ran.err

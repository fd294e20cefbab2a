"""A release and its manifest: each file whole, whatever happens; which manifest is of which release.

Oracles: hashlib and sha256sum on the files; processes killed at known moments, by the state of the folder before and after,
written out by hand. Grade: identical.
"""

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from support.data import REPOSITORY
from support.pairs import MOMENTS, ended, start

import pyfcrm as pf
from pyfcrm.errors import InvalidInput
from pyfcrm.files import atomic
from pyfcrm.files.manifest import compare_digest, digest, read_manifest, releasing
from pyfcrm.trust.verify import recorded_release

needs_kill = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no SIGKILL")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("a\n1\n")
    return tmp_path


def write(data, overwrite=True, manifest="m.json"):
    with releasing("out.csv", manifest, "in.csv", overwrite=overwrite) as (files, contents):
        with atomic.atomic_files(files) as [pending]:
            pending.write(data.encode())
        contents |= {"method": "IPSO", "seed": data}


def hidden(folder):
    return sorted(name for name in os.listdir(folder) if name.startswith(".pyfcrm"))


def sha256(path):
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_what_it_holds(folder):
    write("new")
    found = json.loads(Path("m.json").read_text())
    assert found["sha256"] == {"input": sha256("in.csv"), "output": sha256("out.csv")}
    assert set(found["versions"]) == {"pyfcrm", "python", "numpy", "scipy", "numba", "pandas", "processor", "blas"}
    assert found["time"].endswith("+00:00")
    assert found["platform"]
    assert found["seed"] == "new"
    for what, file in (("release", "out.csv"), ("original", "in.csv")):
        assert compare_digest(read_manifest("m.json"), what, file)[0]
    assert hidden(folder) == []


@pytest.mark.parametrize("versions", ["x", [1], 3])
def test_versions_are_by_name(versions):
    """The defect: verify() of a manifest that was edited so ended in a TypeError."""
    write("new")
    contents = json.loads(Path("m.json").read_text())
    Path("m.json").write_text(json.dumps({**contents, "versions": versions}))
    with pytest.raises(InvalidInput, match="must hold versions by name"):
        pf.verify("m.json", "out.csv")


@pytest.mark.process
def test_another_processor_is_named_where_bytes_may_differ(folder):
    """As with NUMBA_CPU_NAME=generic, under which FCRM has other last digits; nothing named it before."""
    results = []
    for processor in ({}, {"NUMBA_CPU_NAME": "generic", "OPENBLAS_CORETYPE": "Nehalem"}):
        code = "from pyfcrm.files.manifest import versions; import scipy.linalg, json; print(json.dumps(versions()))"
        path = os.pathsep.join([str(REPOSITORY), os.environ.get("PYTHONPATH", "")])
        env = {**os.environ, "PYTHONPATH": path, **processor}
        done = subprocess.run([sys.executable, "-c", code], env=env, capture_output=True, text=True, check=True)
        results.append(json.loads(done.stdout))
    differs = {name for name in results[0] if results[0][name] != results[1][name]}
    assert differs <= {"processor", "blas"}
    assert "processor" in differs
    assert "generic" in results[1]["processor"]


@pytest.mark.process
def test_the_digest_of_a_folder_is_that_of_its_files(folder):
    """Oracle: coreutils. Hidden files and other kinds are not read, and do not count."""
    parts = folder / "parts"
    parts.mkdir()
    for name, data in {
        "b.parquet": b"2",
        "a.parquet": b"1",
        ".c.parquet": b"3",
        "_d.parquet": b"4",
        "e.txt": b"5",
    }.items():
        (parts / name).write_bytes(data)
    theirs = subprocess.run(
        "LC_ALL=C; sha256sum [a-z]*.parquet | sha256sum",
        shell=True,
        cwd=parts,
        capture_output=True,
        text=True,
        check=True,
    )
    before = digest(str(parts))
    assert before == theirs.stdout.split()[0]
    (parts / "b.parquet").rename(parts / "c.parquet")
    assert digest(str(parts)) != before
    assert digest("in.csv") == sha256("in.csv")


def test_another_release_original_or_file_is_refused_in_one_sentence(folder):
    write("new")
    Path("other.csv").write_text("other")
    Path("none.json").write_text('{"method": "IPSO"}')
    Path("text.json").write_text("text")
    for (manifest, release, *original), text in {
        ("m.json", "other.csv"): "other.csv is not the release of the manifest",
        ("m.json", "out.csv", "other.csv"): "other.csv is not the original of the manifest",
        ("none.json", "out.csv"): "must hold the SHA-256 of its input and output",
        ("text.json", "out.csv"): "must be JSON",
        ("gone.json", "out.csv"): "could not be read",
        ("m.json", "gone.csv"): "must be readable",
    }.items():
        with pytest.raises(InvalidInput, match=text) as caught:
            recorded_release(manifest, [release], *original)
        assert "\n" not in str(caught.value)


@needs_kill
@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_at_any_moment_leaves_whole_files(folder, moment, older):
    """Each file is the old one or the new one; a manifest that is not of the release is refused."""
    if older:
        write("old")
    assert ended(start(moment, "new")) == -signal.SIGKILL
    release = Path("out.csv").read_text() if Path("out.csv").exists() else None
    seed = read_manifest("m.json")["seed"] if Path("m.json").exists() else None
    was = "old" if older else None
    expected = {"written": (was, was), "described": (was, was), "between": ("new", was), "after": ("new", "new")}
    assert (release, seed) == expected[moment]
    if moment == "between":
        with pytest.raises(InvalidInput, match="is not the release of" if older else "could not be read"):
            recorded_release("m.json", ["out.csv"])
    assert bool(hidden(folder)) == (moment != "after")
    write("next")
    contents = read_manifest("m.json")
    assert contents["seed"] == "next"
    assert compare_digest(contents, "release", "out.csv")[0]


@pytest.mark.parametrize("release", ["known.bin", "pipe", "/dev/zero"])
def test_a_forged_leftover_changes_nothing(folder, release):
    """What a run of an earlier version would have left, by hand: it would have replaced the input, or waited for ever."""
    Path("known.bin").write_text("x")
    os.mkfifo("pipe")
    forged = json.dumps({"place": {"manifest": "in.csv", "output": release}, "sha256": {"output": sha256("known.bin")}})
    names = [f".pyfcrm-{'0' * 16}.manifest.tmp", f".pyfcrm-{'0' * 16}.tmp"]
    for name in names:
        Path(name).write_text(forged)
    value = "".join(f"{row % 7},{row % 5},{row % 3}\n" for row in range(60))
    Path("in.csv").write_text(f"a,b,c\n{value}")
    pf.protect_file("in.csv", "out.csv", pf.IPSO("C"), pf.Roles(["a"], ["b", "c"]), 1, manifest="m.json")
    assert Path("in.csv").read_text() == f"a,b,c\n{value}"
    assert [Path(name).read_text() for name in names] == [forged] * 2
    assert Path("known.bin").read_text() == "x"


def test_runs_side_by_side_leave_whole_files(folder):
    """Three processes, each 8 times: at the end release and manifest are each of one run, and nothing is left."""
    runs = [start("never", name, rounds=8) for name in ("one", "two", "three")]
    assert [ended(run) for run in runs] == [0, 0, 0]
    ends = {f"{name} 7" for name in ("one", "two", "three")}
    assert {Path("out.csv").read_text(), read_manifest("m.json")["seed"]} <= ends
    assert hidden(folder) == []

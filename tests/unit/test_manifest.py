"""A release and its manifest: both or neither, whatever happens; which manifest is of which release.

Oracles: hashlib and sha256sum on the files; processes killed at known moments, by the state of the folder before and after,
written out by hand. Grade: identical.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from support.pairs import MOMENTS, killed, start

from pyfcrm.errors import InvalidInput
from pyfcrm.files import atomic
from pyfcrm.files.atomic import Pending, remove_dead
from pyfcrm.files.manifest import digest, manifest_of, read_manifest, releasing, require_new, settle, unfinished
from pyfcrm.files.temporary import OF_MANIFEST, Temporary, dead

needs_locks = pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no flock")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("a\n1\n")
    return tmp_path


def write(data: str, overwrite: bool = True, manifest: str | None = "m.json") -> None:
    with releasing("out.csv", manifest, "in.csv", overwrite) as made:
        with atomic.appearing(made.outputs[0]) as pending:
            pending.write(data.encode())
        made.describe({"method": "IPSO", "seed": data})


def hidden(folder: Path) -> list[str]:
    return sorted(name for name in os.listdir(folder) if name.startswith(".pyfcrm"))


def sha256(path: str | Path) -> str:
    return hashlib.sha256(Path(path).read_bytes()).hexdigest()


def test_what_it_holds(folder: Path) -> None:
    write("new")
    found = json.loads(Path("m.json").read_text())
    assert found["sha256"] == {"input": sha256("in.csv"), "output": sha256("out.csv")}
    assert set(found["versions"]) == {"pyfcrm", "python", "numpy", "scipy", "numba", "pandas"}
    assert found["time"].endswith("+00:00")
    assert found["platform"]
    assert manifest_of("m.json", "out.csv", "in.csv")["seed"] == "new"
    assert hidden(folder) == []


def test_the_digest_of_a_folder_is_that_of_its_files(folder: Path) -> None:
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


def test_another_release_original_or_file_is_refused_in_one_sentence(folder: Path) -> None:
    write("new")
    Path("other.csv").write_text("other")
    Path("none.json").write_text('{"method": "IPSO"}')
    Path("text.json").write_text("text")
    for words, said in {
        ("m.json", "other.csv"): "the manifest is of another release than other.csv",
        ("m.json", "out.csv", "other.csv"): "the manifest is of another original than other.csv",
        ("none.json", "out.csv"): "must hold the SHA-256 of its release",
        ("text.json", "out.csv"): "must be JSON",
        ("gone.json", "out.csv"): "could not be read",
        ("m.json", "gone.csv"): "must be readable",
    }.items():
        with pytest.raises(InvalidInput, match=said) as caught:
            manifest_of(*words)
        assert "\n" not in str(caught.value)


@needs_locks
@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("moment", MOMENTS)
def test_a_kill_at_any_moment_leaves_a_pair_or_is_recognised_and_settled(
    folder: Path, moment: str, older: bool
) -> None:
    """The state before, or the new one; the earlier manifest is there as long as the earlier release."""
    if older:
        write("old")
    killed(moment, folder, "new")
    release = Path("out.csv").read_text() if Path("out.csv").exists() else None
    seed = read_manifest("m.json")["seed"] if Path("m.json").exists() else None
    was = "old" if older else None
    expected = {"written": (was, was), "described": (was, was), "between": ("new", was), "after": ("new", "new")}
    assert (release, seed) == expected[moment]
    assert unfinished("m.json", "out.csv") == (moment == "between")
    if moment == "between":
        with pytest.raises(InvalidInput, match="killed before its manifest was in place"):
            manifest_of("m.json", "out.csv")
    if moment != "after":
        assert hidden(folder) != []
    with pytest.raises(InvalidInput, match="must be a new file") if release else pytest.raises(AssertionError):
        require_new("out.csv", overwrite=False)
        raise AssertionError
    assert hidden(folder) == []
    now = expected[moment][0]
    assert (Path("out.csv").read_text() if now else None) == now
    if now:
        assert manifest_of("m.json", "out.csv")["seed"] == now
    write("next")
    assert manifest_of("m.json", "out.csv")["seed"] == "next"


@needs_locks
def test_a_manifest_whose_release_was_replaced_meanwhile_is_removed(folder: Path) -> None:
    write("old")
    killed("between", folder, "new")
    Path("out.csv").write_text("another")
    settle(str(folder))
    assert hidden(folder) == []
    assert read_manifest("m.json")["seed"] == "old"
    with pytest.raises(InvalidInput, match="of another release"):
        manifest_of("m.json", "out.csv")


@needs_locks
def test_a_manifest_in_another_folder_with_an_odd_name(folder: Path) -> None:
    away = folder / "private é"
    away.mkdir()
    name = os.fsdecode(b"m \xff%2F.json")
    killed("between", folder, "new", os.path.join("private é", name))
    assert unfinished(os.path.join("private é", name), "out.csv")
    settle(str(folder))
    assert len(hidden(away)) == 1  # it waits in the manifest's folder
    settle(str(away))
    assert os.listdir(away) == [name]
    assert manifest_of(os.path.join("private é", name), "out.csv")["seed"] == "new"


@needs_locks
def test_a_manifest_never_goes_where_it_says_but_where_it_is(folder: Path) -> None:
    """A forged temporary manifest that names a file elsewhere replaces nothing there."""
    (folder / "shared").mkdir()
    Path("precious").write_text("precious")
    forged = {"place": {"manifest": "../precious", "output": "../in.csv"}, "sha256": {"output": sha256("in.csv")}}
    (folder / "shared" / f".pyfcrm-{'0' * 16}{OF_MANIFEST}").write_text(json.dumps(forged))
    settle(str(folder / "shared"))
    assert Path("precious").read_text() == "precious"
    for broken in ("", "[]", "{", '{"place": 3}', '{"place": {"manifest": null, "output": 1}}'):
        (folder / "shared" / f".pyfcrm-{'0' * 16}{OF_MANIFEST}").write_text(broken)
        settle(str(folder / "shared"))
        assert hidden(folder / "shared") == []


@needs_locks
def test_only_what_dead_runs_left_is_removed(folder: Path) -> None:
    """Living: in this process, and in another one. Not ours: other names, folders, links, pipes."""
    killed("written", folder, "new")
    left = set(hidden(folder))
    assert len(left) == 1
    living = Temporary(str(folder))
    manifest = Temporary(str(folder), suffix=OF_MANIFEST)
    code = f"from pyfcrm.files.temporary import Temporary; t = Temporary({str(folder)!r}); print(t.path, flush=True); input()"
    other = subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    theirs = other.stdout.readline().strip()
    names = [".pyfcrm-mine.tmp", ".pyfcrm-" + "0" * 15 + ".tmp", "pyfcrm-" + "0" * 16 + ".tmp"]
    for name in names:
        Path(name).write_text("")
    os.mkdir(".pyfcrm-" + "1" * 16 + ".tmp")
    os.mkfifo(".pyfcrm-" + "2" * 16 + ".tmp")
    os.symlink("in.csv", ".pyfcrm-" + "3" * 16 + ".tmp")
    before = set(os.listdir(folder))
    settle(str(folder))
    assert before - set(os.listdir(folder)) == left
    other.communicate("\n", timeout=60)
    living.close()
    settle(str(folder))
    assert not os.path.exists(theirs)  # that run is dead now
    assert os.path.exists(manifest.path)
    manifest.close()
    assert not os.path.exists(manifest.path)


@needs_locks
def test_a_file_taken_for_dead_before_it_was_locked_is_made_again(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Another run's sweep comes between making the file and locking it, once."""
    from pyfcrm.files import temporary

    real, swept = temporary.lock, []

    def late(handle: int, wait: bool = False) -> bool:
        if wait and not swept:
            with dead(str(folder)) as left:
                swept.extend(left)
                for path in left:
                    os.unlink(path)
        return real(handle, wait)

    monkeypatch.setattr(temporary, "lock", late)
    made = Temporary(str(folder))
    assert len(swept) == 1
    assert made.path not in swept
    assert os.path.exists(made.path)
    made.close()


@needs_locks
def test_runs_side_by_side_leave_one_run_s_pair(folder: Path) -> None:
    """Three processes and a sweeper, each 40 times: at the end release and manifest are of one run, and nothing is left."""
    runs = [start("never", folder, name, rounds=40) for name in ("one", "two", "three")]
    over = threading.Event()

    def sweep() -> None:
        while not over.is_set():
            settle(str(folder))

    sweeper = threading.Thread(target=sweep)
    sweeper.start()
    try:
        said = [run.communicate(timeout=240)[1].decode() for run in runs]
    finally:
        over.set()
        sweeper.join()
    assert [run.returncode for run in runs] == [0, 0, 0], said
    assert manifest_of("m.json", "out.csv")["seed"] == Path("out.csv").read_text()
    assert hidden(folder) == []


@pytest.mark.parametrize("older", [False, True])
@pytest.mark.parametrize("links", [True, False])
@pytest.mark.parametrize("fault", [OSError(5, "Input/output error"), KeyboardInterrupt()])
def test_a_second_rename_that_fails_takes_the_first_back(
    folder: Path, monkeypatch: pytest.MonkeyPatch, older: bool, links: bool, fault: BaseException
) -> None:
    """On a file system without hard links too."""
    if older:
        write("old")
    before = {name: Path(name).read_bytes() for name in os.listdir(folder)}
    real, count = os.replace, 0

    def second_fails(*paths: str) -> None:
        nonlocal count
        count += 1
        if count == 2:
            raise fault
        real(*paths)

    def no_links(*paths: str) -> None:
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "replace", second_fails)
    if not links:
        monkeypatch.setattr(os, "link", no_links)
    with pytest.raises(InvalidInput if isinstance(fault, OSError) else KeyboardInterrupt):
        write("new")
    assert {name: Path(name).read_bytes() for name in os.listdir(folder)} == before


def test_a_file_that_appears_meanwhile_is_not_replaced(folder: Path) -> None:
    with releasing("out.csv", "m.json", "in.csv", False) as made:
        made.outputs[0].write(b"first")
    Path("out.csv").unlink()
    Path("m.json").unlink()

    def late() -> None:
        with releasing("out.csv", "m.json", "in.csv", False) as made:
            made.outputs[0].write(b"new")
            Path("m.json").write_text("another's")

    with pytest.raises(InvalidInput, match="must be a new file"):
        late()
    assert sorted(os.listdir(folder)) == ["in.csv", "m.json"]
    assert Path("m.json").read_text() == "another's"


def test_a_full_disk_is_named_by_the_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from pyfcrm.data.records import DiskColumns, DiskRecords

    def full(*_: object) -> int:
        raise OSError(28, "No space left on device")

    rows, columns = DiskRecords(1, str(folder)), DiskColumns(3, 1, str(folder))
    monkeypatch.setattr(os, "pwrite", full)
    monkeypatch.setattr(os, "fsync", full)
    import numpy as np

    for write_to in (lambda: rows.append(np.ones((3, 1))), lambda: columns.write(0, np.ones(3))):
        with pytest.raises(InvalidInput) as caught:
            write_to()
        rule = "the temporary file of this work could not be written there"
        assert str(caught.value) == f"{folder}: {rule}; got No space left on device"
    with pytest.raises(InvalidInput) as caught:
        write("new")
    assert str(caught.value) == "out.csv: the file could not be written; got No space left on device"
    assert os.listdir(folder) == ["in.csv"]


def test_a_pending_file_is_a_path(folder: Path) -> None:
    pending = Pending("out.csv")
    assert os.fspath(pending) == "out.csv"
    pending.write(b"x")
    assert os.stat(pending.temporary.path).st_size == 1
    remove_dead(str(folder))
    assert len(hidden(folder)) == 1
    pending.close()
    assert hidden(folder) == []

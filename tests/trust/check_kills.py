"""kill -9 at 100 moments, and a disk that is full: what stands there is whole, old or absent, and a rerun gives the same bytes.

Oracle: an undisturbed run. Identical. Run by `make trust`. Seed 1, so that a whole release is known byte for byte.
"""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

RECORDS, MOMENTS = 60_000, 25  # of each of four kinds
KINDS = {"csv": ("in.csv", "out.csv"), "parquet": ("in.parquet", "out.parquet"), "spss": ("in.csv", "out.sav")}
KINDS["by blocks"] = ("in.parquet", "out.parquet")
ASKED = [
    "--method",
    "ipso",
    "--independent",
    "a,b",
    "--dependent",
    "c,d",
    "--seed",
    "1",
    "--threads",
    "1",
    "--overwrite",
]


def command(kind: str, output: str = "") -> list[str]:
    source, own = KINDS[kind]
    words = [sys.executable, "-m", "pyfcrm", "protect", source, "-o", output or own, *ASKED, "--manifest", "m.json"]
    return words + (["--by-blocks"] if kind == "by blocks" else [])


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("kills")
    draw = np.random.default_rng(1)
    a, b = draw.normal(50, 10, RECORDS).round(2), draw.normal(0, 1, RECORDS).round(3)
    c, d = (3 * a + draw.normal(0, 5, RECORDS)).round(2), np.rint(100 * b + draw.normal(500, 9, RECORDS))
    frame = pd.DataFrame({"id": np.arange(RECORDS), "a": a, "b": b, "c": c, "d": d.astype("int64")})
    frame.to_csv(made / "in.csv", index=False)
    frame.to_parquet(made / "in.parquet")
    (made / "tmp").mkdir()
    return made


@pytest.mark.parametrize("kind", KINDS)
def test_killed_at_any_moment(kind: str, folder: Path) -> None:
    output, manifest = folder / KINDS[kind][1], folder / "m.json"
    env = {**os.environ, "TMPDIR": str(folder / "tmp")}
    for _ in range(2):  # the first may compile
        begun = time.monotonic()
        subprocess.run(command(kind), cwd=folder, env=env, check=True, capture_output=True)
        took = time.monotonic() - begun
    whole, moments, killed = output.read_bytes(), random.Random(7), 0
    for number in range(MOMENTS):
        for path in (output, manifest):
            path.unlink(missing_ok=True)
            if number % 2:
                path.write_bytes(b"EARLIER")
        process = subprocess.Popen(
            command(kind), cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(moments.uniform(0.3 * took, 1.05 * took))
        process.send_signal(signal.SIGKILL)
        killed += process.wait() < 0
        now = output.read_bytes() if output.exists() else b""
        assert now in (whole, b"EARLIER" if number % 2 else b"")
        record = manifest.read_bytes() if manifest.exists() else b""
        if record not in (b"", b"EARLIER"):
            assert hashlib.sha256(now).hexdigest().encode() in record
    assert killed > MOMENTS / 2
    done = subprocess.run(command(kind), cwd=folder, env=env, check=True, capture_output=True, text=True)
    assert output.read_bytes() == whole, done
    left = {path.name for path in folder.iterdir()} - {"in.csv", "in.parquet", "tmp", "m.json", output.name}
    assert not left  # the run that follows removes what the dead ones left
    output.unlink()
    manifest.unlink()


@pytest.mark.parametrize("kind", KINDS)
def test_a_full_disk(kind: str, folder: Path, tmp_path: Path) -> None:
    """A file system of 64 KB, where one may be mounted; what stood there stays, and one sentence says so."""
    small = tmp_path / "small"
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)]
    inner = [*command(kind, str(small / KINDS[kind][1]))]
    script = f'{" ".join(mount)} && printf EARLIER > {small / KINDS[kind][1]} && "$@"; s=$?; cat {small}/out.*; ls -A {small}; exit $s'
    apart = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    if not shutil.which("unshare") or subprocess.run([*apart[:3], *mount], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    done = subprocess.run([*apart, *inner], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1
    assert "No space left on device" in done.stderr
    assert done.stdout == f"EARLIER{KINDS[kind][1]}\n"
    (folder / "m.json").unlink(missing_ok=True)

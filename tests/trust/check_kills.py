"""kill -9 at 100 moments, and a disk that is full: what stands there is whole, old or absent, and a rerun gives the same bytes.

Oracle: an undisturbed run. Identical. Run by `make trust`. Seed 1, so that all but a manifest's time is known byte for byte.
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
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

ROLES = ["--independent", "a,b", "--dependent", "c,d", "--seed", "1"]
SURE = ["--method", "ipso", *ROLES, "--threads", "1", "--overwrite", "--manifest", "m.json"]
PLAN = """\
input = { file = "few.csv" }
roles = { independent = ["a", "b"], dependent = ["c", "d"], identifiers = ["id"] }
method = { name = "ipso" }
limits = { pil = 90 }
release = { despite_hold = "a test", by = "tests" }
output = { release = "released.csv", manifest = "m.json", report = "inside.html", report_external = "outside.html" }
random = { seed = 1 }
"""


@dataclass(frozen=True)
class Work:
    """A command, what it makes (a manifest apart), and at how many moments it is killed; the first output is the release."""

    words: tuple[str, ...]
    outputs: tuple[str, ...]
    moments: int


def protect(source, output, *more):
    return Work(("protect", source, "-o", output, *SURE, *more), (output,), 16)


PROTECT = {
    "csv": protect("in.csv", "out.csv"),
    "parquet": protect("in.parquet", "out.parquet"),
    "spss": protect("in.csv", "out.sav"),
    "by blocks": protect("in.parquet", "out.parquet", "--by-blocks"),
}
SWEEP = ("sweep", "few.csv", "-o", "swept", *ROLES, "--candidates", "ipso:kind=A|B|C,noise:amount=5")
WORK = {
    **PROTECT,
    "sweep": Work(SWEEP, ("swept/sweep.csv", "swept/map.png"), 12),
    "report": Work(("report", "few.csv", "other.csv", "-o", "page.html"), ("page.html",), 12),
    "run": Work(("run", "plan.toml", "--overwrite"), ("released.csv", "inside.html", "outside.html"), 12),
}
assert sum(work.moments for work in WORK.values()) == 100


def command(work):
    return [sys.executable, "-m", "pyfcrm", *work.words]


def people(records):
    draw = np.random.default_rng(1)
    a, b = draw.normal(50, 10, records).round(2), draw.normal(0, 1, records).round(3)
    c, d = (3 * a + draw.normal(0, 5, records)).round(2), np.rint(100 * b + draw.normal(500, 9, records))
    return pd.DataFrame({"id": np.arange(records), "a": a, "b": b, "c": c, "d": d.astype("int64")})


@pytest.fixture
def folder(tmp_path):
    frame, few = people(60_000), people(1500)
    frame.to_csv(tmp_path / "in.csv", index=False)
    frame.to_parquet(tmp_path / "in.parquet")
    few.to_csv(tmp_path / "few.csv", index=False)
    few.assign(c=few["c"].sample(frac=1, random_state=1).to_numpy()).to_csv(tmp_path / "other.csv", index=False)
    (tmp_path / "plan.toml").write_text(PLAN)
    (tmp_path / "tmp").mkdir()
    return tmp_path


def files(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("kind", WORK)
def test_killed_at_any_moment(kind, folder):
    work, value, env = WORK[kind], files(folder), {**os.environ, "TMPDIR": str(folder / "tmp")}
    for _ in range(2):  # the first may compile
        begun = time.monotonic()
        subprocess.run(command(work), cwd=folder, env=env, check=True, capture_output=True)
        took = time.monotonic() - begun
    whole, result = {name: (folder / name).read_bytes() for name in work.outputs}, files(folder) - value
    assert result in (whole.keys(), whole.keys() | {"m.json"})
    moments, killed, tried = random.Random(7), 0, 0
    while killed < work.moments:
        tried += 1
        assert tried < 4 * work.moments, f"{work.words[0]} ends before it is killed"
        earlier = b"EARLIER" if tried % 2 else b""
        stand(folder, result, earlier)
        process = subprocess.Popen(
            command(work), cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            process.wait(moments.uniform(0.25 * took, took))
            took *= 0.95  # the machine has become faster since
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGKILL)
            killed += process.wait() < 0
        check(folder, whole, earlier)
    subprocess.run(command(work), cwd=folder, env=env, check=True, capture_output=True)
    assert {name: (folder / name).read_bytes() for name in whole} == whole
    left = files(folder) - value - result
    assert all(Path(name).name.startswith(".pyfcrm-") for name in left)


def stand(folder, result, earlier):
    """Before a run, in each output's place: earlier bytes, or none."""
    for name in result:
        (folder / name).unlink(missing_ok=True)
        if earlier:
            (folder / name).write_bytes(earlier)


def check(folder, whole, earlier):
    """After a kill, each output is as it was or whole, and a new manifest is of the release that is there."""
    now = {name: (folder / name).read_bytes() if (folder / name).exists() else b"" for name in whole}
    for name, data in now.items():
        assert data in (whole[name], earlier), name
    manifest = folder / "m.json"
    record = manifest.read_bytes() if manifest.exists() else b""
    if record not in (b"", b"EARLIER"):
        assert hashlib.sha256(next(iter(now.values()))).hexdigest().encode() in record


@pytest.mark.parametrize("kind", PROTECT)
def test_a_full_disk(kind, folder):
    """A file system of 64 KB, where one may be mounted; what stood there stays, and one sentence says so."""
    small, [name] = folder / "small", PROTECT[kind].outputs
    small.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(small)]
    inner = [str(small / name) if word == name else word for word in command(PROTECT[kind])]
    script = (
        f'{" ".join(mount)} && printf EARLIER > {small / name} && "$@"; s=$?; cat {small}/out.*; ls -A {small}; exit $s'
    )
    apart = ["unshare", "--map-root-user", "--mount", "sh", "-c", script, "sh"]
    if not shutil.which("unshare") or subprocess.run([*apart[:3], *mount], capture_output=True, check=False).returncode:
        pytest.skip("no file system can be mounted here")
    done = subprocess.run([*apart, *inner], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 2, done
    assert len(done.stderr.splitlines()) == 1
    assert "No space left on device" in done.stderr
    assert done.stdout == f"EARLIER{name}\n"

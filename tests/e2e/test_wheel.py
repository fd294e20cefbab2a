"""The wheel: what is in it, and that it works where nothing but it is installed.

Oracle: the list below, and the release that the checkout itself gives. Grade: identical.
"""

import json
import os
import re
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from support.cli import people, pyfcrm
from support.data import REPOSITORY

import pyfcrm as pf

pytestmark = [pytest.mark.process, pytest.mark.slow]

HOLDS = ["pyfcrm/py.typed", "pyfcrm/cli/run.py", "r_bridge/__init__.py"]
HOLDS += [
    f"pyfcrm/app/static/{name}" for name in ("studio.css", "studio.js", "blackboard.js", "htmx.min.js", "icon.svg")
]
HOLDS += [f"pyfcrm/app/templates/{name}.html" for name in ("base", "compare", "blackboard")]
HOLDS += [f"pyfcrm/trust/values/{name}" for name in ("golden.json", "strd.json", "streams.json", "sample.csv")]
HOLDS += [f"pyfcrm/report/templates/{name}" for name in ("base.html", "report.html", "style.css")]
LACKS = ("tests/", "benchmarks/", "vignettes/", ".ci/")
PROTECT = ["--method", "ipso", "--independent", "a,b", "--dependent", "c,d", "--seed", "1"]


@pytest.fixture(scope="module")
def builds(tmp_path_factory):
    """Two builds by the project's own backend, in folders and at moments of their own; nothing is written into the checkout."""
    folders = [tmp_path_factory.mktemp("build") for _ in range(2)]
    env = {**os.environ, "SOURCE_DATE_EPOCH": "1767225600"}
    for folder in folders:
        command = [sys.executable, "-m", "hatchling", "build", "-d", str(folder)]
        subprocess.run(command, cwd=REPOSITORY, env=env, check=True, capture_output=True, text=True, timeout=300)
    return folders


@pytest.fixture(scope="module")
def wheel(builds):
    [path] = builds[0].glob("*.whl")
    return path


def test_what_is_in_it(wheel):
    assert wheel.name == f"pyfcrm-{pf.__version__}-py3-none-any.whl"
    with zipfile.ZipFile(wheel) as archive:
        names = archive.namelist()
        for name in HOLDS:
            assert name in names
        licence = archive.read(f"pyfcrm-{pf.__version__}.dist-info/licenses/LICENSE")
        described = archive.read(f"pyfcrm-{pf.__version__}.dist-info/METADATA").decode()
        points = archive.read(f"pyfcrm-{pf.__version__}.dist-info/entry_points.txt").decode()
    assert licence == (REPOSITORY / "LICENSE").read_bytes()
    assert licence.strip()
    assert not [name for name in names if name.startswith(LACKS) or "__pycache__" in name]
    modules = {str(path.relative_to(REPOSITORY)) for path in (REPOSITORY / "pyfcrm").rglob("*.py")}
    modules.add("pyfcrm/__init__.pyi")
    assert modules == {name for name in names if name.startswith("pyfcrm/") and name.endswith((".py", ".pyi"))}
    in_r = {f"r_bridge/{path.relative_to(REPOSITORY)}" for path in (REPOSITORY / "r_scripts").rglob("*.R")}
    assert in_r == {name for name in names if name.endswith(".R")}
    assert {name.split("/")[0] for name in names} == {"pyfcrm", "r_bridge", f"pyfcrm-{pf.__version__}.dist-info"}
    assert "pyfcrm = pyfcrm.cli:main" in points
    assert "License-Expression: BSD-3-Clause" in described


def test_the_bill_of_materials_names_what_is_asked_for(wheel):
    """PEP 770, CycloneDX. Oracle: the wheel's own METADATA, and requirements.lock, which must have every name."""
    with zipfile.ZipFile(wheel) as archive:
        document = json.loads(archive.read(f"pyfcrm-{pf.__version__}.dist-info/sboms/pyfcrm.cdx.json"))
        described = archive.read(f"pyfcrm-{pf.__version__}.dist-info/METADATA").decode()
    assert (document["bomFormat"], document["specVersion"]) == ("CycloneDX", "1.6")
    options = [
        line.removeprefix("Requires-Dist: ") for line in described.splitlines() if line.startswith("Requires-Dist: ")
    ]
    needed = {re.split(r"[^\w.-]", line)[0] for line in options if "extra ==" not in line}
    extras = {re.split(r"[^\w.-]", line)[0] for line in options if "extra ==" in line and "extra == 'dev'" not in line}
    found = {
        scope: {one["name"] for one in document["components"] if one["scope"] == scope}
        for scope in ("required", "optional")
    }
    assert found == {"required": needed, "optional": extras - {"pyfcrm"}}
    locked = set(re.findall(r"^([\w.-]+)==", (REPOSITORY / "requirements.lock").read_text(), re.MULTILINE))
    assert needed | (extras - {"pyfcrm", "rpy2", "rpy2-rinterface"}) <= locked


def test_two_builds_give_the_same_bytes(builds):
    """Wheel and source distribution, at one SOURCE_DATE_EPOCH. Oracle: the first build. Identical."""
    first, second = ({path.name: path.read_bytes() for path in folder.iterdir()} for folder in builds)
    assert len(first) == 2
    assert first == second


def needed_by(requirements):
    """Names of the distributions that the requirements lead to, without extras."""
    names = {
        one.name for one in map(Requirement, requirements) if one.marker is None or one.marker.evaluate({"extra": ""})
    }
    return names.union(*(needed_by(metadata.requires(name) or []) for name in names))


@pytest.fixture(scope="module")
def home(wheel, tmp_path_factory):
    """An empty environment with the wheel, and links to what its metadata asks for and to nothing else."""
    folder = tmp_path_factory.mktemp("home") / "venv"
    venv.create(folder)
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python")]
    command = [*pip, "install", "--quiet", "--no-compile", "--no-deps", "--no-index", str(wheel)]
    done = subprocess.run(command, cwd=folder, env=clean(), capture_output=True, text=True, timeout=900, check=False)
    assert done.returncode == 0, done.stderr
    [packages] = folder.glob("lib/*/site-packages")
    [about] = metadata.distributions(name="pyfcrm", path=[str(packages)])
    for name in needed_by(about.requires or []):
        found = metadata.distribution(name)
        for top in {file.parts[0] for file in found.files or []} - {"..", "__pycache__"}:
            (packages / top).symlink_to(str(found.locate_file(top)))
    return folder / "bin"


def clean():
    """An environment that does not point to the checkout."""
    return {name: value for name, value in os.environ.items() if name not in ("PYTHONPATH", "VIRTUAL_ENV")}


def run(home, cwd, program, *words):
    command = [str(home / program), *words]
    done = subprocess.run(command, cwd=cwd, env=clean(), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done
    return done.stdout


@pytest.mark.slow(8)
def test_the_installed_package_is_the_one_that_runs(home, tmp_path):
    assert run(home, tmp_path, "pyfcrm", "--version") == f"pyfcrm {pf.__version__}\n"
    code = "import pyfcrm; from r_bridge.scripts import script; print(pyfcrm.__file__, script('ipso.R'))"
    for path in run(home, tmp_path, "python", "-c", code).split():
        assert Path(path).is_relative_to(home.parent)


def test_the_installed_command_protects_a_file(home, tmp_path, monkeypatch):
    """The numbers may differ in the last digits if the environment has another numpy: rtol 1e-9."""
    monkeypatch.chdir(tmp_path)
    people().to_csv("in.csv", index=False)
    run(home, tmp_path, "pyfcrm", "protect", "in.csv", "-o", "out.csv", *PROTECT)
    assert pyfcrm("protect", "in.csv", "-o", "here.csv", *PROTECT).status == 0
    mine, theirs = ([row.split(",") for row in Path(n).read_text().splitlines()] for n in ("here.csv", "out.csv"))
    assert theirs[0] == mine[0]
    for a, b in zip(mine[1:], theirs[1:], strict=True):
        assert [a[0], a[1], a[2], a[4], a[5]] == [b[0], b[1], b[2], b[4], b[5]]
        assert float(b[3]) == pytest.approx(float(a[3]), rel=1e-9)


def test_a_byte_changed_in_an_installed_file_is_found(home, tmp_path, wheel):
    """By the record installed with it."""
    code = "from pyfcrm.trust.installed import installed; print(installed().wrong, installed().known)"
    count = sum(name.startswith(("pyfcrm/", "r_bridge/")) for name in zipfile.ZipFile(wheel).namelist())
    assert run(home, tmp_path, "python", "-c", code) == f"{{}} {count}\n"
    [file] = home.parent.glob("lib/*/site-packages/pyfcrm/trust/values/strd.json")
    before = file.read_bytes()
    file.write_bytes(before.replace(b"299.85", b"299.86", 1))
    changed = "{'pyfcrm/trust/values/strd.json': 'changed'}"
    assert run(home, tmp_path, "python", "-c", code) == f"{changed} {count}\n"
    file.write_bytes(before)


@pytest.mark.slow(15)
def test_the_wheel_alone_qualifies(home, tmp_path):
    """Without R, without extras, and without a network: its address leads nowhere."""
    nowhere = dict.fromkeys(("http_proxy", "https_proxy", "ALL_PROXY"), "http://127.0.0.1:9")
    env = {**clean(), **nowhere, "PATH": "/nowhere"}
    command = [str(home / "pyfcrm"), "qualify"]
    done = subprocess.run(command, cwd=tmp_path, env=env, capture_output=True, text=True, timeout=600, check=False)
    assert done.returncode == 0, done.stdout
    assert "The page can be signed." in done.stdout

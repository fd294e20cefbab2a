"""pyfcrm doctor, --version and --help: what a person asks first.

Oracle: importlib.metadata, asked directly. Grade: identical.
"""

import json
import re
import tomllib
from importlib.metadata import PackageNotFoundError, version

import pytest
from support.cli import pyfcrm
from support.data import REPOSITORY

import pyfcrm as pf
from pyfcrm.cli import doctor


def installed(name):
    try:
        return version(name)
    except PackageNotFoundError:
        return None


@pytest.mark.slow
def test_the_document_and_the_table(monkeypatch):
    rows = doctor.examine()
    monkeypatch.setattr(doctor, "examine", lambda: rows)
    ran = pyfcrm("doctor", "--json")
    assert (ran.status, ran.err) == (0, "")
    findings = {f["name"]: f for f in json.loads(ran.out)["findings"]}
    assert findings["pyfcrm"]["found"] == pf.__version__
    for name in ("numpy", "pandas", "matplotlib", "pyarrow", "rpy2", "polars"):
        assert findings[name]["found"] == installed(name)
        assert (findings[name]["command"] is None) == (installed(name) is not None)
    ran = pyfcrm("doctor")
    assert ran.status == 0
    for finding in rows:
        [row] = [text for text in ran.out.splitlines()[2:] if text.startswith(finding.name + " ")]
        assert (finding.found or "missing") in row
        assert finding.found or finding.command in row


def test_what_is_missing_is_named_with_the_command(monkeypatch):
    def nothing(name):
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "version", nothing)
    monkeypatch.setattr(doctor.shutil, "which", lambda _: None)
    ran = pyfcrm("doctor")
    assert re.search(r"dask +extra `dask` +missing +pip install 'pyfcrm\[dask\]'", ran.out)
    assert re.search(r"numpy +needed +missing +pip install numpy", ran.out)
    assert re.search(r"R +.*missing +apt-get install r-base-core", ran.out)
    assert "Missing, and optional unless marked needed: numpy, " in ran.out
    assert re.search(r"rpy2 +extra `r` +missing +pip install 'pyfcrm\[r\]'", ran.out)
    assert re.search(r"reticulate +.*missing +apt-get install r-cran-reticulate", ran.out)
    assert re.search(r"fcrm +.*missing +R CMD INSTALL .*r_scripts/fcrm", ran.out)
    assert re.search(r"sdcMicro +.*missing +Rscript -e 'install.packages\(\"sdcMicro\"\)'", ran.out)


def test_every_dependency_of_the_project_is_looked_for():
    project = tomllib.loads((REPOSITORY / "pyproject.toml").read_text())["project"]
    needed = {re.split(r"[<>=\[ ]", line)[0] for line in project["dependencies"]}
    assert needed == set(doctor.CORE)
    for package, extra in doctor.OPTIONAL.items():
        assert any(line.startswith(package) for line in project["optional-dependencies"][extra])

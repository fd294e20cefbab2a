"""pyfcrm doctor: what is installed, R included, what is missing, and the command that installs it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from .. import __version__
from .options import Request
from .show import document, print_line, table

SECONDS = 60
R_PACKAGES = {
    "reticulate": ("calling pyfcrm from R", "apt-get install r-cran-reticulate"),
    "fcrm": ("pyfcrm's own R package", "R CMD INSTALL {r_scripts}/fcrm"),
    "sdcMicro": ("cross-checks against sdcMicro", "Rscript -e 'install.packages(\"sdcMicro\")'"),
}
OLD_R = (4, 5)  # rpy2-rinterface 3.6.6 and newer need symbols that R has from here on, and pip does not know
PINNED = "pip install rpy2 'rpy2-rinterface<3.6.6'"
_CODE = (
    'cat("R", as.character(getRversion()), "\\n"); for (p in commandArgs(TRUE)) '
    'cat(p, tryCatch(as.character(packageVersion(p)), error = function(e) "-"), "\\n")'
)
CORE = [
    "numpy", "scipy", "pandas", "pyarrow", "narwhals", "scikit-learn", "numba", "matplotlib", "pyreadstat",
    "python-calamine", "pydantic", "click", "rich", "jinja2", "tomli-w", "threadpoolctl",
]  # fmt: skip
OPTIONAL = {"dask": "dask", "starlette": "app"}


@dataclass(frozen=True)
class Finding:
    """One thing looked for: what it is for, the version found (None if it is missing), the command that installs it."""

    name: str
    purpose: str
    found: str | None
    mend: str | None = None


def r_findings() -> list[Finding]:
    """R, rpy2, sdcMicro, reticulate and the R package fcrm: found or not, and the one command that installs each."""
    from r_bridge import scripts

    versions = _r_versions()
    packages = {"R": ("cross-checks against R", "apt-get install r-base-core"), **R_PACKAGES}
    rows = [
        Finding(name, purpose, versions[name])
        if name in versions
        else Finding(name, purpose, None, command.format(r_scripts=scripts.FOLDER))
        for name, (purpose, command) in packages.items()
    ]
    return [rows[0], _rpy2(versions.get("R")), *rows[1:]]


def _rpy2(r_version: str | None) -> Finding:
    """rpy2 counts as found only if it can load R: with R older than 4.5, newer ones are installed and cannot."""
    purpose = "extra `r`, calling R from Python"
    old = r_version is not None and tuple(int(part) for part in r_version.split(".")[:2]) < OLD_R
    mend = PINNED if old or r_version is None else "pip install 'pyfcrm[r]'"
    try:
        installed = version("rpy2")
    except PackageNotFoundError:
        return Finding("rpy2", purpose, None, mend)
    if r_version is None:
        return Finding("rpy2", purpose, f"{installed} (not tried: R is missing)")
    works = _run([sys.executable, "-c", "import rpy2.rinterface as r; r.initr()"])
    return Finding("rpy2", purpose, installed) if works is not None else Finding("rpy2", purpose, None, mend)


def _r_versions() -> dict[str, str]:
    program = shutil.which("Rscript")
    output = _run([program, "--no-save", "--no-restore", "-e", _CODE, *R_PACKAGES]) if program else None
    words = [line.split() for line in (output or "").splitlines()]
    return {pair[0]: pair[1] for pair in words if len(pair) == 2 and pair[1] != "-"}


def _run(command: list[str]) -> str | None:
    """What a command prints, or None where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None


def examine() -> list[Finding]:
    """Everything the package can use, found or not."""
    rows = [
        Finding("pyfcrm", "this package", __version__),
        Finding("python", "3.11 or newer", platform.python_version()),
    ]
    rows += [_package(name, "needed", f"pip install {name}") for name in CORE]
    rows += [_package(name, f"extra `{extra}`", f"pip install 'pyfcrm[{extra}]'") for name, extra in OPTIONAL.items()]
    rows.append(_package("polars", "polars frames", "pip install polars"))
    return rows + r_findings()


def run(request: Request) -> None:
    """What is installed, what is missing, and the command that installs it."""
    rows = examine()
    if request.json:
        document({"findings": [asdict(row) for row in rows]})
        return
    shown = [(r.name, r.purpose, r.found or "missing", "" if r.found else r.mend or "") for r in rows]
    table("pyfcrm doctor", ("what", "for", "found", "to install it"), shown, left=4)
    missing = [r.name for r in rows if r.found is None]
    print_line(
        "Everything is there." if not missing else f"Missing, and optional unless marked needed: {', '.join(missing)}."
    )


def _package(name: str, purpose: str, command: str) -> Finding:
    try:
        return Finding(name, purpose, version(name))
    except PackageNotFoundError:
        return Finding(name, purpose, None, command)

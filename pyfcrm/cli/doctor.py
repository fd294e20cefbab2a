"""pyfcrm doctor: what is installed, R included, what is missing, and the command that installs it."""

from __future__ import annotations

import platform
import shutil
import subprocess
import sys
from dataclasses import asdict, dataclass, replace
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
    mend: str


def r_findings() -> list[Finding]:
    """R, rpy2, sdcMicro, reticulate and the R package fcrm: found or not, and the one command that installs each."""
    from r_bridge import scripts

    program = shutil.which("Rscript")
    listed = _run([program, "--no-save", "--no-restore", "-e", _CODE, *R_PACKAGES]) if program else None
    versions = {name: found for name, found in map(str.split, (listed or "").splitlines()) if found != "-"}
    old = "R" not in versions or tuple(map(int, versions["R"].split(".")[:2])) < OLD_R
    rpy2 = _package("rpy2", "extra `r`, calling R from Python", PINNED if old else "pip install 'pyfcrm[r]'")
    if (
        rpy2.found
        and "R" in versions
        and _run([sys.executable, "-c", "import rpy2.rinterface as r; r.initr()"]) is None
    ):
        rpy2 = replace(rpy2, found=None)  # installed, and cannot load this R
    rows = [
        Finding(name, purpose, versions.get(name), command.format(r_scripts=scripts.FOLDER))
        for name, (purpose, command) in R_PACKAGES.items()
    ]
    return [Finding("R", "cross-checks against R", versions.get("R"), "apt-get install r-base-core"), rpy2, *rows]


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
        Finding("pyfcrm", "this package", __version__, ""),
        Finding("python", "3.11 or newer", platform.python_version(), ""),
    ]
    rows += [_package(name, "needed", f"pip install {name}") for name in CORE]
    rows += [_package(name, f"extra `{extra}`", f"pip install 'pyfcrm[{extra}]'") for name, extra in OPTIONAL.items()]
    return [*rows, _package("polars", "polars frames", "pip install polars"), *r_findings()]


def run(request: Request) -> None:
    """What is installed, what is missing, and the command that installs it."""
    rows = examine()
    if request.json:
        document({"findings": [asdict(row) | {"mend": None if row.found else row.mend} for row in rows]})
        return
    shown = [(r.name, r.purpose, r.found or "missing", "" if r.found else r.mend) for r in rows]
    table("pyfcrm doctor", ("what", "for", "found", "to install it"), shown, left=4)
    missing = ", ".join(r.name for r in rows if r.found is None)
    print_line(f"Missing, and optional unless marked needed: {missing}." if missing else "Everything is there.")


def _package(name: str, purpose: str, command: str) -> Finding:
    try:
        return Finding(name, purpose, version(name), command)
    except PackageNotFoundError:
        return Finding(name, purpose, None, command)

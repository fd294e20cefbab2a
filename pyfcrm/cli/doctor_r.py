"""The doctor's look at R: R itself, rpy2, and the R packages that work with this one."""

from __future__ import annotations

import shutil
import subprocess
import sys
from importlib.metadata import PackageNotFoundError, version

from .finding import Finding

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


def r_findings() -> list[Finding]:
    """R, rpy2, sdcMicro, reticulate and the R package fcrm: found or not, and the one command that mends each."""
    from r_bridge import scripts

    found = _asked_of_r()
    r_version = found.get("R")
    rows = [Finding("R", "cross-checks against R", r_version, None if r_version else "apt-get install r-base-core")]
    rows.append(_rpy2(r_version))
    for name, (purpose, command) in R_PACKAGES.items():
        there = found.get(name)
        rows.append(Finding(name, purpose, there, None if there else command.format(r_scripts=scripts.FOLDER)))
    return rows


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


def _asked_of_r() -> dict[str, str]:
    program = shutil.which("Rscript")
    told = _run([program, "--no-save", "--no-restore", "-e", _CODE, *R_PACKAGES]) if program else None
    words = [line.split() for line in (told or "").splitlines()]
    return {pair[0]: pair[1] for pair in words if len(pair) == 2 and pair[1] != "-"}


def _run(command: list[str]) -> str | None:
    """What a command prints, or None where it fails."""
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None

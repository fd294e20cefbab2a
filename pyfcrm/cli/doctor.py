"""pyfcrm doctor: what is installed, R included, what is missing, and the command that installs it."""

import platform
import shutil
import subprocess
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version

from .. import __version__
from .options import Request
from .show import document, print_lines, table

SECONDS = 60
R = ("cross-checks against R", "apt-get install r-base-core")
R_PACKAGES = {
    "reticulate": ("calling pyfcrm from R", "apt-get install r-cran-reticulate"),
    "fcrm": ("pyfcrm's own R package", "R CMD INSTALL {r_scripts}/fcrm"),
    "sdcMicro": ("cross-checks against sdcMicro", "Rscript -e 'install.packages(\"sdcMicro\")'"),
}
_CODE = (
    'cat("R", as.character(getRversion()), "\\n"); for (p in commandArgs(TRUE)) '
    'cat(p, tryCatch(as.character(packageVersion(p)), error = function(e) "-"), "\\n")'
)
CORE = [
    "numpy", "scipy", "pandas", "pyarrow", "narwhals", "scikit-learn", "numba", "matplotlib", "pyreadstat",
    "python-calamine", "pydantic", "click", "rich", "jinja2", "tomli-w", "threadpoolctl", "lazy-loader",
]  # fmt: skip
OPTIONAL = {"dask": "dask", "starlette": "app", "rpy2": "r"}


@dataclass(frozen=True)
class Finding:
    """One thing looked for: what it is for, the version found (None if it is missing), the command that installs it."""

    name: str
    purpose: str
    found: str | None
    command: str


def r_findings() -> list[Finding]:
    """R and its packages: found or not, and the command that installs each."""
    from r_bridge import scripts

    program, text = shutil.which("Rscript"), ""
    if program is not None:
        command = [program, "--no-save", "--no-restore", "-e", _CODE, *R_PACKAGES]
        text = subprocess.run(command, capture_output=True, text=True, timeout=SECONDS, check=False).stdout
    versions = {name: found for name, found in map(str.split, text.splitlines()) if found != "-"}
    return [
        Finding(name, purpose, versions.get(name), command.format(r_scripts=scripts.FOLDER))
        for name, (purpose, command) in {"R": R, **R_PACKAGES}.items()
    ]


def examine() -> list[Finding]:
    """Everything the package can use, found or not."""
    rows = [
        Finding("pyfcrm", "this package", __version__, ""),
        Finding("python", "3.11 or newer", platform.python_version(), ""),
    ]
    rows += [_package(name, "needed", name) for name in CORE]
    rows += [_package(name, f"extra `{extra}`", f"'pyfcrm[{extra}]'") for name, extra in OPTIONAL.items()]
    return [*rows, _package("polars", "polars frames", "'polars>=1.36'"), *r_findings()]


def _package(name: str, purpose: str, source: str) -> Finding:
    try:
        found = version(name)
    except PackageNotFoundError:
        found = None
    return Finding(name, purpose, found, f"pip install {source}")


def run(request: Request) -> None:
    """Installed and missing parts, and the command that installs them."""
    rows = examine()
    if request.json:
        document({"findings": [asdict(row) | {"command": None if row.found else row.command} for row in rows]})
        return
    shown = [(r.name, r.purpose, r.found or "missing", "" if r.found else r.command) for r in rows]
    table("pyfcrm doctor", ("what", "for", "found", "to install it"), shown, left=4)
    missing = ", ".join(r.name for r in rows if r.found is None)
    print_lines(f"Missing, and optional unless marked needed: {missing}." if missing else "Everything is there.")

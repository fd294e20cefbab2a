"""pyfcrm doctor: what is installed, what is missing, and the command that mends it."""

from __future__ import annotations

import platform
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

from .. import __version__
from .doctor_r import r_findings
from .finding import Finding
from .show import document, say, table

NEEDED = ("numpy", "scipy", "pandas", "numba", "typer", "rich", "threadpoolctl")
OPTIONAL = {
    "matplotlib": "plots",
    "pyarrow": "files",
    "pyreadstat": "files",
    "scikit-learn": "sequential",
    "dask": "dask",
    "shiny": "app",
}


def examine() -> list[Finding]:
    """Everything the package can use, found or not."""
    rows = [
        Finding("pyfcrm", "this package", __version__),
        Finding("python", "3.11 or newer", platform.python_version()),
    ]
    rows += [_package(name, "needed", f"pip install {name}") for name in NEEDED]
    rows += [_package(name, f"extra `{extra}`", f"pip install 'pyfcrm[{extra}]'") for name, extra in OPTIONAL.items()]
    rows.append(_package("polars", "polars frames", "pip install polars"))
    return rows + r_findings()


def run(as_json: bool) -> None:
    """Show the findings."""
    rows = examine()
    if as_json:
        document({"findings": [asdict(row) for row in rows]})
        return
    shown = [(r.name, r.purpose, r.found or "missing", "" if r.found else r.mend or "") for r in rows]
    table("pyfcrm doctor", ("what", "for", "found", "to mend it"), shown, left=4)
    missing = [r.name for r in rows if r.found is None]
    say("Everything is there." if not missing else f"Missing, and optional unless marked needed: {', '.join(missing)}.")


def _package(name: str, purpose: str, command: str) -> Finding:
    try:
        found: str | None = version(name)
    except PackageNotFoundError:
        found = None
    return Finding(name, purpose, found, _mend(found, command))


def _mend(found: str | None, command: str) -> str | None:
    return None if found else command

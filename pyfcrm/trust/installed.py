"""Installed files against the record of the wheel that they came from."""

import csv
import hashlib
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

PACKAGES = ("pyfcrm/", "r_bridge/")
COMPILED = "__pycache__"
CHECKOUT = (
    "these files were not installed from a wheel (a checkout, or an editable install): there is no record of them"
)


@dataclass(frozen=True)
class Installed:
    """The installed files compared with their record."""

    known: int | None = None
    """Number of files that the record lists; None where there is no record."""
    wrong: Mapping[str, str] = field(default_factory=dict)
    """The fault of each wrong file: "changed", "missing", or "not of the wheel"."""
    digest: str = ""
    """SHA-256 of the record's sorted lines, the same wherever one wheel is installed."""


def installed(folder: Path | None = None) -> Installed:
    """The files of this installation against the record installed with them. folder : where they are, if not here."""
    where = Path(__file__).resolve().parents[2] if folder is None else folder
    records = [path.read_text(encoding="utf-8") for path in where.glob("pyfcrm-*.dist-info/RECORD")]
    rows = csv.reader("".join(records).splitlines())
    listed = {name: recorded for name, recorded, *_ in rows if _is_own(name) and recorded}
    if not listed:  # an editable install records what leads to the checkout, and no file of it
        return Installed()
    files = [path for package in PACKAGES for path in (where / package).rglob("*") if path.is_file()]
    present = {name: _digest(path) for path in files if _is_own(name := path.relative_to(where).as_posix())}
    changed = [name for name in listed if present.get(name) != listed[name]]
    wrong = {name: "changed" if name in present else "missing" for name in changed}
    wrong |= dict.fromkeys(sorted(present.keys() - listed.keys()), "not of the wheel")
    lines = "".join(f"{name},{recorded}\n" for name, recorded in sorted(listed.items()))
    return Installed(len(listed), wrong, hashlib.sha256(lines.encode()).hexdigest())


def _is_own(name: str) -> bool:
    return name.startswith(PACKAGES) and COMPILED not in name


def _digest(path: Path) -> str:
    """The digest as a record has it: base64 for addresses, without its padding."""
    return f"sha256={urlsafe_b64encode(hashlib.sha256(path.read_bytes()).digest()).rstrip(b'=').decode()}"

"""Installed files against the record of the wheel that they came from."""

from __future__ import annotations

import csv
import hashlib
import io
import os
import zipfile
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from ..errors import InvalidInput

WHEEL = "must be a wheel of pyfcrm"
PACKAGES = ("pyfcrm", "r_bridge")
MADE_HERE = "__pycache__"  # compiled from the files that are looked at, on this machine
CHECKOUT = (
    "these files were not installed from a wheel (a checkout, or an editable install): there is no record of them"
)


@dataclass(frozen=True)
class Installed:
    """What became of a wheel's files.

    Parameters
    ----------
    folder : str
        Where they are installed.
    known : int or None
        How many the record lists; None where there is no record, and nothing was compared.
    wrong : mapping of str to str
        By file: "changed", "missing", or "not of the wheel".
    digest : str
        SHA-256 of the record's lines for these files, sorted: the same for the wheel and for every place it is installed.
    """

    folder: str
    known: int | None
    wrong: Mapping[str, str]
    digest: str = ""


def installed(wheel: str | None = None, folder: Path | None = None) -> Installed:
    """The files of this installation against a record: the one installed with them, or that inside the wheel's own file.

    folder : where they are, if not where this package is. Raises InvalidInput where `wheel` is none of pyfcrm.
    """
    where = Path(__file__).resolve().parents[2] if folder is None else folder
    if wheel is not None:
        text = _of_wheel(wheel)
    else:
        records = sorted(where.glob("pyfcrm-*.dist-info/RECORD"))
        if len(records) != 1:
            return Installed(str(where), None, {})
        text = records[0].read_text(encoding="utf-8")
    listed = {name: known for name, known, *_ in csv.reader(io.StringIO(text)) if _ours(name) and known}
    if not listed:  # an editable install records what leads to the checkout, and no file of it
        return Installed(str(where), None, {})
    wrong = {name: said for name, known in listed.items() if (said := _wrong(where / name, known))}
    wrong |= dict.fromkeys(sorted(_present(where) - listed.keys()), "not of the wheel")
    lines = "".join(f"{name},{known}\n" for name, known in sorted(listed.items()))
    return Installed(str(where), len(listed), wrong, hashlib.sha256(lines.encode()).hexdigest())


def _of_wheel(path: str) -> str:
    try:
        with zipfile.ZipFile(path) as archive:
            [name] = [one for one in archive.namelist() if one.endswith(".dist-info/RECORD")]
            text = archive.read(name).decode("utf-8")
    except (OSError, zipfile.BadZipFile, ValueError) as error:
        raise InvalidInput(path, WHEEL, str(error)) from error
    if not name.startswith("pyfcrm-"):
        raise InvalidInput(path, WHEEL, name)
    return text


def _ours(name: str) -> bool:
    return name.split("/")[0] in PACKAGES and MADE_HERE not in name


def _present(where: Path) -> set[str]:
    """Every file in the packages' folders, by its path from `where`."""
    walks = (one for package in PACKAGES for one in os.walk(where / package))
    found = {(Path(folder) / name).relative_to(where).as_posix() for folder, _, names in walks for name in names}
    return {name for name in found if MADE_HERE not in name}


def _wrong(path: Path, known: str) -> str:
    """ "" for a file as it was recorded. known : such as "sha256=...", base64 for addresses, without its padding."""
    try:
        kind, _, expected = known.partition("=")
        found = urlsafe_b64encode(hashlib.new(kind, path.read_bytes()).digest()).rstrip(b"=").decode()
    except OSError:
        return "missing"
    except ValueError:
        return "changed"  # a digest of no known kind is none of pip's
    return "" if found == expected else "changed"

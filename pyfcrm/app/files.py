"""The file of a study: an upload or a simulated file, in a private folder, within limits, and its columns."""

import shutil
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePath
from typing import Any

from .. import datasets
from ..data import ColumnFacts, SuggestedRoles, column_facts, open_frame, roles_from
from ..data.describe import describe
from ..data.roles import PRODUCTS
from ..errors import InvalidInput, PyfcrmError
from ..files import Table, open_table, write_table
from ..files.budget import Budget
from ..files.formats import READERS, released_as
from ..progress import Progress, report_progress
from .contents import Contents

SITE = Path(__file__).parent.parent / "site"  # the documentation, where it was built
ACCEPTED = ",".join(f".{name}" for name in READERS)
UPLOAD_MB = 200
# A cell takes 8 bytes as a number, about 100 as text, two or three times over while a file is read and protected.
BUDGET = Budget(
    rule="the studio opens files of at most {}; `pyfcrm protect` takes larger files",
    columns=1000,
    cells=20_000_000,
    values=1_000_000_000,
    memory=6_000_000_000,
)
NAME_BYTES = 200
SIMULATED: dict[str, tuple[str, Callable[[], Any]]] = {
    "survey": ("Household survey, 2,000 records", datasets.survey),
    "enterprises": ("Enterprises with heavy tails, few columns", datasets.enterprises),
    "census_like": ("Like the Census file, 1,080 records, 13 columns", datasets.census_like),
    "accounts": ("Accounts in clusters, positive and negative", datasets.accounts),
    "example": ("Two columns, 250 records", datasets.example),
}


@dataclass(frozen=True, eq=False)
class Source:
    """A file that was read."""

    name: str
    """Without its folder."""
    path: Path
    """In the study's folder."""
    table: Table = field(repr=False)
    """Its records, with labels and notes."""
    columns: Mapping[str, ColumnFacts]
    """The facts of each column, by name."""
    suggestions: Mapping[str, SuggestedRoles]
    """Their roles with reasons, by the kind of product."""
    contents: Contents
    """The description and the picture of each column."""

    @property
    def frame(self) -> Any:
        """The records as a pandas data frame."""
        return self.table.frame


def file_name(name: str) -> str:
    """The last part of an uploaded file's name. Raises InvalidInput for a name that no file can have."""
    plain = name.replace("\\", "/").rsplit("/", 1)[-1].lstrip(".") or "file"
    if len(plain.encode("utf-8", "replace")) > NAME_BYTES or not plain.isprintable():
        rule = f"a file's name must have at most {NAME_BYTES} bytes and no control characters"
        raise InvalidInput("studio", rule, ascii(plain[:40]))
    return plain


def output_of(source: Source) -> dict[str, Any]:
    """The table [output] of a plan: files named after the source, in its format where that can be written."""
    stem = PurePath(source.name).stem
    return {
        "release": f"{stem}-protected.{released_as(source.name)}",
        "manifest": f"{stem}-manifest.json",
        "report": f"{stem}-internal.html",
        "report_external": f"{stem}-external.html",
        "disarm": True,
    }


def simulate(folder: Path, which: str) -> Path:
    """A simulated file, written as CSV."""
    path = Path(tempfile.mkdtemp(dir=folder)) / f"{which}.csv"
    write_table(SIMULATED[which][1](), path)
    return path


def read_source(path: Path, progress: Progress | None = None) -> Source:
    """The file, each column examined. progress : an exception that it raises ends the reader.

    Raises PyfcrmError whose message contains no folder; the file is removed then.
    """
    try:
        table = open_table(path, budget=BUDGET, progress=progress)
        return _examine(path, table, progress)
    except PyfcrmError as error:
        shutil.rmtree(path.parent, ignore_errors=True)
        raise InvalidInput("studio", str(error).replace(f"{path.parent}/", "")) from None


def _examine(path: Path, table: Table, progress: Progress | None) -> Source:
    frame = open_frame("studio", table.frame)
    columns = dict[str, ColumnFacts]()
    for k, name in enumerate(frame.names):
        report_progress(progress, k, len(frame.names) + 1, "examining the columns")
        columns[name] = column_facts(frame, name)
    report_progress(progress, len(frame.names), len(frame.names) + 1, "proposing roles")
    facts = list(columns.values())
    described = describe(frame)
    return Source(
        name=path.name,
        path=path,
        table=table,
        columns=columns,
        suggestions={product: roles_from(frame, facts, described, product) for product in PRODUCTS},
        contents=Contents.of(frame),
    )
